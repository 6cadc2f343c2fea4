#!/usr/bin/env bash
# lane: computing; builds: gcc; needs: -; limit: 600 s
# Data-parallel jobs struck at their system calls: tests/crash/crash.sh DOLLY [all [SWEEP]]
#
# A small job is run again and again, and one of its processes (coordinator, guardian, a helper, a
# command) is killed at one of its system calls, or has that call fail (build/strike, tests/crash/strike.c).
# Then the job is resumed until it is complete. Results must be those of a quiet run, what had finished
# must not run again, and nothing may be left, neither files nor processes.
#
# `all` takes every call of every process and kills resumes as well (minutes; `make crash-long`). Else a
# sample is taken: all calls of the coordinator that change files, and some of the others. SWEEP: only those
# whose name has it, such as `killed helper`, `failed coordinator 28` or `native`.
# Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/crash/crash.sh DOLLY [all [SWEEP]]}")
strike=$(dirname "$dolly")/strike
how=${2:-some} only=${3:-}
include=$(realpath "$(dirname "$0")/../../include")
tmp=$(realpath "$(mktemp -d)") || exit 2
. "$(dirname "$0")/../lib/checks.sh"
export TMPDIR=$tmp LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # which traces, too, and there can be only one
cd "$tmp" || exit 2

# Two mappers with spills, two reducers. Who begins adds PHASE.TASK to $RAN.
seq 3000 >numbers
cat >job.yaml <<END
input: $tmp/numbers
output: x
split: 7000
slots: 1
phases:
  - name: map
    clone: never
    sort_memory: 64K
    run: 'echo 0.\$mapreduce_task_partition >>\$RAN; echo reporter:counter:job,maps,1 >&2; cat'
  - {name: reduce, after: map, tasks: 2, clone: never, run: 'echo 1.\$mapreduce_task_partition >>\$RAN; cut -f 1'}
END
tasks='0.0 0.1 1.0 1.1'
job=$tmp/job.yaml kind=
# The same of functions, whose helpers are programs of their own.
cat >native.c <<'END'
#include <dolly.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int begin(struct dolly_task *t)
{
    int fd = open(getenv("RAN"), O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (dprintf(fd, "%d.%u\n", t->phase[0] == 'r', (unsigned)t->number) < 0)
        return -1;
    if (t->phase[0] == 'm')
        dolly_count(t, "job", "maps", 1);
    return close(fd);
}
static int map(struct dolly_task *t, struct dolly_bytes line)
{
    dolly_emit(t, line, dolly_text(""));
    return 0;
}
static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes value;

    while (dolly_next(values, &value))
        dolly_print(t, key);
    return 0;
}
DOLLY_EXPORT const struct dolly_functions dolly_program = {
    .abi = DOLLY_ABI, .begin = begin, .map = map, .reduce = reduce};
END
cat >native.yaml <<END
input: $tmp/numbers
output: x
split: 7000
slots: 1
phases:
  - {name: map, clone: never, sort_memory: 64K, native: $tmp/native.so}
  - {name: reduce, after: map, tasks: 2, clone: never, native: $tmp/native.so}
END
gcc -std=gnu11 -O1 -shared -fPIC -I"$include" -o native.so native.c || exit 2

# ---- one run ----

# go REPORT WHO [WHEN] COMMAND...: under strike, in the folder of the point.
go() {
    RAN=$PWD/ran "$strike" -o "$@" >>stdout 2>>err </dev/null
}

# What is wrong with results that should be whole, if anything is.
right() {
    [ -e out/_SUCCESS ] && [ ! -e out/_temporary ] && [ ! -s stdout ] ||
        { echo "not whole: $(find out | head -n 5 | xargs) $(tail -n 3 err)"; return 1; }
    cat out/part-* | cmp - "$tmp/want" || return 1
    grep -q '"maps": 2$' out/_counters.json || { echo "counted: $(cat out/_counters.json)"; return 1; }
    [ "$(sort -u ran | xargs)" = "$tasks" ] || { echo "ran: $(xargs <ran)"; return 1; }
}

# The tasks that have finished, as far as their run knows: told by the guardian, or in the journal.
finished() {
    {
        awk '$2 == 0 { split($1, at, "."); print at[2] "." at[3] }' out/_temporary/run/ends
        "$dolly" journal out/_temporary/run/journal |
            sed -n 's/.*"type":"committed","job":0,"phase":\([0-9]*\),"task":\([0-9]*\).*/\1.\2/p'
    } 2>/dev/null | sort -u
}

# Whether nothing has been run yet, so that the job is to be run again.
unbegun() { # STATUS
    [ "$1" = 2 ] && [ ! -s ran.before ] &&
        { [ -z "$(ls -A out 2>/dev/null)" ] || grep -q 'before it began; remove the folder' err; }
}

# Goes on with what was cut short; AT: where this life is struck, too. Its status.
again() { # [AT]
    local status
    finished >finished
    mv ran ran.before 2>/dev/null
    : >ran
    : >err
    if [ -n "${1:-}" ]; then
        go again coordinator "$1" "$dolly" resume out
    else
        go again none "$dolly" resume out
    fi
    status=$?
    if unbegun $status; then
        rm -rf out
        : >err
        go again none "$dolly" run "$job" --output out
        status=$?
    fi
    sort ran | comm -12 - finished >twice
    cat ran.before >>ran 2>/dev/null
    [ ! -s twice ] || { echo "ran again: $(xargs <twice)"; return 77; }
    return "$status"
}

# What may come of it: of helpers and commands another attempt is made; others are resumed.
killed() { # WHO WHEN
    local status lives=0 at
    go report "$1" "$2" "$dolly" run "$job" --output out
    status=$?
    [ -e ran ] || : >ran
    ! grep -q '^left' report || { cat report; return 1; }
    case $1 in
    helper:* | command:*)
        [ "$status" = 0 ] || { echo "status $status: $(tail -n 3 err)"; return 1; }
        ;;
    esac
    while [ "$status" != 0 ]; do
        lives=$((lives + 1))
        [ "$lives" -lt 4 ] || { echo "status $status: $(tail -n 3 err)"; return 1; }
        at=
        [ "$how$lives" != all1 ] || at=$((RANDOM % 400 + 1))
        again $at
        status=$?
        ! grep -q '^left' again || { cat again; return 1; }
        [ "$status" != 77 ] || return 1
    done
    right
}

# A call that fails is survived, or its attempt or run ends with a reason; after a full disk it goes on. Who gets no memory may abort. The loader,
# whose calls are the first (of a program: $loader), says what it says, with status 127, and dies where it gets no
# memory.
failed() { # WHO WHEN=ERRNO
    local status
    go report "$1" "$2" "$dolly" run "$job" --output out --set failures_max=1
    status=$?
    ! grep -q '^left' report || { cat report; return 1; }
    if grep -qE '^end 1(32|34|35|39)' report; then
        grep -q '^struck map' report && { [ "${2%=*}" -le $loader ] || grep -q '^end 134' report; } && return 0
        echo "$(xargs <report): $(cat err)"
        return 1
    fi
    [ "$status" != 0 ] || { right; return; }
    [ "$status" != 127 ] || return 0
    [ "$status" -lt 126 ] && [ -s err ] || { echo "status $status, without a word"; return 1; }
    case $1 in
    helper:*)
        if grep -q 'was full; .* free some space' err; then # the job is not over: there is room, and it goes on
            again || { echo "resumed with status $?: $(cat err)"; return 1; }
            right
            return
        fi
        grep -q 'its last line on stderr: .' err || { echo "status $status: $(cat err)"; return 1; }
        ;;
    esac
}

# ---- many ----

"$strike" -o report none true
if [ $? = 98 ]; then
    skip 'jobs that are struck' 'processes cannot be traced here'
    closing
    exit
fi
mkdir quiet && cd quiet || exit 2
RAN=$PWD/ran "$dolly" run "$job" --output out 2>err
cat out/part-* >"$tmp/want"
: >stdout
ok 'undisturbed' right
[ "$(sort -n "$tmp/want" | cmp - "$tmp/numbers" 2>&1)" = '' ]
report $? 'with the results of sort and cut'
cd "$tmp" || exit 2

# calls WHO: a line for each call of it, N NAME.
calls() {
    local dir=calls.$1
    rm -rf "$dir" && mkdir "$dir" && cd "$dir" || return 1
    go report "$1" list "$dolly" run "$job" --output out
    cd "$tmp" && cat "$dir/report"
}

# sweep killed|failed WHO ERRNO SELECT...: at each of those of its calls that are selected; no ERRNO where it is killed.
sweep() {
    local mode=$1 who=$2 error=$3 when count=0 name=$kind$1.$2${3:+.$3}
    [[ "$kind$1 $2 $3" == *"$only"* ]] || return 0
    shift 3
    calls "$who" | "$@" >"$name.calls"
    loader=$(awk '$2 == "exec" { at = $1 } END { print at + 8 }' "calls.$who/report")
    while read -r when; do
        count=$((count + 1))
        (
            mkdir "$name.$count" && cd "$name.$count" || exit 1
            wrong=$("$mode" "$who" "$when${error:+=$error}" 2>&1) || echo "$when: ${wrong//$'\n'/; }" >>"$tmp/$name.bad"
            cd "$tmp" && [ -n "$wrong" ] || rm -rf "$name.$count"
        ) &
        [ $((count % 3)) -ne 0 ] || wait
    done <"$name.calls"
    wait
    [ "$count" -gt 0 ] && [ ! -e "$name.bad" ]
    report $? "$kind$who $mode at $count calls${error:+ with error $error}" "$(head -n 20 "$name.bad" 2>/dev/null)"
}

changes=' open write rename unlink sync mkdir truncate chmod '
# Those of the kinds above, as NAME:K, and every STEP-th of the others.
some() { # STEP
    awk -v step="$1" -v changes="$changes" '
        index(changes, " " $2 " ") { print $2 ":" ++n[$2]; next }
        others++ % step == step - 1 { print $1 }'
}
# So many of them, evenly spread; all without.
every() { # [COUNT]
    awk -v count="${1:-0}" '{ at[NR] = $1 }
        END { count = count && count < NR ? count : NR; for (i = 1; i <= count; i++) print at[int(NR * i / count)] }'
}

if [ "$how" = all ]; then
    for who in coordinator guardian helper:{0,1,2,3} command:{0,2}; do
        sweep killed $who '' every
    done
    for who in helper:0 helper:2 coordinator guardian; do
        for error in 5 28 12 24; do # EIO, ENOSPC, ENOMEM, EMFILE
            sweep failed $who $error every
        done
    done
    job=$tmp/native.yaml kind='native '
    for who in helper:0 helper:2; do
        sweep killed $who '' every
        for error in 5 28 12 24; do
            sweep failed $who $error every
        done
    done
else
    sweep killed coordinator '' some 50
    sweep killed guardian '' every 12
    sweep killed helper:0 '' every 8
    sweep killed helper:3 '' every 8
    sweep killed command:0 '' every 2
    sweep failed helper:0 28 every 20
    sweep failed helper:2 5 every 20
    job=$tmp/native.yaml kind='native '
    sweep killed helper:0 '' every 4
    sweep failed helper:0 28 every 8
fi

# One of several writes of a reducer's output fails, and those behind it do not: nothing may be missing.
if [[ "native writes" == *"$only"* ]]; then
    seq 60000 >many
    sort many >want.many
    sed -e "s,/numbers,/many," -e 's/split: .*/split: 10M/' -e 's/tasks: 2/tasks: 1/' native.yaml >many.yaml
    lost=0 told=0
    mkdir many.list && cd many.list || exit 2
    go report helper:1 list "$dolly" run "$tmp/many.yaml" --output out
    writes=$(grep -c ' write$' report)
    cd "$tmp" || exit 2
    for ((n = writes > 6 ? writes - 5 : 1; n <= writes; n++)); do
        mkdir "many.$n" && cd "many.$n" || exit 2
        go report helper:1 "write:$n=5" "$dolly" run "$tmp/many.yaml" --output out --set failures_max=1
        if [ $? != 0 ]; then
            told=$((told + 1))
        elif ! cat out/part-* | cmp - ../want.many; then
            lost=$((lost + 1))
        fi
        cd "$tmp" || exit 2
    done
    [ $lost = 0 ] && [ $told -gt 1 ]
    report $? 'native writes that fail are told' "$lost lost, $told told"
fi

# A run of commands gets a SIGTERM at its calls. Whatever has been committed by then is in its JSON, its job log and its
# journal, and was not started again; what is left is done when it is resumed.
mapped() { # WHEN+SIGNAL
    local status told
    go report coordinator "$1" "$dolly" map --dir run --json --joblog log -j2 'echo {} >>$RAN; echo {}' ::: 1 2 3 4
    status=$?
    ! grep -q '^left' report || { cat report; return 1; }
    [ -e ran ] || : >ran
    [ $status != 143 ] || [ -s ran ] || return 0 # it came before the run held signals back
    [ $status = 0 ] || [ $status = 130 ] || { echo "status $status: $(tail -n 3 err)"; return 1; }
    find run/out -type f -printf '%f\n' 2>/dev/null | awk '{ print $1 + 1 }' | sort >visible
    grep -o '^{"seq":[0-9]*' stdout | cut -d : -f 2 | sort >told.json
    sed 1d log | cut -f 1 | sort >told.log
    "$dolly" journal run/journal | sed -n '/"type":"committed"/s/.*"task":\([0-9]*\).*/\1/p' | awk '{ print $1 + 1 }' | sort >told.journal
    for told in told.*; do
        command cmp visible $told || return 1
    done
    [ $status = 0 ] || "$dolly" resume run >again 2>&1 || { echo "resumed: $(tail -n 3 again)"; return 1; }
    sort visible ran | uniq -c | awk '$1 > 2 { bad = 1 } END { exit bad }' || { echo "ran again: $(xargs <ran)"; return 1; }
}
if [[ "terminated map" == *"$only"* ]]; then
    mkdir map.list && cd map.list || exit 2
    go report coordinator list "$dolly" map --dir run --json --joblog log -j2 'echo {} >>$RAN; echo {}' ::: 1 2 3 4
    some 40 <report >"$tmp/map.calls"
    cd "$tmp" || exit 2
    count=0
    while read -r when; do
        count=$((count + 1))
        (
            mkdir "map.$count" && cd "map.$count" || exit 1
            wrong=$(mapped "$when+15" 2>&1) || echo "$when: ${wrong//$'\n'/; }" >>"$tmp/map.bad"
        ) &
        [ $((count % 3)) -ne 0 ] || wait
    done <map.calls
    wait
    [ "$(cat map.*/visible | sort | uniq -c | wc -l)" = 4 ] && [ ! -e map.bad ]
    report $? "a run of commands that is terminated at $count calls reports all that it has committed" "$(head -n 20 map.bad 2>/dev/null)"
fi
closing
