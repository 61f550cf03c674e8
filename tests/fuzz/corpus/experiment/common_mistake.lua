return { seed = 3, problem = { loss = "logistic", data = { "angles", noise = 0.1 }, n = 50, d = 2,
    domain = { "l2_ball", radius = 2 } },
 privacy = "none", algorithms = { { "2d", tune = { eta = { 0.1, 1 }, steps = { 3, 5 } } } },
     measures = { "excess_risk" },
 sweeps = { one = {}, two = { replicates = 2 } } }
