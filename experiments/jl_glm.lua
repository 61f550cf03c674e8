-- jl_glm.lua -- does a random projection take the dimension out of a private GLM? About one minute on two cores.
--
-- Records of rank 2 in d dimensions, whose subspace the methods do not know; what they know is the rank. jl_glm
-- projects to k = 4 x 2 dimensions. The printed k is ln(2n/delta) times the dimension at which dp_spider's rate meets
-- L ln(n)/sqrt k: 55434 here, and about 14 n at any n that one can run, far above d. With the rank in it, it is 23 x 2.
-- Clipping keeps the privacy for every k, so a smaller one is free to take.
--
-- Two claims: the exponent in d of the projected method is at most 0.10, and it is below that of dp_spider on the
-- records themselves. The second one is not borne out, nor is it with balanced parameters or at epsilon = 4: the
-- gradient of a GLM is in the span of the records, and noise outside of it changes no margin. What d changes without a
-- projection is the schedule: fewer steps as d grows, hence fewer releases and less noise in each, in the two
-- directions that count. The projection takes d out of the proof and out of the cost of a step; the result did not have
-- it. dp_spider keeps its own bound, d^(1/3), by far.
--
-- The last iterate is returned: a uniform one is at times an early one, which says nothing about noise.
local base = { "dp_spider", parameters = "theory", select = "last" }
return {
  question   = "Does a projection to four times the rank take the dimension out of a private GLM?",
  source     = "Arora et al. 2023, Alg. 4; Lowy, Ullman & Wright 2024, section 8",
  seed       = 20240607,
  replicates = 24,
  problem    = {
    loss = "welsch",
    data = { "low_rank", rank = 2 },
    n    = 4000,
    d    = { 64, 128, 256, 512, 1024, 2048 },
  },
  privacy    = { epsilon = 2, delta = 1e-6 },
  algorithms = {
    { "jl_glm", rank = 2, base = base },
    { "dp_spider", parameters = "theory", select = "last" },
    { "jl_glm", label = "jl_glm without noise", rank = 2, base = base, privacy = { noise = "off" } },
    { "dp_spider", label = "dp_spider without noise", parameters = "theory", select = "last",
      privacy = { noise = "off" } },
  },
  measures   = { "grad_norm" },
  claims     = {
    { algorithm = "jl_glm", y = "grad_norm", x = "d", exponent = 0, rival = 1/3, tolerance = 0.1, mode = "bound",
      floor = 3, source = "Lowy, Ullman & Wright 2024, Corollary 8.2" },
    { algorithm = "jl_glm", y = "grad_norm", x = "d", exponent = 0, tolerance = 0.1, mode = "bound", floor = 3,
      below = "dp_spider", origin = "conjecture" },
    { algorithm = "dp_spider", y = "grad_norm", x = "d", exponent = 1/3, tolerance = 0.1, mode = "bound", floor = 3,
      source = "Arora et al. 2023, Theorem B.3" },
  },
  figures    = {
    { name = "dimension", kind = "rate", x = "d", y = "grad_norm",
      title = "Gradient norm against d, records of rank 2: k = 8 (printed: 55434, above every d here)" },
  },
  scales     = {
    smoke = { replicates = 4, problem = { n = 1000, d = { 32, 64, 128 } } },
    full  = { replicates = 60 },
  },
}
