# In: lines of a journal (attempt_started, attempt_finished, attempt_killed, job_submitted, job_done) as JSON. Out: lines of `name number`, see machines.sh.
# slots: of the cluster. Outliers: finished tasks whose bytes per second are less than half the median of their phase.
function num(key,   i) {
    i = index($0, "\"" key "\":")
    return substr($0, i + length(key) + 3) + 0
}
function sort(x, n,   gap, i, k, v) {
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= n; i++) {
            v = x[i]
            for (k = i - gap; k > 0 && x[k] > v; k -= gap) x[k + gap] = x[k]
            x[k + gap] = v
        }
}
function median(x, n) { sort(x, n); return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2 }
# Slots in use since the last change, into ten-minute windows and whole minutes.
function pass(now,   w) {
    for (; now > since; since = upto) {
        w = int(since / 600)
        upto = (w + 1) * 600 < now ? (w + 1) * 600 : now
        used[w] += running * (upto - since)
    }
}
{ t = num("t_us") / 1e6; pass(t) }
/"attempt_started"/ { running++; if (running > peak) peak = running }
/"attempt_killed"/ { running-- }
/"attempt_finished"/ {
    running--
    job = num("job"); phase = job " " num("phase")
    k = ++count[phase]
    rate[phase, k] = num("read_bytes") / num("wall_us")
    node[phase, k] = num("node"); hour[phase, k] = int(t / 3600)
    if (num("phase") >= phases[job]) phases[job] = num("phase") + 1
    if (num("node") > nodes) nodes = num("node")
    tasks[job]++
}
/"job_submitted"/ { from[num("job")] = t }
/"job_done"/ {
    job = num("job")
    worst = 0
    for (p = 0; p < phases[job]; p++) {
        key = job " " p
        n = count[key]
        delete x
        for (k = 1; k <= n; k++) x[k] = rate[key, k]
        if (n >= 2) {
            m = median(x, n)
            if (x[1] > 0 && m / x[1] > worst) worst = m / x[1]
        }
        for (k = 1; k <= n; k++) {
            if (n >= 2) {
                seen[hour[key, k], node[key, k]]++
                slow[hour[key, k], node[key, k]] += rate[key, k] < m / 2
            }
            delete rate[key, k]; delete node[key, k]
        }
        delete count[key]
    }
    if (worst > 0)
        for (w = int(from[job] / 600); w <= int(t / 600); w++) of[w, ++active[w]] = worst
    jobs++
    bin = int(log(tasks[job]) / log(2) + 1e-9); inbin[bin]++
    if (bin > bins) bins = bin
}
END {
    # Utilisation and how uneven jobs are, window by window; the first hour fills the cluster.
    for (w = 6; w < int(t / 600); w++) {
        if (active[w] < 5) continue
        delete x
        for (k = 1; k <= active[w]; k++) x[k] = of[w, k]
        a = median(x, active[w]); b = used[w] / (600 * slots)
        if (a >= 3) high[++highs] = b
        n_w++; sa += a; sb += b; saa += a * a; sbb += b * b; sab += a * b
    }
    v = (n_w * saa - sa * sa) * (n_w * sbb - sb * sb)
    print "correlation", (n_w > 2 && v > 0 ? (n_w * sab - sa * sb) / sqrt(v) : "-")
    print "uneven_load", (highs ? 100 * median(high, highs) : "-")
    print "peak", 100 * peak / slots
    # p_m of machines, hour by hour; the last one is not whole.
    last = int(t / 3600)
    for (h = 0; h < last; h++) {
        n = s = ss = 0
        for (m = 0; m <= nodes; m++) {
            if (!((h, m) in seen)) continue
            p = slow[h, m] / seen[h, m]
            n++; s += p; ss += p * p
            if (m in guess) {
                both += p < guess[m] ? p : guess[m]
                either += p > guess[m] ? p : guess[m]
                guess[m] = (guess[m] + p) / 2
            } else
                guess[m] = p
        }
        if (n > 1 && s > 0) cv[++cvs] = sqrt((ss - s * s / n) / (n - 1)) / (s / n)
    }
    print "variation", (cvs ? median(cv, cvs) : "-")
    print "accuracy", (either > 0 ? 100 * both / either : "-")
    # Exponent of the density of tasks per job: log2 bins, least squares.
    for (b = 0; b <= bins; b++)
        if (inbin[b]) {
            lx = log(1.5 * 2 ^ b); ly = log(inbin[b] / jobs / 2 ^ b)
            n_b++; sx += lx; sy += ly; sxx += lx * lx; sxy += lx * ly
        }
    print "exponent", -(n_b * sxy - sx * sy) / (n_b * sxx - sx * sx)
}
