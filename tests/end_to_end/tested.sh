#!/bin/sh
# `stillpoint audit` of methods, measures and generators of the program, in an experiment's Lua and by another program (of
# built-in folders: cheats): a line a promise and an audit, a verdict, an exit code; `describe` of an experiment's own methods.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
sp() { "$STILLPOINT" "$@"; }

# tested CODE NAME...: the exit code of a test; its output is in out.txt
tested() {
    wanted=$1 code=0
    shift
    sp audit "$@" >out.txt 2>err.txt || code=$?
    [ $code -eq "$wanted" ] || fail "audit $*: exit code $code: $(cat out.txt err.txt)"
}
# refused MESSAGE NAME...
refused() {
    message=$1
    shift
    tested 2 "$@"
    grep -qF -- "$message" err.txt || fail "audit $*: $(cat err.txt)"
    [ ! -s out.txt ] || fail "audit $*: $(cat out.txt)"
}

# --- of the program ------------------------------------------------------------------------------------------------------
tested 0 dp_ngd
[ "$(grep -c '^  conformance  .* ok ' out.txt)" -eq 5 ] || fail "$(cat out.txt)"
for kind in replay noise statistical one-run; do grep -q "^  $kind  .* ok " out.txt || fail "no $kind: $(cat out.txt)"; done
tail -n 1 out.txt | grep -qE '^dp_ngd: 0 of [1-9][0-9]+ promises and audits failed$' || fail "$(tail -n 1 out.txt)"
tested 0 gd
grep -q 'not private: it refuses' out.txt || fail "gd takes a budget: $(cat out.txt)"
tested 0 grad_norm
tail -n 1 out.txt | grep -q '^grad_norm: 0 of 4 promises failed$' || fail "$(cat out.txt)"
tested 0 linear --plain
[ "$(awk -F '\t' '$1 == "linear" && $2 == "conformance" && NF == 9 && $9 == "ok"' out.txt | wc -l)" -ge 5 ] || fail "$(cat out.txt)"
tested 0 logistic # a loss and a generator
grep -q '^logistic: 0 of [0-9]* claims failed$' out.txt && grep -q '^logistic: 0 of [0-9]* promises failed$' out.txt ||
    fail "a name of two things: $(cat out.txt)"
for kind in measures generators; do
    for name in $(sp list $kind --plain); do
        sp list losses --plain | grep -qx "$name" || tested 0 "$name"
    done
done
refused 'nothing to audit is named dp_gdd; did you mean dp_gd?' dp_gdd
refused 'steps=3: parameters are set of losses alone' dp_gd steps=3

# --- in Lua --------------------------------------------------------------------------------------------------------------
cat >own.lua <<'LUA'
local count = 0
local function step(o, p, w, m)
  local all = o:draw("full")
  for t = 1, p.steps do w:add(-0.1, o:gradient(all, w, m)) o:checkpoint(t, w) end
end
algorithm{ name = "sound", summary = "three steps", params = { steps = 3 }, run = function (o, p, w)
  step(o, p, w, o:calibrate{ { kind = "gradient", count = p.steps } }[1])
end }
algorithm{ name = "dear", params = { steps = 3 }, run = function (o, p, w) -- announces one release and makes three
  step(o, p, w, o:calibrate{ { kind = "gradient", count = 1 } }[1])
end }
algorithm{ name = "counting", params = { steps = 3 }, run = function (o, p, w) -- a state of its own: no memory
  count = count + 1
  step(o, p, w, o:calibrate{ { kind = "gradient", count = p.steps } }[1])
  w:put(1, count)
end }
algorithm{ name = "endless", params = { steps = 3 }, run = function (o, p, w) while true do end end }
return { seed = 1, problem = { loss = "circular", data = "angles", n = 100, d = 4 }, privacy = { epsilon = 1, delta = 1e-6 },
         algorithms = { "sound", "dear", { "counting", label = "count" }, "dp_gd" }, measures = { "grad_norm" } }
LUA
tested 0 sound own.lua
head -n 1 out.txt | grep -q '^sound (algorithm): three steps$' || fail "$(head -n 1 out.txt)"
grep -q 'one-run .* ok ' out.txt || fail "$(cat out.txt)"
tested 0 count own.lua --limit 1 # by a label; runs know nothing of each other
tested 1 dear own.lua --limit 1
grep -q '^  conformance  a run  *BROKEN  *on no small problem: SP_EBUDGET' out.txt || fail "$(head -n 5 out.txt)"
tail -n 1 out.txt | grep -q 'failed; the first: conformance, a run$' || fail "$(tail -n 1 out.txt)"
tested 0 dp_gd own.lua --limit 1e-9 # audits are left out
tail -n 1 out.txt | grep -qE '^dp_gd: 0 of 5 promises and audits failed, [1-9][0-9]+ left out$' || fail "$(tail -n 1 out.txt)"
refused 'nothing to audit is named sound (stillpoint list shows the names; of an experiment' sound
refused 'own.lua: which of its methods? (audit NAME own.lua)' own.lua
refused 'nothing.lua: ' sound nothing.lua
refused 'nothing to audit is named soun' soun own.lua
sp list sound own.lua >out.txt || fail "describe"
grep -q '^sound (algorithm)$' out.txt && grep -q '^  steps: a number; default 3; ' out.txt || fail "$(cat out.txt)"
if sp list sound 2>err.txt; then fail "describe without the experiment"; fi

# --- another program -----------------------------------------------------------------------------------------------------
if command -v python3 >/dev/null; then
    cat >mine.py <<'PY'
import stillpoint

def run(o, p, w):
    m, = o.calibrate(dict(kind="gradient", count=p["steps"]))
    records = o.draw("full")
    for t in range(1, int(p["steps"]) + 1):
        w = o.step(-p["eta"], w, o.gradient(records, w, m))
    return w

stillpoint.serve(run)
PY
    cat >program.lua <<'LUA'
return { seed = 1, problem = { loss = "circular", data = "angles", n = 100, d = 4 }, privacy = { epsilon = 1, delta = 1e-6 },
         algorithms = { { "external", label = "mine", command = { "python3", "mine.py" }, eta = 0.1, steps = 3 } },
         measures = { "grad_norm" } }
LUA
    tested 0 mine program.lua --limit 2
    grep -q "^  it is handed the oracle's answers and no record" out.txt || fail "$(cat out.txt)"
    [ "$(grep -c '^  conformance  .* ok ' out.txt)" -eq 5 ] || fail "$(cat out.txt)"
    grep -qE ' left out$' out.txt || fail "$(tail -n 1 out.txt)"
    sp list mine program.lua >out.txt || fail "describe of a program"
    grep -q '^  the program python3 mine.py$' out.txt && grep -q '^  eta: a number; default 0.1; ' out.txt || fail "$(cat out.txt)"
fi
