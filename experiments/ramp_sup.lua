-- ramp_sup.lua -- do noisy gradient descent and DP-SPIDER differ by more than their schedules?
--
-- A family of ramps, the same at every n: slope s on a length of 1/s, so that all of them start with the same gap and
-- no method can tell how flat its ramp is. The number of steps is tuned at each n, on seeds of its own, for the worst
-- member; what is fitted is the largest of the members' mean gradient norms. Nothing puts an exponent in: which ramp is
-- worst and how many steps pay moves with n. The figure shows both methods' worst gradient norm, with the two claimed
-- exponents beside the fitted ones. Both return the last iterate: a uniform one is now and then still on top of a steep
-- ramp, a rare value that the mean over some dozens of replicates cannot hold. Three minutes on two cores.
local slope = {}
for k = 4, 31 do
  slope[#slope + 1] = 2 ^ (-k / 4)
end
local times = { 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2 }

return {
  question   = "Do the rates 1/2 and 2/3 separate DP gradient descent from DP-SPIDER on the worst of a family?",
  source     = "Wang, Ye & Xu 2017 (1/2); Arora et al. 2023, as used in Lowy, Ullman & Wright 2024 (2/3)",
  seed       = 20240603,
  replicates = 30,
  tuning_replicates = 7,
  checkpoints = 1, -- the value at the start is all that a claim needs
  problem    = {
    loss     = { "huber_ramp", slope = slope }, family = "loss.slope",
    declared = { L = 2.12, gap = 2, distance = 216 },
    data     = { "signs", mean = 0 }, n = { 1e3, 3e3, 1e4, 3e4, 1e5 }, d = 10,
  },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = {
    { "dp_gd", select = "last", tune = { steps = { times = times } } },
    { "dp_spider", select = "last", parameters = "theory", tune = { steps = { times = times } } },
  },
  measures   = { "grad_norm" },
  claims     = {
    { algorithm = "dp_gd", y = "grad_norm", x = "n", exponent = -1/2, rival = -2/3, tolerance = 0.03, mode = "sup",
      source = "Wang, Ye & Xu 2017" },
    { algorithm = "dp_spider", y = "grad_norm", x = "n", exponent = -2/3, rival = -1/2, tolerance = 0.03, mode = "sup",
      source = "Arora et al. 2023, Theorem B.3" },
  },
  figures    = {
    { name = "ramp_sup", kind = "rate", x = "n", y = "grad_norm",
      title = "Largest mean gradient norm over ramps of slope 1/2 to 1/215, steps tuned" },
    { name = "residuals", kind = "residual", x = "n", y = "grad_norm",
      title = "What is left of the claimed exponents, ramps of slope 1/2 to 1/215" },
  },
  scales = {
    smoke = { replicates = 3, tuning_replicates = 2, problem = { n = { 1e3, 2e3, 4e3 } } },
    full  = { replicates = 200 },
  },
}
