# core/oracle/release.c  a tenth of the noise, in what is declared too
s/noise_std = o->charged ? noise_multiplier \* question\.unit/noise_std = o->charged ? 0.1 * noise_multiplier * question.unit/
