-- wang_xu_ijcnn1.lua -- do the experiments of Wang & Xu 2020 show on IJCNN1 that a private trust region beats noisy
-- gradient descent? Their Figures 2, 6 and 10 again; Figures 4 and 8 are in wang_xu_covtype.lua (odd numbers caption
-- parts of figures). Five minutes on two cores. Needs the data: stillpoint data fetch ijcnn1.
--
-- 35,000 records of 22 features, rows normalised, 90.2 % of them of one class. Figure 6 is logistic regression with the
-- regulariser lambda sum_j w_j^2 / (1 + w_j^2), Figure 10 sigmoid regression, the mean of 1 / (1 + exp(y <w, x>)) plus
-- (lambda/2) ||w||^2 (the paper prints the other sign in the exponent), lambda = 1e-3, from w = 0; Figure 2 is the
-- accuracy of the latter. Shown are the optimality gap F(w) - F*, the gradient norm, the accuracy and, beside the
-- paper's measures, the smallest eigenvalue of the Hessian. F* is certified for the logistic loss and the best of
-- eight minimisations for the sigmoid. epsilon is 0.2 to 2; delta = 1/n as in the paper, which is too large to mean
-- much.
--
--   dp_gd_sosp  gradient descent with noise, then a private choice among its iterates: the paper's DP-GD
--   dp_tr       DP-TR: steps of length sqrt(alpha / rho_H) by a noisy gradient and a noisy Hessian of all records,
--               rho_H the Lipschitz constant of the Hessian; it stops when the multiplier of the ball is at most
--               sqrt(alpha rho_H), after T steps at most
--   dp_str      DP-STR: the same steps, where each gradient and each Hessian is that of 5,000 records
--   optimum     gradient descent without privacy until it has converged, with a step that suits these records
--
-- The sweeps paper_* are the paper's protocol: alpha = 0.1, T by theory, 10 runs, the printed noise. Of dp_gd_sosp none
-- is printed: it has the accountant's, and the published choice, by released Hessians. In the sweeps tuned_* noise is
-- the accountant's, and each method has a grid of 30 points: step size and number of steps for dp_gd_sosp, alpha and T
-- for the other two. The 3 tuning runs of a point have other seeds than the 20 that are shown, but not other records,
-- and see measures without noise, which costs privacy that nobody counts. Where a tuned run of the other two does not
-- stop by itself, for which the paper names no answer, the last iterate counts: the one of the smallest released score,
-- which is the answer else, is picked by noise, and left three times the gap when it was tried.
--
-- The paper's claims, and what is to be expected here:
--
-- * "DP-TR has better performance on both the optimality gap and the gradient norm." In the paper's protocol it has,
--   but alpha = 0.1 is met at w = 0 or soon after: the gradient there is 0.136, for the sigmoid 0.068. At epsilon >= 1
--   dp_tr stops after one step or two and dp_gd_sosp after at most two, so that what is compared is the length of a
--   first step. dp_tr's gap on the logistic loss is larger at epsilon = 2 than at 0.2, as more noise keeps it from
--   stopping. Curves that fall as the published ones do cannot come from this protocol. Tuned, the three are about
--   even: dp_tr leaves 0.8 to 1.4 times the gap of dp_gd_sosp, dp_str 0.9 to 1.3 times. dp_gd_sosp's step by theory,
--   1/beta, is 4 for the logistic loss and 10 for the sigmoid, several times shorter than the best one, so that an
--   untuned one loses. Its gap depends mostly on the product of step and number of steps, that of dp_tr on radius
--   times T, so that a winner at an end of its grid says little.
-- * "The results of DP-STR are worse." In the paper's protocol that is chance, as its noise keeps it from stopping, and
--   from w = 0 most steps help. The printed deviation of its gradients lacks a factor sqrt(T) that the paper's own
--   lemmas ask for, so that no proof covers it; the accountant says that all printed noises here spend less than
--   epsilon (column epsilon_spent). Tuned, with noise by the accountant, dp_str is about as good as dp_tr: 5,000 of
--   35,000 records at random cost little more noise than all.
-- * "The accuracy of the non-private case is 95 %." The minimiser of the sigmoid problem with normalised rows and this
--   lambda calls every record negative, which is 90.2 %, and so do the private answers. The minimiser of the logistic
--   problem reaches 91.9 %.
-- * "Its running time is the least one." Seconds are the machine's, and a table that is committed is the same bytes on
--   every machine, so that they are in no figure; timings.tsv has them at every checkpoint. The figures against oracle
--   calls show the gap at epsilon = 1 against gradients and against Hessians of single records. A Hessian takes as long
--   as 6 gradients here. A step of dp_tr is then worth 7 passes of gradients and one of dp_str one pass, as is one of
--   dp_gd_sosp, whose choice asks for the Hessians at the end.
local function batch(c) -- 5,000
  return c.n // 7
end

local optimum = { "gd", label = "optimum", eta = 64, steps = 1500 }
local printed = { calibration = "paper" }
local paper = { -- Hessians' noise as printed, too
  { "dp_gd_sosp", alpha = 0.1, selection = "gauss", hessian_noise = "paper" },
  { "dp_tr", alpha = 0.1, hessian_noise = "paper", privacy = printed },
  { "dp_str", alpha = 0.1, batch = batch, batch_h = batch, hessian_noise = "paper", privacy = printed },
  optimum,
}

-- `stride`: how many steps apart the candidates of dp_gd_sosp are; their Hessians take no longer than the steps.
local function tuned(stride, descent, region)
  return {
    { "dp_gd_sosp", stride = stride, tune = descent },
    { "dp_tr", select = "last", tune = region },
    { "dp_str", select = "last", batch = batch, batch_h = batch, tune = region },
    optimum,
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

local few = tuned(1, { eta = { 16, 64 }, steps = { 10, 20 } }, { alpha = { 1e-2, 3e-2 }, steps_max = { 10, 20 } })
local logistic = { "wang_xu_ijcnn1" }
local sigmoid = { "wang_xu_ijcnn1", loss = "sigmoid", regulariser = { "l2", lambda = 1e-3 } }

return {
  question   = "Does a private trust region beat noisy gradient descent on IJCNN1, in the paper's protocol and tuned?",
  source     = "Wang & Xu 2020, section 5, Figures 2, 6 and 10",
  seed       = 20261123,
  replicates = 20,
  tuning_replicates = 3,
  checkpoints = 8,
  privacy    = { epsilon = { 0.2, 0.5, 1, 2 }, delta = function (c) return 1 / c.n end },
  measures   = measures,
  sweeps     = {
    paper_logistic = {
      replicates = 10, problem = logistic, algorithms = paper,
      figures = { against_epsilon(6, "paper", "logistic loss on IJCNN1, the paper's protocol") },
    },
    paper_sigmoid = {
      replicates = 10, problem = sigmoid, algorithms = paper,
      figures = { against_epsilon(10, "paper", "sigmoid loss on IJCNN1, the paper's protocol"),
                  against_epsilon(2, "paper", "sigmoid loss on IJCNN1, the paper's protocol", "accuracy") },
    },
    tuned_logistic = {
      problem = logistic,
      algorithms = tuned(4, { eta = { 16, 32, 64, 128, 256 }, steps = { 40, 80, 160, 320, 640, 1280 } },
                         { alpha = { 1e-3, 3e-3, 1e-2, 3e-2, 0.1 }, steps_max = { 32, 64, 128, 256, 512, 1024 } }),
      figures = { against_epsilon(6, "tuned", "logistic loss on IJCNN1, tuned"),
                  against_calls(6, "gradients", "logistic loss on IJCNN1, tuned"),
                  against_calls(6, "hessians", "logistic loss on IJCNN1, tuned") },
    },
    tuned_sigmoid = {
      problem = sigmoid,
      algorithms = tuned(1, { eta = { 16, 32, 64, 128, 256 }, steps = { 5, 10, 20, 40, 80, 160 } },
                         { alpha = { 1e-4, 3e-4, 1e-3, 3e-3, 1e-2 }, steps_max = { 32, 64, 128, 256, 512, 1024 } }),
      figures = { against_epsilon(10, "tuned", "sigmoid loss on IJCNN1, tuned"),
                  against_epsilon(2, "tuned", "sigmoid loss on IJCNN1, tuned", "accuracy"),
                  against_calls(10, "gradients", "sigmoid loss on IJCNN1, tuned"),
                  against_calls(10, "hessians", "sigmoid loss on IJCNN1, tuned") },
    },
  },
  scales = {
    smoke = {
      tuning_replicates = 1, privacy = { epsilon = { 0.5, 1 } },
      sweeps = {
        paper_logistic = { replicates = 2, problem = { n = 2000 } },
        paper_sigmoid  = { replicates = 2, problem = { n = 2000 } },
        tuned_logistic = { replicates = 2, problem = { n = 2000 }, algorithms = few },
        tuned_sigmoid  = { replicates = 2, problem = { n = 2000 }, algorithms = few },
      },
    },
    full  = { replicates = 100 },
  },
}
