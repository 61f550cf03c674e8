# trade_off.gp -- gnuplot -c trade_off.gp TABLE OUTPUT: measures against epsilon, a panel each: means with their
# interval; a dashed level for a method that has no epsilon because it is not private.
input = ARG1
output = ARG2
folder = ARG0[1:strlen(ARG0) - strlen("trade_off.gp")]
load folder . "style.gp"

set multiplot
do for [p = 1:panels] {
    load folder . "panel.gp"
    plot for [i = 1:curves] input index block(p, i) using 1:3:4 with filledcurves linetype style(i) notitle, \
         for [i = 1:curves] input index block(p, i) using 1:2 with linespoints linetype style(i) \
             title columnheader(2), \
         for [i = curves + 1:curves + guides] input index block(p, i) using 1:2 with lines linetype style(i) \
             dashtype (10, 6) title columnheader(2)
}
unset multiplot
