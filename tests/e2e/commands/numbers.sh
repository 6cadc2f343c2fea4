#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# The numbers of a run from its journal: tests/e2e/commands/numbers.sh build/dolly
#
# `dolly journal FILE --stats --json` must say what `dolly sim --json` said while the journal was
# written, to the digit, for every recipe; and of a run on real processes what `dolly exec` said.
# Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/commands/numbers.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# Both sides of a comparison.
sides='
    # What one run does not have by itself, and what it cost the machine.
    def of_sim: .policies[0] + {jobs, tasks} | del(.policy, .busy_vs_first, .improvement, .wall_s, .peak_rss_kib);
    def of_journal: .numbers + {digest, events: ([.events[]] | add)};
    [inputs] | {want: .[0] | of_sim, got: .[1] | of_journal}'

same() { # options of journal, then -- and those of sim
    local how=()
    while [ "$1" != -- ]; do how+=("$1"); shift; done
    shift
    rm -f "$tmp/journal"
    "$dolly" sim "$@" --json --journal "$tmp/journal" >"$tmp/sim" &&
        "$dolly" journal "$tmp/journal" --stats --json "${how[@]}" >"$tmp/stats" || return 1
    jq -n "$sides" "$tmp/sim" "$tmp/stats" >"$tmp/both" &&
        jq -e '.want == .got and .got.jobs > 0 and .got.digest != null' "$tmp/both" >/dev/null ||
        { diff <(jq .want "$tmp/both") <(jq .got "$tmp/both"); return 1; }
}

mapfile -t recipes < <("$dolly" policies --json | jq -r '.recipes[].name')
for recipe in "${recipes[@]}"; do
    ok "$recipe, mixed jobs on nodes that fail" \
        same -- --workload examples/mixed.workload --cluster examples/faulty.cluster --policy "$recipe" --seed 4
done
ok "there are recipes" [ ${#recipes[@]} -gt 10 ]
for recipe in none late dolly+late mantri; do
    ok "$recipe, with a warm-up and measured jobs" same --warmup 10m --jobs 60 -- \
        --workload facebook --warmup 10m --jobs 60 --policy "$recipe" --seed 5
done
ok "other jobs are measured without them" [ "$(
    "$dolly" journal "$tmp/journal" --stats --json | jq .numbers.jobs)" -gt 60 ]

# ---- real processes ----

of_exec='{jobs, jobs_failed, tasks, attempts, clones, restarts, killed, makespan_s, mean_jct_s}'
real() {
    "$dolly" exec examples/commands.workload --dir "$tmp/run" --cluster 20x2 --policy "dolly;beta=0.7" \
        --chaos slow=0.2x3,kill=0.05 --json >"$tmp/exec" 2>"$tmp/err"
    "$dolly" journal "$tmp/run/journal" --stats --json >"$tmp/stats" || return 1
    diff <(jq -S "$of_exec" "$tmp/exec") <(jq -S ".numbers | $of_exec" "$tmp/stats") &&
        [ "$(jq .numbers.clones "$tmp/stats")" -gt 0 ]
}
ok "a run on real processes" real
mapped() {
    "$dolly" map --dir "$tmp/map" 'sleep 0.0{}' ::: 1 2 3 4 >/dev/null || return 1
    "$dolly" journal "$tmp/map/journal" --stats --json | jq -e '.numbers | .jobs == 1 and .tasks == 4 and .attempts >= 4
        and .mean_jct_s > 0.03 and .loser_frac >= 0'
}
ok "a run of dolly map" mapped

# ---- a journal that is cut off, and options that need others ----

cut_off() {
    head -c $(($(stat -c %s "$tmp/run/journal") / 2)) "$tmp/run/journal" >"$tmp/cut"
    "$dolly" journal "$tmp/cut" --stats --json 2>/dev/null | jq -e '.complete == false and .numbers.attempts > 0'
}
ok "half of a journal" cut_off
refused() { # the message, then arguments
    local message=$1
    shift
    "$dolly" journal "$tmp/cut" "$@" >"$tmp/out" 2>&1
    [ $? -eq 2 ] && grep -q -- "$message" "$tmp/out"
}
ok "--warmup needs --stats --json" refused 'need --stats --json' --stats --warmup 5s
ok "--jobs needs --stats --json" refused 'need --stats --json' --verify --json --jobs 5
ok "--jobs must be positive" refused 'jobs' --stats --json --jobs 0
closing
