# core/oracle/mechanisms/accumulator.c  what an accumulator keeps weighs nothing
s/open->full += question\.sensitivity/open->full = question.sensitivity/
