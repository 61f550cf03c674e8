# core/oracle/sampling.c  a Poisson sample is accounted, one of exactly rate n records is drawn
s/thin(o->sampling, rate, n, drawn->index), rate/(thin(o->sampling, 1e-9, 1, drawn->index), drawn->index[0] = 0, shuffle(o->sampling, drawn->index, n, (size_t)(rate * (double)n)), (size_t)(rate * (double)n)), rate/
