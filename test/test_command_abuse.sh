#!/bin/sh
# The command in the hands of somebody who does not care: closed streams, folders that are in use or
# hold something else, too few descriptors, and what it says then.
# shellcheck source=test/command.sh
. "$(dirname "$0")/command.sh"

# What was closed when the process began must not become one of its files.
closed_streams() {
    "$toile" run scene.json -o closed --frames 2 2>&- >logs/stdout || fail 'closed stderr'
    same_motion closed
    "$toile" run scene.json -o closed --frames 2 >&- 2>&- <&- || fail 'all closed'
    same_motion closed
    "$toile" run scene.json -o closed --frames 2 2>/dev/null | true # no reader
    same_motion closed
    # A pipe whose reader is gone does not end the simulation.
    { "$toile" run scene.json -o piped --frames 12 2>&1 || true; } | head -n 1 >/dev/null
    [ -f piped/report.json ] || fail 'a closed pipe ended the run'
}

# same_motion DIR: that of the first 2 frames
same_motion() {
    [ -d two ] || "$toile" run scene.json -o two --frames 2 --quiet
    same two/sheet.pc2 "$1/sheet.pc2"
    rm -rf "$1"
}

# A folder holds one run, whatever was in it before.
replaces_earlier_runs() {
    sed 's/"sheet"/"towel"/' scene.json >towel.json
    expect 0 run towel.json -o again --frames 2 --format glb,obj --quiet
    echo mine >again/notes.obj
    touch again/report.json.tmp-12-0 again/obj/towel_0001.obj.tmp-12-3
    expect 0 run scene.json -o again --frames 2 --format none --quiet
    [ "$(cd again && echo *)" = 'files.txt notes.obj report.json scene.json' ] || fail "found $(ls again)"
    expect 2 check again
    says 'sheet.pc2'
}

only_own_run_is_resumed() {
    expect 0 run scene.json -o mine --frames 4 --checkpoint mine.state --quiet
    sed 's/0.42/0.43/' scene.json >higher.json
    expect 0 run higher.json -o mine --frames 6 --quiet
    expect 2 run scene.json -o mine --resume mine.state
    one_sentence
    says 'another simulation'
    cp scene.json mine/scene.json
    expect 2 run scene.json -o mine --resume mine.state
    one_sentence
    says 'the motion of another run'
    [ "$(od -An -tu4 -j28 -N4 mine/sheet.pc2 | tr -d ' ')" -eq 7 ] || fail 'the motion was cut'
    # Length and looks may change, and frames that were not asked for before are made up.
    rm -r mine
    expect 0 run scene.json -o mine --frames 4 --checkpoint mine.state --quiet
    sed 's/"frames": 12/"frames": 6, "camera": {"eye": [0, 1, 3], "target": [0, 0, 0]}/' scene.json >six.json
    expect 0 run six.json -o mine --resume mine.state --format obj --quiet
    expect 0 run six.json -o straight6 --format obj --quiet
    [ "$(ls mine/obj)" = "$(ls straight6/obj)" ] || fail "found $(ls mine/obj)"
    same mine/obj/sheet_0002.obj straight6/obj/sheet_0002.obj
    same mine/obj/sheet_0006.obj straight6/obj/sheet_0006.obj
}

one_run_a_folder() {
    env --default-signal=INT "$toile" run endless.json -o busy --format pc2 --quiet &
    job=$!
    wait_for_frames busy/sheet.pc2
    expect 2 run scene.json -o busy
    one_sentence
    says 'another run is writing there'
    kill -s INT $job
    kill -s INT $job 2>/dev/null || true # a second one changes nothing
    status=0
    wait $job || status=$?
    [ $status -eq 5 ] || fail 'the first run was disturbed'
    job=
    [ -f busy/checkpoint ] && [ -f busy/report.json ] || fail 'the first run was disturbed'
    # nohup
    (
        trap '' HUP
        "$toile" run endless.json -o hung --frames 300 --format pc2 --quiet &
        job=$!
        wait_for_frames hung/sheet.pc2
        kill -s HUP $job
        wait $job
    ) || fail 'an ignored signal'
    [ "$(value complete hung/report.json)" = true ] || fail 'an ignored signal ended the run'
}

# A run that was killed has no report.
check_knows_the_run() {
    expect 0 run scene.json -o killed --frames 4 --format pc2 --quiet
    sed 's/"frames": 4/"frames": 9/' killed/report.json >logs/report
    cp logs/report killed/report.json
    expect 1 check killed
    prints 'the motion has 4 frames, and report.json says 9'
    rm killed/report.json
    expect 1 check killed --json
    prints 'the run did not end'
    prints '"complete": false'
    echo '{}' >killed/report.json
    expect 2 check killed
    one_sentence
}

# The verdict is over each cloth by itself: one that may stretch excuses no other.
each_cloth_is_judged() {
    cat >two.json <<'SCENE'
{"toile": 1, "frames": 60, "solver": {"kind": "mass-spring", "limit_iterations": 0}, "cloths": [
  {"name": "weak", "rectangle": [0.4, 0.4], "spacing": 0.05, "fabric": {"stretch": 1, "limit": 0.01},
   "pins": [{"edge": "top"}]},
  {"name": "rubber", "rectangle": [0.4, 0.4], "spacing": 0.05, "fabric": {"limit": 10},
   "transform": {"translate": [1, 0, 0]}, "pins": [{"edge": "top"}]}]}
SCENE
    for command in 'run two.json --quiet' 'check out/two'; do
        # shellcheck disable=SC2086
        expect 1 $command
    done
    prints "^  *cloth 'weak': frame [0-9]*: strain.max is"
    ! grep -q "'rubber'" logs/stdout || fail 'a cloth that is good is blamed'
}

meshes_without_pattern() {
    printf 'v 0 0 0\nv 2 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n' >SAME.OBJ
    expect 0 check SAME.OBJ --json
    prints '"strain": null'
}

outputs_are_found_out_first() {
    for option in --report --checkpoint -o --resume --format; do
        expect 2 run scene.json $option ''
        one_sentence
        says "$option: expected a value"
    done
    for name in motion.glb checkpoint report.json sheet.obj; do
        mkdir -p blocked/$name
        expect 2 run scene.json -o blocked
        one_sentence
        says "blocked/$name"
        [ "$(ls blocked)" = $name ] || fail "found $(ls blocked)"
        rm -r blocked
    done
    expect 2 render scene.json -o nowhere/x%d.png
    one_sentence
    says 'nowhere/x0.png'
    expect 0 run scene.json -o new/er --frames 2 --report new/er/r.json --checkpoint new/state --quiet
    [ -f new/er/r.json ] && [ -f new/state ] || fail "found $(ls new)"
    rm -r new
    expect 2 run scene.json -o new/er --report new/er/no/r.json --quiet
    missing new
}

inputs_are_kept() {
    cp scene.json kept.json
    for option in --report --checkpoint; do
        expect 2 run scene.json -o kept $option ./scene.json
        one_sentence
        expect 2 run scene.json -o kept $option kept/sheet.pc2
        one_sentence
        missing kept
    done
    same scene.json kept.json
    mkdir project
    sed 's/silk/wool/' scene.json >project/scene.json
    cp project/scene.json wool.json
    expect 2 run scene.json -o project
    one_sentence
    says "'project/scene.json' is in the way of the run: no run wrote it"
    same wool.json project/scene.json
    [ "$(ls project)" = scene.json ] || fail "found $(ls project)"
    expect 0 run project/scene.json -o project --frames 2 --quiet # itself
    expect 2 run scene.json -o project --frames 2 --quiet         # still no run's
    same wool.json project/scene.json
}

many_cloths() {
    awk 'BEGIN {
        printf "{\"toile\": 1, \"frames\": 1, \"cloths\": ["
        for (i = 0; i < 60; i++)
            printf "%s{\"rectangle\": [0.1, 0.1], \"spacing\": 0.1, \"transform\": " \
                "{\"translate\": [%d, 0, 0]}}", i ? ", " : "", i
        print "]}"
    }' >crowd.json
    (
        ulimit -Sn 40
        expect 0 run crowd.json --format pc2 --quiet
        ulimit -n 40
        expect 4 run crowd.json -o few --quiet
    ) || exit 1
    one_sentence
    says 'ulimit -n'
    missing few
}

words() {
    expect 2 help --json
    says "expected a command, found '--json'"
    expect 2 help run foo
    one_sentence
    expect 2 check nope
    says "cannot read 'nope': No such file"
    expect 2 render two/motion.glb -o x.png
    says 'expected a scene file or the folder of a run'
    expect 2 run scene.json --fram 3
    says "unknown option '--fram', did you mean '--frames'?"
    expect 2 run "$(printf 'no\nsuch.json')"
    one_sentence
    "$toile" help bench | grep -q 'FILE.csv' || fail 'help bench'
    if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
        TERM=dumb script -qec "'$toile' run scene.json --frames 2" /dev/null </dev/null >logs/stdout
        ! grep -q "$(printf '\033')" logs/stdout || fail 'escape codes on a dumb terminal'
    fi
}

# What is printed on an interrupt can be pasted.
resume_hint() {
    mkdir "it's"
    cp endless.json "it's/"
    env --default-signal=INT "$toile" run "it's/endless.json" -o "it's/out" --format pc2 --threads 1 \
        --every 3 --report "it's/r.json" --checkpoint "it's/state" >logs/stdout 2>logs/stderr &
    job=$!
    wait_for_frames "it's/out/sheet.pc2"
    kill -s INT $job
    status=0
    wait $job || status=$?
    [ $status -eq 5 ] || fail "SIGINT ended with $status"
    job=
    hint=$(sed -n 's/^interrupted .* resume with: toile //p' logs/stdout)
    for word in '--threads 1' '--every 3' '--report' '--checkpoint'; do
        case $hint in *"$word"*) ;; *) fail "no $word in $hint" ;; esac
    done
    frames=$(($(value frames "it's/r.json") + 2))
    eval "expect 0 $hint --frames $frames"
    [ "$(value frames "it's/r.json")" -eq $frames ] || fail 'frames of the resumed run'
}

for part in closed_streams replaces_earlier_runs only_own_run_is_resumed one_run_a_folder \
    check_knows_the_run each_cloth_is_judged meshes_without_pattern outputs_are_found_out_first \
    inputs_are_kept many_cloths words resume_hint; do
    $part
    echo "$part: good"
done
