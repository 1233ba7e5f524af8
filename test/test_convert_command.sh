#!/bin/sh
# toile convert: what it says, what it refuses, and that a converter that crashes costs nothing.
. "$(dirname "$0")/command.sh"
data=$TOILE_SOURCE_DIR/test/data

# The output of an earlier conversion, which a failure must leave as it is.
untouched() {
    same before.glb out.glb
    [ "$(find . -name 'out.glb*' | wc -l)" -eq 1 ] || fail 'left a temporary file'
}

files_are_converted() {
    expect 0 convert "$data/arm.bvh" -o arm.glb
    prints '^scale 0.01: BVH has no unit, and a skeleton 80 units across is taken for centimetres$'
    prints "^animation 'Motion': 0.5 s, 9 channels$"
    expect 0 info arm.glb
    prints '^joints  *3$'
    prints '^  *Motion, 0.5 s$'
    prints '^warning  *no mesh: a motion alone'
    expect 0 convert "$data/bend.dae" -o out.glb
    prints "^scale 0.01: the file's unit is 0.01 m$"
    prints '^out.glb: 1 meshes with 4 triangles, 6 nodes, 3 joints of 1 skins$'
    expect 0 info out.glb --json
    [ "$(value joints logs/stdout)" = 3 ] || fail 'expected 3 joints'
    [ "$(value triangles logs/stdout)" = 4 ] || fail 'expected 4 triangles'
    [ "$(value length logs/stdout)" = 1.5 ] || fail 'expected an animation of 1.5 s'
    expect 0 convert "$data/turn.fbx" -o turn.glb
    prints "^scale 0.025: the file's unit is 2.5 cm$"
    prints '^turned so that z becomes y'
    expect 0 convert "$data/turn.fbx" -o turn.glb --quiet
    [ ! -s logs/stdout ] || fail 'expected --quiet to print nothing'
    cp out.glb before.glb
}

# refused PATTERN ARGUMENT...: with one sentence, and nothing written
refused() {
    pattern=$1
    shift
    expect 2 convert "$@"
    one_sentence
    says "$pattern"
    untouched
}

mistakes_get_a_sentence() {
    refused 'expected a file to convert' -o out.glb
    refused 'expected -o with a file to write' "$data/arm.bvh"
    refused 'ends in .glb' "$data/arm.bvh" -o out.gltf
    refused "scale: expected metres per unit.*found 'big'" "$data/arm.bvh" -o out.glb --scale big
    refused "found '0'" "$data/arm.bvh" -o out.glb --scale 0
    refused "up: expected y or z, found 'x'" "$data/arm.bvh" -o out.glb --up x
    refused "cannot read 'nothing.fbx': No such file" nothing.fbx -o out.glb
    refused "'logs' is no plain file" logs -o out.glb
    refused "cannot write 'missing/out.glb'" "$data/arm.bvh" -o missing/out.glb
    ln -s out.glb link.glb
    refused "'out.glb' is the file to convert" link.glb -o out.glb
    refused "'link.glb' is the file to convert" out.glb -o link.glb
}

broken_files_are_refused() {
    head -c 5000 /dev/urandom >garbage.fbx
    refused "cannot convert 'garbage.fbx': " garbage.fbx -o out.glb
    cp garbage.fbx garbage.none
    refused "cannot convert 'garbage.none': " garbage.none -o out.glb
    : >empty.bvh
    refused "cannot convert 'empty.bvh': " empty.bvh -o out.glb
    for name in arm.bvh bend.dae turn.fbx; do
        head -c "$(($(wc -c <"$data/$name") * 3 / 4))" "$data/$name" >"cut_$name"
        refused "cannot convert 'cut_$name': " "cut_$name" -o out.glb
    done
    sed 's/-10 0 0  10 0 0/nan 0 0  10 0 0/' "$data/bend.dae" >nan.dae
    refused 'nan.dae' nan.dae -o out.glb
}

# The converter is looked for beside the command: here it is what we put there.
with_converter() {
    mkdir -p beside
    cp "$toile" beside/toile
    cat >beside/toile-convert
    chmod +x beside/toile-convert
    real=$toile
    toile=$folder/beside/toile
}

crashes_cost_nothing() {
    with_converter <<'END'
#!/bin/sh
printf glTF >&3
kill -s SEGV $$
END
    refused "the converter crashed on '.*arm.bvh' (signal 11); nothing was written" \
        "$data/arm.bvh" -o out.glb
    toile=$real
    # As the kernel does when its time is up.
    with_converter <<'END'
#!/bin/sh
kill -s XCPU $$
END
    refused "the converter was stopped on '.*arm.bvh' (signal 24): it may take 600 s" \
        "$data/arm.bvh" -o out.glb
    toile=$real
}

# What is no glTF is found by our own reader.
results_are_read_back() {
    with_converter <<'END'
#!/bin/sh
printf 'glTF and no more' >&3
END
    refused 'what the converter made cannot be read; nothing was written: ' \
        "$data/arm.bvh" -o out.glb
    toile=$real
}

limits_are_set() {
    with_converter <<'END'
#!/bin/sh
{ printf 'limits'; for limit in t v c; do printf ' %s' "$(ulimit -$limit)"; done; } >&3
exit 2
END
    # Sanitizers need all addresses.
    refused 'limits 300 \(8388608\|unlimited\) 0' "$data/arm.bvh" -o out.glb
    rm beside/toile-convert
    expect 4 convert "$data/arm.bvh" -o out.glb
    one_sentence
    says "needs the program '.*beside/toile-convert', which is not there"
    untouched
    toile=$real
}

files_are_converted
mistakes_get_a_sentence
broken_files_are_refused
crashes_cost_nothing
results_are_read_back
limits_are_set
