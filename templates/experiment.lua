-- NAME.lua -- FILL: one question, and how long the answer takes. As it stands: some seconds.
return {
  question   = "FILL: How does the gradient norm fall with n?",
  seed       = 1,  -- FILL: any number
  replicates = 4,
  problem    = {
    loss = { "barron", q = 0.5 },            -- FILL: stillpoint list losses; describe NAME shows parameters
    data = { "linear", norm = 2 },           -- FILL: a generator, a data set, or { file = "mine.csv" }
    n    = { 1000, 3000, 10000 }, d = 10,    -- a list is a sweep
  },
  privacy    = { epsilon = 1, delta = function (c) return 1 / c.n ^ 2 end },
  algorithms = { { "gd", steps = 500 }, { "dp_gd" }, { "dp_spider" } },    -- FILL: stillpoint list algorithms
  measures   = { "grad_norm", "excess_risk" },                             -- FILL: stillpoint list measures
  figures    = {
    { name = "NAME", kind = "rate", x = "n", y = "grad_norm" },
  },
  scales     = { smoke = { replicates = 2, problem = { n = { 1000, 3000 } } } },
}
