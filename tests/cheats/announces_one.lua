-- announces_one.lua -- announces one release and makes two.
-- Caught by: conformance, a run
algorithm{ name = "announces_one", params = { steps = 4 }, run = function (o, p, w)
  local m, all = o:calibrate{ { kind = "gradient", count = 1 } }, o:draw("full")
  for t = 1, 2 do w:add(-0.05, o:gradient(all, w, m[1])) o:checkpoint(t, w) end
end }
return { seed = 1, problem = { loss = "circular", data = "angles", n = 100, d = 4 },
    privacy = { epsilon = 1, delta = 1e-6 },
         algorithms = { "announces_one" }, measures = { "grad_norm" } }
