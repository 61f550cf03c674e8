-- ijcnn1.lua -- the quickstart's comparison on IJCNN1 (35,000 x 22, rows l2-normalised), with second-order information.
-- About a minute on two cores. Needs the data: stillpoint data fetch ijcnn1.
return {
  question   = "What does privacy cost on IJCNN1, and does the returned point have a direction of negative curvature?",
  source     = "problem of Wang & Xu 2020, section 5",
  seed       = 20240602,
  replicates = 5,
  problem    = { "wang_xu_ijcnn1", loss = { "logistic", "sigmoid" } },
  privacy    = { epsilon = { 0.2, 0.5, 1, 1.5, 2 }, delta = function (c) return 1 / c.n end },
  algorithms = {
    { "gd", steps = 2000 },
    { "dp_gd", select = "last" }, -- the proofs return a uniform iterate; people keep the last one
    { "dp_sgd", select = "last", eta = 2, batch = 1750, epochs = 40 },
    { "dp_spider", select = "last" },
  },
  measures   = { "excess_risk", "grad_norm", "hessian_min_eigenvalue", "accuracy" },
  figures    = {
    { name = "logistic", kind = "trade_off", x = "epsilon", where = { loss = "logistic" },
      y = { "excess_risk", "grad_norm", "hessian_min_eigenvalue", "accuracy" },
      title = "IJCNN1: logistic loss with a non-convex regulariser" },
    { name = "sigmoid", kind = "trade_off", x = "epsilon", where = { loss = "sigmoid" },
      y = { "excess_risk", "grad_norm", "hessian_min_eigenvalue", "accuracy" },
      title = "IJCNN1: sigmoid loss with a non-convex regulariser" },
  },
  scales = {
    smoke = { replicates = 2, problem = { n = 2000 }, privacy = { epsilon = { 0.5, 2 } } },
    full  = { replicates = 50 },
  },
}
