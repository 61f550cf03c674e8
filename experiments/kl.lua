-- kl.lua -- do private methods gain from F - F* <= gamma^kappa ||grad F||^kappa what the theorems say?
--
-- A record holds d/2 angles, as d numbers; the loss is the mean of 1 - cos of the distance to them (losses/circular.c).
-- The angles of a coordinate lie 0.45 on either side of +2.4 or of -2.4, by a sign that is drawn once a problem. All
-- methods start at 0, where the Hessian is negative definite, and the records alone say which way down is. n is the
-- number of records, mu the parameter of Gaussian privacy that is (epsilon, delta). Records are held as their mean,
-- drawn from its exact law (storage "moments"), so that a large n costs no more than a small one.
--
-- The constants are public, but hold in a region: where each angle is within U = 2.85 of the minimiser's, as the start
-- is for every draw, kappa = 2 and gamma^2 = 1 / (A (1 + cos U)) = 26.3, A = cos 0.45. `path_radius` is the largest
-- such distance along a run. Each claim about a theorem asks that no run was further out.
--
-- records     noisy gradient descent (kl_gd) against n. Its risk is d T / (n mu)^2 up to constants, and its logarithm
--             is the number of steps T: per step the risk should fall as n^-2, and the gradient norm per sqrt T as
--             n^-1; not divided, the risk should have the slope of the bound that the method resolves, and not -2.
-- budget      the same against mu, epsilon from 1/4 to 4
-- dimension   and against d, in which the risk grows as d and the gradient norm as sqrt d
-- warm        Corollary 6.3: DP-SPIDER (dp_spider) from where kl_gd hands over, each with half of the budget (rho),
--             against either alone with all of it. The corollary is an upper bound, n^-1 for the gradient norm of a
--             uniform iterate up to logarithms; kl_gd alone has that power, too, so what there is to gain is a factor.
-- restarts    restarted SPIDER (kl_spider) with the proof's constants, of use from n = 10^6 on. It stops at a floor
--             that it is told, with noise and without, so that the slope shows nothing but the floor: what is claimed
--             is the promise that the risk is below it, with the floor's constant. "Low floor" has smaller constants
--             and a floor that is set far below the noise (floor_scale = 0.003; at 0.03, with this gamma, the risk is
--             still below it): its slope is the same, its risk above the floor that it was told. The same claim about
--             it is made in order to fail.
-- cubic       kappa = 3/2: a periodic cube (losses/versine.c) on records that are unit vectors, so that F is degenerate
--             at its minimum. The theorem of kl_gd is a bound, 2 kappa / (4 - kappa) = 1.2: at least that. All start at
--             |u_j| = 2.2 from the minimum; the constants are those of 2.4, for noise may take a run further out.
--             (path_radius is sqrt d times max |u_j| there.)
-- cubic_budget  the same against mu
-- path        gradient norm, smallest eigenvalue of the Hessian and risk along the run
--
-- Beside them: the start (epsilon = 0), the same schedules without noise, gradient descent with its number of steps
-- tuned, adaptive_gd, which is told neither gamma nor kappa, and how many of the iterates see a negative eigenvalue.
-- gamma is that of the region's rim, where no method is for long: T is some fifty times what pays, so that at kappa = 2
-- tuned descent should be far below kl_gd at every n. Five minutes on two cores.
local U, A = 2.85, math.cos(0.45)
local off = { noise = "off" }
local function all(c) return c.n end
local kl = "Lowy, Ullman & Wright 2024, section 6 (descent lemma with kappa = 2)"

local descent = {
  "dp_gd", label = "dp_gd tuned", eta = 1, select = "last", tune = { steps = { 3, 5, 10, 20, 40, 80 } },
}
local descents = {
  { "kl_gd" }, { "kl_gd", label = "kl_gd without noise", privacy = off }, descent, { "adaptive_gd" }, { "start" },
}
local function claim(more)
  local made = { algorithm = "kl_gd", mode = "theory", tolerance = 0.05, within = { path_radius = U },
                 control = "kl_gd without noise", source = kl }
  for key, value in pairs(more) do
    made[key] = value
  end
  return made
end
local function claims(x, exponent)
  return {
    claim { y = "excess_risk", x = x, exponent = 2 * exponent, rival = exponent, per = { steps = 1 } },
    claim { y = "grad_norm", x = x, exponent = exponent, rival = exponent / 2, per = { steps = 0.5 } },
  }
end
local function figures(name, x, against)
  return {
    { name = name, kind = "rate", x = x, y = "excess_risk",
      title = "Excess risk against " .. against .. ", kappa = 2 (angles)" },
    { name = name .. "_gradient", kind = "rate", x = x, y = "grad_norm",
      title = "Gradient norm against " .. against .. ", kappa = 2 (angles)" },
  }
end

local against_n = claims("n", -1)
against_n[3] = claim { y = "excess_risk", x = "n", exponent = "bound", rival = -2 }
local n_figures = figures("records", "n", "the number of records")
n_figures[3] = { name = "records_residuals", kind = "residual", x = "n", y = "excess_risk",
                 title = "What is left of the risk per step, kappa = 2" }

local function warm(select, more)
  local method = { "warm_start", budget = "tight", first = "kl_gd",
                   second = { "dp_spider", parameters = "theory", batch = all, select = select } }
  for key, value in pairs(more or {}) do
    method[key] = value
  end
  return method
end

local cube = 2.4 -- its region; gamma^kappa as in losses/versine.c, a share of 1/4 of the records for each of 4 labels
local cubes = {
  problem = {
    loss = "versine", data = { "one_hot", offset = 2.2 }, d = 4,
    declared = { kl_gamma = (2 ^ 0.75 / 3 * (1 + math.cos(cube)) ^ -0.75 * 4 ^ 0.25 * 2) ^ (2/3), kl_kappa = 1.5 },
  },
  measures = { "excess_risk", "path_radius", "negative_curvature_share" },
  algorithms = {
    { "kl_gd" }, { "kl_gd", label = "kl_gd without noise", privacy = off },
    { "dp_gd", label = "dp_gd tuned", eta = 0.5, select = "last",
      tune = { steps = { 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5 } } },
    { "start" },
  },
}
local function cubic(x, problem, privacy, replicates, against)
  local sweep = { replicates = replicates, problem = {}, privacy = privacy, measures = cubes.measures,
                  algorithms = cubes.algorithms }
  for key, value in pairs(cubes.problem) do
    sweep.problem[key] = value
  end
  for key, value in pairs(problem) do
    sweep.problem[key] = value
  end
  sweep.claims = {
    { algorithm = "kl_gd", y = "excess_risk", x = x, exponent = -1.2, rival = -1, tolerance = 0.05, mode = "bound",
      within = { path_radius = 2 * cube }, source = "algorithms/kl_gd.c (descent lemma with kappa = 3/2)" },
  }
  sweep.figures = {
    { name = x == "n" and "cubic" or "cubic_budget", kind = "rate", x = x, y = "excess_risk",
      title = "Excess risk against " .. against .. ", kappa = 3/2 (unit vectors)" },
  }
  return sweep
end

return {
  question   = "Under the KL condition with exponent kappa, does the excess risk fall as n^-kappa?",
  source     = "Menart et al. 2023, Alg. 1; Lowy, Ullman & Wright 2024, section 6",
  seed       = 20240607,
  replicates = 100,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss = "circular", data = { "angles", offset = 2.4, spread = 0.45 }, storage = "moments", d = 20,
    declared = { kl_gamma = (A * (1 + math.cos(U))) ^ -0.5, kl_kappa = 2 },
  },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = descents,
  measures   = { "excess_risk", "grad_norm", "path_radius", "negative_curvature_share" },

  sweeps = {
    records = {
      problem = { n = { 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6 } }, claims = against_n, figures = n_figures,
    },
    budget = {
      replicates = 300,
      problem = { n = 3e4 },
      privacy = { epsilon = { 0.25, 0.5, 1, 2, 4 }, delta = 1e-6 },
      claims  = claims("mu", -1), figures = figures("budget", "mu", "the budget"),
    },
    dimension = {
      replicates = 400,
      problem = { n = 3e4, d = { 8, 16, 32, 64, 128 } },
      claims  = claims("d", 0.5), figures = figures("dimension", "d", "the number of features"),
    },
    warm = {
      replicates = 40,
      problem    = { n = { 3e3, 1e4, 3e4, 1e5, 3e5 } },
      measures   = { "grad_norm", "path_radius", "handover_gap" },
      algorithms = {
        warm("mean"), warm("last", { label = "warm_start last" }),
        warm("mean", { label = "warm_start without noise", privacy = off }),
        { "kl_gd" }, { "dp_spider", parameters = "theory", batch = all, select = "mean" },
        descent, { "dp_gd", label = "dp_gd tuned, mean", eta = 1, select = "mean",
                   tune = { steps = { 20, 60, 200, 600, 2000, 6000 } } },
        { "adaptive_gd" }, { "start" },
      },
      claims     = {
        { algorithm = "warm_start", y = "grad_norm", x = "n", exponent = -1, rival = -2/3, tolerance = 0.1,
          mode = "bound", within = { path_radius = U }, below = "dp_spider", control = "start",
          source = "Lowy, Ullman & Wright 2024, Corollary 6.3" },
      },
      figures    = {
        { name = "warm", kind = "rate", x = "n", y = "grad_norm",
          title = "DP-SPIDER from what noisy descent hands over, kappa = 2" },
      },
    },
    restarts = {
      replicates = 5, -- what it ends at hardly varies
      problem    = { n = { 1e6, 1e7, 1e8, 1e9 } },
      measures   = { "excess_risk", "path_radius" },
      algorithms = {
        { "kl_spider", parameters = "theory" },
        { "kl_spider", parameters = "theory", label = "kl_spider without noise", privacy = off },
        { "kl_spider", floor_scale = 0.003, label = "kl_spider low floor" },
        { "kl_spider", floor_scale = 0.003, label = "low floor without noise", privacy = off },
        { "kl_gd" }, descent, { "adaptive_gd" }, { "start" },
      },
      claims     = { -- the constants: floor n^2 at n = 10^6 and 10^9, the lowest and the highest of these n
        { algorithm = "kl_spider", y = "excess_risk", x = "n", exponent = -2, tolerance = 0.05, mode = "bound",
          constant = 6.42e11, within = { path_radius = U }, source = "Menart et al. 2023, Theorem 1" },
        { algorithm = "kl_spider low floor", y = "excess_risk", x = "n", exponent = -2, tolerance = 0.05,
          mode = "bound", constant = 292, origin = "conjecture", within = { path_radius = U } },
      },
      figures    = {
        { name = "restarts", kind = "rate", x = "n", y = "excess_risk", title = "Restarted SPIDER, kappa = 2" },
      },
    },
    cubic = cubic("n", { n = { 1e4, 1e5, 1e6, 1e7, 1e8 } }, nil, 200, "the number of records"),
    cubic_budget = cubic("mu", { n = 1e6 }, { epsilon = { 0.25, 0.5, 1, 2, 4 }, delta = 1e-6 }, 200, "the budget"),
    path = {
      replicates = 20, checkpoints = 20,
      problem    = { n = 1e5 },
      measures   = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
      algorithms = {
        warm("last"), { "kl_gd" }, { "dp_gd", eta = 1, select = "last", steps = 20 }, { "adaptive_gd" }, { "start" },
      },
      figures    = {
        { name = "path", kind = "trajectory", x = "steps", y = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Along the run at n = 100,000, kappa = 2" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 4, tuning_replicates = 1,
      sweeps = {
        records   = { problem = { n = { 3e3, 1e4, 3e4 } } },
        budget    = { replicates = 4, privacy = { epsilon = { 0.5, 1, 2 } } },
        dimension = { replicates = 4, problem = { d = { 8, 16, 32 } } },
        warm      = { replicates = 2, problem = { n = { 3e3, 1e4, 3e4 } } },
        restarts  = { replicates = 2, problem = { n = { 1e6, 2e6, 4e6 } } },
        cubic     = { replicates = 4, problem = { n = { 1e4, 3e4, 1e5 } } },
        cubic_budget = { replicates = 4, problem = { n = 1e4 }, privacy = { epsilon = { 0.5, 1, 2 } } },
        path      = { replicates = 4, problem = { n = 1e4 } },
      },
    },
    full = { replicates = 400 },
  },
}
