# core/oracle/charge.c  every release that was not announced is let pass
# killed by unit/choose
s/ || total <= limit \* SP_BUDGET_TOLERANCE)/ || total <= INFINITY)/
