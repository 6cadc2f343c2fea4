#!/usr/bin/env bash
# Clones take idle cores, run behind first attempts and go when these need the cores:
# tests/cores.sh build/dolly
#
# An idle slot is no idle core: on one core, a clone of a task that computes only slows it down.
# Measured in CPU time, because the machine may be busy with something else. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/cores.sh DOLLY}")
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. "$(dirname "$0")/lib/checks.sh"
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
    [ "$(cat 1.n)" = $((($(nice) + 10 > 19) ? 19 : $(nice) + 10)) ] && [ "$(cat 0.n)" = "$(nice)" ] ||
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

ok 'as many slots as cores that may be used' bound
ok "a clone is ten nicer than a first attempt" niced
ok "one core, a task that computes, seven idle slots" alone
ok "its clones leave the core to it" spared
ok "dolly explain says why" said
ok "the journal can be re-fed" speaks "$dolly" journal run/journal --verify
ok "a task that waits keeps its clones" waits
closing
