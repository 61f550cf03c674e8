# core/oracle/release.c  a factor 2 in a sensitivity: bound / m in place of 2 bound / m
s/question->sensitivity = 2\.0 \* at_least(question->bound)/question->sensitivity = at_least(question->bound)/
s/SP_SAMPLE_POISSON ? 1\.0 : 2\.0/SP_SAMPLE_POISSON ? 0.5 : 1.0/
