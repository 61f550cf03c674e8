-- NAME.lua -- FILL: one question. As it stands: NAME beside dp_gd, some seconds.
return {
  question   = "FILL: Does NAME leave a smaller gradient than dp_gd?",
  plugins    = { "NAME.so" },
  seed       = 1,  -- FILL: any number
  replicates = 4,
  problem    = { loss = { "barron", q = 0.5 }, data = { "linear", norm = 2 }, n = { 1000, 3000, 10000 }, d = 10 },
  privacy    = { epsilon = 1, delta = function (c) return 1 / c.n ^ 2 end },
  algorithms = { { "NAME" }, { "dp_gd" } },
  measures   = { "grad_norm", "excess_risk" },
  figures    = { { name = "NAME", kind = "rate", x = "n", y = "grad_norm" } },
  scales     = { smoke = { replicates = 2, problem = { n = { 1000, 3000 } } } },
}
