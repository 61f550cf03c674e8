-- curvature.lua -- what is curvature worth to a private method on ill-conditioned problems? Newton steps with two
-- noises, trust regions, steps along negative curvature and Adam against noisy gradient descent, all tuned alike.
-- About six minutes on two cores.
--
-- A problem is ill-conditioned where its Hessian's eigenvalues are far apart. Descent then takes short steps for the
-- sake of the largest one and gets nowhere along the smallest; what knows curvature has steps that suit each direction,
-- but pays for noisy curvature.
--
--   dp_gd      gradient descent with noise
--   dp_adam    Adam on noisy gradients, the noise's share taken off its second moment: a diagonal
--   dp_newton  Newton steps (H + k I)^-1 g for the parabola above the loss: H stays secret, g and the step have noise;
--              Ganesh et al. 2023 claim less excess loss than DP-GD at epsilon from .01 to 10, in 10 to 40 times less
--              time
--   dp_tr      Wang & Xu 2020: trust region steps by noisy gradients and noisy Hessians
--   dp_2ns     Gao & Wright 2023: line search, and steps along negative curvature
--   optimum    gradient descent without privacy: how far short steps alone get
--
-- faded      logistic regression, d = 20, feature j of deviation ~ j^-1.5 (so that H has a condition number of about
-- 10^4),
--            n = 10^4 records of norm 1 at most
-- mushroom, ijcnn1   logistic regression with the regulariser lambda sum_j w_j^2 / (1 + w_j^2), lambda = 1e-3
-- promise    what dp_2ns certifies, without a search and with all parameters by theory, on cosines with a saddle at the
--            start: its level of second-order stationarity against alpha; dp_tr's promise is (13/6)^2 alpha
--
-- Each tuned method has 20 points, each with 2 runs: a step size or radius, and a number of steps; dp_newton has a
-- factor of its k in the place of a step size. Methods with Hessians have fewer steps on the mushrooms, whose d is 117.
-- What a private method may be told of gradients it is told by the declared constants. Tuning sees measures without
-- noise, which costs privacy that nobody counts: private_tuning.lua says what that is worth. Levels are compared, by
-- `stillpoint compare curvature dp_gd dp_newton`; gradients and Hessians of single records are counted in the columns
-- of runs.tsv, seconds are in timings.tsv.
local function methods(steps, second)
  return {
    { "dp_gd", select = "last", tune = { eta = { 1, 4, 16, 64, 256 }, steps = steps } },
    { "dp_adam", tune = { eta = { 0.003, 0.01, 0.03, 0.1, 0.3 }, steps = steps } },
    { "dp_newton", tune = { steps = second, ridge_scale = { 0.1, 0.4, 1.6, 6.4, 25 } } },
    { "dp_newton", label = "dp_newton without noise", tune = "dp_newton", privacy = { noise = "off" } },
    { "dp_tr", select = "last", tune = { alpha = { 1e-3, 1e-2, 0.1, 1, 10 }, steps_max = second } },
    { "dp_2ns", tune = { alpha = { 1e-5, 1e-4, 1e-3, 1e-2, 0.1 }, steps_max = second } },
    { "gd", label = "optimum", steps = 3000 },
    { "start" },
  }
end
local many, few = { 30, 100, 300, 1000 }, { 10, 30, 100, 300 }

local function real(data, n)
  return { loss = "logistic", regulariser = { "nonconvex", lambda = 1e-3 }, data = { data, normalise = "l2" }, n = n }
end

local measures = { "excess_risk", "grad_norm", "accuracy" }
local function figure(name, title)
  return { { name = name, kind = "trade_off", x = "epsilon", y = measures, title = title } }
end

return {
  question   = "Is curvature worth its noise on ill-conditioned logistic regression and on real data, tuned alike?",
  source     = "Ganesh, Haghifam, Steinke & Thakurta 2023; Gao & Wright 2023; Wang & Xu 2020",
  seed       = 20261201,
  replicates = 8, tuning_replicates = 2,
  checkpoints = 1,
  privacy    = { epsilon = { 0.25, 1, 4 }, delta = function (c) return 1 / c.n ^ 2 end },
  measures   = measures,
  sweeps     = {
    faded = {
      problem    = { loss = "logistic", data = { "logistic", design = "gaussian", decay = 1.5, radius = 1, scale = 10 },
                     n = 1e4, d = 20 },
      algorithms = methods(many, many),
      figures    = figure("faded", "Logistic regression whose features fade as j^-1.5, n = 10^4"),
    },
    mushroom = {
      problem    = real("mushroom", 2e3),
      privacy    = { epsilon = { 0.5, 2 } },
      algorithms = methods(few, { 3, 10, 30, 100 }),
      figures    = figure("mushroom", "2,000 mushrooms: logistic loss with a non-convex regulariser"),
    },
    ijcnn1 = {
      problem    = real("ijcnn1", 1e4),
      algorithms = methods(many, many),
      figures    = figure("ijcnn1", "10,000 records of IJCNN1: logistic loss with a non-convex regulariser"),
    },
    promise = {
      problem    = { loss = { "cos_saddle", tilt = 1 }, data = { "signs", mean = 0.3 }, storage = "signs",
                     n = { 3e5, 6e5, 1.2e6, 2.5e6, 5e6, 1e7 }, d = 10 },
      privacy    = { epsilon = 1, delta = 1e-6 },
      algorithms = { { "dp_2ns", search = "none" }, { "dp_tr" }, { "start" } },
      measures   = { "sosp_level", "grad_norm", "hessian_min_eigenvalue" },
      claims     = {
        { algorithm = "dp_2ns", y = "sosp_level", x = "n", exponent = 0, constant = 1, per = { alpha = 1 },
          tolerance = 0.1, mode = "bound", source = "Gao & Wright 2023, the guarantee in the head of dp_2ns.c" },
      },
      figures    = {
        { name = "promise", kind = "rate", x = "n", y = "sosp_level",
          title = "Second-order level on cosines with a saddle at the start, parameters by theory" },
      },
    },
  },
  scales = {
    smoke = {
      replicates = 2, tuning_replicates = 1, privacy = { epsilon = { 0.5, 2 } },
      sweeps = {
        faded = { problem = { n = 1000, d = 5 } }, mushroom = { problem = { n = 500 } },
        ijcnn1 = { problem = { n = 1000 } },
        promise = { privacy = { epsilon = 1 }, problem = { n = { 3e5, 6e5, 1.2e6 } } },
      },
    },
    full = { replicates = 100 },
  },
}
