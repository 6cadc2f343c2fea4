#!/usr/bin/env bash
# lane: waiting; builds: gcc asan; needs: jq; limit: 600 s
# End-to-end tests on a Slurm cluster that is ours alone (tests/lib/slurm-cluster): tests/e2e/remote/slurm.sh DOLLY [KILLS [SEED]]
#
# Runs on it must give what runs on this machine give, also when the coordinator is killed, the allocation is cancelled,
# or munged hangs. Beside that KILLS processes of other runs are killed or stopped at random (tests/crash/kills/campaign).
set -u

dolly=$(realpath "${1:?usage: tests/e2e/remote/slurm.sh DOLLY [KILLS [SEED]]}")
kills=${2:-24} seed=${3:-4711}
tmp=$(realpath "$(mktemp -d)") || exit 2
here=$(realpath "$(dirname "$0")/../../../tests")
. "$here/lib/checks.sh"
export TMPDIR=$tmp/tmp PATH=$PATH:/usr/sbin:/sbin
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SALLOC_@}"
mkdir "$TMPDIR"
cd "$tmp" || exit 2

# The cluster ends when our end of its stdin is closed, whatever becomes of us; one that is still coming up when we die.
cluster_up() { # folder [track]
    coproc cluster { exec setpriv --pdeathsig TERM "$here/lib/slurm-cluster" "$1" 4 '' ${2:+"$2"} 2>"$1.err"; }
    cluster_out=${cluster[0]} cluster_in=${cluster[1]} cluster_keeper=$cluster_PID
    read -r -t 60 answer <&"$cluster_out" && [ "$answer" = ready ]
}
cluster_order() { # order name: the answer in $answer
    echo "$*" >&"$cluster_in" && read -r -t 60 answer <&"$cluster_out"
}

# Process ids of the cluster in this folder.
members() { (unset SLURM_CONF && grep -lzxF -s "SLURM_CONF=$1/slurm.conf" /proc/[0-9]*/environ | cut -d / -f 3); }
# Those with this in their command lines: 'PID COMMAND' lines. First all, then those: grep would find itself.
members_like() { # pattern
    local pid all=
    for pid in $(members "$tmp/c"); do
        all+=$(ps -o pid=,args= -p "$pid")$'\n'
    done
    grep -E -e "$1" <<<"$all"
}
ours() { members_like "$dolly|task-of-ours"; }
until_true() { await 60 "$1" eval "$1"; } # CONDITION
# Waits until no job is left, for up to a minute; no check: what is left all the same is cancelled and shown.
queue_drains() {
    local end=$((SECONDS + 60))
    until [ -z "$(squeue -h --me -t PD,R,CG)" ]; do
        [ $SECONDS -lt $end ] || { echo "    left in the queue: $(squeue -h --me)"; scancel -u "$(id -un)"; return; }
        sleep 0.05
    done
}

# slurmd wants to see groups of processes, whether it uses them or not.
if ! grep -q ' cgroup2\? ' /proc/mounts; then
    skip 'all of it' 'no cgroup file system is mounted'
    closing
    exit
fi

# Nodes have small file systems of their own.
if [ "$(id -u)" -eq 0 ] && ! unshare --mount true 2>why; then
    skip 'all of it' "$(cat why)"
    closing
    exit
fi

# Agents connect to the machine by its name.
if ! getent ahosts "$(uname -n)" >/dev/null; then
    skip 'all of it' "this machine does not know its own name, $(uname -n) (see /etc/hosts)"
    closing
    exit
fi

# ---- killed and stopped ----

# All the while, on other clusters.
setpriv --pdeathsig TERM bash "$here/crash/kills/campaign" "$dolly" "$kills" "$seed" slurm local >kills 2>&1 </dev/null &
campaign=$!

# ---- ended from outside ----

# Slurm signals all processes of a job, one after the other. A task that is ended so exits with 0 and half its output,
# within moments and before its agent hears of its own end. Only the first attempt of a task waits for that, or for the
# file go.RUN.
half() { # name of the run: the command
    echo 'trap "" TERM; (trap - TERM; seq 10; mkdir first.'"$1"'.{} && until [ -e go.'"$1"' ]; do sleep 0.2; done; seq 50) 2>/dev/null | wc -l'
}
begun() { until_true '[ "$(ls -d first.'"$1"'.* 2>/dev/null | wc -l)" -eq 8 ]'; }
whole() { [ "$(sort "$1" | uniq -c | xargs)" = '8 60' ]; }
on_slurm() { # name, limit in minutes
    timeout 200 "$dolly" map --on slurm:2 --slurm "--exclusive --mem=0 --time $2" --drain 1s -k -j4 --dir "$1" \
        "$(half "$1")" ::: {1..8} >"$1.out" 2>"$1.err"
}
block_of() { squeue -h -n "$(cat "$1/slurm-name")" -t R -o "$2" | head -n 1; }
ended() { # name of the run, what it is ended by, command...
    local name=$1 what=$2 pid
    shift 2
    on_slurm "$name" 5 &
    pid=$!
    begun "$name" && "$@"
    wait $pid && whole "$name.out"
    report $? "$what: no half output is committed, no task fails" "$(cat "$name.err"; sort "$name.out" | uniq -c)"
}
cancel() { scancel "$(block_of "$1" %i)"; }
term() { scancel -s TERM "$(block_of "$1" %i)"; }
set_down() {
    local node
    node=$(scontrol show hostnames "$(block_of "$1" %N)" | head -n 1)
    scontrol update nodename="$node" state=down reason=test
    until_true '[ -z "$(squeue -h -w '"$node"')" ]'
    scontrol update nodename="$node" state=resume 2>/dev/null # unless it is back by itself
    touch "go.$1" # Slurm may leave the other node of the job alone: what runs there goes on
}
outside() { # name of the cluster
    local pid job
    (on_slurm limit.$1 1; echo $? >limit.$1.status) &
    pid=$!
    begun limit.$1
    ended cancel.$1 "$1, scancel" cancel cancel.$1
    ended term.$1 "$1, scancel -s TERM" term term.$1
    ended down.$1 "$1, a node is set down" set_down down.$1
    printf '#!/bin/sh\nexec "%s" map -k -j8 --dir batch.%s '\''%s'\'' ::: 1 2 3 4 5 6 7 8\n' "$dolly" "$1" "$(half batch.$1)" >batch.$1.sh
    job=$(sbatch --parsable --exclusive --mem=0 --time 5 -o batch.$1.out batch.$1.sh)
    begun batch.$1 && scancel "$job"
    until_true '[ -z "$(squeue -h -j '"$job"' 2>/dev/null)" ]'
    timeout 60 "$dolly" resume batch.$1 >batch.$1.again 2>batch.$1.err
    [ $? -eq 0 ] && whole batch.$1.again
    report $? "$1, a run in a batch job without agents is cancelled, and goes on: every output is whole" \
        "$(cat batch.$1.out batch.$1.err; sort batch.$1.again | uniq -c)"
    wait $pid
    [ "$(<limit.$1.status)" -eq 0 ] && whole limit.$1.out
    report $? "$1, time limit: no half output is committed, no task fails" "$(cat limit.$1.err; sort limit.$1.out | uniq -c)"
}
# The order of signals depends on how Slurm finds the processes of a job; each way has a cluster, beside all that follows.
outside_on() { # name of the cluster [track]
    cluster_up "$tmp/$1" "${2:-}" || { echo "down $(tail -n 1 "$tmp/$1.err")"; return 1; }
    export SLURM_CONF=$tmp/$1/slurm.conf DOLLY_MUNGE_SOCKET=$tmp/$1/munge.socket
    outside "$1"
    exec {cluster_in}>&-
    wait "$cluster_keeper"
}
(outside_on processes) >outside.processes 2>&1 </dev/null &
processes=$!
(outside_on cgroups cgroup) >outside.cgroups 2>&1 </dev/null &
cgroups=$!
# Reports what came of it.
outside_ends() { # name of the cluster, process
    local line count=0
    wait "$2"
    while IFS= read -r line; do
        case $line in
        'ok '*) report 0 "${line#ok }" ;;
        'not ok '*) report 1 "${line#not ok }" "$(cat "outside.$1")" ;;
        *) continue ;;
        esac
        count=$((count + 1))
    done <"outside.$1"
    [ $count -eq 5 ]
}

# ---- the cluster itself ----

SLURM_CONF=$tmp/first/slurm.conf cluster_up "$tmp/first" # as when it is tried again
report $? 'a cluster of four nodes comes up' "$(cat "$tmp/first.err")" || { closing; exit 1; }
SLURM_CONF=$tmp/first/slurm.conf srun -N4 --ntasks-per-node=1 sh -c 'echo $SLURMD_NODENAME' 2>err | sort >out
[ "$(xargs <out)" = 'n1 n2 n3 n4' ]
report $? 'srun runs on each node' "$(cat out err)"
SLURM_CONF=$tmp/first/slurm.conf sbatch --parsable -o none --wrap 'setsid sleep 1000 & sleep 1000' >out
kill -TERM "$cluster_keeper"
wait "$cluster_keeper"
[ -z "$(members "$tmp/first")" ]
report $? 'nothing of it is left, wherever in the process tree it went' "$(members "$tmp/first")"

cluster_up "$tmp/c" || { report 1 'a second cluster comes up' "$(cat "$tmp/c.err")"; closing; exit 1; }
export SLURM_CONF=$tmp/c/slurm.conf DOLLY_MUNGE_SOCKET=$tmp/c/munge.socket

# An allocation without a shell: its id in $job. A controller that was killed comes back with what it had saved, and
# that may be an allocation that had been given back.
allocate() {
    scancel --me 2>/dev/null
    salloc --no-shell --immediate=5 --nodes=4 --exclusive --mem=0 >salloc 2>&1
    job=$(sed -n 's/.*Granted job allocation \([0-9]*\)$/\1/p' salloc)
    [ -n "$job" ]
}
inside() { SLURM_JOB_ID=$job SLURM_JOB_NUM_NODES=4 "$@"; }
# A controller that is just coming back may not hear of it.
release() { until_true 'scancel "$job" 2>/dev/null; squeue -h --me -t PD,R -o %i >queue 2>/dev/null && ! grep -qx "$job" queue'; }

# ---- the same output as here ----

until_true allocate
report $? 'four nodes are allocated'
# Each task waits until tasks run on four nodes.
everywhere='echo $DOLLY_NODE >>nodes; until [ $(sort -u nodes | wc -l) -ge 4 ]; do sleep 0.05; done; echo {} of {#}'
inside timeout 60 "$dolly" map --on slurm:4 -k -j2 "$everywhere" ::: a 'b c' "d'e" {1..20} >out 2>err
[ $? -eq 0 ] && cmp -s out <("$dolly" map -k 'echo {} of {#}' ::: a 'b c' "d'e" {1..20} 2>/dev/null) &&
    [ "$(sort -u nodes | xargs)" = 'a.n1 a.n2 a.n3 a.n4' ]
report $? 'map in an allocation prints what map prints here, and runs on every node' "$(head -n 3 out err nodes)"
inside timeout 60 "$dolly" map --on slurm:2-9 -k --array 1-9:2 --tag 'echo $SLURM_ARRAY_TASK_ID' >out 2>err
[ $? -eq 0 ] && cmp -s out <("$dolly" map -k --array 1-9:2 --tag 'echo $SLURM_ARRAY_TASK_ID' 2>/dev/null)
report $? 'arrays' "$(cat out err)"
inside timeout 60 "$dolly" map --on slurm:4 'exit {}' ::: 0 3 0 >out 2>err
[ $? -eq 1 ]
report $? 'a task that fails' "$(cat err)"
# Each piece waits until pieces have run on two nodes; with --pull these share no folder, and reducers get pieces elsewhere.
seq 4000 | awk '{ print "word" $1 % 97 }' >words
cat >count.yaml <<END
input: $tmp/words
output: $tmp/counted
split: 4K
phases:
  - {name: map, run: 'echo \$DOLLY_NODE >>$tmp/nodes5; until [ -e $tmp/two ] || [ \$(sort -u $tmp/nodes5 | wc -l) -ge 2 ]; do sleep 0.05; done; cat'}
  - {name: reduce, after: map, tasks: 3, run: uniq -c}
END
touch two && "$dolly" run count.yaml 2>err && rm two nodes5
for way in '' --pull; do
    inside timeout 60 "$dolly" run count.yaml --output "on$way" --on slurm:4 --slots 1 $way >out 2>err &&
        diff -r counted "on$way" >>err && [ "$(grep '^a\.n[1-4]$' nodes5 | sort -u | wc -l)" -ge 2 ]
    report $? "run in an allocation gives what run gives here${way:+, with $way}" "$(cat err nodes5)"
    rm -f nodes5
done
# What the allocation says of tasks does not make more agents than there are nodes.
inside env SLURM_NTASKS=8 SLURM_NPROCS=8 timeout 60 "$dolly" map --on slurm:4 -k --dir tasks8 'echo {}' ::: 1 2 3 >out 2>err
[ $? -eq 0 ] && [ "$(xargs <out)" = '1 2 3' ] && [ ! -s err ] && grep -q joined tasks8/agents.log && ! grep -q 'same name' tasks8/agents.log
report $? 'one agent on each node, whatever --ntasks of the allocation is' "$(cat out err tasks8/agents.log)"
release

timeout 60 "$dolly" map --on slurm:2 --slurm '--exclusive --mem=0 --time 5' -k --dir batch 'echo {}; echo $DOLLY_NODE >>nodes2' ::: {1..20} >out 2>err
[ $? -eq 0 ] && cmp -s out <(seq 20) && [ "$(cut -d. -f1 nodes2 | sort -u)" = b1 ] && until_true '[ -z "$(squeue -h --me -t PD,R)" ]'
report $? 'outside an allocation nodes are asked for, and given back' "$(head -n 3 out err nodes2; squeue)"

# A job that Slurm does not start for an hour.
timeout 60 "$dolly" map --on slurm:1 --slurm '--begin=now+1hour' --dir later 'echo {}' ::: 1 >out 2>err &
pid=$!
until_true '"$dolly" agents later --tasks >shown 2>&1 && grep -q "waits: BeginTime" shown'
grep -Eq '^Slurm job [0-9]+ for 1 node waits: BeginTime; it is expected to start at 20[0-9T:-]+$' shown && grep -qx 'No task runs.' shown
report $? 'dolly agents --tasks says what waits in the queue, why, and until when' "$(cat shown err; squeue)"
"$dolly" agents later --tasks --json >shown
jq -e '.tasks == [] and (.waiting | length) == 1 and .waiting[0].reason == "BeginTime" and (.waiting[0].start | startswith("20"))' shown >shown2
report $? '... also in JSON' "$(cat shown)"
kill -TERM $pid
wait $pid
queue_drains >left
[ ! -s left ] || grep -q 'scancel --me --name=dolly-' err
report $? 'a job that waits is cancelled with its run, or the user reads how to cancel it' "$(cat left err)"

# Two runs on two nodes each. The first task of one holds its only slot until the second has run, which has to be
# elsewhere. Tasks of the other wait for the file of their number, or for `all`.
meets='echo {} ${DOLLY_NODE%%.*} >>nodes3; : >second.{}; until [ -e second.2 ]; do sleep 0.05; done'
timeout 100 "$dolly" map --on slurm:1 --slurm '--exclusive --mem=0 --time 1' --drain 52s -k -j1 --dir drained "$meets" ::: 1 2 >out3 2>err3 &
drained=$!
waits='echo {} $DOLLY_NODE >>nodes4; until [ -e all ] || [ -e only.{} ]; do sleep 0.05; done; echo {}'
timeout 100 "$dolly" map --on slurm:1-2 --grow 1s --idle 1s -k -j2 --dir grown "$waits" ::: {1..6} >out 2>err &
grown=$!
until_true '[ "$(cut -d " " -f 2 nodes4 2>/dev/null | sort -u | wc -l)" -eq 2 ]'
report $? 'while tasks wait, more nodes are asked for' "$(cat nodes4 err; squeue)"
touch only.{2..6}
until_true '[ "$(squeue -h -n "$(cat grown/slurm-name)" -t R | wc -l)" -eq 1 ]'
report $? 'idle ones are given back, but not the minimum' "$(cat err; squeue)"
: >all
wait $grown
[ $? -eq 0 ] && cmp -s out <(seq 6) && [ "$(wc -l <nodes4)" -eq 6 ]
report $? '... and nothing is lost by that' "$(cat nodes4 err)"
wait $drained
[ $? -eq 0 ] && [ "$(sed 's/ .*//' nodes3 | sort | xargs)" = '1 2' ] && [ "$(sed 's/.* //' nodes3 | sort -u | wc -l)" -eq 2 ] &&
    grep -qF " drain $(sed -n 's/^1 //p' nodes3).*" drained/agents.log
report $? 'before its time limit a node gets nothing new, another takes its place, and what it runs goes on' "$(cat nodes3 err3 drained/agents.log)"
queue_drains

! grep -rqE '[0-9a-f]{64}' batch/agents.log batch/journal && [ -z "$(find batch -name 'agents.key')" ]
report $? 'the key of the run is neither in its log nor in its journal, and gone afterwards'

# What docs/use/clusters.md gives to paste first, and what it must print.
mkdir -p paste/data bin
ln -s "$dolly" bin/dolly
for i in 1 2 3 4 5 6; do seq $((i * 100)) | gzip >paste/data/$i.gz; done
sed -n '/^```sh$/,/^```$/p' "$here/../docs/use/clusters.md" | sed -n '2,/^```$/p' | sed '$d' >paste/me
(cd paste && PATH=$tmp/bin:$PATH timeout 60 bash me >out 2>&1)
until_true '[ "$(sort -n paste/counts 2>/dev/null | xargs)" = "100 200 300 400 500 600" ]'
report $? 'the example of docs/use/clusters.md, in a batch job' "$(cat paste/out paste/slurm-*.out; cat paste/run.*/agents.log)"
queue_drains

# ---- what cannot be ----

# refused NAME TEXT COMMAND...: fails with one line that has the text.
refused() {
    local name=$1 text=$2 status
    shift 2
    timeout 60 "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq 255 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$text" err && [ ! -s out ]
    report $? "$name" "status $status: $(head -n 5 err)"
}
refused 'no Slurm' 'sbatch is not in PATH' env PATH="$tmp/bin" dolly map --on slurm:2 echo ::: 1
timeout 60 "$dolly" map --on slurm:2 --dir nowhere --slurm '-p nowhere' echo ::: 1 >out 2>err
[ $? -eq 255 ] && grep -q 'Invalid partition name specified' err && [ ! -s out ]
report $? 'no such partition, in the words of sbatch' "$(cat err)"
refused 'no folder that nodes see' 'needs a folder that nodes see: --dir' "$dolly" map --on slurm:2 echo ::: 1
refused 'an allocation that is over' 'Expired or invalid job' \
    env SLURM_JOB_ID=99999 SLURM_JOB_NUM_NODES=2 "$dolly" map --on slurm:2 echo ::: 1
refused 'an allocation that is too small' 'has 1 node' \
    env SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 "$dolly" map --on slurm:2 echo ::: 1
refused 'not a number of nodes' "expected a number" "$dolly" map --on slurm:many echo ::: 1
until_true allocate
inside refused 'scratch that cannot be written' '/proc/none: cannot make a folder for scratch' \
    "$dolly" map --on slurm:4 --scratch /proc/none echo ::: 1
release

# ---- whose agents they are ----

# Another MUNGE, with another key; like the cluster it ends when we do.
mkdir -m 700 munge && head -c 128 /dev/urandom >munge/key && chmod 600 munge/key
setpriv --pdeathsig KILL munged --force --foreground --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" \
    --pid-file="$tmp/munge/pid" --log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed" >munge/out 2>&1 </dev/null &
other_munge=$!
until_true '[ -S munge/socket ]'
report $? 'there is another MUNGE' "$(cat munge/out)"
rm -f end && : >begun
# What srun gets goes to nodes in clear: this one writes it down.
mkdir heard
cat >heard/srun <<END
#!/bin/sh
printf '%s\\n' "\$@" >>$tmp/heard/words
tee -a $tmp/heard/said | $(command -v srun) "\$@"
END
chmod +x heard/srun
printf 'while [ ! -e %s/end ]; do sleep 0.05; done\n' "$tmp" >heard/ssh && sed -i '1i #!/bin/sh' heard/ssh && chmod +x heard/ssh
until_true allocate
inside env PATH="$tmp/heard:$PATH" timeout 60 "$dolly" map --on slurm:4 -j1 --dir whose 'echo >>begun; until [ -e end ]; do sleep 0.05; done; echo {}' ::: 1 2 3 4 >out 2>err &
pid=$!
until_true '[ "$(wc -l <begun)" -eq 4 ]'
key=$(<whose/agents.key)
[ ${#key} -eq 64 ] && grep -q -e '--key-fd' heard/words && grep -q '^MUNGE:' heard/said && ! grep -qF "$key" heard/said heard/words
report $? 'srun gets no key that others could use' "$(cat heard/said heard/words)"
# A coordinator that has the key of the agent, but is not shown to be its user's: it has nothing run.
printf 'h1\n' >hosts
PATH=$tmp/heard:$PATH DOLLY_MUNGE_SOCKET=none timeout 60 "$dolly" map --on ssh:hosts --pull --dir false "echo >$tmp/stolen" ::: 1 >out5 2>err5 &
false_one=$!
until_true '[ -s false/agents.at ]'
timeout 60 "$dolly" agent --connect "$(<false/agents.at)" --key-fd 0 --name h1 --linger 1s --munge "$DOLLY_MUNGE_SOCKET" <false/agents.key >other 2>&1
[ $? -eq 1 ] && grep -q 'it did not prove that it is a coordinator of this user: it sent no MUNGE credential' other && [ ! -e stolen ]
report $? 'an agent runs nothing for a coordinator that has the key alone' "$(cat other err5)"
timeout 60 "$dolly" agent --connect "$(<false/agents.at)" --key-fd 0 --name h1 --linger 1s <false/agents.key >other 2>&1
wait $false_one
[ -e stolen ]
report $? '... but one that was told of no MUNGE does, as over ssh' "$(cat other err5)"
# stranger COMMAND...: an agent with the key, by hand.
stranger() {
    "$@" agent --connect "$(<whose/agents.at)" --key-fd 0 --name n9 --linger 1s --scratch "$tmp/open" \
        "${munge[@]}" <whose/agents.key >other 2>&1
}
mkdir -m 777 open
munge=()
stranger "$dolly"
[ $? -eq 2 ] && grep -q 'refused this agent: it sent no MUNGE credential' other
report $? 'the key alone is not enough where there is MUNGE' "$(cat other)"
munge=(--munge "$tmp/munge/socket")
stranger "$dolly"
[ $? -eq 2 ] && grep -q 'refused this agent: MUNGE: .*[Ii]nvalid' other
report $? 'nor with a credential of another one' "$(cat other)"
munge=(--munge "$tmp/nowhere")
stranger "$dolly"
[ $? -eq 1 ] && grep -q 'cannot join a run at .*: MUNGE: ' other
report $? 'an agent that gets none says so' "$(cat other)"
nobody() { setpriv --reuid 65534 --clear-groups "$@"; }
chmod 711 "$tmp" "$tmp/c"
if nobody test -w "$tmp/open" 2>/dev/null && nobody "$dolly" --version >/dev/null 2>&1; then
    munge=(--munge "$DOLLY_MUNGE_SOCKET")
    stranger nobody "$dolly"
    [ $? -eq 2 ] && grep -q 'refused this agent: MUNGE: Unauthorized' other
    report $? 'nor as another user' "$(cat other)"
else
    skip 'nor as another user' 'nobody cannot get here'
fi
# One that hangs takes the connection and says nothing.
kill -STOP "$other_munge"
munge=(--munge "$tmp/munge/socket")
(stranger timeout 60 "$dolly"; echo $? >hung.status) &
hung=$!
inside env DOLLY_MUNGE_SOCKET="$tmp/munge/socket" timeout 60 "$dolly" map --on slurm:4 -k --dir hangs 'echo {}' ::: 1 2 3 >out2 2>err2
[ $? -eq 0 ] && cmp -s out2 <(seq 3) && grep -q 'without MUNGE, .* in clear, .*: MUNGE: munged does not answer' err2 && [ "$(wc -l <err2)" -eq 1 ]
report $? 'a coordinator does not wait for munged for long, and says so' "$(cat err2 hangs/agents.log)"
inside env DOLLY_MUNGE_SOCKET="$tmp/munge/socket" timeout 60 "$dolly" map --on slurm:4 --munge must 'touch ran' ::: 1 >out2 2>err2
[ $? -eq 255 ] && grep -q -e '--munge must: without MUNGE: MUNGE: munged does not answer' err2 && [ ! -e ran ]
report $? '--munge must refuses to run without' "$(cat err2)"
wait $hung
[ "$(<hung.status)" -eq 1 ] && grep -q 'cannot join a run at .*: MUNGE: ' other
report $? 'nor does an agent' "$(cat hung.status other)"
kill -CONT "$other_munge"
: >end
wait $pid
[ $? -eq 0 ] && [ "$(sort out | xargs)" = '1 2 3 4' ] && grep -q 'prove their user by MUNGE' whose/agents.log
report $? 'the agents of the run do not notice' "$(cat err whose/agents.log)"
kill "$other_munge"
wait "$other_munge" 2>/dev/null
release
rm heard/said
PATH=$tmp/heard:$PATH timeout 60 "$dolly" map --on slurm:1 --dir batch2 "cat batch2/agents.key >key2; echo done" ::: 1 >out 2>err
[ $? -eq 0 ] && [ "$(cat out)" = 'done 1' ] && [ "$(wc -c <key2)" -eq 65 ] && grep -q '^MUNGE:' heard/said && ! grep -qFf key2 heard/said
report $? 'nor does the srun of a batch job' "$(cat out err heard/said)"

cat >task-of-ours <<'TASK'
#!/bin/sh
sleep 0.1
until [ "$1" -lt 30 ] || [ -e go ]; do sleep 0.1; done
seq -f "$1:%.0f" 1 50
TASK
chmod +x task-of-ours
tasks=60
: >go
"$dolly" map -k ./task-of-ours ::: $(seq $tasks) >want 2>/dev/null

# A random process of those whose command line has this, or nothing.
some() {
    local list
    mapfile -t list < <(members_like "$1" | awk '{ print $1 }')
    [ ${#list[@]} -eq 0 ] || echo "${list[RANDOM % ${#list[@]}]}"
}
# Daemons that were killed come back.
repair() {
    local name
    for name in slurmctld n1 n2 n3 n4; do
        cluster_order start $name
    done
}

# ---- the coordinator is killed ----

# The same agents serve the next one: an agent keeps its scratch for life. Their srun waits for ever for a step that was
# killed while the controller was away; it has to be gone all the same when the run is over.
rm -f go && : >begun
until_true allocate
inside timeout 100 "$dolly" map --on slurm:4 -j1 --pure --policy none --dir linger -k \
    'echo {} >>begun; until [ {} -lt 5 ] || [ -e go ]; do sleep 0.1; done; echo {}' \
    ::: $(seq 12) >out 2>err &
pid=$!
until_true '[ "$(wc -l <begun)" -ge 8 ]'
cluster_order pid slurmctld
kill -9 "$answer" $(members_like "^ *[0-9]+ $dolly map" | awk '{ print $1 }') $(some 'slurmstepd: ') 2>/dev/null
wait $pid 2>/dev/null
until_true 'repair; scontrol ping >ping 2>&1'
: >go
inside timeout 100 "$dolly" resume linger >>out 2>err
status=$?
[ $status -eq 0 ] && cmp -s out <(seq 12) && [ -n "$(sed -n 's/.* joined .*scratch //p' linger/agents.log | sort | uniq -d)" ]
report $? 'a coordinator that is killed is followed by one that has its agents' \
    "status $status: $(tail -n 3 err; cat linger/agents.log)"
# What happened in the log since a coordinator listened for the second time: waiting is said when it begins.
second_life() { awk '/ listening on port / { lives++ } lives == 2' "$1/agents.log" | grep -oE ' (waiting up to|joined) ' | uniq | xargs; }
[ "$(second_life linger)" = 'waiting up to joined' ] && grep -q '^dolly: waiting up to .* for agents of the run that was cut short$' err
report $? '... which says that it waits for them' "$(cat err linger/agents.log)"
until_true '[ -z "$(ours)" ]'
report $? '... and nothing of either is left' "$(ours)"
release

# In another allocation there is nobody to wait for.
rm -f go && : >begun
until_true allocate
inside timeout 100 "$dolly" map --on slurm:4 -j1 --dir elsewhere -k 'echo {} >>begun; until [ -e go ]; do sleep 0.1; done; echo {}' ::: 1 2 3 4 >out 2>err &
pid=$!
until_true '[ "$(wc -l <begun)" -ge 4 ]'
kill -9 $(members_like "^ *[0-9]+ $dolly map.* elsewhere" | awk '{ print $1 }')
wait $pid 2>/dev/null
first=$job
release
until_true allocate
: >go
inside timeout 100 "$dolly" resume elsewhere >>out 2>err
[ $? -eq 0 ] && cmp -s out <(seq 4) && [ "$first" != "$job" ] && [ "$(second_life elsewhere)" = joined ] && ! grep -q waiting err
report $? 'a run that goes on in another allocation waits for no agents of the first' "$(cat err elsewhere/agents.log)"
release

# ---- the allocation comes to its end ----

# From the third second on nodes get nothing new. What runs then ends when the user has been told.
rm -f go
until_true 'scancel --me 2>/dev/null; timeout 100 salloc --immediate=5 --nodes=2 --exclusive --mem=0 --time=1 \
    "$dolly" map --on slurm:2 --drain 57s -j1 --dir ends -k "until grep -q ends err; do sleep 0.05; done; echo {}" \
    ::: $(seq 12) >out 2>err; status=$?; ! grep -q "Unable to allocate" err'
[ "$status" -eq 255 ] && grep -Eq '^dolly: the allocation ends in [0-9]+ s: 2 tasks run, 10 wait; to continue later: dolly resume .*/ends$' err &&
    grep -q '^dolly map: no agent is left, and dolly cannot start another: the allocation ends$' err && [ "$(wc -l <out)" -ge 2 ]
report $? 'the end of an allocation is told, and ends the run when nothing runs any more' "status $status: $(cat err ends/agents.log)"
until_true allocate
inside timeout 100 "$dolly" resume ends >>out 2>err2
[ $? -eq 0 ] && cmp -s out <(seq 12)
report $? '... which goes on in another one' "$(tail -n 3 err2)"
release

# ---- the allocation is cancelled ----

rm -f go
until_true allocate # nodes may be busy with the step that was killed
inside timeout 100 "$dolly" map --on slurm:4 -j2 --pure --linger 2s --dir gone -k ./task-of-ours ::: $(seq $tasks) >out 2>err &
pid=$!
until_true '[ -s out ]'
release
: >go
wait $pid
status=$?
[ $status -ne 0 ] && grep -q 'no agent is left' err
report $? 'without its allocation a run says so' "status $status: $(tail -n 3 err)"
until_true allocate
inside timeout 100 "$dolly" resume gone >>out 2>err
[ $? -eq 0 ] && cmp -s out want
report $? '... and goes on in another one' "$(tail -n 3 err)"
release
until_true '[ -z "$(ours)" ]'
report $? 'no process is left' "$(ours)"

outside_ends processes $processes
report $? 'a cluster that tracks processes was there for all of that' "$(cat outside.processes)"
if grep -q '^down ' outside.cgroups; then
    skip 'a cluster that tracks processes by cgroups' "$(sed -n 's/^down //p' outside.cgroups)"
else
    outside_ends cgroups $cgroups
    report $? 'a cluster that tracks processes by cgroups was there for all of that' "$(cat outside.cgroups)"
fi

wait $campaign
report $? "runs of which something was killed at random, $kills times: the output is that of a local run" "$(tail -n 20 kills)"
sed 's/^/    /' kills

exec {cluster_in}>&-
wait "$cluster_keeper"
[ -z "$(members "$tmp/c")" ]
report $? 'nothing of the cluster is left' "$(members "$tmp/c" | xargs -r ps -o pid,ppid,args -p)"
closing
