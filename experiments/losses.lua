-- losses.lua -- which loss is to be minimised under a budget where labels are wrong or noisy? And what does a budget
-- leave of the losses that no other experiment has? About three minutes on two cores.
--
--   flips     labels of a linear model, none, a tenth and three tenths of them flipped: two convex losses and three
--             that saturate, judged by the accuracy on the labels as they are (with a share p flipped, a(1 - p) + (1 -
--             a)p where a is that on the labels before; 1 - p is the best)
--   mnist     3 against 8, 2,000 images of 784 pixels: the same losses where nobody flips a label
--   neuron, network   mail that is spam or not, 57 features, by losses whose labels are numbers: the square of a
--   sigmoid's
--             residual, and a two-layer perceptron of two units. Judged by the objective, beside 2,000 steps without
--             noise; the perceptron that ignores the records, with the best constant, has 0.478, half the variance of
--             all labels
--   noise     <w*, x> with noise three times as large as the signal: least squares, three convex losses with a kink and
--             five that fade out, judged by the way to the loss's own minimiser, which for all of them but for the
--             sample is w*, since the noise is symmetric. A bounded slope has less noise added to it
--   proximal  two weakly convex losses with kinks, judged by the gradient of the Moreau envelope (prox_gap)
--   spiked, dynamics, ramp, tail   a principal component from near the saddle at 0; a linear dynamical system (its
--             constants are crude: what is clipped and the noise are scaled by them); a ramp; a slope that falls as
--             one goes along. Two methods and the start
--
-- Step size and number of steps are tuned: 9 points, 2 runs each, by the first measure. Descent is dp_sgd on all
-- records, which takes losses with kinks.
local function all(c) return c.n end

local function descent(step)
  return { "dp_sgd", batch = all, select = "last",
           tune = { eta = { 0.2 * step, step, 5 * step }, steps = { 10, 50, 250 } } }
end
local function spider(step)
  return { "dp_spider", select = "last", tune = { eta = { 0.2 * step, step, 5 * step }, steps = { 10, 50, 250 } } }
end

local classifiers = { "logistic", "hinge", "bi_tempered", "savage", "sigmoid" }
local residuals = { "overparameterised_least_squares", "absolute", "epsilon_insensitive", "pinball", "cauchy", "barron",
                    "welsch", "geman_mcclure", "biweight" }

local function sweep(question, problem, step, measures, methods, figures)
  return { question = question, problem = problem, measures = measures, figures = figures or {},
           algorithms = methods or { descent(step), spider(step), { "start" } } }
end
local function ball(radius) return { "l2_ball", radius = radius } end
-- Labels that were collected, with what descent leaves where nothing is private.
local function spam(question, loss, radius, step)
  return sweep(question, { loss = loss, data = { "spambase", normalise = "l2" }, n = 4e3, domain = ball(radius),
                           start = { "sphere", radius = 1 } }, step,
               { "objective", "grad_norm", "hessian_min_eigenvalue" },
               { descent(step), { "sgd", batch = all, eta = step, steps = 2000, select = "last" }, { "start" } })
end
local risk = { "excess_risk", "grad_norm", "hessian_min_eigenvalue" }

return {
  question   = "Which loss is to be minimised under a budget, where labels are wrong or noisy?",
  source     = "Ganesh et al. 2023; Bassily, Guzman & Menart 2021, section 6",
  seed       = 20261208,
  replicates = 5, tuning_replicates = 2,
  checkpoints = 1,
  privacy    = { epsilon = { 0.25, 1, 4 }, delta = function (c) return 1 / c.n ^ 2 end },
  sweeps     = {
    flips    = sweep("Labels flipped", { loss = classifiers, data = { "logistic", scale = 50, noise = { 0, 0.1, 0.3 } },
                                         n = 4e3, d = 20, domain = ball(10) }, 10, { "accuracy" },
                     { descent(10), { "start" } },
                     { { name = "flips", kind = "trade_off", x = "data.noise", facet = "loss", y = "accuracy",
                         where = { epsilon = 1 },
                             title = "Accuracy against the share of flipped labels, epsilon = 1" } }),
    mnist    = sweep("Images", { loss = classifiers, data = { "mnist", normalise = "l2" }, n = 2e3, domain = ball(10) },
        10,
                     { "accuracy" }, { descent(10), { "start" } },
                     { { name = "mnist", kind = "trade_off", x = "epsilon", facet = "loss", y = "accuracy",
                         title = "3 against 8 of MNIST by five losses" } }),
    neuron   = spam("A neuron, and labels that were collected", "sigmoid_square", 10, 4),
    network  = spam("A perceptron, and labels that were collected", { "network", width = 2 }, 4, 0.1),
    noise    = sweep("Noisy labels", { loss = residuals, data = { "linear", noise = 1 }, n = 4e3, d = 10,
                                       domain = ball(2) }, 1, { "distance_to_minimiser" },
                     { descent(1), { "start" } }),
    proximal = sweep("Kinks, not convex", { loss = { "robust_phase_retrieval", { "absolute_sigmoid",
        target = "margin" } },
                                            data = { "phase", noise = 0.05 }, n = 4e3, d = 5, domain = ball(1.5),
                                            start = { "sphere", radius = 0.5 } }, 0.3, { "prox_gap" },
                     { descent(0.3), { "prox_md", select = "last",
                                       tune = { rounds = { 3, 10, 30 }, inner_steps = { 20, 80, 320 } } },
                                           { "start" } }),
    spiked   = sweep("A principal component", { loss = "pca_quartic", data = { "spiked", spike = 30, radius = 1 },
                                                n = 1e4, d = 10, domain = ball(1), start = { "sphere", radius = 0.1 } },
                     1, risk),
    dynamics = sweep("A linear dynamical system", { loss = "linear_dynamical_system", data = { "lds", noise = 0.05 },
                                                    n = 4e3, d = 10, domain = ball(0.5) }, 0.1, risk),
    ramp     = sweep("A ramp", { loss = "huber_ramp", data = "gaussian", n = 1e4, d = 10 }, 1, risk),
    tail     = sweep("A slope that falls", { loss = { "log_tail", length = 100 }, data = "gaussian", n = 1e4, d = 10 },
        1,
                     risk),
  },
  scales = {
    smoke = {
      replicates = 1, tuning_replicates = 1, privacy = { epsilon = { 1, 4 } },
      sweeps = { flips = { problem = { n = 300 } }, mnist = { problem = { n = 300 } },
          noise = { problem = { n = 300 } },
                 neuron = { problem = { n = 300 } }, network = { problem = { n = 300 } },
                 proximal = { problem = { n = 300 } }, spiked = { problem = { n = 300 } },
                 dynamics = { problem = { n = 300 } }, ramp = { problem = { n = 300 } },
                 tail = { problem = { n = 300 } } },
    },
    full = { replicates = 40, tuning_replicates = 5 },
  },
}
