# Lines with their 95 % intervals over numbers; a diamond stands where the paper has its number.
# From dolly: as in bars.gp; the labels are numbers.
load ARG0[1:strstrt(ARG0, 'lines.gp') - 1].'style.gp'
x(label) = real(label)
curve(i) = sprintf("$S%d using (x(strcol(2))):3 with linespoints lw 2.5 pt 7 ps 0.7 lc rgb colour[%d] title name_%d", i, (i - 1) % 6 + 1, i)
interval(i) = sprintf("$S%d using (x(strcol(2))):4:(0):($5 - $4) with vectors nohead lw 1.2 lc rgb colour[%d] notitle", i, (i - 1) % 6 + 1)
published(i) = sprintf("$S%d using (x(strcol(2))):6 with points pt 12 ps 1.4 lw 2 lc rgb colour[%d] notitle", i, (i - 1) % 6 + 1)
all = ''
do for [i = 1:series] { all = all.curve(i).', '.interval(i).', '.published(i).', ' }
set yrange [*<0:*]
set offsets graph 0.03, graph 0.03, graph 0.06, 0
set xzeroaxis lt 1 lw 1 lc rgb '#999999'
eval 'plot '.all."keyentry with points pt 12 ps 1.4 lw 2 lc rgb 'black' title 'published'"
