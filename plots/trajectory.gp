# trajectory.gp -- gnuplot -c trajectory.gp TABLE OUTPUT: measures along the run against the oracle calls spent, a panel
# each: means with their interval.
input = ARG1
output = ARG2
folder = ARG0[1:strlen(ARG0) - strlen("trajectory.gp")]
load folder . "style.gp"

set multiplot
do for [p = 1:panels] {
    load folder . "panel.gp"
    plot for [i = 1:curves] input index block(p, i) using 1:3:4 with filledcurves linetype style(i) notitle, \
         for [i = 1:curves] input index block(p, i) using 1:2 with linespoints linetype style(i) pointsize 0.7 \
             title columnheader(2)
}
unset multiplot
