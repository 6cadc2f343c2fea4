#!/usr/bin/env bash
# machines.sh SEED - what the journal of a run without mitigation says about machines, load and sizes of jobs (facebook).
#
# Prints: `correlation` (Pearson) over windows of ten minutes of the utilisation with the median over active jobs of median over smallest rate;
# `uneven_load`, the median utilisation of windows in which the latter is 3 or more, in percent; `peak`, the most slots in use at any instant, in
# percent; `variation`, stdev over mean of p_m over machines, median over hours; `accuracy`, how much of the predicted and the real p_m overlap (sum of
# the smaller over sum of the larger ones, in percent), predicted as in the paper by averaging each hour with what was
# predicted for it; `exponent` of the number of tasks of jobs. A quick reproduction looks at one seed only.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
jobs=$([ -n "${DOLLY_QUICK:-}" ] && echo 800 || echo 2500)
if [ -n "${DOLLY_QUICK:-}" ] && [ "$1" != 1 ]; then
    printf '%s -\n' correlation uneven_load peak variation accuracy exponent
    exit
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$DOLLY" sim --workload facebook --jobs "$jobs" --warmup 0 --seed "$1" --policy none --journal "$tmp/journal" > "$tmp/out"
"$DOLLY" journal "$tmp/journal" | grep -E '"type":"(attempt_(started|finished|killed)|job_(submitted|done))"' |
    sed 's/"phases":.*//' | awk -v slots=1800 -f "$here/machines.awk"
