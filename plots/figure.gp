# figure.gp -- gnuplot -c figure.gp TABLE OUTPUT [STYLE]: draws a table as core/figures/figure_data.h describes it, as
# SVG, PDF or PNG (300 dots per inch) by the ending of OUTPUT. Means with their interval (faint where a claim does not
# count the point), lines fitted to them or through them; guides dashed; words where the table places them. STYLE is a
# script that is loaded before anything is drawn: it may set what is set here, and `face`, `colours`, `shapes`, `dashes`,
# `thick` and `point_size`.
input = ARG1
output = ARG2
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set datafile commentschars ""

# --- what is in the table ---------------------------------------------------------------------------------------
x_marks = ""; colours = ""; shapes = ""; dashes = ""; width = 600; height = 400
x_log = 0; x_low = 0.0; x_high = 1.0; across = 1; panels = 1; curves = 0; guides = 0; point_size = 1.0
scale = 1.0; keyed = 0; ringed = 0; x_each = 0; fields = 0; asides = ""
take(key, value) = key eq "x_marks" ? (x_marks = value, 0) \
                 : key eq "colours" ? (colours = value, 0) : key eq "shapes"  ? (shapes = value, 0) \
                 : key eq "dashes"  ? (dashes = value, 0)  : key eq "width"   ? (width = int(value), 0) \
                 : key eq "height"  ? (height = int(value), 0) : key eq "x_log" ? (x_log = int(value), 0) \
                 : key eq "x_low"   ? (x_low = real(value), 0) : key eq "x_high" ? (x_high = real(value), 0) \
                 : key eq "across"  ? (across = int(value), 0) : key eq "panels" ? (panels = int(value), 0) \
                 : key eq "curves"  ? (curves = int(value), 0) : key eq "guides" ? (guides = int(value), 0) \
                 : key eq "point_size" ? (point_size = real(value), 0) : key eq "scale" ? (scale = real(value), 0) \
                 : key eq "keyed"   ? (keyed = int(value), 0)  : key eq "ringed" ? (ringed = int(value), 0) \
                 : key eq "x_each"  ? (x_each = int(value), 0) : key eq "fields" ? (fields = int(value), 0) \
                 : key eq "asides"  ? (asides = value, 0) : 0
stats input index 0 every ::1 using (take(strcol(1), strcol(2)), 1) nooutput
block(p, i) = 3 + (p - 1) * (curves + guides) + i
number(list, i) = i <= words(list) ? int(word(list, i)) : 1 # gnuplot reads the body of an empty `for` once
colour(i) = number(colours, i)
faint = 0xA8000000 # mostly transparent
aside(p, i) = p == 1 && i <= words(asides) ? real(word(asides, i)) : 1.0
filled(i) = number(shapes, i) < 4 ? 7 : number(shapes, i) + 1 - number(shapes, i) % 2

# --- canvas; of curves the dashes 1 to 4, of guides 5 to 10: a level, a power, a bound, what is left without noise,
# a rival, a hand-over --------------------------------------------------------------------------------------------
ending = output[strlen(output) - 2:]
svg = ending eq "svg" # its fonts are measured in pixels
face = "DejaVu Sans"; thick = 1.0
set dashtype 2 (14, 4); set dashtype 3 (14, 4, 4, 4); set dashtype 4 (6, 3)
set dashtype 5 (9, 5); set dashtype 6 (5, 4); set dashtype 7 (9, 4, 1.5, 4); set dashtype 8 (1.5, 4)
set dashtype 9 (2, 3); set dashtype 10 (4, 3)
set style fill transparent solid 0.16 noborder
set border 3 linecolor rgb "#555555" linewidth 1
set grid xtics ytics linecolor rgb "#E8E8E8" linewidth 1 linetype 1
set tics nomirror out scale 0.7,0.35 textcolor rgb "#222222"
set clip two
unset key
if (ARGC > 2) { load ARG3 }
if (svg) { set terminal svg size width * scale,height * scale enhanced font sprintf("%s,%g", face, 13.5 * scale) \
    linewidth scale background "white" }
if (ending eq "pdf") { set terminal pdfcairo size width * scale / 96.0,height * scale / 96.0 enhanced \
    font sprintf("%s,%g", face, 10.1 * scale) fontscale 0.75 linewidth 1.6 * scale pointscale 0.9 * scale \
    dashlength 1.0 background "white" }
if (ending eq "png") { set terminal pngcairo size width * scale * 3.125,height * scale * 3.125 enhanced \
    font sprintf("%s,%g", face, 10.1 * scale) fontscale 3.125 linewidth 3.125 * scale pointscale 3.125 * scale \
    background "white" }
set output output
size_of_points = point_size * (svg ? scale : 1.0)

# Parts of plots that few figures have: an empty `for` would leave an empty group in the others.
rings = !ringed ? "" : ", for [i = 1:curves] input index block(p, i) using 1:($7 > 0 ? $2 : NaN) with points " \
    . "linecolor rgb colour(i) linewidth 1.2 * thick pointtype 6 pointsize 2.1 * size_of_points"
samples = 3 + panels * (curves + guides) + 1
key = !keyed ? "" : ", for [i = 1:curves + guides] input index samples every ::i::i using 1:2:(24):(0) with vectors " \
    . "nohead linewidth (i > curves ? 1.4 : 1.8) * thick linecolor rgb colour(i) dashtype number(dashes, i)" \
    . ", for [i = 1:curves] input index samples every ::i::i using ($1 + 12):2 with points linecolor rgb 'white' " \
    . "pointtype filled(i) pointsize 1.25 * size_of_points" \
    . ", for [i = 1:curves] input index samples every ::i::i using ($1 + 12):2 with points linecolor rgb colour(i) " \
    . "linewidth 1.4 * thick pointtype number(shapes, i) pointsize size_of_points"

# Bars instead of bands where curves stand side by side.
at = asides eq "" ? "1" : "($1 * aside(p, i))"
bands = asides eq "" \
    ? "for [i = 1:curves] input index block(p, i) using 1:3:4 with filledcurves linecolor rgb colour(i)" \
    : "for [i = 1:curves] input index block(p, i) using ($1 * aside(p, i)):2:3:4 with yerrorbars pointsize 0 " \
    . "linewidth 1.2 * thick linecolor rgb colour(i) + 0x60000000"
# Of a square of methods: fields, then what their colours mean; the marks of pairs.
square = !fields ? "" : "input index 4:5 using 1:2:1:($1 + $3):2:($2 + $4):5 with boxxyerror fillstyle solid 1.0 noborder " \
    . "fillcolor rgb variable, input index 4:5 using ($7 == 1 ? $1 + $3 / 2.0 : NaN):($2 + $4 / 2.0):6 with points " \
    . "pointtype 7 pointsize 0.8 * size_of_points linecolor rgb variable, input index 4:5 using " \
    . "($7 == 2 ? $1 + $3 / 2.0 : NaN):($2 + $4 / 2.0):6 with points pointtype 6 pointsize 0.9 * size_of_points " \
    . "linewidth 1.8 * thick linecolor rgb variable, input index 2 using (column(4) == 5 ? column(1) : NaN):2:5:3 " \
    . "with labels right font font(13.5, '') textcolor rgb variable, input index 2 using " \
    . "(column(4) == 6 ? column(1) : NaN):2:5:3 with labels left rotate by 90 font font(13.5, '') textcolor rgb variable, "

# --- panels -------------------------------------------------------------------------------------------------------
set multiplot
do for [p = 1:panels] {
    stats input index 1 every ::p::p using (left = column(1), top = column(2), wide = column(3), high = column(4), \
        y_log = column(5), y_low = column(6), y_high = column(7), y_marks = strcol(8), 1) nooutput
    if (x_each) { stats input index 1 every ::p::p using (x_log = column(9), x_low = column(10), x_high = column(11), \
        x_marks = strcol(12), 1) nooutput }
    last = x_each || p + across > panels
    set lmargin at screen left / width
    set rmargin at screen (left + wide) / width
    set tmargin at screen 1.0 - top / height
    set bmargin at screen 1.0 - (top + high) / height
    set xrange [x_low:x_high]
    set yrange [y_low:y_high]
    if (x_log) { set logscale x } else { unset logscale x }
    if (y_log) { set logscale y } else { unset logscale y }
    unset xtics; set xtics () nomirror
    do for [i = 1:words(x_marks):2] {
        if (word(x_marks, i) eq "-") { set xtics add ("" real(word(x_marks, i + 1)) 1) } \
        else { set xtics add (last ? word(x_marks, i) : "" real(word(x_marks, i + 1))) }
    }
    unset ytics; set ytics () nomirror
    do for [i = 1:words(y_marks):2] {
        if (word(y_marks, i) eq "-") { set ytics add ("" real(word(y_marks, i + 1)) 1) } \
        else { set ytics add (word(y_marks, i) real(word(y_marks, i + 1))) }
    }
    plot @bands, \
         for [i = curves + 1:curves + guides] input index block(p, i) using 1:2 with lines linewidth 1.4 * thick \
             linecolor rgb colour(i) dashtype number(dashes, i), \
         for [i = 1:curves] input index block(p, i) using @at:5 with lines linewidth 1.8 * thick \
             linecolor rgb colour(i) dashtype number(dashes, i), \
         for [i = 1:curves] input index block(p, i) using @at:2 with points linecolor rgb "white" \
             pointtype filled(i) pointsize 1.25 * size_of_points, \
         for [i = 1:curves] input index block(p, i) using @at:2:($6 > 0 ? colour(i) : colour(i) + faint) \
             with points linecolor rgb variable linewidth 1.4 * thick pointtype number(shapes, i) \
             pointsize size_of_points @rings
}

# --- words over all, in pixels from the left and the top; their sizes as in core/figures/layout.c ------------------
unset border; unset tics; unset logscale
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
set xrange [0:width]; set yrange [height:0]
font(size, bold) = sprintf("%s%s,%.4g", face, bold, (svg ? 1.0 : 0.75) * scale * size)
plot @square input index 3 using 1:2:3:4:5 with vectors nohead linewidth 0.8 linecolor rgb variable, \
     input index 2 using (column(4) == 0 ? column(1) : NaN):2:5:3 with labels left font font(14, ":Bold") \
         textcolor rgb variable, \
     input index 2 using (column(4) == 1 ? column(1) : NaN):2:5:3 with labels left font font(15, "") \
         textcolor rgb variable, \
     input index 2 using (column(4) == 2 ? column(1) : NaN):2:5:3 with labels left font font(13.5, "") \
         textcolor rgb variable, \
     input index 2 using (column(4) == 3 ? column(1) : NaN):2:5:3 with labels center font font(14, "") \
         textcolor rgb variable, \
     input index 2 using (column(4) == 4 ? column(1) : NaN):2:5:3 with labels center rotate by 90 \
         font font(14, "") textcolor rgb variable @key
unset multiplot
