#!/bin/sh
# The exported tables are equal byte for byte on every instruction set that this processor has, and whatever features it
# seems to lack: losses of every form, domains, data and noise through the whole program.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
unset STILLPOINT_ISA GLIBC_TUNABLES || true

cat >e.lua <<'LUA'
return { seed = 11, checkpoints = 2, privacy = { epsilon = 0.7, delta = 1e-6 },
  sweeps = {
    links = { problem = { loss = { "logistic", "sigmoid", "savage", "barron", "welsch", { "bi_tempered", t2 = 1.3 } },
                          data = { "logistic", noise = 0.1 }, n = 301, d = { 7, 66 },
                          regulariser = { "nonconvex", lambda = 1e-3 } },
              algorithms = { { "dp_gd", steps = 9 }, { "dp_sgd", steps = 9, batch = 37, eta = 0.1 },
                             { "dp_spider", steps = 9 } },
              measures = { "grad_norm", "objective", "hessian_min_eigenvalue" } },
    bowls = { problem = { loss = { "pseudo_huber", "radial", "log_tail" }, data = { "signs", mean = 0.3 }, n = 500,
                          d = 9 },
              algorithms = { { "dp_gd", steps = 200 }, { "dp_spider", parameters = "theory" } },
              measures = { "grad_norm", "excess_risk", "hessian_min_eigenvalue" } },
    waves = { problem = { loss = { "cos_saddle", "sin_pl" }, data = "sphere", n = 90, d = 5,
                          domain = { "l2_ball", radius = 3 } },
              algorithms = { { "dp_gd", steps = 40 } }, measures = { "grad_norm", "excess_risk" } },
    domains = { problem = { loss = "absolute", data = "linear", n = 100, d = 3,
                            domain = { { "lp_ball", radius = 1, p = 1.5 }, { "simplex", radius = 1 } } },
                algorithms = { { "dp_sgd", steps = 5, eta = 0.1 } }, measures = { "excess_risk", "fw_gap" } },
    network = { problem = { loss = { { "network", width = 3 }, { "network", width = 3, unit = "softplus" } },
                            data = "logistic", n = 60, d = 4, domain = { "l2_ball", radius = 1 } },
                algorithms = { { "dp_gd", steps = 5 } }, measures = { "grad_norm", "hessian_min_eigenvalue" } },
  } }
LUA
"$STILLPOINT" run e.lua --quiet --no-plot --root first -j 2 || fail "run"
[ "$(wc -l <first/results/e/runs.tsv)" -eq 49 ] || fail "expected 48 runs and a header"
[ "$(awk -F '\t' 'NR > 1 && !/\tok\t/' first/results/e/runs.tsv | wc -l)" -eq 0 ] || fail "a run did not succeed"

# same NAME VARIABLE=VALUE...
same() {
    name=$1
    shift
    env "$@" "$STILLPOINT" run e.lua --quiet --no-plot --root "$name" -j 2 || fail "run with $*"
    for table in cells.tsv runs.tsv traces.tsv; do
        cmp "first/results/e/$table" "$name/results/e/$table" || fail "$table differs with $*"
    done
    echo "the same with $*"
}
for isa in baseline avx2 avx512; do
    if STILLPOINT_ISA=$isa "$STILLPOINT" --version >version.txt 2>refused.txt; then
        same $isa STILLPOINT_ISA=$isa
    else
        grep -q "STILLPOINT_ISA = $isa is no instruction set of this processor" refused.txt || fail "how $isa is refused"
    fi
done
same masked STILLPOINT_ISA=baseline GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX,-SSE4_1,-ERMS
same joined GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F:glibc.malloc.check=0

code=0
STILLPOINT_ISA=avx1024 "$STILLPOINT" plan e.lua >out.txt 2>err.txt || code=$?
[ "$code" -eq 2 ] && grep -q 'avx1024' err.txt && [ ! -s out.txt ] || fail "a word that is no instruction set: exit $code"
