# Writes the numbers of the planes that headers of src/device list, for shaders:
#   cmake -D STATE=state.h -D HIERARCHY=hierarchy.h -D IMPLICIT=implicit_state.h -D EQUATIONS=newton_state.h
#         -D OUTPUT=planes.glsl -P shader_planes.cmake
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

# Lists that say how many planes a name has, and which levels have them: those that ALL have come first, behind them
# those of the finest one, or of the others.
function(list_equations HEADER)
    file(READ "${HEADER}" header)
    string(REGEX MATCHALL "X\\([a-z_]+, [0-9]+, [A-Z]+," entries "${header}")
    set(shared 0)
    foreach(where IN ITEMS ALL FINEST COARSE)
        set(number ${shared})
        foreach(entry IN LISTS entries)
            if(entry MATCHES "X\\(([a-z_]+), ([0-9]+), ${where},")
                string(APPEND text "const int EQ_${CMAKE_MATCH_1} = ${number};\n")
                math(EXPR number "${number} + ${CMAKE_MATCH_2}")
            endif()
        endforeach()
        if(where STREQUAL ALL)
            set(shared ${number})
        endif()
        string(APPEND text "const int EQ_${where} = ${number};\n")
    endforeach()
    set(text "${text}" PARENT_SCOPE)
endfunction()

set(text "/* The planes of state.h, hierarchy.h, implicit_state.h and newton_state.h of src/device. */\n")
list_planes("${STATE}" PLANE)
list_planes("${HIERARCHY}" LEVEL)
list_planes("${IMPLICIT}" IMPLICIT)
list_equations("${EQUATIONS}")

file(WRITE "${OUTPUT}" "${text}")
