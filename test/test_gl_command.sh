#!/bin/sh
# The command simulates with OpenGL, and says why where it cannot. See command.sh for what it needs.
. "$(dirname "$0")/command.sh"

LP_NUM_THREADS=0 # cloths are small
export LP_NUM_THREADS
sed 's/"frames"/"solver": {"kind": "mass-spring"}, "frames"/' scene.json >springs.json
sed 's/"frames"/"solver": {"kind": "implicit"}, "frames"/' scene.json >implicit.json

# Without a driver at all, the command says so and offers what there is.
__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent
export __EGL_VENDOR_LIBRARY_FILENAMES
expect 0 devices
prints '^gl  *not available: no OpenGL 4.3 to simulate with'
prints '^gl-fragment  *not available: no OpenGL 3.3 to simulate with'
expect 4 run springs.json --device gl-fragment --frames 2 --quiet
one_sentence
says 'cannot be used here: no OpenGL 3.3 to simulate with.*this machine has auto, cpu, null'
expect 4 run springs.json --device gl --frames 2 --quiet
one_sentence
says 'cannot be used here: no OpenGL 4.3 to simulate with.*this machine has auto, cpu, null'
sed 's/"frames"/"device": "gl", "frames"/' scene.json >device.json
expect 4 run device.json
one_sentence
says '^toile: device.json:[0-9]*: device: .*no OpenGL 4.3 to simulate with'
missing out
unset __EGL_VENDOR_LIBRARY_FILENAMES

expect 0 devices
if ! grep -q '^gl .*OpenGL' logs/stdout; then
    grep '^gl' logs/stdout | sed 's/^gl  *not available/skipped/'
    exit 77
fi
mesa=$(grep '^gl .*Mesa' logs/stdout || true)

# The default is the CPU; auto takes a GPU, which Mesa can pretend to be, and no software renderer.
expect 0 run implicit.json --frames 1 --quiet -o default --format none
[ "$(value device default/report.json)" = cpu ] || fail 'expected the CPU by default'
if echo "$mesa" | grep -q llvmpipe; then
    expect 0 run implicit.json --device auto --frames 1 --quiet -o auto --format none
    [ "$(value device auto/report.json)" = cpu ] || fail 'expected the CPU, not software OpenGL'
    force_gl_renderer='a GPU' expect 0 run implicit.json --device auto --frames 1 --quiet -o gpu \
        --format none
    [ "$(value device gpu/report.json)" = gl ] || fail 'expected the GPU'
fi

# A driver that is too old, which Mesa can pretend to be.
if [ -n "$mesa" ]; then
    MESA_GL_VERSION_OVERRIDE=3.3
    export MESA_GL_VERSION_OVERRIDE
    expect 0 devices
    prints '^gl  *not available: .*has no OpenGL 4.3 core profile, only OpenGL 3.3'
    prints '^renderer .*OpenGL 3.3'
    expect 4 run springs.json --device gl --frames 2 --quiet
    one_sentence
    says 'only OpenGL 3.3'

    # It has fragment shaders, which do without.
    expect 0 devices
    prints '^gl-fragment .*OpenGL 3.3'
    expect 0 run springs.json --device gl-fragment --frames 3 --quiet --format none
    MESA_GL_VERSION_OVERRIDE=3.2
    expect 0 devices
    prints '^gl-fragment  *not available: .*has no OpenGL 3.3 core profile, only OpenGL 3.2'
    unset MESA_GL_VERSION_OVERRIDE
fi

expect 0 run springs.json --device gl --frames 3 --quiet --format none
[ "$(value device out/springs/report.json)" = gl ] || fail 'the report names another device'
expect 0 run implicit.json --device gl --frames 3 --quiet --format none

# By fragment shaders, as the scene or the command says.
sed 's/"frames"/"device": {"kind": "gl", "pass": "fragment"}, "frames"/' springs.json >fragment.json
expect 0 run fragment.json --frames 3 --quiet --format none
[ "$(value device out/fragment/report.json)" = gl-fragment ] || fail 'the report names another device'
expect 0 run springs.json --device gl-fragment --frames 3 --quiet --format none
[ "$(value device out/springs/report.json)" = gl-fragment ] || fail 'the report names another device'
expect 2 run implicit.json --device gl-fragment --frames 3 --quiet
one_sentence
says 'device "gl-fragment" runs the mass-spring solver only, and the implicit solver was chosen'
missing out/implicit/motion.glb

expect 0 bench hang --quick --sizes 9 --solver multilevel --device gl --out kept
prints 'OpenGL'
prints '^ *9 x *9 '
prints 'ms by stage: .*solve'
[ "$(wc -l <"$(echo kept/hang_*_multilevel_gl.csv)")" -eq 2 ] || fail 'lines of the CSV'
expect 0 bench schmitt --quick --only drape --device gl --out kept
prints 'OpenGL'
[ -f "$(echo kept/schmitt_*_drape_gl.csv)" ] || fail 'there is no CSV of the device'
expect 2 bench hang --quick --device granite
says 'expected auto, cpu, gl, gl-fragment or cuda'

expect 0 bench mapping --quick --device gl
prints 'OpenGL'
prints '^square  *[0-9]*  *841 .*\.[0-9]'
prints '^sleeve  *[0-9]'
prints '^Schmitt 2013 .*0.0600  *0.0200  *< 0.1'
expect 2 bench mapping --device granite
says 'expected auto, cpu, gl, gl-fragment or cuda'
