# core/oracle/oracle.c  what a run under replace-one has spent is told for add-remove
# killed by unit/charges
s/sp_account(&o->ledger, privacy->neighbours, /sp_account(\&o->ledger, SP_ADD_REMOVE, /
