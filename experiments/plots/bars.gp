# Groups of bars with their 95 % intervals; a diamond stands where the paper has its number.
# From dolly: picture, title, x_label, y_label, series, name_1.., and the blocks $S1.. with lines of
#   group "label" ours lo hi paper
load ARG0[1:strstrt(ARG0, 'bars.gp') - 1].'style.gp'
set xtics () rotate by 0
groups = 0
do for [i = 1:series] {
    eval sprintf("stats $S%d using 1 nooutput", i)
    if (STATS_max + 1 > groups) { groups = int(STATS_max) + 1 }
}
width = 0.8 / series
place(i) = width * (i - 0.5 * (series + 1))
bar(i) = sprintf("$S%d using ($1 + place(%d)):3:(width * 0.92) with boxes lc rgb colour[%d] title name_%d", i, i, (i - 1) % 6 + 1, i)
interval(i) = sprintf("$S%d using ($1 + place(%d)):4:(0):($5 - $4) with vectors nohead lw 1.5 lc rgb 'black' notitle", i, i)
label(i) = sprintf("$S%d using 1:(NaN):xtic(2) with points notitle", i)
published(i) = sprintf("$S%d using ($1 + place(%d)):6 with points pt 13 ps 1.4 lc rgb 'white' notitle, $S%d using ($1 + place(%d)):6 with points pt 12 ps 1.3 lw 2 lc rgb 'black' notitle", i, i, i, i)
all = ''
do for [i = 1:series] { all = all.label(i).', '.bar(i).', ' }
do for [i = 1:series] { all = all.interval(i).', '.published(i).', ' }
set xrange [-0.6:groups - 0.4]
set xtics scale 0
set yrange [*<0:*]
set offsets 0, 0, graph 0.06, 0
set xzeroaxis lt 1 lw 1.5 lc rgb '#444444'
if (groups > 6) { set xtics font ',11' }
eval 'plot '.all."keyentry with points pt 12 ps 1.3 lw 2 lc rgb 'black' title 'published', keyentry with lines lw 1.5 lc rgb 'black' title '95 % interval'"
