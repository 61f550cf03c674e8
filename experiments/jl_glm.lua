-- jl_glm.lua -- does a random projection take the dimension out of a private GLM? About three minutes on two cores.
--
-- Records of rank 2 in d dimensions, whose subspace no method knows; what jl_glm is told is the rank. The loss forgets
-- residuals, and with labels <w*, x>, ||w*|| = 1.75, three of four lie beyond its inflection at the start: the smallest
-- Hessian eigenvalue there is -0.15, within the span of the records. About the first 6 of 200 steps see a negative one
-- there (negative_curvature_share); off the span the Hessian is 0.
--
--   dp_gd     T = 200 noisy steps on the records themselves, a T that no dimension sets. The gradient of a GLM lies in
--             the span of the records, and noise off it changes no margin <w, x>: nothing depends on d, without any
--             projection
--   tuned     the same with T tuned: that many steps are not needed
--   jl_glm    records projected to k = 4 x 2 dimensions, dp_gd's 200 steps there, of a quarter of the size and with
--             twice the noise: it takes about 30 of them to leave the negative eigenvalue. Now and then a matrix keeps
--             one of the two directions badly, and 200 are too few even without noise: the mean over the matrices has
--             a heavy tail, medians tell more (summary.tsv)
--   jl_glm spider
--             the projection with dp_spider's own schedule, as Arora et al. have it; Corollary 8.2 puts an exponential
--             mechanism before it (second_order_warm.lua). The printed k is ln(2n/delta) times the dimension at which
--             dp_spider's rate meets L ln(n)/sqrt k, far above every d here. Clipping keeps the privacy for every k, so
--             a smaller one is free to take
--
-- The claims ask that the exponent in d is at most 0.1, of both, and never that one is below the other: the projection
-- takes d out of the proof and out of the cost of a step; the result did not have it. A step on n records costs 2 n d
-- multiplications, after the projection 2 n k; the projection itself costs n k d, as much as k/2 steps. d = 2 and d = 8
-- are not projected (k >= d).
--
-- dimension  against d, n = 4000
-- records    against n, d = 64
-- budget     against epsilon, in units of mu (the Gaussian mechanism's), n = 4000, d = 64
-- path       one n and d along the run: gradient norm, smallest Hessian eigenvalue, excess risk
local gd = { "dp_gd", steps = 200, select = "last" }
local jl = { "jl_glm", rank = 2, base = gd }
local tuned = { "dp_gd", label = "tuned", select = "last", tune = { steps = { 5, 10, 20, 40, 80, 160 } } }
local off = { noise = "off" }
local function free(label, x, exponent, source)
  return { algorithm = label, y = "grad_norm", x = x, exponent = exponent, tolerance = 0.1, mode = "bound",
           rival = x == "d" and 1/3 or -2/3, source = source, origin = source and "theorem" or "conjecture" }
end
local paper = "Arora et al. 2023, Alg. 4"

return {
  question   = "Does a projection to four times the rank take the dimension out of a private GLM?",
  source     = "Arora et al. 2023, Alg. 4; Lowy, Ullman & Wright 2024, section 8",
  seed       = 20240607,
  replicates = 100, tuning_replicates = 5,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = "welsch", data = { "low_rank", rank = 2, norm = 1.75 }, n = 4000, d = 64 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "grad_norm", "hessian_min_eigenvalue" },

  sweeps = {
    dimension = {
      problem    = { d = { 2, 8, 32, 128, 512 } },
      algorithms = {
        gd, tuned, jl,
        { "jl_glm", label = "jl_glm spider", rank = 2,
          base = { "dp_spider", parameters = "theory", select = "last" } },
        { "dp_gd", label = "dp_gd without noise", steps = 200, select = "last", privacy = off },
        { "jl_glm", label = "jl_glm without noise", rank = 2, base = gd, privacy = off },
        { "start" },
      },
      claims     = { free("dp_gd", "d", 0), free("jl_glm", "d", 0), free("jl_glm spider", "d", 0, paper) },
      figures    = {
        { name = "dimension", kind = "rate", x = "d", y = "grad_norm",
          title = "Gradient norm against d, records of rank 2: with and without a projection to k = 8" },
      },
    },
    records = {
      replicates = 40,
      problem    = { n = { 1e3, 3e3, 1e4, 3e4 } },
      algorithms = {
        gd, tuned, jl,
        { "dp_gd", label = "dp_gd without noise", steps = 200, select = "last", privacy = off },
        { "jl_glm", label = "jl_glm without noise", rank = 2, base = gd, privacy = off },
        { "start" },
      },
      claims     = { free("dp_gd", "n", -1), free("jl_glm", "n", -1) },
      figures    = {
        { name = "records", kind = "rate", x = "n", y = "grad_norm",
          title = "Gradient norm against n, records of rank 2 in d = 64" },
      },
    },
    budget = {
      privacy    = { epsilon = { 0.5, 1, 2, 4, 8 } },
      algorithms = { gd, tuned, jl, { "start" } },
      claims     = { free("dp_gd", "mu", -1), free("jl_glm", "mu", -1) },
      figures    = {
        { name = "budget", kind = "rate", x = "mu", y = "grad_norm",
          title = "Gradient norm against the budget, records of rank 2 in d = 64, n = 4000" },
      },
    },
    path = {
      replicates = 5, checkpoints = 12,
      algorithms = { gd, jl },
      measures   = { "grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures    = {
        { name = "path", kind = "trajectory", x = "steps", y = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Two hundred steps from beyond the inflection, n = 4000, d = 64" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 4, tuning_replicates = 2, problem = { n = 1000, d = 16 },
      sweeps = {
        dimension = { problem = { d = { 16, 32, 64 } } },
        records = { replicates = 4, problem = { n = { 1e3, 2e3, 4e3 } } },
        budget = { privacy = { epsilon = { 1, 2, 4 } } }, path = { replicates = 1 },
      },
    },
    full = { sweeps = { dimension = { replicates = 400 }, records = { replicates = 400 },
                        budget = { replicates = 400 } } },
  },
}
