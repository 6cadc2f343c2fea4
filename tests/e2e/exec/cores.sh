#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Clones take idle cores, run behind first attempts and go when these need the cores, the disk or memory:
# tests/e2e/exec/cores.sh build/dolly
#
# An idle slot is no idle core: on one core, a clone of a task that computes only slows it down.
# Measured in CPU time, because the machine may be busy with something else. What the kernel would say of the disk and
# of memory is made here. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/exec/cores.sh DOLLY}")
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. "$(dirname "$0")/../../../tests/lib/checks.sh"
cd "$tmp" || exit 2

map() { timeout -k 1 120 "$dolly" map --no-history "$@" </dev/null; }

# Each of these says how many slots it has, on one core of those that we may use.
one=$(taskset -cp $$ | sed 's/.*[ ,-]//')
bound() {
    taskset -c "$one" timeout -k 1 120 "$dolly" map --no-history -k 'echo {%}' ::: 1 2 3 4 >out 2>err </dev/null && [ "$(sort -u out | xargs)" = 1 ] ||
        { cat out err; return 1; }
    printf 'job j\n  phase p tasks=4 command=true\n' >bound.workload
    taskset -c "$one" "$dolly" exec bound.workload --dir bound.exec >out 2>err || { cat err; return 1; }
    "$dolly" journal bound.exec/journal | jq -s -e '[.[] | select(.type == "node_up") | .capacity.cpu] == [1000]' >/dev/null || { "$dolly" journal bound.exec/journal | grep node_up; return 1; }
}

niced() { # neither ends before both have told
    map -j2 --pure 'nice >"$DOLLY_ATTEMPT.{}"; for _ in $(seq 300); do [ ! -s 0.{} ] || [ ! -s 1.{} ] || break; sleep 0.1; done' ::: n 2>err || return 1
    [ "$(cat 1.n)" = $((($(nice) + 15 > 19) ? 19 : $(nice) + 15)) ] && [ "$(cat 0.n)" = "$(nice)" ] ||
        { echo "niceness of the first attempt $(cat 0.n), of the clone $(cat 1.n), ours $(nice)"; return 1; }
}
# A twentieth of the core is enough to see that it computes.
computes='awk "BEGIN { while (i < 25000000) i++ }"; echo {}'
alone() {
    local core
    core=$(taskset -cp $$ | sed 's/.*[ ,-]//')
    taskset -c "$core" timeout -k 1 120 "$dolly" map --no-history -j8 --pure --dir run "$computes" ::: x >out 2>err </dev/null &&
        [ "$(cat out)" = x ]
}
spared() {
    "$dolly" journal run/journal >run.json || return 1
    jq -s -e '[.[] | select(.record == "event" and (.type | test("^attempt_(finished|killed)$")))] |
        (map(select(.attempt == 0) | .cpu_us) | add) as $first |
        (map(select(.attempt > 0) | .cpu_us) | add) < $first / 2' run.json >/dev/null ||
        { echo "clones took more than half of what the task needs"; grep cpu_us run.json; return 1; }
}
said() {
    grep -q '"code":"no_idle_core"' run.json || { grep -E '"cores"|"kill"' run.json; return 1; }
    "$dolly" explain run/journal 0/map/1 >explained && grep -q 'because no core was idle' explained || { cat explained; return 1; }
}
waits() {
    map -j4 --pure --dir waits 'sleep 0.8; echo {}' ::: x 2>err || return 1
    "$dolly" journal waits/journal >waits.json
    grep -q '"kind":"clone"' waits.json && ! grep no_idle_core waits.json
}

# Pressure that is made: `press FOLDER IO MEMORY` counts up what these thousandths of the time are, that of memory until
# FOLDER/still is there.
press() {
    local now io memory
    mkdir "$1" || return
    until [ -e "$1/stop" ]; do
        now=$(($(date +%s%N) / 1000))
        io=$((now / 1000 * $2))
        [ -e "$1/still" ] || memory=$((now / 1000 * $3))
        echo "some avg10=0.00 avg60=0.00 avg300=0.00 total=$io" >"$1/new" && mv "$1/new" "$1/io"
        echo "some avg10=0.00 avg60=0.00 avg300=0.00 total=$memory" >"$1/new" && mv "$1/new" "$1/memory"
        sleep 0.02
    done
}
told() { "$dolly" journal "$1/journal" 2>/dev/null | jq -c "select($2)" | grep -c .; } # records of a run that may go on
has_told() { [ "$(told "$1" "$2")" -ge "$3" ] || ! kill -0 "$running"; }
until_told() { # RUN FILTER COUNT: so many records, while $running does
    await 60 "$1 has $3 of: $2" has_told "$@" && [ "$(told "$1" "$2")" -ge "$3" ]
}
# under NAME IO MEMORY COMMAND STEPS [OPTIONS]: runs it with that pressure until the function STEPS has seen enough.
under() {
    local name=$1 io=$2 memory=$3 command=$4 steps=$5 pressing running rc
    shift 5
    press "$tmp/made.$name" "$io" "$memory" &
    pressing=$!
    await 60 'there is pressure' filled "made.$name/memory"
    DOLLY_PRESSURE=$tmp/made.$name map --dir "$name" --pure "$@" "until [ -e $tmp/$name.go ]; do $command sleep 0.05; done; echo {}" ::: x >"$name.out" 2>"$name.err" &
    running=$!
    "$steps" "$name"
    rc=$?
    touch "$name.go"
    wait "$running" && [ "$(cat "$name.out")" = x ] || { cat "$name.err"; rc=1; }
    touch "made.$name/stop"
    wait "$pressing"
    return "$rc"
}
clones='.type == "launch" and .kind == "clone"'
ended='.type == "kill" and .why.code == "pressure"'
# All clones end, no first attempt; and when memory is there again, clones come back. The disk is busy all the time, but
# the task does not use it.
goes_and_returns() {
    local before
    until_told "$1" "$ended" 1 || return 1
    before=$(told "$1" "$clones")
    touch "made.$1/still"
    until_told "$1" "$clones" $((before + 1)) || return 1
    [ "$(told "$1" "($ended) and .attempt == 0")" = 0 ] || { echo "a first attempt was ended"; return 1; }
    [ "$(told "$1" '.type == "pressure" and .disk > 0')" = 0 ] || { echo "the disk counts"; return 1; }
}
goes() { until_told "$1" "$ended" 1; }
explained() {
    "$dolly" explain memory/journal 0/map/1 >explained && grep -q 'because the memory of .* was short: something waited for it' explained || { cat explained; return 1; }
    "$dolly" explain memory/journal 0/map >explained && grep -q 'not cloned: the memory of .* was short' explained || { cat explained; return 1; }
}
# Not every file system has a disk.
writes='dd if=/dev/zero of=$DOLLY_TMPDIR/x bs=64k count=16 conv=fsync 2>/dev/null;'

ok 'as many slots as cores that may be used' bound
ok "a clone is ten nicer than a first attempt" niced
ok "one core, a task that computes, seven idle slots" alone
ok "its clones leave the core to it" spared
ok "dolly explain says why" said
ok "the journal can be re-fed" speaks "$dolly" journal run/journal --verify
ok "a task that waits keeps its clones" waits
ok "clones go while memory is short, and come back" under memory 900 900 '' goes_and_returns -j4
ok "dolly explain says so" explained
ok "that journal can be re-fed" speaks "$dolly" journal memory/journal --verify
ok "they do so on agents" under agents 900 900 '' goes_and_returns --on local:2 -j2 --set cap=1
if [ "$(stat -f -c %T "$tmp")" = tmpfs ]; then
    skip "clones go while the disk is busy that the task writes to" "$tmp is in memory"
else
    ok "clones go while the disk is busy that the task writes to" under disk 900 0 "$writes" goes -j4
fi
closing
