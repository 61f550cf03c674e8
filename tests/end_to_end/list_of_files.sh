#!/bin/sh
# The list of sources is an input of the build: a method that is added with an old time, renamed or removed is in the
# program, or no longer, after the next build.
set -eu
. "$SOURCE/tests/copy.sh"
fail() { echo "FAILED: $*" >&2; exit 1; }

listed() { tree/build/stillpoint list algorithms --plain | grep -qx "$1"; }

copy_tree
configure
build_again
listed gd || fail "gd is not listed"

sed 's/sp_algorithm_gd\>/sp_algorithm_gd_older/; s/\.name = "gd"/.name = "gd_older"/' tree/algorithms/gd.c >tree/algorithms/gd_older.c
touch -d 2001-02-03 tree/algorithms/gd_older.c
build_again || fail "a method with an old time does not build"
listed gd_older || fail "a method with an old time is not found"
listed gd || fail "gd is gone"
tree/build/stillpoint list gd_older | grep -q "^gd_older (" || fail "gd_older is not described"

sed 's/gd_older/gd_renamed/g' tree/algorithms/gd_older.c >renamed.c
touch -d 2001-02-03 renamed.c
mv renamed.c tree/algorithms/gd_renamed.c
rm tree/algorithms/gd_older.c
build_again || fail "a renamed method breaks the build"
listed gd_renamed || fail "a renamed method is not found"
if listed gd_older; then fail "the old name is still there"; fi

rm tree/algorithms/gd_renamed.c
build_again || fail "a method that is gone breaks the build"
if listed gd_renamed; then fail "a method that is gone is still listed"; fi
cp tree/build/generated/registry.c before.c
build_again
cmp before.c tree/build/generated/registry.c || fail "the registry changes without a change"
