# core/oracle/release.c  a difference is answered as it is: no noise, no ledger, no transcript
s/^    SP_TRY(sp_release_charge(o, &question\.resolved, noise_multiplier, question\.unit));/    if (is_difference(query)) {\n        sp_query_answer(o, query, \&question, out, o->scratch.exact);\n        goto cleanup;\n    }\n&/
