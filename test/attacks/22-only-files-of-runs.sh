#!/bin/sh
# A run moves, replaces and removes only what a run wrote, and only if nobody has changed it since.
# Anything else in its way: exit 2, and nothing is changed.
# shellcheck source=test/command.sh
. "$TOILE_SOURCE_DIR/test/command.sh"

cp "$TOILE_SOURCE_DIR/test/good/wedge.obj" box.obj
cat >s.json <<'END'
{"toile": 1, "frames": 2,
 "cloths": [{"name": "c", "rectangle": [0.2, 0.2], "spacing": 0.1}],
 "bodies": [{"mesh": {"file": "box.obj", "center": [5, 0, 0]}}]}
END
sed 's/"name": "c"/"name": "towel"/' s.json >t.json

# listing DIR: all that is in it, with sums of the contents
listing() {
    (cd "$1" && find . -type f -exec cksum {} + | sort -k 3 && find . ! -type f | sort)
}

# refused FILE: as it stands in the folder u
refused() {
    listing u >logs/before
    expect 2 run s.json -o u --format glb,obj --quiet
    one_sentence
    says "'u/$1'"
    listing u >logs/after
    same logs/before logs/after
}

# In a folder where no run ever was.
for file in report.json motion.glb checkpoint c.obj c.pc2 obj/c_0099.obj obj/c_7.obj scene.json \
    scene_files/box.obj files.txt; do
    mkdir -p u/obj u/scene_files
    echo mine >u/$file
    refused $file
    rm u/$file
    ln -s ../box.obj u/$file
    refused $file
    rm u/$file
    mkdir u/$file
    refused $file
    rm -r u
done
mkdir v
echo mine >v/scene.json
chmod 000 v/scene.json
echo mine >v/film.pc2
expect 2 run s.json -o v --quiet
one_sentence
chmod 600 v/scene.json
[ "$(cat v/scene.json v/film.pc2)" = "$(printf 'mine\nmine')" ] || fail 'scene.json was replaced'

# What is not in the way stays, whatever is run.
mkdir -p u/obj u/scene_files u/earlier/1
for file in other.obj towel.pc2 obj/towel_0001.obj obj/notes scene_files/mine.obj earlier/1/mine \
    notes.txt; do
    echo mine >u/$file
done
expect 0 run s.json -o u --format glb,obj --quiet
expect 0 run s.json -o u --format none --quiet
for file in other.obj towel.pc2 obj/towel_0001.obj obj/notes scene_files/mine.obj earlier/1/mine \
    notes.txt; do
    [ "$(cat u/$file)" = mine ] || fail "$file was lost"
done
[ "$(cd u/obj && echo *)" = 'notes towel_0001.obj' ] || fail "found $(ls u/obj)"
[ "$(cd u/earlier && echo * */*)" = '1 1/mine' ] || fail "found $(ls -R u/earlier)"
rm -r u

# Files of a run that were changed since, by content alone and in length.
expect 0 run s.json -o u --format glb,obj --checkpoint u/checkpoint --quiet
cp -r u good
for file in report.json motion.glb checkpoint c.obj c.pc2 obj/c_0001.obj scene.json \
    scene_files/box.obj; do
    echo more >>u/$file
    refused $file
    cp good/$file u/$file
    tr 0-9 1-90 <good/$file >u/$file
    refused $file
    cp good/$file u/$file
done
# A copy has other times, and is known all the same; so is one that was moved.
mv u moved
expect 0 run s.json -o moved --format glb,obj --quiet
rm -r moved

# Runs of other cloths go away, but not what somebody has made of them.
expect 0 run t.json -o u --format glb,obj --quiet
echo mine >u/obj/towel_0001.obj
expect 0 run s.json -o u --format none --quiet
[ "$(cd u && echo *)" = 'files.txt obj report.json scene.json scene_files' ] || fail "found $(ls u)"
[ "$(ls u/obj)" = towel_0001.obj ] || fail "found $(ls u/obj)"
[ "$(cat u/obj/towel_0001.obj)" = mine ] || fail 'a changed file was replaced'
rm -r u

# The scene itself may be changed in the run's folder and run from there.
expect 0 run s.json -o u --format none --quiet
sed 's/"frames": 2/"frames": 3/' s.json >u/scene.json
expect 0 run u/scene.json -o u --format none --quiet
[ "$(value frames u/report.json)" -eq 3 ] || fail 'frames of the changed scene'
refused scene.json # it is nobody's but the user's now
rm -r u

# A list from a stranger leads nowhere else.
for name in ../victim /tmp/victim obj/../../victim . obj//x ''; do
    mkdir u
    echo mine >victim
    printf 'toile files 1\nwriting %s\n' "$name" >u/files.txt
    refused files.txt
    [ "$(cat victim)" = mine ] || fail 'a list led out of its folder'
    rm -r u
done
mkdir -p u outside
echo mine >outside/c_0001.obj
ln -s ../outside u/obj
printf 'toile files 1\nwriting obj/c_0001.obj\n' >u/files.txt
refused obj
[ "$(cat outside/c_0001.obj)" = mine ] || fail 'a link led out of the folder'
rm -r u

shared=$TOILE_SOURCE_DIR/../shared/attacks/22-run-removes-users-files
if [ -d "$shared" ]; then
    (cd "$shared" && TOILE=$toile bash cmd) >logs/stdout 2>logs/stderr
    ! grep -q 'replaced\|removed\|exit 0' logs/stdout || fail 'something was lost'
fi
