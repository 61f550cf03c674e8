# core/oracle/mechanisms/mean_loss.c  losses are not cut
s/isfinite(sum\[i\]) ? fmax(-question->bound, fmin(question->bound, sum\[i\])) : 0\.0/sum[i]/
