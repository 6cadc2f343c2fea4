#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Every policy on real processes: tests/e2e/exec/policies.sh build/dolly
#
# Six tasks of 0.6 s in 18 virtual nodes, with chaos whose seed makes the first attempt of one task,
# and of no other, much slower, and lets its second attempt be fast. So every policy that
# mitigates must act, and none may do harm: each output is there exactly once and is right, nothing
# fails, losers end, and the journal re-fed to the brain gives the same decisions. The runs go on
# side by side, as the tasks only wait. Policies that watch compare the slow one with the others, which
# a busy machine slows, too: for them it is a hundred times slower, so that nobody can miss it. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/exec/policies.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. tests/lib/checks.sh

# Times of the papers are for tasks of minutes; these are scaled. What must be seen: the kinds of
# launches of which there must be at least one, `-` for no extra attempt at all.
runs=(
    "none|-"
    "shepherd|clone"
    "shepherd-svf|clone"
    "fifo|-"
    "tetris|-"
    "capacity;floor=300ms;scan=50ms|backup"
    "srpt|-"
    "svf|-"
    "drf|-"
    "carbyne|-"
    "graphene|-"
    "none,tick=300ms|-"
    "hadoop;floor=300ms;scan=50ms|backup"
    "mapreduce;backup_at=0.8;scan=50ms|backup"
    "dryad;scan=50ms|backup"
    "late;floor=300ms;scan=50ms|backup"
    "late,tick=300ms;floor=300ms;scan=50ms|backup"
    "late+bl;floor=300ms;scan=50ms|backup"
    "mantri|backup restart"
    "mantri+bl;delta=200ms;scan=50ms|backup restart"
    "mantri-full;delta=200ms;scan=50ms|backup restart"
    "dolly;beta=0.7|clone"
    "dolly;budget=idle|clone"
    "dolly+late;beta=0.7|clone"
    "dolly+late;budget=cluster;beta=0;floor=300ms;scan=50ms|backup"
    "dolly+mantri;budget=cluster;beta=0.7|clone"
    "dolly+mantri;budget=cluster;beta=0|backup restart"
    "dolly-hotcloud;tau=1|clone"
    "job-clone|clone"
    "dollymp0|-"
    "dollymp1|clone"
    "dollymp2|clone"
    "dollymp3|clone"
    "dollymp2;when=yield|clone"
    "dollymp2;when=idle|clone"
)
tasks=6

one() { # index policy kinds: runs it and leaves what it did in files called after the index
    local i=$1 times=8
    [[ $3 != *clone* ]] || times=30
    [[ $3 != *backup* ]] || times=100
    timeout -k 1 100 "$dolly" map --pure --policy "$2" --nodes 18x1 --chaos slow=0.25x$times --seed 4 --dir "$tmp/$i" \
        'examples/tick 600; echo out {}' ::: a b c d e f >"$tmp/$i.out" 2>"$tmp/$i.err" </dev/null
    echo $? >"$tmp/$i.status"
}
right() { # index
    [ "$(cat "$tmp/$1.status")" = 0 ] || { echo "status $(cat "$tmp/$1.status")"; cat "$tmp/$1.err"; return 1; }
    [ "$(grep '^out' "$tmp/$1.out" | sort | xargs)" = 'out a out b out c out d out e out f' ] &&
        [ "$(grep -c '^worked 600 ms$' "$tmp/$1.out")" = $tasks ] && [ "$(wc -l <"$tmp/$1.out")" = $((2 * tasks)) ] ||
        { echo "wrong output:"; cat "$tmp/$1.out"; return 1; }
    "$dolly" journal "$tmp/$1/journal" >"$tmp/$1.json" || return 1
    [ "$(grep -c '"type":"committed"' "$tmp/$1.json")" = $tasks ] || { echo "not $tasks commits"; return 1; }
    "$dolly" journal "$tmp/$1/journal" --verify
}
acted() { # index kinds
    local kind count=0
    for kind in ${2/-/}; do
        count=$((count + $(grep -c "\"kind\":\"$kind\"" "$tmp/$1.json")))
    done
    if [ "$2" = - ]; then
        count=$(grep -c '"type":"launch"' "$tmp/$1.json")
        [ "$count" = $tasks ] || { echo "$count launches, want $tasks"; return 1; }
    else
        [ "$count" -gt 0 ] || { echo "no launch of kind $2"; grep '"type":"launch"' "$tmp/$1.json"; return 1; }
    fi
}
# Whoever was told to die has ended.
losers_end() { # index
    jq -s -e '
        def who: "\(.job).\(.phase).\(.task).\(.attempt)";
        (map(select(.record == "event" and (.type | test("^attempt_(finished|failed|killed|lost)$"))) | who)) as $ended |
        map(select(.type == "kill") | who) - $ended == []' "$tmp/$1.json" >/dev/null ||
        { echo "the end of a loser was never told"; grep -E '"type":"(kill|attempt_killed)"' "$tmp/$1.json"; return 1; }
}
# Another attempt than the slow one wins, unless there was no core for clones.
averted() { # index
    grep -qE '"type":"committed",.*"task":3,"attempt":[1-9]|"code":"no_idle_core"' "$tmp/$1.json" ||
        { grep '"task":3' "$tmp/$1.json"; return 1; }
}

for i in "${!runs[@]}"; do
    one "$i" "${runs[i]%|*}" "${runs[i]#*|}" &
done
wait
for i in "${!runs[@]}"; do
    policy=${runs[i]%|*} kinds=${runs[i]#*|}
    ok "$policy: every output once, right, and the journal can be re-fed" right "$i"
    ok "$policy: extra attempts: $kinds" acted "$i" "$kinds"
    ok "$policy: losers end" losers_end "$i"
    [ "$kinds" = - ] || ok "$policy: the straggler is averted" averted "$i"
done
# Mantri's Delta is the time between two reports, and those of real processes come every quarter of a second.
# What a user says wins, in the text of the policy or by --set.
times() { # DELTA SCAN COMMAND...
    local want="mantri.delta=${1}us;mantri.scan=${2}us" got
    shift 2
    rm -rf "$tmp/times"
    "$dolly" "$@" --dir "$tmp/times" --pure true ::: 1 2>/dev/null
    got=$("$dolly" journal "$tmp/times/journal" | grep -o 'mantri.delta=[0-9]*us;mantri.scan=[0-9]*us')
    [ "$got" = "$want" ] || { echo "$got, want $want"; return 1; }
}
ok "Mantri's times are those of reports" times 250000 125000 map --policy 'dolly+mantri;budget=idle'
ok "... but for what the policy's text says" times 2000000 125000 map --policy 'mantri;delta=2s'
ok "... or --set" times 250000 50000 map --policy mitigate=mantri --set mantri.scan=50ms
executed() {
    "$dolly" exec examples/commands.workload --dir "$tmp/exec" --cluster 20x2 --policy mantri >/dev/null 2>&1
    "$dolly" journal "$tmp/exec/journal" | grep -q 'mantri.delta=250000us;mantri.scan=125000us'
}
ok "... also of dolly exec" executed
policy_of() { "$dolly" journal "$1/journal" | sed -n '1s/.*"policy":"\([^"]*\)".*/\1/p'; }
default_is_the_same_by_name() {
    "$dolly" exec examples/commands.workload --dir "$tmp/default" >/dev/null 2>&1
    "$dolly" exec examples/commands.workload --dir "$tmp/named" --policy shepherd >/dev/null 2>&1
    [[ $(policy_of "$tmp/default") == *mitigate=shepherd*policy.cap=1* ]] &&
        [ "$(policy_of "$tmp/default")" = "$(policy_of "$tmp/named")" ]
}
ok "the default of dolly exec is the same if it is named" default_is_the_same_by_name

# Four slots, and five tasks that all have to run before any but the second ends: that one waits for a clone of the
# first, which then has to end for the last of the other three.
yields() { # POLICY
    local dir=$tmp/yields
    mkdir "$dir"
    cat >"$dir/yields.workload" <<END
job yields
  phase long command="touch $dir/long.\$DOLLY_ATTEMPT; until [ -e $dir/go ]; do sleep 0.05; done"
  phase gate command="until [ -e $dir/long.1 ]; do sleep 0.05; done"
  phase wide tasks=3 after=gate command="touch $dir/wide.\$DOLLY_TASK_ID; \
until [ -e $dir/wide.0 -a -e $dir/wide.1 -a -e $dir/wide.2 ]; do sleep 0.05; done; touch $dir/go"
END
    timeout -k 1 40 "$dolly" exec "$dir/yields.workload" --dir "$dir/run" --cluster 4x1 --policy "$1" >"$dir/out" 2>&1 ||
        { cat "$dir/out"; return 1; }
    "$dolly" journal "$dir/run/journal" | jq -s -e 'map(select(.type == "kill" and .phase == 0 and .attempt > 0 and
        .why.code == "yield")) | length > 0' >/dev/null && "$dolly" journal "$dir/run/journal" --verify
}
ok "clones end for first attempts that then fit" yields 'dollymp2;when=yield'

leftover() { [ -n "$(find "$tmp" -name journal)" ] && ! pgrep -f "$tmp" && ! find "$tmp" -path '*/attempts/*' | grep .; }
ok "nothing is left behind" leftover
closing
