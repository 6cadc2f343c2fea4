#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 300 s
# Data-parallel jobs whose nodes share no folder (--on local:N --pull): tests/e2e/remote/apart.sh build/dolly
#
# What tasks leave for others stays in the scratch of their agent, readers get it from there, and the
# results are those of a run without agents, whoever is killed and whatever is damaged. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/remote/apart.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
mkdir "$tmp/tmp" "$tmp/scratch"
export TMPDIR=$tmp/tmp
. tests/lib/checks.sh
cd "$tmp" || exit 2

run() { # ARGS...
    timeout -k 1 60 "$dolly" run "$@" >out 2>err </dev/null
    status=$?
    return "$status"
}
exits() { [ "$status" = "$1" ] || { echo "status $status, want $1"; cat err; return 1; }; }
says() { grep -q -e "$1" err || { echo "does not say '$1':"; cat err; return 1; }; }
one_line() { [ "$(wc -l <err)" = 1 ] || { echo "not one line:"; cat err; return 1; }; }
all() { # each of the commands
    local c
    for c in "$@"; do eval "$c" || return 1; done
}
# Processes of the agent.
agents() { pgrep -f "agent --connect 127.0.0.1:.*--scratch $tmp/scratch.*--name $1( |\$)"; }
left() { agents '.*'; find "$TMPDIR" scratch -mindepth 1; }
none_left() { [ -z "$(left)" ]; }
nothing_left() { await 20 'nothing is left' none_left || { left; return 1; }; }
has_lines() { [ "$({ grep -e "$2" "$1" 2>/dev/null; true; } | wc -l)" -ge "$3" ]; }
# waits FILE PATTERN [COUNT]: until so many lines of the file match.
waits() { await 60 "$1 has ${3:-1} of: $2" has_lines "$1" "$2" "${3:-1}"; }

# ---- the same as without ----

seq 20000 | awk '{ print $1 * 7919 % 10007, "word" $1 % 977 }' >in
cat >chain.yaml <<END
input: $tmp/in
output: $tmp/want
split: 40K
compress: lz4
phases:
  - {name: map, run: "echo >>$tmp/ran; until [ -e $tmp/all ]; do sleep 0.05; done; awk '{ print \$2 \"\\\\t\" \$1 }'"}
  - {name: reduce, after: map, tasks: 4, compress: plain, run: "echo reporter:counter:own,reducers,1 >&2; cat"}
  - {name: again, after: reduce, tasks: 3, slowstart: 10%, run: cut -f 2}
  - {name: same, after: again, pattern: one-to-one, run: cat}
  - {name: all, after: same, pattern: many-to-one, tasks: 2, run: sort -n}
END
touch all
run chain.yaml
ok 'a job of five phases on this machine' all 'exits 0' 'cat want/part-* | grep -q .'
# all_are_there RUN COUNT: until the three agents have joined and so many commands wait; then these go on.
all_are_there() {
    waits "$1/agents.log" joined 3 && waits ran '' "$2"
    touch all
}
rm -f all && : >ran
run chain.yaml --output got --on local:3 --pull --slots 1 --scratch "$tmp/scratch" --journal got.journal &
all_are_there got/_temporary/run 3
wait $!
status=$?
ok 'is the same on nodes that share nothing' all 'exits 0' 'diff -r want got' '"$dolly" journal got.journal --verify' nothing_left
several() { "$dolly" journal got.journal | jq -s -e 'map(select(.type == "launch") | .node) | unique | length == 3'; }
ok 'of which each has had tasks' several
parts() { "$dolly" journal got.journal | jq -s -e 'map(select(.type == "output_ready" and .phase == 0)) | length > 0 and all(.parts | length == 4)'; }
ok 'the sizes of partitions are known' parts

# ---- in the middle ----

# The last piece waits for `go`; other pieces are done by then, and the word in them is nowhere else. Who runs is noted.
for i in {1..400}; do echo "treasure$i"; done >words
cat >shuffle.yaml <<END
input: $tmp/words
output: $tmp/shuffled
split: 700
phases:
  - {name: map, run: 'echo map \$mapreduce_task_partition >>$tmp/ran; until [ -e $tmp/all ]; do sleep 0.05; done; [ \$mapreduce_task_partition != 6 ] || until [ -e $tmp/go ]; do sleep 0.05; done; cat'}
  - {name: reduce, after: map, tasks: 2, run: 'echo reduce >>$tmp/ran; until [ -e $tmp/end ]; do sleep 0.05; done; cut -f 1'}
END
sort words >sorted
begin() { # until all pieces but the last are committed, by all agents
    rm -rf shuffled all go end && : >ran
    run "$tmp/shuffle.yaml" --on local:3 --pull --policy none --slots 2 --scratch "$tmp/scratch" --journal shuffled.journal &
    all_are_there shuffled/_temporary/run 6
    await 60 'six pieces are committed' six_committed
}
six_committed() {
    "$dolly" journal shuffled/_temporary/run/journal >journal 2>/dev/null
    [ "$(grep -c '"type":"committed"' journal)" -ge 6 ]
}
finish() {
    touch go end
    wait
}
same() {
    sort shuffled/part-* | cmp - sorted && [ -e shuffled/_SUCCESS ] && nothing_left || { cat err; return 1; }
    ! [ -e shuffled.journal ] || "$dolly" journal shuffled.journal --verify
}
# tells TYPE: how often the journal has it of the first phase.
tells() { "$dolly" journal shuffled.journal | jq -s "map(select(.type == \"$1\" and .phase == 0)) | length"; }
kept() { find scratch -path '*/kept/*' -type f; }

untouched() {
    begin
    { [ "$(kept | wc -l)" = 6 ] && grep -q treasure $(kept) && ! grep -rq treasure shuffled/_temporary/run; } || { finish; kept; grep -rl treasure shuffled; return 1; }
    finish
    same && rm -f shuffled.journal
}
ok 'what is between the phases is with the agents, and not with the coordinator' untouched

damaged() { # COMMAND of a file: is done to one that was kept; it is made again
    begin
    eval "$1 $(kept | head -n 1)"
    finish
    same && [ "$(tells output_lost)" -ge 1 ] && [ "$(grep -c 'map [0-5]' ran)" -ge 7 ] && rm -f shuffled.journal
}
flip() { printf 'T' | dd of="$1" bs=1 seek=20 conv=notrunc 2>/dev/null; } # in the first partition that has anything
ok 'a byte of an output is another: it is made again' damaged flip
ok 'an output is cut off' damaged 'truncate -s 100'
ok 'an output is gone' damaged rm

# The process of the agent that has a session of its own and is below the two that watch.
session() {
    local p ppid sid first
    for p in $(agents "$1"); do
        read -r ppid sid < <(ps -o ppid=,sid= -p "$p")
        first=$(ps -o ppid= -p "${ppid:-0}")
        if [ "$sid" = "$p" ] && agents "$1" | grep -qx "$ppid" && agents "$1" | grep -qx "${first// /}"; then echo "$p"; fi
    done
}
# The agent that has outputs: local0, local1, ...
holder() { kept | sed -n '1s/.*dolly-agent\.\(local[0-9]*\)\..*/\1/p'; }
killed() {
    begin
    local agent
    agent=$(holder)
    touch go
    waits ran reduce 2 # both have read everything
    kill -9 "$(session "$agent")" && waits shuffled/_temporary/run/agents.log "joined $agent " 2
    finish
    same && [ "$(tells output_lost)" -ge 1 ] && rm -f shuffled.journal
}
ok 'an agent is killed: what stayed with it is lost, and made again where it is needed' killed

cut() {
    begin
    kill -9 "$(pgrep -f "^$dolly run $tmp/shuffle.yaml")"
    wait 2>/dev/null
    touch go end
    timeout -k 1 60 "$dolly" resume shuffled >out 2>err </dev/null || { cat err; return 1; }
    same && [ "$(grep -c 'map [0-5]' ran)" -ge 12 ] || { cat ran; return 1; }
}
ok 'the coordinator is killed: what stayed with agents is lost, and others go on' cut

# ---- bad input ----

run shuffle.yaml --output nowhere --pull
ok 'bad input: no nodes' all 'exits 2' 'says "is for runs with --on"' one_line '[ ! -e nowhere ]'

closing
