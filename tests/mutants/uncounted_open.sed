# core/oracle/charge.c  a release that the filter does not count is let pass
# killed by refusal/oracle
s/if (isinf(sp_entry_cost(o->spending\.filter, &next\[i\])))/if (isnan(sp_entry_cost(o->spending.filter, \&next[i])))/
