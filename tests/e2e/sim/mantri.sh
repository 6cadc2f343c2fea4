#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# Mantri's published examples, end to end: tests/e2e/sim/mantri.sh build/dolly
set -u
dolly=$(realpath "${1:?usage: tests/e2e/sim/mantri.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# Figure 10, t = 100 s: seven tasks, two slots. 7t when the outlier is ignored or looked at when all
# tasks have begun; 6t when it is duplicated at the next free slot (the text: 2t of the original and t of the
# duplicate); restarted in place, t after it was found out, which takes Delta = 10 s: 5t + Delta.
figure=(--workload experiments/mantri/fig10.workload --cluster 2x1 --json)
ends() { # SECONDS COPIES KILLED POLICY
    local got
    got=$("$dolly" sim "${figure[@]}" --policy "$4" | jq -c '.policies[0] | [.mean_jct_s, .attempts - 7, .killed]')
    [ "$got" = "[$1,$2,$3]" ] || { echo "$4: $got"; return 1; }
}
ok 'figure 10: ignoring the outlier ends at 7t' ends 700 0 0 none
ok 'figure 10: so does speculation at the end (MapReduce)' ends 700 0 0 mapreduce
ok 'figure 10: ... Hadoop' ends 700 0 0 hadoop
ok 'figure 10: ... LATE' ends 700 0 0 late
ok 'figure 10: a duplicate at the next free slot, 6t' ends 600 1 1 'mitigate=mantri;gamma=0'
ok 'figure 10: a restart in place, 5t + Delta' ends 510 1 1 'mitigate=mantri'
ok 'figure 10: ... with another Delta' ends 520 1 1 'mitigate=mantri;delta=20s'

# Tasks that go at a steady pace are estimated exactly, but for the rounding of reports.
exact() {
    local got
    got=$("$dolly" sim "${figure[@]}" --policy mitigate=mantri --estimates |
        jq -c '.policies[0].estimates | [.reports > 50, .trem_error_p90 < 0.001, .copies]')
    [ "$got" = '[true,true,1]' ] || { echo "$got"; return 1; }
}
ok 'estimates of steady tasks are exact' exact
closing
