# core/accountant/ledger.c  a repeated release is not counted
s/->count += entry->count/->count += 0/
