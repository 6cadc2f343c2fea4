#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Questions and the sentences that answer them: tests/e2e/commands/explain.sh build/dolly
#
# Simulated journals come from workloads whose attempts take exactly the times that the file says, so
# their sentences are compared to the letter. Real ones are matched as patterns, because their times
# vary. Prints one `ok` or `not ok` line per check and closes with `N passed, N failed`. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/commands/explain.sh DOLLY}")
tmp=$(mktemp -d) || exit 2
. "$(dirname "$0")/../../lib/checks.sh"
tick=$(realpath "$(dirname "$0")/../../../examples/tick") lib=$(realpath "$(dirname "$0")/../../lib")
cd "$tmp" || exit 2

# Reads a workload from stdin and simulates it into NAME.journal.
sim() { # sim NAME OPTIONS...
    local name=$1
    shift
    cat >"$name.workload"
    "$dolly" sim --workload "$name.workload" --journal "$name.journal" "$@" >sim.out 2>&1 </dev/null ||
        { echo "the simulation of $name failed:"; cat sim.out; }
}
# The same with real processes into the folder NAME.
real() { # real NAME OPTIONS...
    local name=$1
    shift
    cat >"$name.workload"
    timeout -k 1 50 "$dolly" exec "$name.workload" --dir "$name" --policy none "$@" >"$name.out" 2>&1 </dev/null
}
# Asks; leaves the answer in out and err and the status in $status.
ask() {
    timeout 50 "$dolly" explain "$@" >out 2>err </dev/null
    status=$?
}
all() {
    local c
    for c in "$@"; do eval "$c" || return 1; done
}
good() { [ "$status" = 0 ] && [ ! -s err ] && [ -s out ] || { echo "status $status"; cat err; return 1; }; }
has() { grep -qxF -- "$1" out || { echo "no such line: $1"; cat out; return 1; }; } # a whole line
matches() { grep -qE -- "$1" out || { echo "no line matches: $1"; cat out; return 1; }; }
lacks() { ! grep -qE -- "$1" out || { echo "a line matches: $1"; cat out; return 1; }; }
bad() { # exit 2, one line that says this, nothing on stdout
    [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && grep -qF -- "$1" err ||
        { echo "status $status, want 2 and: $1"; cat err out; return 1; }
}
json() { [ -s out ] && jq -e "$1" out >/dev/null || { echo "not true: $1"; head -c 3000 out; return 1; }; }
# The question must be answered without trouble and with this line.
answers() { good && has "$1"; }

# Two runs that mostly sleep do so beside what follows.
mkdir quick && begun=$EPOCHREALTIME PATH=$lib/slower:$PATH "$dolly" map --dir slow6 -j6 'sleep $(echo {} | head -c 3)' ::: 0 0 0 0 0 0 0 2.4 2.2 $'2.0\e[7m' >/dev/null 2>&1 </dev/null &
slow6=$!
real mixed --cluster 4x1 <<'END' &
job mixed
  phase map tasks=3 command="sleep 0.1"
    task 1 command="[ $DOLLY_ATTEMPT = 0 ] && kill -9 $$; sleep 0.1"
    task 2 command="sleep 3"
END
mixed=$!

# ---- why was it cloned, or not? ----

sim jobs --cluster 50x4 --policy dolly,shuffle=cc --set beta=0.1 <<'END'
job small
  phase map tasks=4 size=5s input=64M output=1M
    task 2 attempts=30s,5s
  phase reduce tasks=1 after=map size=3s
job big at=1s
  phase map tasks=40 size=5s
job side at=2s
  phase write tasks=2 size=4s clone=never
END
ask jobs.journal small
ok "why was it cloned?" answers "Phase map was cloned: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; the clone budget is 20 slots and 0 were in use."
ok "one of something is not many" has "Phase reduce was cloned: 1 task at p=0.15 wants 2 attempts, 1 more slot; the clone budget is 20 slots and 1 was in use."
ok "when did the job run?" has "It arrived at 0 s, waited 0 s for its first slot, ran for 8 s and ended at 8 s: 8 s in all."
ok "what did cloning save the job?" has "Without clones and backups it would have ended about 25 s (18 s to 35 s) later."
ask jobs.journal big
ok "why was it not cloned? the budget" answers "Phase map was not cloned: 40 tasks at p=0.15 want 4 attempts each, 120 more slots; the clone budget is 20 slots and 8 were in use."
ask jobs.journal side/write
ok "why was it not cloned? side effects" answers "Phase write was not cloned: it has clone=never, because its tasks have side effects."

sim tau --cluster 10x1 --policy dolly --set beta=1 <<'END'
job a
  phase run tasks=7 size=9s clone=never
job b at=1s
  phase map tasks=2 size=2s
END
ask tau.journal b/map
ok "why was it not cloned? the ceiling" answers "Phase map was not cloned: 2 tasks at p=0.15 want 2 attempts each, 2 more slots; with clones the cluster may be filled to 8 slots (tau) and 7 were in use."

sim need --cluster 10x1 --policy dolly --set p_prior=0.01 <<'END'
job a
  phase one size=3s
END
ask need.journal a
ok "why was it not cloned? no need" answers "Phase one was not cloned: with 1 task at p=0.01 one attempt of each is safe enough."

sim upstream --cluster 50x1 --policy dolly --set beta=1 <<'END'
job a
  phase map tasks=2 size=2s clone=never
  phase reduce tasks=2 after=map size=2s
END
ask upstream.journal a/reduce
ok "why was it not cloned? the phase above" answers "Phase reduce was not cloned: 2 tasks at p=0.15 want 2 attempts each, but a phase gets no more than the one above it, and map got 1."

cat >memory.cluster <<'END'
nodes n[0-9] cpu=4 mem=1G
END
sim memory --cluster memory.cluster --policy dolly --set beta=0.1 <<'END'
job a
  phase map tasks=2 mem=900M size=2s
END
ask memory.journal a/map
ok "the tightest resource is named" answers "Phase map was not cloned: 2 tasks at p=0.15 want 2 attempts each, 1800 more MiB of memory; the clone budget is 1024 MiB of memory and 0 were in use."

sim partial --cluster 10x1 --policy dolly --set beta=0.4 --set admit=partial <<'END'
job a
  phase map tasks=4 size=2s
END
ask partial.journal a/map
ok "why fewer clones than wanted?" answers "Phase map was cloned in part: 3 attempts each were wanted, and only 2 fitted, 4 more slots; the clone budget is 4 slots and 0 were in use."

sim plain --cluster 10x1 --policy none <<'END'
job a
  phase map tasks=2 size=2s
END
ask plain.journal a
ok "a policy without clones" answers "Phase map was not considered for cloning: the policy makes no clones."

# ---- who won, and what was saved? ----

ask jobs.journal small/map/2
ok "who won?" answers "Task 2 of phase map of job 0 (small): done at 5 s, 5 s after its first launch, by attempt 1."
ok "why was the attempt launched?" matches "^Attempt 1 \(clone\) was launched at 0 s on n[0-9]+ as clone 1 of 2\. It ran for 5 s, finished at 5 s and won\.$"
ok "why was the attempt killed? it lost" matches "^Attempt 0 \(first\) was launched at 0 s on n[0-9]+ because its turn had come\. It ran for 5 s and was killed at 5 s because attempt 1 had won; it had done 17 %\.$"
ok "an attempt that came second" matches "^Attempt 2 \(clone\) .* finished at 5 s, but attempt 1 had won\.$"
ok "what was saved? at its pace" has "Without the clone it would have taken about 30 s (23 s to 40 s) instead of 5 s, by what attempt 0 and other stragglers had reported when they were stopped. At least 5 s is certain."

sim least --cluster 50x1 --policy dolly --set beta=1 <<'END'
job a
  phase map tasks=2 size=2s
    task 1 attempts=30s,5s
END
ask least.journal a/map/1
ok "what was saved? nobody can know" answers "Without the clone it would have taken at least 5 s, the time after which attempt 0 was stopped; how much longer cannot be known."
ask least.journal a
ok "... nor for the job" has "How much later it would have ended without clones and backups cannot be known: the attempts they beat did not run to their end."

# With contention avoidance siblings of a winner go on: what they take is known.
sim known --cluster 50x1 --policy dolly,shuffle=cac --set beta=1 <<'END'
job a
  phase map tasks=2 size=2s
    task 1 attempts=7s,5s
  phase reduce tasks=1 after=map size=9s
END
ask known.journal a/map/1
ok "what was saved? it is known" answers "Without the clone it would have taken 7 s instead of 5 s: attempt 0 finished, 2 s later."
ask known.journal a
ok "... for the job" has "Without clones and backups it would have ended 2 s later."
sim bound --cluster 50x1 --policy dolly,shuffle=cac --set beta=1 <<'END'
job a
  phase map tasks=2 size=2s
    task 1 attempts=30s,5s
  phase reduce tasks=1 after=map size=2s
END
ask bound.journal a
ok "at least so much" has "Without clones and backups it would have ended at least 2 s later."
sim vain --cluster 50x1 --policy dolly,shuffle=cac --set beta=1 <<'END'
job a
  phase map tasks=2 size=20s
    task 1 attempts=7s,5s
  phase reduce tasks=1 after=map size=9s
END
ask vain.journal a
ok "a race that nobody waited for" has "Without clones and backups it would have ended at the same time."
ask known.journal a/reduce/0
ok "a clone that won nothing" has "Its extra attempts won nothing: without them it would have been done at 14 s as well."
ok "what did it read?" matches "^Attempt 0 .* It was given 2 outputs of the phases above to read at its launch, alone\. "

cat >slow.cluster <<'END'
nodes n[0-3] cpu=4 racks=2
network up=10M down=10M disk=50M
END
sim along --cluster slow.cluster --policy mapreduce --set backup_at=0 <<'END'
job a
  phase map tasks=4 size=2s output=100M
  phase reduce tasks=1 after=map size=2s
END
ask along.journal a/reduce/0
ok "... all of a phase in one piece, alone" matches "^Attempt 0 .* It was given all of map to read at its launch, alone; "
ok "... or along with a sibling that was still at it" matches "^Attempt 1 .* It was given all of map to read at its launch, along with 1 sibling\. "
ask along.journal a/reduce/0 --json
ok "... as JSON" json '[.attempts[] | [.reads, .reads_whole, .reads_shared, .given_s]] == [[1, 1, 0, 2], [1, 1, 1, 3]]'

# ---- why was it killed? ----

sim yield --cluster 6x1 --policy dolly --set budget=idle <<'END'
job a
  phase map tasks=2 size=9s
job b at=3s
  phase map tasks=4 size=2s
END
ask yield.journal a/map/1
ok "why was the attempt killed? it yields" matches "^Attempt 1 .* was killed at 3 s to give its place to a first attempt\.$"
ask yield.journal b/map
ok "cloned, but there was no room" matches "^Phase map was to be cloned: .*; they were not held to the clone budget of 0.3 slots, of which 2 were in use\. No clone was launched before its task was done\.$"

sim preempt --cluster 20x1 --policy dolly --set beta=0.4 --set admit=preempt --set tau=1 <<'END'
job large
  phase map tasks=4 size=20s
job small at=1s
  phase map tasks=3 size=2s
END
ask preempt.journal large/map/3
ok "why was the attempt killed? a smaller job" matches "^Attempt 1 .* was killed at 1 s because job 1 with 3 tasks needed the clone budget, and this one has 4\.$"

# ---- why did it run again? ----

cat >failing.cluster <<'END'
nodes n[0-3] cpu=4
faults attempt_fail_p=0.4
END
sim failing --cluster failing.cluster --policy none --set failures_max=20 <<'END'
job a
  phase map tasks=20 size=4s
END
at() { # job/phase/task of the first record that jq selects
    "$dolly" journal "$1" | jq -r "select($2) | \"\(.job)/\(.phase)/\(.task)\"" | head -n 1
}
ask failing.journal "$(at failing.journal '.type == "attempt_failed" and .attempt == 0')"
ok "why did it run again? it failed" all good \
    'matches "^Attempt 0 .* and failed: it was made to fail on purpose at [0-9.]+ s\.$"' \
    'matches "^Attempt 1 \(restart\) was launched at [0-9.]+ s on n[0-3] again, because attempt 0 failed: it was made to fail on purpose; failure 1 of the task\."'

cat >losing.cluster <<'END'
nodes n[0-5] cpu=2
faults node_mtbf=60s node_repair=5s
END
sim losing --cluster losing.cluster --policy none <<'END'
job a repeat=20 every=2s
  phase map tasks=6 size=4s output=1M
  phase reduce tasks=2 after=map size=9s
END
ask losing.journal "$(at losing.journal '.kind == "restart" and .why.failures == 0')"
ok "why did it run again? its node was lost" all good \
    'matches "^Attempt 0 .* and was lost with its node at [0-9.]+ s\.$"' \
    'matches "^Attempt 1 \(restart\) .* again, because attempt 0 was lost with its node\."'
ask losing.journal "$(at losing.journal '.kind == "recompute" and .attempt == 1')"
ok "why did it run again? its output was lost" all good \
    'matches "^Attempt 0 .* and won, but its output was lost later\.$"' \
    'matches "^Attempt 1 \(recompute\) was launched at [0-9.]+ s on n[0-5] to make its output again: what attempt 0 had committed on n[0-5] was lost\."'
ask losing.journal
ok "nodes that went down are counted" all good 'matches "^Nodes went down [0-9]+ times?\.$"'

# ---- why was there a backup? ----

sim late --cluster 20x1 --policy late --set floor=5s <<'END'
job a
  phase map tasks=8 size=4s
    task 5 attempts=40s,4s
END
ask late.journal a/map/5
ok "why was there a backup? LATE" all good \
    'matches "^Attempt 1 \(backup\) was launched at 5 s on n[0-9]+ as a backup, because attempt 0 was slow: after 5 s it went at 2\.4 % a second, where slow begins below 25 %, and had about 37\.105 s to go\. It ran for 4 s, finished at 9 s and won\.$"' \
    'has "Without the backup it would have taken about 43 s (33 s to 56 s) instead of 9 s, by what attempt 0 and other stragglers had reported when they were stopped. At least 9 s is certain."'
ask late.journal a/map
ok "why was it slow? the backup came late" all good \
    'has "The slowest task was 5: done at 9 s, 5 s after the median one."' \
    'has "  The attempt before it was slow, and attempt 1, a backup, came only after 5 s."' \
    'has "Clones or backups won 1 task; of the attempts they beat, 1 straggled."' \
    'has "Straggling cost about 5 s: it would have ended that much earlier on the same slots had each straggler taken the median time of the phase."'
for p in hadoop mapreduce dryad; do
    sim $p --cluster 20x1 --policy $p <<'END'
job a
  phase map tasks=20 size=4s input=1M
    task 5 attempts=100s,4s
END
    ask $p.journal a/map/5
    cp out $p.answer
done
says() { grep -qE -- "$2" "$1.answer" || { cat "$1.answer"; return 1; }; }
ok "why was there a backup? Hadoop" says hadoop "as a backup, because attempt 0 was behind: after 60 s it had done 56 %, its phase 98 % on average\."
ok "why was there a backup? MapReduce" says mapreduce "as a backup, because 19 of 20 tasks of the phase were done and attempt 0 still ran after [0-9.]+ s\."
ok "why was there a backup? Dryad" says dryad "as a backup, because attempt 0 had run for [0-9.]+ s, and most finished tasks took no more than 4 s\."

sim mantri --cluster 8x1 --policy mantri <<'END'
job a
  phase map tasks=8 size=40s input=1M
    task 5 attempts=400s,40s
job b at=1000s
  phase map tasks=40 size=40s input=1M
    task 5 attempts=900s,40s
END
ask mantri.journal a/map/5
ok "why was there a backup? Mantri" all good \
    'matches "^Attempt 1 \(backup\) .* as a backup, because attempt 0 had about [0-9.]+ s to go and a new attempt should take [0-9.]+ s\."'
ask mantri.journal b/map/5
ok "why did it run again? Mantri" all good \
    'matches "^Attempt 0 .* was killed at [0-9.]+ s because it had about [0-9.]+ s to go and a new start should take [0-9.]+ s; it had done [0-9.]+ %\.$"' \
    'matches "^Attempt 1 \(restart\) .* again, because attempt 0 was killed\."'
sim hotcloud --cluster 20x1 --policy dolly-hotcloud <<'END'
job a
  phase map tasks=2 size=4s
END
ask hotcloud.journal a/map/1
ok "why was there a clone? Dolly's first form" all good \
    'matches "^Attempt 1 \(clone\) .* as a clone, because the nodes so far straggle together with probability 0.15 and 0.025 is wanted\."'

# ---- what was slowest, and why? ----

sim slow --cluster 4x2 --policy none <<'END'
job a
  phase map tasks=8 size=4s
    task 6 attempts=20s
END
ask slow.journal a/map
ok "why was it slow? the attempt" all good 'has "The slowest task was 6: done at 20 s, 16 s after the median one."' \
    'matches "^  Attempt 0 on n[0-3] was slow: 20 s for what takes 4 s at the median rate, 5 times as long\. It was not the node: 1 of 1 others on n[0-3] were not slow\.$"'

# 20 s and 15 s late by one slow task each; the last two of eight tasks had to wait 10 s for one of six slots.
sim waits --cluster 2x3 --policy none <<'END'
job a
  phase map tasks=5 size=10s
    task 2 attempts=30s
job b at=100s
  phase map tasks=6 size=10s
    task 3 attempts=25s
job c at=200s
  phase map tasks=8 size=10s
END
ask waits.journal
ok "what did phases wait for? in all of a run, the longest first" all good \
    '[ "$(sed -n "/^Phases waited/,/^$/p" out)" = "Phases waited for a last task that
  was slow where others were not: 2 phases, 35 s" ]'
ok "more tasks than slots are no trouble" all good 'matches "^In 1 phase the last task had waited for its turn: more tasks than slots\.$"'

cat >lame.cluster <<'END'
nodes n[0-3] cpu=4
node lame cpu=4 speed=0.2
END
sim lame --cluster lame.cluster --policy none <<'END'
job a
  phase map tasks=20 size=4s
END
ask lame.journal a/map
ok "why was it slow? the node" all good 'matches "^  Attempt 0 on lame was slow: 20 s for what takes 4 s at the median rate, 5 times as long\. The node seems to be slow: so were 3 of 3 others on lame\.$"' \
    'has "The median task ran for 4 s; 4 attempts are known to have straggled."' \
    'has "3 tasks also took more than twice the median:"' "matches '^  task [0-9]+: 20 s$'"

cat >stall.cluster <<'END'
nodes n[0-19] cpu=1
luck stall_p=0.05 stall=30s stall_at=1
END
sim stall --cluster stall.cluster --policy late --set cap=0 --set floor=5s <<'END'
job a
  phase map tasks=20 size=10s
END
ask stall.journal a/map
ok "why was it slow? it stood still" all good \
    'matches "^  Attempt 0 on n[0-9]+ was slow: 40 s for what takes 10 s at the median rate, 4 times as long\. It stood still for at least [0-9.]+ s at [0-9.]+ %\."' \
    'matches "no more backups, they held 0 of the 0 slots that they may hold"'

of_four() { printf 'job a\n  phase map tasks=4 size=4s input=64M\n    task 2 %s\n' "$1"; }
sim skew --cluster 10x1 --policy none < <(of_four 'size=16s input=256M')
ask skew.journal a
ok "why was it slow? more input" all good 'has "The slowest task was 2: done at 16 s, 12 s after the median one."' \
    'has "  Its input is 4 times the median (256 MiB, not 64 MiB): at the median rate 12 s more."' \
    'has "Straggling cost nothing."'
sim lean --cluster 10x1 --policy none < <(of_four 'size=5s input=16M')
ask lean.journal a
ok "why was it slow? not for what it read" matches "5 s for what takes 1 s at the median rate.* less to read than the median task: 16 MiB, not 64 MiB\."

sim wait --cluster 2x1 --policy none <<'END'
job a
  phase map tasks=5 size=4s
job b at=1s
  phase map size=2s
END
ask wait.journal a
ok "why was it slow? it waited" all good 'matches "^  It was launched [0-9]+ s later than the median task: it had to wait its turn\.$"'
ask wait.journal b
ok "how long did the job wait?" answers "It arrived at 1 s, waited 3 s for its first slot, ran for 2 s and ended at 6 s: 5 s in all."

printf 'nodes n[0-19] cpu=1\nfaults launch_lag=3s\n' >late_start.cluster
sim withdrawn --cluster late_start.cluster --policy dolly --set beta=1 --set tau=1 <<'END'
job a
  phase map tasks=6 size=1s
END
ask withdrawn.journal --json
ok "a clone that never started is no clone" all good 'json "([.attempts[].launched] | add) + .withdrawn == 18 and .withdrawn > 0"'
ask withdrawn.journal
ok "... but is told" all good 'matches "^[0-9]+ attempts? (was|were) withdrawn before starting\.$"'
sim single --cluster 10x1 --policy none <<'END'
job a
  phase map size=4s
END
ask single.journal a
ok "one task is no yardstick" all good 'has "It is unknown whether anything straggled: no phase has two tasks to compare."' 'lacks "Straggling cost"'

# ---- the run ----

ask jobs.journal
ok "the run" all good \
    'has "A run of the policy dolly,shuffle=cc;beta=0.1 in the simulator, from 0 s to 8 s."' \
    'has "3 jobs with 47 tasks: 3 jobs done, 0 failed; 47 tasks done, 0 failed."' \
    'has "1 of 3 jobs had clones; 2 of 4 phases were cloned."' \
    'has "  1 phase was not cloned: the clones did not fit into the clone budget"' \
    'has "  1 phase was not cloned: the tasks have side effects (clone=never)"' \
    'has "9 clones launched, 1 won."' \
    'has "1 attempt was killed; 0 attempts failed."' \
    'has "Attempts that did not win held 43 slot-seconds of 274 (16 %); 38 of them were held by clones and backups."' \
    'has "Clones or backups won 1 task: 1 of the attempts they beat straggled."' \
    'matches "^1 attempt is known to have straggled[;.]"' 'has "  job 0 (small), 5 tasks: 8 s; extra attempts saved about 25 s (18 s to 35 s); cloned"' \
    'has "Ask for one with: dolly explain jobs.journal 0"'

cat >moody.cluster <<'END'
nodes n[0-9] cpu=2
node lame cpu=2 speed=0.2
END
sim avoid --cluster moody.cluster --policy none,screen=blacklist --set window=60s --set p_b=0.5 <<'END'
job a repeat=40 every=5s
  phase map tasks=11 size=2s
END
ask avoid.journal
ok "which nodes were avoided, and why?" all good \
    'matches "^Node lame was avoided [0-9]+ times?, the last time because it was predicted to straggle with probability [0-9.]+ \(limit 0\.5; [0-9.]+ in the last window, [0-9.]+ in the long run\)\.$"' \
    'lacks "Node n[0-9]"'

# ---- are the numbers true? ----
#
# What straggling cost is held to a run without stragglers, and what clones and backups saved to a run without them, on
# the same luck. Here attempts that are stopped tell how far they were: no number is out by more than a tenth of itself
# and 6 % of the run.
hold() { # hold POLICY SLOTS TASKS
    local seed run cluster name policy
    printf 'nodes n[1-%d] cpu=1\nluck noise=0.1 slow_p=0.15 slow_factor=8\n' "$2" >bad.cluster
    printf 'nodes n[1-%d] cpu=1\nluck noise=0.1\n' "$2" >good.cluster
    for seed in 1 3 4; do
        rm -f bad.journal good.journal plain.journal
        for run in "bad bad $1" "good good $1" "plain bad none"; do
            read -r name cluster policy <<<"$run"
            printf 'job a\n  phase map tasks=%d size=10s input=1M\n  phase reduce tasks=4 after=map size=5s input=1M\n' "$3" |
                sim "$name" --cluster "$cluster.cluster" --seed $seed --policy $policy
        done
        for name in bad good plain; do "$dolly" explain $name.journal a --json; done |
            jq -s 'map({ended_s, straggling_s, saved_about_s}) as [$bad, $good, $plain]
                | def near(claim; truth): (claim - truth | fabs) <= (truth | fabs) / 10 + 0.06 * $bad.ended_s;
                near($bad.straggling_s; $bad.ended_s - $good.ended_s) and near($bad.saved_about_s; [$plain.ended_s - $bad.ended_s, 0] | max)
                | . or error("seed '$seed': \([$bad, $good, $plain])")' || return 1
    done
}
ok "true: more tasks than slots, no clones" hold none 4 20
ok "true: fewer tasks than slots, clones" hold "dolly --set budget=idle" 60 10
ok "true: more tasks than slots, clones at the end" hold "dolly --set budget=idle" 8 20
ok "true: backups" hold late 12 10

# Of many jobs: the sum is out by a tenth at most where they seldom wait for each other, and claims no more than a twentieth
# too much where they do.
ends() { "$dolly" journal "$1" | grep '"job_done"' | jq -s 'map(.t_us / 1e6) | add'; }
hold_many() { # hold_many EVERY CONDITION: on claim and truth of straggling, and of saving
    local seed name policy cluster run
    printf 'nodes n[0-9] cpu=2\nluck noise=0.1 slow_p=0.15 slow_factor=8\n' >bad.cluster
    printf 'nodes n[0-9] cpu=2\nluck noise=0.1\n' >good.cluster
    for seed in 1 2; do
        rm -f bad.journal good.journal plain.journal
        for run in "bad bad dolly --set budget=idle" "good good none" "plain bad none"; do
            read -r name cluster policy <<<"$run"
            printf 'job a repeat=40 every=%s\n  phase map tasks=10 size=10s input=1M\n  phase reduce tasks=3 after=map size=5s input=1M\n' "$1" |
                sim "$name" --cluster "$cluster.cluster" --seed $seed --policy $policy
        done
        ask plain.journal --json && jq -e --argjson bad "$(ends bad.journal)" --argjson good "$(ends good.journal)" \
            --argjson plain "$(ends plain.journal)" --slurpfile cloned <("$dolly" explain bad.journal --json) \
            "[[.straggling_s, \$plain - \$good], [\$cloned[0].saved_about_s, \$plain - \$bad]] | map(. as [\$claim, \$truth] | $2) | all" out >/dev/null ||
            { echo "seed $seed"; return 1; }
    done
}
ok "true: the sum over many jobs" hold_many 20s '($claim - $truth | fabs) <= $truth / 10'
ok "true: the sum over jobs that wait for each other" hold_many 9s '$claim <= $truth * 1.05 and $claim > $truth / 3'

# ---- real runs ----

real greet --cluster 20x1 --policy dolly --set beta=1 --set tau=1 <<'END'
job greet
  phase map tasks=4 command="sleep 0.2; echo hi"
    task 2 command="if [ $DOLLY_ATTEMPT = 0 ]; then sleep 30; else sleep 0.2; fi; echo hi"
  phase sum after=map clone=never command="cat $DOLLY_INPUT_DIR/*"
END
ask greet
ok "a real run, by its folder" all good 'matches "^A run of the policy dolly.* on real processes, from 0(\.[0-9]+)? m?s to [0-9.]+ s\.$"' \
    'has "1 job with 5 tasks: 5 tasks done, 0 failed."' 'matches "^8 clones launched, [1-4] won\.$"'
ask greet/journal greet
ok "a real job: cloned, and not" all good \
    'has "Phase map was cloned: 4 tasks at p=0.15 want 3 attempts each, 8 more slots; the clone budget is 20 slots and 0 were in use."' \
    'has "Phase sum was not cloned: it has clone=never, because its tasks have side effects."'
ask greet 0/map/2
ok "a real task: who won and what was saved" all good \
    'matches "^Task 2 of phase map of job 0 \(greet\): done at [0-9.]+ s, [0-9.]+ s after its first launch, by attempt [12]\.$"' \
    'matches "^Attempt 0 \(first\) .* and was killed at [0-9.]+ s because attempt [12] had won"' \
    'matches "^Attempt [12] \(clone\) .* finished at [0-9.]+ s and won"' \
    'matches "^Without the clone it would have taken at least [0-9.]+ s, the time after which attempt 0 was stopped; how much longer cannot be known\.$"'

# The same as above with processes that --chaos slows down: straggling within a third, and 0.4 s for a busy machine;
# what clones saved lies between what is certain and twice the upper end of the range. A run that something else held up is no evidence.
in_time() { jq -e ".took_s < $2" "$1" >/dev/null || return $((1 + $(jq -se '.[0].took_s > 0' "$1" | grep -c true))); } # 2: ran, but longer
mapped() { # FILE OPTION...: what the run says of itself
    timeout 50 "$dolly" map --json "${@:2}" 2>/dev/null </dev/null | jq -c 'del(.results)' >"$1"
}
cost_is_true() {
    mapped bad -j2 --chaos slow=0.25x8 --seed 6 "$tick" 100 ::: {1..12} &
    mapped good -j2 "$tick" 100 ::: {1..12}
    wait $!
    in_time good 0.9 || return # 0.6 on a quiet machine
    jq -se '. as [$b, $g] | ($b.took_s - $g.took_s) as $true |
        ($b.straggling_s - $true | fabs) <= $true / 3 + 0.4 and $true > 0.4' bad good >/dev/null || { cat bad good; return 1; }
}
tried "true, of processes: what straggling cost" cost_is_true
saved_is_true() {
    rm -rf run
    mapped cloned --dir run --pure --nodes 24x1 --chaos slow=0.2x4 --seed 4 "$tick" 800 ::: {1..8} &
    mapped alone --nodes 24x1 --chaos slow=0.2x4 --seed 4 "$tick" 800 ::: {1..8}
    wait $!
    in_time alone 3.8 || return # 3.2 on a quiet machine
    ! "$dolly" journal run/journal | grep -q no_idle_core || return 2 # too busy for clones
    jq -se '. as [$c, $a] | ($a.took_s - $c.took_s) as $true |
        $c.saved_at_least_s <= $true + 0.4 and $true > 1 and
        $c.saved_low_s / 2 <= $true and ($c.unsure > 0 or $c.saved_high_s * 2 >= $true)' cloned alone >/dev/null || { cat cloned alone; return 1; }
}
tried "true, of processes: what clones saved" saved_is_true

real broken --cluster 4x1 --policy none --set failures_max=2 <<'END'
job broken
  phase map tasks=2 command="sleep 30"
    task 1 command="exit 3"
  phase reduce after=map command="true"
END
ask broken 0
ok "why did the job fail?" all good 'has "Job 0 (broken): 3 tasks in 2 phases, failed."' \
    'matches "^It failed because task 1 of phase map failed 2 times, which is the limit; the last time, attempt 1 on n[0-3] failed with exit status 3\.$"' \
    'has "Phase reduce did not begin, so nothing was decided about clones."'
ask broken 0/map/1
ok "a real task: how its attempts ended" all good \
    'matches "^Attempt 0 .* and failed with exit status 3 at [0-9.]+ s\.$"' \
    'matches "^Attempt 1 \(restart\) .* again, because attempt 0 failed with exit status 3; failure 1 of the task\."'
ask broken 0/map/0
ok "a real task: killed with its job" all good 'matches "^Attempt 0 .* because the job was over"'
ask broken
ok "the run says which job failed" has "Job 0 failed; why: dolly explain broken/journal 0"

# ---- dolly map: tasks as its users count and know them ----

timeout 50 "$dolly" map --dir mapped --joblog mapped.log -j3 'sleep 0.0{}; test {} -lt 4' ::: {0..8} >/dev/null 2>&1 </dev/null
ask mapped
ok "a run counts tasks" has "1 job with 9 tasks: 4 tasks done, 5 failed."
ask mapped map
ok "a job says which tasks failed it" all good 'has "Job 0 (map): 9 tasks in 1 phase, done, but for 5 tasks that failed."'
ask mapped 0/map/9
ok "tasks of dolly map count from 1, as in its job log, and their commands are told" all good \
    'has "It runs: sleep 0.08; test 8 -lt 4"' 'matches "^Task 9 of phase map of job 0 \(map\): given up after 1 attempt"' \
    '[ "$(awk -F"\t" "\$1 == 9 {print \$9}" mapped.log)" = "sleep 0.08; test 8 -lt 4" ]'
ask mapped 0/map/0; ok "... and not from 0" bad "has no task '0'; its tasks are 1 to 9"
ask mapped/journal 0/map/2 --json
ok "... nor in JSON" all good 'json ".task == 2 and .command == \"sleep 0.01; test 1 -lt 4\""'
cp mapped/journal moved.journal
ask moved.journal 0/map/9
ok "... also where the folder is gone, and with it the command" all good 'matches "^Task 9 of phase map"' 'lacks "^It runs"'
timeout 50 "$dolly" map --dir again --resume-failed --joblog mapped.log -j3 'sleep 0.0{}; test {} -lt 4' ::: {0..8} >/dev/null 2>&1 </dev/null
ask again 0/map/8
ok "a task keeps its number when others are left out" all good 'has "It runs: sleep 0.07; test 7 -lt 4"'
wait $slow6
ask slow6 map
ok "slow tasks with their commands, without what would change the terminal" all good \
    'matches "^The slowest task was (8|9|10) \(sleep .*\): done at "' 'matches "^[2-9] tasks also took more than twice the median:$"' \
    '[ "$(grep -cE "^  task (8|9|10): [0-9.]+ s \(sleep .*echo .?2[.][024].*\)$" out)" = 2 ]' '! grep -q $'"'\e'"' out'
timeout 50 "$dolly" map --summary sleep ::: 0.1 >/dev/null 2>err </dev/null
ok "one task has no median" all 'grep -qE "slowest task 1: [0-9.]+ s, the only one that is done \(sleep 0.1\)" err' '! grep -q "would have saved" err'

"$dolly" map --dir cut -j4 'echo >begun.{}; sleep 1; echo {}' ::: 1 2 3 4 >/dev/null 2>&1 </dev/null &
await 60 'the fourth task begins' test -e begun.4
kill -9 $!
wait $! 2>/dev/null
timeout 50 "$dolly" resume cut >/dev/null 2>&1 </dev/null
ask cut
ok "a run that was cut short and resumed" all good 'has "1 job with 4 tasks: 4 tasks done, 0 failed."' \
    'matches "^Nodes went down 1 time \(each one does when a run is interrupted\)\.$"'
timeout 50 "$dolly" map --dir halted --halt now,fail=1 -j2 'sleep 0.{}; test {} != 1' ::: 1 9 9 9 >/dev/null 2>&1 </dev/null
ask halted map
ok "a job that was cancelled" all good 'has "Job 0 (map): 4 tasks in 1 phase, failed."' 'has "It failed because it was cancelled."'

wait $mixed
ask mixed 0/map/1
ok "a real task: died of a signal" matches "^Attempt 0 .* died of signal 9 \(Killed\) at [0-9.]+ s\.$"
ask mixed 0/map
ok "a real phase: the slowest task" all good 'matches "^The slowest task was 2: done at [0-9.]+ s, [0-9.]+ s after the median one\.$"' \
    'matches "^  Attempt 0 on n[0-3] was slow: [0-9.]+ s for what takes [0-9.]+ s at the median rate, [0-9.]+ times as long\."'

# ---- journals that are cut off ----

size=$(stat -c %s jobs.journal)
head -c $((size - 3)) jobs.journal >torn.journal
ask torn.journal big
ok "a torn tail" all good 'has "Phase map was not cloned: 40 tasks at p=0.15 want 4 attempts each, 120 more slots; the clone budget is 20 slots and 8 were in use."' \
    'matches "^The journal is torn: its last [0-9]+ bytes could not be read, and the story ends at 8 s\.$"'
cut_anywhere() { # every cut is a story or one line, never a crash
    local n
    [ "$size" -gt 5000 ] || return 1
    for n in $(seq 16 397 "$size"); do
        head -c "$n" jobs.journal >cut.journal
        for q in "" 0 0/0 0/0/2; do
            "$dolly" explain cut.journal $q >out 2>err; status=$?
            [ "$status" = 0 ] || { [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ]; } ||
                { echo "cut at $n, question '$q': status $status"; cat err; return 1; }
        done
    done
}
ok "a journal cut anywhere" cut_anywhere
head -c 4096 jobs.journal >cut.journal
ask cut.journal small/map/2
ok "an attempt that still ran" all good 'matches "^Attempt 0 .*It (still ran|had not started) when the journal ends"'
printf 'x' | dd of=cut.journal bs=1 seek=600 conv=notrunc 2>/dev/null
ask cut.journal
ok "a damaged journal" bad "damaged at byte"

# ---- what does not exist ----

ask jobs.journal nobody;       ok "no such job" bad "no job 'nobody'; it has 3 jobs, numbers 0 to 2, names small, big, side"
ask jobs.journal 3;            ok "no such number" bad "no job '3'; it has 3 jobs, numbers 0 to 2"
ask jobs.journal small/sort;   ok "no such phase" bad "job 0 (small) has no phase 'sort'; it has map (0), reduce (1)"
ask jobs.journal small/map/4;  ok "no such task" bad "phase map of job 0 has no task '4'; its tasks are 0 to 3"
ask jobs.journal small/map/x;  ok "a task is a number" bad "has no task 'x'"
ask jobs.journal a/b/c/d;      ok "too many parts" bad "expected JOB, JOB/PHASE or JOB/PHASE/TASK, not 'a/b/c/d'"
ask jobs.journal a//c;         ok "an empty part" bad "expected JOB, JOB/PHASE or JOB/PHASE/TASK"
ask jobs.journal a b;          ok "two questions" bad "one question at a time, not also 'b'"
ask;                           ok "no journal" bad "the journal's file is missing"
ask absent.journal;            ok "no such file" bad "absent.journal"
ask jobs.workload;             ok "not a journal" bad "jobs.workload"
ask jobs.journal --jsn;        ok "unknown option" bad "did you mean --json?"
ask --help;                    ok "help" all good 'matches "^usage: dolly explain JOURNAL"' 'matches "^Examples:"'

# ---- names and numbers ----

sim names --cluster 10x1 --policy none <<'END'
job tick repeat=3 every=5s
  phase go size=1s
job 7 at=1s
  phase 1 size=2s
END
ask names.journal tick
ok "several jobs of one name" all good 'has "Job 0 (tick): 1 task in 1 phase, done."' 'has "It is the first of 3 jobs of that name; ask for others by number."'
ask names.journal 3
ok "by number" all good 'matches "^Job 3 \(tick\)"' 'lacks "first of"'
ask names.journal 7/1/0
ok "names that look like numbers" all good 'matches "^Task 0 of phase 1 of job 1 \(7\)"'

# ---- json ----

ask jobs.journal --json
ok "the run as JSON" all good 'json ".jobs == 3 and .done == 3 and .tasks == 47 and .jobs_cloned == 1 and .phases_cloned == 2 and
    .not_cloned == {\"over_budget\": 1, \"side_effects\": 1} and .attempts.clone == {\"launched\": 9, \"won\": 1, \"vain_slot_s\": 38} and
    .won_by_extra == 1 and .beat_straggler == 1 and .beat_unknown == 0 and .stragglers == 1 and .saved_at_least_s == 0 and (.saved_about_s - 25 | fabs) < 0.001 and .slowest[0].job == 0 and
    .complete and .torn_bytes == 0 and .body == \"sim\""'
ask jobs.journal big --json
ok "a job as JSON" all good 'json ".job == 1 and .state == \"done\" and .phases[0].cloned == false and .phases[0].why ==
    {\"code\": \"over_budget\", \"copies\": 4, \"tasks\": 40, \"p\": 0.15, \"charge\": 120, \"used\": 8, \"limit\": 20}"'
ask skew.journal a/map --json
ok "a phase as JSON" all good 'json ".phase.slowest | .task == 2 and .skew_s == 12 and .slow_s == 0 and .behind_s == 12 and .ratio == 1"'
ask jobs.journal small/map/2 --json
ok "a task as JSON" all good 'json ".winner == 1 and .alone == \"pace\" and (.alone_about_s - 30 | fabs) < 0.001 and .alone_at_least_s == 5 and
    (.attempts | length) == 3 and .attempts[0].ending == \"attempt_killed\" and .attempts[0].stop_why.code == \"lost_race\" and
    .attempts[1].why == {\"code\": \"clone\", \"of\": 1, \"copies\": 3} and .attempts[1].won"'
ask torn.journal --json
ok "a torn journal as JSON" all good 'json ".torn_bytes > 0 and .complete == false"'

# ---- where did its job stand? ----

sim standing --cluster 1x4 --policy svf <<'END'
job long
  phase map tasks=4 size=8s expect=8s
  phase reduce tasks=1 after=map size=4s expect=4s
job short at=1s
  phase map tasks=1 size=2s expect=2s
END
ask standing.journal long
ok 'standing: a job when it began' answers 'When its first task was launched, it had 9 cluster-seconds of work and 12 s along its longest path left.'
ask standing.journal long/reduce
ok 'standing: a phase' answers 'When its first task was launched, the job had 1 cluster-seconds of work and 4 s along its longest path left.'
ask standing.journal short/map/0
ok 'standing: an attempt' all good 'matches "because its turn had come: its job had 0.5 cluster-seconds of work and 2 s along its longest path left"'
ask standing.journal short --json
ok 'standing: in JSON' json '.standing == {code: "standing", rank: 0, volume: 0.5, time_s: 2}'
sim ranked --cluster 1x4 --policy order=dollymp <standing.workload
ask ranked.journal short
ok 'standing: a rank' matches '^When its first task was launched, it had rank 1, with '
sim unranked --cluster 1x4 --policy none <standing.workload
ask unranked.journal short
ok 'standing: orders that publish nothing' all good 'lacks "When its first task"'

closing
