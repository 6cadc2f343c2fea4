#!/usr/bin/env bash
# losses.sh SEED - what protecting outputs does in Mantri's world (world.model on world.cluster).
#
# Runs it without protection, with all of it, with replicas alone and with pre-computation after two losses, and prints: `gone`, recomputes that are
# gone in percent, median over jobs that had some; `replicas`, how many percent of all that are gone are so with replicas alone; `traffic`, bytes
# copied in percent of bytes read; `met`, replicas of which a reader met the other copy lost, in percent; `needed` and `needed2`, pre-computations whose
# output was needed, and the same after two losses; `hit50` and `hit75`, how much shorter jobs are that lost something, quantiles by number. `-` where
# nothing was lost. A quick reproduction looks at one seed only. Needs awk, grep and sort.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
size=$([ -n "${DOLLY_QUICK:-}" ] && echo "--jobs 15 --warmup 40m" || echo "--jobs 80")
if [ -n "${DOLLY_QUICK:-}" ] && [ "$1" != 1 ]; then
    printf '%s -\n' gone replicas traffic met needed needed2 hit50 hit75
    exit
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
kinds='output_lost|precompute|committed|replicate|replica_done|replica_failed|fetch_done|job_submitted|job_done'
measure() { # name, policy
    "$DOLLY" sim --workload "$here/world.model" $size --seed "$seed" --policy "$2" --journal "$tmp/journal" > "$tmp/out"
    "$DOLLY" journal "$tmp/journal" | grep -E "\"($kinds)\"" | awk -f "$here/losses.awk" > "$tmp/$1"
    rm "$tmp/journal"
}
seed=$1
measure none none
measure all none,protect=mantri
measure replicas 'none,protect=mantri;precompute=0'
measure two 'none,protect=mantri;after=2'
quantile() { # share; numbers on stdin
    sort -g | awk -v q="$1" '{ x[NR] = $1 } END { i = int(q * NR); if (i < q * NR || i == 0) i++; print (NR ? x[i] : "-") }'
}
join_jobs() { # of jobs that lost something: what is gone of column $1, in percent
    awk -v k="$1" 'NR == FNR { if ($1 == "job" && $3 > 0) { lost[$2] = 1; was[$2] = $k }; next }
        $1 == "job" && ($2 in lost) { print 100 * (1 - $k / was[$2]) }' "$tmp/none" "$tmp/all"
}
echo gone "$(join_jobs 3 | quantile 0.5)"
echo hit50 "$(join_jobs 4 | quantile 0.5)"
echo hit75 "$(join_jobs 4 | quantile 0.75)"
awk '$1 == "all" { f = FILENAME; sub(".*/", "", f); for (i = 2; i <= NF; i++) v[f, i] = $i }
    function share(name, a, b) { print name, (b > 0 ? 100 * a / b : "-") }
    END {
        share("replicas", v["none", 2] - v["replicas", 2], v["none", 2] - v["all", 2])
        share("traffic", v["all", 7], v["all", 8])
        share("met", v["all", 4], v["all", 3])
        share("needed", v["all", 6], v["all", 5])
        share("needed2", v["two", 6], v["two", 5])
    }' "$tmp/none" "$tmp/all" "$tmp/replicas" "$tmp/two"
