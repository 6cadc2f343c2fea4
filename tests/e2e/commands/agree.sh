#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Terminal, `explain`, page and tables say the same of a run: tests/e2e/commands/agree.sh build/dolly
#
# A number that is told in two places is compared with itself, whatever it is: real times vary. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/commands/agree.sh DOLLY}")
bing_cluster=$(realpath "$(dirname "$0")/../../../experiments/shuffle/bing.cluster") || exit 2
tmp=$(mktemp -d) || exit 2
. "$(dirname "$0")/../../../tests/lib/checks.sh"
cd "$tmp" || exit 2

all() { local one; for one; do eval "$one" || { echo "not: $one"; return 1; }; done; }
ask() { timeout 50 "$dolly" explain "$@" >out 2>err </dev/null; }
says() { grep -qE -- "$1" out || { echo "no line matches: $1"; cat out; return 1; }; }

# ---- the slowest task ----

# The attempt that wins is the shortest of all, and its task is done last all the same.
timeout 50 "$dolly" map --dir rerun --summary --retries 2 -j4 \
    '[ {} != a ] || [ -e once ] || { touch once; until [ -e d.b -a -e d.c ]; do sleep 0.05; done; exit 1; }
     [ {} = a ] || { sleep 0.4; touch d.{}; }' ::: a b c >/dev/null 2>summary </dev/null
ask rerun map/map
ok "the slowest task is the one that was done last" all 'says "^The slowest task was 1 "' 'grep -q "^dolly: slowest task 1: " summary'
ask rerun map/map/1
took=$(sed -nE 's/.*, ([0-9.]+) s after its first launch.*/\1/p' out)
ok "... and took from its first launch to its commit" all '[ -n "$took" ]' \
    'grep -q "^dolly: slowest task 1: $(printf %.3g "$took") s, " summary'

# ---- tasks that fail ----

timeout 50 "$dolly" map --dir failed -j4 \
    'test {} -ne 5 || { for i in $(seq 30); do echo $i cannot open "<input-5>" >&2; done; exit 3; }; test {} -ne 6 || kill -9 $$' \
    ::: 1 2 3 4 5 6 7 8 >/dev/null 2>said </dev/null
kept=$(realpath failed)/failed/4/stderr
ok "map says which tasks failed, and what to ask and do" grep -qxE \
    "dolly: 2 of 8 tasks failed: (5 .exit status 3., 6 .signal 9.|6 .signal 9., 5 .exit status 3.). Why: dolly explain .*failed map/map/[56]; to run them again: dolly resume --retry-failed .*failed" said
why=$(sed -nE 's/.*Why: dolly (explain .* map\/map\/).*/\1/p' said)
ok "... which answers" all '[ -n "$why" ]' 'ask ${why#explain }5' 'says "^Task 5 of .*: given up"'
ok "explain has the end of its stderr, and where the rest is" all 'says "^The end of its stderr \($kept\):$"' 'says "^  30 cannot open <input-5>$"' \
    'says "^  11 cannot"' '! grep -q "^  10 cannot" out' '[ "$(wc -l <"$kept")" = 30 ]'
ask failed map/map/5 --json
ok "... as JSON, too" jq -e --arg kept "$kept" '.stderr_path == $kept and (.stderr_tail | split("\n") | length == 21)' out
ask failed map
ok "the job names both" all 'says "^Task 5 failed with exit status 3 after [0-9.]* s on .*; more: dolly explain .* 0/0/5$"' 'says "^Task 6 died of signal 9 "'
"$dolly" report failed -o failed.html >/dev/null
ok "the page's table says that not all of it is done" grep -q '<td>2 of 8 failed</td>' failed.html
ok "... and the page why" all 'grep -q "^  30 cannot open &lt;input-5&gt;$" failed.html' 'grep -qF "$kept" failed.html'
"$dolly" report failed --csv csv --nextflow flow --trace trace
ok "tables have the exit status" all '[ "$(awk -F, "\$3 == 5 { print \$10, \$20 }" csv/attempts.csv)" = "exit 3" ]' \
    '[ "$(awk -F, "\$3 == 6 { print \$10, \$20 }" csv/attempts.csv)" = "signal 137" ]' '[ "$(awk -F, "\$3 == 1 { print \$20 }" csv/attempts.csv)" = 0 ]' \
    '[ "$(awk -F"\t" "\$4 == \"map (0/5)\" { print \$6, \$7 }" flow)" = "FAILED 3" ]' '[ "$(tail -n 1 csv/jobs.csv | cut -d, -f9)" = 2 ]'
ok "a task has one number everywhere" all '[ "$(awk -F, "\$3 == 5 { print \$21 }" csv/attempts.csv)" = 4 ]' \
    'jq -e "[.traceEvents[] | select(.ph == \"X\" and .args.end == \"failed\").args.task] | sort == [5, 6]" trace'
ask failed
ok "nothing is said of a second try before there is one" all '[ -s out ]' '[ -s failed.html ]' '! grep -q "the last time" out' '! grep -q "the last time" failed.html'
timeout 50 "$dolly" resume --retry-failed failed >/dev/null 2>&1 </dev/null
ask failed
"$dolly" report failed -o again.html >/dev/null
ok "explain and page lead to what became of the second try" all \
    'says "^dolly explain failed/resumed-1 shows how that went the last time\.$"' \
    'grep -q "How that went the last time: <code>dolly explain failed/resumed-1</code>" again.html' 'ask failed/resumed-1'
timeout 50 "$dolly" map 'test {} = 1' ::: 1 2 >/dev/null 2>said </dev/null
status=$?
ok "what a program reads of stderr is what GNU parallel would say" all '[ $status = 1 ]' '[ ! -s said ]' '[ -s failed.html ]'

# ---- a job of a workload file that fails ----
printf 'job a\n  phase map tasks=2 command="true"\n  phase red tasks=1 after=map command="echo no input-7 >&2; false"\n' >jobs.workload
timeout 50 "$dolly" exec jobs.workload --dir jobs --policy none >/dev/null 2>&1 </dev/null
ask jobs
ok "explain names phase and job of what failed, and its last words" all 'says "^Task 0 of red of job 0 failed with exit status 1 "' \
    'says "^Its stderr \(jobs/attempts/0\.1\.0\.[0-9]+/stderr\):$"' 'says "^  no input-7$"'
ask jobs 0/red/0
ok "so does the story of the task" says "^  no input-7$"
ask jobs 0/red/0 --json
ok "and as JSON" jq -e '.stderr_tail == "no input-7\n"' out
"$dolly" report jobs -o jobs.html >/dev/null
ok "and the page" grep -q 'no input-7$' jobs.html
ask jobs nobody
ok "of one job its number is named, not a range" grep -qF "no job 'nobody'; it has one, number 0, name a" err
printf 'job a\n  phase map tasks=1 command="echo try $DOLLY_ATTEMPT >&2; false"\n' >tries.workload
timeout 50 "$dolly" exec tries.workload --dir tries --policy 'none;failures_max=70' >/dev/null 2>&1 </dev/null
ask tries 0/map/0
ok "of very many attempts the last one speaks" all 'says "^Its stderr \(tries/attempts/0\.0\.0\.69/stderr\):$"' \
    'says "^  try 69$"'

# ---- a run that was interrupted ----

"$dolly" map --pure --dir "$tmp/cut" --nodes 2x1 'touch begun.{}; case {} in [123]) ;; *) sleep 60 ;; esac' ::: 1 2 3 4 5 >/dev/null 2>said </dev/null &
for ((i = 0; i < 600; i++)); do [ -e begun.4 ] && [ -e begun.5 ] && break || sleep 0.05; done
for ((i = 0; i < 600; i++)); do ask cut && says "3 of 5 tasks done" >/dev/null && break || sleep 0.05; done
ok "a run that goes on is not an interrupted one" all '[ "$(head -n 1 out)" = "Still running: 3 of 5 tasks done." ]'
kill -TERM $!
wait $!
ok "the terminal says how to go on" grep -q "dolly resume $tmp/cut$" said
ask cut
ok "so does explain, first of all" same "$(head -n 1 out)" "Interrupted: 3 of 5 tasks done; continue with \`dolly resume cut\`."
ok "... and nothing held up what is not over" all 'says "^A run of the policy"' '! grep -q "^Phases waited" out'
ask cut map
ok "... also of the job" all 'says "^Interrupted: 3 of 5 tasks done; continue with"' '! grep -q "^The slowest task was" out'
"$dolly" report cut -o cut.html >/dev/null
ok "the page has it above everything" all 'grep -q "^<h1>Interrupted: 3 of 5 tasks done; continue with <code>dolly resume" cut.html' \
    '! grep -q "id=.causes." cut.html' '! grep -q ">nothing<" cut.html'
cp cut/journal moved
ask moved
ok "a journal without its folder cannot be gone on with" same "$(head -n 1 out)" "Not over: 3 of 5 tasks done."

# ---- measured jobs, and those before and behind them ----

"$dolly" sim --workload facebook --warmup 10m --jobs 40 --policy none,dolly+late --seed 5 --report c.html --json >sim 2>/dev/null
"$dolly" sim --workload facebook --warmup 10m --jobs 40 --policy dolly+late --seed 5 --journal j >/dev/null 2>&1
ask j --json
ok "explain counts the jobs that the simulation has measured" all '[ -s sim ]' 'jq -e --slurpfile sim sim "\$sim[0] as \$s | \$s.policies[1] as \$p
    | .jobs == 40 and .jobs == \$s.jobs and .tasks == \$s.tasks and .killed == \$p.killed and .attempts.clone.launched == \$p.clones
    and ([.attempts[].launched] | add) == \$p.attempts and (.mean_s - \$p.mean_jct_s | fabs) < 1e-6" out'
others=$(($("$dolly" journal j | grep -c '"type":"job_submitted"') - 40))
ask j
ok "... and says how many it does not count" all '[ "$others" -gt 0 ]' 'says "^40 jobs with .*: 40 jobs done"' \
    'says "^These are the measured jobs; $others that came before or after them are not counted\.$"'
"$dolly" report j -o j.html >/dev/null
ok "so does the page" all 'grep -q "<p>40 jobs with " j.html' 'grep -q "; $others that came before" j.html' \
    '[ "$(sed -n "/id=.jobs./,/<.table>/p" j.html | grep -c "<tr data-job")" = 40 ]'
ok "and the page of a comparison" all 'grep -q "Of 40 jobs" c.html' 'grep -q "jobs before or after the measured ones are not counted" c.html' \
    '[ "$(sed -n "/id=.runs./,/<.table>/p" c.html | grep -o "<tr><td>[^<]*</td><td><span[^>]*>[^<]*</span></td><td[^>]*>[^<]*" | sed "s/.*>//" | paste -sd " ")" = "$(jq -r ".policies[].mean_jct_s" sim | xargs printf "%.2f %.2f")" ]'
"$dolly" report j --csv measured
ok "tables tell them apart" [ "$(awk -F, '$10 == 1' measured/jobs.csv | wc -l) $(awk -F, '$10 == 0' measured/jobs.csv | wc -l)" = "40 $others" ]

# Jobs of this workload are submitted in another order than they arrive, so some that arrived in the warm-up stand between those that count.
bing=(sim --workload bing --cluster "$bing_cluster" --jobs 20 --warmup 5m --seed 8 --policy dolly)
"$dolly" "${bing[@]}" --json --journal b >sim 2>/dev/null
"$dolly" "${bing[@]}" >table 2>/dev/null
"$dolly" report b -o b.html >/dev/null
ask b --json
ok "table, explain and page have the same jobs, mean and attempts, whatever jobs stand between those that count" all '[ -s sim ]' '[ -s b.html ]' \
    'jq -e --slurpfile sim sim "\$sim[0] as \$s | \$s.policies[0] as \$p | .jobs == \$s.jobs and .done == \$s.jobs and .tasks == \$s.tasks
    and .killed == \$p.killed and .attempts.clone.launched == \$p.clones and ([.attempts[].launched] | add) == \$p.attempts
    and (.mean_s - \$p.mean_jct_s | fabs) < 1e-6" out' 'grep -qE "^dolly +$(jq -r .mean_s out | xargs printf "%.2f") " table' \
    'grep -q "<p>20 jobs with .*: 20 jobs done, 0 failed" b.html' 'grep -q "<p>A job took $(jq -r .mean_s out | xargs printf "%.1f") s on average" b.html'

closing
