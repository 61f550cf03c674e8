-- signs.lua -- how does what is left at one step and one number of steps go with the budget: like 1 / epsilon where
-- steps have one length, like 1 / epsilon^2 where they follow the noise? About two minutes on two cores.
--
-- F = ||w||^2 / 2 + 0.3 <mean x, w>, x signs over sqrt(d), d = 10: the simplest landscape that there is, because both
-- claims are about what noise does near a minimum, and both can be calculated there. s is the deviation of the noise in
-- a coordinate, which goes like 1 / mu. Descent (dp_gd, which is dp_sgd on all records) forgets in 1 / eta steps and
-- settles at eta d s^2 / (2 (2 - eta)). dp_sign forgets in s sqrt(pi / 2) / eta steps and settles at
-- eta d s sqrt(2 pi) / 8, as long as eta is well below s. s goes from .4 to .03, and the number of steps, 10^4, is 30
-- times the longer of these. mu, the parameter of Gaussian privacy, is the budget in the units of the noise;
-- in epsilon the curve is bent.
--
-- Step and steps are the same for both and at every epsilon; that is the claim, and what a user does who tunes once.
-- The last iterate counts. Each is the other's rival. The paper's statement (of its abstract) is one about a diffusion
-- approximation in high dimension; d = 10 is here. Descent's law is exact, that of signs the one for small eta.
local off = { noise = "off" }
local function fixed(name, label, privacy)
  return { name, label = label, eta = 0.003, steps = 10000, select = "last", privacy = privacy }
end
local function claim(label, exponent, rival)
  return { algorithm = label, y = "excess_risk", x = "mu", exponent = exponent, rival = rival, mode = "theory",
           tolerance = 0.1, control = label .. " noise-free", source = "arXiv 2603.03226" }
end

return {
  question   = "At a fixed step, is what is left like 1 / epsilon for dp_sign and like 1 / epsilon^2 for descent?",
  source     = "arXiv 2603.03226",
  seed       = 20261123,
  replicates = 400,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss = { "power", tau = 2, tilt = 0.3 }, data = { "signs", mean = 0 }, storage = "signs", n = 1e4, d = 10,
    domain = { "l2_ball", radius = 50 }, start = { "sphere", radius = 1 },
  },
  privacy    = { epsilon = { 0.05, 0.1, 0.2, 0.4, 0.8 }, delta = 1e-6 },
  algorithms = {
    fixed("dp_gd", "dp_gd"), fixed("dp_sign", "dp_sign"),
    fixed("dp_gd", "dp_gd noise-free", off), fixed("dp_sign", "dp_sign noise-free", off),
    { "start" },
  },
  measures   = { "excess_risk", "grad_norm" },
  claims     = { claim("dp_gd", -2, -1), claim("dp_sign", -1, -2) },
  figures    = {
    { name = "budget", kind = "rate", x = "mu", y = "excess_risk",
      title = "Excess risk against the budget, one step for all: a quadratic" },
    { name = "budget_residuals", kind = "residual", x = "mu", y = "excess_risk",
      title = "What is left of the claimed exponents, a quadratic" },
  },
  scales     = {
    smoke = { replicates = 5, privacy = { epsilon = { 0.05, 0.2, 0.8 }, delta = 1e-6 } },
    full  = { replicates = 1000 },
  },
}
