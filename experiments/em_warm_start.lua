-- em_warm_start.lua -- the warm start that assumes nothing but a Lipschitz constant, in 1, 2 and 3 dimensions. The loss
-- slopes by a third of its Lipschitz constant at the start, so that a warm start has something to gain. Replicates are
-- as many as a slope to +-0.06 takes: fewer dimensions scatter more. About two minutes on two cores.
local function sweep(d, replicates)
  local warm = { first = { "em_net", search = true }, second = { "dp_spider", parameters = "theory" } }
  return {
    question   = "Does a start by the exponential mechanism turn DP-SPIDER's exponent in n into 1, d = " .. d .. "?",
    source     = "Lowy, Ullman & Wright 2024, Corollary 4.3",
    replicates = replicates,
    problem    = { loss = "pseudo_huber", data = { "signs", mean = 0 }, n = { 3e3, 1e4, 3e4, 1e5 }, d = d },
    privacy    = { epsilon = 1, delta = 1e-6 },
    algorithms = {
      { "warm_start", first = warm.first, second = warm.second },
      { "warm_start", label = "warm_start without noise", first = warm.first, second = warm.second,
        privacy = { noise = "off" } },
      { "dp_spider", parameters = "theory" },
    },
    measures   = { "grad_norm" },
    claims     = {
      { algorithm = "warm_start", y = "grad_norm", x = "n", exponent = -1, rival = -2/3, tolerance = 0.06,
        mode = "theory", source = "Lowy, Ullman & Wright 2024, Corollary 4.3", control = "warm_start without noise" },
    },
    figures    = {
      { name = "d" .. d, kind = "rate", x = "n", y = "grad_norm",
        title = "Exponential mechanism, then DP-SPIDER: pseudo-Huber loss, d = " .. d },
    },
  }
end

return {
  question = "Does a start by the exponential mechanism turn DP-SPIDER's exponent 2/3 in n into 1?",
  seed     = 20240607,
  checkpoints = 1, -- the value at the start is all that a claim needs
  sweeps   = { d1 = sweep(1, 160), d2 = sweep(2, 80), d3 = sweep(3, 36) },
  scales   = {
    smoke = { sweeps = { d1 = { replicates = 3, problem = { n = { 1e3, 2e3, 4e3 } } },
                         d2 = { replicates = 3, problem = { n = { 1e3, 2e3, 4e3 } } },
                         d3 = { replicates = 3, problem = { n = { 1e3, 2e3, 4e3 } } } } },
    full  = { sweeps = { d1 = { replicates = 640 }, d2 = { replicates = 320 }, d3 = { replicates = 144 } } },
  },
}
