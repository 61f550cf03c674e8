# core/oracle/mechanisms/mean_loss.c  the mean of the losses is cut, not each record's
s/isfinite(sum\[i\]) ? fmax(-question->bound, fmin(question->bound, sum\[i\])) : 0\.0/isfinite(sum[i]) ? sum[i] : 0.0/
s/return total \/ question->resolved\.m;/return fmax(-question->bound, fmin(question->bound, total \/ question->resolved.m));/
