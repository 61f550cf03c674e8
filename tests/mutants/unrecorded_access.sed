# core/oracle/release.c  a difference is answered as it is: no noise, no ledger, no tape
s/^    SP_TRY(charge(o, &question\.part, noise_multiplier, question\.unit));/    if (is_difference(query)) {\n        sp_query_answer(o, query, \&question, out, o->exact);\n        goto cleanup;\n    }\n&/
