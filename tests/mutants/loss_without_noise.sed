# core/oracle/mechanisms/mean_loss.c  losses are released as they are, charged and recorded as if they were not
/^    sp_noise_gaussian(o->noise, noise_std, 1, &answer);/d
