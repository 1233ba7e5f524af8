# Sets TOILE_GL_SHADERS: a C file for each compute shader of this folder, as `const char shader_NAME[]`.
set(names
    bend
    check
    coarse
    cycle_begin
    cycle_change
    cycle_correct
    cycle_defect
    cycle_down
    cycle_exact
    cycle_keep
    cycle_local
    cycle_meshes
    cycle_ready
    cycle_residual
    cycle_settle
    cycle_stage
    cycle_sweep
    cycle_up
    force
    integrate
    jacobi
    limit
    move
    odd
    pins
    predict
    project
    relax
    relax_small
    respond
    respond_rows
    restrict
    sample
    self_forget
    self_key
    self_load
    self_meet
    self_place
    self_push
    self_rank
    self_repel
    self_scan
    self_start
    self_stop
    self_total
    upsample
    velocity
    wind)

set(source ${PROJECT_SOURCE_DIR}/src)
set(made ${CMAKE_CURRENT_BINARY_DIR}/shaders)
set(scripts ${PROJECT_SOURCE_DIR}/cmake)
find_program(TOILE_GLSLANG glslangValidator)
if(TOILE_GLSLANG)
    set(look ${TOILE_GLSLANG} --quiet)
else()
    message(STATUS "no glslangValidator: compute shaders are checked by the OpenGL driver only")
    set(look ${CMAKE_COMMAND} -E true)
endif()

set(lists ${source}/device/state.h ${source}/device/hierarchy.h ${source}/device/cycle_state.h)
add_custom_command(
    OUTPUT ${made}/gl/planes.glsl
    COMMAND ${CMAKE_COMMAND} -D STATE=${source}/device/state.h -D HIERARCHY=${source}/device/hierarchy.h
            -D CYCLE=${source}/device/cycle_state.h -D OUTPUT=${made}/gl/planes.glsl -P ${scripts}/shader_planes.cmake
    DEPENDS ${lists} ${scripts}/shader_planes.cmake
    COMMENT "Numbering planes for shaders"
    VERBATIM)

set(TOILE_GL_SHADERS)
foreach(name IN LISTS names)
    set(input ${source}/gl/shaders/${name}.comp)
    add_custom_command(
        OUTPUT ${made}/${name}.c
        COMMAND ${CMAKE_COMMAND} -D INPUT=${input} -D OUTPUT=${made}/${name}.comp -D TARGET=${made}/${name}.c
                -D DEPFILE=${made}/${name}.d -D ROOTS=${source},${made} -P ${scripts}/flatten_shader.cmake
        COMMAND ${look} ${made}/${name}.comp
        COMMAND ${CMAKE_COMMAND} -D INPUT=${made}/${name}.comp -D OUTPUT=${made}/${name}.c -D NAME=shader_${name}
                -D HEADER=gl/program.h -P ${scripts}/embed_text.cmake
        DEPENDS ${input} ${made}/gl/planes.glsl ${scripts}/flatten_shader.cmake ${scripts}/embed_text.cmake
        DEPFILE ${made}/${name}.d
        COMMENT "Embedding ${name}.comp"
        VERBATIM)
    list(APPEND TOILE_GL_SHADERS ${made}/${name}.c)
endforeach()
