-- field.lua -- every private method at its default parameters, on a problem of each kind that it fits: synthetic data,
-- the mushrooms and IJCNN1, with the three measures that the papers' theorems are about.
--
--   nonconvex_*  logistic loss with Wang & Xu's non-convex regulariser sum w^2/(1+w^2) on R^d
--   convex_*     logistic loss on an l1 ball, which has vertices
--   glm_*        Welsch's loss of <w, x> and a label, without a regulariser, which is what jl_glm and dp_newton are for
--   kl_*         known KL constants: a quadratic, and the ridge-regularised logistic loss, 0.01-strongly convex, so
--                that F - F* <= ||grad F||^2 / 0.02, with a minimiser within sqrt(0.02 log 2) / 0.01 = 11.8 of 0
--
-- A method that does not fit a problem is a skipped cell with its reason (stillpoint plan experiments/field.lua), which
-- em_product is on all of these; `gd` is the control without privacy. Nothing is tuned, and nothing is claimed:
-- docs/results/field.md is the table, made by tests/field_tables.sh. Of IJCNN1 10,000 records are taken at random, and
-- on the ball there are 2,000 of each, for em_net and em_zoom look at thousands of points and sr_nsgd takes a step a
-- record for 200 passes; 2,000 mushrooms have known KL constants, for kl_prox takes n^2 steps up to a cap, of all
-- records each. Needs the data: stillpoint data fetch ijcnn1.
local methods = {
  { "gd" },
  { "adaptive_gd" }, { "adaptive_spider" }, { "dp_2ns" }, { "dp_adam" }, { "dp_ftrl" }, { "dp_gd" }, { "dp_gd_sosp" },
  { "dp_newton" }, { "dp_ngd" }, { "dp_nsgd" }, { "dp_sgd" }, { "dp_sgd_hp" }, { "dp_sgd_poisson" }, { "dp_sign" },
  { "dp_spider" }, { "dp_srm" }, { "dp_str" }, { "dp_tr" }, { "dp_zero" },
  { "em_net" }, { "em_product" }, { "em_reject", running_time = "depends_on_records" }, { "em_zoom" },
  { "fb_sr_ngd" }, { "fixed_spider" }, { "jl_glm", rank = 2, base = { "dp_gd" } }, { "kl_gd" }, { "kl_prox" },
  { "kl_spider" }, { "langevin" }, { "noisy_fw" }, { "nsfw" }, { "phased_sgd" }, { "poly_sfw" },
  { "private_tuning", method = { "dp_gd" }, grid = "steps=3,10,30,100,300" }, { "prox_md" }, { "rrsgd" },
  { "spider_sosp" }, { "sr_nsgd" }, { "tree_spider" },
  { "warm_start", first = { "dp_sgd" }, second = { "dp_spider" } },
}
local kl_methods = {
  { "gd" }, { "adaptive_gd" }, { "dp_gd" }, { "dp_sgd" }, { "dp_spider" }, { "kl_gd" }, { "kl_prox" },
  { "kl_spider" }, { "warm_start", first = { "kl_gd" }, second = { "dp_spider" } },
}
local glm_methods = { { "gd" }, { "dp_gd" }, { "dp_newton" }, { "dp_spider" },
    { "jl_glm", rank = 2, base = { "dp_gd" } } }

local function sweep(question, replicates, problem, list)
  return { question = question, replicates = replicates, problem = problem, algorithms = list or methods }
end

local function nonconvex(data, n, d)
  return { loss = "logistic", regulariser = { "nonconvex", lambda = 1e-3 }, data = data, n = n, d = d }
end

local function convex(data, radius, n, d)
  return { loss = "logistic", domain = { "l1_ball", radius = radius }, data = data, n = n, d = d }
end

local function ridge(data, n)
  return { loss = "logistic", regulariser = { "l2", lambda = 0.01 }, data = data, n = n,
           domain = { "l2_ball", radius = 12 }, declared = { kl_gamma = math.sqrt(50), kl_kappa = 2 } }
end

local function glm(data, n, d)
  return { loss = "welsch", data = data, n = n, d = d }
end

local synthetic = { "logistic", scale = 10, noise = 0.1 }
local mushroom, ijcnn1 = { "mushroom", normalise = "l2" }, { "ijcnn1", normalise = "l2" }

local experiment = {
  question = "What does every private method reach at its default parameters, and is it better than its start?",
  seed     = 20261122,
  checkpoints = 1,
  privacy  = { epsilon = { 0.5, 1, 4 }, delta = function (c) return 1 / c.n ^ 2 end },
  measures = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
  sweeps   = {
    nonconvex_synthetic = sweep("Smooth and non-convex, d = 10", 5, nonconvex(synthetic, 1e4, 10)),
    nonconvex_mushroom  = sweep("Smooth and non-convex, the mushrooms", 3, nonconvex(mushroom)),
    nonconvex_ijcnn1    = sweep("Smooth and non-convex, 10,000 records of IJCNN1", 3, nonconvex(ijcnn1, 1e4)),
    convex_synthetic    = sweep("Convex on an l1 ball, d = 3", 5, convex(synthetic, 5, 2000, 3)),
    convex_mushroom     = sweep("Convex on an l1 ball, 2,000 mushrooms", 3, convex(mushroom, 20, 2000)),
    convex_ijcnn1       = sweep("Convex on an l1 ball, 2,000 records of IJCNN1", 3, convex(ijcnn1, 10, 2000)),
    glm_synthetic       = sweep("A GLM without a regulariser, d = 10", 5, glm(synthetic, 1e4, 10), glm_methods),
    glm_mushroom        = sweep("A GLM without a regulariser, the mushrooms", 3, glm(mushroom), glm_methods),
    glm_ijcnn1          = sweep("A GLM without a regulariser, 10,000 of IJCNN1", 3, glm(ijcnn1, 1e4), glm_methods),
    kl_synthetic        = sweep("Known KL constants: a quadratic, d = 10", 5,
      { loss = { "power", tau = 2, tilt = 1 }, data = { "signs", mean = 0 }, n = 1e4, d = 10,
        domain = { "l2_ball", radius = 1 }, start = { "sphere", radius = 1 } }, kl_methods),
    kl_mushroom         = sweep("Known KL constants: ridge on 2,000 mushrooms", 3, ridge(mushroom, 2000), kl_methods),
    kl_ijcnn1           = sweep("Known KL constants: ridge on 10,000 of IJCNN1", 3, ridge(ijcnn1, 1e4), kl_methods),
  },
  scales   = {
    smoke = { privacy = { epsilon = 1 }, sweeps = {} },
    full  = { sweeps = {} },
  },
}
for name in pairs(experiment.sweeps) do
  experiment.scales.smoke.sweeps[name] = { replicates = 1, problem = { n = 1000 } }
  experiment.scales.full.sweeps[name] = { replicates = 40 }
end
return experiment
