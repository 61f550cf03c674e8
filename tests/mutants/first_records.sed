# core/oracle/sampling.c  a subset is the first m records
s/^    shuffle(o->sampling, drawn->index, sp_records(o), m);//
