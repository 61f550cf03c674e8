# core/oracle/mechanisms/repeat.c  a run of several has all of its budget, and its score some more
# killed by unit/repeat
s/(1\.0 - r->score) \* rho/rho/
