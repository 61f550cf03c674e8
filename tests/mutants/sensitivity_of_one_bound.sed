# core/oracle/mechanisms/choose.c  a score of gradient and Hessian has the gradient's sensitivity alone
# killed by unit/choose
s/fmax(2\.0 \* k->L_data \/ c->score->gradient_scale, hessian \/ c->score->curvature_scale)/(hessian >= 0.0 ? 2.0 * k->L_data \/ c->score->gradient_scale : 0.0)/
