#!/bin/sh
# OpenBLAS runs the pinned kernels, not the fallback that it takes on processors it does not know.
set -eu
unset OPENBLAS_CORETYPE
core=$("$STILLPOINT" --version | sed -n 's/^OpenBLAS kernels //p')
echo "kernels: $core"
if grep -q '^flags.*\bavx2\b' /proc/cpuinfo; then
    [ "$core" = Haswell ] || { echo "expected the Haswell kernels on a processor with AVX2" >&2; exit 1; }
fi
# A choice of the user's is kept.
[ "$(OPENBLAS_CORETYPE=Nehalem "$STILLPOINT" --version | sed -n 's/^OpenBLAS kernels //p')" = Nehalem ]

# One thread, whatever the environment says; runs of other kernels are stale, and made again.
cat > kernels.lua <<'LUA'
return {
  seed = 17,
  problem = { loss = "logistic", data = { "logistic" }, n = 400, d = 30, domain = { "l2_ball", radius = 2 } },
  privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 20 } },
  measures = { "excess_risk" },
}
LUA
run() { "$STILLPOINT" run kernels.lua --quiet --no-plot; }
run
cp results/kernels/runs.tsv one.tsv
for threads in OPENBLAS_NUM_THREADS=4 OMP_NUM_THREADS=4 GOTO_NUM_THREADS=4; do
    rm -r results
    (unset OPENBLAS_NUM_THREADS; export "${threads?}"; run)
    cmp one.tsv results/kernels/runs.tsv
done
grep -q "OpenBLAS kernels: $core" results/kernels/provenance.tsv
[ "$core" != Nehalem ] || exit 0
export OPENBLAS_CORETYPE=Nehalem
"$STILLPOINT" status kernels.lua >status.txt || true
grep -q "OpenBLAS kernels changed ($core -> Nehalem)" status.txt || { cat status.txt >&2; exit 1; }
run
"$STILLPOINT" export kernels.lua --quiet
grep -q 'OpenBLAS kernels: Nehalem' results/kernels/provenance.tsv
"$STILLPOINT" status kernels.lua
