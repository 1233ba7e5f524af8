# What every target of the project is compiled with.
add_library(toile_options INTERFACE)
target_compile_options(toile_options INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    # Results repeat to the bit on every machine: no contraction. The two others only drop errno and traps,
    # never change a value, and let loops with sqrtf and selections become vector code.
    -ffp-contract=off -fno-math-errno -fno-trapping-math)
target_compile_definitions(toile_options INTERFACE _GNU_SOURCE)
if(TOILE_WERROR)
    target_compile_options(toile_options INTERFACE -Werror)
endif()
if(TOILE_SANITIZE)
    target_compile_options(toile_options INTERFACE -fsanitize=${TOILE_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(toile_options INTERFACE -fsanitize=${TOILE_SANITIZE})
endif()
