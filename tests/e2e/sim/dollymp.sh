#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# The example of DollyMP's figure 2, to the microsecond: tests/e2e/sim/dollymp.sh build/dolly
#
# Its table is lost, but the four sums of completion times that it gives determine it: job 1 takes
# 10 s and more than 3/4 of the only server, jobs 2 and 3 take 8 s and 1/4 each, and 6 s with a clone
# that starts along with them. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/sim/dollymp.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
cd "$tmp" || exit 2

cat >figure2.workload <<'END'
job one
  phase run cpu=0.8 expect=10s
    task 0 attempts=10s
job two
  phase run cpu=0.25 expect=8s
    task 0 attempts=8s,6s
job three
  phase run cpu=0.25 expect=8s
    task 0 attempts=8s,6s
END
echo 'node server cpu=1' >figure2.cluster

# The policy ends the jobs at these times (us).
ends() { # policy one two three
    rm -f j
    "$dolly" sim --workload figure2.workload --cluster figure2.cluster --policy "$1" --journal j >out 2>&1 </dev/null ||
        { cat out; return 1; }
    got=$("$dolly" journal j | jq -r 'select(.type == "job_done") | "\(.job) \(.t_us)"' | sort -n | cut -d' ' -f2 | xargs)
    [ "$got" = "$2 $3 $4" ] || { echo "ends at $got, want $2 $3 $4"; return 1; }
    "$dolly" journal j --verify
}

ok 'Tetris as the paper has it: 46 s' ends 'tetris;sign=paper' 10000000 18000000 18000000
ok 'Tetris with a clone of each task: 42 s' ends 'tetris,mitigate=dollymp;sign=paper;clones=1' 10000000 16000000 16000000
ok 'Tetris, small jobs first: 34 s' ends tetris 18000000 8000000 8000000
ok 'smallest volume first: 34 s' ends svf 18000000 8000000 8000000
ok 'shortest time first: 34 s' ends srpt 18000000 8000000 8000000
ok 'DollyMP without clones: 34 s' ends dollymp0 18000000 8000000 8000000
ok 'DollyMP: 28 s' ends dollymp1 16000000 6000000 6000000
ok 'DollyMP, where a second clone does not fit: 28 s' ends dollymp2 16000000 6000000 6000000
explains() { # the journal of the last run says it
    "$dolly" explain j >out 2>&1 || return 1
    grep -qF -- "$1" out || { echo "explain lacks '$1':"; head -n 5 out; return 1; }
}
ok 'explain: offered clones that were launched' explains '2 of 3 phases were cloned'
ok 'explain: and those that were not' explains '1 phase was not cloned: no clone started before its task was done'

closing
