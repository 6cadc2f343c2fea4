#!/bin/bash
# lane: watching; builds: gcc asan; needs: jq; limit: 120 s
# Runs that are watched in a terminal: tests/e2e/commands/top.sh build/dolly
#
# Each run waits for a file of ours before it goes on, so that what is shown at each moment is known.
# Closes with `N passed, N failed`. Needs jq.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/top.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. tests/lib/checks.sh

begun() { [ "$("$dolly" top --once --json "$1" 2>/dev/null | jq "$2")" = "$3" ]; } # run, question, answer
line() { grep -q -- "$1" "$2" 2>/dev/null; }
gated() { # name, arguments: a run whose tasks wait for the file of their name
    "$dolly" map -j3 --dir "$tmp/$1" --retries 1 \
        "until [ -e $tmp/$1.{} ]; do sleep 0.02; done; test {} != bad" ::: "${@:2}" >/dev/null 2>&1 &
    running=$!
    await 60 "$1 begins" begun "$tmp/$1" .tasks.running 3
}

# ---- a run that goes on ----
gated run a bad b c d
"$dolly" top --once "$tmp/run" >"$tmp/once"
ok 'what runs and what waits' grep -qx '0 of 5 tasks done, 3 running, 2 waiting' "$tmp/once"
ok 'no end is promised before a task has ended' grep -qx 'its end is not known: no task of map has ended' "$tmp/once"
ok 'attempts by the numbers of their tasks' same "$(grep -c '^  map/[123] ' "$tmp/once")" 3
"$dolly" top "$tmp/run" >"$tmp/lines" 2>&1 &
top=$!
await 60 'a line at once' line '^[0-9.]* s: 0 of 5 tasks done' "$tmp/lines"
touch "$tmp/run.a"
await 60 'a line when a task ends' line ': 1 of 5 tasks done, 3 running, 1 waiting; ends in about' "$tmp/lines"
touch "$tmp/run.bad"
await 60 'a line when a task fails' line ': 1 of 5 tasks done, 1 FAILED, 3 running, 0 waiting' "$tmp/lines"
"$dolly" top --once "$tmp/run" >"$tmp/once"
ok 'failures come before phases' same "$(grep -nE '^(FAILED|map )' "$tmp/once" | sed 's/.*:\([A-Za-z]*\).*/\1/' | tr '\n' ' ')" 'FAILED map '
ok 'what failed is not drawn as done' grep -qF 'map                [####xxxx' "$tmp/once"
ok 'with what became of them' grep -qx '  map/2 on n0: failed with exit status 1' "$tmp/once"
touch "$tmp"/run.{b,c,d}
wait "$running"
wait "$top"
ok 'it ends with the run' same "$?" 0
ok 'and says how' same "$(tail -n 1 "$tmp/lines")" 'The run is over: failed.'
ok 'the last numbers are those of explain' same "$("$dolly" top --once --json "$tmp/run" | jq -S 'del(.explain.torn_bytes).explain')" \
    "$("$dolly" explain --json "$tmp/run" | jq -S 'del(.torn_bytes)')"
ok 'the run has not noticed' "$dolly" journal --verify "$tmp/run/journal"

# ---- arguments that arrive while tasks run are tasks of one job ----
mkfifo "$tmp/args"
"$dolly" map -j2 --dir "$tmp/fed" "until [ -e $tmp/fed.{} ]; do sleep 0.02; done" <"$tmp/args" >/dev/null 2>&1 &
running=$!
exec 8>"$tmp/args"
echo a >&8
await 60 'the first of them' begun "$tmp/fed" .tasks.total 1
"$dolly" top "$tmp/fed" >"$tmp/fedlines" 2>&1 8>&- &
top=$!
await 60 'is shown' line '0 of 1 task done' "$tmp/fedlines"
touch "$tmp/fed.a"
await 60 'and ends' line '1 of 1 task done' "$tmp/fedlines"
printf '%s\n' b c >&8
await 60 'two more' begun "$tmp/fed" .tasks.running 2
touch "$tmp/fed.b" "$tmp/fed.c"
exec 8>&-
wait "$running"
wait "$top"
ok 'are followed to the end' same "$(tail -n 2 "$tmp/fedlines" | sed 's/^[0-9.]* s: //')" "$(printf '3 of 3 tasks done, 0 running, 0 waiting\nThe run is over: done.')"

# ---- runs and journals that end badly ----
gated cut a b c
"$dolly" top "$tmp/cut" >"$tmp/cutlines" 2>&1 &
top=$!
await 60 'a run that is killed' line '0 of 3 tasks done' "$tmp/cutlines"
kill -9 "$running"
wait "$running" 2>/dev/null
wait "$top"
ok 'ends what follows it' same "$?" 0
ok 'which says how to go on' line 'Interrupted: 0 of 3 tasks done; continue with `dolly resume ' "$tmp/cutlines"

"$dolly" sim --workload examples/mixed.workload --cluster examples/small.cluster --policy dolly --seed 4 --journal "$tmp/whole" >/dev/null 2>&1
bytes=$(wc -c <"$tmp/whole")
part() { head -c $((bytes * $1 / 4)) "$tmp/whole"; } # quarters
part 2 >"$tmp/j"
"$dolly" top "$tmp/j" >"$tmp/jlines" 2>&1 &
top=$!
await 60 'a journal without an end is awaited' line 'tasks done' "$tmp/jlines"
truncate -s $((bytes / 3)) "$tmp/j"
await 60 'one that is cut is read anew' line '^the journal was cut: it is read anew$' "$tmp/jlines"
part 3 >"$tmp/j2"
mv "$tmp/j2" "$tmp/j"
await 60 'and one that is replaced' line '^the journal was replaced: it is read anew$' "$tmp/jlines"
rm "$tmp/j"
wait "$top"
ok 'one that is gone is the end' same "$?" 2
ok 'in one line' same "$(tail -n 1 "$tmp/jlines")" "dolly: journal $tmp/j: is gone"
part 2 >"$tmp/bad"
"$dolly" top "$tmp/bad" >"$tmp/badlines" 2>&1 &
top=$!
await 60 'before the damage' line 'tasks done' "$tmp/badlines"
head -c 100000 /dev/zero | tr '\0' x >>"$tmp/bad"
wait "$top"
ok 'damage is an error' same "$?" 2
ok 'that names the byte' line '^dolly: journal .*: damaged at byte [0-9]*' "$tmp/badlines"

# ---- a simulation that does not measure all jobs ----
"$dolly" sim --workload facebook --warmup 10m --jobs 20 --policy dolly+late --journal "$tmp/some" >/dev/null 2>&1
told=$("$dolly" explain --json "$tmp/some" | jq -r '.attempts | "\(.clone.launched + .backup.launched), \(.clone.won + .backup.won) won"')
ok 'clones and backups are those of the jobs that explain counts' line "^clones and backups: $told, " <("$dolly" top --once "$tmp/some")

# ---- a terminal ----
if why=$(terminals); then
    part 2 >"$tmp/k"
    mkfifo "$tmp/keys"
    script -qefc "stty rows 24 cols 80; exec $dolly top $tmp/k" "$tmp/screen" <"$tmp/keys" >/dev/null 2>&1 &
    top=$!
    exec 9>"$tmp/keys"
    await 60 'a terminal gets a picture' line 'q quits' "$tmp/screen"
    printf j >&9
    await 60 'a task is chosen' grep -qE '^[! ]>[a-z]+/' "$tmp/screen"
    printf '\r' >&9
    await 60 'its story is told' line 'was launched at' "$tmp/screen"
    ok 'a task is chosen by a key, and its story told by another' line 'esc close' "$tmp/screen"
    printf q >&9
    exec 9>&-
    wait "$top"
    ok 'q ends it' same "$?" 0
    esc=$(printf '\033')
    ok 'and gives the screen back' grep -q "$esc\[?1049l" "$tmp/screen"
    ok 'no line is too long' awk '{ gsub(/\033\[[?0-9]*[A-Za-z]/, ""); sub(/\r$/, "") } length > 80 && !/^Script/ { print; bad = 1 } END { exit bad }' "$tmp/screen"
else
    skip 'a terminal' "$why"
fi
closing
