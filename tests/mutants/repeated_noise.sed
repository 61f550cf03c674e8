# core/oracle/release.c  every release has the same noise
s/^    sp_noise_gaussian(o->noise, /    gsl_rng_set(o->noise, 17);\n&/
