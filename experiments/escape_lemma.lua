-- escape_lemma.lua -- the lemma behind the published saddle escape, refuted. About a minute on two cores.
--
-- The lemma says: where ||grad F|| is small and lambda_min(hess F) <= -sqrt(rho_H alpha), a Gaussian kick of size g and
-- some steps along any estimate v with ||v - grad F|| <= g lower F. A norm says too little about the error. Take
-- F = -a w^2/2: after the kick |w| is about g / (beta sqrt d), so |grad F| = a |w| is far below g, and an error below g
-- can turn every step back to 0.
--
-- No choice of records makes such an error: a tilt of the data tilts F as well, and the noise of a release is
-- isotropic, which helps. So `adversary` adds it to the released estimates: along the first axis, the saddle's, back to
-- the start, of size `adversary` g at most. Up to 3/4 the lemma's condition holds, for the noise is within g/4.
--
--   kick     as published; selection = none, so that the escape alone speaks: its last iterate
--   chosen   the same with the private choice, which returns no better point than there is
--   psgd     no kick, rounds of noisy steps: an error that is not isotropic is none of its theorem's, and its
--            own test passes saddles then
--   hessian  jumps by sqrt(alpha / rho_H): proved for errors within g/5, noise included
return {
  question   = "Does the published kick escape a saddle under every error that its lemma allows?",
  source     = "the escape of Ganesh et al. 2023, as used in Lowy, Ullman & Wright 2024, Lemma 3.3; repaired by Tao et "
            .. "al. 2025 and the second version of Liu & Talwar 2024",
  seed       = 20240608,
  replicates = 20,
  problem    = { loss = "cos_saddle", data = "sphere", n = 1e5, d = 10 },
  privacy    = { epsilon = 1, delta = 1e-6 },
  algorithms = {
    { "spider_sosp", label = "kick", selection = "none", adversary = { 0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75 } },
    { "spider_sosp", label = "chosen", selection = "em", adversary = { 0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75 } },
    { "spider_sosp", label = "psgd", escape = "psgd", adversary = { 0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75 } },
    { "spider_sosp", label = "hessian", escape = "hessian", adversary = { 0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75 } },
  },
  measures   = { "hessian_min_eigenvalue", "sosp_level", "grad_norm" },
  figures    = {
    { name = "escape", kind = "trade_off", x = "adversary", y = { "hessian_min_eigenvalue", "sosp_level" },
      x_label = "size of the error, in units of g",
      title = "Started on a saddle: the escapes against an error along its direction" },
  },
  scales = {
    smoke = { replicates = 3, problem = { n = 2e4 } },
    full  = { replicates = 100 },
  },
}
