-- population.lua -- a small gradient of the population loss from records that are each used once: which part of the
-- error is the sample's, which the noise's, and what does a warm start on records of its own gain?
--
-- Records are angles, ten or a hundred of them (the axis d counts features, two for each). The loss `circular` is the
-- mean of 1 - cos(u_j - theta_j); the angles lie 0.45 on either side of +2.4 or of -2.4, a sign drawn once for each
-- coordinate, so that an answer that ignores the records (`start`) has a gradient of 0.61, where every eigenvalue of
-- the Hessian is -0.66. n is the number of records. They are held as counts (storage = "moments"), so that 10^9 cost no
-- more than 100, and the population loss is known exactly (population = "exact").
--
--   tree_spider  one pass over fresh records down a tree; its theorem has n^(-1/3) + (sqrt d / (n epsilon))^(1/2) up to
--                logarithms for the leaf whose released estimate is smallest. "mean" is the mean over all leaves, which
--                has the way to the minimiser in it, and "last" the last leaf
--   dp_gd        noisy gradient descent on all records, with its number of steps tuned
--
-- sampling  epsilon = 1, ten angles: the first term, which is there without noise as well. So the exponent is none of
--           the noise's, and "at least 1/3" is all that is claimed.
-- privacy   epsilon = 0.02, a hundred angles: the second term. From n = 3 * 10^5 on next to nothing is left without
--           noise; at 10^5 the run has hardly left its start.
-- warm      Corollaries 7.1 and E.4. Half of the records for the exponential mechanism (em_product), whose risk bound
--           psi is told to spider_sosp on fresh records of the other half. With its kicks, and without the private
--           choice at the end. alpha = 4 g is what spider_sosp promises of its second-order level max(||grad F||,
--           -lambda_min(hess F)) in the units of sosp_level: n^(-1/2) after the warm start, n^(-1/3) without. It
--           promises something from n = 10^7 on. sosp_level is that of all records, which at these n is the
--           population's. After the warm start spider_sosp has a single step left to go.
-- path      along the run at n = 10^7
-- Five minutes on two cores. 160 replicates of `warm`, whose runs cost little: 20 left its claims unresolved.
local function angles(count) return 2 * count end
local off = { noise = "off" }
local function tree(select, label, privacy)
  return { "tree_spider", select = select, label = label, privacy = privacy }
end
local tuned = { "dp_gd", label = "dp_gd tuned", eta = 1, select = "last",
                tune = { steps = { 2, 4, 8, 14, 24, 40, 80, 160 } } }
local methods = {
  tree("min_release"), tree("min_release", "tree_spider noise-free", off), tree("mean", "tree_spider mean"),
  tree("last", "tree_spider last"), tuned, { "start" },
}
local function sosp(label, privacy)
  return { "spider_sosp", mode = "population", selection = "none", label = label, privacy = privacy }
end
local function warm(label, privacy)
  return { "warm_start", first = "em_product", second = sosp(), budget = "disjoint", label = label, privacy = privacy }
end
local arora, lowy = "Arora et al. 2023, Alg. 1", "Lowy, Ullman & Wright 2024, "

return {
  question   = "Which rate has a private pass over fresh records, and what does a warm start gain there?",
  source     = "Arora et al. 2023, Alg. 1; Lowy, Ullman & Wright 2024, section 7 and appendix E",
  seed       = 20240612,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = "circular", data = { "angles", offset = 2.4, spread = 0.45 }, storage = "moments",
                 population = "exact", d = angles(10) },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "population_grad_norm" },

  sweeps = {
    sampling = {
      replicates = 10,
      problem    = { n = { 1e5, 3e5, 1e6, 3e6, 1e7 } },
      algorithms = methods,
      claims     = {
        { algorithm = "tree_spider", y = "population_grad_norm", x = "n", exponent = -1/3, tolerance = 0.05,
          mode = "bound", source = arora },
      },
      figures    = {
        { name = "sampling", kind = "rate", x = "n", y = "population_grad_norm",
          title = "Population gradient after one pass, ten angles, epsilon = 1: the sample's error" },
      },
    },
    privacy = {
      replicates = 6, tuning_replicates = 3,
      problem    = { n = { 1e5, 3e5, 6e5, 1.2e6, 2.5e6, 5e6 }, d = angles(100) },
      privacy    = { epsilon = 0.02 },
      algorithms = methods,
      claims     = {
        { algorithm = "tree_spider", y = "population_grad_norm", x = "n", exponent = -1/2, rival = -1/3,
          tolerance = 0.06, mode = "theory", from = 3e5, source = arora, control = "tree_spider mean" },
      },
      figures    = {
        { name = "privacy", kind = "rate", x = "n", y = "population_grad_norm",
          title = "Population gradient after one pass, a hundred angles, epsilon = 0.02: the noise's error" },
        { name = "privacy_residuals", kind = "residual", x = "n", y = "population_grad_norm",
          title = "What is left of the claimed exponent 1/2, a hundred angles, epsilon = 0.02" },
      },
    },
    warm = {
      replicates = 160,
      problem    = { n = { 1e7, 3e7, 1e8, 3e8, 1e9 } },
      algorithms = {
        warm(), warm("warm_start without noise", off), sosp(), sosp("spider_sosp without noise", off),
        { "em_product" }, tuned, { "start" },
      },
      measures   = { "sosp_level", "population_grad_norm", "handover_gap" },
      claims     = {
        { algorithm = "warm_start", y = "sosp_level", x = "n", exponent = -1/2, rival = -1/3, tolerance = 0.06,
          mode = "bound", control = "start", source = lowy .. "Corollary 7.1" },
        { algorithm = "spider_sosp", y = "sosp_level", x = "n", exponent = -1/3, tolerance = 0.06, mode = "bound",
          source = lowy .. "section 7" },
        { algorithm = "warm_start", y = "sosp_level", x = "n", exponent = 0, constant = 4, tolerance = 0.06,
          mode = "bound", per = { ["second.accuracy"] = 1 }, source = lowy .. "Corollary 7.1" },
        { algorithm = "spider_sosp", y = "sosp_level", x = "n", exponent = 0, constant = 4, tolerance = 0.06,
          mode = "bound", per = { accuracy = 1 }, source = lowy .. "section 7" },
      },
      figures    = {
        { name = "warm", kind = "rate", x = "n", y = "sosp_level",
          title = "Second-order level from fresh records, after a warm start on half of them and without" },
      },
    },
    path = {
      replicates = 5, checkpoints = 12,
      problem    = { n = 1e7 },
      algorithms = { warm(), sosp(), tree("last"), { "dp_gd", eta = 1, select = "last", steps = 24 }, { "start" } },
      measures   = { "population_grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures    = {
        { name = "path", kind = "trajectory", x = "steps",
          y = { "population_grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Along the run, ten angles, n = 10^7" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 3, tuning_replicates = 1,
      sweeps = {
        sampling = { replicates = 3, problem = { n = { 1e5, 2e5, 4e5 } } },
        privacy  = { replicates = 3, tuning_replicates = 1, problem = { n = { 3e5, 6e5, 1.2e6 }, d = angles(20) } },
        warm     = { replicates = 3, problem = { n = { 1e7, 3e7, 1e8 } } },
        path     = { replicates = 2, checkpoints = 4 },
      },
    },
    full = {
      sweeps = { sampling = { replicates = 40 }, privacy = { replicates = 24 }, warm = { replicates = 640 } },
    },
  },
}
