# What all pictures have in common. Colours can be told apart by the colour-blind and in grey.
set terminal svg size 900,520 dynamic background rgb 'white' font 'DejaVu Sans,14' noenhanced
set output picture
set title title font ',14' offset 0,0.5
set xlabel x_label
set ylabel y_label
set border 3 lc rgb '#444444'
set tics nomirror
set grid ytics lc rgb '#dddddd' lt 1 lw 1
set bmargin 6.5
set key at screen 0.52, screen 0.015 center bottom horizontal samplen 2 spacing 1.1 width 1
set bars small
set style fill solid 1.0 border -1
array colour[6] = ['#0b5394', '#e69138', '#6aa84f', '#a64d79', '#45818e', '#7f6000']
