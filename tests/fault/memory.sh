#!/bin/sh
# The smallest memory limit on runs whose reference values and measures need LAPACK: they end, as results or as rows that
# say why. (OpenBLAS asks for its work space for ever when it is refused.)
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >small.lua <<'LUA'
return { seed = 3, problem = { loss = "pseudo_huber", data = "signs", n = 200, d = { 4, 1500 } },
         privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd", steps = 30 } },
         measures = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" } }
LUA
case $(nm -D "$STILLPOINT" 2>/dev/null) in
*__asan_init*) echo "skipped: an address sanitizer's shadow does not fit any limit"; exit 77 ;;
esac
code=0
timeout 150 "$STILLPOINT" run small.lua --no-plot --memory-limit 1 -j 2 >out.txt 2>&1 || code=$?
[ $code -eq 1 ] || { cat out.txt >&2; fail "exit code $code, expected 1"; }
grep -q 'memory limit of 1 MiB' out.txt || { cat out.txt >&2; fail "no word about the limit"; }
awk -F '\t' 'NR > 1 && /\tok\t/ { ok++ } END { exit !(NR == 3 && ok == 1) }' results/small/runs.tsv ||
    fail "expected a result and a failure"

sed 's/{ 4, 1500 }/400/' small.lua >mend.lua

# A limit on the address space of all: an answer or a message, and an end. (The linear algebra's work space is 128 MiB.)
for most in 100000 125000 150000 175000 200000 225000 250000 300000; do
    code=0
    (ulimit -v $most; exec timeout 150 "$STILLPOINT" run mend.lua --no-plot -j 2 --root "under $most") >out.txt 2>&1 || code=$?
    [ $code -eq 0 ] || { [ $code -ne 124 ] && [ $code -lt 128 ] && [ -s out.txt ]; } ||
        { cat out.txt >&2; fail "exit code $code under ulimit -v $most"; }
    [ $code -eq 0 ] || tail -1 out.txt
done

# A reference value that met the limit is no result. The next run computes it, and the run that needs it.
code=0
timeout 150 "$STILLPOINT" run mend.lua --no-plot --memory-limit 1 >out.txt 2>&1 || code=$?
[ $code -eq 1 ] || { cat out.txt >&2; fail "exit code $code without a reference value, expected 1"; }
grep -q 'SP_EREFERENCE.*no reference value F\*: memory limit of 1 MiB' results/mend/runs.tsv ||
    fail "expected a run that lacks its reference value: $(cat results/mend/runs.tsv)"
"$STILLPOINT" run mend.lua --no-plot --quiet || fail "a larger limit did not mend it"
awk -F '\t' 'NR > 1 && /\tok\t/ { ok++ } END { exit !(NR == 2 && ok == 1) }' results/mend/runs.tsv ||
    fail "expected a result"
