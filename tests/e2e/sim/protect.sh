#!/bin/bash
# lane: computing; builds: gcc asan; needs: -; limit: 300 s
# End-to-end tests of Mantri's placement and protection of outputs: tests/e2e/sim/protect.sh build/dolly
#
# Simulated worlds in which they must gain, and real processes on virtual nodes. Closes with
# `N passed, N failed`. Needs awk.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/sim/protect.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

holds() { # name, awk condition
    awk "BEGIN { exit !($2) }" </dev/null
    report $? "$1: $2"
}

# ---- placement in the simulator: half of the experiment's phases, one seed ----

run() { # name, workload, cluster, policy
    rm -f "$tmp/$1.journal"
    timeout 60 "$dolly" sim --workload "$2" --cluster "$3" --policy "$4" \
        --journal "$tmp/$1.journal" >"$tmp/out" 2>&1 || cat "$tmp/out"
    "$dolly" journal "$tmp/$1.journal" >"$tmp/$1.json"
}
phases() { # name: median phase in seconds, and median ratio of throughputs
    awk -f experiments/mantri/place.awk <(grep -E '"type":"(launch|fetch_done|committed)"' \
        "$tmp/$1.json") | sort -g -k 3,3 | awk '{ x[NR] = $3; r[NR] = $4 }
        END { print x[int((NR + 1) / 2)]; for (i = 1; i <= NR; i++) sum += r[i]; print sum / NR }'
}

place=experiments/mantri/place
run any $place.workload $place.cluster 'none,place=any'
run aware $place.workload $place.cluster 'none,place=network-aware'
{ read -r any; read -r any_ratio; } < <(phases any)
{ read -r aware; read -r aware_ratio; } < <(phases aware)
holds 'readers spread over racks read faster' "$aware < 0.85 * $any"
holds 'and at equal speed' "$aware_ratio < 1.1 && $any_ratio > 1.15"
grep -q '"code":"racks_planned"' "$tmp/aware.json"
report $? 'the plan is a verdict'

# ---- without racks or bytes it is any ----

run plain examples/wordcount.workload 20x2 'none,place=network-aware'
grep -q '"code":"no_traffic","racks":1' "$tmp/plain.json"
report $? 'one rack: the verdict says so'

# ---- protection of outputs in the simulator: the first quarter of the experiment ----

sed 's/repeat=360/repeat=90/; s/repeat=480/repeat=120/' experiments/mantri/protect.workload \
    >"$tmp/protect.workload"
count() { # name, pattern
    grep -cE "$2" "$tmp/$1.json"
}
cluster=experiments/mantri/protect.cluster
run bare "$tmp/protect.workload" $cluster none
run kept "$tmp/protect.workload" $cluster 'none,protect=mantri'
bare=$(count bare '"code":"output_lost"') kept=$(count kept '"code":"output_lost"')
holds 'outputs are lost where nothing protects them' "$bare > 10"
holds 'fewer tasks run again where they are protected' "$kept < 0.75 * $bare"
holds 'outputs are replicated' "$(count kept '"type":"replica_done"') > 100"
holds 'some are made before they are missed' "$(count kept '"code":"precompute"') > 0"
speaks "$dolly" journal "$tmp/kept.journal" --verify >"$tmp/out" 2>&1
report $? 're-feeding this journal gives the same decisions'
speaks "$dolly" explain "$tmp/kept.journal" >"$tmp/out" 2>&1
report $? 'it can be explained'

# ---- real processes ----

cat >"$tmp/racks.cluster" <<'END'
nodes v[1-6] cpu=2 racks=3
END
cat >"$tmp/real.workload" <<'END'
job sums
  phase make tasks=6 command="seq $((DOLLY_TASK_ID * 100)) $((DOLLY_TASK_ID * 100 + 99))"
    task 0 on=v1
    task 1 on=v2
    task 2 on=v3
    task 3 on=v4
    task 4 on=v5
    task 5 on=v6
  phase add tasks=3 after=make command="sleep 0.2; cat $(seq -f $DOLLY_INPUT_DIR/%g $DOLLY_INPUT_RANGE) | awk -v k=$DOLLY_TASK_ID '$1 % 3 == k { s += $1 } END { print s }'"
  phase all after=add pattern=many-to-one command="cat $(seq -f $DOLLY_INPUT_DIR/%g $DOLLY_INPUT_RANGE) | awk '{ s += $1 } END { print s }'"
END
speaks timeout 60 "$dolly" exec "$tmp/real.workload" --dir "$tmp/real" --cluster "$tmp/racks.cluster" \
    --policy none,place=network-aware >"$tmp/out" 2>&1
report $? 'real processes are placed'
[ "$(cat "$tmp"/real/out/0/all/0 2>/dev/null)" = 179700 ]
report $? 'and their result is right'
"$dolly" journal "$tmp/real/journal" >"$tmp/real.json"
awk '/"type":"launch"/ && /"phase":1/ { match($0, /"node":[0-9]+/); n[substr($0, RSTART + 7, RLENGTH - 7) % 3]++ }
    END { exit !(n[0] == 1 && n[1] == 1 && n[2] == 1) }' "$tmp/real.json"
report $? 'one reader in each rack'
speaks "$dolly" journal "$tmp/real/journal" --verify >"$tmp/out" 2>&1
report $? 're-feeding the journal gives the same decisions'

speaks timeout 60 "$dolly" exec "$tmp/real.workload" --dir "$tmp/full" --cluster "$tmp/racks.cluster" \
    --policy 'mantri-full;r_prior=1' >"$tmp/out" 2>&1
report $? 'all of Mantri runs real processes'
[ "$(cat "$tmp"/full/out/0/all/0 2>/dev/null)" = 179700 ]
report $? 'and their result is right, too'
"$dolly" journal "$tmp/full/journal" >"$tmp/full.json"
[ "$(count full '"type":"refused".*"cause":"system".*"decision_type":"replicate"')" -ge 1 ]
report $? 'one disk: replicate is refused'

closing
