-- liu_talwar.lua -- one pass over fresh records: what are batches in proportion to the way worth, what do the proofs
-- promise, and who is ahead of a method that uses all records at every step?
--
-- w has 10 coordinates, a record 19 numbers. The loss is `ripple_ramp`: along coordinate 1 it falls with slope s over a
-- length of 1/s, up to a wall, and only the records say to which side; the ripples on the ramp and nine angles beside
-- it (the loss `circular`) have negative curvature. With rise = 1 the wall's second derivative grows from 0 to 1 on a
-- length of 1 and ripples are 2 pi long, so that the Hessian has a Lipschitz constant rho_H, without which none of
-- these methods has a schedule. s = 2^(-k/2) makes a family; all members declare the same constants, and the
-- worst one counts. Records are held as counts (storage = "moments"), and the population loss, about which the theorems
-- are, is known exactly (population = "exact").
--
--   adaptive_spider  Liu & Talwar 2024: SPIDER over fresh records in segments. A segment begins with a gradient of b
--                    records; a difference of gradients takes m records for every unit of beta_data times the way
--                    (beta_data bounds the second derivatives of a record's part); a way of kappa / beta ends the
--                    segment; noise is that of a binary tree. Kicks as published, then a private choice among up to
--                    1000 iterates on the other half of the records. Their theorem has (sqrt d / (n epsilon))^(1/2) +
--                    n^(-1/3), up to logarithms
--   fixed_spider     the same, but a difference takes m kappa records however short the step is, and steps are cut at
--                    kappa / beta. The theorem that Liu & Talwar compare theirs with is that of Ganesh et al. 2023,
--                    (sqrt d / (n epsilon))^(3/7) + n^(-1/3). Of this form of the method nobody has a theorem.
--                    Counting records gives 2/5: for a level alpha, m ~ 1/alpha, differences take m kappa / alpha^2
--                    and gradients m / (alpha kappa), so that kappa = alpha^(1/2) and n = alpha^(-5/2)
--   ganesh           spider_sosp with mode = "population": the method of Ganesh et al. 2023 itself, with independent
--                    noise, batches of one size, and a new gradient when the sum of squared steps has reached `drift`
--   erm              spider_sosp on all records at every step: the variant of Liu & Talwar's appendix A.2, whose level
--                    for the population is that on the records plus O(sqrt(d / n)) by uniform convergence
--   dp_gd            noisy gradient descent on all records, its number of steps tuned
--
-- records    the worst of the family against n; tuned at each point are b (m is b: one sensitivity for both) and kappa,
--            for ganesh steps and drift. Nothing puts an exponent in: the powers of n in the grids follow the optimum,
--            which may leave them. Only the terms of privacy are to be seen: the records scatter little here, and what
--            is left without noise falls as fast as the rest. 1/2 and 3/7 are 0.071 apart, hence the tolerance. Trees
--            have a depth of 7 at all n: no logarithm. With adaptive_spider's winners: "sqrt", square-root noise in
--            the tree's place; "last", the last iterate of a run on all records, without a choice; and without noise
-- budget     the same two against mu, the parameter of Gaussian privacy that is (epsilon, delta), at n = 10^5
-- all        beside them the two methods that use all records at every step; grids of 12 points each
-- certified  n = 10^7 to 10^9, no tuning, the proved escape by Hessians, the last iterate. The promise is alpha = 4 g,
--            g the accuracy that the schedule is made for; below n = 10^7, and at 10^7 still but for the steepest ramp,
--            it is above the level at the start. Here the sample's error binds, with noise or not: n^(-1/3). A run ends
--            at the first point that passes its test, between 2 g and 3 g, after a few steps, so that batches of either
--            kind give the same answer. `erm` is the proved escape on all records
-- path, path_certified  along the run, on the ramp of slope 1/8
--
-- `start` is the answer at epsilon = 0. Declared is what holds for all members. With a kappa of 10^6 no segment ends by
-- its way, with a drift of 10^-12 every estimate is a gradient of its own: there the parameters end, and a winner there
-- is on no edge. m = b, the depth and the ranges of the grids were set after looks at runs with another seed; 10^6 and
-- 10^-12 as ends, and fixed_spider's largest kappa, after a look at this one.
--
-- To be expected: no line. The worst member changes from n to n, the few ripples that are passed at small n make
-- stairs, and the way down from the start is a large part of the way there, so that local slopes scatter by more than
-- what 1/2 and 3/7 are apart. With rise = 1/4, shorter ripples and a higher rho_H, the exponents were 0.65, 0.49 and
-- 0.41 for adaptive_spider, fixed_spider and ganesh, where rise = 1 and coarser grids gave 0.56, 0.39 and 0.36. What
-- does not depend on such choices is the order of the levels. Five minutes on two cores.
local function slopes(first, last)
  local all = {}
  for k = first, last do
    all[#all + 1] = 2 ^ (-k / 2)
  end
  return all
end
local function mu(c) -- relative to epsilon = 1, to 1.5 % for epsilon from 1/4 to 4 and delta = 1e-6
  return c.epsilon ^ 0.92
end
local function list(factors, f)
  local grid = {}
  for i, x in ipairs(factors) do
    grid[i] = function (c) return f(c, x) end
  end
  return grid
end
local function whole(factors, power) -- steps
  return list(factors, function (c, x) return math.ceil(x * (c.n * mu(c)) ^ power) end)
end
local function batches(factors)
  return list(factors, function (c, x) return math.ceil(x * (c.n / mu(c)) ^ 0.5) end)
end
local function power(factors, p)
  return list(factors, function (c, x) return x * (c.n * mu(c)) ^ p end)
end

local off = { noise = "off" }
local function segments(name, t)
  t[1], t.escape, t.accuracy, t.label = name, "kick", 0.014, t.label or name
  if t.noise == "sqrt" then t.segment = 127 else t.depth = 7 end
  return t
end
local adaptive = segments("adaptive_spider", {
  tune = { gradient_batch = batches { 3, 5.5, 10, 18 }, kappa = { 0.15, 0.3, 1.2, 6, 1e6 } } })
local fixed = segments("fixed_spider", {
  tune = { gradient_batch = batches { 1, 2, 4, 8 }, kappa = power({ 0.4, 1, 2.6, 7, 18 }, -1/5) } })
local function drifts(factors)
  local grid = power(factors, -4/7)
  grid[#grid + 1] = 1e-12
  return grid
end
local ganesh = { "spider_sosp", mode = "population", label = "ganesh",
  tune = { steps = whole({ 0.0018, 0.0042, 0.01, 0.022 }, 6/7), drift = drifts { 48, 24, 3, 0.4 } } }
local function like(entry, label, t)
  t.label, t.tune = label, entry.label
  return segments(entry[1], t)
end
-- of the sweep all, 12 points each
local few = {
  segments("adaptive_spider", { tune = { gradient_batch = batches { 3, 5.5, 10, 18 }, kappa = { 1.2, 6, 1e6 } } }),
  segments("fixed_spider", { tune = { gradient_batch = batches { 1, 2, 4, 8 },
                                      kappa = power({ 2.6, 7, 18 }, -1/5) } }),
  { "spider_sosp", mode = "population", label = "ganesh",
    tune = { steps = whole({ 0.003, 0.0055, 0.01, 0.018 }, 6/7), drift = drifts { 3, 0.4 } } },
  { "spider_sosp", label = "erm",
    tune = { steps = whole({ 0.01, 0.018, 0.032, 0.043, 0.056, 0.075, 0.1, 0.13, 0.18, 0.24, 0.32, 0.5 }, 1) } },
  { "dp_gd", select = "last",
    tune = { steps = whole({ 0.006, 0.012, 0.02, 0.025, 0.03, 0.037, 0.045, 0.055, 0.07, 0.085, 0.12, 0.2 }, 1) } },
  { "start" },
}

local theirs, before = "Liu & Talwar 2024, Theorem 3.11", "Ganesh, Liu, Oh & Thakurta 2023"
local function rate(label, x, exponent, rival, source, t)
  t = t or {}
  t.algorithm, t.y, t.x, t.exponent, t.rival, t.source = label, "population_grad_norm", x, exponent, rival, source
  t.mode, t.tolerance, t.closed = "sup", 0.035, "high"
  return t
end
local function rates(x)
  return {
    rate("adaptive_spider", x, -1/2, -3/7, theirs, { below = "fixed_spider" }),
    rate("fixed_spider", x, -3/7, -1/2, before),
  }
end
local function figures(name, x, against)
  return {
    { name = name, kind = "rate", x = x, y = "population_grad_norm",
      title = "Largest population gradient over rippled ramps against " .. against .. ", batches tuned" },
    { name = name .. "_residuals", kind = "residual", x = x, y = "population_grad_norm",
      title = "What is left of the claimed exponents against " .. against .. ", one pass over rippled ramps" },
  }
end

local function proved(name, t)
  t = t or {}
  t[1], t.escape, t.selection = name, "hessian", "none"
  return t
end
local function kept(label, source)
  return { algorithm = label, y = "sosp_level", x = "n", exponent = 0, constant = 4, per = { accuracy = 1 },
           tolerance = 0.1, mode = "bound", closed = "high", source = source }
end
local function third(label, source)
  return { algorithm = label, y = "sosp_level", x = "n", exponent = -1/3, tolerance = 0.06, mode = "bound",
           closed = "high", source = source }
end
local levels = { "population_grad_norm", "sosp_level", "hessian_min_eigenvalue" }

return {
  question   = "Do batches in proportion to the way give one pass over fresh records the rate 1/2, fixed ones 3/7?",
  source     = "Liu & Talwar 2024; Ganesh, Liu, Oh & Thakurta 2023",
  seed       = 20261128,
  replicates = 10, tuning_replicates = 3,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss     = { "ripple_ramp", slope = slopes(1, 13), rise = 1 },
    declared = { L_data = 1, beta_data = 1, beta = 1.4, rho_hessian = 3, gap = 2.6, distance = 95 },
    data     = { "angles", mean = 0.9 }, d = 19, storage = "moments", population = "exact",
  },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = levels,

  sweeps = {
    records = {
      problem    = { n = { 1e4, 3e4, 1e5, 3e5, 1e6 }, family = "loss.slope" },
      algorithms = {
        adaptive, fixed, ganesh,
        like(adaptive, "adaptive_spider sqrt", { noise = "sqrt" }),
        like(adaptive, "adaptive_spider last", { selection = "none" }),
        like(adaptive, "adaptive_spider noise-free", { privacy = off }),
        like(fixed, "fixed_spider noise-free", { privacy = off }),
        { "start" },
      },
      claims     = {
        rates("n")[1], rates("n")[2], rate("ganesh", "n", -3/7, -1/2, before),
        rate("adaptive_spider sqrt", "n", -1/2, -3/7, "as Theorem 3.11, without a factor ln n",
             { origin = "conjecture" }),
      },
      figures    = figures("records", "n", "the number of records"),
    },
    budget = {
      problem    = { n = 1e5, family = "loss.slope" },
      privacy    = { epsilon = { 0.25, 0.5, 1, 2, 4 } },
      algorithms = { adaptive, fixed, { "start" } },
      claims     = rates("mu"),
      figures    = figures("budget", "mu", "the budget"),
    },
    all = {
      problem    = { n = { 1e4, 2e4, 5e4 }, family = "loss.slope" },
      algorithms = few,
      claims     = {
        { algorithm = "erm", y = "population_grad_norm", x = "n", exponent = -1/2, tolerance = 0.1, mode = "bound",
          closed = "high", below = "fixed_spider", source = "Liu & Talwar 2024, appendix A.2" },
      },
      figures    = {
        { name = "all", kind = "rate", x = "n", y = "population_grad_norm",
          title = "One pass over fresh records, and all records at every step: the worst rippled ramp" },
      },
    },
    certified = {
      replicates = 10,
      problem    = { n = { 1e7, 3e7, 1e8, 3e8, 1e9 }, family = "loss.slope",
                     loss = { "ripple_ramp", slope = slopes(1, 8), rise = 1 } },
      algorithms = {
        proved("adaptive_spider"), proved("fixed_spider"), proved("spider_sosp", { mode = "population",
                                                                                   label = "ganesh" }),
        proved("adaptive_spider", { noise = "sqrt", label = "adaptive_spider sqrt" }),
        proved("adaptive_spider", { privacy = off, label = "adaptive_spider noise-free" }),
        proved("spider_sosp", { label = "erm" }), { "dp_gd", steps = 300, select = "last" }, { "start" },
      },
      claims     = {
        kept("adaptive_spider", theirs), kept("fixed_spider", before), kept("ganesh", before),
        third("adaptive_spider", theirs), third("fixed_spider", before), third("ganesh", before),
      },
      figures    = {
        { name = "certified", kind = "rate", x = "n", y = "sosp_level",
          title = "Second-order level of the worst rippled ramp, all parameters by theory" },
      },
    },
    path = {
      replicates  = 5, checkpoints = 14,
      problem     = { loss = { "ripple_ramp", slope = 2 ^ -3, rise = 1 }, n = 1e5 },
      algorithms  = {
        segments("adaptive_spider", { selection = "none", gradient_batch = 2100, kappa = 3 }),
        segments("fixed_spider", { selection = "none", gradient_batch = 1000, kappa = 0.2 }),
        { "spider_sosp", mode = "population", selection = "none", label = "ganesh", steps = 116, drift = 0.01 },
        { "spider_sosp", selection = "none", label = "erm", steps = 2400, drift = 0.1 },
      },
      measures    = { "population_grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures     = {
        { name = "path", kind = "trajectory", x = "steps",
          y = { "population_grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Along a ramp of slope 1/8 at n = 10^5, one pass over fresh records" },
      },
    },
    path_certified = {
      replicates  = 5, checkpoints = 14,
      problem     = { loss = { "ripple_ramp", slope = 2 ^ -3, rise = 1 }, n = 1e9 },
      algorithms  = {
        proved("adaptive_spider"), proved("fixed_spider"), proved("spider_sosp", { mode = "population",
                                                                                   label = "ganesh" }),
      },
      measures    = { "population_grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures     = {
        { name = "path_certified", kind = "trajectory", x = "steps",
          y = { "population_grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Along a ramp of slope 1/8 at n = 10^9, all parameters by theory" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 2, tuning_replicates = 1,
      sweeps = {
        records   = { problem = { n = { 3e3, 6e3, 1e4 } } },
        budget    = { problem = { n = 1e4 }, privacy = { epsilon = { 0.5, 1, 2 } } },
        all       = { problem = { n = { 1e3, 2e3, 4e3 } } },
        certified = { replicates = 2, problem = { n = { 1e7, 1e8, 1e9 } } },
        path      = { replicates = 2, checkpoints = 4, problem = { n = 1e4 } },
      },
    },
    full = { replicates = 40, tuning_replicates = 5 },
  },
}
