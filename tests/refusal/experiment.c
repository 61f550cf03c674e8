/* experiment.c -- what is wrong in an experiment is refused before anything runs, with its file, its place and, for a
 * typo, the nearest known name. */
#include "tests/check.h"
#include "tests/experiment.h"

/* A good experiment around one changed part. */
#define PROBLEM "problem = { loss = 'pseudo_huber', n = 100, d = 3 }"
#define PRIVACY "privacy = { epsilon = 1, delta = 1e-6 }"
#define METHODS "algorithms = { { 'dp_gd', steps = 3 } }"
#define MEASURES "measures = { 'grad_norm' }"
#define WITH_PROBLEM(text) "return { seed = 1, problem = { " text " }, " PRIVACY ", " METHODS ", " MEASURES " }"
#define WITH_DATA(text) WITH_PROBLEM("loss = 'logistic', data = { " text " }")
#define WITH_PRIVACY(text) "return { seed = 1, privacy = " text ", " PROBLEM ", " METHODS ", " MEASURES " }"
#define WITH_METHODS(text) "return { seed = 1, algorithms = " text ", " PROBLEM ", " PRIVACY ", " MEASURES " }"
#define WITH(text) "return { " text ", " PROBLEM ", " PRIVACY ", " METHODS ", " MEASURES " }"
#define AND(text) WITH("seed = 1, " text)
#define SWEPT(text)                                                                                        \
    "return { seed = 1, problem = { loss = 'pseudo_huber', n = { 100, 200 }, d = 3 }, " PRIVACY ", " METHODS \
    ", " MEASURES ", " text " }"
#define CLAIM(text) SWEPT("claims = { { " text " } }")
#define FIGURE(text) SWEPT("figures = { { " text " } }")
#define WARM(first, second) WITH_METHODS("{ { 'warm_start', first = " first ", second = " second " } }")
#define MEAN "{ 'dp_gd', select = 'mean' }"
#define BEST(method, grid) WITH_METHODS("{ { 'private_tuning', method = " method ", grid = '" grid "' } }")
#define TUNE(text) WITH_METHODS("{ { 'dp_gd', label = 'a', tune = " text " } }")
#define TUNED(text) WITH_METHODS("{ { 'dp_gd', label = 'a', tune = { eta = { 1, 2 } } }, " text " }")
#define BEFORE(text) text " " AND("replicates = 1")

static const struct {
    const char *text, *message;
} bad[] = {
    /* a mean over iterates is measured where the method's answer is one of them, and nothing goes on from it */
    { WARM(MEAN, "'dp_gd'"), "algorithms[1].first: select = \"mean\" is no answer to go on from" },
    { WARM("{ 'jl_glm', base = " MEAN " }", "'dp_gd'"), "algorithms[1].first: select = \"mean\" is no answer" },
    { WARM("'dp_gd'", "{ 'warm_start', first = " MEAN ", second = 'dp_gd' }"),
      "algorithms[1].second.first: select = " },
    { WARM("{ 'warm_start', first = 'dp_gd', second = " MEAN " }", "'dp_gd'"), "algorithms[1].first: select = " },
    { WITH_METHODS("{ { 'dp_sgd_hp', select = 'mean' } }"),
      "algorithms[1].select = \"mean\": must be one of uniform, min_release, average, last" },
    { WITH_METHODS("{ { 'phased_sgd', select = 'mean' } }"), "algorithms[1].select: unknown key" },
    /* of several runs one answer is kept, and their parameters are checked before anything runs */
    { BEST(MEAN, ""), "algorithms[1].method: select = \"mean\" is no answer to go on from" },
    { BEST("'dp_gd'", "steps=1,2 etta=3"), "algorithms[1].grid.etta: unknown key; did you mean eta?" },
    { BEST("'dp_gd'", "steps=1,0.5"), "algorithms[1].grid.steps = 0.5: must be a whole number" },
    { BEST("{ 'dp_gd', steps = 3 }", "steps=1,2"), "algorithms[1].grid: steps is given already, or twice" },
    { WARM("'dp_gd'", "{ 'private_tuning', method = 'dp_gd', grid = 'steps' }"),
      "algorithms[1].second.grid: \"steps\" is not KEY=VALUE,VALUE,..." },
    { WITH_METHODS("{ { 'private_tuning', method = 'dp_gd', tries = 1 } }"),
      "algorithms[1].tries = 1: must be at least" },
    /* the text */
    { "return {\n  seed = 1\n  problem = 2 }", "x.lua:3:" },
    { "local a = 1\nreturn a.b.c", "x.lua:2:" },
    { "", "an experiment returns one table, this one returned nothing" },
    { "return 3", "an experiment returns one table, this one returned number" },
    { "error({})", "error without a text" },
    { "return { seed = 1, 'x', 'y' }", "at most one value without a key" },
    { "return { problem = { 3, loss = 1 } }", "problem: a table with keys" },
    { "return { seed = { 1, nil, 3, [7] = 2 } }", "seed: a list with a hole" },
    { "return { [1.5] = 2 }", "the experiment: a list with a hole" },
    { "return { question = 'a\\0b' }", "question: a text with a NUL byte" },
    { "return { seed = coroutine }", "undefined name 'coroutine'" },
    { "local t = {} t.problem = t return t", "tables inside each other" },
    { "local t = { 1, 2 } for i = 1, 25 do t = { t, t } end return t", "more than 1000000 values" },
    { "while true do end", "x.lua:1: stopped after 100000000 instructions" },
    { "local function f() return f() end f()", "stopped after 100000000 instructions" },
    { "local function f() return 1 + f() end f()", "stack overflow" },
    { "return string.rep('x', 1 << 29)", "uses more than 256 MiB" },
    { "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "uses more than 256 MiB" },
    { "\x1bLua\x54\x00", "attempt to load a binary chunk" },
    /* the closed environment */
    { BEFORE("dofile('x.lua')"), "x.lua:1: undefined name 'dofile'" },
    { BEFORE("load('return 1')"), "undefined name 'load'" },
    { BEFORE("loadfile('x.lua')"), "undefined name 'loadfile'" },
    { BEFORE("loadstring('x')"), "undefined name 'loadstring'" },
    { BEFORE("require('os')"), "undefined name 'require'" },
    { BEFORE("collectgarbage()"), "undefined name 'collectgarbage'" },
    { BEFORE("print(1)"), "undefined name 'print'" },
    { BEFORE("warn('x')"), "undefined name 'warn'" },
    { BEFORE("pcall(error)"), "undefined name 'pcall'" },
    { BEFORE("xpcall(error, error)"), "undefined name 'xpcall'" },
    { BEFORE("setmetatable({}, {})"), "undefined name 'setmetatable'" },
    { BEFORE("getmetatable('')"), "undefined name 'getmetatable'" },
    { BEFORE("next({})"), "undefined name 'next'" },
    { BEFORE("os.time()"), "undefined name 'os'" },
    { BEFORE("io.open('x')"), "undefined name 'io'" },
    { BEFORE("debug.getinfo(1)"), "undefined name 'debug'" },
    { BEFORE("package.path = ''"), "undefined name 'package'" },
    { BEFORE("math.random()"), "undefined name 'math.random'" },
    { BEFORE("math.randomseed(1)"), "undefined name 'math.randomseed'" },
    { BEFORE("local x = math.sqr(2)"), "undefined name 'math.sqr'; did you mean math.sqrt?" },
    { BEFORE("string.dump(include)"), "undefined name 'string.dump'" },
    { BEFORE("local f = (''):load()"), "undefined name 'string.load'" },
    /* what differs from run to run */
    { BEFORE("local x = string.format('%p', {})"), "x.lua:1: string.format: %p is an address" },
    { BEFORE("local x = ('%d %-20p'):format(1, 'x')"), "string.format: %p is an address" },
    { BEFORE("local x = ('%d %% %s'):format(1, {})"), "string.format: a table as text is its address" },
    { BEFORE("local x = ('%5.1s'):format(include)"), "string.format: a function as text is its address" },
    { BEFORE("local x = tostring({})"), "x.lua:1: tostring: a table as text is its address" },
    { BEFORE("local x = tostring(tostring)"), "tostring: a function as text is its address" },
    { BEFORE("local x = tostring()"), "value expected" },
    { BEFORE("local x = ('%s'):format()"), "no value" },
    { BEFORE("local x = ('%y'):format(1)"), "invalid conversion '%y'" },
    { BEFORE("table.sort({ 1, 'a' })"), "attempt to compare" },
    { BEFORE("local x = sqrt(2)"), "undefined name 'sqrt'; did you mean math.sqrt?" },
    { BEFORE("local x = tonumbr('2')"), "undefined name 'tonumbr'; did you mean tonumber?" },
    { BEFORE("include 'none.lua'"), "x.lua:1: include \"none.lua\": No such file" },
    { BEFORE("include 'x.lua'"), "include \"x.lua\": includes itself" },
    { BEFORE("include '/etc/passwd'"), "outside the experiment's folder" },
    { BEFORE("include '../../etc/passwd'"), "outside the experiment's folder" },
    { BEFORE("include 'away.lua'"), "outside the experiment's folder" },
    { BEFORE("include 'broken.lua'"), "broken.lua:2:" },
    { BEFORE("include 'a.lua'"), "a.lua\": includes itself" },
    { BEFORE("include(nil)"), "string expected" },
    /* keys */
    { "return { " PROBLEM ", " PRIVACY ", " METHODS ", " MEASURES " }", "x.lua: seed: missing" },
    { AND("replicats = 2"), "x.lua:1: replicats: unknown key; did you mean replicates?" },
    { WITH_PRIVACY("{ epsilom = 1, delta = 1e-6 }"), "x.lua:1: privacy.epsilom: unknown key; did you mean epsilon?" },
    { WITH_PROBLEM("los = 'pseudo_huber', n = 5, d = 2"), "problem.los: unknown key; did you mean loss?" },
    { WITH_PROBLEM("loss = { 'pseudo_huber', scal = 2 }, n = 5, d = 2"),
      "problem.loss.scal: unknown key; did you mean scale?" },
    { WITH_PROBLEM("loss = { 'huber_ramp', { 'barron', k = 2 } }, n = 5, d = 2"), "problem.loss[2].k: unknown key" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 5, d = 2, declared = { gapp = 2 }"),
      "problem.declared.gapp: unknown key; did you mean gap?" },
    { WITH_METHODS("{ { 'gd' }, { 'dp_gd', etaa = 1 } }"),
      "x.lua:1: algorithms[2].etaa: unknown key; did you mean eta?" },
    { AND("scales = { smoke = { replicats = 2 } }"), "scales.smoke.replicats: unknown key; did you mean replicates?" },
    { AND("scales = { full = { problem = { nn = 2 } } }"), "scales.full.problem.nn: unknown key" },
    { AND("scales = { full = { seed = 2 } }"), "scales.full.seed: belongs to the whole experiment" },
    { AND("scales = { default = {} }"), "scales.default: a scale's name" },
    { AND("sweeps = { a = { privacy = { delt = 2 } } }"), "sweeps.a.privacy.delt: unknown key; did you mean delta?" },
    { AND("sweeps = { a = { sweeps = {} } }"), "sweeps.a.sweeps: belongs to the whole experiment" },
    { AND("sweeps = { a = {} }, claims = {}"), "claims: belongs into a sweep here (sweeps.a.claims)" },
    { AND("sweeps = { a = {} }, figures = {}"), "figures: belongs into a sweep here" },
    { AND("sweeps = {}"), "sweeps: no sweep" },
    { AND("sweeps = { ['A b'] = {} }"), "a sweep's name is of a-z" },
    { AND("sweeps = 3"), "sweeps: must be a table" },
    /* scalars of the experiment */
    { WITH("seed = -1"), "seed = -1" },
    { WITH("seed = 1.5"), "seed = 1.5: must be a whole number" },
    { WITH("seed = 'x'"), "seed = \"x\": must be a whole number" },
    { WITH("seed = { 1, 2 }"), "seed: must be a single value, not a table" },
    { AND("replicates = 0"), "replicates = 0" },
    { AND("checkpoints = -1"), "checkpoints = -1" },
    { AND("question = 3"), "question = 3: must be a text" },
    /* problem */
    { "return { seed = 1, " PRIVACY ", " METHODS ", " MEASURES " }", "x.lua: problem: missing" },
    { WITH_PROBLEM("n = 5, d = 2"), "problem.loss: missing" },
    { WITH_PROBLEM("'wang_xu_ijcnn'"), "problem = \"wang_xu_ijcnn\": no such problem; did you mean wang_xu_ijcnn1?" },
    { WITH_PROBLEM("'wang_xu_ijcnn1', 'xyzzy'"), "problem[2] = \"xyzzy\": no such problem" },
    { WITH_PROBLEM("'wang_xu_ijcnn1', d = 3"), "problem.d: the data decide d (22)" },
    { WITH_PROBLEM("'wang_xu_ijcnn1', lambda = 3"), "problem.lambda: unknown key" },
    { WITH_PROBLEM("'wang_xu_ijcnn1', 'wang_xu_covtype', n = 9"), "problem" },
    { AND("scales = { smoke = { problem = 'xyzzy' } }"), "scales.smoke.problem = \"xyzzy\": no such problem" },
    { WITH_PROBLEM("loss = 'logistc', n = 5, d = 2"),
      "problem.loss = \"logistc\": no such loss; did you mean logistic?" },
    { WITH_PROBLEM("loss = { 'huber_ramp', 'logistc' }, n = 5, d = 2"), "problem.loss[2] = \"logistc\"" },
    { WITH_PROBLEM("loss = 'xyzzy', n = 5, d = 2"), "known: absolute, absolute_sigmoid, barron, " },
    { WITH_PROBLEM("loss = 3, n = 5, d = 2"), "problem.loss: must be a loss" },
    { WITH_PROBLEM("loss = { 'barron', q = { 0.5, 2 } }, n = 5, d = 2"), "problem.loss.q = 2" },
    { WITH_PROBLEM("loss = { 'barron', q = 'x' }, n = 5, d = 2"), "problem.loss.q = \"x\": must be a number" },
    { WITH_PROBLEM("loss = 'pseudo_huber', d = 2"), "problem.n: missing" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 2"), "problem.d: missing" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 0, d = 2"), "problem.n = 0" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 2.5, d = 2"), "problem.n = 2.5: must be a whole number" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = math.huge, d = 2"), "problem.n = inf" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = { 10, 20, -3 }, d = 2"), "problem.n = -3" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = {}, d = 2"), "problem.n: an empty list" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 10000001"),
      "problem.d = 10000001: must be at least 1 and at most 10000000" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = function () return 2 end"),
      "problem.d: must be a single value" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, regulariser = 'nonconvx'"), "did you mean nonconvex?" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, regulariser = 'l2'"), "problem.regulariser.lambda: missing" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, regulariser = { 'l2', lambda = -1 }"),
      "problem.regulariser.lambda = -1" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, domain = 'l2_bal'"), "did you mean l2_ball?" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, domain = { 'l2_ball', radius = -1 }"),
      "problem.domain.radius = -1" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, start = 'zer'"), "did you mean zero?" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, start = 'constant'"), "problem.start.value: missing" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, declared = { L_data = 1e-9 }"), "problem.declared.L_data" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = 10, d = 2, declared = 3"), "problem.declared: must be a table" },
    { WITH_DATA("'sings'"), "did you mean signs?" },
    { WITH_DATA("'ijcnn2'"), "problem.data = \"ijcnn2\": no such data; did you mean ijcnn1?" },
    { WITH_DATA("'ijcnn1', tst = 0.5"), "problem.data.tst: unknown key; did you mean test?" },
    { WITH_DATA("'ijcnn1', test = 1"), "problem.data.test = 1" },
    { WITH_DATA("'ijcnn1', normalise = 'l3'"), "problem.data.normalise = \"l3\"" },
    { WITH_DATA("'ijcnn1', normalise = 'none'"), "problem.data.radius: missing" },
    { WITH_DATA("'ijcnn1', radius = 2"), "problem.data.radius: normalise = \"l2\" makes" },
    { WITH_PROBLEM("loss = 'logistic', data = 'ijcnn1', d = 22"), "problem.d: the data decide d (22)" },
    { WITH_PROBLEM("loss = 'logistic', data = 'ijcnn1', n = 4e7"), "problem.n = 40000000: the data have " },
    { WITH_DATA("file = 'none.csv', format = 'csv'"), "x.lua: problem.data.file: none.csv: " },
    { WITH_DATA("file = 'none.csv'"), "x.lua: problem.data.file: none.csv: No such file or directory" },
    { WITH_DATA("file = ''"), "problem.data.file = \"\": must be a path" },
    { WITH_DATA("file = 'none.csv', format = 'cvs'"), "problem.data.format = \"cvs\"" },
    { WITH_DATA("file = 'none.csv', format = 'csv', delimiter = '::'"),
      "problem.data.delimiter = \"::\": must be one character" },
    { WITH_DATA("file = 'none.csv', label_column = 1"), "problem.data.label_column: unknown key; known keys: file" },
    { WITH_DATA("file = 'none.csv', negative = 0"), "problem.data.negative: needs `positive`" },
    { WITH_DATA("file = 'none.csv', categorical = { true }"), "problem.data.categorical[1]: must be a column" },
    { WITH_DATA("file = 'none.csv', omit = { 'a\"b' }"), "problem.data.omit: name a column with quotes" },
    { WITH_DATA("file = 'none.csv', delimiter = '\"'"), "problem.data.delimiter: a quote holds fields together" },
    { WITH_DATA("file = 'none.csv', missing = 'ignore'"),
      "problem.data.missing = \"ignore\": must be one of refuse, drop" },
    { WITH_DATA("file = 'none\\n.csv', format = 'csv'"), "problem.data.file: must be a text of one line" },
    /* privacy */
    { "return { seed = 1, " PROBLEM ", " METHODS ", " MEASURES " }", "privacy: missing" },
    { WITH_PRIVACY("'nome'"), "privacy: must be \"none\" or {" },
    { WITH_PRIVACY("3"), "privacy: must be a table" },
    { WITH_PRIVACY("{ delta = 1e-6 }"), "privacy.epsilon: missing" },
    { WITH_PRIVACY("{ epsilon = 1 }"), "privacy.delta: missing" },
    { WITH_PRIVACY("{ epsilon = 0, delta = 1e-6 }"), "privacy.epsilon = 0: must be positive" },
    { WITH_PRIVACY("{ epsilon = { 1, -2 }, delta = 1e-6 }"), "privacy.epsilon = -2" },
    { WITH_PRIVACY("{ epsilon = math.huge, delta = 1e-6 }"), "privacy.epsilon = inf" },
    { WITH_PRIVACY("{ epsilon = 0 / 0, delta = 1e-6 }"), "privacy.epsilon = nan" },
    { WITH_PRIVACY("{ epsilon = 1, delta = 1 }"), "privacy.delta = 1: must be in (0, 1)" },
    { WITH_PRIVACY("{ epsilon = 1, delta = 0 }"), "privacy.delta = 0: must be in (0, 1)" },
    { WITH_PRIVACY("{ epsilon = 1, delta = 1e-6, calibration = 'tigth' }"), "privacy.calibration = \"tigth\"" },
    { WITH_PRIVACY("{ epsilon = 1, delta = 1e-6, neighbours = 'add_remov' }"), "privacy.neighbours = \"add_remov\"" },
    { WITH_PRIVACY("{ epsilon = 1, delta = 1e-6, noise = true }"), "privacy.noise = true: must be one of on, off" },
    { WITH_METHODS("{ { 'dp_gd', privacy = { epsilom = 2 } } }"), "algorithms[1].privacy.epsilom: unknown key" },
    /* algorithms, measures */
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " MEASURES " }", "algorithms: missing" },
    { WITH_METHODS("{}"), "algorithms: must be a list" },
    { WITH_METHODS("{ 'dp_gd', steps = 3 }"), "algorithms: must be a list" },
    { WITH_METHODS("{ { 'gd', 'dp_gd' } }"), "algorithms[1]: must be { \"name\", parameter = value }" },
    { WITH_METHODS("{ { 'gd' }, { 'dp_gf' } }"), "algorithms[2] = \"dp_gf\": no such algorithm; did you mean dp_gd?" },
    { WITH_METHODS("{ { 'dp_gd', steps = 2.5 } }"), "algorithms[1].steps = 2.5: must be a whole number" },
    { WITH_METHODS("{ { 'dp_gd', eta = { 1, 0 } } }"), "algorithms[1].eta = 0: must be positive" },
    { WITH_METHODS("{ { 'dp_gd', eta = { a = 1 } } }"), "algorithms[1].eta: must be a single value, not a table" },
    { WITH_METHODS("{ { 'dp_gd', label = 3 } }"), "algorithms[1].label: must be a text of one line" },
    { WITH_METHODS("{ { 'dp_gd', label = '' } }"), "algorithms[1].label: must be a text of one line" },
    { WITH_METHODS("{ { 'dp_gd', label = '=1+2' } }"), "algorithms[1].label = \"=1+2\": begins like a spreadsheet's" },
    { WITH_METHODS("{ { 'dp_gd', label = '@a' } }"), "algorithms[1].label = \"@a\": begins like a spreadsheet's" },
    { WITH_METHODS("{ { 'dp_gd', label = 'a\\tb' } }"), "algorithms[1].label: must be a text of one line" },
    { WITH_METHODS("{ { 'dp_gd', label = 'a\\27b' } }"), "algorithms[1].label: must be a text of one line" },
    { WITH_METHODS("{ { 'dp_gd', label = '-' } }"), "algorithms[1].label = \"-\": stands for no label" },
    { WITH_METHODS("{ { 'gd', privacy = 'none' } }"), "algorithms[1].privacy: gd is a reference without privacy" },
    { WITH_METHODS("{ 'dp_gd', { 'dp_gd', label = 'b' } }"), "algorithms[1] and algorithms[2] give the same cell" },
    { WITH_METHODS("{ { 'dp_gd', eta = { 1, 0.5, 1.0 } } }"),
      "algorithms[1].eta[1] and algorithms[1].eta[3] give the same cell (algorithm.eta = 1)" },
    { WITH_METHODS("{ { 'dp_gd', eta = { 2, 3 }, steps = { 7, 9, 7 } } }"),
      "algorithms[1].steps[1] and algorithms[1].steps[3] give the same cell (algorithm.steps = 7)" },
    { WITH_METHODS("{ { 'dp_gd', eta = { 2, function (c) return c.epsilon + 1 end }, steps = 7 } }"),
      "algorithms[1].eta[1] and algorithms[1].eta[2] give the same cell (algorithm.eta = 2)" },
    { WITH_METHODS("{ { 'gd', eta = { 2, 3 } }, { 'dp_gd', eta = { 3, 2, 3 }, privacy = { epsilon = { 4, 5 } } } }"),
      "algorithms[2].eta[1] and algorithms[2].eta[3] give the same cell (algorithm.eta = 3)" },
    { WITH_PRIVACY("{ epsilon = { 0.5, 2, 1 / 2 }, delta = 1e-6 }"),
      "privacy.epsilon[1] and privacy.epsilon[3] give the same cell (privacy.epsilon = 0.5)" },
    { WITH_PROBLEM("loss = { 'huber_ramp', slope = { 0.25, 0.5, 0.25 } }, family = 'loss.slope', n = 9, d = { 3, 4 },"
                   " declared = { L = 4, gap = 3, distance = 20 }"),
      "problem.loss.slope[1] and problem.loss.slope[3] give the same cell (problem.loss.slope = 0.25)" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = { 8, 9, 8 }, d = { 3, 4 }"),
      "problem.n[1] and problem.n[3] give the same cell (problem.n = 8)" },
    { WITH_METHODS("{ 7, 8 }"), "algorithms[1]: must be { \"name\", parameter = value }" },
    { WITH_METHODS("{ { 7 } }"), "algorithms[1]: must be { \"name\", parameter = value }" },
    { WITH_METHODS("{ { 'dp_gd', eta = { { 1, 2 }, 0 } } }"), "algorithms[1].eta = 0: must be positive" },
    { WITH_PROBLEM("loss = { 7, 8 }, n = 9, d = 3"), "problem.loss[1]: must be a loss" },
    { "return { seed = 1, problem = { 7, 8 }, " PRIVACY ", " METHODS ", " MEASURES " }", "problem" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " METHODS ", measures = { 7, 8 } }",
      "measures[1]: must be a name" },
    { SWEPT("claims = { 7, 8 }"), "claims[1]: must be a table" },
    { SWEPT("figures = { 7, 8 }"), "figures[1]: must be a table" },
    { FIGURE("name = 'f', kind = 'rate', x = 'n', y = { 7, 8 }"), "figures[1].y[1]: must be a measure's name" },
    { FIGURE("name = 'f', kind = 'rate', x = 'n', y = 'grad_norm', methods = { 7, 8 }"),
      "figures[1].methods[1]: must be a label" },
    { FIGURE("name = 'f', kind = 'rate', x = 'n', y = 'grad_norm', format = { 7, 8 }"),
      "figures[1].format[1]: must be svg, pdf, png" },
    { AND("plugins = { 'mine.so' }"), "--with FOLDER" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " METHODS " }", "measures: missing" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " METHODS ", measures = 'grad_norm' }",
      "measures: must be a list" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " METHODS ", measures = { 'objective', 'grad_nrom' } }",
      "measures[2] = \"grad_nrom\": no such measure; did you mean grad_norm?" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " METHODS ", measures = { 'objective', 'objective' } }",
      "measures[2]: objective stands in measures[1] already" },
    { "local n = {} for i = 1, 10001 do n[i] = i end " WITH_PROBLEM("loss = 'pseudo_huber', n = n, d = n"),
      "problem: more than 100000 combinations" },
    { "local n = {} for i = 1, 10001 do n[i] = i end return { seed = 1, problem ="
      " { loss = 'pseudo_huber', n = n, d = 3 }, " PRIVACY ", algorithms = { { 'dp_gd', steps = n }, 'gd' }, " MEASURES
      " }",
      "sweep main: 100030002 cells, more than 100000" },
    { "local n = {} for i = 1, 5000 do n[i] = i end return { seed = 1, problem ="
      " { loss = 'pseudo_huber', n = n, d = 3 }, " PRIVACY ","
      " algorithms = { { 'dp_gd', eta = n, tune = { steps = { 1, 2, 3 } } } }, " MEASURES " }",
      "sweep main: 125000000 cells with those of its grids, more than 100000" },
    /* functions */
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) return 1 / c.m end }"),
      "privacy.delta: x.lua:1: cell.m is not known here (known: algorithm, d, epsilon, loss, n, problem)" },
    { WITH_PRIVACY("{ epsilon = function (c) return c.delta end, delta = 1e-6 }"), "cell.delta is not known here" },
    { WITH_PROBLEM("loss = { 'pseudo_huber', scale = function (c) return c.loss end }, n = 5, d = 2"),
      "cell.loss is not known here" },
    { WITH_PROBLEM("loss = { 'pseudo_huber', scale = function (c) return c.problem.m end }, n = 5, d = 2"),
      "problem.m is not known here (known: d, n)" },
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) return 2 end }"), "privacy.delta = 2: must be in (0, 1)" },
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) end }"), "privacy.delta: " },
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) return {} end }"), "must return a number, a text or a flag" },
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) error('no luck') end }"), "x.lua:1: no luck" },
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) while true do end end }"), "stopped after" },
    { WITH_PRIVACY("{ epsilon = 1, delta = function (c) return include 'd.lua' end }"), "include works only while" },
    { AND("replicates = function () return 2 end"), "replicates: must be a single value, not a function" },
    /* claims, figures */
    { SWEPT("claims = 3"), "claims: must be a table" },
    { SWEPT("claims = { {} }"), "claims[1]: must be a table" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1"), "claims[1].mode: missing" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'guess'"),
      "claims[1].mode = \"guess\"" },
    { CLAIM("algorithm = 'dp_gb', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup'"),
      "claims[1].algorithm = \"dp_gb\"" },
    { CLAIM("algorithm = 'dp_gd', y = 'objective', x = 'n', exponent = -1, mode = 'sup'"),
      "claims[1].y = \"objective\": no such measure in this sweep" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'd', exponent = -1, mode = 'sup'"),
      "claims[1].x: d does not vary here (it is 3)" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'epsilo', exponent = -1, mode = 'sup'"),
      "did you mean epsilon?" },
    { "return { seed = 1, problem = { loss = { 'pseudo_huber', scale = { 1, 2 } }, n = 9, d = 3 }, " PRIVACY "," METHODS
      ", " MEASURES ","
      " claims = { { algorithm = 'dp_gd', y = 'grad_norm', x = 'scale', exponent = -1, mode = 'sup' } } }",
      "no such axis of numbers; known: algorithm, steps, delta, epsilon, d, loss, loss.scale, n" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'loss', exponent = -1, mode = 'sup'"),
      "claims[1].x = \"loss\": no such axis of numbers" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = math.huge, mode = 'sup'"),
      "claims[1].exponent = inf" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup', where = { epsilon = 3 }"),
      "claims[1].where.epsilon: no cell has epsilon = 3" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup', where = { n = 100 }"),
      "n does not vary here" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup'"),
      "claims[1].family: missing: mode sup is about the worst of a family" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup', family = 'loss.slop'"),
      "claims[1].family = \"loss.slop\": no such axis" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup', family = 'd'"),
      "claims[1].family: d does not vary here (it is 3)" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'inversion'"),
      "claims[1].alpha: missing" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'inversion', alpha = 'd'"),
      "claims[1].alpha: d does not vary here" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', alpha = 'd'"),
      "claims[1].alpha: belongs to mode inversion" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup', reach = 2"),
      "claims[1].reach: belongs to mode inversion" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'bound', share = 0.5"),
      "claims[1].share: belongs to mode inversion" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'inversion', alpha = 'n', log = 1"),
      "claims[1].log: mode inversion is about alpha itself" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'inversion', alpha = 'n',"
            " per = { steps = 1 }"),
      "claims[1].per: mode inversion is about alpha itself" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = 'bound', mode = 'inversion', alpha = 'n'"),
      "claims[1].exponent = \"bound\": mode inversion is about alpha" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', constant = 2"),
      "claims[1].constant: belongs to mode bound" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', tolerance = 0"),
      "claims[1].tolerance = 0" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', from = 200, to = 200"),
      "claims[1].to = 200: must be above from = 200" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', closed = 'top'"),
      "claims[1].closed = \"top\"" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', closed = 'low'"),
      "claims[1].closed: is about the ends of a family, and there is none here" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'sup', family = 'n'"),
      "claims[1].family = \"n\": is x itself" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', toward = 'one'"),
      "claims[1].toward = \"one\"" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', floor = -1"),
      "claims[1].floor = -1" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'bound', below = 'dp_gb'"),
      "claims[1].below = \"dp_gb\": no such algorithm in this sweep; did you mean dp_gd?" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'bound', below = 'dp_gd'"),
      "claims[1].below = \"dp_gd\": is this label itself" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory'"),
      "claims[1].exponent: missing (a number, or \"bound\")" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = 'bond'"),
      "claims[1].exponent = \"bond\": must be a number between -100 and 100, or \"bound\"" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = { 1 }"),
      "claims[1].exponent: must be a number" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, tolerance = 0.3"),
      "claims[1].tolerance = 0.3" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1/2, rival = -0.6"),
      "claims[1].tolerance = 0.05: must be less than half the distance to the rival -0.6, which is 0.1" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, rival = 101"),
      "claims[1].rival = 101" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, log = 11"),
      "claims[1].log = 11" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, per = 2"),
      "claims[1].per: must be a table { parameter = power }" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, per = { 'steps' }"),
      "claims[1].per: must be a table { parameter = power }" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, per = { steps = 'one' }"),
      "claims[1].per.steps: must be a number between -100 and 100" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, within = 2"),
      "claims[1].within: must be a table { measure = bound }" },
    { CLAIM(
          "algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, within = { grad_norm = -1 }"),
      "claims[1].within.grad_norm: must be a number between 0 and 1e+09" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, within = { gradnorm = 2 }"),
      "claims[1].within.gradnorm = \"gradnorm\": no such measure in this sweep; did you mean grad_norm?" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, control = 'dp_gb'"),
      "claims[1].control = \"dp_gb\": no such algorithm in this sweep; did you mean dp_gd?" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, control = 'dp_gd'"),
      "claims[1].control = \"dp_gd\": is this label itself" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, origin = 'us'"),
      "claims[1].origin = \"us\"" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, tight = 1"),
      "claims[1].tight" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'bound', exponent = -1, tight = true"),
      "claims[1].tight: mode bound has no better side" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', mode = 'theory', exponent = -1, source = 3"),
      "claims[1].source" },
    { "return { seed = 1, problem = { loss = 'pseudo_huber', n = { 100, 200 }, d = 3 }, " PRIVACY ", " MEASURES
      ", algorithms = { { 'dp_gd', steps = { 3, 5 }, select = 'mean' } }, claims = { { algorithm = 'dp_gd', x = 'n',"
      " y = 'grad_norm', exponent = -1, mode = 'inversion', alpha = 'steps' } } }",
      "claims[1].mode: inversion counts runs, and select = \"mean\" of dp_gd has means over iterates" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'mu', exponent = -1, mode = 'theory'"),
      "claims[1].x: mu does not vary here (it is 0.2" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'nu', exponent = -1, mode = 'theory'"), "claims[1].x = \"nu\"" },
    { FIGURE("name = 'a', kind = 'rate', x = 'rho', y = 'grad_norm'"), "figures[1].x: rho does not vary here" },
    { CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory', where = { mu = 1 }"),
      "claims[1].where.mu: no cell has mu = 1" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", " METHODS ", measures = { 'grad_norm', 'handover_gap' } }",
      "measures[2] = \"handover_gap\": no algorithm of this sweep hands a point over to another" },
    { CLAIM("algoritm = 'dp_gd'"), "claims[1].algoritm: unknown key; did you mean algorithm?" },
    { FIGURE("kind = 'rate', x = 'n', y = 'grad_norm'"), "figures[1].name: missing" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n', y = 'grad_norm', title = '=1+2'"),
      "figures[1].title = \"=1+2\": begins like a spreadsheet's" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n', y = 'grad_norm', x_label = '-a'"),
      "figures[1].x_label = \"-a\": begins like a spreadsheet's" },
    { FIGURE("name = 'A', kind = 'rate', x = 'n', y = 'grad_norm'"),
      "figures[1].name = \"A\": a figure's name is of a-z" },
    { FIGURE("name = 'a', kind = 'rat', x = 'n', y = 'grad_norm'"), "figures[1].kind = \"rat\"" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n'"), "figures[1].y: missing" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n', y = {}"), "figures[1].y: must be 1 to 6 measures" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n', y = 3"), "figures[1].y: must be a measure's name" },
    { FIGURE("name = 'a', kind = 'rate', y = 'grad_norm'"), "figures[1].x: missing" },
    { FIGURE("name = 'a', kind = 'residual', x = 'n', y = 'grad_norm'"),
      "figures[1]: kind residual needs a claim about grad_norm against n in this sweep" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n', y = { 'grad_norm', 'grad_norm' }"),
      "figures[1].y: kind rate shows one measure, here are 2" },
    { FIGURE("name = 'a', kind = 'residual', x = 'n', y = { 'grad_norm', 'grad_norm' }"),
      "figures[1].y: kind residual shows one measure, here are 2" },
    { FIGURE("name = 'a', kind = 'trade_off', x = 'd', y = 'grad_norm'"), "figures[1].x: d does not vary here" },
    { FIGURE("name = 'a', kind = 'trajectory', x = 'stpes', y = 'grad_norm'"), "did you mean steps?" },
    { FIGURE("name = 'a', kind = 'rate', x = 'n', y = 'grad_norm' }, "
             "{ name = 'a', kind = 'rate', x = 'n', y = 'grad_norm'"),
      "figures[2].name: there is a figure a already" },
    { FIGURE("name = 'a', kind = 'trajectory', y = 'grad_norm'"),
      "several cells of dp_gd differ in problem.n (100, 200)" },
};

/* families and tuning */
#define RAMP "loss = { 'huber_ramp', slope = { 0.5, 0.25 } }, n = 5, d = 2, "
static const struct {
    const char *text, *message;
} bad_tuning[] = {
    { WITH_PROBLEM(RAMP "family = { 'loss.slope' }"), "problem.family: must be the name of a list" },
    { WITH_PROBLEM(RAMP "family = 'loss.slop'"), "problem.family = \"loss.slop\": problem.loss.slop is no list" },
    { WITH_PROBLEM(RAMP "family = 'loss.tilt'"), "problem.family = \"loss.tilt\": problem.loss.tilt is no list" },
    { WITH_PROBLEM("loss = 'pseudo_huber', n = { 5, 7 }, d = 2, family = 'n'"), "n and d make no family" },
    { WITH_PROBLEM("loss = { 'huber_ramp', slope = { 0.5 } }, n = 5, d = 2, family = 'loss.slope'"), "is no list" },
    { WITH_PROBLEM("loss = { 'huber_ramp', slope = { 0.5, function (c) return 0.25 end } }, n = 5, d = 2, "
                   "family = 'loss.slope'"), "is no list of several numbers" },
    { WITH_PROBLEM("loss = { { 'huber_ramp', slope = 0.5 }, 'pseudo_huber' }, n = 5, d = 2, family = 'loss'"),
      "problem.family = \"loss\": problem.loss is no list of several numbers or names" },
    { WITH_PROBLEM(RAMP "family = 'loss.slope'"),
      "problem.declared.L: the members 0.5 and 0.25 of the family problem.loss.slope have " },
    { WITH_PROBLEM(RAMP "family = 'loss.slope', declared = { L = 3 }"),
      "problem.declared.gap: the members 0.5 and 0.25 of the family problem.loss.slope have 1.875 and 1.96875: " },
    { WITH_PROBLEM(RAMP "family = 'loss.slope', declared = { L = 3, gap = 2.5 }"), "problem.declared.distance: the" },
    { WITH_PROBLEM(RAMP "family = 'loss.slope', declared = { L = 3, gap = 1.9, distance = 50 }"),
      "problem.declared.gap = 1.9" }, /* below the second member's */
    { AND("tuning_replicates = 0"), "tuning_replicates = 0" },
    { AND("tuning_measure = 3"), "tuning_measure = 3: must be a text" },
    { AND("tuning_measure = 'grad_nor'"),
      "tuning_measure = \"grad_nor\": no such measure in this sweep; did you mean grad_norm?" },
    { "return { seed = 1, " PROBLEM ", " PRIVACY ", algorithms = { { 'dp_gd', tune = { eta = { 1, 2 } } } },"
      " measures = { 'accuracy', 'grad_norm' } }",
      "tuning_measure = \"accuracy\": cannot be computed on pseudo_huber" },
    { TUNE("3"), "algorithms[1].tune: must be a table { parameter = { values } }" },
    { TUNE("{}"), "algorithms[1].tune: must be a table" },
    { TUNE("{ { 1, 2 } }"), "algorithms[1].tune: must be a table" },
    { TUNE("{ eta = 2 }"), "algorithms[1].tune.eta: must be a list of values, or { times = { factors } }" },
    { TUNE("{ eta = {} }"), "algorithms[1].tune.eta: must be a list of values" },
    { TUNE("{ eta = { time = { 1, 2 } } }"), "algorithms[1].tune.eta: must be a list of values" },
    { TUNE("{ eta = { times = 2 } }"), "algorithms[1].tune.eta: must be a list of values" },
    { TUNE("{ eta = { times = {} } }"), "algorithms[1].tune.eta: must be a list of values" },
    { TUNE("{ etaa = { 1, 2 } }"), "algorithms[1].tune.etaa: unknown key; did you mean eta?" },
    { TUNE("{ eta = { 1, -2 } }"), "algorithms[1].tune.eta = -2" },
    { TUNE("{ eta = { 1, { 2, 3 } } }"), "algorithms[1].tune.eta[2]: must be a single value" },
    { TUNE("{ eta = { 1, 2, 1 } }"), "algorithms[1].tune.eta[3]: the same value as algorithms[1].tune.eta[1]" },
    { TUNE("{ eta = { 1, 'x' } }"), "algorithms[1].tune.eta = \"x\": must be a number" },
    { TUNE("{ select = { 'last', 'lst' } }"), "algorithms[1].tune.select = \"lst\"" },
    { TUNE("{ eta = { 1, function (c) return c.epsilo end } }"), "algorithms[1].tune.eta[2]: x.lua:1: cell.epsilo" },
    { TUNE("{ eta = { 1, function (c) return -c.n end } }"), "algorithms[1].eta = -100" },
    { TUNE("{ eta = { times = { 1, 0 } } }"), "algorithms[1].tune.eta.times[2]: a factor is a positive number" },
    { TUNE("{ eta = { times = { 1, function (c) return 2 end } } }"), "times[2]: a factor is a positive number" },
    { TUNE("{ select = { times = { 1, 2 } } }"), "tune.select.times: dp_gd derives nothing here to multiply" },
    { WITH_METHODS("{ { 'dp_gd', eta = 1, tune = { eta = { 1, 2 } } } }"),
      "algorithms[1].eta: given here, and tuned by algorithms[1].tune.eta" },
    { TUNED("{ 'dp_gd', tune = { eta = { 1, 2, 3 } } }"),
      "algorithms[2].tune: 3 grid points, algorithms[1].tune has 2: a fair comparison tunes every" },
    { TUNED("{ 'dp_gd', label = 'b', tune = 'c' }"),
      "algorithms[2].tune = \"c\": no such tuned algorithm in this sweep" },
    { TUNED("{ 'gd', label = 'b', tune = 'a' }"), "algorithms[2].tune = \"a\": that is dp_gd, this is gd" },
    { TUNED("{ 'dp_gd', label = 'b', eta = 1, tune = 'a' }"),
      "algorithms[2].eta: given here, and tuned by algorithms[1].tune.eta" },
    { TUNED("{ 'dp_gd', label = 'b', tune = 'a' }"), "give the same cell" },
};

static void refused(const char *text, const char *scale, const char *message)
{
    sp_plan plan = { 0 };
    sp_error error = { SP_OK, "" };
    const sp_status status = load_text(text, scale, &plan, &error);
    SP_CHECK_REPORT(status != SP_OK && error.status == status, "accepted: %s", text);
    SP_CHECK_REPORT(strstr(error.text, message), "%s\n  says \"%s\"\n  expected \"%s\"", text, error.text, message);
    SP_CHECK_REPORT(strncmp(error.text, "x.lua", 5) == 0, "no file in \"%s\"", error.text);
    CHECK(plan.arena == NULL && plan.cell == NULL);
    sp_plan_free(&plan);
}

int main(void)
{
    char folder[64];
    sp_plan plan;
    sp_error error;
    if (enter_folder(folder) != 0)
        return 1;
    write_text("broken.lua", "return {\n  1 2 }");
    write_text("a.lua", "return include 'b.lua'");
    write_text("b.lua", "return include 'a.lua'");
    if (symlink("/etc/passwd", "away.lua") != 0)
        return 1;
    sp_plan good;
    CHECK_EQUAL(load_text(AND("replicates = 1"), "default", &good, NULL), SP_OK); /* what the table varies is good */
    CHECK_EQUAL(good.cells, 1);
    sp_plan_free(&good);
    CHECK_EQUAL(load_text(CLAIM("algorithm = 'dp_gd', y = 'grad_norm', x = 'n', exponent = -1, mode = 'theory'"),
                          "default", &good, NULL), SP_OK);
    sp_plan_free(&good);
    CHECK_EQUAL(load_text(WARM("'dp_gd'", MEAN), "default", &good, NULL), SP_OK);
    sp_plan_free(&good);
    CHECK_EQUAL(load_text("return { seed = 1, " PROBLEM ", " PRIVACY ", measures = { 'grad_norm', 'handover_gap' },"
                          " algorithms = { { 'warm_start', first = 'dp_gd', second = 'dp_gd' }, 'dp_gd' } }",
                          "default", &good, NULL), SP_OK);
    if (good.cells == 2) { /* a method that hands nothing over has no such measure */
        CHECK_EQUAL(good.cell[0].measures, 2);
        CHECK_EQUAL(good.cell[1].measures, 1);
    }
    CHECK_EQUAL(good.cells, 2);
    sp_plan_free(&good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i].text, "default", bad[i].message);
    for (size_t i = 0; i < sizeof bad_tuning / sizeof *bad_tuning; i++)
        refused(bad_tuning[i].text, "default", bad_tuning[i].message);
    refused(AND("replicates = 1"), "smoke", "this experiment has no scale smoke (it has: default)");
    refused(AND("scales = { smoke = {}, tiny = {} }"), "full", "no scale full (it has: default, smoke, tiny)");

    CHECK_EQUAL(sp_plan_load("x.lua", "huge", &plan, NULL), SP_EINVAL); /* no message wanted */
    CHECK_EQUAL(sp_plan_load("none.lua", "default", &plan, &error), SP_EIO);
    CHECK_TEXT(error.text, "none.lua: No such file or directory");
    CHECK_EQUAL(sp_plan_load("empty", "default", &plan, &error), SP_EIO);
    CHECK_CONTAINS(error.text, "empty: Is a directory");
    write_text("a.b.lua", "return {}");
    CHECK_EQUAL(sp_plan_load("a.b.lua", "default", &plan, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "a.b.lua: an experiment's file name");
    write_bytes("nul.lua", "return { seed = 1 } \0", 21);
    CHECK_EQUAL(sp_plan_load("nul.lua", "default", &plan, &error), SP_EINVAL);
    CHECK_CONTAINS(error.text, "nul.lua:1:");
    leave_folder(folder);
    return sp_check_done();
}
