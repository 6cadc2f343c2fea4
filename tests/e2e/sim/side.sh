#!/bin/bash
# lane: computing; builds: gcc asan; needs: jq pgrep; limit: 120 s
# side.sh - simulations side by side (`dolly sim --parallel`): the same numbers and journals as one by one, one clear
# line if one of their processes dies, and no process left behind.
#
#     bash tests/e2e/sim/side.sh build/dolly
#
# Closes with `N passed, N failed`. Needs jq and pgrep.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/sim/side.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
. tests/lib/await.sh

# What may differ from run to run: how long it took, and the memory.
same() { # COMMAND...: prints the same with one process at a time as with three
    "$dolly" "$@" --json --parallel 1 | jq 'del(.. | .wall_s?, .wall_s_lo?, .wall_s_hi?, .peak_rss_kib?, .peak_rss_kib_lo?, .peak_rss_kib_hi?)' >"$tmp/one"
    "$dolly" "$@" --json --parallel 3 | jq 'del(.. | .wall_s?, .wall_s_lo?, .wall_s_hi?, .peak_rss_kib?, .peak_rss_kib_lo?, .peak_rss_kib_hi?)' >"$tmp/three"
    [ -s "$tmp/one" ] && grep -q digest "$tmp/one" && cmp "$tmp/one" "$tmp/three"
}
ok 'policies, seeds and a yardstick' same sim --workload examples/mixed.workload --cluster examples/faulty.cluster \
    --policy none,dolly,late --seeds 2 --yardstick no-stragglers
printf '0 3 4 1 1 10\n100 3 4 1 1 10\n' >"$tmp/three.tr"
ok 'a trace in both readings, with its assumptions' same sim --trace "$tmp/three.tr" --cluster 3x1 --policy none,late,dolly
"$dolly" sim --workload examples/mixed.workload --cluster examples/small.cluster --policy none --journal "$tmp/none" >"$tmp/said"
ok 'a recorded run' same replay "$tmp/none" --policy dolly,late
for n in 1 2; do
    "$dolly" sim --workload examples/mixed.workload --cluster examples/small.cluster --policy none,dolly --seeds 2 \
        --journal "$tmp/journal$n" --parallel $n >"$tmp/said" 2>&1
done
journals() {
    local name
    for name in none.1 none.2 dolly.1 dolly.2; do
        [ -s "$tmp/journal1.$name" ] && cmp "$tmp/journal1.$name" "$tmp/journal2.$name" || return 1
    done
}
ok 'the same journals' journals

# ---- processes that die ----

# Begins a comparison that takes long; leaves its process in `run`, those of its simulations in `children`.
begin() {
    "$dolly" sim --workload facebook --jobs 100000 --policy none,dolly --parallel 2 >"$tmp/out" 2>"$tmp/err" &
    run=$!
    await 60 'two simulations run' two_children
    children=$(pgrep -P $run)
}
two_children() { [ "$(pgrep -c -P $run)" = 2 ]; }
are_gone() { local pid; for pid in $children; do [ ! -d "/proc/$pid" ] || return 1; done; }
ended() { # STATUS TEXT: of the comparison; nothing is left
    local status=0
    wait $run 2>/dev/null || status=$?
    [ $status = "$1" ] && [ ! -s "$tmp/out" ] && [ -n "$children" ] && grep -q "$2" "$tmp/err" "$tmp/known" && await 60 'they are gone' are_gone
}
echo killed >"$tmp/known" # what a process that is killed cannot write
begin
kill -9 ${children%%$'\n'*}
ok 'a simulation that is killed is an error' ended 1 'the simulation of none was ended by signal 9; if memory is short, use --parallel 1'
begin
kill -TERM $run
ok 'an interrupt ends them' ended 130 interrupted
begin
kill -9 $run
ok 'they end with their parent' ended 137 'killed'
"$dolly" sim --workload examples/mixed.workload --cluster examples/small.cluster --policy none,dolly \
    --journal "$tmp/nowhere/j" --parallel 2 >"$tmp/out" 2>"$tmp/err"
status=$?
unwritable() { [ $status != 0 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "$tmp/nowhere/j.none.1" "$tmp/err"; }
ok 'the first error is told, once' unwritable
closing
