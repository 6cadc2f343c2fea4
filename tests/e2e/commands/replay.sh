#!/bin/bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# replay.sh - `dolly replay`: simulated and real runs, of several lives too, come out as they were recorded when their
# own policy runs again; bad journals give one clear line.
#
#     bash tests/e2e/commands/replay.sh build/dolly
#
# Closes with `N passed, N failed`. Needs jq.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/replay.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
all() { local one; for one; do eval "$one" || { echo "not: $one"; return 1; }; done; }

replay() { # NAME [OPTION...]: $tmp/NAME.json
    "$dolly" replay "$tmp/$1" "${@:2}" --json >"$tmp/$1.json"
}
off_by() { # NAME SHARE: mean and p95 are no farther off, in all readings
    jq -e --argjson most "$2" '.check | length == 2 and all(.mean_off, .p95_off | . <= $most and . >= -$most)' \
        "$tmp/$1.json"
}

# ---- runs of the simulator ----

for policy in none dolly late; do
    "$dolly" sim --workload facebook --jobs 100 --warmup 2m --policy $policy --wide --journal "$tmp/$policy" >"$tmp/said" 2>&1
    replay $policy
done
ok 'none, replayed, is the same run' jq -e '.variations | all(.policies[0].digest == .policies[1].digest)' "$tmp/none.json"
ok 'dolly, replayed, takes as long' off_by dolly 0
ok 'late, replayed, is within 1 %' off_by late 0.01
recorded() { local digest; digest=$(jq -re '.variations[0].policies[0].digest' "$tmp/late.json") && grep -q "$digest" "$tmp/said"; }
ok 'the recorded row is what sim printed' recorded
ok 'attempts that were cut short are counted' jq -e '.censored > 0 and .censored_work > 0 and .censored_work < 1 and
    (.notes | length) == 1' "$tmp/dolly.json"

cat >"$tmp/bad.cluster" <<'EOF'
nodes n[0-19] cpu=4 racks=4
luck startup=300ms noise=0.1 slow_p=0.1 slow_factor=4
faults node_mtbf=10m node_repair=1m attempt_fail_p=0.03 launch_fail_p=0.01 commit_fail_p=0.01 kill_lag=200ms launch_lag=100ms
EOF
"$dolly" sim --workload examples/mixed.workload --cluster "$tmp/bad.cluster" --policy dolly --journal "$tmp/bad" >"$tmp/said"
replay bad
ok 'failures come back as they were' off_by bad 0
ok 'and nodes failed' all '[ "$("$dolly" journal "$tmp/bad" | grep -c node_down)" -gt 0 ]'
replay bad --policy none,late --variation luck --seeds 3 --set failures_max=5
ok 'other policies, one reading, several seeds' jq -e '(.variations | length) == 1 and
    ([.variations[0].policies[].policy] == ["recorded", "replayed", "none", "late"]) and
    .variations[0].baseline == "replayed" and .variations[0].policies[2].mean_jct_s_lo != null' "$tmp/bad.json"
printf '%s\n' 'nodes n[0-19] cpu=4 racks=4' 'luck startup=300ms noise=0.1 slow_p=0.1 slow_factor=4' \
    'network up=20M down=20M disk=100M streams=5' >"$tmp/wires.cluster"
for policy in none dolly; do
    "$dolly" sim --workload facebook --jobs 10 --warmup 20s --cluster "$tmp/wires.cluster" --policy $policy \
        --journal "$tmp/wires.$policy" >"$tmp/said"
    replay wires.$policy
done
ok 'with a network none is the same run' jq -e '.variations | all(.policies[0].digest == .policies[1].digest)' \
    "$tmp/wires.none.json"
ok 'and dolly is nearly' off_by wires.dolly 0.001
ok 'where something was read' all '[ "$("$dolly" journal "$tmp/wires.dolly" | grep -c fetch_done)" -gt 10 ]'
"$dolly" replay "$tmp/bad" --policy none >"$tmp/said"
ok 'people get the check, and equal readings once' all 'grep -q "^The recorded policy is dolly.$" "$tmp/said"' \
    '[ "$(grep -c "^Check, variation=.*mean is .0.00 % and its p95 .0.00 % off.$" "$tmp/said")" = 2 ]' \
    '[ "$(grep -c "^recorded " "$tmp/said")" = 2 ]' 'grep -q "^In both readings" "$tmp/said"'
"$dolly" replay "$tmp/none" --policy dolly >"$tmp/said"
ok 'and both readings where they differ' all '[ "$(grep -c "^recorded " "$tmp/said")" = 5 ]' 'grep -q "== variation=size" "$tmp/said"'
# What is the same in both readings runs once; nobody can tell.
readings() { # [OPTION...]: digests of the simulated rows, reading by reading
    "$dolly" replay "$tmp/none" --policy dolly "$@" --json | jq -c '.variations[].policies[1:][].digest'
}
ok 'readings together are what each is alone' all '[ "$(readings)" = "$(readings --variation luck; readings --variation size)" ]' \
    '[ "$(readings | sort -u | wc -l)" = 3 ]'
"$dolly" replay "$tmp/none" --variation size --journal "$tmp/again" >"$tmp/said"
ok 'the journal of a replay is one' all '"$dolly" journal "$tmp/again.replayed.1" --verify' \
    '"$dolly" replay "$tmp/again.replayed.1" --json | jq -e ".variations[0].policies[1].digest == .variations[0].policies[0].digest"'

# ---- real runs ----

"$dolly" map --nodes 4x2 --pure --chaos slow=0.3x4,kill=0.1 --retries 4 --no-history --dir "$tmp/real" \
    'for i in 1 2 3 4 5; do sleep 0.01; done; echo {}' ::: $(seq 30) >"$tmp/said" 2>&1
replay real --policy none
ok 'a real run is replayed by its folder' jq -e '.body == "map" and .variations[0].tasks == 30 and
    (.variations[0].policies | length) == 3 and .check[0].mean_off != null' "$tmp/real.json"
ok 'its limits hold for others' jq -e '[.variations[].policies[2].jobs_failed] | all(. == 0)' "$tmp/real.json"

# One attempt in three stalls: by luck copies save, by size nothing does. `map` would let clones take idle slots.
"$dolly" map --nodes 20x1 --pure --policy none --chaos slow=0.3x8 --seed 3 --no-history --dir "$tmp/alone" \
    examples/tick 100 ::: $(seq 10) >"$tmp/said" 2>&1
replay alone --policy dolly
ok 'a policy has the budget that it has in map' jq -e '.variations[0].policies[2] | .policy == "dolly" and .clones > 0' \
    "$tmp/alone.json"
"$dolly" advise "$tmp/alone" --policy late,dolly --json >"$tmp/advice"
ok 'advice for a run whose tasks stalled' jq -e '.take == "dolly" and .verdict == "depends" and .seeds == 3 and
    .replay_off != null and (.policies | map(.policy)) == ["late", "dolly"] and
    (.policies[1].variations | .[0].variation == "luck" and .[0].saved > 0.3 and .[0].mean_jct_s < .[0].none_jct_s and
        .[1].variation == "size" and .[1].saved < 0.01)' "$tmp/advice"
"$dolly" advise "$tmp/alone" --policy dolly >"$tmp/said"
ok 'in three sentences' all 'grep -q "^Take dolly: jobs take [0-9.]* s in the mean instead of" "$tmp/said"' \
    'tr "\n" " " <"$tmp/said" | grep -q "differ by luck, .* if they differ by size, .* How sure: over 3 seeds"' \
    '[ "$(awk "length > 80" "$tmp/said" | wc -l)" = 0 ]'

# Killed when the first tasks are done, and resumed.
"$dolly" map -j2 --no-history --dir "$tmp/lives" "[ {} -le 2 ] || [ -e $tmp/go ] || sleep 60; echo {}" \
    ::: 1 2 3 4 5 6 >"$tmp/said" 2>&1 &
run=$!
four_run() { [ "$("$dolly" journal "$tmp/lives/journal" 2>/dev/null | grep -c '"attempt_started"')" -ge 4 ]; }
await 60 'two tasks are done, and two more run' four_run
kill -9 $run
wait $run 2>/dev/null
replay lives
ok 'a run that was cut off' jq -e '.notes | any(test("1 of 1 jobs had not ended"))' "$tmp/lives.json"
touch "$tmp/go"
"$dolly" resume "$tmp/lives" >"$tmp/said" 2>&1
replay lives
ok 'a run of two lives is one' jq -e '.variations[0].policies | .[0].attempts == .[1].attempts and
    .[0].attempts > 6 and .[1].jobs_failed == 0 and .[1].mean_jct_s > 0' "$tmp/lives.json"

# Tasks end while the coordinator does not listen, which is killed before it hears of them: they do not run again.
"$dolly" map -j3 --no-history --dir "$tmp/unheard" "until [ -e $tmp/end ]; do sleep 0.02; done; echo {}" \
    ::: 1 2 3 4 >"$tmp/said" 2>&1 &
run=$!
three_run() { [ "$("$dolly" journal "$tmp/unheard/journal" 2>/dev/null | grep -c '"attempt_started"')" -ge 3 ]; }
await 60 'three tasks run' three_run
kill -STOP $run
touch "$tmp/end"
three_ended() { [ "$(grep -c '^[0-9.]* ' "$tmp/unheard/ends")" = 3 ]; }
await 60 'three tasks have ended' three_ended
kill -9 $run
wait $run 2>/dev/null
"$dolly" resume "$tmp/unheard" >"$tmp/said" 2>&1
replay unheard
ok 'ends that nobody heard are ends' jq -e '[.variations[].policies[].attempts] == [4, 4, 4, 4]' "$tmp/unheard.json"

# ---- journals as traces ----

"$dolly" trace stats "$tmp/dolly" --json >"$tmp/stats"
ended() { "$dolly" journal "$tmp/dolly" | grep -c "\"attempt_$1\""; }
ok 'a journal is a trace' jq -e --argjson done "$(ended finished)" --argjson killed "$(ended killed)" \
    '.format == "journal" and .stats.done == $done and .stats.killed == $killed and .bad == 0' "$tmp/stats"
ok 'compressed, too' all '[ "$(gzip -c "$tmp/dolly" | "$dolly" trace stats - --json | jq -r .digest)" = "$(jq -r .digest "$tmp/stats")" ]'

# ---- what if ----

# Two tasks of 1 s and one of 10 s, three times over: without stragglers it takes 1 s by luck, and 10 s by size.
printf '0 3 4 1 1 10\n100 3 4 1 1 10\n' >"$tmp/three.tr"
"$dolly" whatif "$tmp/three.tr" --cluster 3x1 --no-stragglers --policy none --json >"$tmp/what"
ok 'the ceiling of a trace in both readings' jq -e '.baseline == "none" and ([.variations[] |
    [.variation, .rows[0].mean_jct_s, .rows[0].ceiling_jct_s, .rows[0].possible, .rows[0].share]] ==
    [["luck", 10, 1, 0.9, 0], ["size", 10, 10, 0, null]])' "$tmp/what"
ok 'by bin' jq -e '.variations[0].rows | length == 6 and .[1].jobs == 2 and .[1].possible == 0.9 and .[2].jobs == 0 and
    .[2].mean_jct_s == null' "$tmp/what"
"$dolly" whatif "$tmp/none" --no-stragglers --policy dolly >"$tmp/said"
ok 'the ceiling of a journal, and what a policy reaches' all \
    'tr "\\n" " " <"$tmp/said" | grep -q "Completion time of jobs of [^ ]*/none under none, and if no task straggled; policy: dolly  "' \
    '[ "$(grep -c "^1-10 tasks .*%" "$tmp/said")" = 2 ]' 'grep -q "^variation=size:$" "$tmp/said"'
# A run whose clones have stopped most of what ran: what others would take is known to be at least something.
printf '%s\n' 'nodes n[0-39] cpu=1' 'luck noise=0.1 slow_p=0.2 slow_factor=8' >"$tmp/slow.cluster"
printf '%s\n' 'job a' '  phase map tasks=10 size=4s' >"$tmp/ten.workload"
"$dolly" sim --workload "$tmp/ten.workload" --cluster "$tmp/slow.cluster" --policy 'dolly;budget=idle' --journal "$tmp/ten" >"$tmp/said"
"$dolly" replay "$tmp/ten" --policy none >"$tmp/said"
"$dolly" whatif "$tmp/ten" --no-stragglers --policy none >"$tmp/said2"
"$dolly" whatif "$tmp/ten" --no-stragglers --policy none --json >"$tmp/what"
bound=$(sed -n 's/^none  *>= \([0-9.]*\) .*/\1/p' "$tmp/said" | head -n 1)
ok 'what is known to be at least so much is told as that, by replay and whatif alike' all '[ -n "$bound" ]' \
    'grep -q "^all .* >= $bound  *<= -[0-9.]*%  *<= -[0-9]*%$" "$tmp/said2"' 'jq -e .is_bound "$tmp/what"'
"$dolly" whatif --workload examples/mixed.workload --cluster "$tmp/bad.cluster" --no-stragglers --json >"$tmp/what"
ok 'a workload has no readings' jq -e '.policy == null and (.variations | length) == 1 and
    .variations[0].variation == null and .variations[0].rows[0].possible > 0' "$tmp/what"

"$dolly" advise "$tmp/three.tr" --cluster 3x1 --policy late,hadoop --json >"$tmp/what"
ok 'advice for a trace in which no policy helps: none' jq -e '.take == "none" and .verdict == "nothing" and
    .replay_off == null and .policies[0].variations[0].none_jct_s == 10' "$tmp/what"

# ---- bad input ----

verb=replay
fails() { # STATUS TEXT [ARGUMENT...]
    local status
    "$dolly" $verb "${@:3}" >"$tmp/out" 2>"$tmp/err"
    status=$?
    [ $status = "$1" ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -le 2 ] && grep -q -- "$2" "$tmp/err" ||
        { echo "status $status: $(cat "$tmp/err")"; return 1; }
}
size=$(stat -c %s "$tmp/bad")
# One of two cuts may be where a record ends, and tear nothing.
for cut in 0 1; do
    head -c $((size * 2 / 3 + cut)) "$tmp/bad" >"$tmp/torn$cut"
    replay torn$cut
done
ok 'a torn journal is replayed to its end' jq -se 'any(.[]; .notes | any(test("torn off"))) and
    all(.[]; .variations[0].policies[1].mean_jct_s > 0)' "$tmp/torn0.json" "$tmp/torn1.json"
: >"$tmp/empty"
head -c 1000 /dev/urandom >"$tmp/garbage"
head -c 16 "$tmp/none" >"$tmp/header"
{ head -c $((size / 2)) "$tmp/bad"; head -c 100 /dev/zero; tail -c +$((size / 2 + 101)) "$tmp/bad"; } >"$tmp/damaged"
ok 'an empty file is no journal' fails 2 'not a journal' "$tmp/empty"
ok 'garbage is no journal' fails 2 'not a journal' "$tmp/garbage"
ok 'a header alone is no run' fails 2 'ends before the record of its run' "$tmp/header"
ok 'a damaged journal is refused' fails 2 'damaged at byte' "$tmp/damaged"
ok 'no journal is bad usage' fails 2 'missing'
ok 'two journals are too many' fails 2 'unexpected argument' "$tmp/none" "$tmp/dolly"
ok 'an unknown policy has a nearest one' fails 2 'did you mean' "$tmp/none" --policy doly
ok 'an unknown variation' fails 2 'luck, size, bytes or both' "$tmp/none" --variation bad
ok 'journals need one reading' fails 2 'choose a --variation' "$tmp/none" --journal "$tmp/x"
verb=whatif
ok 'what if what?' fails 2 'missing question: --no-stragglers' "$tmp/none"
ok 'of what?' fails 2 'is missing' --no-stragglers
ok 'a journal or a workload' fails 2 'use either --workload, or a journal or trace' "$tmp/none" --workload facebook --no-stragglers
ok 'a recorded run has its machines' fails 2 'has its own' "$tmp/none" --cluster 2x2 --no-stragglers
ok 'one policy' fails 2 'one policy at a time' "$tmp/none" --no-stragglers --policy none,dolly
ok 'what is neither journal nor trace' fails 2 "$tmp/garbage" "$tmp/garbage" --no-stragglers
verb=advise
ok 'advice on what?' fails 2 'the folder of a run, or a trace, is missing'
ok 'advice on garbage' fails 2 "$tmp/garbage" "$tmp/garbage"
ok 'advice among unknown policies' fails 2 'did you mean' "$tmp/none" --policy doly
closing
