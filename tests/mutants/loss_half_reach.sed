# core/oracle/mechanisms/mean_loss.c  the bound that L implies is half of that, and so is the noise, but not the cut
s/query->bound > 0\.0 ? query->bound : implied));/query->bound > 0.0 ? query->bound : implied \/ 2.0));\n    question->bound = query->bound > 0.0 ? query->bound : implied;/
