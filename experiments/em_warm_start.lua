-- em_warm_start.lua -- what does a warm start by the exponential mechanism gain on a loss that is not convex?
--
-- Records are angles, p of them, as many as w has coordinates (d counts features: the cosine and the sine of each). The
-- loss `circular` is the mean of 1 - cos(u_j - theta_j), u_j = sqrt(p) w_j; the angles of records lie about +-2.4, the
-- signs drawn, so that an answer that ignores the records (`start`) has a risk of 1.56 and a gradient of 0.61, where
-- every eigenvalue of the Hessian is -0.66. n is the number of records, mu the budget as that of one Gaussian release.
--
-- The warm start: half of epsilon for em_product, the exponential mechanism drawn exactly, which promises
-- F(w) - F* <= psi with probability 1 - sqrt(p) / (n epsilon); the rest for DP-SPIDER from there, which is told psi as
-- its gap. By its theorem the gradient norm is then psi^(1/3) (sqrt(p) / (n mu))^(2/3). psi is p / (n epsilon) up to a
-- logarithm, so that is p^(2/3) / n up to the cube root of that logarithm. DP-SPIDER alone has n^(-2/3), and the
-- exponential mechanism alone, by its risk and smoothness, n^(-1/2).
--
-- n1, n3, n10  against n at 1, 3 and 10 angles. What is claimed is exponent 1 after division by log(n)^(1/3).
-- d         against p = 1 to 64. psi there is p and a logarithm, with a slope below 1 in p: claimed is that 2/3 is
--           kept (a bound), and that the gradient norm goes with p as the bound that the second stage resolves
--           (exponent 0 of their ratio). That bound is on the root mean square, of which the mean of a Gaussian norm is
--           0.80 in one dimension and 0.94 in four: the ratio counts from four angles on.
-- mu        epsilon = 1/4 to 4, 5 angles; psi goes with epsilon, which grows a little faster than mu.
-- first     em_product alone: a risk of p / (n epsilon), which no net has (its bound has p log(n epsilon / p) for p).
-- stages    others in its place, 2 angles: em_net searches a net and em_reject draws from a ball, both with a psi for
--           any Lipschitz loss, five times as large; em_zoom may settle in a wrong basin, so that its psi is more than
--           the loss can be; langevin promises nothing. handover_gap is what psi bounds.
-- path      the run at n = 30,000, 3 angles: where the Hessian has negative eigenvalues (and at what share of the
--           iterates), and where the second stage takes over.
--
-- `dp_gd tuned` has the best number of steps at each point, which no theorem gives. Without noise the first stage
-- returns the minimiser itself, so that nothing is left: noise makes all of the rate. In mean over all iterates, which
-- is exact for a uniform one; `last` where it says so. Two minutes on two cores: DP-SPIDER alone takes 340,000 steps at
-- most.
local function angles(count) return 2 * count end
local function spider(select) return { "dp_spider", parameters = "theory", select = select } end
local function warm(first, select, label, privacy)
  return { "warm_start", first = first, second = spider(select), label = label, privacy = privacy }
end
local off = { noise = "off" }
local em_product = { "em_product" }
local methods = {
  warm(em_product, "mean"), warm(em_product, "mean", "warm_start noise-free", off),
  warm(em_product, "last", "warm_start last"), { "em_product", label = "first alone" }, spider("mean"),
  { "dp_gd", label = "dp_gd tuned", eta = 1, select = "last", tune = { steps = { 2, 3, 4, 6, 9, 14, 20, 30 } } },
  { "start" },
}
local corollary = "Lowy, Ullman & Wright 2024, Corollary 4.3"

local function against_n(count, n, replicates)
  local words = count == 1 and "one angle" or count == 3 and "three angles" or "ten angles"
  return {
    question   = "Does the exponential mechanism first turn DP-SPIDER's exponent in n into 1, " .. words .. "?",
    replicates = replicates,
    problem    = { n = n, d = angles(count) },
    algorithms = methods,
    claims     = {
      { algorithm = "warm_start", y = "grad_norm", x = "n", exponent = -1, log = 1/3, rival = -2/3, tolerance = 0.05,
        mode = "theory", control = "first alone", source = corollary },
    },
    figures    = {
      { name = "n" .. count, kind = "rate", x = "n", y = "grad_norm",
        title = "Gradient norm against the number of records, location of " .. words },
      { name = "n" .. count .. "_residuals", kind = "residual", x = "n", y = "grad_norm",
        title = "What is left of the claimed exponent in n, location of " .. words },
    },
  }
end

return {
  question   = "Does a warm start by the exponential mechanism turn DP-SPIDER's exponent 2/3 into 1?",
  source     = corollary,
  seed       = 20240607,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = "circular", data = { "angles", offset = 2.4, spread = 0.45 } },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "grad_norm", "handover_gap" },

  sweeps = {
    n1  = against_n(1, { 3e3, 1e4, 3e4, 1e5 }, 80),
    n3  = against_n(3, { 3e3, 1e4, 3e4, 1e5 }, 50),
    n10 = against_n(10, { 1e4, 3e4, 1e5, 3e5 }, 12),
    d = {
      replicates = 30,
      problem    = {
        n = 3e4, d = { angles(1), angles(2), angles(4), angles(8), angles(16), angles(32), angles(64) },
      },
      algorithms = methods,
      claims     = {
        { algorithm = "warm_start", y = "grad_norm", x = "d", exponent = 2/3, tolerance = 0.05, mode = "bound",
          source = corollary },
        { algorithm = "warm_start", y = "grad_norm", x = "d", exponent = 0, per = { ["second.bound"] = 1 },
          tolerance = 0.08, mode = "theory", from = angles(4), source = "Lowy, Ullman & Wright 2024, Theorem 3.2" },
      },
      figures    = {
        { name = "d", kind = "rate", x = "d", y = "grad_norm", x_label = "features (two for each angle)",
          title = "Gradient norm against the dimension, location of angles, n = 30,000" },
      },
    },
    mu = {
      replicates = 40,
      problem    = { n = 3e4, d = angles(5) },
      privacy    = { epsilon = { 0.25, 0.5, 1, 2, 4 } },
      algorithms = methods,
      claims     = {
        { algorithm = "warm_start", y = "grad_norm", x = "mu", exponent = -1, rival = -2/3, tolerance = 0.06,
          mode = "theory", control = "first alone", source = corollary },
      },
      figures    = {
        { name = "mu", kind = "rate", x = "mu", y = "grad_norm",
          title = "Gradient norm against the budget, location of five angles, n = 30,000" },
      },
    },
    first = {
      replicates = 200,
      problem    = { n = { 1e3, 1e4, 1e5 }, d = angles(10) },
      algorithms = {
        { "em_product" }, { "em_product", label = "em_product noise-free", privacy = off }, { "start" },
      },
      measures   = { "excess_risk" },
      claims     = {
        { algorithm = "em_product", y = "excess_risk", x = "n", exponent = -1, rival = -2/3, tolerance = 0.05,
          mode = "theory", source = "Lowy, Ullman & Wright 2024, Lemma 4.2" },
      },
      figures    = {
        { name = "first", kind = "rate", x = "n", y = "excess_risk",
          title = "Excess risk of the exponential mechanism, location of ten angles" },
      },
    },
    stages = {
      replicates = 10,
      problem    = { n = { 1e3, 2e3, 4e3 }, d = angles(2) },
      algorithms = {
        warm(em_product, "mean"), warm({ "em_net", search = true }, "mean", "by em_net"),
        warm({ "em_reject", running_time = "depends_on_records" }, "mean", "by em_reject"),
        warm({ "em_zoom", points = 100 }, "mean", "by em_zoom"), warm({ "langevin" }, "mean", "by langevin"),
        spider("mean"), { "start" },
      },
      figures    = {
        { name = "stages", kind = "rate", x = "n", y = "grad_norm",
          title = "Gradient norm by the first stage, location of two angles" },
      },
    },
    path = {
      replicates = 5, checkpoints = 20,
      problem    = { n = 3e4, d = angles(3) },
      algorithms = {
        warm(em_product, "uniform"), spider("uniform"),
        { "dp_gd", label = "dp_gd, 12 steps", eta = 1, select = "last", steps = 12 },
      },
      measures   = { "grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures    = {
        { name = "path", kind = "trajectory", x = "releases",
          y = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Along the run, location of three angles, n = 30,000" },
      },
    },
  },

  scales = {
    smoke = {
      sweeps = {
        n1     = { replicates = 3, problem = { n = { 1e3, 2e3, 4e3 } } },
        n3     = { replicates = 3, problem = { n = { 1e3, 2e3, 4e3 } } },
        n10    = { replicates = 3, problem = { n = { 2e3, 4e3, 8e3 } } },
        d      = { replicates = 3, problem = { n = 2e3, d = { angles(4), angles(8), angles(16) } } },
        mu     = { replicates = 3, problem = { n = 2e3 }, privacy = { epsilon = { 0.5, 1, 2 } } },
        first  = { replicates = 5, problem = { n = { 1e3, 2e3, 4e3 } } },
        stages = { replicates = 2, problem = { n = { 500, 1e3 } } },
        path   = { replicates = 2, checkpoints = 4, problem = { n = 2e3 } },
      },
    },
    full = {
      sweeps = {
        n1 = { replicates = 400 }, n3 = { replicates = 150 }, n10 = { replicates = 60 }, d = { replicates = 100 },
        mu = { replicates = 100 }, first = { replicates = 2000 }, stages = { replicates = 100 },
        path = { replicates = 20 },
      },
    },
  },
}
