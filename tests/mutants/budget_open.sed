# core/oracle/oracle.c  a run above its budget is none
# killed by unit/oracle
s/const bool above = status == SP_OK \&\& /const bool above = status == SP_OK \&\& privacy->epsilon < 0.0 \&\& /
