#!/bin/sh
# No line of a Markdown file is longer than 100 columns, so that it can be read in a terminal and in
# a diff. Tables may be, and so may blocks that are marked as text: what a program has printed is as
# wide as it is. A line without a space, such as a link, cannot be broken.
#
#   test/columns.sh FOLDER
set -eu
cd "$1"
export LC_ALL=C.UTF-8
files=$(find . -name '*.md' -not -path './build/*' -not -path './out/*' -not -path '*/node_modules/*')
[ -n "$files" ] || exit 1
status=0
for file in $files; do
    # The blocks are emptied, so that numbers of lines stay.
    found=$(sed -e '/^ *```text$/,/^ *```$/s/.*//' -e '/^|/s/.*//' "$file" |
        grep -nE '^.{101}' | grep -vE '^[0-9]+: *[^ ]+$') || true
    if [ -n "$found" ]; then
        echo "$found" | sed "s|^\([0-9]*\):.*|$file:\1: longer than 100 columns|" >&2
        status=1
    fi
done
exit $status
