# core/oracle/oracle.c  methods get the oracle's own constants
# killed by unit/door
s/return &o->shown\.constants;/return \&o->problem->declared;/
