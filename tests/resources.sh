#!/usr/bin/env bash
# Demands, capacities and queues that cannot be: tests/resources.sh build/dolly
#
# What is wrong in itself is refused in one line with exit status 2 before anything runs. A task that
# no node can hold fails its job when that is submitted, and no other. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/resources.sh DOLLY}")
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. tests/lib/checks.sh
cd "$tmp" || exit 2

run() { # leaves the output in out and err, and the status in $status
    timeout -k 1 50 "$dolly" "$@" >out 2>err </dev/null
    status=$?
}
exits() { [ "$status" = "$1" ] || { echo "status $status, want $1"; cat err; return 1; }; }
says() { grep -qF -- "$1" err || { echo "stderr lacks '$1':"; cat err; return 1; }; }
prints() { grep -qF -- "$1" out || { echo "stdout lacks '$1':"; cat out; return 1; }; }
json() { jq -e "$1" out >/dev/null || { echo "not true: $1"; head -c 2000 out; return 1; }; }
bad() { exits 2 && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && says "$1"; }
all() { # each of the commands
    local c
    for c in "$@"; do eval "$c" || return 1; done
}

# ---- a demand that fits no server ----

cat >large.workload <<'END'
job large queue=prod
  phase map tasks=2 cpu=1 size=1s command="true"
  phase reduce after=map cpu=3 size=1s command="true"
job small queue=dev
  phase map tasks=2 cpu=1 mem=64M size=1s command="echo done"
END
cat >pair.cluster <<'END'
node n0 cpu=2 mem=1G
node n1 cpu=1 mem=8G
END
sim=(sim --workload large.workload --cluster pair.cluster)
run "${sim[@]}" --policy none,late,dolly --json
ok 'sim: the job fails, and no other' all 'exits 0' 'json "all(.policies[]; .jobs_failed == 1 and .mean_jct_s == 1)"'
run "${sim[@]}" --policy none --journal large.journal
ok 'sim: says that a job failed' prints '1 job failed and is left out of the times'
run explain large.journal large
ok 'explain: says why' all 'exits 0' 'prints "It failed because no node can hold a task of phase reduce."'
run explain large.journal large/map
ok 'explain: nothing of it ran' prints 'it did not begin'
run exec large.workload --dir real --cluster pair.cluster --policy none
ok 'exec: the job fails in one line, and no other' all 'exits 1' '[ "$(wc -l <err)" = 1 ]' \
    'says "job 0 (large) failed: phase reduce: unsatisfiable"' 'prints "2 (1 failed)"'
# Neither node has both.
printf 'job both\n  phase map cpu=2 mem=2G size=1s\n' >both.workload
run sim --workload both.workload --cluster pair.cluster --policy none --json
ok 'a demand that fits in each resource, but no node' json '.policies[0].jobs_failed == 1'
printf 'job just\n  phase map cpu=2 mem=1G size=1s\n' >just.workload
run sim --workload just.workload --cluster pair.cluster --policy none --json
ok 'a demand that is all of a node' json '.policies[0].jobs_failed == 0 and .policies[0].mean_jct_s == 1'

# ---- nothing ----

printf 'node n0 cpu=0\n' >zero.cluster
run sim --workload just.workload --cluster zero.cluster --policy none
ok 'a node without capacity' bad 'zero.cluster:1: a node without any resource'
printf 'job zero\n  phase map cpu=0 size=1s\n' >zero.workload
run sim --workload zero.workload --cluster pair.cluster --policy none
ok 'a task without a demand' bad 'zero.workload:2: a phase that needs nothing'

closing
