#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Runs through agents on this machine (--on local:N): tests/e2e/remote/agents.sh build/dolly
#
# The same outputs as without, whoever is killed; nothing left; strangers are refused, and nobody
# else notices. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/remote/agents.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
mkdir "$tmp/tmp" "$tmp/scratch"
export TMPDIR=$tmp/tmp
. tests/lib/checks.sh
lib=$PWD/tests/lib
cd "$tmp" || exit 2
mark=87.$$$RANDOM # seconds to sleep, and a word that nobody else has in its arguments

# map ARGS...: leaves the output in out and err, and the status in $status.
map() {
    timeout -k 1 60 "$dolly" map "$@" >out 2>err </dev/null
    status=$?
}
exits() { [ "$status" = "$1" ] || { echo "status $status, want $1"; cat err; return 1; }; }
prints() { [ "$(sort out | xargs)" = "$1" ] || { echo "prints '$(sort out | xargs)', want '$1'"; return 1; }; }
says() { grep -q -e "$1" err || { echo "does not say '$1':"; cat err; return 1; }; }
one_line() { [ "$(wc -l <err)" = 1 ] || { echo "not one line:"; cat err; return 1; }; }
logs() { grep -q -e "$1" "$2/agents.log" || { echo "no '$1' in the log:"; cat "$2/agents.log"; return 1; }; }
agents() { pgrep -f "agent --connect 127.0.0.1:$port .*--name $1( |$)"; } # the supervisors come first
left() { pgrep -fa "$mark"; agents '.*'; find "$TMPDIR" scratch -mindepth 1; }
none_left() { [ -z "$(left)" ]; }
nothing_left() { await 20 'nothing is left' none_left || { left; return 1; }; }
all() { # each of the commands
    local c
    for c in "$@"; do eval "$c" || return 1; done
}
has_lines() { [ "$({ grep -e "$2" "$1" 2>/dev/null; true; } | wc -l)" -ge "$3" ]; }
# waits FILE PATTERN [COUNT]: until so many lines of the file match.
waits() { await 60 "$1 has ${3:-1} of: $2" has_lines "$1" "$2" "${3:-1}"; }
# Where the run in the folder listens.
finds_port() { waits "$1/agents.log" 'joined' "${2:-1}" && port=$(sed -n 's/.* listening on port //p' "$1/agents.log"); }
port=0

# ---- what is left of a crash ----

# The coordinator, the agent, its session and what hands out outputs leave no core, which would hold the key; tasks may.
core_limits() { # of processes: the soft ones
    local pid
    for pid; do sed -n 's/^Max core file size *\([^ ]*\) .*/\1/p' "/proc/$pid/limits" 2>/dev/null; done | sort | uniq -c | xargs
}
if ulimit -S -c unlimited 2>/dev/null; then
    # A sanitizer would set the limit itself.
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}disable_coredump=0 "$dolly" map --on local:1 --dir cores 'ulimit -c; until [ -e crashed ]; do sleep 0.05; done; : {}' ::: 1 >out 2>err &
    pid=$!
    finds_port cores && mapfile -t all_of_them < <(agents local1)
    limits=$(core_limits "$pid" "${all_of_them[@]}")
    copies=$("$lib/key-in-core" cores/agents.key "$pid" "${all_of_them[@]}" 2>&1)
    hidden=$?
    : >crashed
    wait "$pid"
    ok 'processes that hold the key leave no core' eval '{ [[ $limits == *\ 1 ]] && [ "${limits%% *}" -ge 3 ] && [ "$(wc -w <<<"$limits")" -eq 2 ]; } || { echo "$limits"; false; }'
    ok 'where one is made all the same, the key is not in it' eval '[ $hidden -eq 0 ] || { echo "$copies"; false; }'
    ok 'tasks get the limit that the user has' eval '[ "$(cat out)" = unlimited ] || { cat out err; false; }'
    ulimit -S -c 0
else
    skip 'what is left of a crash' 'no core files are allowed here'
fi

# In a folder that others may see, with a mask that forbids nothing, what a run with agents has there is for its user alone.
mkdir -m 755 seen
(umask 0; exec timeout -k 1 60 "$dolly" map --on local:2 --dir seen 'find seen -mindepth 1 -perm /077 >&2; echo {}' ::: 1 2 >out 2>err </dev/null)
status=$?
ok 'a run with agents shows nothing to others' all 'exits 0' 'prints "1 2"' '[ ! -s err ] || { cat err; false; }'
rm -r seen

map --on local:1 --output 'o.%N.%a' 'echo {}' ::: 1
ok '%N, which is no node of an agent, is refused' all 'exits 255' 'says "cannot be combined with --on"' one_line

# ---- by ssh ----

# A host that is this machine, with an environment of its own.
mkdir host
cat >host/ssh <<END
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
exec env -i PATH="$PATH:$tmp/host/own" TMPDIR="$TMPDIR" THERE=host BOTH=host sh -c "\$3"
END
chmod +x host/ssh
echo h1 >host/list
# over_ssh ARGS...: a run there, with variables and a function here.
over_ssh() {
    go() { echo "went $1"; }
    export -f go
    PATH=$tmp/host:$PATH HERE='a  "b"' BOTH=here NAMED=no PARALLEL_SHELL=/bin/bash map --on ssh:host/list --listen 127.0.0.1 "$@"
}
shows='echo "$HERE|$BOTH|$THERE|$NAMED|$(env | grep -c ^BOTH=)|${PATH##*/host/}"; : {}'
over_ssh --env HERE --env BOTH,go "$shows; go {}" ::: 1
ok 'variables and functions that --env names reach hosts by ssh, no others, once each' all 'exits 0' \
    '[ "$(cat out)" = "a  \"b\"|here|host||1|own"$'"'\n'"'"went 1" ] || { cat out err; false; }'
over_ssh "$shows" ::: 1
ok '... and none without' all 'exits 0' '[ "$(cat out)" = "|host|host||1|own" ] || { cat out err; false; }'
over_ssh --env HERE --env MISSING "$shows" ::: 1
ok '... and one that is not there is refused' all 'exits 255' 'says "--env MISSING: not a variable of this shell"' one_line

# ---- what killed agents have left ----

mkdir swept swept/dolly-agent.{fresh,killed,busy}.123456 swept/dolly-agents
echo '1 nowhere' | tee swept/dolly-agent.killed.123456/lock >swept/dolly-agent.busy.123456/lock
exec 6>>swept/dolly-agent.busy.123456/lock
flock 6
map --on local:1 --scratch swept 'echo {}' ::: 1
ok 'an agent removes what killed ones have left, and no more' all 'exits 0' 'prints 1' \
    '[ "$(ls swept | xargs)" = "dolly-agent.busy.123456 dolly-agent.fresh.123456 dolly-agents" ] || { ls swept; false; }'
exec 6>&-

# ---- the same as without ----

task='echo {} $((({} * 7919) % 100)); seq {}0 | tail -n 3 >&2; [ {} != 9 ] || exit 3'
map -k -j4 "$task" ::: {1..25}
mv out want && mv err want.err
map -k -j2 --on local:3 "$task" ::: {1..25}
ok 'outputs, errors and status are those of a run without agents' all 'exits 1' 'cmp out want' 'cmp err want.err' nothing_left
map -k -j2 --on local:3 --pull --scratch scratch "$task" ::: {1..25}
ok 'also where outputs are fetched' all 'exits 1' 'cmp out want' 'cmp err want.err' nothing_left
map -j2 --on local:3 --joblog hosts echo ::: 1 2 3 4 && map -j2 --joblog here echo ::: 1
ok 'the job log names nodes, and this machine by a colon' all '[ "$(sed 1d hosts | cut -f2 | sort -u | grep -cE "^[a-z0-9.-]+$")" -ge 1 ]' '! cut -f2 hosts | grep -q :' '[ "$(sed 1d here | cut -f2)" = : ]'

map -k --on local:2 --pull 'seq {}; seq {} >&2' ::: 100000 1 300000
seq 100000 >want && seq 1 >>want && seq 300000 >>want
ok 'long outputs are fetched in pieces' all 'exits 0' 'cmp out want' 'cmp err want' nothing_left

cat >dag.workload <<'END'
job dag user=ann
  phase make tasks=4 command="echo line $DOLLY_TASK_ID"
  phase sort tasks=4 after=make pattern=one-to-one command="tr a-z A-Z"
  phase all after=sort command="cat $DOLLY_INPUT_DIR/*"
END
"$dolly" exec dag.workload --dir plain --cluster 3x1 >/dev/null
"$dolly" exec dag.workload --dir dag --on local:3 --policy dolly >out 2>err
status=$?
ok 'a DAG of phases through the folder of the run' all 'exits 0' 'diff -r plain/out dag/out' \
    '[ "$(cat dag/out/0/all/0 | wc -l)" = 4 ]' '"$dolly" journal dag/journal --verify' nothing_left

"$dolly" exec dag.workload --dir blind --on local:3 --pull >out 2>err
status=$?
ok 'but not where nodes do not see it, and that is said' all 'exits 1' 'says "tasks read from .*/blind, which .* (--pull)"' nothing_left

map --on local:3 --pure --set cap=1 -j2 --chaos slow=0.3x5 --seed 3 --dir cloned "sleep 0.0{}; echo {}" ::: {1..6}
ok 'clones run on them' all 'exits 0' 'prints "1 2 3 4 5 6"' '"$dolly" journal cloned/journal --verify' nothing_left

# The first attempt of the second task never ends. There is room for a clone of it, if only for one, on another node.
map -j1 --on local:4 --pure --dir stuck "mkdir first.{} 2>/dev/null && [ {} = 2 ] && sleep $mark; echo {}" ::: 1 2 3
elsewhere() {
    "$dolly" journal "stuck/journal" | jq -s -e 'map(select(.type == "launch" and .task == 1) | .node) | length > 1 and length == (unique | length)' \
        || "$dolly" journal stuck/journal
}
ok 'a few nodes have room for a clone, elsewhere' all 'exits 0' 'prints "1 2 3"' elsewhere nothing_left

# ---- kill -9 ----

# Kills what `agents NAME` lists as its Nth (1, 2: the supervisors, 3: the session) while tasks run.
killed() { # DIR, N
    rm -rf "$1" begun && : >begun
    map -j2 --on local:2 --retries 5 --pure --policy none --dir "$1" 'echo {} >>begun; while [ $(wc -l <begun) -lt 5 ]; do sleep 0.02; done; echo {}' \
        ::: {1..6} &
    finds_port "$1" 2 && waits begun . 4
    kill -9 "$(agents local1 | sed -n "$2p")"
    waits "$1/agents.log" 'joined local1' 2
    echo >>begun
    wait
    [ "$(sort out | xargs)" = '1 2 3 4 5 6' ] || { cat out err; return 1; }
    logs 'left local1' "$1" && "$dolly" journal "$1/journal" --verify && nothing_left
}
ok 'an agent is killed: it comes back, and its tasks run again' killed session 3
ok 'its supervisor is killed: it comes back as well' killed supervisor 2
ok 'the supervisor above that is killed: another agent is started' killed top 1

: >begun
# Tasks say who is at the top of their agent; the fourth to the seventh wait.
parent='awk "{ print \$4 }"'
above="$parent /proc/\$($parent /proc/\$PPID/stat)/stat >>above; echo {} >>begun"
waiting="$above; [ {} -lt 4 ] || [ -e go ] || sleep $mark; echo {}"
no_task() { ! pgrep -f "^sleep $mark" >/dev/null; }
"$dolly" map -j2 --on local:2 --pure --policy none --dir whole "$waiting" ::: {1..9} >out 2>err &
finds_port whole 2 && waits begun . 7
kill -9 $!
wait $! 2>/dev/null
ok 'the coordinator is killed: agents end what they run' await 60 'tasks end' no_task
touch go
timeout -k 1 60 "$dolly" resume whole >>out 2>err
status=$?
ok 'and go on with the next one' all 'exits 0' 'prints "1 2 3 4 5 6 7 8 9"' "logs 'joined local1' whole" \
    '[ "$(sort -u above | wc -l)" = 2 ] || { cat above whole/agents.log; false; }' nothing_left
rm -f go && : >begun
"$dolly" map -j2 --on local:2 --pure --policy none --dir left "$waiting" ::: {1..9} >out 2>err &
finds_port left 2 && waits begun . 7
kill -9 $!
wait $! 2>/dev/null
rm left/agents.at
ok 'and leave when nobody will resume the run' nothing_left

# A run whose outputs are all there holds its folder until its journal is closed. A supervisor that is stopped keeps
# it from that for a while.
ending() {
    "$dolly" map -j1 --on local:1 --dir ending 'until [ -e done ]; do sleep 0.02; done; echo {}' ::: 1 >out 2>err &
    local supervisor
    finds_port ending && supervisor=$(agents local1 | head -n 1) && kill -STOP "$supervisor"
    touch done
    waits out 1
    timeout 60 "$dolly" resume ending >again 2>&1
    grep -q -e 'the run is still active' -e 'the run is complete' again || { cat again; return 1; }
    kill -CONT "$supervisor" 2>/dev/null
    wait
    "$dolly" journal ending/journal --verify && nothing_left
}
ok 'nobody resumes a run that is about to end' ending

# ---- leases ----

# Writes who runs to the log of a task, twice in a row if nobody else does, until the file `enough` is there.
cat >tick <<'TICK'
#!/usr/bin/perl
my ($id, $mark) = @ARGV;
open my $log, '>>', "ticks.$id" or die;
$log->autoflush(1);
until (-e 'enough') { print $log "$$\n"; select undef, undef, undef, 0.02 }
print "$id\n";
TICK
chmod +x tick
# How often one process wrote after another had begun, in all logs: more than once each is an overlap.
overlaps() { local f; for f in ticks.*; do uniq "$f" | sort | uniq -d; done | wc -l; }
runs() { local f; for f in ticks.*; do uniq "$f" | sort -u | wc -l; done | sort -u | xargs; }
runs_are() { [ "$(runs)" = "$1" ]; }
ticking() { waits ticks.1 . 3 && waits ticks.2 . 3 && waits ticks.3 . 3 && waits ticks.4 . 3; }

# A coordinator that is stopped for longer than its agents would wait for it.
rm -f ticks.* enough
"$dolly" map -j2 --on local:2 --lease 5s --dir held "./tick {} $mark" ::: 1 2 3 4 >out 2>err &
pid=$!
finds_port held 2 && ticking
kill -TSTP "$pid"
sleep 6
kill -CONT "$pid"
: >enough
wait "$pid"
status=$?
ok 'a coordinator that is stopped and goes on has lost nothing' all 'exits 0' 'prints "1 2 3 4"' '[ "$(runs)" = 1 ]' \
    '! grep -q "left local" held/agents.log' '[ ! -e held/agents.held ]' nothing_left

# The session of the agent that has the tasks is stopped, alone or with a supervisor, for longer than the lease.
for who in 3 2,3 '1p;3'; do
    rm -rf ticks.* enough leased
    "$dolly" map -j4 --on local:1-2 --lease 5s --dir leased "./tick {} $mark" ::: 1 2 3 4 >out 2>err &
    pid=$!
    finds_port leased 1 && ticking
    stopped=$(agents local1 | sed -n "${who}p" | xargs)
    kill -STOP $stopped
    await 60 'tasks run again' runs_are 2
    kill -CONT $stopped 2>/dev/null
    sleep 0.3
    : >enough
    wait "$pid"
    status=$?
    ok "commands end with the lease of their agent when it is stopped (process $who), and run again then" all 'exits 0' \
        'prints "1 2 3 4"' '[ "$(runs)" = 2 ]' '[ "$(overlaps)" = 0 ]' nothing_left
done

# A host whose agents are not below the coordinator, which would end what they leave behind: this test starts them.
mkdir far && mkfifo far/door && echo h1 >far/list
cat >far/ssh <<END
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
printf '%s' "\$3" >"$tmp/far/command.\$\$"
echo \$\$ >"$tmp/far/door"
exec sleep 300
END
chmod +x far/ssh
while read -r ssh; do
    { sh -c "$(<"far/command.$ssh")" <"/proc/$ssh/fd/0" 2>"/proc/$ssh/fd/2"; kill "$ssh"; } >/dev/null 2>&1 &
done <>far/door &
door=$!
# Of the three processes of an agent some are killed in the same instant: all are stopped before, and those that remain
# go on afterwards. The command has a shell above it: the kernel kills only the children of a session with it.
for who in 3 2 1 '2,3' '1p;3' '1,2'; do
    rm -rf ticks.* enough struck
    PATH=$tmp/far:$PATH "$dolly" map -j4 --on ssh:far/list --listen 127.0.0.1 --lease 5s --dir struck "./tick {} $mark; :" ::: 1 2 3 4 >out 2>err &
    pid=$!
    finds_port struck 1 && ticking
    three=$(agents '[^ ]*h1')
    kill -STOP $three
    kill -9 $(sed -n "${who}p" <<<"$three")
    kill -CONT $three 2>/dev/null
    await 60 'tasks run again' runs_are 2
    again=$(agents '[^ ]*h1')
    sleep 0.3
    : >enough
    wait "$pid"
    status=$?
    ok "commands end when processes of their agent are killed at once (process $who), and run again then" all 'exits 0' \
        'prints "1 2 3 4"' '[ "$(runs)" = 2 ]' '[ "$(overlaps)" = 0 ]' nothing_left
    [[ $who == *1* ]] || ok "... the first process, if it is left, starts the others again (process $who)" grep -qx "${three%%$'\n'*}" <<<"$again"
done
kill "$door"

rm -f ticks.* enough
all_lost() { [ "$(wc -l <lost.log)" = 5 ]; }
"$dolly" map -j4 --on local:1-2 --lost fail --dir lost --joblog lost.log "./tick {} $mark" ::: 1 2 3 4 >out 2>err &
pid=$!
finds_port lost 1 && ticking
kill -9 $(agents local1 | sed -n 3p)
await 60 'four tasks are lost' all_lost
: >enough
wait "$pid"
status=$?
ok 'a command that is lost has failed, if it must not run again' all 'exits 4' 'prints ""' '[ "$(runs)" = 1 ]' \
    '[ "$(sed 1d lost.log | cut -f8 | sort -u)" = 9 ]' 'says "agent local1) is gone"' nothing_left
map --lost maybe --on local:2 true ::: 1
ok 'what is lost runs again or fails' all 'exits 255' 'says "expected .again. or .fail., not .maybe."'
map --lease 1s --on local:2 true ::: 1
ok 'a lease has room for beats' all 'exits 255' 'says "from 5s to 24h"'
rm -f ticks.* enough

# Asked to leave at any moment, also before it has begun.
early() {
    local i
    head -c 32 /dev/urandom | od -An -tx1 -v | tr -d ' \n' >early.key
    for i in 00 01 02 03 04 05 06 08 10 15; do
        "$dolly" agent --connect 127.0.0.1:1 --key-fd 0 --name early <early.key >/dev/null 2>&1 &
        sleep 0.0$i
        kill $!
        wait $!
    done
    nothing_left
}
ok 'an agent that is asked to leave early leaves nothing' early

# ---- strangers ----

: >begun
began=$(date +%s)
map -j1 --on local:2 --dir strangers 'echo {} >>begun; while [ ! -e end ]; do sleep 0.02; done; echo {}' ::: 1 2 3 &
finds_port strangers 2 && waits begun . 2
other() { timeout 60 "$@" --connect "127.0.0.1:$port" >other 2>&1 </dev/null; }
cp "$dolly" another && echo >>another
seq 1000 | head -c 32 | xxd -p -c 64 >wrong.key && chmod 600 wrong.key
other ./another agent --key-file strangers/agents.key --name n9
status=$?
ok 'another program is refused by name, for good' all 'exits 2' 'grep -q "refused this agent: its program differs" other' \
    "logs 'refused 127.0.0.1:[0-9]* *: its program' strangers"
other "$dolly" agent --key-file wrong.key --name n9
ok 'another key as well' all 'grep -q "does not have the key of this agent" other' "logs 'refused 127.0.0.1:[0-9]*: ' strangers"
other "$dolly" agent --key-file strangers/agents.key --name local1
status=$?
ok 'two agents of one name, for now' all 'exits 1' "grep -q 'an agent of the same name is connected' other"
other "$dolly" agent --key-file strangers/agents.key --name n9
ok 'one too many' grep -q 'the maximum number of agents is connected' other
both_listed() {
    "$dolly" agents strangers --json | jq -e '[.agents[] | "\(.name) \(.state) \(.running)"] | sort ==
        ["local1 here 1", "local2 here 1"]' >/dev/null
}
listed() { await 20 'both are listed' both_listed || { "$dolly" agents strangers; return 1; }; } # written about each second
ok 'dolly agents lists who is there' listed
mkdir -p nobody && : >nobody/agents
ok 'and says that nobody is' grep -qx 'No agent has connected yet\.' <("$dolly" agents nobody)
at_work() {
    "$dolly" agents strangers --tasks >shown && "$dolly" agents strangers --tasks --json >shown.json || return 1
    cat shown shown.json
    [ "$(awk 'NR > 1 { print $2, $NF }' shown | sort | xargs)" = '1 1 2 2' ] && [ "$(awk 'NR > 1 { print $1 }' shown | xargs)" = 'local1 local2' ] &&
        jq -e --argjson from "$began" '(.tasks | length) == 2 and .waiting == [] and ([.tasks[] | .command | test("^echo [12] >>begun; ")] | all) and
            ([.tasks[] | .since | fromdate | . >= $from - 1 and . <= now + 1] | all)' shown.json
}
ok '... and what they run, since when' at_work
for _ in {1..70}; do
    exec 8<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.0\r\n\r\n' >&8 && exec 8>&-
done 2>/dev/null
touch end
wait
ok 'nobody else notices' all 'prints "1 2 3"' '! grep -q "left local" strangers/agents.log' nothing_left

# ---- data-parallel jobs ----

run() { # ARGS...
    timeout -k 1 60 "$dolly" run "$@" >out 2>err </dev/null
    status=$?
}
(cd "$OLDPWD" && "$dolly" run examples/jobs/wordcount.yaml --output "$tmp/counts" 2>/dev/null
    timeout -k 1 60 "$dolly" run examples/jobs/wordcount.yaml --output "$tmp/counts4" --on local:4 --slots 1 --journal "$tmp/counts4.journal" 2>"$tmp/err" </dev/null)
status=$?
ok 'word count on agents is word count' all 'exits 0' 'diff -r counts counts4' '"$dolly" journal counts4.journal --verify' nothing_left
# A slot each, and two pieces that wait for each other: how soon agents come does not matter.
printf 'a\nb\n' >pair
cat >pair.yaml <<END
input: $tmp/pair
output: $tmp/met
split: 2
phases:
  - {name: map, clone: never, run: 'touch $tmp/met.\$mapreduce_task_partition; until [ -e $tmp/met.0 ] && [ -e $tmp/met.1 ]; do sleep 0.05; done; cat'}
END
run "$tmp/pair.yaml" --on local:2 --slots 1
ok 'tasks of a job run on several of them at once' all 'exits 0' '[ "$(cat met/part-* | sort | xargs)" = "a b" ]' nothing_left

# Readers begin early; the last piece waits for `go`. Who runs is noted.
seq 1000 >numbers
cat >shuffle.yaml <<END
input: $tmp/numbers
output: $tmp/shuffled
split: 500
phases:
  - {name: map, clone: never, run: 'echo map \$mapreduce_task_partition >>$tmp/ran; [ \$mapreduce_task_partition != 7 ] || until [ -e $tmp/go ]; do sleep 0.05; done; cat'}
  - {name: reduce, after: map, tasks: 2, clone: never, slowstart: 10%, run: 'cut -f 1'}
END
in_shuffle() { # all other pieces are done, and both readers have read something
    local readers
    "$dolly" journal shuffled/_temporary/run/journal >journal 2>/dev/null
    readers=$(grep '"fetch_done"' journal | grep -o '"task":[01],"attempt":[0-9],"source"' | sort -u | wc -l)
    [ "$(grep -c '"type":"committed"' journal)" -ge 7 ] && [ "$readers" -ge 2 ]
}
begin() {
    rm -rf shuffled go && : >ran
    run "$tmp/shuffle.yaml" --on local:2 --slots 3 &
    finds_port shuffled/_temporary/run 2 && await 60 'both read' in_shuffle
}
shuffles() { # with nothing run again that was done
    sort -n shuffled/part-* | cmp - numbers && [ -e shuffled/_SUCCESS ] && nothing_left || { cat err; return 1; }
    [ "$(grep -c 'map [0-6]' ran)" = 7 ] || { cat ran; return 1; }
}
killed_in_shuffle() {
    begin && kill -9 "$(agents local1 | sed -n 3p)" && waits shuffled/_temporary/run/agents.log 'left local1'
    touch go
    wait
    shuffles
}
ok 'an agent is killed in the shuffle: what it has committed is there' killed_in_shuffle
tops() { echo $(agents local1 | head -n 1) $(agents local2 | head -n 1); }
cut_in_shuffle() { # the agents stay for the next coordinator, which starts no others
    local before after
    begin && before=$(tops) && pkill -9 -f "^$dolly run $tmp/shuffle.yaml"
    wait
    timeout -k 1 60 "$dolly" resume shuffled >out 2>err </dev/null &
    waits shuffled/_temporary/run/agents.log 'joined' 4
    after=$(tops)
    touch go
    wait $! && [ "$after" = "$before" ] || { echo "$before, then $after"; cat err; return 1; }
    shuffles
}
ok 'its coordinator is: others go on, on the same agents' cut_in_shuffle
run shuffle.yaml --output nowhere --on local:2 --nodes 2x2
ok 'virtual nodes and agents' all 'exits 2' 'says "exclude each other"' one_line '[ ! -e nowhere ]'
run shuffle.yaml --output nowhere --on cloud:2
ok 'an unknown way leaves nothing behind' all 'exits 2' 'says "expected .*local:N"' one_line '[ ! -e nowhere ]'

# ---- a node that is broken ----

# Each task waits, in its first life, until its node is broken.
broken() { # NAME ERROR COMMAND...: breaks local1 when both nodes are busy
    local name=$1 error=$2
    shift 2
    rm -f go && : >begun
    mkdir -p "scratch/$name"
    timeout -k 1 60 "$dolly" map --on local:2 --pull -j2 -k --scratch "scratch/$name" --dir "$name" \
        'echo >>begun; until [ -e go ]; do sleep 0.05; done; echo {}' ::: {1..16} >out 2>err </dev/null &
    local pid=$!
    finds_port "$name" 2 && waits begun '' 4 && "$@"
    : >go
    wait $pid
    status=$?
    all 'exits 0' 'cmp out <(seq 16)' "says 'node local1 cannot run tasks .$error.: dolly sends it none for a minute'" one_line
}
ok 'its scratch is gone: the other node does all, and one line says so' \
    broken vanished 'No such file or directory' eval 'rm -rf scratch/vanished/dolly-agent.local1.*'
ok '... its scratch has become a file' \
    broken replaced 'Not a directory' eval 'for d in scratch/replaced/dolly-agent.local1.*; do mv $d gone.local1 && : >$d; done'
starves() { local p; for p in $(agents local1); do prlimit --pid "$p" --nofile=12 || return 1; done; }
ok '... it has no descriptors left' broken starved 'Too many open files' starves
rm -rf gone.local1 scratch/*

# ---- by Slurm, which is slow to cancel ----

mkdir slurm
printf '#!/bin/sh\necho 5\n' >slurm/sbatch
cat >slurm/squeue <<'END'
#!/bin/sh
printf '{"jobs": [{"job_id": 5, "name": "%s", "comment": "1", "job_state": "PENDING",' "$(cat queued/slurm-name)"
printf ' "state_reason": "Priority", "node_count": 1}]}\n'
END
cat >slurm/scancel <<'END'
#!/bin/sh
: >asked
until [ -e cancel ]; do sleep 0.05; done
echo "$@" >cancelled
END
chmod +x slurm/*
# `timeout` signals its child and then the group of both, and the second may come when the first has been seen to.
signalled_twice() {
    (unset "${!SLURM_@}" && PATH=$tmp/slurm:$PATH DOLLY_MUNGE_SOCKET=none exec "$dolly" map --on slurm:1 --json --dir queued echo ::: 1 >out 2>err) &
    local pid=$!
    waits err 'Slurm job 5 for 1 node waits: Priority' && kill -TERM $pid && await 60 'scancel is asked' test -e asked && kill -TERM $pid
    waits err "without waiting: scancel --me --name=$(cat queued/slurm-name)"
    : >cancel
    wait $pid
    status=$?
    all 'exits 130' '[ "$(cat cancelled)" = "--me --name=$(cat queued/slurm-name)" ]' 'jq -e ".complete == false and .tasks == 1" out'
}
ok 'a second signal does not keep a run from cancelling its Slurm jobs and from its last words' signalled_twice

# ---- bad input ----

bad() { # NAME STATUS TEXT ARGS...
    local name=$1 want=$2 text=$3
    shift 3
    map "$@" echo ::: 1
    ok "bad input: $name" all "exits $want" "says '$text'" nothing_left
}
bad 'an unknown way' 255 'expected .*local:N' --on cloud:3
map --on local:1 --pull --pipe -a want wc
ok 'bad input: what nodes do not see' all 'exits 255' 'says "nodes do not see the folder"' one_line nothing_left
bad 'no agents' 255 'from 1 to 4096' --on local:0
bad 'no number' 255 'expected local:N' --on local
bad 'scratch that is not there' 255 'cannot make a folder for scratch' --on local:1 --scratch /no/such/folder
ok 'and none of them leaves the run hanging' says 'no agent is left'

closing
