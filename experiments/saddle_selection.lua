-- saddle_selection.lua -- starting on a saddle, where do the methods end? About a minute on two cores.
--
-- cos_saddle has one direction of curvature -1/2 at the start. sosp_level is the smallest alpha for which the returned
-- point is an alpha-second-order stationary point: 0.227 at the start, whatever its gradient. Nothing is tuned.
--
--   kick         spider_sosp as published, its answer chosen among up to 1000 iterates by the exponential mechanism
--   hessian      its repaired escape, which stops at the first point that passes its own test, at level 4 g or better:
--                while 4 g is above 0.227 (up to n = 3000) the start itself passes
--   dp_spider    knows nothing of saddles; isotropic noise alone drives it off this one. A uniform iterate
--   min_release  dp_spider's iterate of the smallest released gradient
return {
  question   = "At which second-order level do spider_sosp and dp_spider stop, starting on a saddle?",
  source     = "Lowy, Ullman & Wright 2024, section 3 and Lemma 3.3; selection of an approximate SOSP from a list",
  seed       = 20240607,
  replicates = 20,
  problem    = { loss = "cos_saddle", data = "sphere", n = { 1e3, 3e3, 1e4, 3e4, 1e5 }, d = 10 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = {
    { "spider_sosp", label = "kick" },
    { "spider_sosp", label = "hessian", escape = "hessian" },
    { "dp_spider", work = 1e9 }, -- the bound's own minimum: all records take O(d) here, subsets take time
    { "dp_spider", label = "min_release", select = "min_release", work = 1e9 },
  },
  measures   = { "sosp_level", "hessian_min_eigenvalue", "grad_norm" },
  figures    = {
    { name = "level", kind = "rate", x = "n", y = "sosp_level",
      title = "Second-order level of the returned point, started on a saddle" },
    { name = "parts", kind = "trade_off", x = "n", y = { "hessian_min_eigenvalue", "grad_norm" },
      title = "Its smallest eigenvalue and its gradient" },
  },
  scales = {
    smoke = { replicates = 4, problem = { n = { 1e3, 3e3, 1e4 } } },
    full  = { replicates = 40, problem = { n = { 1e3, 3e3, 1e4, 3e4, 1e5, 3e5 } } },
  },
}
