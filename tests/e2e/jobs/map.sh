#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of `dolly map`: tests/e2e/jobs/map.sh build/dolly
#
# Prints one `ok` or `not ok` line per check and closes with `N passed, N failed`. Where GNU parallel
# has an answer for the same command line, that answer is what is expected here, written out, so
# that GNU parallel need not be installed.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/jobs/map.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
root=$PWD
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
. tests/lib/map.sh

# ---- arguments ----
gives 'arguments are appended' 0 "$(lines a 'b  c' "it's" '$x')" -k echo ::: a 'b  c' "it's" '$x'
gives 'replacement strings' 0 "$(lines '1 d/a.tar.gz d/a.tar a.tar.gz d a.tar' '2 b b b . b')" \
    -k -j1 echo {#} {} {.} {/} {//} {/.} ::: d/a.tar.gz b
gives 'sources multiply, the last one fastest' 0 "$(lines 'a 1' 'a 2' 'b 1' 'b 2')" -k echo ::: a b ::: 1 2
gives 'positions' 0 "$(lines 2-x 2-y)" -k echo {2}-{1.} ::: x.c y.c ::: 2
gives ':::+ links' 0 "$(lines 'a 1' 'b 2')" -k echo ::: a b :::+ 1 2 3
gives '--link begins again' 0 "$(lines 'a 1' 'b 2' 'c 1')" -k --link echo ::: a b c ::: 1 2
from 'x\ny z\n'
gives 'stdin' 0 "$(lines x 'y z')" -k echo
gives ':::: and -a' 0 "$(lines 'x 1' 'x 2' 'y z 1' 'y z 2')" -k -a "$input" echo ::: 1 2
from 'a\0b c\0'
gives '-0' 0 "$(lines a 'b c')" -k -0 echo
from 'a,b\nc,d\n'
gives '--colsep' 0 "$(lines b/a d/c)" -k --colsep , echo {2}/{1}
gives '--header' 0 "$(lines c.d)" -k --colsep , --header : echo {a}.{b}
from '1\n2\n3\n'
gives '-n' 0 "$(lines '1 2' 3)" -k -n2 echo
gives '-N' 0 "$(lines 2/1 /3)" -k -N2 echo {2}/{1}
gives '-N0' 0 "$(lines x x x)" -k -N0 echo x
gives '-m' 0 '1 2 3' -j1 -m echo
gives '-X' 0 'a1b a2b a3b' -j1 -X echo a{}b
input=/dev/null
gives 'no arguments, nothing to do' 0 '' echo
gives 'arguments that are commands' 0 "$(lines a b)" -k ::: 'echo a' 'printf "b\n"'
gives '-I' 0 'x{}' -I ,, echo ,,{} ::: x
gives '-q' 0 'a  b c' -q echo 'a  b' ::: c
gives '--dry-run' 0 "$(lines "echo 'a b'" 'echo c')" --dry-run echo ::: 'a b' c
[ "$(map --shuf --seed 4 -j1 echo ::: {1..9} | sort -n | xargs)" = "$(echo {1..9})" ] &&
    [ "$(map --shuf --seed 4 -j1 echo ::: {1..9} | xargs)" = "$(map --shuf --seed 4 -j1 echo ::: {1..9} | xargs)" ] &&
    [ "$(map --shuf --seed 4 -j1 echo ::: {1..9} | xargs)" != "$(echo {1..9})" ]
report $? '--shuf is random, complete, and the same again' ''
fn() { echo "fn $1"; }
export -f fn
gives 'exported functions of bash work' 0 'fn 3' fn ::: 3

# ---- arrays ----
gives '--array' 0 "$(lines '1 4 1 7 2' '3 4 1 7 2' '5 4 1 7 2' '7 4 1 7 2')" -k --array 1-7:2%2 \
    'echo $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT $DOLLY_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_STEP'
map --array 3,5 --output 'log_%A_%a.out' --error 'log_%a.err' 'echo o{}; echo e{} >&2' >out 2>err
[ ! -s out ] && [ ! -s err ] && [ "$(cat log_*_3.out)" = o3 ] && [ "$(cat log_5.err)" = e5 ]
report $? '--output and --error name files like Slurm' "$(ls)"
# most_at_once N ARGS...: how many tasks run at once; each waits until the tasks 1 to N have begun.
most_at_once() {
    local all=$1
    shift
    rm -f on.* times
    map --no-history "$@" "echo + >>times; echo >on.{}; await 60 'tasks run' filled \$(seq -f on.%g $all); echo - >>times"
    awk '/\+/ {n++; if (n > m) m = n} /-/ {n--} END {print m}' times
}
most=$(most_at_once 2 -j8 --array '1-8%2')
[ "$most" = 2 ]
report $? '--array %N bounds how many run' "$most"

# ---- pipes ----
from "$(seq 1000 | sed 's/$/\\n/' | tr -d '\n')"
[ "$(map --pipe --block 1k wc -l <"$input" | awk '{n += $1; m++} END {print n, (m > 3)}')" = '1000 1' ]
report $? '--pipe loses no line' ''
[ "$(map -k --pipe --block 512 cat <"$input" | cmp - "$input" && echo same)" = same ]
report $? '--pipe -k gives the stream back' ''
[ "$(map -k --pipepart -a "$input" --block 512 cat | cmp - "$input" && echo same)" = same ]
report $? '--pipepart -k gives the file back' ''
cp "$input" shrinks
map -j1 --pipepart --cat -a shrinks --block 2k ': >shrinks; cat {}' >out 2>err </dev/null
[ $? -ne 0 ] && grep -q 'shrinks: has become shorter' err && grep -q 'task 2 failed: it could not be started' err
report $? '--cat: no command runs on a block that cannot be made' "$(cat err)"
[ "$(map -k --pipe -N 300 wc -l <"$input" | xargs)" = '300 300 300 100' ]
report $? '--pipe -N counts lines' ''
gives 'a task need not read its block' 0 "$(lines x x)" --pipe -N 500 echo x
input=/dev/null

# ---- outputs ----
gives 'grouped output, -k' 0 "$(lines a1 a2 b1 b2)" -k -j2 'echo {}1; sleep 0.{#}; echo {}2' ::: a b
gives '--tag' 0 "$(printf 'a 1\tx\na 1\ty\n')" --tag 'echo x; echo y; :' ::: a ::: 1
gives '--tagstring' 0 "$(printf '<a>\tx\n')" --tagstring '<{}>' 'echo x; : {}' ::: a
# Both run at once, in slots 1 and 2.
both='echo >both.{}; await 60 "both run" filled both.a both.b; echo {%}'
gives '--tagstring knows the slot' 0 "$(printf '1\t1\n2\t2\n')" -k -j2 --tagstring '{%}' --joblog slots.log "$both" ::: a b
[ "$(cut -f 9 slots.log | sort | sed -n 's/.*echo //p' | xargs)" = '1 2' ]
report $? 'and so does the job log' "$(cat slots.log)"
rm -f both.?
map -j2 --results 'slots/{%}/' "$both" ::: a b >out 2>err
[ "$(cat slots/1/stdout slots/2/stdout)" = "$(lines 1 2)" ]
report $? 'and so do --results' "$(find slots)"
rm -f both.?
gives '--lb --tagstring knows the slot' 0 "$(printf '1\t1\n2\t2\n')" -k --lb -j2 --tagstring '{%}' "$both" ::: a b
map 'echo o{}; echo e{} >&2' ::: 1 2>err >out
[ "$(cat out err)" = "$(lines o1 e1)" ]
report $? 'stdout and stderr stay apart' ''
gives 'a failed task is printed as well' 1 x 'echo x; false' ::: 1
: >out
map --lb 'echo early; await 60 go filled go; echo late; :' ::: 1 >out &
await 60 'a line is printed early' filled out
[ "$(cat out)" = early ]
report $? '--line-buffer prints lines as they come' "$(cat out)"
echo >go
wait
[ "$(xargs <out)" = 'early late' ]
report $? '--line-buffer prints the rest' "$(cat out)"
gives '-u' 0 "$(lines a b)" -u 'echo {}; sleep 0.1; echo b' ::: a
map --results res echo {1} {2} ::: a/b c ::: 1 >out
[ "$(cat res/1/a+zb/2/1/stdout)" = 'a/b 1' ] && [ "$(cat res/1/c/2/1/seq)" = 2 ]
report $? '--results' "$(find res)"
map --results 'r2/{#}.out' echo ::: a >/dev/null
[ "$(cat r2/1.out)" = a ] && [ -e r2/1.out.err ]
report $? '--results with a replacement string' "$(find r2)"
gives '-v' 0 "$(lines 'echo a' a)" -v echo ::: a
[ "$(map -j2 'yes | head -c 200000; :' ::: {1..20} 2>/dev/null | head -n 1)" = y ] && [ -z "$(ls "$TMPDIR")" ]
report $? 'a reader that leaves early leaves no files behind' "$(ls "$TMPDIR")"

# ---- status, retries, halt ----
gives 'status is the number of failed tasks' 3 '' 'exit {}' ::: 0 1 7 0 255
gives '100 failed tasks' 100 '' -j8 false ::: {1..100}
gives 'more than 100 failed tasks' 101 '' -j8 false ::: {1..101}
gives 'a command that does not exist' 1 '' no-such-command-x ::: 1
gives 'a command killed by a signal' 1 '' 'kill -9 $$' ::: 1
: >count
map --retries 3 'echo x >>count; exit 1; :' ::: 1 2>/dev/null
[ $? -eq 1 ] && [ "$(wc -l <count)" -eq 3 ]
report $? '--retries runs a failing task so often' "$(wc -l <count)"
: >count
map 'echo x >>count; exit 1; :' ::: 1
[ "$(wc -l <count)" -eq 1 ]
report $? 'without it a task runs once' ''
gives '--retries prints the last attempt' 0 ok --retries 2 'test $DOLLY_ATTEMPT = 1 && echo ok || { echo bad; exit 1; }; :' ::: 1
gives '--halt now,fail=1' 7 1 -j1 --halt now,fail=1 'echo {}; exit 7' ::: 1 2 3
gives '--halt soon,fail=2' 2 "$(lines 1 2)" -k -j1 --halt soon,fail=2 'echo {}; exit 1' ::: 1 2 3
gives '--halt soon,success=1' 0 1 -j1 --halt soon,success=1 echo ::: 1 2 3
gives '--halt soon lets running ones end' 1 'slow' -j2 --halt soon,fail=1 --joblog halt.log \
    'if [ {} = 1 ]; then until [ -e halt.2 ]; do sleep 0.02; done; exit 1; fi; : >halt.{}; until grep -q ^1 halt.log; do sleep 0.02; done; echo slow' ::: 1 2 3 4
timeout -k 1 45 "$dolly" map -j2 --halt now,fail=1 'test {} = 1 && exit 1; sleep 60' ::: 1 2 >/dev/null 2>&1
[ $? -eq 1 ]
report $? '--halt now ends running ones' ''
gives '--timeout' 1 '' --timeout 0.3 'sleep {}; echo a' ::: 600
gives '... ends what takes longer' 0 a --timeout 100 'sleep {}; echo a' ::: 0
gives '--timeout N%' 1 "$(lines a a a a)" -j1 --timeout 1500% 'sleep {}; echo a' ::: 0.1 0.1 0.1 0.1 60

# ---- job logs ----
before=$(date +%s.%N)
map -j1 --joblog log 'echo abc; exit {}' ::: 0 1 2 >/dev/null
after=$(date +%s.%N)
[ "$(head -n 1 log)" = "$(printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand')" ] &&
    [ "$(awk -F'\t' 'NR > 1 {printf "%s %s %s %s %s;", $1, $2, $7, $8, $9}' log)" = \
        '1 : 0 0 echo abc; exit 0;2 : 1 0 echo abc; exit 1;3 : 2 0 echo abc; exit 2;' ]
report $? '--joblog has the columns of GNU parallel' "$(cat log)"
awk -F'\t' -v before="$before" -v after="$after" 'NR > 1 { n++; bad += $3 < before - 0.001 || $3 < ended - 0.002 || $3 + $4 > after + 0.002; ended = $3 + $4 } END { exit bad || n != 3 }' log
report $? '... and the times at which tasks began' "$before $after $(cat log)"
gives '--resume skips what the log has' 0 "$(lines d)" -j1 --resume --joblog log echo ::: a b c d
gives '--resume-failed skips what was done' 0 "$(lines b c)" -k --resume-failed --joblog log echo ::: a b c d
gives '--resume-failed once more' 0 '' -k --resume-failed --joblog log echo ::: a b c d
map -j1 --joblog log2 'test -e flag{}' ::: 1 2
touch flag2
gives '--retry-failed takes commands from the log' 1 '' -j1 --retry-failed --joblog log2
[ "$(awk -F'\t' 'NR > 1 {printf "%s:%s ", $1, $7}' log2)" = '1:1 2:1 1:1 2:0 ' ]
report $? '--retry-failed appends to the log' "$(cat log2)"
printf '1\t:\t1.0\t1.0\t0\t0\t0\t0\techo a\n2\t:\t1.0' >log3
gives 'a torn line of a log does not count' 0 b --resume --joblog log3 echo ::: a b
map --dir run 'echo {}; test {} != 2' ::: 1 2 >/dev/null
[ $? -eq 1 ] && [ "$(cat run/out/0/map/0)" = 1 ] && [ -s run/joblog ] && [ -d run/failed/1 ] &&
    "$dolly" journal run/journal --verify >/dev/null
report $? '--dir keeps journal, outputs and log; the journal is one that can be re-fed' "$(find run)"
gives '--dir --resume-failed' 0 2 --dir run --resume-failed echo ::: 1 2

# ---- environment, limits ----
gives 'PARALLEL_SEQ and PARALLEL_JOBSLOT' 0 "$(lines '1 1' '2 1')" -j1 'echo $PARALLEL_SEQ $PARALLEL_JOBSLOT; :' ::: a b
PARALLEL_SEQ=77 gives 'names of an outer run are replaced' 0 1 'echo $PARALLEL_SEQ; :' ::: a
gives 'DOLLY names' 0 '0 1 0' 'echo $DOLLY_TASK_ID $DOLLY_TASK_COUNT $DOLLY_ATTEMPT; :' ::: a
mkdir wd && gives '--wd' 0 "$tmp/wd" --wd wd 'pwd; :' ::: a
ln -s wd way && gives '--wd as it was typed' 0 "$tmp/way" --wd "$tmp/way" 'echo "$PWD"; :' ::: a
gives '--wd does not move other files' 0 '' --wd wd --results res3 --joblog log5 /bin/pwd -P '#' ::: a
[ -s res3/1/a/stdout ] && [ -s log5 ]
report $? '--results and --joblog stay where they were meant' "$(ls)"
gives '-k prints what stands behind the gap of a halt' 1 b -k -j2 --halt now,done=1 'test {} = a && sleep 60; echo {}; exit 1' ::: a b
most=$(($(nice) + 5)) # 19 is the end
gives '--nice' 0 "$((most < 19 ? most : 19))" --nice 5 'nice; :' ::: a
start=$(date +%s%N)
map -j4 --delay 0.2 true ::: 1 2 3
[ $(($(date +%s%N) - start)) -gt 380000000 ]
report $? '--delay' ''
gives '--memfree and --load that hold nothing back' 0 a --memfree 1k --load 10000 echo ::: a
{ timeout -s INT 1 "$dolly" map --memfree 900T echo ::: a >out 2>err; [ $? -eq 124 ] && [ ! -s out ]; } # timeout had to end it
report $? '--memfree that cannot be met starts nothing' "$(cat out err)"
most=$(most_at_once 3 -j3 --array 1-6)
[ "$most" = 3 ]
report $? '-j' "$most"

# ---- cloning and chaos ----
: >count
rm -f on.*
gives '--pure clones idle slots, and one output wins' 0 x --pure -j4 'echo $$ >>count; echo >on.$DOLLY_ATTEMPT; await 60 clones filled on.0 on.1; echo x; :' ::: 1
[ "$(wc -l <count)" -ge 2 ]
report $? 'more than one attempt ran' "$(wc -l <count)"
crowded() { "$dolly" journal "$1/journal" | grep -q no_idle_core; } # clones were taken back for want of a core
map --dir averted --bar --pure --nodes 6x1 --chaos slow=0.4x20 --seed 2 "$root/examples/tick 400; :" ::: 1 2 3 >out 2>err
[ $? -eq 0 ] && [ "$(wc -l <out)" -eq 3 ] && { crowded averted || grep -qE 'clones, [1-9][0-9]* won; [0-9]+ stragglers? averted' err; }
report $? 'clones avert stragglers' "$(cat err)"
grep -qE '^dolly: 3 of 3 tasks done, 0 running, [0-9]+ clones, [0-9]+ won$' err
report $? 'the bar counts clones that won, and calls nobody a straggler' "$(cat err)"
start=$(date +%s%N)
map --chaos slow=1x5 "$root/examples/tick 200; :" ::: 1 >/dev/null
took=$((($(date +%s%N) - start) / 1000000))
[ "$took" -gt 700 ]
report $? '--chaos slows for real' "$took ms"
map -j4 --joblog killed --chaos kill=1,kill_within=50ms sleep ::: 60 60 2>/dev/null
[ $? -eq 2 ] && [ "$(awk -F'\t' 'NR > 1 { print $8 }' killed | xargs)" = '9 9' ]
report $? '--chaos kills' ''
gives 'tasks survive failing nodes' 0 "$(lines 1 2 3 4 5 6)" -k --nodes 3x2 --seed 3 --chaos node_mtbf=300ms,node_repair=100ms 'sleep 0.1; echo {}' ::: {1..6}
: >count
# Whole copies: task 2 of the first one hangs, so the second counts; its outputs only, and in order.
whole='job-clone;p_prior=0.5;tau=1;copies_max=2'
gives 'job-clone: the copy that ends first is the result' 0 $'1-1\n2-1\n3-1' --pure -k -j8 --policy "$whole" \
    '[ $DOLLY_ATTEMPT$DOLLY_TASK_ID = 01 ] && sleep 60; echo {}-$DOLLY_ATTEMPT' ::: 1 2 3
gives 'job-clone: a copy with a task that failed is out' 0 $'1-1\n2-1' --pure -k -j8 --policy "$whole" \
    '[ $DOLLY_ATTEMPT$DOLLY_TASK_ID != 01 ] || exit 3; sleep 0.1; echo {}-$DOLLY_ATTEMPT' ::: 1 2
gives 'job-clone: a command that always fails fails' 1 $'1\n2' --pure -k -j8 --policy "$whole" \
    'echo {}; [ {} = 1 ]' ::: 1 2
map --pure --policy late --nodes 4x1 true ::: 1 2 3 2>err
[ $? -eq 0 ] && grep -q 'resources' err
report $? '--policy takes any policy of the simulator' "$(cat err)"
map --summary sleep ::: 0 0 0 1 2>err
grep -q 'try --pure' err
report $? 'the summary says what cloning would have saved' "$(cat err)"
map --dir saved --json --pure --nodes 6x1 --chaos slow=0.4x6 --seed 2 "$root/examples/tick 1500" ::: 1 2 3 >out 2>err
[ "$(jq -c '[.saved_about_s, .saved_at_least_s, .straggling_s]' out)" = \
    "$("$dolly" explain --json saved/journal 0 | jq -c '[.saved_about_s, .saved_at_least_s, .straggling_s]')" ] &&
    { crowded saved || [ "$(jq '.saved_about_s > 0.1' out)" = true ]; } &&
    grep -qF "saved $("$dolly" explain saved/journal 0 | sed -n 's/^Without .* ended \(.*\) later\.$/\1/p' | tail -n 1)" err
report $? 'what cloning saved: summary, --json and explain say the same' "$(cat err; tail -n 1 out)"

# Starts are told together with what comes next: the second one with the end of the first.
map -j2 --dir late sleep ::: 0.2 0.6
"$dolly" journal late/journal | jq -es '[.[] | select(.type == "attempt_started" or .type == "attempt_finished")]
    | group_by(.task) | length == 2 and all(.[0].t_us - .[0].late_us <= .[1].t_us - .[1].wall_us)' >/dev/null
report $? 'a start has its own time, however late it was heard' "$("$dolly" journal late/journal | grep attempt_)"
# Its clone ends first, and an attempt that has said nothing leaves nothing to guess from.
map --pure --nodes 4x1 --json --policy 'dolly;budget=idle;p_prior=0.9;tau=1' --summary \
    '[ $DOLLY_ATTEMPT = 0 ] && sleep 60; sleep 0.3' ::: 1 2 >out 2>err
[ "$(jq -c '[.clones_won > 0, .saved_about_s, .saved_low_s, .saved_high_s, .saved_at_least_s]' out)" = '[true,null,null,null,null]' ] &&
    grep -q 'the time saved is unknown' err
report $? 'what is not known is null in JSON' "$(cat err; tail -n 1 out)"

# ---- history ----
past() { "$dolly" journal "$1/journal" | jq -c 'select(.type == "job_submitted") | .phases[0] | [(.past_us | length), .past_seen, .past_straggled]'; }
map --dir h1 --nodes 4x1 -k 'sleep 0.0{}; :' ::: 5 5 5 5 2>/dev/null
map --dir h2 --pure --nodes 4x1 -k 'sleep 0.0{}; :' ::: 5 5 5 5 2>/dev/null
map --dir h3 --pure --nodes 4x1 -k --no-history 'sleep 0.0{}; :' ::: 5 5 5 5 2>/dev/null
map --dir h4 --pure --nodes 4x1 -k 'sleep 0.0{}; :' ::: 5 5 5 5 2>/dev/null
[ "$(past h1) $(past h3)" = '[0,null,null] [0,null,null]' ] && [ "$(past h2 | jq '.[0] == 4 and .[1] >= 4')" = true ] &&
    [ "$(past h4 | jq '.[0] == 8')" = true ] && "$dolly" journal h4/journal --verify >/dev/null
report $? 'a command is remembered, in the journal too; --no-history' "$(past h1; past h2; past h3; past h4)"
sed -i '2s/1/2/' "$XDG_STATE_HOME/dolly/history" 2>/dev/null
map --pure true ::: 1 2>err
grep -q 'history: damaged' err && map --pure true ::: 1 2>err && ! grep -q damaged err
report $? 'a damaged history is left out with a warning, and mended' "$(cat err)"
XDG_STATE_HOME=/proc/nowhere HOME=/proc/nowhere map --bar echo ::: a >out 2>err
[ $? -eq 0 ] && [ "$(cat out)" = a ]
report $? 'a history that cannot be written is no harm' "$(cat err)"

# ---- --json ----
map --json 'echo a{}; printf "\\377" >&2; test {} != 2' ::: 1 2 '"' >out 2>err
[ $? -eq 1 ] && [ ! -s err ] &&
    [ "$(jq -c '[.tasks, .done, .failed, .complete, .status]' out)" = '[3,2,1,true,1]' ] &&
    [ "$(jq -c '.results | sort_by(.seq)[] | [.seq, .state, .exit, .stdout, .stderr_base64]' out | xargs -d '\n')" = \
        '[1,"done",0,"a1\n","/w=="] [2,"failed",1,"a2\n","/w=="] [3,"done",0,"a\"\n","/w=="]' ]
report $? '--json: one object, outputs of any bytes' "$(cat out err)"
[ "$(map --json -k 'seq {} 200000' ::: 1 2 | jq -r '.results[].stdout' | md5sum)" = "$( (seq 1 200000; echo; seq 2 200000; echo) | md5sum)" ]
report $? '--json: large outputs' ''
[ "$(map --json echo </dev/null | jq -c '[.tasks, .results]')" = '[0,[]]' ]
report $? '--json: no tasks' ''
rm -f second
"$dolly" map --json -j1 'echo {}; test {} = 1 || { echo >second; sleep 60; }' ::: 1 2 >out 2>err &
await 60 'the second task runs' filled second
kill -TERM $!
wait $!
[ "$(jq -c '[.done, .complete, .status, .results[].stdout]' out)" = '[1,false,130,"1\n"]' ]
report $? '--json: an interrupted run closes its object' "$(cat out)"
"$dolly" map --json -k -j2 --dir behind 'test {} != 1 || sleep 60; echo {}' ::: 1 2 >out 2>err &
second_is_done() { "$dolly" journal behind/journal 2>/dev/null | grep -q '"type":"committed".*"task":1'; }
await 60 'the second task is done' second_is_done
kill -TERM $!
wait $!
[ "$(jq -c '[.done, [.results[] | .seq, .stdout]]' out)" = '[1,[2,"2\n"]]' ] && [ "$(sed 1d behind/joblog | cut -f 1)" = 2 ]
report $? '--json -k: an interrupted run has what is done behind a task that is not' "$(cat out err)"
refuses '--json with output of another kind' '--json prints one object' --json --tag echo ::: a
map --eta -j1 sleep ::: 0.1 0.1 2>err
grep -q '2 of 2 tasks done' err
report $? 'progress in plain lines' "$(cat err)"

# ---- nothing left behind ----
mark=$((RANDOM + 70000)).$$
[ "$(map -j2 "sleep $mark & setsid sleep $mark & echo" ::: 1 2 | sort | xargs)" = '1 2' ] && ! pgrep -f "sleep $mark" >/dev/null
report $? 'no process is left behind' ''
env --default-signal=INT "$dolly" map "echo >begun.{#}; sleep $mark #" ::: 1 2 2>/dev/null &
await 60 'two tasks run' filled begun.1 begun.2
kill -INT $!
wait $!
[ $? -ne 0 ] && ! pgrep -f "sleep $mark" >/dev/null && [ -z "$(ls "$TMPDIR")" ]
report $? 'nor after an interrupt' "$(ls "$TMPDIR")"
[ "$(map --tmpdir "$TMPDIR" 'head -c 300000000 /dev/zero; :' ::: 1 | wc -c)" = 300000000 ]
report $? 'large outputs' ''
[ -z "$(ls "$TMPDIR")" ]
report $? 'no file is left behind' "$(ls "$TMPDIR")"

# ---- folders of others ----
mkdir "$TMPDIR"/dolly-map-{fresh1,older1,killed,busy11} "$TMPDIR/dolly-mapping"
touch -d '2 minutes ago' "$TMPDIR/dolly-map-older1" "$TMPDIR/dolly-mapping"
echo '1 nowhere' | tee "$TMPDIR/dolly-map-killed/lock" >"$TMPDIR/dolly-map-busy11/lock"
flock "$TMPDIR/dolly-map-busy11/lock" sleep 60 &
holder=$!
is_held() { ! flock -n "$TMPDIR/dolly-map-busy11/lock" true; }
await 60 'a folder is locked' is_held
map true ::: 1
[ "$(ls -A "$TMPDIR" | xargs)" = 'dolly-map-busy11 dolly-map-fresh1 dolly-mapping' ]
report $? 'folders that a killed run has left are removed by the next one, no others' "$(ls -A "$TMPDIR")"
pkill -P "$holder"
wait "$holder" 2>/dev/null
rm -rf "$TMPDIR"/*

# ---- crashes ----

# Kills the coordinator at random points and resumes until all is done: no task may be missing, no
# line of the log may be there twice, every result must be whole, and nothing may be left over. What is left behind a
# killed run looks for no leaks as it ends: once in ten thousand times LeakSanitizer then waits for a lock for ever.
crash_and_resume() {
    local i pid status=1 rounds=0 live left
    all_gone() {
        live=$(pgrep -fc ": $mark")
        # A run killed before its guardian was there to clean up leaves a folder for the next one to remove.
        find "$TMPDIR" -mindepth 1 -maxdepth 1 -exec touch -d '2 minutes ago' {} +
        map true ::: 1
        left=$(ls -A "$TMPDIR")
        [ "$live" -eq 0 ] && [ -z "$left" ]
    }
    local -x ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
    rm -rf crash crash.log
    while [ "$status" -ne 0 ] && [ "$rounds" -lt 60 ]; do
        "$dolly" map -j3 --resume --joblog crash.log --results crash \
            "sleep 0.0\$((RANDOM % 5)); seq {} 1000; : $mark" ::: {1..40} >/dev/null 2>&1 &
        pid=$!
        rounds=$((rounds + 1))
        [ "$rounds" -ge 30 ] || { sleep "0.0$((RANDOM % 10))"; kill -9 "$pid" 2>/dev/null; }
        wait "$pid" 2>/dev/null
        status=$?
    done
    for i in {1..40}; do
        cmp -s "crash/1/$i/stdout" <(seq "$i" 1000) || { echo "result $i"; return 1; }
    done
    [ "$(awk -F'\t' 'NR > 1 {print $1}' crash.log | sort -n | xargs)" = "$(echo {1..40})" ] ||
        { echo "log: $(cut -f1 crash.log | xargs)"; return 1; }
    await 20 'nothing is left' all_gone && return
    echo "left: $live processes, $left; $(ps -o pid,ppid,etimes,stat,wchan:20,args -p "$(pgrep -d, -f ": $mark")")"
    return 1
}
for round in 1 2 3; do
    out=$(crash_and_resume 2>&1)
    report $? "killed at random points and resumed, $round" "$out"
done
map -j2 --joblog log4 'test {} = 1 && kill -9 $PPID; sleep 0.2; echo {}' ::: 1 2 >out 2>err
[ $? -eq 255 ] && grep -q guardian err && [ -z "$(ls "$TMPDIR")" ]
report $? 'a killed guardian fails the run and leaves nothing' "$(cat err)"
gives 'tasks that ignore TERM end all the same' 1 '' --timeout 0.3 'trap "" TERM; sleep 60' ::: 1
gives 'a daemon does not outlive its task' 0 x 'setsid sleep 60 >/dev/null 2>&1 & echo x; :' ::: 1
# It hides in every way but one: it holds the stdout of task 1, whose place a later task gets while task 2 is running.
cat >hider <<'END'
for fd in 3 4 5 6 7 8 9; do eval "exec $fd>&-"; done
echo $$ >hidden
until [ -e come ]; do sleep 0.02; done
echo LATE
touch said
exec sleep 60
END
cat >hides <<'END'
case $1 in
1) (env -i setsid sh ./hider &) ; until [ -s hidden ]; do sleep 0.02; done ;;
2) until [ -e done ]; do sleep 0.02; done ;;
4) touch come; until [ -e said ] || ! kill -0 "$(cat hidden)" 2>/dev/null; do sleep 0.02; done; echo 4 ;;
6) echo 6; touch done ;;
*) echo "$1" ;;
esac
END
for folder in "" "--dir $tmp/hiders"; do
    rm -f hidden come said done
    # shellcheck disable=SC2086
    gives "nor does it print into the output of another${folder:+, with a folder}" 0 $'3\n4\n5\n6' $folder -j2 'sh ./hides' ::: {1..6}
done

# ---- what a task takes ----
most() { map "$@" -k 'sleep 0.3; echo {%}' ::: 1 2 3 4 | sort -n | tail -1; }
[ "$(most -j4 --cpus 2)" = 2 ]
report $? 'tasks of two cores, two at a time on four'
[ "$(most -j2 --cpus 0.5)" = 4 ]
report $? 'tasks of half a core, four at a time on two'
mib=$(($(getconf _PHYS_PAGES) / 1024 * $(getconf PAGE_SIZE) / 1024))
[ "$(most -j4 --mem $((mib * 2 / 5))M)" = 2 ]
report $? 'tasks of two fifths of the memory, two at a time'

# ---- refusals ----
refuses 'options of GNU parallel that are not supported' '--sshlogin of GNU parallel is not supported' --sshlogin h echo ::: a
refuses 'unknown options' 'did you mean --joblog' --joblogg f echo ::: a
refuses 'bad -j' '-j: expected' -j x echo ::: a
refuses 'a task that wants more cores than there are' '--cpus 3: no node has more than 2' -j2 --cpus 3 echo ::: a
refuses 'a task that wants more memory than there is' '--mem 104857600M: no node has more than' --mem 100T echo ::: a
refuses 'bad --cpus' '--cpus: expected a number' --cpus 0 echo ::: a
refuses 'bad --mem' '--mem: expected' --mem -1 echo ::: a
refuses 'bad --halt' '--halt: expected' --halt never-ever echo ::: a
refuses 'bad --chaos' '--chaos: expected' --chaos fire=1 echo ::: a
refuses 'a share that is none' '--chaos slow=2x8: the share must be between 0 and 1' --chaos slow=2x8 echo ::: a
refuses 'a factor that is none' '--chaos slow=0.1x0.5: the factor must be between 1 and 1000' --chaos slow=0.1x0.5 echo ::: a
refuses 'two policies' 'a run has one policy, not 2' --pure --policy none,dolly echo ::: a
refuses '--retry is not --retries' 'to try failing tasks again: --retries N' --retry 3 echo ::: a
refuses '--policy without --pure' 'commands must be allowed to run twice' --policy dolly echo ::: a
gives '--policy none runs nothing twice' 0 a --policy none --lb echo ::: a
map --dir used true ::: 1
refuses 'a folder that holds a run' 'already holds a run; `dolly resume` continues it' --dir used echo ::: a
map echo ::: >out 2>err
[ $? -eq 0 ] && [ ! -s out ] && [ "$(cat err)" = 'dolly map: no arguments after :::, nothing to do' ]
report $? 'nothing behind :::' "$(cat err)"
map cat ::: '*.nofile' >out 2>err
[ $? -eq 1 ] && [ "$(tail -n 1 err)" = 'dolly map: the shell found no file for *.nofile' ]
report $? 'a pattern that fits no file is told of' "$(cat err)"
map -k nosuchcmd ::: 1 2 3 4 5 >out 2>err
[ $? -eq 5 ] && [ "$(wc -l <err)" = 2 ] && [ "$(tail -n 1 err)" = 'dolly map: nosuchcmd: no such command (tasks 1, 2, 3 and 2 more)' ]
report $? 'a command that does not exist is named once' "$(cat err)"
map -k --tag nosuchcmd ::: 1 2 >out 2>err
[ $? -eq 2 ] && [ "$(cut -f 1 err)" = $'1\n2' ]
report $? '... but with tags each line is of its task' "$(cat err)"
map -k 'echo "key: not found" >&2; exit {}' ::: 1 127 1 >out 2>err
[ $? -eq 3 ] && [ "$(grep -c '^key: not found$' err)" = 3 ]
report $? '... and what a program says itself is printed each time' "$(cat err)"
map 'echo {}; exit 1' ::: 'a*' >out 2>err
[ $? -eq 1 ] && ! map echo ::: 'a*' 2>&1 | grep -q 'no file'
report $? '... where a task has failed' "$(cat err)"

(
    ulimit -n 64
    map echo ::: a
) >out 2>err
[ $? -eq 255 ] && [ "$(cat err)" = 'dolly map: ulimit -n is 64, and at least 128 open files are needed' ]
report $? 'too few open files' "$(cat err)"
(
    ulimit -S -n 64
    map echo ::: a
) >out 2>err
[ $? -eq 0 ] && [ "$(cat out)" = a ]
report $? '... unless there may be more' "$(cat err)"

# ---- policies ----
# policy_of ARGS...: the policy that the journal of a run with these has.
policy_of() {
    rm -rf policy
    map --dir policy "$@" true ::: 1 2>/dev/null
    "$dolly" journal policy/journal | jq -rs '.[0].policy'
}
p=$(policy_of --pure)
[[ $p = *mitigate=shepherd* && $p = *cap=1\;* && $p = *network=none* ]]
report $? 'the default takes what is idle' "$p"
p=$(policy_of --pure --policy dolly)
[[ $p != *mantri* && $p = *budget=idle* ]]
report $? '--policy dolly takes what is idle' "$p"
map --pure --no-history --policy dolly --set budget=cluster --nodes 40x1 true ::: {1..10} 2>err
grep -q '^dolly: no clones: they would have taken .* slots, and the budget allowed 2; --set budget=idle lifts this limit' err
report $? 'a summary without clones says why' "$(cat err)"
map --pure --no-history --policy none true ::: 1 2 2>err
grep -q '^dolly: no clones: the policy is `none`' err
report $? 'a summary of --policy none' "$(cat err)"
refuses 'a file that is not there' 'no-such-file' -a no-such-file echo
refuses 'Perl expressions' 'Perl' echo '{= s/a/b/ =}' ::: a
refuses 'a policy without permission' '--policy needs' --policy dolly echo ::: a
refuses 'an unknown policy' 'nosuch' --pure --policy nosuch echo ::: a

closing
