# panel.gp -- the frame of panel p: its place on the canvas, its y axis. Loaded before each panel is drawn.
stats input index 1 every ::p::p using \
    (y_name = strcol(1), y_unit = strcol(2), y_log = column(3), y_low = column(4), y_high = column(5), \
     y_marks = strcol(6), 1) nooutput
column_of_p = (p - 1) % across
row_of_p = (p - 1) / across
set lmargin at screen real(column_of_p * (left + panel_width + right) + left) / width
set rmargin at screen real((column_of_p + 1) * (left + panel_width + right) - right) / width
set tmargin at screen 1.0 - real(above + row_of_p * (panel_height + below)) / height
set bmargin at screen 1.0 - real(above + row_of_p * (panel_height + below) + panel_height) / height
set ylabel y_unit eq "" ? y_name : y_name . "\n" . y_unit offset -2, 0
set yrange [y_low:y_high]
if (y_log) { set logscale y } else { unset logscale y }
unset ytics
set ytics () nomirror
do for [i = 1:words(y_marks):2] {
    if (word(y_marks, i) eq "-") { set ytics add ("" real(word(y_marks, i + 1)) 1) } \
    else { set ytics add (word(y_marks, i) real(word(y_marks, i + 1))) }
}
# title and legend once, with the first panel
if (p > 1) { unset label 1; unset label 2; unset key }
