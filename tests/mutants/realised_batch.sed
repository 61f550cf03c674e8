# core/oracle/release.c  the mean divides by the realised size of the batch
s/const double m = question->resolved\.m;/const double m = question->resolved.rows.index ? fmax(1.0, (double)question->resolved.rows.count) : question->resolved.m;/
