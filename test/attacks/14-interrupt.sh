#!/bin/sh
# Ctrl-C within a frame does not wait for its end: the last whole frame is kept, and can be resumed.
. "$TOILE_SOURCE_DIR/test/command.sh"

cat >long.json <<'SCENE'
{"toile": 1, "frames": 2, "solver": {"substeps": 100000},
 "cloths": [{"name": "c", "rectangle": [1, 1], "spacing": 0.02,
             "transform": {"translate": [0, 1, 0]}, "pins": [{"edge": "top"}]}]}
SCENE

# Stops a run of long.json with the options given, when it has begun to write its motion.
stop() {
    touch before
    "$toile" run long.json -o stopped --format pc2 "$@" >logs/stdout 2>logs/stderr &
    job=$!
    until [ stopped/files.txt -nt before ] && grep -q ' c.pc2$' stopped/files.txt; do
        kill -s 0 "$job" || fail 'it ended early'
        sleep 0.05
    done
    sleep 0.2
    kill -s TERM "$job"
    status=0
    wait "$job" || status=$?
    job=
    prints '^interrupted at frame 0 of 2; resume with: '
    [ "$(value frames stopped/report.json)" = 0 ] || fail 'the frame was finished'
}

stop --threads 2
cp stopped/checkpoint first
stop --resume stopped/checkpoint
same stopped/checkpoint first # the same state
