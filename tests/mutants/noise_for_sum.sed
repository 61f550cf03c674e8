# core/oracle/release.c  noise for the sum is added to the mean
s/sp_noise_gaussian(o->noise, noise_std, d, o->scratch.data)/sp_noise_gaussian(o->noise, noise_std * question.resolved.m, d, o->scratch.data)/
