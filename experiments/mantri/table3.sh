#!/usr/bin/env bash
# table3.sh SEED - Mantri, appendix A, Table 3: what killing and starting anew saves of a phase when run times have a heavy tail.
#
# n tasks on s slots, each slot takes the next task when it is free. R is Pareto with exponent beta, least value 1. With restarts
# a task that has run for E[R] + 1 is killed and begins again with a new R. The paper does not say how its tasks share its slots; this is
# list scheduling. Prints the reduction of the mean completion time in percent.
set -euo pipefail
rounds=$([ -n "${DOLLY_QUICK:-}" ] && echo 150 || echo 1000)
awk -v seed="$1" -v rounds="$rounds" '
    function draw(beta) { return (1 - rand()) ^ (-1 / beta) }
    function task(beta, limit,   t, r) {
        for (t = 0; (r = draw(beta)) > limit; t += limit)
            continue
        return t + r
    }
    # The end of n tasks on s slots; free[] holds when each slot is free.
    function phase(beta, n, s, limit,   i, k, best, last, free) {
        last = 0
        for (i = 1; i <= n; i++) {
            if (i <= s) {
                free[i] = task(beta, limit)
                best = i
            } else {
                best = 1
                for (k = 2; k <= s; k++)
                    if (free[k] < free[best]) best = k
                free[best] += task(beta, limit)
            }
            if (free[best] > last) last = free[best]
        }
        return last
    }
    function row(name, beta, n, s,   i, plain, cut) {
        for (i = 0; i < rounds; i++) {
            plain += phase(beta, n, s, 1e300)
            cut += phase(beta, n, s, beta / (beta - 1) + 1)
        }
        printf "%s %.4f\n", name, 100 * (1 - cut / plain)
    }
    BEGIN { srand(seed); row("a", 1.1, 200, 100); row("b", 1.5, 200, 100); row("c", 1.5, 100, 50); row("d", 2, 100, 50) }'
