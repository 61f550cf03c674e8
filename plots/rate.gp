# rate.gp -- gnuplot -c rate.gp TABLE OUTPUT: a measure against n, d or epsilon, log-log: means with their interval (a
# hole where a claim does not count the point), the fitted line (solid), the claimed one (dashed), a bound (dash and
# dot), what the same schedule gives without noise (dots).
input = ARG1
output = ARG2
folder = ARG0[1:strlen(ARG0) - strlen("rate.gp")]
load folder . "style.gp"

p = 1
load folder . "panel.gp"
plot for [i = 1:curves] input index block(p, i) using 1:3:4 with filledcurves linetype style(i) notitle, \
     for [i = 1:curves] input index block(p, i) using 1:5 with lines linetype style(i) notitle, \
     for [i = 1:curves] input index block(p, i) using 1:2 with points linetype style(i) title columnheader(2), \
     for [i = 1:curves] input index block(p, i) using 1:6 with points linetype style(i) linecolor rgb "white" \
         pointsize 0.5 notitle, \
     for [i = curves + 1:curves + guides] input index block(p, i) using 1:2 with lines linetype style(i) \
         dashtype dash(i) title columnheader(2)
