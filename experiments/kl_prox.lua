-- kl_prox.lua -- does the excess risk fall as n^-3 where F - F* <= gamma^3 ||grad F||^3, and what does a proximal point
-- method do that decreasing steps do not? Two minutes on two cores.
--
-- F = ||w||^1.5 / 1.5 + 0.3 <mean x, w> on the unit ball, records in opposite pairs, so that mean x = 0 exactly and the
-- tip stays sharp: kappa = 3 and gamma^3 = 2/3, with equality. The gradient is not Lipschitz at the tip, so that no
-- method with a beta runs here.
--
--   kl_prox    the penalty grows as the risk falls (algorithms/kl_prox.c)
--   printed    one penalty for all rounds, as in Menart et al. 2023: the accuracy of a round stays of order n^-2, and
--   the
--              risk of order n^-2.5. The printed exponent is one for exact proximal points
--   steps      dp_sgd on all records, steps 1 / sqrt t or 1 / t: F - F* is ||grad F||^3 / 1.5, so that whatever brings
--              the gradient down to the noise has the exponent. They are the control: what is the method's own is to
--              get there without smoothness and with constants that hold in advance
--   noise-free both without noise. What they leave is far below, so that the noise makes the exponent
--
-- The number of rounds T is a logarithm of n, and the theorem's bound has T^(kappa/2): log^1.5 n is divided out. A
-- round takes 2000 gradients, which did as well as what theory asks for, up to 4 10^5, in runs with another seed.
local off = { noise = "off" }
local kl = "Menart et al. 2023, Algorithms 2 and 4"
local function all(c) return c.n end
local function prox(label, t)
  t = t or {}
  t[1], t.label, t.inner_steps = "kl_prox", label, 2000
  return t
end
local function claim(label, t)
  t = t or {}
  t.algorithm, t.y, t.x, t.exponent, t.rival = label, "excess_risk", "n", -3, -2
  t.mode, t.tolerance, t.log, t.source, t.control = "theory", 0.2, 1.5, kl, "steps 1/t"
  return t
end
return {
  question   = "Under the KL condition with kappa = 3, does the excess risk fall as n^-3?",
  source     = "Menart et al. 2023, Alg. 2 and 4",
  seed       = 20261124,
  replicates = 10,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss = { "power", tau = 1.5 }, data = "pairs", d = 10, n = { 1e3, 3e3, 1e4, 3e4, 1e5 },
    domain = { "l2_ball", radius = 1 }, start = { "sphere", radius = 1 },
    declared = { kl_gamma = (2 / 3) ^ (1 / 3), kl_kappa = 3 },
  },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = {
    prox("kl_prox"), prox("kl_prox noise-free", { privacy = off }),
    prox("printed", { penalty = "fixed" }), prox("printed noise-free", { penalty = "fixed", privacy = off }),
    { "dp_sgd", label = "steps 1/sqrt t", batch = all, eta = 1, decay = 0.5, steps = 1000, select = "last" },
    { "dp_sgd", label = "steps 1/t", batch = all, eta = 1, decay = 1, steps = 1000, select = "last" },
    { "start" },
  },
  measures   = { "excess_risk", "grad_norm" },
  claims     = { claim("kl_prox"), claim("printed") },
  figures    = {
    { name = "records", kind = "rate", x = "n", y = "excess_risk",
      title = "Excess risk against the number of records, kappa = 3" },
    { name = "records_residuals", kind = "residual", x = "n", y = "excess_risk",
      title = "What is left of the claimed exponent, kappa = 3" },
  },
  scales     = {
    smoke = { replicates = 5, problem = { n = { 1e3, 3e3, 1e4 } } },
    full  = { replicates = 100 },
  },
}
