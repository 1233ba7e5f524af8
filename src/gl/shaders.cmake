# Sets TOILE_GL_SHADERS: a C file for each shader of this folder; of compute shaders as `const char shader_NAME[]`.
set(names
    backup
    bend
    check
    coarse
    coarse_seen
    finish
    force
    implicit_backup
    implicit_begin
    implicit_check
    implicit_change
    implicit_curl
    implicit_maps
    implicit_meshes
    implicit_normal
    implicit_rebound
    implicit_stage
    integrate
    jacobi
    jacobi_finish
    limit
    map_flood
    map_pack
    maps_out
    maps_respond
    move
    newton_advance
    newton_coarsen
    newton_direction
    newton_down
    newton_end
    newton_exact
    newton_factor
    newton_forces
    newton_local
    newton_move
    newton_numbers
    newton_product
    newton_pull
    newton_small
    newton_springs
    newton_start
    newton_stiffen
    newton_together
    newton_up
    odd
    pins
    predict
    project
    relax
    relax_broad
    relax_small
    relax_tile
    respond
    respond_rows
    restrict
    sample
    sample_drawn
    self_forget
    self_key
    self_load
    self_meet
    self_place
    self_push
    self_rank
    self_scan
    self_springs
    self_start
    self_stop
    self_total
    solid_arrive
    solid_boxes
    solid_corners
    solid_skin
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

set(lists ${source}/device/state.h ${source}/device/hierarchy.h ${source}/device/implicit_state.h
    ${source}/device/newton_state.h ${source}/gl/newton_planes.h)
add_custom_command(
    OUTPUT ${made}/gl/planes.glsl
    COMMAND ${CMAKE_COMMAND} -D STATE=${source}/device/state.h -D HIERARCHY=${source}/device/hierarchy.h
            -D IMPLICIT=${source}/device/implicit_state.h -D EQUATIONS=${source}/device/newton_state.h
            -D TEXELS=${source}/gl/newton_planes.h -D OUTPUT=${made}/gl/planes.glsl -P ${scripts}/shader_planes.cmake
    DEPENDS ${lists} ${scripts}/shader_planes.cmake
    COMMENT "Numbering planes for shaders"
    VERBATIM)

# Stages of the graphics pipeline, as `const char shader_NAME_KIND[]`.
set(stages
    surface_project.vert
    surface_sample.frag
    surface_sample.geom
    surface_sample.vert
    surface_stray.frag
    surface_stray.vert)

set(refine_stages
    refine_all.vert
    refine_body.vert
    refine_cell.frag
    refine_cell.geom
    refine_cloth.vert
    refine_correct.frag
    refine_first.vert
    refine_forces.frag
    refine_joint.vert
    refine_layers.frag
    refine_layers.vert
    refine_next.vert
    refine_order.frag
    refine_parents.frag
    refine_peel.frag)

set(TOILE_GL_SHADERS)
function(toile_embed_shader file name header)
    set(input ${source}/gl/shaders/${file})
    set(flat ${made}/${file})
    add_custom_command(
        OUTPUT ${made}/${name}.c
        COMMAND ${CMAKE_COMMAND} -D INPUT=${input} -D OUTPUT=${flat} -D TARGET=${made}/${name}.c
                -D DEPFILE=${made}/${name}.d -D ROOTS=${source},${made} -P ${scripts}/flatten_shader.cmake
        COMMAND ${look} ${flat}
        COMMAND ${CMAKE_COMMAND} -D INPUT=${flat} -D OUTPUT=${made}/${name}.c -D NAME=shader_${name}
                -D HEADER=${header} -P ${scripts}/embed_text.cmake
        DEPENDS ${input} ${made}/gl/planes.glsl ${scripts}/flatten_shader.cmake ${scripts}/embed_text.cmake
        DEPFILE ${made}/${name}.d
        COMMENT "Embedding ${file}"
        VERBATIM)
    set(TOILE_GL_SHADERS ${TOILE_GL_SHADERS} ${made}/${name}.c PARENT_SCOPE)
endfunction()

foreach(name IN LISTS names)
    toile_embed_shader(${name}.comp ${name} gl/program.h)
endforeach()
foreach(file IN LISTS stages)
    string(REPLACE "." "_" name ${file})
    toile_embed_shader(${file} ${name} gl/surface_program.h)
endforeach()
foreach(file IN LISTS refine_stages)
    string(REPLACE "." "_" name ${file})
    toile_embed_shader(${file} ${name} gl/refine_program.h)
endforeach()
toile_embed_shader(map_draw.vert map_draw_vert gl/program.h)
toile_embed_shader(map_draw.frag map_draw_frag gl/program.h)
