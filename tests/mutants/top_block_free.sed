# core/oracle/mechanisms/accumulator.c  of the blocks that end at a step the longest one is not paid for
# killed by unit/charges
s/mu2 += gsl_pow_2(full_weight(a, a->depth - l) \/ noise_std);/mu2 += l < to || to == 0 ? gsl_pow_2(full_weight(a, a->depth - l) \/ noise_std) : 0.0;/
