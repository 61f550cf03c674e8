-- quasar_convex.lua -- does the excess risk of private SGD on quasar-convex losses fall as sqrt(d) / n?
--
-- theory  the theorem's T and eta on one instance, against n (records) and against d (dimension). The last iterate is
--         returned: a uniform one meets the descent itself with probability ~ 1/sqrt(T), which at the theorem's eta
--         costs as much as the noise, whatever the noise is. The figures show the risk with its theory line and what
--         the same schedule leaves without noise.
-- scale   the same bowl at weights 2^0 to 2^-14 under one Lipschitz constant: steep members fear the noise, flat ones a
--         short path. The step size of n/8 steps is tuned at each n for the worst member, so that no exponent is put in
--         (their product is what matters: one of the two is enough). The figure shows the largest mean risk. Coarser
--         ladders of weights, whose tables are not kept, gave -0.995 (down to 2^-11, cut off at the largest n) and
--         -0.956 (factors of 2 to 2^-14).
-- Records enter by the noise alone (tilt = 0; its scale is that of L_data = 1). Two minutes on two cores.
local weight = {}
for k = 0, 28 do
  weight[#weight + 1] = 2 ^ (-k / 2)
end
local eta = {}
for k = 2, 9 do
  eta[#eta + 1] = 2 ^ (-k / 2)
end
local function all(c) return c.n end
local theorem = {
  { "dp_sgd", batch = all, epochs = 1e9, select = "last" },
  { "dp_sgd", batch = all, epochs = 1e9, select = "last", label = "noise-free", privacy = { noise = "off" } },
}

return {
  question   = "Does the excess risk of DP-SGD on quasar-convex losses fall as sqrt(d) / n?",
  source     = "Lowy, Ullman & Wright 2024, Alg. 3 and Prop. D.1",
  seed       = 20240605,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = { "radial", q = 0.5, tilt = 0 }, declared = { L = 1, L_data = 1 }, d = 10 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "excess_risk" },

  sweeps = {
    records = {
      replicates = 200,
      problem    = { n = { 1e3, 2e3, 4e3, 8e3, 1.6e4 } },
      algorithms = theorem,
      claims     = {
        { algorithm = "dp_sgd", y = "excess_risk", x = "n", exponent = -1, rival = -2/3, tolerance = 0.04,
          mode = "theory", source = "Lowy, Ullman & Wright 2024, Proposition D.1", control = "noise-free" },
      },
      figures    = {
        { name = "records", kind = "rate", x = "n", y = "excess_risk",
          title = "Excess risk with the theorem's parameters, a quasar-convex loss (q = 1/2)" },
      },
    },
    dimension = {
      replicates = 200,
      problem    = { n = 5e3, d = { 4, 8, 16, 32, 64, 128 } },
      algorithms = theorem,
      claims     = {
        { algorithm = "dp_sgd", y = "excess_risk", x = "d", exponent = 1/2, rival = 1/3, tolerance = 0.03,
          mode = "theory", source = "Lowy, Ullman & Wright 2024, Proposition D.1", control = "noise-free" },
      },
      figures    = {
        { name = "dimension", kind = "rate", x = "d", y = "excess_risk",
          title = "Excess risk against the dimension, n = 5,000, the theorem's parameters" },
      },
    },
    scale = {
      replicates = 40, tuning_replicates = 9,
      problem    = {
        loss = { "radial", q = 0.5, tilt = 0, weight = weight }, family = "loss.weight",
        declared = { gap = 0.5, beta = 1, rho_hessian = 1.2 }, n = { 1e3, 3e3, 1e4, 3e4, 1e5 },
      },
      algorithms = {
        { "dp_sgd", batch = all, select = "last", steps = function (c) return math.ceil(c.n / 8) end,
          tune = { eta = eta } },
      },
      claims     = {
        { algorithm = "dp_sgd", y = "excess_risk", x = "n", exponent = -1, rival = -2/3, tolerance = 0.08,
          mode = "sup", closed = "high", -- no instance is steeper than L = 1 allows
          source = "Lowy, Ullman & Wright 2024, Proposition D.1" },
      },
      figures    = {
        { name = "scale", kind = "rate", x = "n", y = "excess_risk",
          title = "Largest mean excess risk over weights 1 to 1/16384, step size tuned" },
      },
    },
  },

  scales = {
    smoke = {
      sweeps = {
        records   = { replicates = 4, problem = { n = { 1e3, 2e3, 4e3 } } },
        dimension = { replicates = 4, problem = { n = 2e3, d = { 4, 8, 16 } } },
        scale     = { replicates = 3, tuning_replicates = 2, problem = { n = { 1e3, 2e3, 4e3 } } },
      },
    },
    full = {
      sweeps = {
        records   = { replicates = 500 },
        dimension = { replicates = 500 },
        scale     = { replicates = 200 },
      },
    },
  },
}
