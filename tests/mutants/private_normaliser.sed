# core/oracle/sampling.c  the mean over a Poisson sample divides by how many records it happens to hold
# killed by unit/charges
s/new_batch(drawn, SP_SAMPLE_POISSON, 0, thin(o->sampling, rate, n, drawn->index), rate \* (double)n, out);/const size_t held = thin(o->sampling, rate, n, drawn->index);\n    new_batch(drawn, SP_SAMPLE_POISSON, 0, held, fmax(1.0, (double)held), out);/
