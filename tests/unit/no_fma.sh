#!/bin/sh
# A processor without FMA, as qemu-user imitates one: the sets that need it are refused, a run says that it lacks it, and
# libm's fma() gives the same bits.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
command -v qemu-x86_64 >where.txt || { echo "no qemu-x86_64"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "another kind of processor"; exit 77; }
if nm "$STILLPOINT" | grep -q __asan_init; then echo "qemu-user has no room for the sanitizers' memory"; exit 77; fi
build=$(dirname "$STILLPOINT")
# what the program would set, lest it start itself again on the real processor
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4 OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
without() { qemu-x86_64 -cpu max,-fma "$@" 2>err.txt; }

for isa in avx2 avx512; do
    if STILLPOINT_ISA=$isa without "$STILLPOINT" --version >out.txt; then fail "$isa was not refused"; fi
    grep -q "STILLPOINT_ISA = $isa is no instruction set of this processor (baseline)" err.txt || fail "how $isa is refused"
done
without "$build/tests/test_unit_bits" || { cat err.txt; fail "other bits"; }

cat >e.lua <<'LUA'
return { seed = 11, privacy = { epsilon = 0.7, delta = 1e-6 },
  problem = { loss = { "logistic", "sigmoid" }, data = { "logistic", noise = 0.1 }, n = 101, d = 7 },
  algorithms = { { "dp_gd", steps = 5 } }, measures = { "grad_norm", "objective" } }
LUA
without "$STILLPOINT" run e.lua --no-plot -j 1 --root without >out.txt || { cat err.txt; fail "run"; }
grep -q '^this processor has no FMA: ' err.txt || fail "a run does not say what is missing"
"$STILLPOINT" run e.lua --quiet --no-plot -j 1 --root with 2>err.txt || fail "run with FMA"
cmp without/results/e/runs.tsv with/results/e/runs.tsv || fail "other tables"
if grep -q '^flags.* fma ' /proc/cpuinfo && grep -q FMA err.txt; then fail "said where there is one"; fi
echo "the same without FMA"
