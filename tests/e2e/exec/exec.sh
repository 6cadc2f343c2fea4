#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of real processes: tests/e2e/exec/exec.sh build/dolly
#
# Prints one `ok` or `not ok` line per check and closes with `N passed, N failed`. Needs jq.
# Every process of a test carries a mark in its environment or in its arguments, so that whoever is
# left behind can be found in /proc.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/exec/exec.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
mark=mark$$x$RANDOM$RANDOM
long=7777.$$$RANDOM # seconds to sleep, and a word that nobody else has in its arguments
export EXEC_TEST_MARK=$mark
. tests/lib/checks.sh
runs=0

# ---- helpers ----

# Reads a workload from stdin and chooses a new folder for its run.
workload() {
    runs=$((runs + 1))
    dir=$tmp/run$runs
    cat >"$tmp/w$runs"
    work=$tmp/w$runs
}
# Runs it, without copies unless a policy is named; leaves the output in $tmp/out and $tmp/err and the status in $status.
run() {
    timeout -k 1 60 "$dolly" exec "$work" --dir "$dir" --policy none "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
# Starts it in the background, with the signals a terminal would leave it, and waits until a file appears.
start() { # start FILE OPTIONS...
    local file=$1
    shift
    env --default-signal=INT,TERM "$dolly" exec "$work" --dir "$dir" --policy none "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    pid=$!
    appears "$file"
}
appears() { await 60 "$1 appears" filled "$1"; }
finish() { # waits for it; as `run`. Neither a grace nor what sleeps ends before this script does
    wait "$pid"
    status=$?
}

# Processes of these tests that are alive, apart from the script itself. A zombie is dead: it has no words.
leftovers() {
    local p
    for p in $({ grep -lzxF -- "$long" /proc/[0-9]*/cmdline
                 grep -lzF -- "$mark" $(grep -lzF DOLLY_LINEAGE /proc/[0-9]*/environ) /dev/null; } 2>/dev/null |
        cut -d/ -f3 | sort -u); do
        [ "$p" = $$ ] || ! [ -e "/proc/$p/exe" ] || echo "$p $(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null)"
    done
}
is_over() { [ -z "$(leftovers)" ]; }
nobody_left() { await 20 'nobody is left' is_over || { leftovers; return 1; }; } # after a while

is() { [ "$1" = "$2" ] || { echo "'$1', want '$2'"; return 1; }; }
exits() {
    [ "$status" = "$1" ] || { echo "status $status, want $1"; cat "$tmp/err" "$tmp/out"; return 1; }
    local lines=0
    [ "$1" != 0 ] && lines=1
    [ "$(wc -l <"$tmp/err")" = "$lines" ] || { echo "stderr has not $lines lines:"; cat "$tmp/err"; return 1; }
}
says() { grep -qF -- "$1" "$tmp/err" || { echo "stderr lacks '$1':"; cat "$tmp/err"; return 1; }; }
output() { is "$(cat "$dir/out/$1")" "$2"; } # output JOB/PHASE/TASK TEXT
outputs() { is "$(cd "$dir/out" && find . -type f | sort | tr '\n' ' ')" "$1"; }
verified() { speaks "$dolly" journal "$dir/journal" --verify >"$tmp/verify" 2>&1 || { cat "$tmp/verify"; return 1; }; }
json() { jq -e "$1" "$tmp/out" >/dev/null || { echo "not true: $1"; cat "$tmp/out"; return 1; }; }
no_private_places() { [ ! -e "$dir/attempts" ] || { echo "attempts/ is there:"; ls "$dir/attempts"; return 1; }; }
all() { # all 'COMMAND' 'COMMAND'...: each of them
    local c
    for c in "$@"; do eval "$c" || return 1; done
}
good='exits 0; nobody_left; verified; no_private_places'

DOLLY_LINEAGE=x sleep 30 &
sleeper=$!
found() { leftovers | grep -q "^$sleeper "; }
ok "the search for processes finds one" found
kill "$sleeper"

# ---- a plain run ----

workload <<EOF
job words
  phase map tasks=3 command="echo task \$DOLLY_TASK_ID of \$DOLLY_PHASE on \$DOLLY_NODE"
  phase reduce after=map command="cat \$DOLLY_INPUT_DIR_map/* | wc -l"
job other at=50ms
  phase only command="echo attempt \$DOLLY_ATTEMPT of job \$DOLLY_JOB_ID; ls -d \$DOLLY_TMPDIR >&2"
EOF
run --cluster 2x1
ok "two jobs, one with two phases" all 'exits 0' 'verified' 'no_private_places' \
    'outputs "./0/map/0 ./0/map/1 ./0/map/2 ./0/reduce/0 ./1/only/0 "' \
    'output 0/reduce/0 3' 'output 1/only/0 "attempt 0 of job 1"'
run
ok "a folder is used once" all 'exits 2' 'says "the folder is not empty"'

# ---- four resources, on nodes that are not alike ----

cat >"$tmp/mixed.cluster" <<EOF
resource x name=gpu
resource y name=licence kind=slots
node big   cpu=4 mem=8G x=2 y=1
node small cpu=2 mem=1G
EOF
workload <<EOF
job j
  phase gpu     tasks=3 x=1 mem=1G      command="echo \$DOLLY_NODE; sleep 0.2"
  phase licence tasks=2 cpu=0.5 y=1     command="echo \$DOLLY_NODE; sleep 0.2"
  phase memory  tasks=2 mem=5G          command="echo \$DOLLY_NODE; sleep 0.2"
  phase wide    tasks=4 cpu=2 mem=512M  command="echo \$DOLLY_NODE; sleep 0.2"
EOF
run --cluster "$tmp/mixed.cluster"
places() { is "$(sort -u "$dir/out/0/$1"/* | xargs)" "$2"; }
# From each launch to its ending, no node holds more of anything than it has.
within() {
    "$dolly" journal "$dir/journal" | jq -s -e '
        def who: "\(.job).\(.phase).\(.task).\(.attempt)";
        (map(select(.type == "node_up")) | map({key: "\(.node)", value: .capacity}) | from_entries) as $has |
        (map(select(.type == "job_submitted"))[0].phases | map(.demand)) as $needs |
        reduce .[] as $r ({held: {}, most: 0, fine: true};
            if $r.type == "launch" then .held[$r | who] = {node: $r.node, need: $needs[$r.phase]}
            elif ($r.type // "" | test("^attempt_(finished|failed|killed|lost|launch_failed)$")) then del(.held[$r | who])
            else . end
            | .most = ([.most, (.held | length)] | max)
            | .held as $held
            | .fine = .fine and all($has | to_entries[]; . as $n |
                all("cpu", "mem", "x", "y"; . as $k |
                    ([$held[] | select("\(.node)" == $n.key) | .need[$k]] | add // 0) <= $n.value[$k])))
        | .fine and .most > 2' >/dev/null || { echo "a node held more than it has, or nothing ran side by side"; return 1; }
}
ok "four resources: each task on a node that has what it needs" all 'exits 0' 'verified' \
    'places gpu big' 'places licence big' 'places memory big' within
"$dolly" journal "$dir/journal" | jq -c 'select(.type == "resource") | [.resource, .kind, .name]' | xargs >"$tmp/told"
ok "... and the journal says what they are" is "$(cat "$tmp/told")" '[x,amount,gpu] [y,slots,licence]'

workload <<EOF
job j
  phase p mem=2G x=1 command="true"
EOF
run --cluster "$tmp/mixed.cluster"
ok "... a task that one of the nodes can hold runs" all 'exits 0' verified
workload <<EOF
job j
  phase p mem=9G command="true"
EOF
run --cluster "$tmp/mixed.cluster"
ok "... and one that none can hold fails" all '[ "$status" = 1 ]' 'verified'

workload <<EOF
job j
  phase p tasks=20 command="true"
EOF
run --json
ok "commands that exit at once" all 'exits 0' 'json ".tasks == 20 and .attempts == 20 and .jobs_failed == 0"' 'verified'

workload <<EOF
job big
  phase p command="head -c 100000000 /dev/zero | tr '\\\\0' x"
EOF
run
ok "a command that prints 100 MB" all 'exits 0' 'no_private_places' \
    'is "$(stat -c %s "$dir/out/0/p/0")" 100000000' \
    'head -c 100000000 /dev/zero | tr "\\0" x | cmp - "$dir/out/0/p/0"'

workload <<EOF
job j
  phase p command="for i in 1 2 3 4 5; do echo \$i 5 >&\$DOLLY_PROGRESS_FD; sleep 0.15; done"
EOF
run
ok "progress is reported" all 'exits 0' 'verified' \
    '"$dolly" journal "$dir/journal" | grep -q attempt_progress'

# ---- failures ----

workload <<EOF
job bad
  phase p tasks=3 command="echo complaint >&2; test \$DOLLY_TASK_ID != 1 || exit 3"
EOF
run
ok "a failing task fails its job" all 'exits 1' 'says "job 0 (bad) failed: phase p, task 1"' \
    'says "status 3"' 'verified' \
    'is "$(cat "$(sed "s/.*see //" "$tmp/err")")" complaint'

workload <<EOF
job j
  phase p command="if [ \$DOLLY_ATTEMPT = 0 ]; then exit 1; fi; echo second try"
EOF
run --json
ok "a task that fails once is tried again" all 'exits 0' 'json ".attempts == 2 and .failure == null"' 'output 0/p/0 "second try"'

workload <<EOF
job j
  phase p command="no-such-command-anywhere"
EOF
run
ok "a command that does not exist" all 'exits 1' 'says "status 127 (a command was not found)"' 'verified'

workload <<EOF
job j
  phase p command="kill -SEGV \$\$"
EOF
run
ok "a command that crashes" all 'exits 1' 'says "signal 11"' 'verified'

workload <<EOF
job j
  phase p command="rm -r \$(dirname \$DOLLY_TMPDIR)"
EOF
run
ok "a command that removes its own place" all 'exits 1' 'says "No such file or directory"' 'verified'

workload <<END
job j
  phase p tasks=2 command="sleep $long"
END
run --chaos kill=1,kill_within=20ms --set failures_max=2
ok "chaos kills, and a task that is killed too often fails its job" all 'exits 1' 'says "job 0 (j) failed"' nobody_left verified

# ---- leaving things behind ----

workload <<EOF
job j
  phase p command="trap '' TERM HUP; (sleep $long &); setsid sleep $long & env -i setsid sleep $long & (setsid sh -c 'sleep $long & sleep $long' &); sleep 0.1; echo done"
EOF
run
ok "children and daemons end with their attempt" all "$good" 'output 0/p/0 done'

workload <<EOF
job j
  phase p tasks=4 command="if [ \$DOLLY_ATTEMPT = 0 ]; then trap '' TERM; echo loser; setsid sleep $long & sleep $long; fi; sleep 0.1; echo winner"
EOF
run --cluster 100x4 --policy dolly --json
ok "a clone wins, the loser is dead, the output is there once" all "$good" \
    'json ".clones >= 4 and .killed >= 4"' 'outputs "./0/p/0 ./0/p/1 ./0/p/2 ./0/p/3 "' \
    'output 0/p/0 winner' 'output 0/p/3 winner'

# First attempts sleep, so none of them ends by itself.
losers_die() {
    "$dolly" journal "$dir/journal" | jq -s -e 'map(select(.type == "attempt_killed" and .attempt == 0)) | length == 4' >/dev/null
}
ok "losers are killed" losers_die

# ---- killed and interrupted ----

endless() { # a job whose attempts resist
    workload <<EOF
job j
  phase p tasks=4 command="trap '' TERM; setsid sleep $long & env -i setsid sleep $long & sleep $long | sleep $long & echo \$\$ >> $tmp/up$runs; sleep $long"
EOF
}
endless
start "$tmp/up$((runs - 1))" --cluster 1x4
{ kill -KILL "$pid"; wait "$pid"; } 2>/dev/null
ok "kill -9 of the coordinator leaves nobody" all '[ -s "$tmp/up$((runs - 1))" ]' nobody_left
ok "its journal can be read and re-fed" verified

endless
start "$tmp/up$((runs - 1))" --cluster 1x4
kill -KILL "$(pgrep -P "$pid")"
finish
ok "kill -9 of the guardian fails the run and leaves nobody" all 'exits 1' \
    'says "guardian process was killed by signal 9"' nobody_left

workload <<EOF
job outer
  phase p command="$dolly exec $tmp/inner --dir $tmp/innerdir --cluster 1x2"
EOF
cat >"$tmp/inner" <<EOF
job inner
  phase p tasks=2 command="setsid sleep $long & echo \$\$ >> $tmp/innerup; sleep $long"
EOF
start "$tmp/innerup"
{ kill -KILL "$pid"; wait "$pid"; } 2>/dev/null
ok "a run inside a run ends with it" nobody_left

endless
start "$tmp/up$((runs - 1))" --cluster 1x4 --grace 300ms
begun=${EPOCHREALTIME/./}
kill -INT "$pid"
finish
took_ms=$(((${EPOCHREALTIME/./} - begun) / 1000))
ok "SIGINT: grace, then the end" all 'exits 130' 'says interrupted' nobody_left verified \
    '[ "$took_ms" -ge 290 ] || { echo "no grace: $took_ms ms"; false; }'

workload <<EOF
job j
  phase p command="trap 'echo asked > $tmp/asked' TERM; echo up > $tmp/deaf; while :; do sleep 0.01; done"
EOF
start "$tmp/deaf" --grace 5000s
kill -INT "$pid"
appears "$tmp/asked"
kill -INT "$pid"
finish
ok "a second SIGINT ends it at once" all 'exits 130' nobody_left

workload <<EOF
job j
  phase p command="trap 'exit 0' TERM; echo up > $tmp/term; while :; do sleep 0.01; done"
EOF
start "$tmp/term" --grace 5000s
kill -TERM "$pid"
finish
ok "SIGTERM: whoever obeys is not kept waiting" all 'exits 130' nobody_left 'outputs ""'

# ---- full disk ----

small_disk() { # small_disk SIZE
    mkdir -p "$tmp/disk"
    mount -t tmpfs -o "size=$1" none "$tmp/disk" 2>"$tmp/check" && mounted=$tmp/disk
}
full() { grep -qE "o space left on device|disk (is|was) full" "$tmp/err" || { cat "$tmp/err"; return 1; }; }
if small_disk 2m; then
    workload <<EOF
job j
  phase p command="head -c 4000000 /dev/zero"
EOF
    dir=$mounted/run
    run
    ok "an output that does not fit" all 'exits 1' 'says "the disk was full"' nobody_left 'outputs ""'
    umount "$mounted"
    small_disk 128k
    workload <<EOF
job j
  phase p tasks=500 command="echo some words to fill the disk, task after task after task"
EOF
    dir=$mounted/run
    run
    ok "a disk that fills up during the run" all 'exits 1' nobody_left full
    umount "$mounted"
    mounted=
else
    skip "full disk" "cannot mount a small one: $(head -n 1 "$tmp/check")"
fi

# ---- bad input ----

bad() { # bad NAME WORDS ARGS...
    local name=$1 words=$2
    shift 2
    "$dolly" exec "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    ok "$name" all 'exits 2' "says '$words'" '[ ! -s "$tmp/out" ]' '[ ! -e "$tmp/new" ]'
}
workload <<EOF
job j
  phase p tasks=2
    task 0 command="true"
EOF
bad "no folder" "--dir is missing" "$work"
bad "no workload" "workload is missing" --dir "$tmp/new"
bad "no such workload" "no workload file" "$tmp/absent" --dir "$tmp/new"
bad "unknown policy" "doly" "$work" --dir "$tmp/new" --policy doly
bad "unknown parameter" "bta" "$work" --dir "$tmp/new" --policy dolly --set bta=1
bad "absurd cluster" "0x4" "$work" --dir "$tmp/new" --cluster 0x4
bad "absurd seed" "--seed" "$work" --dir "$tmp/new" --seed -1
bad "absurd chaos" "--chaos: expected" "$work" --dir "$tmp/new" --chaos fire=1
bad "absurd grace" "--grace" "$work" --dir "$tmp/new" --grace soon
bad "a folder that cannot be made" "cannot make the folder" "$work" --dir /proc/nowhere
run
ok "a task without a command" all 'exits 2' 'says "phase p, task 1 has no command"'

closing
