#!/bin/sh
# The headers of src/kernel are the physics of every device: each must compile unchanged, by itself,
# as CUDA, with a kernel that uses all its functions. By nvcc, and by clang, which needs nothing of
# CUDA for that; where only one of them is installed, by that one.
#
#   test/cuda_headers.sh SOURCE_DIR
set -eu
source=$1

nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc || true)
clang=$(command -v clang || true)
if [ -z "$nvcc$clang" ]; then
    echo 'skipped: neither nvcc nor clang'
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What the prelude takes from CUDA's own headers, which clang goes without.
cat >"$folder/words.h" <<END
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __forceinline__ __inline__ __attribute__((always_inline))
extern "C" __device__ float sqrtf(float);
extern "C" __device__ double sqrt(double);
extern "C" __device__ float fabsf(float);
extern "C" __device__ float floorf(float);
END

# functions FILE: the names of its kernel functions
functions() {
    { tr '\n' ' ' <"$1" && echo; } | sed 's/KERNEL_FN/\n&/g' |
        sed -n 's/^KERNEL_FN  *[a-z0-9_]*  *\([a-z0-9_]*\)(.*/\1/p'
}

# look NAME COMPILER WORD...: kernel.cu, which includes the header NAME
look() {
    name=$1
    shift
    if ! messages=$("$@" -I"$source/src" -I"$source/test" "$folder/kernel.cu" 2>&1); then
        echo "$name: does not compile by $1"
        echo "$messages"
        status=1
    fi
}

status=0
for header in "$source"/src/kernel/*.h; do
    name=kernel/${header##*/}
    {
        case $name in
        kernel/system.h | kernel/system_bend.h | kernel/coupled.h)
            echo '#include "kernel_loads.h"' ;;
        esac
        echo "#include \"$name\""
        echo 'template <class F> __device__ void use(F f) { volatile F g = f; (void)g; }'
        echo '__global__ void uses() {'
        functions "$header" | sed 's/.*/    use(\&&);/'
        echo '}'
    } >"$folder/kernel.cu"
    if [ -n "$nvcc" ]; then
        look "$name" "$nvcc" -std=c++17 -Werror all-warnings -cubin -o "$folder/kernel.cubin"
    fi
    if [ -n "$clang" ]; then
        look "$name" "$clang" -std=c++17 -Wall -Wextra -Wpedantic -Werror \
            -Wno-unknown-cuda-version -x cuda -nocudainc -nocudalib --cuda-device-only \
            -fsyntax-only -include "$folder/words.h"
    fi
    echo "$name: $(functions "$header" | wc -l) functions"
done
exit $status
