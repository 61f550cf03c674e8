# core/oracle/mechanisms/curvature.c  a solve has half of its sensitivity
# killed by unit/curvature
s/const double sensitivity = norm \* (b/const double sensitivity = 0.5 * norm * (b/
