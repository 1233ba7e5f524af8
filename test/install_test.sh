#!/bin/sh
# Installs a build into a temporary prefix, moves it, and builds and runs test/install against it as a
# stranger would: in C and in C++, found by CMake and by pkg-config.
#
#   test/install_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
source=$2

for tool in cc c++ pkg-config; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: no $tool"
        exit 77
    fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

quietly() {
    "$@" >"$folder/log" 2>&1 || {
        cat "$folder/log"
        exit 1
    }
}

# Moved, so that a path of the first place that is left in a file is found out.
quietly cmake --install "$build" --prefix "$folder/first"
mv "$folder/first" "$folder/prefix"
prefix=$folder/prefix
library=$(find "$prefix" -name 'libtoile.*' | head -n 1)
LD_LIBRARY_PATH=${library%/*}
PKG_CONFIG_PATH=${library%/*}/pkgconfig
export LD_LIBRARY_PATH PKG_CONFIG_PATH

for file in include/toile/toile.h share/man/man1/toile.1; do
    quietly ls "$prefix/$file"
done
"$prefix/bin/toile" version
if [ -x "$build/src/app/toile-convert" ]; then
    quietly "$prefix/bin/toile" convert "$source/test/data/arm.bvh" -o "$folder/arm.glb"
fi

for language in C CXX; do
    echo "find_package, $language"
    quietly cmake -S "$source/test/install" -B "$folder/$language" -DLANGUAGE=$language \
        -DCMAKE_PREFIX_PATH="$prefix"
    quietly cmake --build "$folder/$language"
    "$folder/$language/drop"
done

echo 'pkg-config, C and C++'
# shellcheck disable=SC2046
cc -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags toile) "$source/test/install/drop.c" \
    -o "$folder/drop_c" $(pkg-config --libs toile)
# shellcheck disable=SC2046
c++ -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags toile) "$source/test/install/drop.cpp" \
    -o "$folder/drop_cpp" $(pkg-config --libs toile)
"$folder/drop_c"
"$folder/drop_cpp"
