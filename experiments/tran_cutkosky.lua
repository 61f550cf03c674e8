-- tran_cutkosky.lua -- normalised gradient descent on all records, with noise in each gradient and with the momentum of
-- reduced sensitivity: do the two rates show on the worst of a family, and is either method ahead of its rivals?
--
-- Tran & Cutkosky 2022 come to their momentum over passes from two methods on all records. Noisy normalised descent
-- (dp_ngd) has a^(1/2), a = 2 sqrt(d) / (n mu), mu being the parameter of Gaussian privacy that is (epsilon, delta);
-- with a momentum that learns a new gradient by the share gamma alone, so that a release has the small sensitivity of a
-- gradient difference, it is a^(2/3) (fb_sr_ngd). Each exponent is the other's rival, in n, mu and d, and fb_sr_ngd's
-- must lie below dp_ngd's in n and mu. The instances are those of ripple_ramps.lua: along coordinate 1 the loss falls
-- with slope s, rippled, over a length of 1/s, and only the records tell which way; in the others it is the loss
-- `circular`, 0.6 times (losses/ripple_ramp.c). All have the same constants, so that no method can tell which one it is
-- on, and the worst counts. 32/45 is the largest s at which L_data is 1: an end of the family beyond which there is no
-- instance. Steps of a fixed length take equally long for the same descent on a steep ramp as on a flat one, so that to
-- them members nearly tie.
--
-- Measured is the mean of the gradient norm over all iterates, about which the theorems are. The mean has the way down
-- in it, gap / (eta T) of it, eta the length of a step and T their number. Grids are of 12 points, in absolute steps:
-- for fb_sr_ngd T = m a^(-4/3) and eta = e a^(2/3), with gamma = beta eta / L_data; for dp_ngd T = m / a, with eta = 1.
-- No step is longer than ||v|| / beta, v the noisy gradient, so that with eta = 1 dp_ngd is plain descent: in reduced
-- runs with eta free that was the best of it at every point, hence its grid. "dp_ngd theory" has the method's own T and
-- eta, with which steps are normalised. Below n = 1e4 the longest steps were the best of fb_sr_ngd as well, as plain
-- descent is the better of the two there; hence the ranges.
--
-- records    against n, in 10 coordinates
-- budget     against mu, epsilon from 0.75 to 4
-- dimension  against d, here the number of features: m coordinates have 2 m - 1 of them. From 8 coordinates to 64. An
--            exponent 1/3 in coordinates is 0.324 in features.
-- path       along the run, of three members; the share of its iterates with a negative eigenvalue of the Hessian
--
-- Beside them, with what was chosen: the last iterates, and the runs without noise. As steps are tuned, the descent
-- left over and the noise are about equal, so that these leave half and are no floor to be subtracted. `start` is the
-- answer at epsilon = 0. In `records` also plain descent (dp_gd), tuned on 12 values of T, and DP-SPIDER with the
-- factors that ripple_ramps.lua chose at every n from 5e3 on: T = 1.6 a^(-4/3), period 2.25 a^(-2/3). Declared is what
-- holds for all members. Four minutes on two cores.
local function slopes(first, last)
  local all = { 32 / 45 }
  for k = first, last, 2 do
    all[#all + 1] = 2 ^ (-k / 4)
  end
  return all
end
local function a(c) -- mu = 0.236 epsilon^0.92, to 1.5 % for these epsilon and delta = 1e-6
  return math.sqrt(2 * (c.d + 1)) / (c.n * 0.236 * c.epsilon ^ 0.92)
end
local function steps(power, factors)
  local grid = {}
  for i, m in ipairs(factors) do
    grid[i] = function (c) return math.ceil(m * a(c) ^ power) end
  end
  return grid
end
local function lengths(power, factors)
  local grid = {}
  for i, e in ipairs(factors) do
    grid[i] = function (c) return e * a(c) ^ power end
  end
  return grid
end
local reduced = { eta = lengths(2/3, { 0.6, 3, 15 }), steps = steps(-4/3, { 0.25, 0.43, 0.75, 1.3 }) }
local descent = { steps = steps(-1, { 0.6, 0.8, 1, 1.25, 1.5, 1.75, 2, 2.4, 2.8, 3.4, 4.2, 5 }) }
local off = { noise = "off" }
local methods = {
  { "fb_sr_ngd", select = "mean", tune = reduced },
  { "fb_sr_ngd", select = "last", tune = "fb_sr_ngd", label = "fb_sr_ngd last" },
  { "fb_sr_ngd", select = "mean", tune = "fb_sr_ngd", label = "fb_sr_ngd noise-free", privacy = off },
  { "dp_ngd", select = "mean", eta = 1, tune = descent },
  { "dp_ngd", select = "last", eta = 1, tune = "dp_ngd", label = "dp_ngd last" },
  { "dp_ngd", select = "mean", eta = 1, tune = "dp_ngd", label = "dp_ngd noise-free", privacy = off },
  { "dp_ngd", select = "mean", label = "dp_ngd theory" },
  { "start" },
}
local rivals = {
  { "dp_gd", select = "mean", tune = descent },
  { "dp_spider", parameters = "theory", select = "mean", steps = steps(-4/3, { 1.6 })[1],
    period = steps(-2/3, { 2.25 })[1] },
}
local with_rivals = {}
for _, list in ipairs { methods, rivals } do
  for _, method in ipairs(list) do
    with_rivals[#with_rivals + 1] = method
  end
end
local source = "Tran & Cutkosky 2022, section 4"
local function claims(x, fast, slow, tolerance)
  local function claim(label, exponent, rival, below)
    return { algorithm = label, y = "grad_norm", x = x, exponent = exponent, rival = rival, tolerance = tolerance,
             mode = "sup", closed = "high", below = below, source = source }
  end
  return {
    claim("fb_sr_ngd", fast, slow, fast < 0 and "dp_ngd" or nil), claim("dp_ngd", slow, fast),
    claim("dp_ngd theory", slow, fast),
  }
end
local function figures(name, x, against)
  return {
    { name = name, kind = "rate", x = x, y = "grad_norm",
      title = "Largest mean gradient norm over rippled ramps against " .. against .. ", normalised steps" },
    { name = name .. "_residuals", kind = "residual", x = x, y = "grad_norm",
      title = "What is left of the claimed exponents against " .. against .. ", normalised steps" },
  }
end

return {
  question   = "Do the rates 1/2 and 2/3 separate normalised descent from its momentum of reduced sensitivity?",
  source     = "Tran & Cutkosky 2022, section 4",
  seed       = 20241218,
  replicates = 5,
  tuning_replicates = 2,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss     = { "ripple_ramp", slope = slopes(4, 26) },
    declared = { L_data = 1, beta_data = 1, gap = 2.2, distance = 182 },
    data     = { "angles", mean = 0.9 }, d = 19,
  },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = methods,
  measures   = { "grad_norm" },

  sweeps = {
    records = {
      problem    = { n = { 1.2e4, 1.8e4, 2.7e4, 4e4, 6e4 }, family = "loss.slope" },
      algorithms = with_rivals,
      claims     = claims("n", -2/3, -1/2, 0.06),
      figures    = figures("records", "n", "the number of records"),
    },
    budget = {
      problem = { n = 1.6e4, family = "loss.slope" },
      privacy = { epsilon = { 0.75, 1.15, 1.75, 2.6, 4 }, delta = 1e-6 },
      claims  = claims("mu", -2/3, -1/2, 0.06),
      figures = figures("budget", "mu", "the budget"),
    },
    dimension = {
      problem = { n = 3e4, d = { 15, 31, 63, 127 }, family = "loss.slope" },
      claims  = claims("d", 1/3, 1/4, 0.04),
      figures = figures("dimension", "d", "the number of features"),
    },
    path = {
      checkpoints = 20,
      problem     = { loss = { "ripple_ramp", slope = { 2 ^ -1, 2 ^ -3, 2 ^ -5 } }, n = 2e4 },
      algorithms  = {
        { "fb_sr_ngd", select = "last", eta = lengths(2/3, { 3 })[1], steps = steps(-4/3, { 0.75 })[1] },
        { "dp_ngd", select = "last", label = "dp_ngd theory" },
      },
      measures    = { "grad_norm", "hessian_min_eigenvalue", "excess_risk", "negative_curvature_share" },
      figures     = {
        { name = "path", kind = "trajectory", x = "steps", y = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
          where = { ["loss.slope"] = 2 ^ -5 }, title = "Along a ramp of slope 1/32 at n = 20,000" },
      },
    },
  },

  scales = {
    smoke = {
      replicates = 2, tuning_replicates = 1,
      sweeps = {
        records   = { problem = { n = { 500, 1e3, 2e3 } } },
        budget    = { problem = { n = 1e3 }, privacy = { epsilon = { 0.75, 1.5, 3 } } },
        dimension = { problem = { n = 2e3, d = { 7, 15, 31 } } },
        path      = { problem = { n = 2e3 } },
      },
    },
    full = { replicates = 40, tuning_replicates = 5 },
  },
}
