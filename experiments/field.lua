-- field.lua -- every private method at its default parameters, on one problem of each kind that it fits: synthetic data,
-- the mushrooms and IJCNN1, with the three measures that the papers' theorems are about.
--
--   nonconvex_*  logistic loss with Wang & Xu's non-convex regulariser sum w^2/(1+w^2) on R^d
--   convex_*     logistic loss on an l1 ball, which has vertices and holds a minimiser
--   glm_*        Welsch's loss of <w, x> and a label, without a regulariser, which is what jl_glm is for
--   kl_*         a loss with known KL constants: a quadratic, and the ridge-regularised logistic loss, which is
--                0.01-strongly convex: F - F* <= ||grad F||^2 / 0.02, and its minimiser is within sqrt(0.02 log 2) / 0.01
--                = 11.8 of 0
--
-- A method that does not fit a problem is a skipped cell with its reason (stillpoint plan experiments/field.lua). `gd` is
-- the control without privacy. Nothing is tuned, and nothing is claimed: docs/field.md is the table, made by
-- tests/field_tables.sh. Needs the data: stillpoint data fetch ijcnn1. About ten minutes on two cores.
local methods = {
  { "gd" },
  { "adaptive_gd" }, { "dp_ftrl" }, { "dp_gd" }, { "dp_ngd" }, { "dp_nsgd" }, { "dp_sgd" }, { "dp_sgd_hp" },
  { "dp_sgd_poisson" }, { "dp_spider" }, { "dp_srm" }, { "dp_str" }, { "dp_tr" }, { "em_net" },
  { "em_reject", running_time = "depends_on_records" }, { "em_zoom" }, { "fb_sr_ngd" },
  { "jl_glm", rank = 2, base = { "dp_gd" } }, { "kl_gd" }, { "kl_spider" }, { "langevin" }, { "noisy_fw" }, { "nsfw" },
  { "phased_sgd" }, { "poly_sfw" }, { "prox_md" }, { "spider_sosp" }, { "tree_spider" },
  { "warm_start", first = { "dp_sgd" }, second = { "dp_spider" } },
}

local function sweep(question, replicates, problem)
  return { question = question, replicates = replicates, problem = problem, algorithms = methods }
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
  local s = sweep("A GLM without a regulariser", 3, { loss = "welsch", data = data, n = n, d = d })
  s.algorithms = { { "gd" }, { "dp_gd" }, { "jl_glm", rank = 2, base = { "dp_gd" } } }
  return s
end

local synthetic = { "logistic", scale = 10, noise = 0.1 }
local mushroom, ijcnn1 = { "mushroom", normalise = "l2" }, { "ijcnn1", normalise = "l2" }

return {
  question = "What does every private method reach at its default parameters, and is it better than its start?",
  seed     = 20261122,
  checkpoints = 1,
  privacy  = { epsilon = { 0.5, 1, 4 }, delta = function (c) return 1 / c.n ^ 2 end },
  measures = { "grad_norm", "hessian_min_eigenvalue", "excess_risk" },
  sweeps   = {
    nonconvex_synthetic = sweep("Smooth and non-convex, d = 10", 5, nonconvex(synthetic, 1e4, 10)),
    nonconvex_mushroom  = sweep("Smooth and non-convex, the mushrooms", 3, nonconvex(mushroom)),
    nonconvex_ijcnn1    = sweep("Smooth and non-convex, IJCNN1", 3, nonconvex(ijcnn1)),
    convex_synthetic    = sweep("Convex on an l1 ball, d = 3", 5, convex(synthetic, 5, 1e4, 3)),
    convex_mushroom     = sweep("Convex on an l1 ball, the mushrooms", 3, convex(mushroom, 20)),
    convex_ijcnn1       = sweep("Convex on an l1 ball, IJCNN1", 3, convex(ijcnn1, 10, 5000)),
    glm_synthetic       = glm(synthetic, 1e4, 10),
    glm_mushroom        = glm(mushroom),
    glm_ijcnn1          = glm(ijcnn1),
    kl_synthetic        = sweep("Known KL constants: a quadratic, d = 10", 5,
      { loss = { "power", tau = 2, tilt = 1 }, data = { "signs", mean = 0 }, n = 1e4, d = 10,
        domain = { "l2_ball", radius = 1 }, start = { "sphere", radius = 1 } }),
    kl_mushroom         = sweep("Known KL constants: ridge on the mushrooms", 3, ridge(mushroom)),
    kl_ijcnn1           = sweep("Known KL constants: ridge on IJCNN1", 3, ridge(ijcnn1, 5000)),
  },
  scales   = {
    smoke = {
      privacy = { epsilon = 1 },
      sweeps  = {
        nonconvex_synthetic = { replicates = 1, problem = { n = 1000 } },
        nonconvex_mushroom  = { replicates = 1, problem = { n = 1000 } },
        nonconvex_ijcnn1    = { replicates = 1, problem = { n = 1000 } },
        convex_synthetic    = { replicates = 1, problem = { n = 1000 } },
        convex_mushroom     = { replicates = 1, problem = { n = 1000 } },
        convex_ijcnn1       = { replicates = 1, problem = { n = 1000 } },
        glm_synthetic       = { replicates = 1, problem = { n = 1000 } },
        glm_mushroom        = { replicates = 1, problem = { n = 1000 } },
        glm_ijcnn1          = { replicates = 1, problem = { n = 1000 } },
        kl_synthetic        = { replicates = 1, problem = { n = 1000 } },
        kl_mushroom         = { replicates = 1, problem = { n = 1000 } },
        kl_ijcnn1           = { replicates = 1, problem = { n = 1000 } },
      },
    },
    full = { sweeps = { nonconvex_synthetic = { replicates = 40 } } },
  },
}
