# style.gp -- what every figure shares: palette, fonts, canvas, axes, legend. The script that loads it has set `input`,
# a table as in core/figures/figure_data.h, and `output`, whose ending (svg, png) chooses the terminal.
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set datafile commentschars ""

# --- palette: Okabe & Ito 2008, told apart with any colour vision; no two share a shape --------------------------
array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x7F7F7F]
array shape[8] = [7, 5, 9, 13, 11, 15, 6, 4]
do for [i = 1:8] { set linetype i linecolor rgb colour[i] pointtype shape[i] linewidth 2 pointsize 1.1 }
set style fill transparent solid 0.18 noborder

# --- texts of the figure ------------------------------------------------------------------------------------------
title = ""; subtitle = ""; x_label = ""; x_marks = ""; styles = ""; dashes = ""
x_log = 0; x_low = 0.0; x_high = 1.0; panels = 1; curves = 0; guides = 0; legend_rows = 1
title_lines = 0; subtitle_lines = 0
join(text, size, line) = (text eq "" ? "" : text . "\n") . "{/" . size . " " . line . "}"
take(key, value) = key eq "title"       ? (title_lines = title_lines + 1, title = join(title, ":Bold*1.15", value)) \
                 : key eq "subtitle"    ? (subtitle_lines = subtitle_lines + 1, \
                                            subtitle = join(subtitle, "*0.9", value)) \
                 : key eq "x_label"     ? (x_label = value, 0) \
                 : key eq "x_log"       ? (x_log = int(value), 0) \
                 : key eq "x_low"       ? (x_low = real(value), 0) \
                 : key eq "x_high"      ? (x_high = real(value), 0) \
                 : key eq "x_marks"     ? (x_marks = value, 0) \
                 : key eq "panels"      ? (panels = int(value), 0) \
                 : key eq "curves"      ? (curves = int(value), 0) \
                 : key eq "guides"      ? (guides = int(value), 0) \
                 : key eq "styles"      ? (styles = value, 0) \
                 : key eq "dashes"      ? (dashes = value, 0) \
                 : key eq "legend_rows" ? (legend_rows = int(value), 0) : 0
stats input index 0 every ::1 using (take(strcol(1), strcol(2)), 1) nooutput

# --- canvas, in pixels: title, rows of panels, legend -------------------------------------------------------------
across = panels <= 3 ? panels : panels == 4 ? 2 : 3
down = (panels + across - 1) / across
width = across == 3 ? 1200 : 900
panel_height = across == 1 ? 400 : 290
left = 124; right = 18; below = 62; line = 20
above = 22 + 20 * title_lines + 17 * subtitle_lines
height = above + down * (panel_height + below) + legend_rows * line + 12
panel_width = (width - across * (left + right)) / across
if (output[strlen(output) - 2:] eq "svg") {
    set terminal svg size width,height enhanced font "DejaVu Sans,13" background "white"
} else {
    set terminal pngcairo size width,height enhanced font "DejaVu Sans,9.8" background "white"
}
set output output

# --- frame --------------------------------------------------------------------------------------------------------
set border 3 linecolor rgb 0x555555 linewidth 1
set tics nomirror out scale 0.7,0.35 textcolor rgb 0x222222
set grid xtics ytics linecolor rgb 0xE4E4E4 linewidth 1 linetype 1
set label 1 title at screen real(left) / width, 1.0 - 24.0 / height left front
set label 2 subtitle at screen real(left) / width, 1.0 - (24.0 + 20.0 * title_lines) / height left \
    front textcolor rgb 0x555555
set key at screen real(left - 8) / width, 10.0 / height left bottom Left reverse vertical maxrows legend_rows \
    spacing 1.3 samplen 2.6 width 2

set clip two
set xlabel x_label
set xrange [x_low:x_high]
if (x_log) { set logscale x }
unset xtics
set xtics () nomirror
do for [i = 1:words(x_marks):2] {
    if (word(x_marks, i) eq "-") { set xtics add ("" real(word(x_marks, i + 1)) 1) } \
    else { set xtics add (word(x_marks, i) real(word(x_marks, i + 1))) }
}
style(i) = i <= words(styles) ? int(word(styles, i)) : 1 # gnuplot reads the body of an empty `for` once
array pattern[3] = ["_ ", "_.", ". "] # of a guide: a line, a bound, a floor
dash(i) = i - curves <= words(dashes) ? pattern[int(word(dashes, i - curves))] : "_ "
block(p, i) = 1 + (p - 1) * (curves + guides) + i
