# core/oracle/sampling.c  a subset is drawn once and kept
s/^    shuffle(o->sampling, drawn->index, sp_records(o), m);/    if (drawn->serial == 0)\n        shuffle(o->sampling, drawn->index, sp_records(o), m);/
