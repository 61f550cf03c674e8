# core/oracle/release.c  half the noise, in what is declared too
s/noise_std = o->charged ? noise_multiplier \* question\.unit/noise_std = o->charged ? 0.5 * noise_multiplier * question.unit/
