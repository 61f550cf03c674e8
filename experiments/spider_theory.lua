-- spider_theory.lua -- does DP-SPIDER, with the theorem's own parameters, show the theorem's exponent?
--
-- One smooth instance, no tuning: T, q and the step come from n, so the exponent of the schedule is part of what is
-- measured. Hence the same schedule without noise, which must lie far below, and the choice that minimises the bound
-- with its constants (balanced), which should fall as fast. The figure shows these and noisy gradient descent; the
-- claim is about the last two decades, because the theorem's second term, 1/n, still counts before. One minute on two
-- cores.
return {
  question   = "With the parameters of its theorem, does DP-SPIDER's gradient norm fall as n^(-2/3)?",
  source     = "Arora et al. 2023, Theorem B.3, as used in Lowy, Ullman & Wright 2024",
  seed       = 20240604,
  replicates = 60,
  problem    = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 1e3, 3e3, 1e4, 3e4, 1e5, 3e5 }, d = 10 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = {
    { "dp_spider", parameters = "theory" },
    { "dp_spider", parameters = "theory", label = "noise-free", privacy = { noise = "off" } },
    { "dp_spider", label = "dp_spider balanced", work = 1e9 }, -- whatever it costs: the bound's own minimum
    { "dp_gd", select = "uniform" },
  },
  measures   = { "grad_norm" },
  claims     = {
    { algorithm = "dp_spider", y = "grad_norm", x = "n", exponent = -2/3, rival = -1/2, tolerance = 0.05,
      mode = "theory", from = 3e3, source = "Arora et al. 2023, Theorem B.3", control = "noise-free" },
  },
  figures    = {
    { name = "spider_theory", kind = "rate", x = "n", y = "grad_norm",
      title = "Gradient norm with the theorem's parameters, pseudo-Huber loss" },
    { name = "residuals", kind = "residual", x = "n", y = "grad_norm",
      title = "What is left of the claimed exponent, the theorem's parameters" },
  },
  scales = {
    smoke = { replicates = 4, problem = { n = { 3e3, 6e3, 1.2e4 } } },
    full  = { replicates = 200 },
  },
}
