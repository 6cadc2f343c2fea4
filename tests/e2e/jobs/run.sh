#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of dolly run: tests/e2e/jobs/run.sh DOLLY
#
# Every example is held to a pipeline without dolly. Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/jobs/run.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(realpath "$(mktemp -d)") || exit 2
. tests/lib/checks.sh
. tests/lib/examples.sh
export TMPDIR=$tmp LC_ALL=C
in=examples/jobs/in

run() { # FILE OPTIONS...: results in $tmp/out
    rm -rf "$tmp/out"
    timeout -k 1 120 "$dolly" run "$1" --output "$tmp/out" "${@:2}" >"$tmp/stdout" 2>"$tmp/err" </dev/null
    status=$?
}
done_well() { [ "$status" = 0 ] && [ -e "$tmp/out/_SUCCESS" ] && [ ! -e "$tmp/out/_temporary" ] && [ ! -s "$tmp/stdout" ]; }
gives() { # what the results must be, in any order of lines, on standard input
    done_well || { cat "$tmp/err"; return 1; }
    sort >"$tmp/want"
    sort "$tmp"/out/part-* | diff - "$tmp/want"
}

# ---- the examples ----

for way in . python; do
    for name in wordcount sort grep join pagerank log; do
        run examples/jobs/$way/$name.yaml
        rounded=%.17g
        [ $way = python ] || rounded=%.6f
        ok "examples/jobs/$way/$name" gives < <(want_of $name $rounded)
        [ $name != sort ] || { cmp -s "$tmp/out/part-00000" <(want_of sort | sort); report $? "... in order"; }
    done
done

# ---- phases that read lines as they were printed ----

job() { cat >"$tmp/job.yaml"; }
seq 1000 >"$tmp/numbers"
job <<EOF
input: $tmp/numbers
output: elsewhere
split: 500
phases:
  - {name: read, run: cat}
  - {name: square, after: read, pattern: one-to-one, run: "awk '{ print \$1 * \$1 }'"}
  - {name: sums, after: square, pattern: many-to-one, tasks: 2, run: "awk '{ s += \$1 } END { print s }'"}
  - {name: total, after: sums, run: "awk '{ s += \$1 } END { print s }'"}
EOF
run "$tmp/job.yaml"
ok 'one-to-one, many-to-one and all-to-all' gives < <(seq 1000 | awk '{ s += $1 * $1 } END { print s }')
[ ! -e elsewhere ] && grep -Eq '([0-9]+) x read, \1 x square, 2 x sums, 1 x total' "$tmp/err"
report $? 'as many tasks as they are to have' "$(cat "$tmp/err")"
run "$tmp/job.yaml" --slots 6 --policy 'dolly;budget=idle' --chaos slow=0.5x5
ok 'stragglers change nothing' gives < <(seq 1000 | awk '{ s += $1 * $1 } END { print s }')

# ---- what nobody else may read ----

# The second phase looks when the first has left its outputs, files and archives are there, and sorting has had its own.
job <<EOF
input: $tmp/numbers
output: elsewhere
files: ["$tmp/job.yaml#own"]
phases:
  - {name: pairs, run: "awk '{ print \$1 % 7 \"\\t\" 1 }'", combine: "cat", sort_memory: 64K}
  - {name: look, after: pairs, run: "find $tmp/out/_temporary -type d -perm /077 >$tmp/modes; cat"}
EOF
(umask 0 && run "$tmp/job.yaml" && [ "$status" = 0 ]) && [ -e "$tmp/modes" ] && [ ! -s "$tmp/modes" ] &&
    [ "$(stat -c %a "$tmp"/out/part-* | sort -u)" = 666 ]
report $? 'a job is for its user alone, and its results are as the mask has it' "$(cat "$tmp/modes" "$tmp/err"; stat -c '%a %n' "$tmp"/out/*)"

# ---- results that cannot be put in their place ----

job <<EOF
{input: $tmp/numbers, output: elsewhere, phases: [{name: a, clone: never, run: "mkdir -p $tmp/out/_counters.json/x; cat"}]}
EOF
run "$tmp/job.yaml" --on local:1
[ "$status" = 1 ] && [ ! -e "$tmp/out/_SUCCESS" ] && grep -qF '_counters.json: Is a directory' "$tmp/err" && [ -s "$tmp/out/_temporary/on" ]
report $? 'a job whose counters cannot be written has failed' "$status $(cat "$tmp/err")"
rm -r "$tmp/out/_counters.json"
timeout -k 1 120 "$dolly" resume "$tmp/out" >"$tmp/stdout" 2>"$tmp/err"
status=$?
ok '... and ends once they can' gives <"$tmp/numbers"

job <<EOF
name: limits
input: [$tmp/numbers]
output: elsewhere
user: ann
env: {WHO: "a b"}
set: {p_prior: 0.2}
policy: dolly;budget=idle
phases:
  - name: one
    cpu: 0.5
    mem: 10M
    clone: never
    separator: ','
    run: sed 's/\$/,x/'
    sort_memory: 64K
  - {name: two, after: one, run: 'head -n 1; echo "\$WHO"'}
EOF
run "$tmp/job.yaml"
ok 'keys of workload files, variables, another separator' gives <<<$'1,x\na b'
run "$tmp/job.yaml" --policy nonsense
[ "$status" = 2 ] && [ ! -e "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q nonsense "$tmp/err"
report $? 'a policy that does not exist leaves nothing behind' "$(cat "$tmp/err")"

# ---- packed ----

# Counted with spills of 64 KiB; what readers get is counted in the journal.
awk 'BEGIN { srand(1); for (i = 0; i < 30000; i++) print "word" int(2000 * rand() * rand()) }' >"$tmp/words"
for codec in plain lz4 zstd; do
    job <<EOF
input: $tmp/words
output: elsewhere
split: 200K
compress: $codec
phases:
  - {name: map, sort_memory: 64K, clone: never, run: "sed 's/\$/\\t1/'"}
  - {name: reduce, after: map, tasks: 2, clone: never, run: "cut -f 1 | uniq -c"}
EOF
    run "$tmp/job.yaml" --journal "$tmp/journal.$codec"
    ok "words, $codec" gives < <(sort "$tmp/words" | uniq -c)
    "$dolly" journal "$tmp/journal.$codec" | jq -s 'map(select(.type == "fetch_done").bytes) | add' >"$tmp/bytes.$codec"
done
[ $((2 * $(cat "$tmp/bytes.lz4"))) -lt "$(cat "$tmp/bytes.plain")" ] &&
    [ "$(cat "$tmp/bytes.zstd")" -lt "$(cat "$tmp/bytes.lz4")" ]
report $? 'what is packed well travels as few bytes' "$(cd "$tmp" && tail bytes.*)"
sed -i 's/compress: zstd/compress: gzip/' "$tmp/job.yaml"
run "$tmp/job.yaml"
[ "$status" = 2 ] && grep -qF "compress=gzip of job is wrong; expected plain, lz4 or zstd" "$tmp/err"
report $? 'a codec that is none' "$(cat "$tmp/err")"

# ---- sources: early readers, slow and damaged ones, nodes that fail ----

# The second piece spoils what the first has left, once that is there; it must be made again.
job <<EOF
input: $tmp/numbers
output: elsewhere
split: 2000
nodes: 3x2
phases:
  - name: map
    clone: never
    run: '[ \$mapreduce_task_partition != 1 ] || { until [ -s ../../../../out/0/map/0 ]; do sleep 0.05; done; truncate -s 100 ../../../../out/0/map/0; }; cat'
  - {name: reduce, after: map, tasks: 2, clone: never, run: 'cut -f 1'}
EOF
for codec in plain zstd; do
    sed -i "/compress/d; 1i compress: $codec" "$tmp/job.yaml"
    rm -f "$tmp/damaged"
    run "$tmp/job.yaml" --journal "$tmp/damaged"
    ok "a damaged output is made again, $codec" gives < <(seq 1000)
    grep -q '2 x map, 2 x reduce; [5-9] attempts' "$tmp/err"
    report $? 'and its readers read that' "$(cat "$tmp/err")"
    [ "$("$dolly" journal "$tmp/damaged" | jq -r 'select(.type == "output_lost" or (.type == "launch" and .phase == 0)) | "\(.type) \(.task)"' |
        sort | uniq -c | awk '{ print $1, $2, $3 }' | xargs)" = '2 launch 0 1 launch 1 1 output_lost 0' ]
    report $? 'no other is, and it is made once' "$("$dolly" journal "$tmp/damaged" | grep -E '"(output_lost|fetch_failed)"')"
done
# The last piece waits until the journal has \$UNTIL, such as a reader that has read another piece.
job <<EOF
input: $tmp/numbers
output: elsewhere
split: 500
nodes: 4x2
phases:
  - name: map
    run: '[ \$mapreduce_task_partition != 3 ] || until $dolly journal ../../../../journal 2>/dev/null | grep -q \$UNTIL; do sleep 0.05; done; cat'
  - {name: reduce, after: map, tasks: 3, slowstart: 10%, run: 'cut -f 1'}
EOF
export UNTIL=fetch_done
run "$tmp/job.yaml"
ok 'readers begin before all is there' gives < <(seq 1000)
run "$tmp/job.yaml" --chaos slow_fetch=0.5x200ms --seed 3
ok 'slow fetches change nothing' gives < <(seq 1000)
UNTIL=node_down # by this seed, one of the nodes fails soon, mostly with outputs, and the others much later
run "$tmp/job.yaml" --chaos node_mtbf=60s,node_repair=100ms --seed 854
ok 'nor does a node that fails, with what was left there' gives < <(seq 1000)
run "$tmp/job.yaml" --nodes 0x1
[ "$status" = 2 ] && [ ! -e "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
report $? 'nodes that are none' "$(cat "$tmp/err")"

# ---- outputs that come out different ----

# The second reducer spoils what the first map has left, once the first reducer is committed, and fails: the map runs
# again, prints something else, and what was made from the old one is made again.
cat >"$tmp/spoil" <<EOF
if [ \$mapreduce_task_partition = 1 ] && mkdir $tmp/spoilt 2>/dev/null; then
    until $dolly journal ../../../../journal 2>/dev/null | grep -q '"type":"committed","job":0,"phase":1,"task":0,'; do sleep 0.05; done
    truncate -s 100 ../../../../out/0/map/0
    exit 1
fi
cat
EOF
job <<EOF
input: $tmp/numbers
output: $tmp/out
split: 500
nodes: 2x2
policy: none
phases:
  - {name: map, clone: never, run: 'while read -r l; do echo "\$l \$mapreduce_task_partition.\$DOLLY_ATTEMPT"; done'}
  - {name: reduce, after: map, tasks: 2, clone: never, run: 'sh $tmp/spoil'}
EOF
run "$tmp/job.yaml"
cut -d' ' -f 2 "$tmp"/out/part-* | cut -f 1 | sort -u >"$tmp/made"
pieces=$(cut -d. -f 1 "$tmp/made" | sort -u | wc -l)
[ "$status" = 0 ] && [ "$pieces" -ge 4 ] && [ "$(wc -l <"$tmp/made")" = "$pieces" ] && grep -q '^0.1' "$tmp/made" &&
    sort -n "$tmp"/out/part-* | cut -d' ' -f 1 | cmp - "$tmp/numbers"
report $? 'a map that prints something else each time: each piece is of one attempt, and the job goes well' "$status: $(cat "$tmp/err"; xargs <"$tmp/made")"
grep -q '^dolly: attempts of phase map print different outputs' "$tmp/err"
report $? '... and its user reads so' "$(cat "$tmp/err")"

# ---- outputs that are kept twice ----

# The second piece waits until there is a copy of what the first has left; then it spoils that, or waits for `go`. The
# others wait for that copy, too: how long the first one takes says whether it pays to make more.
copied='"replica_done","job":0,"phase":0,"task":0,'
cat >"$tmp/second" <<EOF
echo map \$mapreduce_task_partition >>$tmp/ran
if [ \$mapreduce_task_partition = 1 ]; then
    until $dolly journal ../../../../journal 2>/dev/null | grep -q '$copied'; do sleep 0.05; done
    touch $tmp/copied
    if [ -z "\$WAITS" ]; then truncate -s 100 ../../../../out/0/map/0; else until [ -e $tmp/go ]; do sleep 0.05; done; fi
elif [ \$mapreduce_task_partition != 0 ]; then
    until [ -e $tmp/copied ]; do sleep 0.05; done
fi
cat
EOF
job <<EOF
input: $tmp/numbers
output: $tmp/out
split: 500
nodes: 4x2
policy: none,protect=mantri;r_prior=1;replicate=100;rate=1e9;precompute=0
phases:
  - {name: map, clone: never, run: 'sh $tmp/second'}
  - {name: reduce, after: map, tasks: 2, clone: never, run: 'echo reduce >>$tmp/ran; cut -f 1'}
EOF
each_once() { [ "$(sort "$tmp/ran" | xargs)" = 'map 0 map 1 map 2 map 3 map 4 map 5 map 6 map 7 reduce reduce' ] || { cat "$tmp/ran"; return 1; }; }
: >"$tmp/ran"
export WAITS=
run "$tmp/job.yaml" --journal "$tmp/kept.journal"
ok 'a copy takes the place of a damaged output' gives < <(seq 1000)
ok 'and nothing runs again' each_once
"$dolly" journal "$tmp/kept.journal" | grep -q '"replica_failed".*"task":0,.*"output_gone"'
report $? 'as the journal has it' "$("$dolly" journal "$tmp/kept.journal" | grep replica)"
ok 'the same decisions, fed again' "$dolly" journal "$tmp/kept.journal" --verify
: >"$tmp/ran"
rm -rf "$tmp/out" "$tmp/copied"
WAITS=yes timeout -k 1 120 "$dolly" run "$tmp/job.yaml" --journal "$tmp/later.journal" >"$tmp/stdout" 2>"$tmp/err" </dev/null &
has() { "$dolly" journal "$tmp/out/_temporary/run/journal" 2>/dev/null | grep -c "$1"; }
seven_and_a_copy() { [ "$(has "$copied")" -ge 1 ] && [ "$(has '"type":"committed"')" -ge 7 ]; }
await 60 'a copy is made' seven_and_a_copy ||
    "$dolly" journal "$tmp/out/_temporary/run/journal" | tail -n 60 # no copy: what did it wait for?
pkill -9 -f "^$dolly run $tmp/job.yaml"
wait 2>/dev/null
truncate -s 100 "$tmp/out/_temporary/run/out/0/map/0"
touch "$tmp/go"
WAITS=yes timeout -k 1 120 "$dolly" resume "$tmp/out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
status=$?
ok "whoever goes on keeps the journal" "$dolly" journal "$tmp/later.journal" --verify
ok 'copies of a run that was cut short' gives < <(seq 1000)
[ "$(grep -c 'map 0' "$tmp/ran")" = 1 ] && [ "$(sort -u "$tmp/ran" | wc -l)" = 9 ]
report $? 'take that place, too' "$(cat "$tmp/ran")"
rm "$tmp/go"
# One of the nodes fails, mostly with outputs and copies, while the last piece waits for that.
job <<EOF
input: $tmp/numbers
output: elsewhere
split: 500
nodes: 4x2
policy: none,protect=mantri;r_prior=1;replicate=100;rate=1e9;precompute=0
phases:
  - {name: map, run: '[ \$mapreduce_task_partition != 7 ] || until $dolly journal ../../../../journal 2>/dev/null | grep -q node_down; do sleep 0.05; done; cat'}
  - {name: reduce, after: map, tasks: 3, run: 'cut -f 1'}
EOF
rm -f "$tmp/kept.journal"
run "$tmp/job.yaml" --chaos node_mtbf=60s,node_repair=100ms --seed 854 --journal "$tmp/kept.journal"
ok 'a node that fails with outputs that are kept twice' gives < <(seq 1000)
kept_twice() { # what is told lost was there once only
    "$dolly" journal "$tmp/kept.journal" | jq -se 'reduce (.[] | select(.task != null)) as $e ({}; ($e | "\(.phase).\(.task).\(.attempt)") as $k
        | if $e.type == "committed" or $e.type == "replica_done" then .[$k] += 1
          elif $e.type == "replica_failed" then .[$k] -= (if .[$k] > 1 then 1 else 0 end)
          elif $e.type == "output_lost" and .[$k] > 1 then error($k) else . end) | length > 0'
}
ok 'which are not lost' kept_twice

# ---- cut short ----

# The third piece waits for `go`; who runs is noted.
: >"$tmp/ran"
job <<EOF
input: $tmp/numbers
output: $tmp/out
split: 500
slots: 2
phases:
  - name: map
    clone: never
    run: 'echo map \$mapreduce_task_partition >>$tmp/ran; [ \$mapreduce_task_partition != 3 ] || until [ -e $tmp/go ]; do sleep 0.05; done; cat'
  - {name: reduce, after: map, tasks: 2, clone: never, run: 'echo reduce >>$tmp/ran; cut -f 1'}
EOF
rm -rf "$tmp/out"
timeout -k 1 120 "$dolly" run "$tmp/job.yaml" >"$tmp/stdout" 2>"$tmp/err" </dev/null &
parts() { sort -u "$tmp/ran" | wc -l; }
last_began() { [ "$(parts)" -ge 8 ]; }
await 60 'the last piece begins' last_began # all but the third are done, or nearly
parts=$(parts)
committed() { [ "$(has '"type":"committed"')" -ge "$1" ]; } # so many
await 60 'all pieces but one are committed' committed 7
pkill -9 -f "^$dolly run $tmp/job.yaml"
wait 2>/dev/null
[ ! -e "$tmp/out/_SUCCESS" ] && [ "$parts" = 8 ]
report $? 'a job that is killed leaves no results' "$(ls "$tmp/out")"
"$dolly" explain "$tmp/out" >"$tmp/story" 2>&1 && grep -q 'The journal was not closed' "$tmp/story"
report $? 'but a journal' "$(cat "$tmp/story")"
cp -r "$tmp/out" "$tmp/kept"
touch "$tmp/go"
: >"$tmp/ran"
timeout -k 1 120 "$dolly" resume "$tmp/out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
status=$?
ok 'and goes on' gives < <(seq 1000)
[ "$(sort "$tmp/ran" | xargs)" = 'map 3 reduce reduce' ]
report $? 'with what was not done' "$(cat "$tmp/ran")"
says_once() { # COMMAND... MESSAGE: one line, status 2
    "${@:1:$#-1}" 2>"$tmp/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "${!#}" "$tmp/err" || { cat "$tmp/err"; return 1; }
}
ok 'and is not run again' says_once "$dolly" run "$tmp/job.yaml" 'already exists, with the results of a job'
ok 'nor explained' says_once "$dolly" explain "$tmp/out" '`dolly run --journal FILE` keeps that'
ok 'nor reported about' says_once "$dolly" report "$tmp/out" '`dolly run --journal FILE` keeps that'
ok 'a folder is no job' says_once "$dolly" run "$tmp/out" 'is a folder; expected a job file'
changed() { # FILE: refused by name, nothing run
    rm -rf "$tmp/out" && cp -r "$tmp/kept" "$tmp/out" && echo more >>"$1" && : >"$tmp/ran"
    timeout -k 1 120 "$dolly" resume "$tmp/out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
    [ $? -ne 0 ] && grep -q "$2" "$tmp/err" && [ ! -s "$tmp/ran" ] && [ ! -e "$tmp/out/_SUCCESS" ] || { cat "$tmp/err" "$tmp/ran"; return 1; }
}
ok 'but not with other jobs' changed "$tmp/out/_temporary/job" 'have changed since'
cp "$dolly" "$tmp/other"
ok 'nor with another version of dolly' eval 'dolly=$tmp/other changed "$tmp/other" "was started by another version of dolly"'
rm "$tmp/other"
ok 'nor with another plan' changed "$tmp/out/_temporary/plan" 'not the whole plan'
timeout 60 "$dolly" resume "$tmp/nowhere" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
report $? 'a folder that is not there' "$(cat "$tmp/err")"

# ---- what a job is bound to ----

# held RUN...: a job of which the first map waits for `go`, killed when the others are committed.
held() {
    rm -rf "$tmp/out" "$tmp/go"
    timeout -k 1 120 "$dolly" "$@" >"$tmp/stdout" 2>"$tmp/err" </dev/null &
    await 60 'three tasks are committed' committed 3
    pkill -9 -f "^$dolly $1 $2"
    wait 2>/dev/null
}
mkdir "$tmp/files" && seq 100 >"$tmp/hundred"
printf '#!/bin/sh\n. ./lib.sh\n[ $mapreduce_task_partition != 0 ] || until [ -e %s/go ]; do sleep 0.05; done\nsed "s/$/ $version/"\n' "$tmp" >"$tmp/files/script" # without x
echo version=1 >"$tmp/files/lib.sh"
job <<EOF
input: $tmp/hundred
output: $tmp/out
split: 80
slots: 4
files: [$tmp/files/script, $tmp/files/lib.sh, $tmp/files/script]
phases: [{name: map, clone: never, run: script}]
EOF
held run "$tmp/job.yaml"
echo version=2 >"$tmp/files/lib.sh"
touch "$tmp/go"
timeout -k 1 120 "$dolly" resume "$tmp/out" --json >"$tmp/stdout" 2>"$tmp/err" </dev/null
status=$?
[ "$status" = 0 ] && sort -n "$tmp"/out/part-* | cmp - <(seq 100 | sed 's/$/ 1/')
report $? 'a script that changes changes nothing, and needs no x' "$status: $(cat "$tmp/err"; head -n 3 "$tmp"/out/part-*)"
[ "$(jq -r .output "$tmp/stdout")" = "$tmp/out" ]
report $? 'resume --json tells of the job' "$(cat "$tmp/stdout" "$tmp/err")"
held run "$tmp/job.yaml"
"$dolly" resume --once "$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q -- '--once is for runs of dolly map' "$tmp/err"
report $? 'options of map are refused by name' "$(cat "$tmp/err")"
before=$(date -r "$tmp/hundred" +@%s.%N)
touch "$tmp/hundred"
cp -a "$tmp/out" "$tmp/before"
"$dolly" resume "$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q 'hundred: this input has changed since the job began' "$tmp/err" && diff -r --no-dereference "$tmp/out" "$tmp/before"
report $? 'an input that has changed is refused before anything starts' "$(cat "$tmp/err")"
touch -d "$before" "$tmp/hundred"
mv "$tmp/out" "$tmp/moved"
"$dolly" resume "$tmp/moved" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q 'a run cannot be moved; move it back' "$tmp/err"
report $? 'a folder that was moved says so' "$(cat "$tmp/err")"
mv "$tmp/moved" "$tmp/out"
touch "$tmp/go"
"$dolly" resume "$tmp/out" 2>"$tmp/err" && sort -n "$tmp"/out/part-* | cmp - <(seq 100 | sed 's/$/ 2/')
report $? '... and goes on when all is as it was' "$(cat "$tmp/err")"
(ulimit -n 64 && rm -rf "$tmp/out" && exec timeout -k 1 120 "$dolly" run "$tmp/job.yaml" >"$tmp/stdout" 2>"$tmp/err")
[ $? -eq 2 ] && [ "$(cat "$tmp/err")" = 'dolly: ulimit -n is 64, and at least 128 open files are needed' ] && [ ! -e "$tmp/out" ]
report $? 'too few open files are named before anything is made' "$(cat "$tmp/err")"
mkdir "$tmp/files/sub" && echo other >"$tmp/files/sub/lib.sh"
sed -i "s|files: .*|files: [$tmp/files/lib.sh, $tmp/files/sub/lib.sh]|" "$tmp/job.yaml"
run "$tmp/job.yaml"
[ "$status" = 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "have the same name; expected .*/sub/lib.sh#OTHER_NAME" "$tmp/err" && [ ! -e "$tmp/out/_temporary" ]
report $? 'two files of one name are refused before the start' "$(cat "$tmp/err")"
sed -i "s|files: .*|files: [$tmp/files/lib.sh, '$tmp/files/sub#other']|; s|run: .*}|run: 'cat >/dev/null; cat other/lib.sh'}|" "$tmp/job.yaml"
run "$tmp/job.yaml" --json
[ "$status" = 0 ] && [ "$(cat "$tmp"/out/part-* | sort -u)" = other ] && [ "$(jq -r .job "$tmp/stdout")" = job ] && [ ! -s "$tmp/err" ]
report $? 'folders among the files; run --json has status 0' "$status: $(cat "$tmp/err" "$tmp/stdout")"

# ---- bad job files ----

refused() { # 'what must be said': one line, status 2, nothing left
    run "$tmp/job.yaml"
    [ "$status" = 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ ! -e "$tmp/out" ] && grep -qF -- "$1" "$tmp/err" ||
        { echo "status $status: $(cat "$tmp/err")"; return 1; }
}
bad() { # NAME MESSAGE: the job file on standard input
    job
    ok "$1" refused "$2"
}
fileless() { # one line says what is missing
    "$dolly" run >"$tmp/none" 2>"$tmp/err" </dev/null
    [ $? = 2 ] && grep -q 'the job file is missing' "$tmp/err"
}
ok 'no job file' fileless
phases='phases: [{name: a, run: cat}]'
bad 'a list' 'job.yaml:1: expected a mapping' <<<'[a, b]'
bad 'nothing' 'the file is empty' <<<''
bad 'not YAML' 'not YAML' <<<'a: [b'
bad 'an unknown key of a job' "job.yaml:2: unknown key 'inputs' of job; did you mean 'input'?" <<<$'output: y\ninputs: x'
bad 'an unknown key of a phase' "job.yaml:4: unknown key 'rum' of phase; did you mean 'run'?" <<<$'input: x\noutput: y\nphases:\n  - {name: a, rum: cat}'
bad 'no input' 'a job without an input' <<<"{output: x, $phases}"
bad 'no output' 'a job without an output' <<<"{input: x, $phases}"
bad 'no phases' 'a job without phases' <<<$'input: x\noutput: y'
bad 'a phase without a command' "phase 'a' has nothing to do" <<<$'input: x\noutput: y\nphases: [{name: a}]'
bad 'a phase without a name' 'a phase without a name' <<<$'input: x\noutput: y\nphases: [{run: cat}]'
bad 'a key twice' "is given twice" <<<$'input: x\noutput: y\noutput: z\n'"$phases"
bad 'a value out of range' 'job.yaml:6: cpu=-1 of phase is wrong; expected' <<<$'input: x\noutput: y\nphases:\n- name: a\n  run: cat\n  cpu: -1'
bad 'a phase above that is not there' "job.yaml:5: after: no phase above is called 'b'" <<<$'input: x\noutput: y\nphases:\n- {name: a, run: cat}\n- {name: c, after: b, run: cat}'
bad 'two phases that read the input' 'only the first phase reads the input' <<<$'input: x\noutput: y\nphases: [{name: a, run: cat}, {name: c, run: cat}]'
bad 'a name twice' "phase 'a' already exists" <<<$'input: x\noutput: y\nphases: [{name: a, run: cat}, {name: a, run: cat, after: a}]'
bad 'an anchor' 'anchors and tags are not supported' <<<$'input: &x y\noutput: z'
bad 'an alias' 'aliases are not supported' <<<$'input: *x\noutput: z'
bad 'a tag' 'anchors and tags are not supported' <<<$'input: !!str y\noutput: z'
bad 'two documents' 'expected one job' <<<$'{input: x, output: y, phases: [{name: a, run: cat}]}\n---\na: b'
bad 'an input that is not there' 'no input matches' <<<$'{input: /nowhere/x, output: y, phases: [{name: a, run: cat}]}'
bad 'a file that is not there' 'job.yaml:2: files: /nowhere/x does not exist' <<<$'{input: x,\nfiles: /nowhere/x, output: y, phases: [{name: a, run: cat}]}'
timeout 60 "$dolly" run "$tmp/nowhere.yaml" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'nowhere.yaml: No such file' "$tmp/err"
report $? 'no such job file' "$(cat "$tmp/err")"

# ---- in the simulator ----

# Four pieces of 3 s on two slots, then two reducers: 3 + 3 + 5.
job <<EOF
{input: $tmp/numbers, output: x, split: 1000, slots: 2, policy: none, phases: [{name: map, run: cat, sim: {time: 3s}},
    {name: reduce, after: map, tasks: 2, run: cat, sim: {time: '4s,5s'}}]}
EOF
simulates() { # SECONDS
    timeout -k 1 120 "$dolly" sim "$tmp/job.yaml" --json >"$tmp/json" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    jq -e --arg name "$tmp/job.yaml" ".workload == \$name and .policies[0].mean_jct_s == $1" "$tmp/json" >/dev/null || { cat "$tmp/json"; return 1; }
}
ok 'a job is simulated' simulates 11
timeout 60 "$dolly" sim "$tmp/job.yaml" --workload facebook >"$tmp/json" 2>"$tmp/err"
[ $? = 2 ] && [ ! -s "$tmp/json" ] && grep -q -- '--workload: .*job.yaml has the jobs' "$tmp/err"
report $? 'but not together with another workload' "$(cat "$tmp/err")"
run "$tmp/job.yaml" --journal "$tmp/journal"
ok 'runs all the same' gives < <(seq 1000 | sed 's/$/\t/')
run "$tmp/job.yaml" --journal "$tmp/journal"
[ "$status" = 2 ] && [ ! -e "$tmp/out" ] && grep -q 'journal already exists' "$tmp/err"
report $? 'a journal that is there is refused at once' "$(cat "$tmp/err")"
sed -i "s|sim: {time: 3s}|sim: {journal: $tmp/journal}|" "$tmp/job.yaml"
timeout -k 1 120 "$dolly" sim "$tmp/job.yaml" --json >"$tmp/json" 2>"$tmp/err"
jq -e '.tasks == 6 and .policies[0].mean_jct_s > 5' "$tmp/json" >"$tmp/check" 2>&1
report $? 'with times of a journal' "$(cat "$tmp/json" "$tmp/err")"
sed -i 's|name: map|name: other|; s|after: map|after: other|' "$tmp/job.yaml"
timeout -k 1 120 "$dolly" sim "$tmp/job.yaml" 2>"$tmp/err"
[ $? = 2 ] && grep -q "no job there has a phase 'other'" "$tmp/err"
report $? 'a journal of another job' "$(cat "$tmp/err")"
timeout 60 "$dolly" sim examples/jobs/wordcount.yaml 2>"$tmp/err"
[ $? = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q 'has no times to simulate.*dolly run --journal FILE' "$tmp/err"
report $? 'without times: how to get some' "$(cat "$tmp/err")"
# The same as lines of a workload file.
cat >"$tmp/lines.job" <<EOF
# four pieces, two readers
job lines input=$tmp/numbers output=x split=1000 slots=2 policy=none env="WHO=a b"
  phase map    run=cat sim=time=3s
  phase reduce after=map tasks=2 run="awk '{ print \$1 \\",\\" ENVIRON[\\"WHO\\"] }'" sim=time=4s,5s
EOF
run "$tmp/lines.job"
ok 'a job in lines' gives < <(seq 1000 | sed 's/$/,a b/')
timeout -k 1 120 "$dolly" sim "$tmp/lines.job" --json 2>"$tmp/err" | jq -e '.policies[0].mean_jct_s == 11' >"$tmp/check" 2>&1
report $? 'and simulated' "$(cat "$tmp/check" "$tmp/err")"
bad 'two jobs in lines' "job.yaml:3: 'job': expected one job and its phases" <<<$'job a input=x output=y\nphase a run=cat\njob b'
bad 'a key in lines that is none' "job.yaml:2: unknown key 'combin' of phase; did you mean 'combine'?" <<<$'job a input=x output=y\nphase a run=cat combin=cat'
bad 'times that are none' "expected 4s, 2s-6s" <<<'{input: x, output: y, phases: [{name: a, run: cat, sim: {time: soon}}]}'
# ---- on a terminal ----

job <<'END'
input: examples/jobs/in/access.log
output: out
phases:
  - name: m
    clone: never
    run: |
      echo 'reporter:status:half way' >&2
      until grep -q 'm [0-9]* %, r 0 %, 1 running; m 0: half way' "$SHOWN"; do sleep 0.05; done
      echo 'reporter:counter:seen,statuses,1' >&2
  - {name: r, after: m, run: cat}
END
if why=$(terminals); then
    rm -rf "$tmp/out"
    SHOWN=$tmp/shown timeout -k 1 120 script -qfec "'$dolly' run '$tmp/job.yaml' --output '$tmp/out'" "$tmp/shown" \
        >/dev/null 2>&1 </dev/null
    ok 'a bar shows phases and what attempts say' test -e "$tmp/out/_SUCCESS"
    ok 'counters as Hadoop prints them' grep -qP '^\t\tstatuses=\d+\r?$' "$tmp/shown"
    ok 'each group once' [ "$(grep -cP '^\t(seen|Map-Reduce Framework)\r?$' "$tmp/shown")" -eq 2 ]
else
    skip 'a bar' "$why"
fi

# ---- ends of lines ----

leaves() { done_well && printf "$1" | cmp - "$tmp/out/part-00000"; } # bytes as printf has them
printf 'a\nb' >"$tmp/g1"
printf 'c\nd' >"$tmp/g2"
printf 'x\0y' >"$tmp/g3"
echo hidden >"$tmp/_g"
job <<Y
name: ends
input: ["$tmp/*g1", "$tmp/g2"]
output: out
phases: [{name: m, run: cat}, {name: r, after: m, pattern: many-to-one, run: cat}]
Y
run "$tmp/job.yaml"
ok 'last lines of files do not run into the next' leaves 'a\nb\nc\nd\n'
job <<Y
name: read
input: ["$tmp/g1", "$tmp/_*", "$tmp/g*"]
output: out
phases: [{name: m, run: 'while read x; do echo "\$x"; done'}]
Y
run "$tmp/job.yaml"
ok 'a pattern that finds only what is hidden' [ "$status" = 2 ]
sed -i 's/, "[^"]*_\*"//' "$tmp/job.yaml"
rm "$tmp/g3"
run "$tmp/job.yaml"
ok 'commands see last lines' gives < <(printf 'a\nb\na\nb\nc\nd\n')
printf 'x\0y' >"$tmp/g3"
job <<Y
name: plain
input: $tmp/g3
output: out
phases: [{name: m, run: cat}, {name: r, after: m, pattern: many-to-one, run: cat}]
Y
run "$tmp/job.yaml"
ok 'what is no text stays as it is' leaves 'x\0y'

echo 'import sys; sys.stdout.write(sys.stdin.read())' >"$tmp/beside.py"
job <<Y
name: lost
input: $tmp/g1
output: out
phases: [{name: m, run: python3 beside.py}]
Y
dolly_from() { (cd "$tmp" && rm -rf out && timeout -k 1 120 "$dolly" run job.yaml >stdout 2>err </dev/null); }
dolly_from
[ $? = 1 ] && grep -q 'beside.py exists here, but not in the folder where commands run; name it: `files: \[beside.py\]`' "$tmp/err"
report $? 'a script that is not named in files: that is said' "$(cat "$tmp/err")"
sed -i 's/^output: out/output: out\nfiles: [beside.py]/' "$tmp/job.yaml"
dolly_from && printf 'a\nb\n' | cmp - "$tmp/out/part-00000"
report $? 'and found when it is' "$(cat "$tmp/err")"

closing
