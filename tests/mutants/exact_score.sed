# core/oracle/mechanisms/repeat.c  runs are compared by their exact losses
# killed by unit/repeat
s/SP_BETWEEN(all, x->answer, judge->problem->start), multiplier,/SP_BETWEEN(all, x->answer, judge->problem->start), 1e-9 * multiplier,/
