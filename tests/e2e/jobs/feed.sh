#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Arguments that come while tasks run: tests/e2e/jobs/feed.sh build/dolly
#
# The writer of a fifo waits until it sees what the first task has done before it writes the next
# argument: nothing here depends on time.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/jobs/feed.sh DOLLY}")
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. "$(dirname "$0")/../../../tests/lib/checks.sh"
cd "$tmp" || exit 2

map() { timeout -k 1 60 "$dolly" map --no-history "$@"; }
until_there() { await 60 "$1 is there" filled "$1" >&2; } # file

at_once() {
    { echo a; until_there seen.a && printf 'b\n\nlast'; } |
        map -j1 'echo {#} $DOLLY_TASK_ID $PARALLEL_SEQ {} | tee seen.{}' >out || return 1
    printf '%s\n' '1 0 1 a' '2 1 2 b' '3 2 3' '4 3 4 last' >want
    sed 's/ $//' out | diff want -
}
in_pieces() { # each argument a job of its own
    for i in 1 2 3 4 5 6; do echo "$i"; until_there "p.$i" || return 1; done |
        map -k -j3 --retries 2 --joblog log --tag 'echo x >>p.{}; echo {}; [ $DOLLY_ATTEMPT = 1 ] || [ {} = 6 ]' >out 2>err
    [ $? = 0 ] || { cat err; return 1; }
    paste <(seq 6) <(seq 6) | diff - out && [ "$(tail -n +2 log | cut -f1 | sort -n | xargs)" = '1 2 3 4 5 6' ]
}
many() {
    seq 3000 | map -k -j4 echo >out && seq 3000 | diff - out >/dev/null
}
failed() {
    seq 20 | map 'echo {}; exit $(({} % 2))' >out 2>/dev/null
    [ $? = 10 ] && [ "$(sort -n out | xargs)" = "$(seq 20 | xargs)" ]
}
# Somebody keeps the fifo open for as long as the test runs.
open_ended() { # status option... command
    local want=$1 status
    shift
    rm -f fifo
    mkfifo fifo
    exec 5<>fifo
    echo a >&5
    map "$@" <fifo >out 2>err
    status=$?
    exec 5>&-
    [ $status = "$want" ] || { echo "status $status"; cat err; return 1; }
}
interrupted() {
    local pid status
    rm -f fifo here
    mkfifo fifo
    exec 5<>fifo
    echo a >&5
    "$dolly" map --no-history 'echo {} | tee here' <fifo >out 2>err 5>&- &
    pid=$!
    until_there here || return 1
    kill -TERM $pid
    wait $pid
    status=$?
    exec 5>&-
    [ $status = 130 ] || { echo "status $status"; cat err; return 1; }
}
counted() {
    { echo a; sleep 0.2; echo b; } | map -k 'echo {##}' >out && [ "$(xargs <out)" = '2 2' ]
}
kept() { # with a folder: the same, and it can be asked about
    { echo a; until_there kept.a && printf 'b c\n\nlast'; } |
        map --dir run1 -k -j1 'echo {#} {} | tee kept.{#} kept.a' >out || return 1
    printf '%s\n' '1 a' '2 b c' '3 ' '4 last' | diff - out || return 1
    "$dolly" explain run1 >story && grep -q '^1 job with 4 tasks: 4 tasks done' story || { cat story; return 1; }
    "$dolly" explain run1 map/map/4 >story && grep -q '^Task 4 of phase map .*: done' story &&
        grep -q '^It runs: echo 4 last ' story || { cat story; return 1; }
    "$dolly" explain run1 map/map/5 2>story
    [ $? = 2 ] && grep -q 'its tasks are 1 to 4' story || { cat story; return 1; }
    "$dolly" resume run1 --json >story 2>err || return 1
    [ "$(jq -c '[.complete, .tasks, .done, [.results[].seq]]' story)" = '[true,4,4,[1,2,3,4]]' ] || { cat story; return 1; }
    "$dolly" journal run1/journal --verify >/dev/null
}
kept_many() { # what is marked as printed grows over and over
    { seq 100; sleep 0.05; seq 101 300; sleep 0.05; seq 301 600; } | map --dir run2 -k -j4 echo {#} >out && seq 600 | diff - out >/dev/null &&
        [ "$(cut -f1 run2/joblog | tail -n +2 | sort -n | md5sum)" = "$(seq 600 | md5sum)" ]
}
nothing() { : | map 'echo {}' >out && [ ! -s out ]; }
bad() {
    { echo a; printf 'b\0c\n'; } | map echo >out 2>err
    [ $? = 255 ] && grep -q 'has a NUL byte' err
}

ok "the first task starts while stdin is open, and numbers go on" at_once
ok "arguments one by one: order, retries, job log, tags" in_pieces
ok "as many as come at once" many
ok "failed tasks are counted" failed
ok "--halt now ends the run though more could come" open_ended 3 --halt now,fail=1 'exit 3 #'
halted_soon() { open_ended 0 --halt soon,success=1 'echo {}' && [ "$(cat out)" = a ]; }
ok "--halt soon, too" halted_soon
ok "and so does a signal" interrupted
ok "{##} waits for the end of stdin" counted
ok "with --dir, too: explain, journal and resume --json know one list of tasks" kept
ok "... that grows" kept_many
ok "--halt now with --dir" open_ended 3 --dir run3 --halt now,fail=1 'exit 3 #'
ok "nothing at all" nothing
ok "a NUL byte is named" bad
closing
