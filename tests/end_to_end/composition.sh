#!/bin/sh
# epsilon --json and privacy --json: whole compositions, whose epsilon another program finds again (composition.py).
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
refused() {
    text=$1
    shift
    code=0
    "$STILLPOINT" "$@" >out.txt 2>&1 || code=$?
    [ $code -eq 2 ] && grep -qF -- "$text" out.txt || fail "stillpoint $*: does not refuse with '$text'"
}

# Every key in every mechanism; what a kind does not have is null, what is infinite is "inf".
"$STILLPOINT" account epsilon --json --delta 1e-7 gauss_wor:noise_multiplier=1.5,rate=0.02,count=300,pool=2 \
    select:noise_multiplier=9,mean=3,shape=inf approx:epsilon=0.1,delta=1e-6 >all.json
for kind in gauss_wor select approx; do
    grep "\"kind\": \"$kind\"" all.json >line.txt || fail "no $kind"
    for key in noise sampling noise_relative_to noise_multiplier rate epsilon delta mean shape steps choices cap count pool \
        sensitivity_low sensitivity_high filter; do
        grep -q "\"$key\": [^,}]" line.txt || fail "$kind without $key"
    done
done
grep -q '"kind": "gauss_wor", "noise": "gaussian", "sampling": "fixed_size", "noise_relative_to": "replaced_record",' all.json ||
    fail "how a subset is written"
grep -q '"noise_multiplier": 1.5, "rate": 0.02, "epsilon": null, .*"count": 300, "pool": 2, .*"filter": "none" }' all.json ||
    fail "the numbers of a subset"
grep -q '"mean": 3, "shape": "inf"' all.json || fail "an infinite shape"
grep -q '"high": "inf" }' all.json || fail "an infinite epsilon"
refused "takes no --json" account delta --json --epsilon 1 gauss:noise_multiplier=1
refused "takes no --json" account calibrate --json --epsilon 1 --delta 1e-6 gauss:noise_multiplier=1
refused "not both" account epsilon --json --plain --delta 1e-6 gauss:noise_multiplier=1

cat >e.lua <<'LUA'
return { seed = 1, replicates = 2, problem = { loss = "pseudo_huber", data = "signs", n = 1000, d = 3 },
         privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
         algorithms = { { "dp_gd", steps = 3 }, { "dp_sgd", steps = 50, batch = 50, label = 'a "b\\c' }, { "gd", steps = 3 },
                        { "dp_sgd_poisson", steps = 40, batch = 20, privacy = { epsilon = 2, neighbours = "add_remove" } } } }
LUA
"$STILLPOINT" run e.lua --quiet || fail "run"
"$STILLPOINT" account runs e.lua --json >cells.json || fail "privacy --json"
refused "not both" account runs e.lua --json --plain
"$STILLPOINT" account runs e.lua "$("$STILLPOINT" account runs e.lua --plain | awk -F '\t' 'NR == 2 { print $1 }')" --json >run.json
grep -q '"epsilon_asked": 1, "calibration": "tight", "composition": { "neighbours": "replace_one", "delta": 1e-06,' run.json ||
    fail "privacy --json of a run"

if ! python3 -c 'import cmath, json' 2>/dev/null; then
    echo "skipped: there is no python3 to find the epsilons again"
    exit 0
fi

# again NAME ABOVE <composition: the other program's epsilon is in the bracket, no more than ABOVE (a share) below the top
again() {
    python3 "$SOURCE/tests/end_to_end/composition.py" <"$1" >again.txt || fail "$1: composition.py"
    python3 - "$1" "$2" <<'PY' || { cat "$1" again.txt; fail "$1"; }
import json, sys
composition = json.load(open(sys.argv[1]))
composition = composition.get("composition", composition)
exact = float(dict(line.split() for line in open("again.txt"))["epsilon"])
low, high = composition["epsilon"]["low"], composition["epsilon"]["high"]
assert composition["bounds"][composition["accountant"]] == high
assert low <= exact * (1 + 1e-9) and exact * (1 - 1e-9) <= high <= exact * (1 + float(sys.argv[2])), (low, exact, high)
PY
}
epsilon() { above=$1; shift; "$STILLPOINT" account epsilon --json "$@" >one.json || fail "epsilon $*"; again one.json "$above"; }

epsilon 1e-9 --delta 1e-6 gauss:noise_multiplier=2.5,count=3 tree:noise_multiplier=7,steps=100,pool=3 gauss:noise_multiplier=4,pool=1
epsilon 2e-4 --delta 1e-6 gauss_wor:noise_multiplier=3.4,rate=0.05,count=200
epsilon 2e-4 --delta 1e-6 --neighbours add_remove poisson:noise_multiplier=1,rate=0.01,count=1000
epsilon 2e-4 --delta 1e-6 --neighbours add_remove poisson:noise_multiplier=4,rate=0.999,count=30 # all but a thousandth
epsilon 2e-4 --delta 1e-20 poisson:noise_multiplier=3,rate=0.1,count=200
epsilon 2e-4 --delta 1e-9 gauss:noise_multiplier=9,count=20 gauss_wor:noise_multiplier=1.5,rate=0.02,count=300 \
    laplace:epsilon=0.2,count=3 randomised_response:epsilon=0.1,choices=10,count=30
again run.json 1e-9
python3 - <<'PY' || fail "cells.json"
import json
cells = json.load(open("cells.json"))
assert [c["method"] for c in cells] == ["dp_gd", 'a "b\\c', "gd", "dp_sgd_poisson"], cells
assert cells[2]["composition"] is None and cells[2]["epsilon_asked"] is None and cells[2]["runs"] == 2
for i in (1, 3):
    composition = cells[i]["composition"]
    assert composition["epsilon"]["high"] <= cells[i]["epsilon_asked"] == 1 + (i == 3)
    json.dump(composition, open("cell%d.json" % i, "w"))
wor, poisson = cells[1]["composition"]["mechanisms"][0], cells[3]["composition"]["mechanisms"][0]
assert (wor["sampling"], wor["rate"], wor["count"]) == ("fixed_size", 0.05, 50)
assert (poisson["sampling"], poisson["noise_relative_to"], poisson["count"]) == ("poisson", "one_record", 40)
PY
again cell1.json 2e-4
again cell3.json 2e-4
