#!/bin/sh
# A buffer that nothing uses is a pipe that nobody serves, a device without an end, a folder, or a
# file that does not fit on the disk.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

mkfifo fifo.bin
ln -s /dev/zero zero.bin
mkdir folder.bin
used=$buffers
for name in fifo zero folder; do
    buffers="${used%]}, {\"byteLength\": 72, \"uri\": \"$name.bin\"}]"
    write_gltf $name
    refused $name.json "buffers\[1\].uri: '$name.bin' is no plain file"
done

# The copy ends when a write fails, and leaves nothing behind.
head -c 200000 /dev/zero >large.bin
buffers="${used%]}, {\"byteLength\": 72, \"uri\": \"large.bin\"}]"
write_gltf large
(
    ulimit -f 100 # of 512 or 1024 bytes
    trap '' XFSZ
    expect 2 run large.json -o out --format none --quiet
    one_sentence
    says "cannot write 'out/scene_files/large.bin': File too large"
)
[ -z "$(find out -name '*.tmp-*')" ] || fail 'a temporary file stays'

if shared 23; then
    (cd "$place" && sh ./make-fifo.sh "$folder/copy")
    cd copy
    mkdir logs
    refused s.json 'is no plain file'
    refused z.json 'is no plain file'
fi
