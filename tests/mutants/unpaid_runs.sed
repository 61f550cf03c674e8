# core/oracle/mechanisms/repeat.c  the best of several runs is not in the ledger
# killed by unit/repeat
s/\.shape = r->shape, \.cap = cap, \.count = 1 }, 1));/.shape = r->shape, .cap = cap, .count = 1 }, 0));/
