#!/bin/sh
# The command: what it writes, says and ends with. See command.sh for what it needs.
. "$(dirname "$0")/command.sh"

help_and_version() {
    expect 2
    says '^usage: toile'
    expect 0 help
    for command in run render check devices version help bench; do
        prints "^  $command "
        "$toile" help "$command" | grep -q "^usage: toile $command" || fail "help $command"
        "$toile" "$command" --help | grep -q "^usage: toile $command" || fail "$command --help"
    done
    expect 0 version
    prints '^toile [0-9]*\.[0-9]*\.[0-9]*$'
    expect 2 rnu
    one_sentence
    says "did you mean 'run'?"
    expect 2 help xyzzyplugh
    one_sentence
    status=0
    "$toile" help >/dev/full 2>logs/stderr || status=$?
    [ "$status" -eq 2 ] || fail "a full standard output ended with $status"
    one_sentence
}

options() {
    expect 2 run
    says 'expected a scene file'
    expect 2 run scene.json other.json
    says "expected nothing more, found 'other.json'"
    expect 2 run scene.json --qiuet
    says "did you mean '--quiet'?"
    expect 2 run scene.json --quiet=yes
    says 'takes no value'
    expect 2 run scene.json -o
    says 'expected a value'
    for frames in 0 -1 1000001 ten 1.5 99999999999999999999 ''; do
        expect 2 run scene.json --frames "$frames"
        one_sentence
        says 'whole number from 1 to 1000000'
    done
    expect 2 run scene.json --format glb,obk
    says "did you mean 'obj'?"
    expect 2 run scene.json --format none,pc2
    says 'none alone'
    expect 2 run scene.json --device gpu
    says 'expected auto, cpu, gl, gl-fragment or cuda'
    for output in film.avi film frame_%s.png frame_%d_%d.png %n.png frame_%04d.mp4; do
        expect 2 render scene.json -o "$output"
        one_sentence
        says 'picture.png, film.mp4 or frame_%04d.png'
    done
    expect 2 render scene.json
    says 'expected -o'
    for size in 100 15x100 100x8193 100x100x100 -16x16; do
        expect 2 render scene.json -o a.png --size "$size"
        says 'from 16 to 8192 pixels'
    done
    expect 2 render scene.json -o film.mp4 --frame 3
    says 'only with one picture'
    expect 2 render scene.json -o a.png --frame 13
    says 'expected 0 to 12'
    expect 2 check scene.json
    says 'ends in .obj'
    [ "$(echo *)" = 'endless.json logs scene.json' ] || fail "mistakes have left files: $(ls)"
}

files() {
    expect 0 run scene.json
    prints '^verdict: good$'
    found=$(cd out/scene && echo *)
    [ "$found" = 'a curtain.obj a curtain.pc2 files.txt motion.glb report.json scene.json sheet.obj sheet.pc2' ] ||
        fail "found $found"
    same scene.json out/scene/scene.json
    while read -r path; do
        case $path in verdict*) ;; *) [ -f "$path" ] || fail "there is no $path" ;; esac
    done <logs/stdout

    expect 0 run scene.json -o all/of/it --format obj,glb --frames 3 --report report.json
    same report.json all/of/it/report.json
    [ "$(cd all/of/it/obj && echo *)" = "$(for c in 'a curtain' sheet; do
        for i in 0 1 2 3; do printf '%s_000%d.obj ' "$c" "$i"; done
    done | sed 's/ $//')" ] || fail "found $(ls all/of/it/obj)"
    same all/of/it/obj/sheet_0003.obj all/of/it/sheet.obj
    # 0 is the start: sample 0 and 3 more
    [ "$(od -An -tu4 -j28 -N4 all/of/it/sheet.pc2 | tr -d ' ')" -eq 4 ] || fail 'samples of the pc2'

    # A shorter run takes away what is no longer true.
    expect 0 run scene.json -o all/of/it --format obj --frames 2
    missing all/of/it/motion.glb
    missing all/of/it/obj/sheet_0003.obj
    expect 0 run scene.json -o none --format none
    [ "$(cd none && echo *)" = 'files.txt report.json scene.json' ] || fail "found $(ls none)"
}

keys_of_report() {
    sed -n 's/^  "\([a-z_]*\)":.*/\1/p' out/scene/report.json >logs/keys
    cat >logs/expected <<'KEYS'
device
threads
particles
frames
complete
time_step
substeps
ms_per_frame
measuring_ms_per_frame
stages
solver
solve
strain
penetration
self_intersections
patterns
dropped_contacts
ambiguous_texels
inside_texels
caught_texels
pierced
untangled
map_draws
map_reuses
state_hash
peak_rss_bytes
measured
worst
not_prevented
verdict
reasons
KEYS
    same logs/keys logs/expected
    [ "$(value frames out/scene/report.json)" -eq 12 ] || fail 'frames of the report'
    [ "$(value particles out/scene/report.json)" -eq 177 ] || fail 'particles of the report'
}

checks() {
    expect 0 check out/scene
    prints '^verdict  *good$'
    expect 0 check out/scene --json
    [ "$(sed -n 's/^  "\([a-z_]*\)":.*/\1/p' logs/stdout | tr '\n' ' ')" = \
        'complete strain penetration self_intersections patterns measured worst not_prevented verdict reasons ' ] || fail 'keys of check'
    # What the files tell is what the run has measured, up to rounding of the positions.
    for key in mean p99 p999 max max_depth_m; do
        value $key logs/stdout | head -n 1 >logs/checked
        sed -n '/"strain"/,$p' out/scene/report.json >logs/tail
        value $key logs/tail | head -n 1 >logs/run
        paste logs/checked logs/run | awk '{ exit !($1 - $2 < 1e-5 && $2 - $1 < 1e-5) }' ||
            fail "$key is $(cat logs/checked), in the report $(cat logs/run)"
    done
    expect 0 check 'out/scene/sheet.obj' --json
    prints '"penetration": null'
    grep -v '^vt' out/scene/sheet.obj | sed 's|/[0-9]*/|//|g' >bare.obj
    expect 0 check bare.obj --json
    prints '"strain": null'
    # Stretched to twice its size along x, and two triangles that cut each other.
    printf 'v 0 0 0\nv 2 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n' >stretched.obj
    expect 1 check stretched.obj
    prints '^strain .*max 100 %'
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv .2 .2 -1\nv .3 .2 1\nv .2 .3 1\nf 1 2 3\nf 4 5 6\n' >cut.obj
    expect 0 check cut.obj
    prints '^self-intersections  1$'
    expect 2 check missing.obj
    one_sentence
    expect 2 check logs
    one_sentence
    says 'logs/scene.json'
}

# The measure knows where the bodies are at the last sample, not only at the first.
check_follows_bodies() {
    cat >lift.json <<'SCENE'
{"toile": 1, "frames": 6, "gravity": [0, 0, 0], "collision": {"margin": 0},
 "cloths": [{"rectangle": [0.4, 0.4], "spacing": 0.1, "pins": [{"edge": "top"}, {"edge": "bottom"}]}],
 "bodies": [{"sphere": {"center": [0.05, 0.05, -0.3], "radius": 0.05},
   "keyframes": [{"time": 0}, {"time": 0.1, "translate": [0, 0, 0.3]}]}]}
SCENE
    expect 0 run lift.json # between four texels
    expect 0 check out/lift --json
    prints '"count": 2'
    sed -n '/"penetration"/,/}/p' logs/stdout >logs/checked
    sed -n '/"penetration"/,/}/p' out/lift/report.json >logs/run
    same logs/checked logs/run
}

quiet_and_plain() {
    expect 0 run scene.json --quiet
    [ ! -s logs/stdout ] && [ ! -s logs/stderr ] || fail '--quiet says something'
    expect 0 run scene.json
    says '^100 %  frame 12 of 12  .* frames/s  0:00 left  [0-9]* % in self-collision$'
    sed 's/"frames": 12/"frames": 12, "solver": {"kind": "mass-spring"}/' scene.json >springs.json
    expect 0 run springs.json
    says '^toile: note: .* substeps'
    says '^100 %  frame 12 of 12  .* frames/s  0:00 left$'
    sed 's/"spacing": 0.05, "f/"spacing": 0.01, "f/' scene.json >fine.json
    expect 0 run fine.json --frames 1
    says '^toile: note: [0-9]* substeps of .* ms, .*; 4 would do without self-collision$'
    ! grep -q "$(printf '[\r\033]')" logs/stderr || fail 'progress in a file has control characters'
    # Some containers have no pseudo-terminals.
    if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
        COLUMNS=80 script -qec "'$toile' run scene.json" /dev/null </dev/null >logs/stdout
        grep -q "$(printf '\r *[0-9]* %%  frame')" logs/stdout || fail 'no progress on a terminal'
    fi
}

threads() {
    for n in 1 2 7; do
        expect 0 run scene.json -o threads-$n --threads $n --quiet
        same threads-1/sheet.pc2 threads-$n/sheet.pc2
        [ "$(value state_hash threads-1/report.json)" = "$(value state_hash threads-$n/report.json)" ] ||
            fail "another state with $n threads"
    done
    [ "$(value threads threads-7/report.json)" -eq 7 ] || fail 'threads of the report'
}

# same_run A B: two folders hold the same, but for the times in the report
same_run() {
    for file in 'a curtain.obj' 'a curtain.pc2' motion.glb scene.json sheet.obj sheet.pc2; do
        same "$1/$file" "$2/$file"
    done
    for key in state_hash frames verdict substeps; do
        [ "$(value $key "$1/report.json")" = "$(value $key "$2/report.json")" ] || fail "$key differs"
    done
}

resume() {
    expect 0 run scene.json -o part --frames 5 --checkpoint part.state --quiet
    cp part.state fifth.state
    expect 0 run scene.json -o part --resume part.state --quiet
    same_run out/scene part
    [ "$(cd part && echo *)" = "$(cd out/scene && echo *)" ] || fail "found $(ls part)"
    # From an older checkpoint, into a folder that has gone on since.
    expect 0 run scene.json -o part --resume fifth.state --checkpoint part.state --every 4 --quiet
    same_run out/scene part
    expect 2 run scene.json -o part --resume part.state --frames 11
    says 'already has 12 frames'
    expect 0 run scene.json -o long --frames 15 --quiet
    expect 0 run scene.json -o part --frames 15 --resume part.state --quiet
    same_run long part

    cp part/sheet.pc2 before.pc2
    head -c 100 fifth.state >cut.state
    sed 's/TOILECP/toilecp/' fifth.state >other.state
    { head -c 12 fifth.state && printf '\011' && tail -c +14 fifth.state; } >version.state
    { head -c 400 fifth.state && printf 'x' && tail -c +402 fifth.state; } >altered.state
    sed 's/"silk"/"wool"/' scene.json >wool.json
    sed 's/"frames"/"time_step": 0.02, "frames"/' scene.json >slow.json
    for case in 'cut short' 'other not' 'version version.9' 'altered altered' 'missing No.such'; do
        expect 2 run scene.json -o part --resume "${case% *}.state"
        one_sentence
        says "${case#* }"
    done
    expect 2 run wool.json -o part --resume fifth.state
    says 'another\|other contents'
    expect 2 run slow.json -o part --resume fifth.state
    says 'time_step'
    expect 2 run scene.json -o new --resume fifth.state
    one_sentence
    missing new
    same before.pc2 part/sheet.pc2
    same scene.json part/scene.json
}

interrupt() {
    for signal in INT TERM HUP; do
        rm -rf stopped
        # A shell starts what runs in the background with SIGINT ignored.
        env --default-signal=INT "$toile" run endless.json -o stopped --format pc2 >logs/stdout \
            2>logs/stderr &
        job=$!
        wait_for_frames stopped/sheet.pc2
        kill -s $signal $job
        status=0
        wait $job || status=$?
        job=
        [ $status -eq 5 ] || fail "SIG$signal ended with $status"
        prints "^verdict: interrupted (good so far)"
        prints "^interrupted at frame [0-9]* of 900000; resume with: toile run 'endless.json' -o 'stopped' --resume 'stopped/checkpoint' --format 'pc2'$"
        [ "$(value complete stopped/report.json)" = false ] || fail 'an interrupted run is complete'
        [ "$(value verdict stopped/report.json)" = interrupted ] || fail 'no such verdict'
        expect 5 check stopped
        prints 'frames .* not complete'
    done
    frames=$(value frames stopped/report.json)
    [ "$(od -An -tu4 -j28 -N4 stopped/sheet.pc2 | tr -d ' ')" -eq $((frames + 1)) ] || fail 'samples'
    expect 0 run endless.json -o stopped --frames $((frames + 3)) --format pc2 \
        --resume stopped/checkpoint --quiet
    missing stopped/checkpoint
    expect 0 run endless.json -o straight --frames $((frames + 3)) --format pc2 --quiet
    same stopped/sheet.pc2 straight/sheet.pc2
    [ "$(value state_hash stopped/report.json)" = "$(value state_hash straight/report.json)" ] ||
        fail 'another state'
}

bad_verdict() {
    cat >weak.json <<'SCENE'
{"toile": 1, "frames": 60, "solver": {"kind": "mass-spring", "limit_iterations": 0},
 "cloths": [{"rectangle": [0.4, 0.4], "spacing": 0.05, "fabric": {"stretch": 1, "limit": 0.01},
   "pins": [{"edge": "top"}]}]}
SCENE
    expect 1 run weak.json
    prints '^verdict: bad$'
    prints "^  cloth 'cloth': frame [0-9]*: strain.p999 is"
    expect 1 check out/weak
    prints 'bad$'
}

numerical_failure() {
    cat >burst.json <<'SCENE'
{"toile": 1, "frames": 100, "solver": {"kind": "mass-spring", "substeps": 1, "stiffness": "true"},
 "cloths": [{"rectangle": [0.4, 0.4], "spacing": 0.02, "pins": [{"corner": "top-left"}]}]}
SCENE
    expect 3 run burst.json --quiet
    says '^toile: warning: '
    says '^toile: burst.json: cloth .* texel'
    [ "$(value verdict out/burst/report.json)" = bad ] || fail 'verdict of a failure'
    sed -n '/"reasons"/,$p' out/burst/report.json | grep -q texel || fail 'reasons of a failure'
    frames=$(value frames out/burst/report.json)
    [ "$(od -An -tu4 -j28 -N4 out/burst/cloth.pc2 | tr -d ' ')" -eq $((frames + 1)) ] ||
        fail 'samples after a failure'
    [ "$(value complete out/burst/report.json)" = false ] || fail 'a failure is complete'
    expect 1 check out/burst # the last good frame is fine, but the run is not
    prints 'frames .* not complete'
    prints 'texel'
}

missing_devices() {
    expect 4 run scene.json -o device --device cuda
    one_sentence
    says 'this machine has auto, cpu'
    sed 's/"frames"/"device": "cuda", "frames"/' scene.json >device.json
    expect 4 run device.json -o device
    one_sentence
    says '^toile: device.json:[0-9]*: device: '
    missing device
}

bad_scenes() {
    while IFS= read -r message; do
        name=${message%%.json:*}.json
        wanted=2
        [ "$name" != too_many_texels.json ] || wanted=4 # what is missing is memory
        expect $wanted run "$TOILE_SOURCE_DIR/test/bad/$name" -o bad
        one_sentence
        grep -qF -- "$message" logs/stderr || fail "expected '$message'"
        missing bad
    done <"$TOILE_SOURCE_DIR/test/bad/messages.txt"
    head -c 70000000 /dev/zero >huge.json
    mkdir folder.json
    for scene in huge.json folder.json missing.json; do
        expect 2 run "$scene" -o bad
        one_sentence
        says "$scene"
        expect 2 render "$scene" -o bad.png
        one_sentence
    done
    missing bad
    rm huge.json
}

bad_outputs() {
    for output in scene.json/below /proc/nowhere ''; do
        expect 2 run scene.json -o "$output" --quiet
        one_sentence
    done
    for file in nowhere/x logs; do
        expect 2 run scene.json -o bad --quiet --report $file
        one_sentence
        expect 2 run scene.json -o bad --quiet --checkpoint $file
        one_sentence
        missing bad
    done
    expect 2 run scene.json -o full --quiet --report /dev/full
    one_sentence
}

# A disk that fills up under the motion, and under the files that come after it. The limit is in blocks
# of 512 bytes. ThreadSanitizer keeps its own books in files and does not survive it.
full_disk() {
    if [ -n "${TSAN_OPTIONS:-}" ]; then
        return
    fi
    for blocks in 2 40; do
        (
            ulimit -f $blocks
            expect 2 run scene.json -o full-$blocks --quiet
        ) || exit 1
        one_sentence
        says 'File too large'
        ls full-$blocks | grep -v '^scene.json$\|\.pc2$\|\.obj$\|^report.json$\|^checkpoint$\|^files.txt$' && fail 'something half is left'
        status=0
        "$toile" check full-$blocks >logs/stdout 2>logs/stderr || status=$?
        [ $status -eq 0 ] || [ $blocks -eq 2 ] || fail 'motion and report are not whole'
    done
}

too_large_for_glb() {
    cat >many.json <<'SCENE'
{"toile": 1, "frames": 9000, "time_step": 0.001, "solver": {"substeps": 1},
 "cloths": [{"rectangle": [0.1, 0.1], "spacing": 0.1}]}
SCENE
    expect 2 run many.json --format glb
    one_sentence
    says 'limit of 256 MB: use --format pc2 or fewer frames$' # it has four texels
    missing out/many
    sed 's/"spacing": 0.1/"spacing": 0.0005/; s/9000/500/' many.json >fine.json
    expect 2 run fine.json --format glb
    says 'fewer frames or a larger spacing$'
    expect 0 run many.json
    says '^toile: note: motion.glb is left out: .* limit of 256 MB'
    missing out/many/motion.glb
    [ -f out/many/cloth.pc2 ] || fail 'no motion'
}

# A cooked panel is the same cloth, and goes along with the run.
cooking() {
    mkdir -p cooking/below
    cat >cooking/outline.json <<SCENE
{"toile": 1, "frames": 3, "cloths": [{"name": "drop", "spacing": 0.05, "grain": 30,
 "outline": [{"start": [0, 0], "curves": [{"arc": [0.5, 0], "through": [0.25, -0.25]},
                                          {"line": [0.25, 0.6]}, {"line": [0, 0]}]}]}]}
SCENE
    printf '{"toile": 1, "frames": 3, "cloths": [{"name": "drop", "panel": "below/drop.panel"}]}' \
        >cooking/cooked.json
    expect 0 cook cooking/outline.json --out cooking/below
    prints '^cooking/below/drop.panel: 1[0-9] x 1[0-9] texels, [0-9]* of them with cloth'
    expect 0 run cooking/outline.json -o cooking/one
    expect 0 run cooking/cooked.json -o cooking/two
    [ "$(grep state_hash cooking/one/report.json)" = "$(grep state_hash cooking/two/report.json)" ] ||
        fail 'the cooked panel moves otherwise'
    rm cooking/below/drop.panel
    expect 0 check cooking/two
    expect 2 run cooking/cooked.json -o cooking/three
    one_sentence
    says 'cannot read .*below/drop.panel'
    missing cooking/three
    expect 2 cook cooking/cooked.json
    expect 2 cook
}

bodies_alone() {
    printf '{"toile": 1, "frames": 2, "bodies": [{"sphere": {}}]}' >bodies.json
    expect 0 run bodies.json
    prints '^verdict: good$'
    [ -f out/bodies/motion.glb ] || fail 'no motion.glb'
    expect 0 check out/bodies
    prints 'penetration  *not known: there is no cloth'
}

for part in help_and_version options files keys_of_report checks check_follows_bodies quiet_and_plain \
    threads resume interrupt bad_verdict numerical_failure missing_devices bad_scenes bad_outputs \
    full_disk too_large_for_glb cooking bodies_alone; do
    $part
    echo "$part: good"
done
