# core/oracle/mechanisms/choose.c  the range of losses is the move of one of them
# killed by unit/choose
s/2\.0 \* L \* (r\[0\] + r\[1\]) \/ c->resolved\.m/2.0 * L * r[0] \/ c->resolved.m/
