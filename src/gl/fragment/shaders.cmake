# Sets TOILE_FRAGMENT_SHADERS: a C file for each shader of this folder, as `const char fragment_NAME_KIND[]`. They are
# written for OpenGL 3.3 and for OpenGL ES 3.0, which is what browsers have: glslang looks at both, and the first is
# embedded. Behind gl/shaders.cmake, which sets the variables.
set(names
    again.frag
    check.vert
    force.frag
    integrate.frag
    limit.frag
    limit.vert
    mark.vert
    move.frag
    pins.frag
    pins.vert
    respond.frag
    screen.vert
    tell.frag
    touch.frag
    wind.frag)

file(CONFIGURE OUTPUT ${made}/core/gl/version.glsl CONTENT "#version 330 core\n")
file(CONFIGURE OUTPUT ${made}/es/gl/version.glsl CONTENT
    "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n")

set(TOILE_FRAGMENT_SHADERS)
foreach(name IN LISTS names)
    set(input ${source}/gl/fragment/shaders/${name})
    set(core ${made}/core/${name})
    set(es ${made}/es/${name})
    string(REPLACE "." "_" symbol "fragment_${name}")
    add_custom_command(
        OUTPUT ${core}.c
        COMMAND ${CMAKE_COMMAND} -D INPUT=${input} -D OUTPUT=${es} -D TARGET=${core}.c -D DEPFILE=${es}.d
                -D ROOTS=${source},${made}/es -P ${scripts}/flatten_shader.cmake
        COMMAND ${CMAKE_COMMAND} -D INPUT=${input} -D OUTPUT=${core} -D TARGET=${core}.c -D DEPFILE=${core}.d
                -D ROOTS=${source},${made}/core -P ${scripts}/flatten_shader.cmake
        COMMAND ${look} ${es}
        COMMAND ${look} ${core}
        COMMAND ${CMAKE_COMMAND} -D INPUT=${core} -D OUTPUT=${core}.c -D NAME=${symbol}
                -D HEADER=gl/fragment/program.h -P ${scripts}/embed_text.cmake
        DEPENDS ${input} ${scripts}/flatten_shader.cmake ${scripts}/embed_text.cmake
        DEPFILE ${core}.d
        COMMENT "Embedding ${name}"
        VERBATIM)
    list(APPEND TOILE_FRAGMENT_SHADERS ${core}.c)
endforeach()
