# core/oracle/mechanisms/curvature.c  a solve has no noise
# killed by unit/curvature
s/sp_noise_gaussian(o->noise, noise_std, d, answer);/sp_noise_gaussian(o->noise, 0.0 * noise_std, d, answer);/
