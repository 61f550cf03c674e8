#!/bin/sh
# Mistakes in an experiment are refused by `plan`, before anything runs, all in one list, each with its place, the value
# and what would do. What is allowed and probably not meant is said.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }

# --- one mistake, one message: a line of Lua that spoils an experiment, then what is said of it behind a tab ---
cat >mistakes.txt <<'END'
e.mesures = { "objective" }
	mesures: unknown key; did you mean measures?
e.measures = { "objectiv" }
	measures = "objectiv": no such measure; did you mean objective?
e.measures = {}
	measures: must be a list of 1 to 16 names
e.measures = { "objective", "objective" }
	measures[2]: objective stands in measures[1] already
e.replicates = 0
	replicates = 0: must be at least 1 and at most 1000000
e.replicates = "many"
	replicates = "many": must be a whole number
e.seed = nil
	seed: missing (root of every random stream)
e.problem = nil
	problem: missing
e.problem.loss = "logistc"
	problem.loss = "logistc": no such loss; did you mean logistic?
e.problem.n = 0
	problem.n = 0: must be at least 1 and at most 4294967295
e.problem.n = { 100, -3 }
	problem.n = -3: must be at least 1 and at most 4294967295
e.problem.data = "gausian"
	problem.data = "gausian": no such data; did you mean gaussian?
e.problem.data = "data/bank.csv"
	problem.data = "data/bank.csv": no such data; a file of your own is { file = "data/bank.csv" }
e.problem.domain = "l2_bal"
	problem.domain = "l2_bal": there is no such domain (did you mean l2_ball?)
e.problem.domain = { "l2_ball", radius = -1 }
	problem.domain.radius = -1: must be positive
e.problem.domain = { "l2_ball", radius = 1, radus = 2 }
	problem.domain.radus: unknown key; did you mean radius?
e.privacy.epsilon = -1
	privacy.epsilon = -1: must be positive
e.privacy.epsilon = 0
	privacy.epsilon = 0: must be positive
e.privacy.delta = 2
	privacy.delta = 2: must be in (0, 1)
e.privacy.neighbours = "replace"
	privacy.neighbours = "replace": must be one of replace_one, add_remove
e.privacy.epsilonn = 1
	privacy.epsilonn: unknown key; did you mean epsilon?
e.privacy = "non"
	privacy: must be "none" or { epsilon = ..., delta = ... }
e.algorithms = {}
	algorithms: must be a list of { "name", parameter = value }
e.algorithms = { { "dp_gdd" } }
	algorithms[1] = "dp_gdd": no such algorithm; did you mean dp_gd?
e.algorithms = { { "dp_gd", step = 5 } }
	algorithms[1].step: unknown key; did you mean steps?
e.algorithms = { { "dp_gd", steps = 2.5 } }
	algorithms[1].steps = 2.5: must be a whole number
e.algorithms = { { "dp_gd", steps = "ten" } }
	algorithms[1].steps = "ten": must be a whole number
e.algorithms = { { "dp_gd" }, { "dp_gd", eta = 0.1 } }
	algorithms[2]: is called "dp_gd", as algorithms[1] is: give it a label
e.algorithms = { { "dp_gd", label = "-" } }
	algorithms[1].label = "-": stands for no label in the tables
e.algorithms = { { "dp_gd", label = "=1" } }
	algorithms[1].label = "=1": begins like a spreadsheet's formula
e.algorithms = { { "dp_gd", label = "a\nb" } }
	algorithms[1].label: must be a text of one line
e.algorithms = { { "dp_gd", tune = { eta = {} } } }
	algorithms[1].tune.eta: must be a list of values, or { times = { factors } }
e.algorithms = { { "dp_gd", tune = { eta = { 0.1, 1 } } }, { "dp_sgd", tune = { eta = { 0.1, 1, 10 } } } }
	algorithms[2].tune: 3 grid points, algorithms[1].tune has 2: a fair comparison tunes every algorithm on equally many
e.algorithms = { { "dp_gd", tune = "dp_sgd" } }
	algorithms[1].tune = "dp_sgd": no such tuned algorithm in this sweep (there is none)
e.algorithms = { { "gd", privacy = { epsilon = 1 } } }
	algorithms[1].privacy: gd is a reference without privacy
e.algorithms = { { "dp_gd", eta = function (c) return c.m end } }
	algorithms[1].eta: m.lua:4: cell.m is not known here (known: algorithm, d, delta, epsilon, loss, n, privacy, problem)
e.algorithms = { { "dp_gd", eta = function (c) return "a" end } }
	algorithms[1].eta = "a": must be a number
e.claims = { { algorithm = "dp_gd", y = "objective", x = "n", mode = "theory" } }
	claims[1].exponent: missing (a number, or "bound")
e.claims = { { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1/2, mode = "theori" } }
	claims[1].mode = "theori": must be one of theory, sup, bound, inversion
e.claims = { { algorithm = "dp_sgd", y = "objective", x = "n", exponent = -1/2, mode = "theory" } }
	claims[1].algorithm = "dp_sgd": no such algorithm in this sweep; did you mean dp_gd?
e.claims = { { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, mode = "theory" } }
	claims[1].y = "grad_norm": no such measure in this sweep; known: objective, excess_risk
e.claims = { { algorithm = "dp_gd", y = "objective", x = "d", exponent = -1/2, mode = "theory" } }
	claims[1].x: d does not vary here (it is 5)
e.claims = { { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1/2, rival = -0.45, tolerance = 0.05, mode = "theory" } }
	claims[1].tolerance = 0.05: must be less than half the distance to the rival -0.45, which is 0.05
e.claims = { { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1/2, mode = "sup" } }
	claims[1].family: missing: mode sup is about the worst of a family
e.claims = { { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1/2, mode = "theory", where = { d = 7 } } }
	claims[1].where.d: no cell has d = 7
e.problem.d = { 5, 6 }; e.claims = { { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1/2, mode = "theory" } }
	claims[1]: several cells of dp_gd at n = 100 differ in problem.d (5, 6): choose one with where = { ["problem.d"] = 5 }
e.figures = { { kind = "rate", x = "n", y = "objective" } }
	figures[1].name: missing (of the file)
e.figures = { { name = "a b", kind = "rate", x = "n", y = "objective" } }
	figures[1].name = "a b": a figure's name is of a-z 0-9 _
e.figures = { { name = "a", kind = "bar", x = "n", y = "objective" } }
	figures[1].kind = "bar": must be one of rate, residual, trade_off, trajectory, profile, dominance, search, utility
e.figures = { { name = "a", kind = "rate", x = "epsilon", y = "objective" } }
	figures[1].x: epsilon does not vary here (it is 1)
e.figures = { { name = "a", kind = "rate", x = "n", y = "accuracy" } }
	figures[1].y = "accuracy": no such measure in this sweep; known: objective, excess_risk
e.figures = { { name = "a", kind = "rate", x = "n", y = { "objective", "excess_risk" } } }
	figures[1].y: kind rate shows one measure, here are 2
e.figures = { { name = "a", kind = "residual", x = "n", y = "objective" } }
	figures[1]: kind residual needs a claim about objective against n in this sweep
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective" }, { name = "a", kind = "rate", x = "n", y = "objective" } }
	figures[2].name: there is a figure a already
e.problem.d = { 5, 6 }; e.figures = { { name = "a", kind = "rate", x = "n", y = "objective" } }
	figures[1]: several cells of dp_gd at n = 100 differ in problem.d (5, 6): choose one with where = { ["problem.d"] = 5 }
e.figures = { { name = "a", kind = "trajectory", y = "objective" } }
	figures[1]: several cells of dp_gd differ in problem.n (100, 200): choose one with where = { ["problem.n"] = 100 }
e.figures = { { name = "a", kind = "trajectory", x = "stepp", y = "objective", where = { n = 100 } } }
	figures[1].x = "stepp": no such counter; did you mean steps?
e.figures = { { name = "a", kind = "trajectory", x = "minutes", y = "objective", where = { n = 100 } } }
	figures[1].x = "minutes": no such counter; known: steps, oracle_calls, gradients, differences, hessians, losses, releases, seconds
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", ylabel = "loss" } }
	figures[1].ylabel: unknown key; did you mean y_label?
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", methods = "dp_sgd" } }
	figures[1].methods = "dp_sgd": no such algorithm in this sweep; did you mean dp_gd?
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", methods = { "dp_gd", "dp_gd" } } }
	figures[1].methods[2]: dp_gd stands in figures[1].methods[1] already
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", methods = {} } }
	figures[1].methods: must be a label, or a list of them
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", methods = { 3 } } }
	figures[1].methods[1]: must be a label
e.figures = { { name = "a", kind = "trade_off", x = "n", y = { "objective", "excess_risk" }, y_label = "loss" } }
	figures[1].y_label: one text for 2 measures: { objective = "loss", ... }
e.figures = { { name = "a", kind = "trade_off", x = "n", y = { "objective", "excess_risk" }, y_label = { objectiv = "loss" } } }
	figures[1].y_label.objectiv = "objectiv": no such measure in this figure; did you mean objective?
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", y_label = 3 } }
	figures[1].y_label: must be a text, or { objective = a text }
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", y_label = "=1" } }
	figures[1].y_label = "=1": begins like a spreadsheet's formula
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", x_log = "yes" } }
	figures[1].x_log = "yes": must be true or false
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", y_log = { objective = 1 } } }
	figures[1].y_log.objective: must be true or false
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", x_log = false } }
	figures[1].x_log: of kind rate x is logarithmic: a power is a line there
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", y_log = false } }
	figures[1].y_log: of kind rate y is a logarithm: a power is a line there
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "profile", y = "objective", y_log = true } }
	figures[1].y_log: of kind profile y is a share, from 0 to 1
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", range = { 0, 1 } } }
	figures[1].range: must be { x = { low, high }, y = { low, high } }
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", range = { z = { 0, 1 } } } }
	figures[1].range.z = "z": no such measure in this figure; known: objective, x, y
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", range = { y = { 1, 0 } } } }
	figures[1].range.y: must be { low, high }, two numbers in this order
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", range = { y = { 1 } } } }
	figures[1].range.y: must be { low, high }, two numbers in this order
e.figures = { { name = "a", kind = "rate", x = "n", y = "objective", range = { y = { 0, 1 } } } }
	figures[1].range.y[1] = 0: the axis is logarithmic: must be positive
e.figures = { { name = "a", kind = "trajectory", y = "objective", where = { n = 100 }, range = { x = { 0, 9 } } } }
	figures[1].range.x[1] = 0: the axis is logarithmic: must be positive
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", facet = "dd" } }
	figures[1].facet = "dd": no such axis; did you mean d?
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", facet = "d" } }
	figures[1].facet: d does not vary here (it is 5)
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", facet = "n" } }
	figures[1].facet = "n": is x itself
e.problem.d = { 5, 6 }; e.figures = { { name = "a", kind = "trade_off", x = "n", y = { "objective", "excess_risk" }, facet = "d" } }
	figures[1].facet: with a facet a figure shows one measure, here are 2
e.privacy.epsilon = { 1, 2 }; e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", facet = "mu" } }
	figures[1].facet = "mu": no axis but a budget in other units: take epsilon
e.problem.d = { 2, 3, 4, 5, 6, 7, 8 }; e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", facet = "d" } }
	figures[1].facet: d has 7 values here (2, 3, ...), a figure has at most 6 panels: choose with where
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", format = "jpg" } }
	figures[1].format = "jpg": no such format; known: svg, pdf, png
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", format = { "svg", 3 } } }
	figures[1].format[2]: must be svg, pdf, png, or a list of them
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", size = "onecolumn" } }
	figures[1].size = "onecolumn": no such size; did you mean one_column?
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", size = { height = 60 } } }
	figures[1].size.width: missing (millimetres)
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", size = { width = 5 } } }
	figures[1].size.width: must be a number of millimetres, 30 to 1000
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", size = { width = 84, depth = 5 } } }
	figures[1].size.depth: unknown key; known keys: width, height
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", size = 84 } }
	figures[1].size: must be "one_column", "two_column" or { width = ..., height = ... } in millimetres
e.figures = { { name = "a", kind = "profile", x = "n", y = "objective" } }
	figures[1].x: kind profile has none: along it runs the ratio to the best
e.figures = { { name = "a", kind = "trade_off", x = "n", y = "objective", across = true } }
	figures[1].across: kind trade_off shows one sweep
e.figures = { { name = "a", kind = "profile", y = "objective" } }
	figures[1]: kind profile compares private methods (or, without any, all): here is one
e.measures = { "hessian_min_eigenvalue" }; e.figures = { { name = "a", kind = "profile", y = "hessian_min_eigenvalue" } }
	figures[1].y = "hessian_min_eigenvalue": kind profile needs a measure of which less is better
e.algorithms = { { "dp_gd", steps = { 5, 10 } }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "profile", y = "objective" } }
	figures[1]: several cells of dp_gd differ in algorithm.steps (5, 10): choose one with where = { ["algorithm.steps"] = 5 }
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective", x = "n" } }
	figures[1].x: kind dominance has none: along it stand the methods
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "search", y = "objective", x = "n" } }
	figures[1].x: kind search has none: along it grow the grids
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "utility", y = "objective", x = "n" } }
	figures[1].x: kind utility has none: along it run epsilon and, in the second panel, oracle calls
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective", facet = "n" } }
	figures[1].facet: kind dominance has none: choose with where
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "utility", y = { "objective", "excess_risk" } } }
	figures[1].y: kind utility shows one measure, here are 2
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = { "objective", "excess_risk" } } }
	figures[1].y: kind dominance shows one measure, here are 2
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "search", y = "objective" } }
	figures[1]: kind search needs two methods that are tuned by objective: here is none
e.algorithms = { { "dp_gd", tune = { steps = { 2, 5 } } }, { "dp_ngd", tune = { steps = { 2, 5 } } } }; e.tuning_measure = "excess_risk"; e.figures = { { name = "a", kind = "search", y = "objective" } }
	figures[1]: kind search needs two methods that are tuned by objective: here it is excess_risk
e.figures = { { name = "a", kind = "dominance", y = "objective" } }
	figures[1]: kind dominance compares private methods (or, without any, all): here is one
e.algorithms = { { "dp_gd" }, { "gd" }, { "sgd" } }; e.figures = { { name = "a", kind = "utility", y = "objective", methods = { "gd", "sgd" } } }
	figures[1]: kind utility compares private methods (or, without any, all): here is none
e.measures = { "hessian_min_eigenvalue" }; e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "hessian_min_eigenvalue" } }
	figures[1].y = "hessian_min_eigenvalue": kind dominance needs a measure of which less is better
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective", x_label = "methods" } }
	figures[1].x_label: of kind dominance x and y are lists of methods
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective", range = { y = { 0, 1 } } } }
	figures[1].range: of kind dominance x and y are lists of methods
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective", x_log = true } }
	figures[1].x_log: of kind dominance x is a list of methods
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "utility", y = "objective", x_label = "budget" } }
	figures[1].x_label: of kind utility there are two, epsilon and oracle calls
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "utility", y = "objective", range = { x = { 1, 2 } } } }
	figures[1].range.x: of kind utility there are two, epsilon and oracle calls
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "utility", y = "objective", range = { y = { 0, 1 } } } }
	figures[1].range.y[1] = 0: the axis is logarithmic: must be positive
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "utility", y = "objective", y_log = false } }
	figures[1].y_log: of kind utility y is logarithmic: it is a ratio to the start
e.algorithms = { { "dp_gd", tune = { steps = { 2, 5 } } }, { "dp_ngd", tune = { steps = { 2, 5 } } } }; e.figures = { { name = "a", kind = "search", y = "objective", y_log = true } }
	figures[1].y_log: of kind search y is a rank, from 0 to 1
e.algorithms = { { "dp_gd", tune = { steps = { 2, 5 } } }, { "dp_ngd", tune = { steps = { 2, 5 } } } }; e.figures = { { name = "a", kind = "search", y = "objective", range = { x = { 0, 9 } } } }
	figures[1].range.x[1] = 0: the axis is logarithmic: must be positive
e.algorithms = { { "dp_gd" }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective", methods = { "dp_sgd" } } }
	figures[1].methods = "dp_sgd": no such algorithm in this sweep; did you mean dp_gd?
e.algorithms = { { "dp_gd", steps = { 5, 10 } }, { "dp_ngd" } }; e.figures = { { name = "a", kind = "dominance", y = "objective" } }
	figures[1]: several cells of dp_gd differ in algorithm.steps (5, 10): choose one with where = { ["algorithm.steps"] = 5 }
e.sweeps = { ["a b"] = {} }
	sweeps.a b: a sweep's name is of a-z 0-9 _
e.sweeps = {}
	sweeps: no sweep
e.sweeps = { one = { claims = {} } }; e.claims = {}
	claims: belongs into a sweep here (sweeps.one.claims)
e.scales = { smoke = { replicate = 1 } }
	scales.smoke.replicate: unknown key; did you mean replicates?
e.problem.file = "x.csv"
	problem.file: unknown key; known keys: n, d, storage, data, declared, domain, family, loss, population, regulariser, start
e.problem.family = "loss.slope"
	problem.family = "loss.slope": problem.loss.slope is no list of several numbers or names (of losses, say; n and d make no family)
e.problem.population = "exactly"
	problem.population: must be a whole number of fresh records, "exact" or "test"
e.problem.storage = "sparce"
	problem.storage = "sparce": must be one of dense, sparse, signs, indexed, moments
e.problem.normalise = "l2"
	problem.normalise: unknown key; known keys: n, d, storage, data, declared, domain, family, loss, population, regulariser, start
e.checkpoints = -1
	checkpoints = -1: must be at least 0 and at most 1000
e.tuning_measure = "accuracy"
	tuning_measure = "accuracy": no such measure in this sweep; known: objective, excess_risk
e.algorithms = { { "dp_sgd", batch = 300 } }
	dp_sgd of sweep main, n = 100, d = 5: the batch's m = 300 must be in [1, 100], there being so many records
e.algorithms = { { "dp_spider" } }; e.privacy.calibration = "paper"
	dp_spider of sweep main, n = 100, d = 5: privacy.calibration = paper: release group 1 has no printed formula for its noise
e.privacy = "none"
	dp_gd of sweep main, n = 100, d = 5: steps must be given: its default needs a privacy budget and a finite gap
e.algorithms = { { "warm_start", first = { "dp_sgd", batch = 300 }, second = { "dp_gd" } } }
	warm_start of sweep main, n = 100, d = 5: the batch's m = 300 must be in [1, 100], there being so many records
e.algorithms = { { "dp_gd" }, { "dp_sgd", tune = { batch = { 50, 500 } } } }; e.measures = { "objective" }; e.tuning_measure = "objective"
	dp_sgd of sweep main, n = 100, d = 5: the batch's m = 500 must be in [1, 100], there being so many records
END
experiment() { # the line that spoils it
    printf '%s\n' 'local e = { seed = 1, replicates = 5, measures = { "objective", "excess_risk" },' \
        '  problem = { loss = "pseudo_huber", data = { "signs", mean = 0.5 }, n = { 100, 200, 400 }, d = 5 },' \
        '  privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gd" } } }' "$1" 'return e'
}
tab=$(printf '\t') cases=0
while IFS= read -r line && IFS= read -r said; do
    experiment "$line" >m.lua
    code=0
    "$STILLPOINT" plan m.lua >out.txt 2>err.txt || code=$?
    [ $code -eq 2 ] || fail "$line: exit code $code"
    [ ! -s out.txt ] || fail "$line: planned all the same"
    line_of='s/^stillpoint: m\.lua:\([0-9]*\): .*/\1/p' where=4
    [ "$line" != 'e.privacy = "none"' ] || where=3 # of the method that refuses
    [ "$(sed -n "$line_of" err.txt)" = $where ] || { cat err.txt >&2; fail "$line: not in line $where"; }
    printf 'stillpoint: m.lua:%s: %s\n' $where "${said#"$tab"}" | diff - err.txt || fail "$line"
    cases=$((cases + 1))
done <mistakes.txt
[ $cases -ge 60 ] || fail "$cases cases"
[ ! -e results ] || fail "a plan left something behind"

# --- several, in one list ---
cat >several.lua <<'LUA'
local wrong = { algorithm = "dp_gd", y = "objective", x = "n", exponent = "half", mode = "theory" }
return { seed = 1, replicates = 5, measures = { "objective" }, privacy = { epsilon = 1, delta = 1e-6 },
  problem = { loss = "pseudo_huber", data = "signs", n = { 100, 200, 400 }, d = { 5, 6 } },
  sweeps = {
    a = { algorithms = { { "dp_gdd" }, { "dp_gd", step = 4 } } },
    b = { algorithms = { { "dp_gd" } }, claims = { wrong },
          figures = { { name = "f", kind = "rate", x = "n", y = "objective" },
                      { name = "g", kind = "rate", x = "n", y = "objective", where = { d = 5 } } } } } }
LUA
"$STILLPOINT" plan several.lua >out.txt 2>err.txt && fail "several mistakes: planned"
cat >wanted.txt <<'END'
stillpoint: several.lua: 4 mistakes:
  several.lua:5: sweeps.a.algorithms[1] = "dp_gdd": no such algorithm; did you mean dp_gd?
  several.lua:5: sweeps.a.algorithms[2].step: unknown key; did you mean steps?
  several.lua:1: sweeps.b.claims[1].exponent = "half": must be a number between -100 and 100, or "bound"
  several.lua:7: sweeps.b.figures[1]: several cells of dp_gd at n = 100 differ in problem.d (5, 6): choose one with where = { ["problem.d"] = 5 }
END
diff wanted.txt err.txt || fail "several mistakes: the list"
# places FILE: the line and the path of each mistake in err.txt, sorted
places() { sed -n 's/^  \([a-z_.]*lua:[0-9]*: [^ :]*\).*/\1/p' err.txt | sort; }
# Keys, values, names and what cells say, all at once: a wrong key does not hide a wrong value.
cat >all.lua <<'LUA'
return {
  seed = 1, sed = 2,
  replicates = "many",
  mesures = { "objectiv", "accuracy" },
  problem = { loss = "logistc", data = "logistic",
    n = { 100, -3 }, d = 5.5 },
  privacy = { epsilon = 1, delta = 2, delta = 3 },
  algorithms = { { "dp_gd", lr = 0.1 },
    { "dp_sgd", batch_size = 20, steps = "ten" } },
  claims = { { algorithm = "dp_gdd", y = "objective", x = "n", exponent = -1, modus = "theory" } },
  figures = { { name = "f", kind = "rate", x = "n", y = "objective", methods = { "dp_gd", "gd" } } },
  epsilon = 3,
}
LUA
"$STILLPOINT" plan all.lua >out.txt 2>err.txt && fail "all kinds of mistakes: planned"
cat >wanted.txt <<'END'
all.lua:10: claims[1].algorithm
all.lua:10: claims[1].modus
all.lua:11: figures[1].methods[2]
all.lua:12: epsilon
all.lua:2: sed
all.lua:3: replicates
all.lua:4: mesures
all.lua:4: mesures[1]
all.lua:5: problem.loss
all.lua:6: problem.d
all.lua:6: problem.n
all.lua:7: delta
all.lua:7: privacy.delta
all.lua:8: algorithms[1].lr
all.lua:9: algorithms[2].batch_size
all.lua:9: algorithms[2].steps
END
places | diff wanted.txt - || { cat err.txt >&2; fail "all kinds of mistakes: the list"; }
grep -q ': algorithms\[1\]\.lr: .*eta' err.txt && grep -q ': epsilon: .*privacy\.epsilon' err.txt || fail "keys of other libraries"
# The lines are those of the file that holds them, through locals, fields and includes.
cat >lines.lua <<'LUA'
local parts = include "lines_parts.lua"
local e = { seed = 1, measures = { "objective" },
  algorithms = parts.methods,
  problem = include "lines_problem.lua", privacy = parts.budget }
e.claims = { parts.claim,
  -- a comment, "a = { b" in a text and a [[bracket]] are no keys
  { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1, mode = "theory",
    ["source"] = "a } [[b", ["tolerence"] = 1 } }
for i = 1, 2 do e.claims[#e.claims + 1] = { algorithm = "dp_gd", modee = i } end
return e
LUA
cat >lines_parts.lua <<'LUA'
local function double(x) return { 2 * x, 3 } end
local budget = {
  epsilon = -double(1)[1], delta = 1e-6 }
return { budget = budget,
  methods = { { "dp_gd",
    stepss = 3 } }, claim = { algorithmm = "dp_gd" } }
LUA
cat >lines_problem.lua <<'LUA'
return { loss = "pseudo_huber", data = "signs", d = 3,
  n = function (c)
    local a, b = { 1, 2 }, {}
    return 0
  end,
  ["d"] = 4 }
LUA
"$STILLPOINT" plan lines.lua >out.txt 2>err.txt && fail "lines: planned"
cat >wanted.txt <<'END'
lines.lua:5: claims[3].modee
lines.lua:5: claims[4].modee
lines.lua:8: claims[2].tolerence
lines_parts.lua:3: privacy.epsilon
lines_parts.lua:6: algorithms[1].stepss
lines_parts.lua:6: claims[1].algorithmm
lines_problem.lua:2: problem.n
lines_problem.lua:6: d
END
places | diff wanted.txt - || { cat err.txt >&2; fail "lines of keys"; }
# A key that is given twice, and both lines; the same key in two tables is none.
cat >twice.lua <<'LUA'
local other = { seed = 3 }
return { seed = 1, measures = { "objective" }, problem = { loss = "pseudo_huber", data = "signs", n = 100, d = 5 },
  privacy = { epsilon = 1, delta = function (c) local t = { n = 1, d = 2,
    n = 3 } return 1e-6 end },
  algorithms = { { "dp_gd", steps = 3 }, { "dp_gd", label = "b", steps = 4 } },
  ["seed"] = 7 }
LUA
"$STILLPOINT" plan twice.lua >out.txt 2>err.txt && fail "a key given twice: planned"
places >said.txt
printf '%s\n' 'twice.lua:4: n' 'twice.lua:6: seed' | diff - said.txt || { cat err.txt >&2; fail "a key given twice"; }
grep -q 'twice\.lua:6: seed .*line 2$' err.txt && grep -q 'twice\.lua:4: n .*line 3$' err.txt || fail "twice: both lines"

# --- what other languages write: the line, and how Lua spells it behind a tab ---
cat >spellings.txt <<'END'
x = 1 != 2	~=
seed: 7	=
"seed": 7	=
n = [1, 2]	{ 1, 2 }
n = [ [1, 2], [3] ]	{ { 1, 2 }, { 3, 4 } }
n = []	{}
n = 10 ** 3	^
seed = 1, # the seed	--
seed = 1, // the seed	--
seed = 1 // the seed	--
seed = 1 /* the seed */	--
question = “why”	curly
question = ‘why’	curly
delta = 1e–5	minus sign -
delta = 1e−5	minus sign -
delta = lambda c: 1/c.n	function (c)
delta = c => 1/c.n	function (c)
delta = a ? b : c	a and b or c
x = a && b	and
x = a || b	or
x = !a	not
x = None	nil
x = null	nil
x = True	true
x = False	false
x = np.sqrt(2)	math.sqrt
x = len(y)	#x
END
while IFS="$tab" read -r line spelling; do
    printf '%s\n' 'return {' '  replicates = 5,' "  $line" '}' >m.lua
    "$STILLPOINT" plan m.lua >out.txt 2>err.txt && fail "$line: planned"
    grep -q '^stillpoint: m\.lua:[34]: ' err.txt && grep -qF -- "$spelling" err.txt || { cat err.txt >&2; fail "$line"; }
done <spellings.txt
cat >statements.txt <<'END'
import numpy as np	Python
from math import sqrt	Python
def f(x):	function
x += 1	x = x + 1
x -= 1	x = x - 1
x++	x = x + 1
# a comment	--
// a comment	--
if x then y = 1 elif z then y = 2 end	elseif
if x then y = 1 else if z then y = 2 end	elseif
for i in range(3):	for i = 1, 10 do
const x = 1	local
END
while IFS="$tab" read -r line spelling; do
    printf '%s\n' 'local x, y, z' "$line" 'return { seed = 1 }' >m.lua
    "$STILLPOINT" plan m.lua >out.txt 2>err.txt && fail "$line: planned"
    grep -q '^stillpoint: m\.lua:[234]: ' err.txt && grep -qF -- "$spelling" err.txt || { cat err.txt >&2; fail "$line"; }
done <statements.txt
# whole TEXT SPELLING: a text that is no Lua, or nearly
whole() {
    printf '%b' "$1" >m.lua
    "$STILLPOINT" plan m.lua >out.txt 2>err.txt && fail "$1: planned"
    grep -qF -- "$2" err.txt || { cat err.txt >&2; fail "$1"; }
}
whole '{ "seed": 1, "n": [1, 2] }' JSON
whole 'seed: 1\nproblem:\n  loss: logistic\n' YAML
whole '{ seed = 1 }' 'return { ... }'
whole 'local e = { seed = 1 }' 'return { ... }'
whole 'return { seed = 1\n  replicates = 2 }' comma
whole 'return { seed = 1, problem = { n = 1 } privacy = "none" }' comma
whole 'return { seed = 1 }\nend' 'end'
whole 'return { seed = 1, problem = { n = { [0] = 1, 2 } } }' '[1]'
whole '\377\376r\000e\000' UTF-16
# A byte order mark of UTF-8 is none of Lua's, and no harm.
experiment '' >plain.lua
{ printf '\357\273\277'; cat plain.lua; } >mark.lua
"$STILLPOINT" plan plain.lua >wanted.txt && "$STILLPOINT" plan mark.lua | diff wanted.txt - || fail "a byte order mark"

# Of many, those that a message has room for, and how many are left.
{
    echo 'local f = {}'
    echo 'for i = 1, 60 do f[i] = { name = "f" .. i, kind = "rate", x = "n", y = "objective" } end'
    echo 'return { seed = 1, measures = { "objective" }, privacy = { epsilon = 1, delta = 1e-6 }, figures = f,'
    echo '  algorithms = { { "dp_gd" } }, problem = { loss = "pseudo_huber", data = "signs", n = { 10, 20 }, d = { 5, 6 } } }'
} >many.lua
"$STILLPOINT" plan many.lua >out.txt 2>err.txt && fail "many mistakes: planned"
shown=$(grep -c '^  many\.lua:3: figures\[' err.txt)
[ "$(sed -n 1p err.txt)" = "stillpoint: many.lua: 60 mistakes:" ] && [ $shown -ge 20 ] &&
    [ "$(tail -n 1 err.txt)" = "  and $((60 - shown)) more" ] || { cat err.txt >&2; fail "many mistakes: the list"; }
# Cells without an x are on no curve of a rate.
cat >without_x.lua <<'LUA'
return { seed = 1, replicates = 2, measures = { "objective" },
  problem = { loss = "pseudo_huber", data = "signs", n = 100, d = 5 }, privacy = { epsilon = { 1, 2, 4 }, delta = 1e-6 },
  algorithms = { { "dp_gd" }, { "gd", steps = { 5, 10 } } },
  figures = { { name = "a", kind = "rate", x = "epsilon", y = "objective" } } }
LUA
"$STILLPOINT" run without_x.lua --quiet || fail "a rate beside a method without its x"
[ -s plots/without_x/a.svg ] || fail "a rate beside a method without its x is not drawn"
rm -r results plots
# What several sweeps have in common is one mistake.
cat >common.lua <<'LUA'
return { seed = 1, measures = { "objective" }, privacy = { epsilon = 1, delta = 1e-6 }, algorithms = { { "dp_gdd" } },
  problem = { loss = "pseudo_huber", data = "signs", n = 100, d = 5 }, sweeps = { a = {}, b = { replicates = 6 } } }
LUA
"$STILLPOINT" plan common.lua >out.txt 2>err.txt && fail "a mistake in common: planned"
echo 'stillpoint: common.lua:1: algorithms[1] = "dp_gdd": no such algorithm; did you mean dp_gd?' | diff - err.txt ||
    fail "a mistake in common"

# --- allowed, and probably not meant ---
cat >advice.lua <<'LUA'
return { seed = 1, replicates = 2, measures = { "objective", "accuracy" },
  problem = { loss = "pseudo_huber", data = { "signs", mean = 0.5 }, n = { 100, 200 }, d = 5 },
  privacy = { epsilon = 30, delta = 0.1 },
  algorithms = { { "dp_gd", steps = 5, tune = { eta = { 1e-4, 2e-4 } } } },
  claims = { { algorithm = "dp_gd", y = "objective", x = "n", exponent = -1/2, mode = "theory" } } }
LUA
cat >wanted.txt <<'END'
advice: sweep main: no problem has accuracy: accuracy needs a GLM loss with labels -1 and +1
advice: the claim about main/dp_gd: 2 values of n, a slope needs 3
advice: the claim about main/dp_gd: 2 replicates, an interval needs 5
advice: the claim about main/dp_gd: no run without noise (privacy = { noise = "off" }) says what the schedule alone leaves
advice: delta is above 1/n in 2 cells, from main/dp_gd on (0.1, n = 100): to publish one record in n whole would be allowed
advice: epsilon is above 20 in 2 cells, from main/dp_gd on (30): it promises next to nothing
END
"$STILLPOINT" plan advice.lua >out.txt || fail "plan advice"
grep '^advice: ' out.txt | diff wanted.txt - || fail "advice of plan"
"$STILLPOINT" run advice.lua >out.txt 2>err.txt || fail "run advice"
echo "advice: main/dp_gd: at 2 of 2 points the winner is at an end (eta on the edge of its grid): the optimum may be" \
    "further out" >>wanted.txt
grep "^advice: [a-z]" err.txt | grep -v "vacuous parameters" | diff wanted.txt - || fail "advice of run"
"$STILLPOINT" run advice.lua --quiet >out.txt 2>err.txt || fail "run advice --quiet"
[ ! -s out.txt ] && [ ! -s err.txt ] || fail "advice in spite of --quiet"
"$STILLPOINT" plan advice.lua | grep -q 'winner: eta=0.0002 (eta on the edge of its grid)' || fail "the edge in plan"

sed 's/tune = { eta = { 1e-4, 2e-4 } } }/tune = { eta = { 1e-4, 2e-4 } } }, { "gd", steps = 2 }/' advice.lua >two_labels.lua
"$STILLPOINT" run two_labels.lua --quiet --no-plot || fail "run two_labels"
"$STILLPOINT" compare two_labels gd >out.txt || fail "compare two_labels"
grep '^advice: ' out.txt >said.txt || true
tail -n 1 wanted.txt | diff - said.txt || fail "compare does not say that a winner is at the end of its grid"
"$STILLPOINT" compare two_labels gd --quiet | grep -q '^advice: ' && fail "compare --quiet says more than its summary"
"$STILLPOINT" plot two_labels.lua 2>&1 | grep '^advice: .*at an end' | diff said.txt - || fail "plot, of the edge"

# --- a method that never leaves its start: named by all that show runs; who moves is not, nor who is there to stay ---
cat >still.lua <<'LUA'
return { seed = 1, replicates = 3, measures = { "objective", "grad_norm", "accuracy" },
  problem = { loss = "logistic", data = "logistic", n = { 100, 200 }, d = 5 }, privacy = { epsilon = 1, delta = 1e-6 },
  algorithms = { { "dp_gd", steps = 5, eta = 1e-300 }, { "dp_gd", label = "moves", steps = 5 }, { "start" } } }
LUA
echo 'advice: main/dp_gd: never leaves its start: all measures of its 6 runs are as they were there' >wanted.txt
"$STILLPOINT" plan still.lua | grep 'never leaves' && fail "told before anything has run"
"$STILLPOINT" run still.lua >out.txt 2>err.txt || fail "run still"
grep 'never leaves' err.txt | diff wanted.txt - || fail "run does not say who never leaves its start"
for verb in plan status plot; do
    "$STILLPOINT" $verb still.lua 2>&1 | grep 'never leaves' | diff wanted.txt - || fail "$verb, of a method that stays"
done
"$STILLPOINT" status still.lua --plain 2>&1 | grep -q advice && fail "status --plain gives advice"
"$STILLPOINT" status still.lua --only moves | grep -q advice && fail "status of another method"

# --- nothing to run is no success ---
cat >skipped.lua <<'LUA'
return { seed = 1, replicates = 2, measures = { "objective" }, algorithms = { { "prox_md" } },
  problem = { loss = "logistic", data = "logistic", n = 100, d = 5, domain = { "l2_ball", radius = 1 } },
  privacy = { epsilon = 1, delta = 1e-6 } }
LUA
code=0
"$STILLPOINT" run skipped.lua --quiet >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] || fail "all cells skipped: exit code $code"
grep -qx 'stillpoint: skipped.lua: every cell is skipped (prox_md: F is convex: use phased_sgd or dp_sgd): nothing has run' \
    err.txt || { cat err.txt >&2; fail "all cells skipped: what is said"; }

# --- a method that runs nowhere is an error, also under --quiet; the others have run ---
sed 's/{ "prox_md" }/{ "prox_md" }, { "dp_gd", steps = 3 }/' skipped.lua >nowhere.lua
code=0
"$STILLPOINT" run nowhere.lua --quiet --no-plot >out.txt 2>err.txt || code=$?
[ $code -eq 1 ] || fail "a method that runs nowhere: exit code $code"
tail -n 1 err.txt | grep -q 'prox_md: prox_md: F is convex.*--allow-skipped' || { cat err.txt >&2; fail "a method that runs nowhere"; }
[ "$(grep -c '	ok	' results/nowhere/runs.tsv)" -eq 2 ] || fail "the others have not run"
"$STILLPOINT" run nowhere.lua --quiet --no-plot --allow-skipped || fail "--allow-skipped"

# --- a figure that cannot be drawn does not stop the others ---
cat >two.lua <<'LUA'
return { seed = 1, replicates = 2, measures = { "objective" }, algorithms = { { "dp_gd" } },
  problem = { loss = "pseudo_huber", data = "signs", n = { 100, 200, 400 }, d = 5 },
  privacy = { epsilon = 1, delta = 1e-6 },
  figures = { { name = "a", kind = "rate", x = "n", y = "objective" },
              { name = "b", kind = "rate", x = "n", y = "objective" } } }
LUA
mkdir -p plots/two/a.svg # in its place
code=0
"$STILLPOINT" run two.lua --quiet 2>err.txt || code=$?
[ $code -eq 1 ] && grep -q 'a\.svg' err.txt || { cat err.txt >&2; fail "a figure that cannot be drawn: exit code $code"; }
[ -s plots/two/b.svg ] || fail "the second figure is not drawn"
