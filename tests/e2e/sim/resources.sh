#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# Demands, capacities and queues that cannot be: tests/e2e/sim/resources.sh build/dolly
#
# What is wrong in itself is refused in one line with exit status 2 before anything runs. A task that
# no node can hold fails its job when that is submitted, and no other. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/sim/resources.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
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
ok 'a node without capacity' bad 'zero.cluster:1: node without any resource'
printf 'job zero\n  phase map cpu=0 size=1s\n' >zero.workload
run sim --workload zero.workload --cluster pair.cluster --policy none
ok 'a task without a demand' bad 'zero.workload:2: a phase that needs nothing'

# ---- queues ----

refused() { # queues, what is said
    run "${sim[@]}" --policy capacity --set "queues=$1"
    ok "queues $1" bad "queues: $2"
}
refused prod:60:90,dev:41:100 '101 per cent are guaranteed; expected at most 100'
refused prod:60:50 'prod:60:50: the maximum is below the guaranteed share'
refused prod:0:50 'prod:0:50: the guaranteed share must be'
refused prod:10:20,prod:10:20 'the queue prod twice'
refused prod:60:101 "'prod:60:101': expected NAME:GUARANTEED:MAXIMUM"
refused prod:60 "'prod:60': expected NAME:GUARANTEED:MAXIMUM"
refused '' "'': expected NAME:GUARANTEED:MAXIMUM"
printf '# shares\nprod:60:90\ndev:40:100 # the rest\n' >queues
run "${sim[@]}" --policy capacity,none --set queues=@queues --json
ok 'queues from a file' all 'exits 0' 'json ".policies[0].policy == \"capacity\""'
run "${sim[@]}" --policy 'capacity;queues=prod:60:90,dev:40:100,none' --json
ok 'queues in a list of policies' all 'exits 0' 'json ".policies | length == 2"'
printf 'prod:60:90\0dev:40:100\n' >queues
run "${sim[@]}" --policy capacity --set queues=@queues
ok 'queues from a file with a zero byte' bad 'expected lines of text'
run "${sim[@]}" --policy capacity --set queues=@nothing
ok 'queues from no file' bad 'cannot read it'

# Two jobs of four tasks of 10 s on four slots. At most half for prod; unknown queues are `default`.
cat >two.workload <<'END'
job a queue=prod
  phase map tasks=4 size=10s
job b at=1s queue=typo
  phase map tasks=4 size=10s
END
jct() { run sim --workload two.workload --cluster 1x4 --policy "$1" --json && json "[.policies[0] | .p50_jct_s, .p95_jct_s] == $2"; }
ok 'a maximum leaves room' jct 'order=capacity;queues=prod:50:50' '[20, 20]'
ok 'one queue is fifo' jct capacity '[10, 19]'
ok 'what is idle may be used' jct 'order=capacity;queues=prod:50:100' '[10, 19]'
ok 'a tiny maximum is one task at a time' jct 'order=capacity;queues=prod:1:1' '[20, 40]'
cat >real.workload <<'END'
job a queue=prod
  phase map tasks=3 command="sleep 0.05; echo a"
job b queue=typo
  phase map tasks=3 command="echo b"
END
run exec real.workload --dir queues.run --cluster 1x4 --policy capacity --set queues=prod:25:25
ok 'queues on real processes' all 'exits 0' 'speaks "$dolly" journal queues.run/journal --verify'
together() { # prod never has two attempts at once
    "$dolly" journal queues.run/journal | jq -s -e '
        [.[] | select(.job == 0 and (.type == "launch" or .type == "attempt_finished")) | if .type == "launch" then 1 else -1 end] |
        reduce .[] as $x ({n: 0, most: 0}; .n += $x | .most = ([.most, .n] | max)) | .most == 1' >/dev/null
}
ok 'and within their maximum' together

# ---- ticks and expectations ----

tiny=(sim --workload just.workload --cluster pair.cluster)
run "${tiny[@]}" --policy none,tick=-1s
ok 'a negative tick' bad 'tick'
run "${tiny[@]}" --policy 'none,none;tick=0s' --json
ok 'tick 0 is no tick' all 'exits 0' 'json ".policies[0].digest == .policies[1].digest"'
run "${tiny[@]}" --policy none --expect-error -1
ok 'an error below 0' bad 'expect-error'
run "${tiny[@]}" --policy none --expect-error nan
ok 'an error that is no number' bad 'expect-error'
printf 'job zero\n  phase map cpu=1 size=1s expect=0s\n' >zero.workload
run sim --workload zero.workload --cluster pair.cluster --policy none
ok 'an expectation of 0' bad 'expect'
printf 'job told\n  phase map cpu=1 size=1s expect=1s expect_dev=0s\n' >told.workload
run sim --workload told.workload --cluster pair.cluster --policy 'dollymp2;copies=corollary' --json
ok 'without a deviation copies are of no use' all 'exits 0' 'json ".policies[0].clones == 0 and .policies[0].mean_jct_s == 1"'
run "${tiny[@]}" --policy 'dollymp2;slot=0s'
ok 'ranks in slots of no time' bad 'slot=0s: must be between 1us and 1000000s'
for policy in srpt svf tetris carbyne graphene dollymp2; do
    run sim --workload facebook --warmup 0 --jobs 20 --expect-error 1e9 --policy $policy --json
    ok "$policy: an error of 1e9 has a result" all 'exits 0' 'json ".policies[0].mean_jct_s > 0"'
    run sim --workload facebook --warmup 0 --jobs 20 --expect none --policy $policy --json
    ok "$policy: nothing is expected" all 'exits 0' 'json ".policies[0].mean_jct_s > 0"'
done

closing
