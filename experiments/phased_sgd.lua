-- phased_sgd.lua -- the population's risk of a convex loss with a kink after one private pass: is it 1/(n mu), sqrt d
-- and, where privacy costs nothing, 1/sqrt n?
--
-- Theorem 5 of Bassily, Guzman & Menart 2021 bounds the excess risk of phased SGD on the Moreau envelope by a constant
-- times L D (1/sqrt n + sqrt d / (n mu)): n records of d features, L a bound on their gradients, D on the way to the
-- minimiser, mu the parameter of Gaussian privacy. Here L = D = 1.
--
-- The loss is the hinge max(0, 1 - y <w, x>) over the unit ball. Features are signs over sqrt d, those of y x have mean
-- s u, u a random direction of signs over sqrt d (core/data/generators/classes.c). As |<w, x>| <= 1, the population's
-- risk is 1 - s <w, u>, known exactly, and its minimiser is u. Of one s alone the risk is curved along the sphere and
-- falls faster than the theorem says; all s = 2^-k are a family, of which the worst one counts. Where s is about as
-- large as the error of a mean, nobody finds u; that is the worst one, and it moves with n, d and mu. s = 1 is the
-- family's end: there is no larger mean.
--
-- phased_sgd takes its step eta from a grid at each point, for the worst member, on seeds of its own. So what puts the
-- exponent in is not the schedule. Grids, of five points for either method, are eta = m epsilon / sqrt d, and reach
-- far enough for an optimum with another power to leave them. "theory" has the step of the theorem, of which only the
-- bound is claimed. dp_sgd is the rival: the last of 30 steps on all records, which are 30 passes for the one of
-- phased_sgd, its step tuned on as many points. It has the same rate in theory, and no smoothing. The mean of its
-- iterates has the start in it, a thirtieth of s. The rival exponents are those of noisy Frank-Wolfe over an l1 ball
-- (1/2 in n mu, log d for sqrt d), and 1 where the claim is 1/2 in n: what a risk with curvature has. `start` is the
-- answer that ignores the records. "noise-free" is the same steps without noise. It leaves as much: a step that is
-- tuned against noise is short, and of a member with small s the way not gone is all; so it is no control.
--
-- budget     against mu, epsilon from 0.02 to 0.32, n = 20,000, d = 64
-- records    against n at epsilon = 0.1, d = 100
-- dimension  against d at epsilon = 0.1, n = 20,000
-- sampling   against n at epsilon = 50, d = 16: the first term, eta = m / sqrt n. The envelope's smoothness sqrt n,
--            which the theorem has, allows steps eta <= 8 / sqrt n only, the best are longer: a sixteenth of it is
--            taken. dp_sgd is left out: where records count but noise does not, its longest step is the best one
-- path       along the run; phased_sgd ends after less than n gradients
--
-- Three minutes on two cores, for which n and the family were cut after a first run. Ranges of grids and of s were set
-- after runs on other seeds; exponents, rivals and tolerances before.
local function powers(first, last, times)
  local all = {}
  for k = first, last do
    all[#all + 1] = times and function (c) return 2 ^ k * times(c) end or 2 ^ -k
  end
  return all
end
local function by_noise(c) return c.epsilon / math.sqrt(c.d) end
local function by_path(c) return c.n * by_noise(c) end
local function by_records(c) return 1 / math.sqrt(c.n) end
local function all_records(c) return c.n end
local off = { noise = "off" }

local function methods(eta, envelope, rival)
  return {
    { "phased_sgd", envelope = envelope, tune = { eta = eta } },
    { "phased_sgd", envelope = envelope, tune = "phased_sgd", label = "phased_sgd noise-free", privacy = off },
    { "phased_sgd", label = "phased_sgd theory" }, { "start" }, rival
  }
end
local function claim(label, mode, source, x, exponent, rival)
  return { algorithm = label, y = "population_excess_risk", x = x, exponent = exponent, rival = rival, tolerance = 0.12,
           mode = mode, closed = "high", control = mode == "sup" and "start" or nil, source = source }
end
local function claims(x, exponent, rival)
  local theorem = "Bassily et al. 2021, Theorem 5"
  return {
    claim("phased_sgd", "sup", theorem, x, exponent, rival),
    claim("phased_sgd theory", "bound", theorem, x, exponent),
    claim("dp_sgd", "sup", "Bassily, Feldman, Talwar & Thakurta 2019", x, exponent, rival),
  }
end
local function figures(name, x, against)
  return {
    { name = name, kind = "rate", x = x, y = "population_excess_risk",
      title = "Largest excess risk of the population over the family against " .. against },
    { name = name .. "_residuals", kind = "residual", x = x, y = "population_excess_risk",
      title = "What is left of the claimed exponents against " .. against },
  }
end
local small = { "classes", mean = powers(0, 2) }
local descent = { "dp_sgd", batch = all_records, steps = 30, select = "last",
    tune = { eta = powers(-10, -6, by_path) } }
local private = methods(powers(-4, 0, by_noise), nil, descent)

return {
  question   = "Is the population's excess risk after one private pass 1/(n mu) and sqrt d, or 1/sqrt n without noise?",
  source     = "Feldman, Koren & Talwar 2020; Bassily, Guzman & Menart 2021, Theorem 5",
  seed       = 20261201,
  replicates = 14,
  tuning_replicates = 3,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = "hinge", data = { "classes", mean = powers(0, 7) }, storage = "signs", d = 64,
                 domain = { "l2_ball", radius = 1 }, population = "exact" },
  privacy    = { epsilon = 0.1, delta = 1e-6 },
  algorithms = private,
  measures   = { "population_excess_risk" },

  sweeps = {
    budget = {
      problem = { n = 2e4, family = "data.mean" },
      privacy = { epsilon = { 0.02, 0.04, 0.08, 0.16, 0.32 } },
      claims  = claims("mu", -1, -1/2),
      figures = figures("budget", "mu", "the budget"),
    },
    records = {
      problem = { n = { 4e3, 8e3, 1.6e4, 3.2e4, 6.4e4 }, d = 100, family = "data.mean" },
      claims  = claims("n", -1, -1/2),
      figures = figures("records", "n", "the number of records"),
    },
    dimension = {
      problem = { n = 2e4, d = { 16, 32, 64, 128, 256 }, family = "data.mean" },
      claims  = claims("d", 1/2, 0),
      figures = figures("dimension", "d", "the number of features"),
    },
    sampling = {
      problem    = { n = { 1e3, 2e3, 4e3, 8e3, 1.6e4 }, d = 16, data = { "classes", mean = powers(1, 8) },
                     family = "data.mean" },
      privacy    = { epsilon = 50 },
      algorithms = methods(powers(2, 6, by_records), function (c) return math.sqrt(c.n) / 16 end),
      claims     = { claims("n", -1/2, -1)[1], claims("n", -1/2)[2] },
      figures    = figures("sampling", "n", "the number of records, epsilon = 50"),
    },
    path = {
      checkpoints = 20,
      problem     = { n = 3e4, data = { "classes", mean = 0.125 } },
      algorithms  = {
        { "phased_sgd", eta = 3e-3 }, { "dp_sgd", batch = all_records, steps = 30, select = "last", eta = 0.4 },
      },
      measures    = { "population_excess_risk", "fw_gap" },
      figures     = {
        { name = "path", kind = "trajectory", x = "gradients", y = { "population_excess_risk", "fw_gap" },
          title = "Along one pass and along thirty, s = 1/8, n = 30,000, epsilon = 0.1" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 5, tuning_replicates = 1,
      sweeps =  {
        budget    = { problem = { n = 2e3, data = small }, privacy = { epsilon = { 0.1, 0.2, 0.4 } } },
        records   = { problem = { n = { 1e3, 2e3, 4e3 }, d = 16, data = small } },
        dimension = { problem = { n = 4e3, d = { 8, 16, 32 }, data = small } },
        sampling  = { problem = { n = { 250, 500, 1000 }, data = { "classes", mean = powers(1, 3) } } },
        path      = { problem = { n = 2e3 } },
      },
    },
    full = { replicates = 40, tuning_replicates = 5 },
  },
}
