-- quickstart.lua -- a first look, in less than a minute on two cores.
--
--   mushroom  what privacy costs on real data: logistic regression with a non-convex regulariser on the UCI mushrooms
--             (8124 records in Debian's package libfann-doc), private methods against epsilon beside gradient descent
--   rates     does the exponent of the theorem show? noisy gradient descent (1/2) and DP-SPIDER (2/3) against n, on the
--             location of angles (losses/circular.c), each with its theorem's parameters; the mean of the gradient norm
--             over all iterates, about which the theorems are. Beside them the same schedules without noise, and
--             `start`, the answer at epsilon = 0: a method that leaves no less has learnt nothing from the records.
--             Below 10,000 records DP-SPIDER's period is under 10 steps, in which an iterate does not quite follow the
--             error of a gradient: its slope is smaller there
return {
  question = "What does privacy cost on real data, and do the exponents of the theorems show?",
  seed     = 20240601,

  sweeps = {
    mushroom = {
      question   = "What does privacy cost on the mushrooms?",
      source     = "objective of Wang & Xu 2020, section 5: logistic loss, regulariser sum w^2/(1+w^2)",
      replicates = 10,
      problem    = {
        loss        = "logistic",
        regulariser = { "nonconvex", lambda = 1e-3 },
        data        = { "mushroom", normalise = "l2", test = 0.2 },
      },
      privacy    = { epsilon = { 0.1, 0.2, 0.5, 1, 2, 4, 8 }, delta = function (c) return 1 / c.n ^ 2 end },
      algorithms = {
        { "gd", steps = 2000 },
        { "dp_gd", select = "last" }, -- the proofs return a uniform iterate; people keep the last one
        { "dp_sgd", select = "last", eta = 2, batch = 650, epochs = 40 },
        { "dp_spider", select = "last" },
      },
      measures   = { "excess_risk", "grad_norm", "accuracy" },
      figures    = {
        { name = "mushroom", kind = "trade_off", x = "epsilon", y = { "excess_risk", "grad_norm", "accuracy" },
          title = "Mushrooms: logistic loss with a non-convex regulariser" },
      },
    },

    rates = {
      question   = "Do DP-GD and DP-SPIDER show the exponents of their theorems in n?",
      source     = "Wang, Ye & Xu 2017 (1/2); Arora et al. 2023, as used in Lowy, Ullman & Wright 2024 (2/3)",
      replicates = 12,
      problem    = { loss = "circular", data = "angles", n = { 1e4, 3e4, 1e5, 2e5 }, d = 20 },
      privacy    = { epsilon = 1, delta = 1e-6 },
      algorithms = {
        { "dp_gd", select = "mean" }, { "dp_spider", parameters = "theory", select = "mean" },
        -- the same schedules without noise: what is measured should be the noise, not they
        { "dp_gd", select = "mean", label = "dp_gd noise-free", privacy = { noise = "off" } },
        { "dp_spider", parameters = "theory", select = "mean", label = "dp_spider noise-free",
          privacy = { noise = "off" } },
        { "start" },
      },
      measures   = { "grad_norm" },
      claims     = {
        { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, rival = -2/3, mode = "theory",
          source = "Wang, Ye & Xu 2017", control = "dp_gd noise-free" },
        { algorithm = "dp_spider", y = "grad_norm", x = "n", exponent = -2/3, rival = -1/2, mode = "theory",
          source = "Arora et al. 2023, Theorem B.3", control = "dp_spider noise-free" },
      },
      figures    = {
        { name = "rates", kind = "rate", x = "n", y = "grad_norm",
          title = "Gradient norm against the number of records, location of angles" },
        { name = "residuals", kind = "residual", x = "n", y = "grad_norm",
          title = "What is left of the claimed exponents, location of angles" },
      },
    },
  },

  scales = {
    smoke = {
      sweeps = {
        mushroom = { replicates = 2, problem = { n = 1000 }, privacy = { epsilon = { 0.5, 2, 8 } } },
        rates    = { replicates = 4, problem = { n = { 1e3, 3e3, 1e4 } } },
      },
    },
    full = {
      sweeps = {
        mushroom = { replicates = 40 },
        rates    = { replicates = 100, problem = { n = { 1e4, 3e4, 1e5, 3e5, 1e6 } } },
      },
    },
  },
}
