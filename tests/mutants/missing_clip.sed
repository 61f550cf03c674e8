# core/oracle/release.c  records are not clipped
s/\.record = record_bound(o, query->norm), \.total = question->bound/.record = INFINITY, .total = INFINITY/
