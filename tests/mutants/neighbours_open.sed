# core/oracle/charge.c  releases that add-remove has no theorem for are let pass
# killed by refusal/oracle
s/if (o->options\.privacy\.neighbours == SP_REPLACE_ONE || entry->kind == SP_LEDGER_POISSON)/if (entry)/
