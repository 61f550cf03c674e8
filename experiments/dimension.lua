-- dimension.lua -- does noisy descent pay for the dimension on a GLM? About two minutes on two cores.
--
-- A margin <w, x> changes by the part of w that lies along the records alone: noise elsewhere is not seen. So on any
-- GLM the trace of a bound on the Hessian is no more than beta (for ||x|| <= 1), and noisy descent with a number of
-- steps in which d does not occur leaves what does not depend on d: the lemma of DPZero, which holds for descent as
-- well (the head of algorithms/dp_zero.c). What does grow, as d^(1/4), is what is left on a loss with curvature in
-- every direction. So a slope in d that is measured on a GLM says something about the schedule, not about privacy.
--
--   glm        Welsch's loss of <w, x> - y, records of rank 8, d = 16 to 4096: dp_gd, 200 steps of 1 / beta at every d.
--              The exponent is 0, 1/4 is the rival
--   isotropic  pseudo-Huber with a tilt, curvature 1 in all directions at the minimum. By theory the number of steps
--              falls as d^(-1/2), and what is left grows as d^(1/4); the same steps without noise leave a tenth and
--              less. After 200 steps at every d the last iterate has paid for each direction alike, which is d^(1/2)
--
-- Measured is the mean of the gradient norm over all iterates, about which the theorems are, but for that last iterate.
local off = { noise = "off" }
local lemma = "Zhang et al. 2024 (the lemma of DPZero), for dp_gd in the head of dp_zero.c"
local function claim(label, exponent, rival, source)
  return { algorithm = label, y = "grad_norm", x = "d", exponent = exponent, rival = rival, mode = "theory",
           tolerance = 0.05, source = source }
end
local function descent(label, steps, privacy)
  return { "dp_gd", label = label, steps = steps, select = "mean", privacy = privacy }
end

return {
  question   = "Does what noisy descent leaves of the gradient grow with d on a GLM?",
  source     = "Zhang et al. 2024 (DPZero); Wang, Ye & Xu 2017",
  seed       = 20261125,
  replicates = 10,
  checkpoints = 1, -- the value at the start is all that a claim needs
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "grad_norm" },
  sweeps     = {
    glm = {
      problem    = { loss = "welsch", data = { "low_rank", rank = 8, norm = 1.75 }, n = 1000,
                     d = { 16, 64, 256, 1024, 4096 } },
      algorithms = {
        descent("dp_gd", 200), descent("dp_gd noise-free", 200, off), { "start" },
      },
      claims     = { claim("dp_gd", 0, 1/4, lemma) },
      figures    = {
        { name = "glm", kind = "rate", x = "d", y = "grad_norm",
          title = "Gradient norm against the number of features: a GLM of rank 8" },
      },
    },
    isotropic = {
      problem    = { loss = "pseudo_huber", data = { "signs", mean = 0.5, drawn = true }, storage = "signs", n = 1e5,
                     d = { 16, 64, 256, 1024, 4096 } },
      algorithms = {
        { "dp_gd", label = "200 steps, last", steps = 200, select = "last" }, descent("dp_gd by theory"),
            descent("by theory noise-free", nil, off), { "start" },
      },
      claims     = { claim("dp_gd by theory", 1/4, 0, "Wang, Ye & Xu 2017") },
      figures    = {
        { name = "isotropic", kind = "rate", x = "d", y = "grad_norm",
          title = "Gradient norm against the number of features: curvature in every direction" },
      },
    },
  },
  scales     = {
    smoke = {
      replicates = 5,
      sweeps = { glm = { problem = { d = { 16, 64, 256 } } },
          isotropic = { problem = { n = 1e4, d = { 16, 64, 256 } } } },
    },
    full  = { replicates = 200 },
  },
}
