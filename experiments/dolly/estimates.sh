#!/usr/bin/env bash
# estimates.sh SEED - how right delay assignment's estimates are (bing).
#
# Each hour it chooses omega for each size of job by what reads took in the hour before: alone, along with a sibling, and how probable it is that no
# other output comes in time. What it goes by in one hour is held against what it measures at that hour's end. Prints the accuracy in percent,
# 100 (1 - |estimate - measured| / measured), mean over hours and the two smallest sizes: `alone`, `shared` (seconds for the same bytes, so bandwidth), and
# `found` (the probability that an output comes). A quick reproduction looks at one seed only. Needs jq.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
jobs=$([ -n "${DOLLY_QUICK:-}" ] && echo 1600 || echo 3000)
if [ -n "${DOLLY_QUICK:-}" ] && [ "$1" != 1 ]; then
    printf '%s -\n' alone shared found
    exit
fi
"$DOLLY" sim --workload bing --cluster "$here/../shuffle/bing.cluster" --scale load=0.8 --jobs "$jobs" --warmup 0 --seed "$1" --policy 'dolly+late,shuffle=delay;careful=no' --detail --json |
    jq -r '.policies[0].each_omega as $o | [range($o.bin | length) | {bin: $o.bin[.], alone: $o.alone_s[.], shared: $o.shared_s[.],
            found: (1 - $o.missing[.])}] | [group_by(.bin)[] | select(.[0].bin <= 2) | [.[:-1], .[1:]] | transpose[]] as $pairs |
        ("alone", "shared", "found") as $k |
        [$pairs[] | select(.[1][$k] > 0) | 1 - ((.[0][$k] - .[1][$k]) | fabs) / .[1][$k]] |
        "\($k) \(if length > 0 then 100 * add / length else "-" end)"'
