#!/bin/bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# Recorded runs: tests/oracle/golden.sh build/dolly
#
# A few small simulations, each as a log of one line per event and decision that a person can follow.
# A change that moves any of them has changed what dolly does. UPDATE=1 rewrites the logs; review the
# difference like code. Closes with `N passed, N failed`. Needs jq.
set -u
dolly=$(realpath "${1:?usage: tests/oracle/golden.sh DOLLY}")
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# seconds, event (<) or decision (>), type, job/phase/task.attempt, node, reason with its numbers
as_text='
    select(.record == "event" or .record == "decision")
    | [ (.t_us / 1000000 | tostring),
        (if .record == "event" then "<" else ">" end),
        .type,
        ([.job, .phase, .task | values | tostring] | join("/"))
            + (if .attempt then "." + (.attempt | tostring) else "" end),
        (if .node then "on " + (.node | tostring) else empty end),
        (if .why then .why | [.code] + [to_entries[] | select(.key != "code") | "\(.key)=\(.value)"]
            | join(" ") else empty end) ]
    | join(" ")'

record() { # name workload cluster policy
    local log=tests/oracle/golden/$1.log
    "$dolly" sim --workload "$2" --cluster "$3" --policy "$4" --journal "$tmp/$1" >"$tmp/out" 2>&1 &&
        "$dolly" journal "$tmp/$1" >"$tmp/json" && jq -r "$as_text" "$tmp/json" >"$tmp/log" || {
        cat "$tmp/out"
        : >"$tmp/log"
    }
    [ "${UPDATE:-0}" = 1 ] && [ -s "$tmp/log" ] && cp "$tmp/log" "$log"
    [ -s "$tmp/log" ] && diff -u "$log" "$tmp/log" >"$tmp/diff"
    report $? "$1" "UPDATE=1 make golden accepts this" || head -n 20 "$tmp/diff"
}

record wordcount-none examples/wordcount.workload 10x2 none
record late-reports tests/oracle/golden/late.workload tests/oracle/golden/late.cluster 'late;floor=1s;cap=1;slow_node=0'
record commands-dolly examples/commands.workload 20x2 'dolly;budget=idle'

tools/picture "$dolly" >"$tmp/run.svg" 2>"$tmp/diff"
[ "${UPDATE:-0}" = 1 ] && [ -s "$tmp/run.svg" ] && cp "$tmp/run.svg" docs/start/run.svg
cmp -s "$tmp/run.svg" docs/start/run.svg
report $? "the picture of README.md" "UPDATE=1 make golden accepts this: $(head -n 1 "$tmp/diff")"

closing
