#!/bin/sh
# Names of buffers are decoded, then checked, and what is read is what is copied.
. "$TOILE_SOURCE_DIR/test/command.sh"
. "$TOILE_SOURCE_DIR/test/gltf.sh"

mkdir sub
printf %s "${data#*,}" | base64 -d >good.bin
cp good.bin 'a b.bin'
cp good.bin a..b.bin
cp good.bin 'sub/ü.bin'
ln -s good.bin link.bin

# accepted URI FILE: the run keeps the file, and can be repeated from its folder
accepted() {
    buffers="[{\"byteLength\": 72, \"uri\": \"$1\"}]"
    write_gltf m
    rm -rf out again
    expect 0 run m.json -o out --format none --quiet
    same good.bin "out/scene_files/$2"
    expect 0 run out/scene.json -o again --format none --quiet
    same good.bin "again/scene_files/$2"
}
accepted a%20b.bin 'a b.bin'
accepted 'a b.bin' 'a b.bin'
accepted a..b.bin a..b.bin
accepted sub/%C3%bc.bin 'sub/ü.bin'
accepted ./good.bin good.bin
accepted link.bin link.bin
[ ! -L again/scene_files/link.bin ] || fail 'a link is copied as a link'

# rejected URI PATTERN
rejected() {
    buffers="[{\"byteLength\": 72, \"uri\": \"$1\"}]"
    write_gltf m
    refused m.json "$2"
}
within='expected data:, or the name of a file in the folder of this one or below'
for name in sub/../good.bin ../good.bin %2e%2e/good.bin sub/%2E./good.bin .. \
    /no/such/folder/good.bin %2fetc/passwd "$folder/good.bin" file:///etc/passwd \
    http://localhost/good.bin C:good.bin 'sub%5c..%5cgood.bin' '..\\\\good.bin' good%0A.bin ''; do
    rejected "$name" "buffers\[0\].uri: $within"
done
for name in good.bin%00 %zz good%2 %; do
    rejected "$name" 'buffers\[0\].uri: expected two hexadecimal digits, not 00, behind each %'
done
rejected nothing.bin "buffers\[0\].uri: cannot read 'nothing.bin': No such file or directory"

# A link within the folder was followed; one that leads out of it is not.
mkdir inner
ln -s ../good.bin inner/link.bin
buffers='[{"byteLength": 72, "uri": "link.bin"}]'
write_gltf m
mv m.gltf inner
sed 's|m.gltf|inner/m.gltf|' m.json >inner.json
refused inner.json "buffers\[0\].uri: 'link.bin' leads out of the folder of this file"
