#!/bin/sh
# Builds the fuzz targets with clang and runs each from its seeds: so many inputs, or for so long.
#
#   test/fuzz_test.sh BUILD_DIR SOURCE_DIR [SECONDS]
#
# What it finds stays in BUILD_DIR as crash-*, leak-*, oom-* or timeout-*. Runs start from the same seeds
# and the same random numbers, so that what fails once fails again.
set -eu
build=$1
source=$2
seconds=${3:-}

mkdir -p "$build"
build=$(cd "$build" && pwd)
if ! command -v clang >/dev/null; then
    echo 'skipped: no clang'
    exit 77
fi
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return (void)d, (void)n, 0; }' \
    >"$build/probe.c"
if ! clang -fsanitize=fuzzer,address,undefined "$build/probe.c" -o "$build/probe" 2>/dev/null; then
    echo 'skipped: clang has no fuzzer runtime (Debian package libclang-rt-dev)'
    exit 77
fi

quietly() {
    "$@" >"$build/log" 2>&1 || {
        cat "$build/log"
        exit 1
    }
}
# Inputs that take some seconds each. Work is bounded, not time: a busy machine is
# slower, and finds the same.
runs_of() {
    case $1 in
    fuzz_scene) echo 40000 ;;
    fuzz_checkpoint) echo 3000 ;;
    fuzz_gltf) echo 60000 ;;
    fuzz_islands) echo 100000 ;;
    fuzz_outline) echo 5000 ;;
    fuzz_panel) echo 30000 ;;
    fuzz_pc2) echo 80000 ;;
    fuzz_solid) echo 60000 ;;
    esac
}
targets='fuzz_scene fuzz_checkpoint fuzz_gltf fuzz_islands fuzz_outline fuzz_panel fuzz_pc2 fuzz_solid'
quietly cmake -S "$source" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTOILE_SANITIZE=fuzzer-no-link,address,undefined \
    -DTOILE_BUILD_FUZZERS=ON -DTOILE_BUILD_TESTS=OFF -DTOILE_INSTALL=OFF
# shellcheck disable=SC2086
quietly cmake --build "$build" --target $targets

cd "$build"
status=0
for target in $targets; do
    rm -rf "corpus/$target"
    mkdir -p corpus
    cp -r "$source/fuzz/seeds/${target#fuzz_}" "corpus/$target"
    set -- -seed=1 -rss_limit_mb=2048 -timeout=120
    words=$source/fuzz/${target#fuzz_}.dict
    [ ! -f "$words" ] || set -- "$@" -dict="$words"
    if [ -n "$seconds" ]; then
        set -- "$@" -max_total_time="$seconds"
    else
        set -- "$@" -runs="$(runs_of "$target")"
    fi
    if "fuzz/$target" "$@" "corpus/$target" >"$target.log" 2>&1; then
        echo "$target: $(tail -n 1 "$target.log")"
    else
        echo "$target: failed"
        tail -n 60 "$target.log"
        status=1
    fi
done
exit $status
