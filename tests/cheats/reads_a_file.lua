-- reads_a_file.lua -- looks for the records in a file.
-- Caught by: the plan
algorithm{ name = "reads_a_file", params = { steps = 4 }, run = function (o, p, w)
  for line in io.lines("records.csv") do w:put(1, tonumber(line)) end
end }
return { seed = 1, problem = { loss = "circular", data = "angles", n = 100, d = 4 },
    privacy = { epsilon = 1, delta = 1e-6 },
         algorithms = { "reads_a_file" }, measures = { "grad_norm" } }
