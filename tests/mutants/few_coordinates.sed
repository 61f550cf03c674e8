# core/oracle/noise.c  noise on the first 24 numbers alone
s/sp_normal_add(key, step, 0, count, noise_std, v)/sp_normal_add(key, step, 0, count < 24 ? count : 24, noise_std, v)/
