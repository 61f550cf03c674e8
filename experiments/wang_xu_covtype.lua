-- wang_xu_covtype.lua -- do the experiments of Wang & Xu 2020 show on Covertype that a private trust region beats
-- noisy gradient descent? Their Figures 2, 4 and 8 again; wang_xu_ijcnn1.lua has Figures 2, 6 and 10, and in its head
-- what the problems, methods, measures and sweeps are. A quarter of an hour on two cores. Needs the data: stillpoint
-- data fetch covtype.
--
-- 581,012 records of 54 features, features scaled to [0, 1] and rows normalised, 51.2 % of one class. Figure 4 is
-- logistic regression with the non-convex regulariser, whose F* is the best value known (a certified lower bound is
-- 0.023 below), Figure 8 sigmoid regression with the l2 regulariser, Figure 2 the accuracy of the latter.
--
-- The sweeps paper_* are the paper's protocol, dp_str on 50,000 records at a time. The sweeps tuned_* have parameters
-- from a search on 50,000 records, a sample fixed once and for all and taken to be public, although the runs shown use
-- its records again. The sweeps tuning_* are this search; the table `found` below repeats its winners, as a test
-- checks. On the sample a method meets the noise that it will meet on all records: its epsilon there is larger, such
-- that n sqrt(rho) is the same, where rho = (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))^2, delta = 1/581,012.
-- Each grid has 25 points. None takes more than 2,560 gradients, or 512 steps with a Hessian, either of which takes 20
-- seconds on all records. Most winners on the logistic loss, which is badly conditioned, and those of dp_tr on the
-- sigmoid are at these ends: longer runs would lower the gap still. dp_str has the winners of dp_tr, as noise on
-- subsets of a sample cannot be made that of subsets of all records.
--
-- What is to be expected:
--
-- * In the paper's protocol nothing happens: the gradient at w = 0 is 0.030, for the sigmoid 0.015, so that alpha = 0.1
--   is met there. dp_gd_sosp returns the start and dp_tr the end of its first step, at every epsilon; so does dp_str,
--   but at 0.2, where noise keeps it from stopping, and it gets further than both.
-- * Tuned, dp_gd_sosp has the smallest gap of the three, but for the sigmoid at epsilon = 0.2, where all are even.
--   dp_tr leaves 1.1 to 3.1 times as much on the logistic loss and 1.0 to 6.4 times on the sigmoid, dp_str 1.5 and 0.9
--   to 17 times, for the same time or more: "DP-TR has better performance" does not show. The fixed length of its
--   steps asks for many of them, and every step pays for a Hessian.
-- * "The accuracy of the non-private case is 86 %": on normalised rows the minimiser of the sigmoid problem has 69 %,
--   that of the logistic problem 76 %.
-- * 200 steps of dp_tr take 7 seconds on one core. A Hessian takes as long as 3 gradients: rows are read in the one-hot
--   form that 44 binary features allow. `optimum` is 0.0015 above F* on the logistic loss after 3,000 steps.
local all, sample = 581012, 50000
local delta = 1 / all

local function on_sample(epsilon)
  local l = math.log(1 / delta)
  local rho = (math.sqrt(l + epsilon) - math.sqrt(l)) ^ 2 * (all / sample) ^ 2
  return rho + 2 * math.sqrt(rho * l)
end

local found = { -- by epsilon; dp_gd_sosp: eta, steps; dp_tr: alpha, steps_max
  logistic = {
    [0.2] = { eta = 12, steps = 2560, alpha = 0.01, steps_max = 512 },
    [1] = { eta = 12, steps = 2560, alpha = 0.003, steps_max = 512 },
    [2] = { eta = 16, steps = 2560, alpha = 0.001, steps_max = 512 },
  },
  sigmoid = {
    [0.2] = { eta = 32, steps = 160, alpha = 1e-4, steps_max = 512 },
    [1] = { eta = 16, steps = 320, alpha = 1e-4, steps_max = 512 },
    [2] = { eta = 32, steps = 160, alpha = 1e-4, steps_max = 512 },
  },
}
local problems = {
  logistic = { "wang_xu_covtype" },
  sigmoid = { "wang_xu_covtype", loss = "sigmoid", regulariser = { "l2", lambda = 1e-3 } },
}
-- How many steps apart the candidates of dp_gd_sosp are: their Hessians take no longer than the steps.
local stride = { logistic = 16, sigmoid = 4 }
local grids = {
  logistic = { { eta = { 4, 8, 12, 16, 24 }, steps = { 160, 320, 640, 1280, 2560 } },
               { alpha = { 3e-4, 1e-3, 3e-3, 1e-2, 3e-2 }, steps_max = { 32, 64, 128, 256, 512 } } },
  sigmoid = { { eta = { 8, 16, 32, 64, 128 }, steps = { 20, 40, 80, 160, 320 } },
              { alpha = { 3e-5, 1e-4, 3e-4, 1e-3, 3e-3 }, steps_max = { 32, 64, 128, 256, 512 } } },
}
local optimum = { logistic = { "gd", label = "optimum", eta = 12, steps = 3000 },
                  sigmoid = { "gd", label = "optimum", eta = 32, steps = 300 } }

local function batch(c) -- 50,000
  return math.ceil(c.n * sample / all)
end

local printed = { calibration = "paper" }
local paper = { -- Hessians' noise as printed, too; `optimum` takes long here, and is in the other sweeps
  { "dp_gd_sosp", alpha = 0.1, selection = "gauss", hessian_noise = "paper" },
  { "dp_tr", alpha = 0.1, hessian_noise = "paper", privacy = printed },
  { "dp_str", alpha = 0.1, batch = batch, batch_h = batch, hessian_noise = "paper", privacy = printed },
}

local function tuned(loss)
  local function winner(key)
    return function (c)
      return found[loss][c.epsilon][key]
    end
  end
  return {
    { "dp_gd_sosp", stride = stride[loss], eta = winner("eta"), steps = winner("steps") },
    { "dp_tr", select = "last", alpha = winner("alpha"), steps_max = winner("steps_max") },
    { "dp_str", select = "last", alpha = winner("alpha"), steps_max = winner("steps_max"), batch = batch,
      batch_h = batch },
    optimum[loss],
  }
end

local measures = { "excess_risk", "grad_norm", "accuracy", "hessian_min_eigenvalue" }

local function against_epsilon(number, protocol, title, y)
  return { name = "figure_" .. number .. "_" .. protocol, kind = "trade_off", x = "epsilon", y = y or measures,
           title = "Figure " .. number .. ": " .. title }
end

local function against_calls(number, calls, title)
  return { name = "figure_" .. number .. "_" .. calls, kind = "trajectory", x = calls, y = "excess_risk",
           where = { epsilon = 1 }, title = "Figure " .. number .. ", epsilon = 1: " .. title }
end

local experiment = {
  question   = "Does a private trust region beat noisy gradient descent on Covertype, as in the paper and tuned?",
  source     = "Wang & Xu 2020, section 5, Figures 2, 4 and 8",
  seed       = 20261123,
  replicates = 5,
  tuning_replicates = 2,
  checkpoints = 8,
  privacy    = { epsilon = { 0.2, 1, 2 }, delta = delta },
  measures   = measures,
  sweeps     = {},
  scales     = { smoke = { sweeps = {} }, full = { replicates = 20 } },
}
for loss, number in pairs({ logistic = 4, sigmoid = 8 }) do
  local title = loss .. " loss on Covertype, "
  local on = { n = sample }
  for key, value in pairs(problems[loss]) do
    on[key] = value
  end
  experiment.sweeps["paper_" .. loss] = {
    problem = problems[loss], algorithms = paper, replicates = 10,
    figures = { against_epsilon(number, "paper", title .. "the paper's protocol") },
  }
  experiment.sweeps["tuned_" .. loss] = {
    problem = problems[loss], algorithms = tuned(loss),
    figures = { against_epsilon(number, "tuned", title .. "tuned on a sample"),
                against_calls(number, "gradients", title .. "tuned on a sample"),
                against_calls(number, "hessians", title .. "tuned on a sample") },
  }
  experiment.sweeps["tuning_" .. loss] = {
    problem = on,
    privacy = { epsilon = { on_sample(0.2), on_sample(1), on_sample(2) } },
    algorithms = { { "dp_gd_sosp", stride = stride[loss], tune = grids[loss][1] },
                   { "dp_tr", select = "last", tune = grids[loss][2] } },
  }
  experiment.scales.smoke.sweeps["paper_" .. loss] = { problem = { n = 4000 }, replicates = 1 }
  experiment.scales.smoke.sweeps["tuned_" .. loss] = { problem = { n = 4000 }, replicates = 1 }
  experiment.scales.smoke.sweeps["tuning_" .. loss] = {
    problem = { n = 1000 }, replicates = 1, tuning_replicates = 1,
    algorithms = { { "dp_gd_sosp", tune = { eta = { 4, 8 }, steps = { 5, 10 } } },
                   { "dp_tr", select = "last", tune = { alpha = { 1e-2, 3e-2 }, steps_max = { 5, 10 } } } },
  }
end
for _, protocol in ipairs({ "paper", "tuned" }) do
  local list = experiment.sweeps[protocol .. "_sigmoid"].figures
  local words = { paper = "the paper's protocol", tuned = "tuned on a sample" }
  list[#list + 1] = against_epsilon(2, protocol, "sigmoid loss on Covertype, " .. words[protocol], "accuracy")
end
return experiment
