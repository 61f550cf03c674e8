-- prox_md.lua -- proximal steps for weakly convex losses: does the way to the proximal point fall as
-- (n epsilon)^(-1/3), and as n^(-1/4) where there is no noise?
--
-- prox(w) is the minimiser of P + rho_w ||. - w||^2, P the population's risk, rho_w its weak convexity: w is nearly
-- stationary where it is near prox(w). Theorem 16 of Bassily, Guzman & Menart 2021 bounds max{1, B D} ||w - prox(w)||,
-- B = 2 rho_w and D the domain's diameter, of a point drawn from R proximal steps, by a constant times n^(-1/4), for
-- sampling, and (sqrt d / (n epsilon))^(1/3), for noise. The factor max{1, B D} is the same at every n and left out
-- here: it moves no exponent. (prox_md takes its steps by a solver of one level, docs/reference/methods.md.)
--
-- The ramps are those of ripple_ramps.lua: along coordinate 1 the loss falls with a slope s, rippled, over a length of
-- 1/s; the other four coordinates are angles. On a ramp ||w - prox(w)|| is about s / B. All members have the same
-- declared constants; slopes end at 0.71, where L_data is 1. Smooth as they are, they say nothing of kinks; on losses
-- that are nearly quadratic about their minimisers, kinked or not, the way falls faster. Records are held as counts. R
-- is chosen at each point for the worst member, on seeds of its own, from m (n epsilon / 10^4)^(2/3), m from 30 to 480,
-- which goes far enough for an optimum with another power to leave it. dp_gd, whose theorem has 1/2 in n epsilon for
-- the gradient, hence for this way, is the rival, its T tuned on as many points m n epsilon / 10^4; its exponent is
-- the rival one. The mean over all iterates is the expectation over the draw. "noise-free" is the same R without noise:
-- the way not gone, the other half of what tuning balances.
--
-- private     against n at epsilon = 0.1
-- sampling    against n without noise, 60 updates a proximal step, R from m n, m from 0.02 to 0.9. At n = 400 and below
--             the best R was n itself, a record a step, where no grid goes on: so n begins at 800
-- phase       robust phase retrieval |<w, x>^2 - y|, kinked, with noise of deviation 0.05 in the labels, in the unit
--             ball from a random start, against epsilon: an example without a claim. Steps of both are tuned, by the
--             objective: the start is nearly stationary itself, and staying there is no answer
-- path        along the run on the ramp of slope 1/8, n = 300,000
--
-- Four minutes on two cores. Ranges of s, R and T were set after runs on other seeds.
local function slopes(first, last)
  local all = {}
  for k = first, last, 2 do
    all[#all + 1] = 2 ^ (-k / 4)
  end
  return all
end
local function steps(power, factors)
  local grid = {}
  for i, m in ipairs(factors) do
    grid[i] = function (c) return math.ceil(m * (c.n * c.epsilon / 1e4) ^ power) end
  end
  return grid
end
local function shares(factors)
  local grid = {}
  for i, m in ipairs(factors) do
    grid[i] = function (c) return math.ceil(m * c.n) end
  end
  return grid
end
local off = { noise = "off" }
local function ramp(n, slope)
  return { loss = { "ripple_ramp", slope = slope }, data = { "angles", mean = 0.9 }, d = 9, n = n, storage = "moments",
           population = "exact", domain = { "l2_ball", radius = 200 },
           declared = { L_data = 1, beta_data = 1, L = 200, gap = 2.2, distance = 200 } }
end
local function family(n)
  local p = ramp(n, slopes(2, 20))
  p.family = "loss.slope"
  return p
end
local measure = "population_prox_distance"
local function claim(exponent)
  return { algorithm = "prox_md", y = measure, x = "n", exponent = exponent, rival = -1/2, tolerance = 0.08,
           mode = "sup", closed = "high", control = "start", source = "Bassily et al. 2021, Theorem 16" }
end

return {
  question    = "Does the way to the proximal point fall as (n epsilon)^(-1/3), and who is ahead of proximal steps?",
  source      = "Bassily, Guzman & Menart 2021, Theorem 16 and Definition 15",
  seed        = 20261203,
  replicates  = 6,
  tuning_replicates = 2,
  checkpoints = 1, -- the value at the start is all that a claim needs
  privacy     = { epsilon = 0.1, delta = 1e-6 },
  measures    = { measure },

  sweeps = {
    private = {
      problem    = family({ 3e4, 1e5, 3e5, 1e6 }),
      algorithms = {
        { "prox_md", select = "mean", inner_max = 100,
          tune = { rounds = steps(2/3, { 30, 60, 90, 120, 180, 240, 480 }) } },
        { "prox_md", select = "last", inner_max = 100, tune = "prox_md", label = "prox_md last" },
        { "prox_md", select = "mean", inner_max = 100, tune = "prox_md", label = "prox_md noise-free", privacy = off },
        { "dp_gd", eta = 1, select = "mean", tune = { steps = steps(1, { 75, 150, 300, 600, 1200, 2400, 4800 }) } },
        { "start" },
      },
      claims     = { claim(-1/3) },
      figures    = {
        { name = "private", kind = "rate", x = "n", y = measure,
          title = "Largest way to the proximal point over rippled ramps, epsilon = 0.1" },
        { name = "residuals", kind = "residual", x = "n", y = measure,
          title = "What is left of the claimed exponent 1/3, epsilon = 0.1" },
      },
    },
    sampling = {
      problem    = family({ 800, 1600, 3200, 6400, 12800 }),
      privacy    = { noise = "off" },
      algorithms = {
        { "prox_md", select = "mean", inner_steps = 60,
            tune = { rounds = shares { 0.02, 0.05, 0.11, 0.25, 0.5, 0.9 } } },
        { "prox_md", select = "last", inner_steps = 60, tune = "prox_md", label = "prox_md last" },
        { "start" },
      },
      claims     = { claim(-1/4) },
      figures    = {
        { name = "sampling", kind = "rate", x = "n", y = measure,
          title = "Largest way to the proximal point over rippled ramps, without noise" },
      },
    },
    phase = {
      replicates = 20, tuning_measure = "objective",
      problem    = { loss = "robust_phase_retrieval", data = { "phase", noise = 0.05 }, n = 4e4, d = 5,
                     domain = { "l2_ball", radius = 1 }, start = { "sphere", radius = 0.5 } },
      privacy    = { epsilon = { 0.5, 1, 2, 4 } },
      algorithms = {
        { "prox_md", select = "last", inner_max = 30, tune = { rounds = { 8, 16, 32, 64, 128 } } },
        { "dp_sgd", batch = function (c) return c.n end, steps = 100, select = "last",
          tune = { eta = { 0.01, 0.03, 0.1, 0.3, 1 } } },
        { "start" },
      },
      measures   = { "prox_distance", "objective" },
      figures    = {
        { name = "phase", kind = "trade_off", x = "epsilon", y = { "prox_distance", "objective" },
          title = "Robust phase retrieval, n = 40,000, d = 5" },
      },
    },
    path = {
      checkpoints = 10,
      problem     = ramp(3e5, 1 / 8),
      algorithms  = {
        { "prox_md", select = "last", inner_max = 100, rounds = 250 },
        { "dp_gd", eta = 1, select = "last", steps = 1000 },
      },
      measures    = { measure, "hessian_min_eigenvalue", "negative_curvature_share" },
      figures     = {
        { name = "path", kind = "trajectory", x = "steps", y = { measure, "hessian_min_eigenvalue" },
          title = "Along a ramp of slope 1/8, n = 300,000, epsilon = 0.1" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 5, tuning_replicates = 1,
      sweeps = {
        private  = { problem = { n = { 1e4, 2e4, 4e4 }, loss = { "ripple_ramp", slope = slopes(2, 6) } } },
        sampling = { problem = { n = { 100, 200, 400 }, loss = { "ripple_ramp", slope = slopes(2, 6) } } },
        phase    = { problem = { n = 500 }, privacy = { epsilon = { 1, 4 } } },
        path     = { replicates = 2, problem = { n = 3e4 }, checkpoints = 2 },
      },
    },
    full = { replicates = 30, tuning_replicates = 5 },
  },
}
