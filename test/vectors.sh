#!/bin/sh
# The passes over texels use vectors: in the code for AVX2 the arithmetic is on eight floats at once,
# but for what is left over. A change that keeps the compiler from vectorising a loop gives the same results, only slower,
# and no other test would notice.
#
#   test/vectors.sh BUILD_DIR
set -eu
objects=$1/src/CMakeFiles
passes=toile_cpu_passes_avx2.dir/cpu implicit=toile_cpu_implicit_passes_avx2.dir/cpu

if ! command -v objdump >/dev/null || [ ! -d "$objects/$passes" ]; then
    echo 'skipped: no objdump, or no code for AVX2'
    exit 77
fi

# count OBJECT PATTERN: instructions that match
count() {
    objdump -d --no-show-raw-insn "$1" | grep -cE "$2" || true
}

status=0
arithmetic='v(add|sub|mul|div|sqrt)'
for pass in $passes/spring $passes/wind $passes/integrate $passes/limit $passes/contact \
    $implicit/implicit $implicit/newton_coarsen $implicit/newton_contact \
    $implicit/newton_cycle $implicit/newton_forces; do
    packed=$(count "$objects/$pass.c.o" "${arithmetic}ps.*ymm")
    single=$(count "$objects/$pass.c.o" "${arithmetic}ss ")
    echo "${pass##*/}: $packed on vectors, $single on single floats"
    # Loops with a reduction keep a remainder for single floats, sometimes unrolled, which never runs.
    if [ "$packed" -eq 0 ] || [ "$single" -gt $((4 * packed)) ]; then
        echo "${pass##*/} is not vectorised"
        status=1
    fi
done
exit $status
