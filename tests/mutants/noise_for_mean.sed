# core/oracle/release.c  noise on the mean is divided by m once more
s/sp_noise_gaussian(o->noise, noise_std, d, o->scratch.data)/sp_noise_gaussian(o->noise, noise_std \/ question.resolved.m, d, o->scratch.data)/
