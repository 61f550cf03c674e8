-- ripple_ramps.lua -- do DP-SPIDER and noisy gradient descent differ by more than their schedules?
--
-- A family of ramps of which only the records tell the way down: along coordinate 1 the loss falls with slope s,
-- rippled, over a length of 1/s, up to a wall; in the others it is the loss `circular`, 0.6 times (losses/
-- ripple_ramp.c). All members have the same gap and the same constants, so that no method can tell which one it is on.
-- A steep ramp is left early; the worst one is that on which the last steps still are, and how flat this is depends on
-- the method, on n records, on d and on mu, the parameter of Gaussian privacy that is (epsilon, delta). DP-SPIDER's
-- steps T and period q (steps from one gradient of all records to the next) and gradient descent's T are chosen at each
-- point for the worst member, on seeds of their own. So nothing puts an exponent in: which ramp is worst and how many
-- steps pay is what moves. The theorems have a^(2/3) and a^(1/2) with a = 2 sqrt(d) / (n mu); the exponent of each
-- method is the other's rival, and DP-SPIDER's must lie below the other's in n and mu. What is measured is the mean of
-- the gradient norm over all iterates, about which the theorems are. The grids, of 12 points for either method, are in
-- absolute steps: T = m a^(-4/3), q = p a^(-2/3) and T = m / a; m and p go far enough for an optimum with other powers
-- to leave them.
--
-- records    against n, in 10 coordinates
-- budget     against mu, epsilon from 1/4 to 4
-- dimension  against d, here the number of features: m coordinates have 2 m - 1 of them. From 8 coordinates to 64: one
--            of them is the ramp's, on which noise does little, and that counts below 8. An exponent 1/3 in coordinates
--            is 0.324 in features.
-- path       along the run, of three members; the share of its iterates with a negative eigenvalue of the Hessian
--
-- Beside them, with the steps that were chosen: the last iterate, and the runs without noise. As steps are tuned, the
-- descent left over and the noise are about equal, so that these leave half and are no floor to be subtracted. `start`
-- is the answer at epsilon = 0. Declared is what holds for all members: L_data = beta_data = 1 (0.6 would do for
-- beta_data), and gap 2.2. Five minutes on two cores.
local function slopes(first, last)
  local all = {}
  for k = first, last, 2 do
    all[#all + 1] = 2 ^ (-k / 4)
  end
  return all
end
local function a(c) -- mu = 0.236 epsilon^0.92, to 1.5 % for these epsilon and delta = 1e-6
  return math.sqrt(2 * (c.d + 1)) / (c.n * 0.236 * c.epsilon ^ 0.92)
end
local function steps(power, factors)
  local grid = {}
  for i, m in ipairs(factors) do
    grid[i] = function (c) return math.ceil(m * a(c) ^ power) end
  end
  return grid
end
local spider = { steps = steps(-4/3, { 0.4, 0.8, 1.6, 3.2 }), period = steps(-2/3, { 0.75, 2.25, 6.75 }) }
local descent = { steps = steps(-1, { 0.6, 0.8, 1, 1.25, 1.5, 1.75, 2, 2.4, 2.8, 3.4, 4.2, 5 }) }
local methods = {
  { "dp_spider", parameters = "theory", select = "mean", tune = spider },
  { "dp_spider", parameters = "theory", select = "last", tune = "dp_spider", label = "dp_spider last" },
  { "dp_spider", parameters = "theory", select = "mean", tune = "dp_spider", label = "dp_spider noise-free",
    privacy = { noise = "off" } },
  { "dp_gd", select = "mean", tune = descent },
  { "dp_gd", select = "last", tune = "dp_gd", label = "dp_gd last" },
  { "dp_gd", select = "mean", tune = "dp_gd", label = "dp_gd noise-free", privacy = { noise = "off" } },
  { "start" },
}
local function claims(x, fast, slow, tolerance)
  return {
    { algorithm = "dp_spider", y = "grad_norm", x = x, exponent = fast, rival = slow, tolerance = tolerance,
      mode = "sup", below = fast < 0 and "dp_gd" or nil, source = "Arora et al. 2023, Theorem B.3" },
    { algorithm = "dp_gd", y = "grad_norm", x = x, exponent = slow, rival = fast, tolerance = tolerance,
      mode = "sup", source = "Wang, Ye & Xu 2017" },
  }
end
local function figures(name, x, against)
  return {
    { name = name, kind = "rate", x = x, y = "grad_norm",
      title = "Largest mean gradient norm over rippled ramps against " .. against .. ", steps tuned" },
    { name = name .. "_residuals", kind = "residual", x = x, y = "grad_norm",
      title = "What is left of the claimed exponents against " .. against .. ", rippled ramps" },
  }
end

return {
  question   = "Do the rates 1/2 and 2/3 separate DP gradient descent from DP-SPIDER on the worst of a family?",
  source     = "Wang, Ye & Xu 2017 (1/2); Arora et al. 2023, as used in Lowy, Ullman & Wright 2024 (2/3)",
  seed       = 20240603,
  replicates = 6,
  tuning_replicates = 2,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss     = { "ripple_ramp", slope = slopes(6, 30) },
    declared = { L_data = 1, beta_data = 1, gap = 2.2, distance = 182 },
    data     = { "angles", mean = 0.9 }, d = 19,
  },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = methods,
  measures   = { "grad_norm" },

  sweeps = {
    records = {
      problem = { n = { 2e3, 5e3, 1.2e4, 2.7e4, 6e4 }, family = "loss.slope" },
      claims  = claims("n", -2/3, -1/2, 0.06),
      figures = figures("records", "n", "the number of records"),
    },
    budget = {
      problem = { n = 1e4, family = "loss.slope" },
      privacy = { epsilon = { 0.25, 0.5, 1, 2, 4 }, delta = 1e-6 },
      claims  = claims("mu", -2/3, -1/2, 0.06),
      figures = figures("budget", "mu", "the budget"),
    },
    dimension = {
      problem = {
        loss = { "ripple_ramp", slope = slopes(10, 28) }, family = "loss.slope", n = 3e4, d = { 15, 31, 63, 127 },
      },
      claims  = claims("d", 1/3, 1/4, 0.04),
      figures = figures("dimension", "d", "the number of features"),
    },
    path = {
      checkpoints = 20,
      problem     = { loss = { "ripple_ramp", slope = { 2 ^ -3, 2 ^ -5, 2 ^ -7 } }, n = 2e4 },
      algorithms  = {
        { "dp_spider", parameters = "theory", select = "last", steps = steps(-4/3, { 1.6 })[1],
          period = steps(-2/3, { 2.25 })[1] },
        { "dp_gd", select = "last", steps = steps(-1, { 2 })[1] },
      },
      measures    = { "grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures     = {
        { name = "path", kind = "trajectory", x = "steps", y = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          where = { ["loss.slope"] = 2 ^ -5 }, title = "Along a ramp of slope 1/32 at n = 20,000" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 2, tuning_replicates = 1,
      sweeps = {
        records   = { problem = { n = { 1e3, 2e3, 4e3 } } },
        budget    = { problem = { n = 2e3 }, privacy = { epsilon = { 0.5, 1, 2 } } },
        dimension = { problem = { n = 4e3, d = { 7, 15, 31 } } },
        path      = { problem = { n = 4e3 } },
      },
    },
    full = { replicates = 40, tuning_replicates = 5 },
  },
}
