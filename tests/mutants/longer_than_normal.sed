# losses/engine/glm.c  records are normalised by half their norm
s/(total \/ (fabs(scale\[l\]) \* norm\[l\] + xi))/(total \/ (0.5 * fabs(scale[l]) * norm[l] + xi))/
