#!/bin/sh
# Files of the user's own: every byte of every one of them counts, in the runs and in F*, and nothing else.
set -eu
export STILLPOINT_CACHE="$PWD/cache" # to be damaged
fail() { echo "FAILED: $*" >&2; exit 1; }

# 60 images of 1 x 3 pixels and their labels: 1, 0, 0 again and again, or, changed, 1, 1, 0
images() {
    printf '\0\0\10\3\0\0\0\74\0\0\0\1\0\0\0\3'
    awk 'BEGIN { for (i = 0; i < 180; i++) printf "%c", 33 + (i * i + 7 * i) % 90 }'
}
labels() {
    printf '\0\0\10\1\0\0\0\74'
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do printf "$1"; done
}
images >images
labels '\1\0\0' >labels
cat >e.lua <<'LUA'
return { seed = 3, replicates = 2, privacy = "none",
         problem = { loss = "logistic", data = { file = "images", format = "idx", labels = "labels" },
                     domain = { "l2_ball", radius = 3 } },
         algorithms = { { "gd", steps = 7 } }, measures = { "excess_risk", "objective" } }
LUA
states() { "$STILLPOINT" status e.lua --plain | awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { done_ += $at["done"]; stale += $at["stale"] } END { print done_ + 0, stale + 0 }'; }

"$STILLPOINT" run e.lua --quiet --no-plot || fail "run"
cp results/e/runs.tsv first.tsv
[ "$(states)" = "2 0" ] || fail "all runs are done: $(states)"

touch images labels
[ "$(states)" = "2 0" ] || fail "touched files are the same files: $(states)"

# other labels, the same size, the same time stamp, as cp -p and rsync -t leave them
labels '\1\1\0' >changed
touch -r labels changed
cp -p changed labels
[ "$(states)" = "0 2" ] || fail "changed labels make a run stale: $(states)"
"$STILLPOINT" run e.lua --quiet --no-plot || fail "run again"
[ "$(states)" = "2 0" ] || fail "run again: $(states)"
cmp -s first.tsv results/e/runs.tsv && fail "changed labels change nothing"
"$STILLPOINT" run e.lua --quiet --no-plot --root fresh || fail "run anew"
cmp results/e/runs.tsv fresh/results/e/runs.tsv || fail "the runs, or F*, are not those of the changed labels"

# a damaged cache is made again: the same numbers
for file in "$STILLPOINT_CACHE"/binary/*.spd; do
    printf 'damage' | dd of="$file" bs=1 seek=300 conv=notrunc 2>dd.txt
done
"$STILLPOINT" run e.lua --quiet --no-plot --root damaged || fail "run from a damaged cache"
cmp results/e/runs.tsv damaged/results/e/runs.tsv || fail "a damaged cache gives other numbers"

# and so is one that has a pipe in the place of a file: nothing waits for it, and a file takes its place
for file in "$STILLPOINT_CACHE"/binary/*.spd; do
    rm "$file"
    mkfifo "$file"
done
"$STILLPOINT" run e.lua --quiet --no-plot --root pipes || fail "run from a cache of pipes"
cmp results/e/runs.tsv pipes/results/e/runs.tsv || fail "a cache of pipes gives other numbers"
[ -n "$(find "$STILLPOINT_CACHE"/binary -type f -name '*.spd')" ] || fail "nothing has taken the place of a pipe"
