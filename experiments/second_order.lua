-- second_order.lua -- private second-order stationary points: what is promised, what is reached, and what leaves a
-- saddle at all? About four minutes on two cores.
--
-- F is a sum of cosines in d = 10 dimensions whose first axis has curvature -1/2 at the start, all others 1, tilted by
-- the records: signs of mean 0.3, of which no method knows the direction, at weight 0.1. `sosp_level` is the smallest
-- alpha for which a point is an alpha-second-order stationary point: ||grad F|| <= alpha and lambda_min(hess F) >=
-- -sqrt(rho_H alpha), rho_H the Lipschitz constant of the Hessian. It is 0.227 at the start, by the eigenvalue; at the
-- minimum of the cosines alone, which needs no record, it is 0.03: above that an answer shows nothing of the records.
--
--   kick       spider_sosp as published: Gaussian kicks, and the exponential mechanism among up to 1000 iterates
--   hessian    its proved escape. It stops at the first point that passes its own test, where ||v|| <= 3 g (v the
--              estimate of the gradient, g the accuracy of estimates that the schedule is made for), and so it ends
--              between 2 g and 3 g, with noise and without: its level is the schedule's, falls no faster than g, and
--              lies on no smooth line, for a path that noise hardly moves crosses 3 g at one step or at the next
--   longer     hessian with the schedule that it had before: T = 4 beta gap / g^2 + n_h updates at most, of which
--              n1 = 1 + 4 gap / (beta drift) + n_h begin with a new gradient, n_h = 1 + 10 gap sqrt(rho_H) /
--              (4 g)^(3/2) Hessians. g, the best drift and the counts are those of an independent program, by n
--   dp_spider  knows nothing of saddles, by its theorem's schedule: the mean over all iterates, and the last one
--   dp_gd      noisy gradient descent, its number of steps tuned: a known start is worth a short schedule
--
-- Both escapes promise alpha = 4 g; that of kick is nobody's theorem, for its lemma is false (escape_lemma.lua). The
-- claims ask for the promise itself: sosp_level / g is at most 4 and does not grow.
--
-- records    against n; the winner, dp_gd, knows how far there is to go, and no saddle holds it
-- spider     against n, dp_spider beside kick and dp_gd
-- budget     against epsilon, in units of mu (the Gaussian mechanism's), n = 1e5
-- dimension  against d, n = 1e5. The entries of the tilt fall as 1/sqrt(d), so that the saddle stays one. A choice
--            among 1000 iterates finds one of small noise where d is small, so kick's level grows faster than its
--            promise, far below it
-- noise      the records at weight 0, the start exactly on the saddle: without noise dp_spider and dp_gd stay there for
--            good, with noise they leave it, and knew nothing of saddles; here no record matters
-- warm       Corollary 4.4 in d = 2: the exponential mechanism on a net first, on half of epsilon, spider_sosp from
--            there, which is told the mechanism's risk bound psi as its gap. psi is about ln(n)/n, kick's promise
--            psi^(1/3) n^(-2/3): nearly 1/n, where it is n^(-2/3) alone. hessian's follows the gradients after jumps,
--            psi^(2/7) n^(-4/7), which is n^(-6/7). A gain in promise: kick alone reaches as much
-- path       one n along the run: gradient norm, smallest Hessian eigenvalue, excess risk. The saddle is left within a
--            dozen of steps (dp_spider, at half the step size, two dozen); from there on the path is convex. The
--            share of steps before is negative_curvature_share
local longer = { -- g, drift, T, n1, n_h
  [1e4] = { 0.0738393, 0.0573807926909, 882, 132, 67 },
  [3e4] = { 0.0376824, 0.0286903963454, 3312, 311, 182 },
  [1e5] = { 0.0181884, 0.0143451981727, 13974, 798, 541 },
  [3e5] = { 0.00945983, 0.00717259908636, 51096, 1953, 1440 },
  [1e6] = { 0.00465468, 0.00358629954318, 209266, 5196, 4171 },
}
local function of(k)
  return function (c) return longer[c.n][k] end
end
local kick, hessian = { "spider_sosp", label = "kick" }, { "spider_sosp", label = "hessian", escape = "hessian" }
local function off(label, escape)
  return { "spider_sosp", label = label, escape = escape, privacy = { noise = "off" } }
end
local tuned = { "dp_gd", select = "last", tune = { steps = { 8, 15, 30, 60, 120, 240 } } }
local proof = "algorithms/spider_sosp.c, with the escape of Liu & Talwar 2024"
local function kept(label, x, g)
  local proved = label:find("hessian")
  return { algorithm = label, y = "sosp_level", x = x, exponent = 0, constant = 4, per = { [g or "accuracy"] = 1 },
           tolerance = 0.1, mode = "bound", origin = proved and "theorem" or "conjecture",
           source = proved and proof or "Lowy, Ullman & Wright 2024, section 3" }
end
local net = { "em_net", search = true }

return {
  question   = "Which second-order level is promised, which is reached, and what leaves a saddle?",
  source     = "Lowy, Ullman & Wright 2024, sections 3 and 4; Ganesh et al. 2023; Liu & Talwar 2024",
  seed       = 20240607,
  replicates = 30, tuning_replicates = 5,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = { loss = "cos_saddle", data = { "signs", mean = 0.3, drawn = true }, n = 1e5, d = 10 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "sosp_level", "hessian_min_eigenvalue", "grad_norm" },

  sweeps = {
    records = {
      problem    = { n = { 1e4, 3e4, 1e5, 3e5, 1e6 } },
      algorithms = {
        kick, hessian,
        { "spider_sosp", label = "longer", escape = "hessian", accuracy = of(1), drift = of(2), steps = of(3),
          gradients = of(4), hessians = of(5) },
        tuned,
        off("hessian without noise", "hessian"),
        { "dp_gd", label = "dp_gd without noise", select = "last", tune = "dp_gd", privacy = { noise = "off" } },
        { "start" },
      },
      claims     = {
        { algorithm = "kick", y = "sosp_level", x = "n", exponent = -2/3, tolerance = 0.1, mode = "bound",
          source = "Lowy, Ullman & Wright 2024, section 3" },
        { algorithm = "hessian", y = "sosp_level", x = "n", exponent = -1/2, tolerance = 0.05, mode = "bound",
          source = "Liu & Talwar 2024, the term of privacy" },
        { algorithm = "hessian", y = "sosp_level", x = "n", exponent = "bound", tolerance = 0.05, mode = "bound",
          source = proof },
        kept("kick", "n"), kept("hessian", "n"),
      },
      figures    = {
        { name = "records", kind = "rate", x = "n", y = "sosp_level",
          title = "Second-order level of the answer, started on a saddle" },
        { name = "parts", kind = "trade_off", x = "n", y = { "hessian_min_eigenvalue", "grad_norm" },
          title = "Its smallest eigenvalue and its gradient" },
      },
    },
    spider = {
      replicates = 6,
      problem    = { n = { 1e4, 3e4, 1e5, 3e5 } },
      algorithms = {
        kick, tuned, { "dp_spider", parameters = "theory", select = "mean" },
        { "dp_spider", label = "dp_spider last", parameters = "theory", select = "last" },
        { "dp_spider", label = "dp_spider without noise", parameters = "theory", select = "mean",
          privacy = { noise = "off" } },
      },
      figures    = {
        { name = "spider", kind = "rate", x = "n", y = "sosp_level",
          title = "Second-order level with escapes (kick) and without" },
      },
    },
    budget = {
      privacy    = { epsilon = { 0.25, 0.5, 1, 2, 4 } },
      algorithms = { kick, hessian, tuned, { "start" } },
      claims     = { kept("kick", "mu"), kept("hessian", "mu") },
      figures    = {
        { name = "budget", kind = "rate", x = "mu", y = "sosp_level",
          title = "Second-order level of the answer against the budget, n = 1e5" },
      },
    },
    dimension = {
      problem    = { d = { 4, 8, 16, 32, 64 } },
      algorithms = { kick, hessian, tuned, { "start" } },
      claims     = { kept("kick", "d"), kept("hessian", "d") },
      figures    = {
        { name = "dimension", kind = "rate", x = "d", y = "sosp_level",
          title = "Second-order level of the answer against d, n = 1e5" },
      },
    },
    noise = {
      replicates = 8,
      problem    = { loss = { "cos_saddle", tilt = 0 }, declared = { L_data = 0.1, beta_data = 0.1 },
                     n = { 1e4, 3e4, 1e5 } },
      algorithms = {
        kick, { "dp_spider", parameters = "theory", select = "last" }, { "dp_gd", steps = 60, select = "last" },
        off("kick without noise", "kick"), off("hessian without noise", "hessian"),
        { "dp_spider", label = "dp_spider without noise", parameters = "theory", select = "last",
          privacy = { noise = "off" } },
        { "dp_gd", label = "dp_gd without noise", steps = 60, select = "last", privacy = { noise = "off" } },
      },
      figures    = {
        { name = "noise", kind = "trade_off", x = "n", y = "hessian_min_eigenvalue",
          title = "Started exactly on a strict saddle, records of weight 0" },
      },
    },
    warm = {
      replicates = 20,
      problem    = { n = { 3e3, 1e4, 3e4, 1e5 }, d = 2 },
      algorithms = {
        { "warm_start", label = "warm kick", first = net, second = { "spider_sosp" } },
        { "warm_start", label = "warm hessian", first = net, second = { "spider_sosp", escape = "hessian" } },
        { "warm_start", label = "warm kick without noise", first = net, second = { "spider_sosp" },
          privacy = { noise = "off" } },
        { "em_net", search = true }, kick, hessian, tuned, { "start" },
      },
      measures   = { "sosp_level", "hessian_min_eigenvalue", "handover_gap" },
      claims     = {
        { algorithm = "warm kick", y = "sosp_level", x = "n", exponent = -1, rival = -2/3, tolerance = 0.15,
          mode = "bound", source = "Lowy, Ullman & Wright 2024, Corollary 4.4" },
        { algorithm = "warm hessian", y = "sosp_level", x = "n", exponent = -6/7, rival = -4/7, tolerance = 0.14,
          mode = "bound", source = proof },
        kept("warm kick", "n", "second.accuracy"), kept("warm hessian", "n", "second.accuracy"),
      },
      figures    = {
        { name = "warm", kind = "rate", x = "n", y = "sosp_level",
          title = "The exponential mechanism, then spider_sosp: second-order level, d = 2" },
        { name = "warm_residual", kind = "residual", x = "n", y = "sosp_level",
          title = "What is left of the claimed exponent -1, d = 2" },
      },
    },
    path = {
      replicates = 5, checkpoints = 12,
      algorithms = { kick, hessian, { "dp_spider", parameters = "theory", select = "last" },
                     { "dp_gd", steps = 60, select = "last" } },
      measures   = { "grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures    = {
        { name = "path", kind = "trajectory", x = "steps", y = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          title = "Off the saddle, n = 1e5" },
      },
    },
  },

  scales = {
    smoke = {
      tuning_replicates = 2,
      sweeps = {
        records   = { replicates = 4, problem = { n = { 1e4, 3e4, 1e5 } } },
        spider    = { replicates = 4, problem = { n = { 3e3, 1e4, 3e4 } } },
        budget    = { replicates = 4, privacy = { epsilon = { 0.5, 1, 2 } } },
        dimension = { replicates = 4, problem = { d = { 4, 8, 16 } } },
        noise     = { replicates = 2, problem = { n = { 1e4, 2e4, 3e4 } } },
        warm      = { replicates = 4, problem = { n = { 1e3, 3e3, 1e4 } } },
        path      = { replicates = 1, checkpoints = 4, problem = { n = 3e4 } },
      },
    },
    full = {
      sweeps = { records = { replicates = 120 }, spider = { replicates = 48 }, budget = { replicates = 120 },
                 dimension = { replicates = 120 }, warm = { replicates = 80 } },
    },
  },
}
