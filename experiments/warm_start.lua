-- warm_start.lua -- what does a warm start gain on a quasar-convex loss, and does the gain survive tuning?
--
-- theory  half the budget for private SGD, the rest for DP-SPIDER from there, which is told SGD's risk bound as its
--         gap: the gradient norm should fall as 1/n, where DP-SPIDER alone, with its own theorem's parameters, has
--         n^(-2/3). The figure shows the two, and the warm start's schedule without noise.
-- tuned   the same bowl at weights 2^0 to 2^-11, and what is fitted is the worst of them: DP-SPIDER alone with its
--         number of steps tuned at each n, beside DP-SPIDER and the warm start as their theorems have them. Tuning
--         closes the gap: a known distance is worth a shorter schedule, and the grid finds that one without it.
-- Three minutes on two cores.
local weight = {}
for k = 0, 11 do
  weight[#weight + 1] = 2 ^ -k
end
local function all(c) return c.n end
local steps = {}
for k = 2, 9 do
  steps[#steps + 1] = function (c) return math.ceil(c.n / 2 ^ k) end
end
local first, second = { "dp_sgd", batch = all, epochs = 1e9 }, { "dp_spider", parameters = "theory" }

return {
  question   = "Does a warm start by DP-SGD turn DP-SPIDER's exponent 2/3 into 1 on quasar-convex losses?",
  source     = "Lowy, Ullman & Wright 2024, Alg. 2 and Corollary 5.3",
  seed       = 20240606,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = { "radial", q = 1, tilt = 0 }, declared = { L_data = 1, beta_data = 1 }, d = 10 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "grad_norm" },

  sweeps = {
    theory = {
      replicates = 60,
      problem    = { n = { 1e3, 3e3, 1e4, 3e4, 1e5 } },
      algorithms = {
        { "warm_start", first = first, second = second },
        { "warm_start", first = first, second = second, label = "noise-free", privacy = { noise = "off" } },
        second,
      },
      claims     = {
        { algorithm = "warm_start", y = "grad_norm", x = "n", exponent = -1, rival = -2/3, tolerance = 0.06,
          mode = "theory", source = "Lowy, Ullman & Wright 2024, Corollary 5.3", control = "noise-free" },
      },
      figures    = {
        { name = "theory", kind = "rate", x = "n", y = "grad_norm",
          title = "Gradient norm with the theorems' parameters" },
      },
    },
    tuned = {
      replicates = 40, tuning_replicates = 7,
      problem    = {
        loss = { "radial", q = 1, tilt = 0, weight = weight }, family = "loss.weight",
        declared = { L = 1, beta = 1, gap = 0.5, rho_hessian = 0.9 }, n = { 1e3, 3e3, 1e4, 3e4 },
      },
      algorithms = {
        { "dp_spider", select = "last", parameters = "theory", label = "dp_spider tuned", tune = { steps = steps } },
        { "dp_spider", select = "last", parameters = "theory" },
        { "warm_start", first = first, second = { "dp_spider", select = "last", parameters = "theory" } },
      },
      claims     = { -- no instance is steeper than L = 1 allows; without noise: the other sweep
        { algorithm = "dp_spider tuned", y = "grad_norm", x = "n", exponent = -1, rival = -2/3, tolerance = 0.08,
          mode = "sup", closed = "high", origin = "conjecture" },
        { algorithm = "dp_spider", y = "grad_norm", x = "n", exponent = -2/3, rival = -1, tolerance = 0.08,
          mode = "theory", closed = "high", floor = 0, from = 3e3, source = "Arora et al. 2023, Theorem B.3" },
        { algorithm = "warm_start", y = "grad_norm", x = "n", exponent = -1, rival = -2/3, tolerance = 0.08,
          mode = "theory", closed = "high", floor = 0, source = "Lowy, Ullman & Wright 2024, Corollary 5.3" },
      },
      figures    = {
        { name = "tuned", kind = "rate", x = "n", y = "grad_norm",
          title = "Largest mean gradient norm over weights 1 to 1/2048: tuning closes the gap" },
      },
    },
  },

  scales = {
    smoke = {
      sweeps = {
        theory = { replicates = 4, problem = { n = { 1e3, 2e3, 4e3 } } },
        tuned  = { replicates = 2, tuning_replicates = 1, problem = { n = { 1e3, 3e3, 6e3, 9e3 } } },
      },
    },
    full = { sweeps = { theory = { replicates = 200 }, tuned = { replicates = 200 } } },
  },
}
