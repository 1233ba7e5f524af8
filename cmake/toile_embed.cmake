# toile_embed(OUT HEADER SHADERS...): C files that hold the texts of shaders of this folder, listed in OUT, as
# `const char shader_NAME_KIND[]`, which HEADER declares.
function(toile_embed out header)
    set(embed ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
    foreach(shader IN LISTS ARGN)
        set(input ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${shader})
        set(output ${CMAKE_CURRENT_BINARY_DIR}/shaders/${shader}.c)
        string(REPLACE "." "_" name "shader_${shader}")
        add_custom_command(
            OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -D INPUT=${input} -D OUTPUT=${output} -D NAME=${name} -D HEADER=${header}
                    -P ${embed}
            DEPENDS ${input} ${embed}
            COMMENT "Embedding ${shader}"
            VERBATIM)
        list(APPEND embedded ${output})
    endforeach()
    set(${out} ${embedded} PARENT_SCOPE)
endfunction()
