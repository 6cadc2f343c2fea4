# compare.awk - two samples of completion times (first column; the second is a number of attempts): the real
# one, then the simulated one. Prints a row of the table of docs/measured/fidelity.md.
#
# KS is the largest distance between the two distribution functions, and beside it what it would exceed in
# 5 % of the cases if both were drawn from the same distribution. W1 is the mean distance between quantiles,
# in seconds: how far a run would have to move, on average, to turn one sample into the other.

function sort_in_place(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
}
function median(v, n) { return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }

# Both samples walked through together, by value: the distance is looked at between two different values.
function walk(    i, j, at, last, gap) {
    i = j = 0
    ks = w1 = 0
    last = real[1] < sim[1] ? real[1] : sim[1]
    while (i < n || j < m) {
        at = j == m || (i < n && real[i + 1] <= sim[j + 1]) ? real[i + 1] : sim[j + 1]
        gap = i / n - j / m
        if (gap < 0) gap = -gap
        if (gap > ks) ks = gap
        w1 += gap * (at - last)
        last = at
        while (i < n && real[i + 1] == at) i++
        while (j < m && sim[j + 1] == at) j++
    }
}

FNR == NR { real[++n] = $1; mean_real += $1; late_real += $1 > 8; attempts_real += $2; next }
{ sim[++m] = $1; mean_sim += $1; late_sim += $1 > 8; attempts_sim += $2 }
END {
    sort_in_place(real, n)
    sort_in_place(sim, m)
    walk()
    a = median(real, n)
    b = median(sim, m)
    printf "| `%s` | %.2f s | %.2f s | %+.1f %% | %.2f s | %.2f s | %.0f %% | %.0f %% | %.1f | %.1f | %.2f | (%.2f) | %.2f s |\n",
        policy, a, b, 100 * (a - b) / b, mean_real / n, mean_sim / m, 100 * late_real / n, 100 * late_sim / m,
        attempts_real / n, attempts_sim / m, ks, 1.358 * sqrt((n + m) / (n * m)), w1
}
