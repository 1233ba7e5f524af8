# Writes the numbers of the planes that headers of src/device list, for shaders:
#   cmake -D STATE=state.h -D HIERARCHY=hierarchy.h -D CYCLE=cycle_state.h -D OUTPUT=planes.glsl -P shader_planes.cmake
cmake_minimum_required(VERSION 3.25)

function(list_planes HEADER PREFIX)
    file(READ "${HEADER}" header)
    string(REGEX MATCHALL "X\\([a-z_]+, [A-Z]+," entries "${header}")
    set(number 0)
    foreach(entry IN LISTS entries)
        string(REGEX REPLACE "X\\(([a-z_]+),.*" "\\1" name "${entry}")
        string(APPEND text "const int ${PREFIX}_${name} = ${number};\n")
        math(EXPR number "${number} + 1")
    endforeach()
    set(text "${text}const int ${PREFIX}_COUNT = ${number};\n" PARENT_SCOPE)
endfunction()

set(text "/* The planes of device/state.h, device/hierarchy.h and device/cycle_state.h. */\n")
list_planes("${STATE}" PLANE)
list_planes("${HIERARCHY}" LEVEL)
list_planes("${CYCLE}" CYCLE)

# Other names of some: NAME = PLANE in an enum.
file(READ "${CYCLE}" header)
string(REGEX MATCHALL "SWAY_[A-Z]+ = CYCLE_[a-z]+" names "${header}")
foreach(name IN LISTS names)
    string(APPEND text "const int ${name};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
