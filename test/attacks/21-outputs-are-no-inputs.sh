#!/bin/sh
# What a run writes is nothing that it reads, by whatever path: exit 2, and nothing is made.
# shellcheck source=test/command.sh
. "$TOILE_SOURCE_DIR/test/command.sh"

cat >tip.obj <<'END'
v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
END
cat >tip.gltf <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
               {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48},
                 {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": [{"uri": "tip.bin", "byteLength": 72}]}
END
{
    printf '\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\0\0\200\077\0\0\0\0\0\0\0\0'
    printf '\0\0\0\0\0\0\200\077\0\0\0\0'
    printf '\0\0\0\0\0\0\0\0\0\0\200\077'
    printf '\0\0\2\0\1\0\0\0\1\0\3\0\0\0\3\0\2\0\1\0\2\0\3\0'
} >tip.bin
cat >s.json <<'END'
{"toile": 1, "frames": 1,
 "cloths": [{"name": "c", "rectangle": [0.2, 0.2], "spacing": 0.1},
            {"name": "d", "panel": "d.panel", "transform": {"translate": [2, 0, 0]}}],
 "bodies": [{"mesh": {"file": "tip.obj", "center": [5, 0, 0]}},
            {"mesh": {"file": "tip.gltf", "center": [9, 0, 0]}}]}
END
cat >d.json <<'END'
{"toile": 1, "cloths": [{"name": "d", "spacing": 0.1, "outline":
 [{"start": [0, 0], "curves": [{"line": [0.3, 0]}, {"line": [0, 0.3]}, {"line": [0, 0]}]}]}]}
END
expect 0 cook d.json --out .
inputs='s.json tip.obj tip.gltf tip.bin d.panel'
mkdir before
cp $inputs before

inputs_are_whole() {
    for file in $inputs; do
        same "$file" "before/$file"
    done
}

# refused OPTION PATH: nothing has changed, and nothing was made
refused() {
    expect 2 run s.json -o out --format none --quiet "$1" "$2"
    one_sentence
    says "$1: '$2' is "
    missing out
    inputs_are_whole
}

for input in $inputs; do
    ln -s "$input" "link-$input"
    ln "$input" "hard-$input"
    for option in --report --checkpoint; do
        refused $option "$input"
        refused $option "./out/../$input"
        refused $option "$PWD/logs/../$input"
        refused $option "link-$input"
        refused $option "hard-$input"
    done
done

# A link to what will only be there in the end, and all other results.
ln -s out/c.pc2 later
ln -s later sooner
for result in sooner out/c.obj out/motion.glb out/scene.json out/obj/c_0001.obj out/files.txt \
    out/scene_files/tip.obj out/earlier/1/c.pc2 out/d.pc2; do
    refused --report $result
    refused --checkpoint $result
done
refused --report out/checkpoint
refused --checkpoint out/report.json
expect 2 run s.json -o out --report same --checkpoint ./same
one_sentence
missing same

# What is the same in any case may be named.
expect 0 run s.json -o out --report out/report.json --checkpoint out/checkpoint --quiet
expect 0 run s.json -o out --resume out/checkpoint --checkpoint out/checkpoint --quiet
inputs_are_whole

# The run's own copies, when it is repeated from its folder.
cp -r out copy
for file in tip.obj tip.gltf tip.bin d.panel; do
    expect 2 run out/scene.json -o out2 --quiet --report out/scene_files/$file
    one_sentence
    same out/scene_files/$file before/$file
done
missing out2
expect 0 run out/scene.json -o out --quiet
missing out/earlier
for file in tip.obj tip.gltf tip.bin d.panel; do
    same out/scene_files/$file before/$file
done

# A scene whose name is that of a result, beside its run.
for name in report.json motion.glb c.obj checkpoint files.txt; do
    mkdir own
    sed "s|\"tip|\"$PWD/tip|; s|\"d.panel|\"$PWD/d.panel|" s.json >own/$name
    cp own/$name before/scene
    expect 2 run own/$name -o own --quiet
    says "own/$name' is "
    same own/$name before/scene
    [ "$(ls own)" = $name ] || fail "found $(ls own)"
    rm -r own
done

shared=$TOILE_SOURCE_DIR/../shared/attacks/21-report-replaces-input
if [ -d "$shared" ]; then
    (cd "$shared" && TOILE=$toile bash cmd) >logs/stdout 2>logs/stderr
    ! grep -q 'replaced\|exit 0' logs/stdout || fail 'something was replaced'
fi
