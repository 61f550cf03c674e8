-- quasar_convex.lua -- does the excess risk of private SGD on quasar-convex losses keep what its theorem promises?
--
-- F is q-quasar-convex where <grad F(w), w - w*> >= q (F(w) - F*): convex functions have q = 1, smaller q allow for
-- negative curvature on the way to the minimiser w*. Over T = n^2 mu^2 / (4 d') steps, d' the dimension of w and mu the
-- budget as that of one Gaussian release, the theorem promises of a uniform iterate
--
--   E[F(w_J) - F*] <= psi = (D/q) 2 sqrt(2 d') / (n mu),   D >= ||w0 - w*||, one record's f being 1-Lipschitz.
--
-- n, mu, d  records are angles, ten of them in n and mu (d counts features, two for each); the loss `circular` is the
--           mean of 1 - cos(u_j - theta_j), with all eigenvalues of the Hessian at -0.66 at the start, where an answer
--           that ignores the records (`start`) stays. D = pi for all records; q = 0.418 = U cot(U/2) as long as no u_j
--           is further than U = 2.85 from its minimiser: where a path leaves that region a claim is void. Half of psi
--           pays for the way, half for the noise; the same schedule without noise (`noise-free`) leaves most of the
--           mean over iterates, so no exponent can be read off as that of the noise: the claims are about the bound,
--           with psi as its constant. dp_sgd_hp, whose bound holds with high probability, has no claim: each of its
--           runs has a tenth of the budget, and at these n some leave the region.
-- last      the last iterate, of which nobody proved anything: the noise alone, as without noise nothing is left of it.
-- q         against q itself, on `radial`: beyond 0.01 of its minimiser F grows as the distance to the power q. Were it
--           a power throughout, the way would cost the D^2 / (2 q eta T) of the bound exactly. Records enter by the
--           noise alone. On `circular` q is in the promise alone: how fast the run descends does not tell it.
-- path      along the run at n = 4,000.
-- Three minutes on two cores: 360,000 steps at n = 16,000.
local function angles(count) return 2 * count end
local function all(c) return c.n end
local function dp_sgd(select, label, noise)
  return { "dp_sgd", batch = all, epochs = 1e9, select = select, label = label, privacy = noise and { noise = noise } }
end
local tuned = { "dp_gd", label = "dp_gd tuned", eta = 1, select = "last",
                tune = { steps = { 2, 3, 4, 6, 9, 14, 20, 30 } } }
local hp = { "dp_sgd_hp", max_gradients = 1e300 } -- no cap
local methods = { dp_sgd("mean"), dp_sgd("mean", "noise-free", "off"), hp, tuned, { "start" } }
local function power(q) return { "radial", q = q, scale = 0.01, tilt = 0 } end
local circle = { loss = "circular", data = { "angles", offset = 2.4, spread = 0.45 }, declared = { quasar = 0.4184 },
                 d = angles(10) }
local function angular(keys)
  for k, v in pairs(circle) do
    keys[k] = keys[k] or v
  end
  return keys
end

local function claim(x, power, rival, constant)
  return { algorithm = "dp_sgd", y = "excess_risk", x = x, exponent = power, rival = rival, mode = "bound",
           constant = constant, within = { path_radius = 2.85 },
           source = "Lowy, Ullman & Wright 2024, Proposition D.1" }
end

return {
  question   = "Does the excess risk of DP-SGD on quasar-convex losses keep its bound of order sqrt(d) / (n mu q)?",
  source     = "Lowy, Ullman & Wright 2024, Alg. 3 and Prop. D.1",
  seed       = 20240605,
  checkpoints = 1, -- the value at the start is all that a claim needs
  privacy    = { epsilon = 1, delta = 1e-6 },
  measures   = { "excess_risk", "path_radius" },

  sweeps = {
    n = {
      replicates = 24,
      problem    = angular { n = { 2e3, 3e3, 4.6e3, 7e3, 1.06e4, 1.6e4 } },
      algorithms = methods,
      claims     = { claim("n", -1, -1/2, 284) },
      figures    = {
        { name = "n", kind = "rate", x = "n", y = "excess_risk",
          title = "Excess risk against the number of records, location of ten angles" },
      },
    },
    mu = {
      replicates = 24,
      problem    = angular { n = 8e3 },
      privacy    = { epsilon = { 0.25, 0.4, 0.6, 0.9, 1.35, 2 } },
      algorithms = methods,
      claims     = { claim("mu", -1, -1/2, 0.0084) },
      figures    = {
        { name = "mu", kind = "rate", x = "mu", y = "excess_risk",
          title = "Excess risk against the budget, location of ten angles, n = 8,000" },
      },
    },
    d = {
      replicates = 30,
      problem    = angular { n = 4e3, d = { angles(4), angles(8), angles(16), angles(32), angles(64) } },
      algorithms = methods,
      claims     = { claim("d", 1/2, 1, 0.0159) }, -- 1: of the exponential mechanism
      figures    = {
        { name = "d", kind = "rate", x = "d", y = "excess_risk", x_label = "features (two for each angle)",
          title = "Excess risk against the dimension, location of angles, n = 4,000" },
      },
    },
    last = {
      replicates = 200,
      problem    = angular { n = { 1e3, 2e3, 4e3, 8e3 } },
      algorithms = { dp_sgd("last", "dp_sgd last"), dp_sgd("last", "dp_sgd last noise-free", "off"), { "start" } },
      claims     = {
        { algorithm = "dp_sgd last", y = "excess_risk", x = "n", exponent = -1, rival = -2/3, tolerance = 0.08,
          mode = "theory", origin = "conjecture", control = "start" },
      },
      figures    = {
        { name = "last", kind = "rate", x = "n", y = "excess_risk",
          title = "Excess risk of the last iterate, location of ten angles" },
      },
    },
    q = {
      replicates = 20,
      problem    = { loss = power { 0.25, 0.354, 0.5, 0.707, 1 }, declared = { L = 1, L_data = 1 }, n = 8e3, d = 10 },
      algorithms = { dp_sgd("mean"), dp_sgd("mean", "noise-free", "off"), hp, { "start" } },
      claims     = {
        { algorithm = "dp_sgd", y = "excess_risk", x = "loss.q", exponent = -1, toward = "zero", mode = "bound",
          constant = 0.00473, source = "Lowy, Ullman & Wright 2024, Proposition D.1" },
      },
      figures    = {
        { name = "q", kind = "rate", x = "loss.q", y = "excess_risk", x_label = "q of quasar-convexity",
          title = "Excess risk against q, F growing as the distance to the power q, n = 8,000" },
      },
    },
    path = {
      replicates = 5, checkpoints = 20,
      problem    = angular { n = 4e3 },
      algorithms = { dp_sgd("uniform"), hp, tuned },
      measures   = { "excess_risk", "grad_norm", "hessian_min_eigenvalue", "negative_curvature_share" },
      figures    = {
        { name = "path", kind = "trajectory", x = "releases",
          y = { "excess_risk", "grad_norm", "hessian_min_eigenvalue" },
          title = "Along the run, location of ten angles, n = 4,000" },
      },
    },
  },

  scales = {
    smoke = {
      sweeps = {
        n    = { replicates = 3, problem = { n = { 1e3, 1.5e3, 2e3 } } },
        mu   = { replicates = 3, problem = { n = 2e3 }, privacy = { epsilon = { 0.5, 0.7, 1 } } },
        d    = { replicates = 3, problem = { n = 2e3, d = { angles(4), angles(8), angles(16) } } },
        last = { replicates = 3, problem = { n = { 1e3, 1.5e3, 2e3 } } },
        q    = { replicates = 3, problem = { loss = power { 0.5, 0.707, 1 }, n = 2e3 } },
        path = { replicates = 2, checkpoints = 4, problem = { n = 1e3 } },
      },
    },
    full = {
      sweeps = {
        n = { replicates = 100 }, mu = { replicates = 100 }, d = { replicates = 100 }, last = { replicates = 1000 },
        q = { replicates = 100 }, path = { replicates = 20 },
      },
    },
  },
}
