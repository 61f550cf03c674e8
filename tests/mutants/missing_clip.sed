# core/oracle/release.c  records are not clipped
s/sp_public(o)->L_data,$/INFINITY,/
s/^\( *\)question->bound, m, data);/\1INFINITY, m, data);/
