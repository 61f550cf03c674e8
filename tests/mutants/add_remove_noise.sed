# core/oracle/transcript.c  noise under replace-one is solved for add-remove
# killed by unit/charges
s/sp_calibrate_under(NULL, planned, o->options.privacy.neighbours, o->budget.epsilon,/sp_calibrate_under(NULL, planned, SP_ADD_REMOVE, o->budget.epsilon,/
