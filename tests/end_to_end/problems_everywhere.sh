#!/bin/sh
# Storages, domains, populations, losses whose w is not a feature vector: through the whole program, and what is refused.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

cat >e.lua <<'LUA'
local privacy = { epsilon = 1, delta = 1e-6 }
return { seed = 5, replicates = 2, privacy = privacy,
  sweeps = {
    storage = { problem = { loss = "pseudo_huber", data = { "signs", mean = 0.2 }, n = 300, d = 70,
                            storage = { "dense", "signs", "indexed" }, population = "exact" },
                privacy = "none", algorithms = { { "gd", steps = 7 } },
                measures = { "grad_norm", "excess_risk", "population_excess_risk", "population_grad_norm" } },
    fresh = { problem = { loss = "logistic", data = "logistic", n = { 100, 400 }, d = 3, population = 5000,
                          domain = { "l2_ball", radius = 3 } },
              algorithms = { { "dp_gd", steps = 5 } },
              measures = { "population_excess_risk", "distance_to_minimiser", "fw_gap", "sosp_level" } },
    domains = { problem = { loss = "absolute", data = "linear", n = 100, d = 3,
                            domain = { { "l2_ball", radius = 2 }, { "l1_ball", radius = 1 },
                                       { "lp_ball", radius = 1, p = 1.5 }, { "simplex", radius = 1 },
                                       { "box", low = -1, high = 2 },
                                       { "polytope", vertices = "0 0 0; 1 0 0; 0 2 1" } } },
                algorithms = { { "dp_sgd", steps = 5, eta = 0.1 } }, measures = { "excess_risk", "fw_gap" } },
    forms = { problem = { loss = { { "network", width = 3 } }, data = "logistic", n = 100, d = 4,
                          domain = { "l2_ball", radius = 1 } },
              algorithms = { { "dp_gd", steps = 5 } }, measures = { "grad_norm", "hessian_min_eigenvalue" } },
    angles = { problem = { loss = "circular", data = "angles", n = 300, d = 10, population = "exact" },
               privacy = "none", algorithms = { { "gd", steps = 1 } }, measures = { "population_excess_risk" } },
    sums = { problem = { loss = "circular", data = "angles", n = { 300, 1e9 }, d = 10, storage = "moments",
                         population = 1e9 },
             algorithms = { { "dp_gd", steps = 5 } }, measures = { "population_excess_risk", "excess_risk" } },
    ramp = { problem = { loss = "ripple_ramp", data = "angles", n = 1e9, d = 11, storage = "moments",
                         population = "exact" },
             algorithms = { { "dp_spider", steps = 9, period = 3 } },
             measures = { "population_excess_risk", "hessian_min_eigenvalue" } },
    unit = { problem = { loss = "versine", data = "one_hot", n = 1e9, d = 4, storage = "moments", population = 1e8 },
             algorithms = { { "dp_gd", steps = 5 } }, measures = { "population_excess_risk", "excess_risk" } },
    pair = { problem = { loss = "circular", data = "angles", n = 1e9, d = 2, storage = "moments", population = "exact" },
             algorithms = { "em_product" }, measures = { "population_excess_risk", "excess_risk" } },
    tree = { problem = { loss = "circular", data = "angles", n = 3000, d = 10, storage = "moments", population = 5000 },
             algorithms = { { "tree_spider", batch = 100 }, { "dp_ftrl", steps = 2 }, "dp_sgd_poisson", "dp_sgd",
                            { "dp_sgd_hp", batch = 2999 }, { "rrsgd", epochs = 1 },
                            { "dp_sgd_poisson", steps = 5, batch = function (p) return p.n end, label = "all of them" },
                            { "warm_start", first = { "dp_gd", steps = 5 }, second = { "dp_spider", steps = 9, period = 3 },
                              budget = "disjoint" } }, measures = { "grad_norm" } },
    fresh_angles = { problem = { loss = "circular", data = "angles", n = 300, d = 10, population = 20000 },
                     privacy = "none", algorithms = { { "gd", steps = 1 } }, measures = { "population_excess_risk" } },
    classes = { problem = { loss = "hinge", data = { "classes", mean = 0.3 }, n = 50, d = 4,
                            domain = { "l2_ball", radius = 1 }, population = { "exact", 200000 } },
                algorithms = { { "phased_sgd" } },
                measures = { "population_excess_risk", "population_grad_norm", "fw_gap" } },
    hidden = { problem = { loss = "hinge", data = { "classes", mean = 0.3, sparse = true }, n = 50, d = 4,
                           domain = { "l1_ball", radius = 2 }, population = "exact" },
               algorithms = { { "noisy_fw", steps = 2 } }, measures = { "population_excess_risk" } },
    system = { problem = { loss = "linear_dynamical_system", data = "lds", n = 60, d = 12,
                           domain = { "l2_ball", radius = 0.5 } },
               algorithms = { { "dp_gd", steps = 5, eta = 0.1 } }, measures = { "grad_norm" } },
  } }
LUA
"$STILLPOINT" run e.lua --quiet --allow-skipped -j 1 || fail "run"
sh "$SOURCE/tests/joined.sh" results/e >one.tsv
rm -r results
"$STILLPOINT" run e.lua --quiet --allow-skipped -j 2 || fail "run again"
sh "$SOURCE/tests/joined.sh" results/e | cmp one.tsv - || fail "the number of workers shows"

# column NAME of the rows whose sweep is $2
column() {
    awk -F '\t' -v name="$1" -v sweep="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["sweep"] == sweep { print $at[name] }' one.tsv
}
[ "$(column status storage | sort -u)" = ok ] || fail "storage: status"
[ "$(wc -l <one.tsv)" -eq 53 ] || fail "52 runs"
# the same records in every storage: the same numbers, up to the order of summation
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["sweep"] == "storage" { r = $at["replicate"]; v = $at["excess_risk"]; p = $at["population_excess_risk"]
        if (r in seen) { d = v - seen[r]; e = p - other[r]; if (d * d > 1e-24 || e * e > 1e-24) bad = 1 }
        seen[r] = v; other[r] = p; count++ }
    END { exit bad || count != 6 }' one.tsv || fail "storages differ"
[ "$(column population_reference fresh | sort -u | wc -l)" -eq 1 ] || fail "one population for all runs of a problem"
[ "$(column reference fresh | sort -u | wc -l)" -eq 4 ] || fail "records of their own"
column population_excess_risk fresh | awk '!($1 > -1e-9 && $1 < 1) { exit 1 }' || fail "population risk"
# the risk falls by the class mean's norm, 0.3: at its end u, and of the hidden feature at sqrt(d) e_j
column start.population_excess_risk classes | awk '!($1 > 0.297 && $1 < 0.303) || (NR < 3 && ($1 - 0.3) ^ 2 > 1e-24) {
    exit 1 }' || fail "classes: the risk at the start"
column population_grad_norm classes | awk '!($1 > 0.297 && $1 < 0.303) { exit 1 }' || fail "classes: the mean"
column start.population_excess_risk hidden | awk '($1 - 0.3) ^ 2 > 1e-24 { exit 1 }' || fail "the hidden feature"
column fw_gap domains | awk '!($1 >= -1e-9 && $1 < 10) { exit 1 }' || fail "Frank-Wolfe gap"
column start.population_excess_risk angles | awk '!($1 > 1.56443 && $1 < 1.56444) { exit 1 }' || fail "angles"
column start.population_excess_risk fresh_angles | awk '!($1 > 1.55 && $1 < 1.58) { exit 1 }' || fail "fresh angles"
for sweep in sums ramp unit pair tree; do [ "$(column status $sweep | sort -u)" = ok ] || fail "$sweep: status"; done
# of 10^9 records the sum is the expectation to some 1e-5
column start.population_excess_risk sums | awk '!($1 > 1.5644 && $1 < 1.5645) { exit 1 }' || fail "sums: population"
column start.excess_risk sums | awk 'NR > 2 && !($1 > 1.5644 && $1 < 1.5645) { exit 1 }' || fail "sums"
column start.excess_risk unit | awk '!($1 > 1.887 && $1 < 1.888) { exit 1 }' || fail "unit vectors"
"$STILLPOINT" plan e.lua >plan.txt
grep -qF 'dp_ftrl takes records by themselves or in passes, which storage = "moments" has not' plan.txt || fail "passes"
for skipped in "dp_sgd_poisson takes samples of 55 records" "dp_sgd takes samples of 55 records" \
               "dp_sgd_hp takes samples of 2999 records" "rrsgd takes samples of 32 records"; do
    grep -qF "$skipped, which storage = \"moments\" has not: take all" plan.txt || fail "$skipped"
done
column excess_risk pair | awk '!($1 >= 0 && $1 < 1e-7) { exit 1 }' || fail "one angle"
column grad_norm forms | awk '!($1 > 0) { exit 1 }' || fail "network"

# refused TEXT PROBLEM MEASURE
refused() {
    printf 'return { seed = 1, problem = { %s }, privacy = { epsilon = 1, delta = 1e-6 },
             algorithms = { { "dp_gd", steps = 2 } }, measures = { "%s" } }' "$2" "$3" >bad.lua
    if "$STILLPOINT" run bad.lua >out.txt 2>&1; then fail "accepted: $2"; fi
    grep -qF "$1" out.txt || { cat out.txt >&2; fail "no \"$1\" for $2"; }
}
small='n = 10, d = 3'
refused 'needs problem.population' "loss = 'logistic', data = 'logistic', $small" population_grad_norm
refused 'problem.population = "test": generated data' "loss = 'logistic', data = 'logistic', $small, population = 'test'" grad_norm
refused 'only <x, Phi(w)>' "loss = 'logistic', data = 'logistic', $small, population = 'exact'" grad_norm
for case in "data = 'classes', domain = { 'l2_ball', radius = 1.01 }" "data = 'classes', domain = { 'l1_ball', radius = 2.01 }" \
            "data = 'classes'"; do
    refused 'not affine in y <w, x> all over the domain' "loss = 'hinge', n = 10, d = 4, population = 'exact', $case" grad_norm
done
refused 'E x is not known' "loss = 'pseudo_huber', data = 'classes', n = 10, d = 4, population = 'exact'" grad_norm
refused 'only <x, Phi(w)>' "loss = 'logistic', data = 'classes', n = 10, d = 4, population = 'exact'" grad_norm
refused 'whole number of fresh records' "loss = 'logistic', data = 'logistic', $small, population = 2.5" grad_norm
refused 'problem.storage' "loss = 'logistic', data = 'logistic', $small, storage = 'packed'" grad_norm
refused 'signs' "loss = 'logistic', data = 'logistic', $small, storage = 'signs'" grad_norm
refused 'problem.domain.p' "loss = 'logistic', data = 'logistic', $small, domain = { 'lp_ball', radius = 1, p = 3 }" grad_norm
refused 'vertices' "loss = 'logistic', data = 'logistic', $small, domain = { 'polytope', vertices = '0 0; 1 1' }" grad_norm
refused 'd must be even' "loss = 'linear_dynamical_system', data = 'lds', n = 10, d = 13" grad_norm
refused 'circular clips parts of each record' "loss = 'circular', data = 'signs', n = 10, d = 4, storage = 'signs'" grad_norm
refused 'ripple_ramp on angles, and for GLMs on one_hot' "loss = 'welsch', data = 'angles', n = 10, d = 4, storage = 'moments'" grad_norm
refused 'ripple_ramp on angles, and for GLMs on one_hot' "loss = 'circular', data = 'one_hot', n = 10, d = 4, storage = 'moments'" grad_norm
refused 'signs records are not made of parts' "loss = 'pseudo_huber', data = 'signs', n = 10, d = 4, storage = 'moments'" grad_norm
refused 'where labels are realisable' "loss = 'versine', data = 'one_hot', n = 10, d = 4, storage = 'moments', domain = { 'l2_ball', radius = 1 }" grad_norm
refused 'no regulariser' "loss = 'versine', data = 'one_hot', n = 10, d = 4, storage = 'moments', regulariser = { 'l2', lambda = 1 }" grad_norm
refused 'problem.declared.L_data = 0.5 claims more' "loss = 'circular', data = 'angles', n = 10, d = 4, storage = 'moments', declared = { L_data = 0.5 }" grad_norm
refused 'problem.population: n = 1000000000, d = 64, dense: too large' "loss = 'circular', data = 'angles', n = 10, d = 64, population = 1e9" grad_norm
refused 'an even number' "loss = 'circular', data = 'signs', n = 10, d = 3" grad_norm
printf '1,2,3\n' >mine.csv
refused "no column 'a' (label): there are 3, counted from 1" "loss = 'logistic', data = { file = 'mine.csv', format = 'csv', label = 'a', header = false }" grad_norm
refused 'files are read dense or sparse' "loss = 'logistic', data = { file = 'mine.csv', format = 'csv' }, storage = 'moments'" grad_norm
refused 'files are read dense or sparse' "loss = 'logistic', data = { file = 'mine.csv', format = 'csv' }, storage = 'signs'" grad_norm

# two stages that would divide the same records
cat >twice.lua <<'LUA'
local function tree(budget)
  return { "warm_start", first = { "tree_spider", batch = 50 }, second = { "tree_spider", batch = 50 }, budget = budget }
end
return { seed = 1, privacy = { epsilon = 1, delta = 1e-6 }, measures = { "grad_norm" },
  problem = { loss = "circular", data = "angles", n = 3000, d = 10, storage = "moments" },
  sweeps = { shared = { algorithms = { tree("paper") } }, disjoint = { algorithms = { tree("disjoint") } } } }
LUA
"$STILLPOINT" run twice.lua --quiet >out.txt 2>&1 && fail "two stages: no word that a run failed"
sh "$SOURCE/tests/joined.sh" results/twice |
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["sweep"], $at["status"] }' |
    sort | tr '\n' ' ' | grep -qx 'disjoint ok shared SP_EUNSUPPORTED ' || fail "two stages"
grep -q 'give each stage records of its own' results/twice/runs.tsv || fail "two stages: message"

# the user's own files, with the reader's options in the experiment
{ echo "colour,size,class"; for i in 1 2 3 4 5 6 7 8 9; do echo "red,$i,yes"; echo "blue,0.$i,no"; echo "green,3,maybe"; done; } >own.csv
cat >own.lua <<'LUA'
return { seed = 1, privacy = "none", measures = { "objective", "accuracy" }, algorithms = { { "gd", steps = 3 } },
  sweeps = {
    pair = { problem = { loss = "logistic", storage = { "dense", "sparse" },
                         data = { file = "own.csv", format = "csv", header = true, label = "class", positive = "yes",
                                  negative = "no", intercept = true } } },
    rest = { problem = { loss = "logistic",
                         data = { file = "own.csv", format = "csv", header = true, label = "class", positive = "yes",
                                  categorical = "size" } } },
  } }
LUA
"$STILLPOINT" run own.lua --quiet || fail "own.lua"
sh "$SOURCE/tests/joined.sh" results/own >joined.tsv
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["sweep"], $at["problem.n"], $at["problem.d"], $at["status"] }' joined.tsv | sort | uniq -c >own.txt
# three colours (green's records are left out, its column stays), the size, the intercept; three colours and 18 sizes
printf '      2 pair 18 %s ok\n      1 rest 27 %s ok\n' 5 21 | cmp - own.txt || { cat own.txt >&2; fail "own.lua: n and d"; }
