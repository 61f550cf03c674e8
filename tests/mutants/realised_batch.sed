# core/oracle/release.c  the mean divides by the realised size of the batch
s/const double m = question->part\.m;/const double m = question->part.rows.index ? fmax(1.0, (double)question->part.rows.count) : question->part.m;/
