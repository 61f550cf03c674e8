-- bodies.lua -- Frank-Wolfe or projection, over which body? Six convex bodies in six dimensions, logistic regression.
-- A minute on two cores.
--
-- The vertices of a polytope can be chosen one at a time by the exponential mechanism (noisy_fw, poly_sfw), with noise
-- that grows as the logarithm of their number; any body has a linear minimiser for noisy gradients (nsfw); and noisy
-- gradient steps can be projected onto it (dp_gd, dp_sgd), whatever its vertices are. frank_wolfe.lua asks how that
-- goes with n and d over an l1 ball; here it is the body that changes, with the labels' own direction inside of none of
-- them.
--
-- Each method has nine points, two runs each, by the excess risk. The body of the sweep `polytope` has eleven vertices,
-- three times the unit vectors' and minus the first five.
local function entries()
  local rounds = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }
  return {
    { "dp_gd", select = "last", tune = { eta = { 0.5, 4, 32 }, steps = { 10, 50, 250 } } },
    { "dp_sgd", batch = function (c) return c.n // 20 end, select = "last",
      tune = { eta = { 0.5, 4, 32 }, steps = { 20, 100, 500 } } },
    { "noisy_fw", tune = { steps = { 1, 2, 4, 8, 16, 32, 64, 128, 256 } } },
    { "nsfw", select = "last", tune = { rounds = rounds } },
    { "poly_sfw", select = "last", tune = { rounds = rounds } },
    { "gd", eta = 4 }, { "start" },
  }
end

local vertices = {}
for j = 1, 11 do
  local point = {}
  for i = 1, 6 do
    point[i] = i == j and "3" or i == j - 6 and "-1" or "0"
  end
  vertices[j] = table.concat(point, " ")
end
local bodies = {
  l1_ball = { "l1_ball", radius = 3 }, l2_ball = { "l2_ball", radius = 3 },
  lp_ball = { "lp_ball", p = 1.5, radius = 3 }, box = { "box", low = -1, high = 1 },
  simplex = { "simplex", radius = 3 }, polytope = { "polytope", vertices = table.concat(vertices, "; ") },
}

local experiment = {
  question   = "Frank-Wolfe or projection, over which body?",
  source     = "Bassily, Guzman & Menart 2021; Talwar, Thakurta & Zhang 2015",
  seed       = 20261209,
  replicates = 5, tuning_replicates = 2,
  checkpoints = 1,
  privacy    = { epsilon = { 0.1, 0.5, 2 }, delta = function (c) return 1 / c.n ^ 2 end },
  measures   = { "excess_risk", "fw_gap" },
  sweeps     = {},
  scales     = {
    smoke = { replicates = 1, tuning_replicates = 1, privacy = { epsilon = { 0.5, 2 } }, sweeps = {} },
    full  = { replicates = 40, tuning_replicates = 5 },
  },
}
for name, body in pairs(bodies) do
  experiment.sweeps[name] = {
    problem    = { loss = "logistic", data = { "logistic", scale = 10, noise = 0.1 }, n = 1e4, d = 6, domain = body },
    algorithms = entries(),
    figures    = { { name = name, kind = "trade_off", x = "epsilon", y = { "excess_risk", "fw_gap" },
                     title = "Logistic regression over " .. name .. ", n = 10,000, d = 6" } },
  }
  experiment.scales.smoke.sweeps[name] = { problem = { n = 1000 } }
end
return experiment
