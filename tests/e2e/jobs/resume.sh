#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 600 s
# End-to-end tests of `dolly resume`: tests/e2e/jobs/resume.sh build/dolly [POINTS [SEED]]
#
# Runs of `dolly map --dir` are killed with kill -9 at POINTS random points, resumed, killed again
# while they resume, and so on until one reaches its end. Over all lives together every output must
# have been printed whole and once, every task must be committed once, and nothing may be left.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/jobs/resume.sh DOLLY [POINTS [SEED]]}")
points=${2:-150} seed=${3:-$RANDOM}
tmp=$(mktemp -d) || exit 2
. "$(dirname "$0")/../../../tests/lib/checks.sh"
export TMPDIR=$tmp/tmp
mkdir "$TMPDIR"
cd "$tmp" || exit 2

# begin ARGS...: starts `dolly map --dir run ARGS` in a fresh folder; stdin from `args`, stdout to out.
begin() {
    rm -rf run out err
    "$dolly" map --dir run "$@" <args >out 2>err &
    pid=$!
}
until_true() { await 60 "$1" eval "$1"; } # CONDITION
crash() { kill -9 "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; }
printf '%s\n' a 'b c' "d'e" >args

# ---- what is resumed, and what is not ----

begin -j1 -k 'test -e go || test {} = a || sleep 60; echo {}'
until_true '[ -s out ]'
"$dolly" resume run >out2 2>err2
[ $? -eq 2 ] && grep -q "process $pid holds it" err2 && [ ! -s out2 ]
report $? 'a run that still goes on is refused, and who holds it is said' "$(cat err2)"
crash
"$dolly" resume run --retry-failed >out2 2>err2
[ $? -eq 2 ] && [ ! -s out2 ] && [ "$(cat err2)" = "dolly: $tmp/run: the run is not complete: dolly resume $tmp/run, then --retry-failed" ]
report $? '--retry-failed is for a complete run' "$(cat out2 err2)"
: >go
"$dolly" resume run >>out 2>err2 </dev/null
[ $? -eq 0 ] && [ "$(cat out)" = "$(cat args)" ]
report $? 'arguments from stdin are kept; what was done is not run again' "$(cat out err2)"
"$dolly" resume run >out2 2>err2
[ $? -eq 0 ] && [ ! -s out2 ] && grep -q 'the run is complete' err2 && [ "$(wc -l <err2)" -eq 1 ]
report $? 'a finished run says so' "$(cat err2)"
mkdir empty && "$dolly" resume empty 2>err2
[ $? -eq 2 ] && grep -q 'does not hold a run' err2 && [ "$(wc -l <err2)" -eq 1 ]
report $? 'a folder that holds no run' "$(cat err2)"
"$dolly" resume no-such-folder 2>err2
[ $? -eq 2 ] && grep -q no-such-folder err2 && [ "$(wc -l <err2)" -eq 1 ]
report $? 'a folder that is not there' "$(cat err2)"
"$dolly" resume 2>err2
[ $? -eq 2 ] && grep -q 'missing' err2
report $? 'no folder at all' "$(cat err2)"
printf 'dolly-run 1\0nonsense' >empty/run
"$dolly" resume empty 2>err2
[ $? -eq 2 ] && grep -q 'damaged' err2 && [ "$(wc -l <err2)" -eq 1 ]
report $? 'a damaged folder' "$(cat err2)"
"$dolly" map --dir fixed --array 1-2 --tag 'exit {}' >out 2>err
"$dolly" resume fixed --retry-failed >out2 2>err2
[ $? -eq 2 ] && [ ! -s out2 ] && [ "$(cat err2)" = "dolly: $tmp/fixed: a run of --array or --pipe cannot be retried by its job log" ]
report $? '--retry-failed of --array is refused' "$(cat out2 err2)"
"$dolly" resume fixed --json >out2 2>err2
[ $? -eq 2 ] && [ ! -s out2 ] && [ "$(cat err2)" = 'dolly: fixed: the run was started with options that cannot be combined with --json' ]
report $? '--json of a run with --tag is refused' "$(cat out2 err2)"


# The journal of another run, of which every record is right.
"$dolly" map --dir many -j1 -k --seed 1 echo ::: {1..300} >out && "$dolly" map --dir one -j1 -k --seed 1 echo ::: 1 >out
cp many/journal one/journal
truncate -s -14 one/journal # without its end
"$dolly" resume one >out2 2>err2
[ $? -eq 2 ] && grep -q 'one/journal: record [0-9]*: the job differs from the one of this run' err2 && [ "$(wc -l <err2)" -eq 1 ]
report $? 'the journal of another run is not resumed' "$(cat err2)"
cp many/journal one/journal
"$dolly" resume one --json >out2 2>err2
[ $? -eq 2 ] && grep -q 'the job differs' err2
report $? '... nor told about' "$(cat err2)"

# ---- commands that were running ----

rm -f go && : >begun
"$dolly" map --dir twice -j2 'echo {} >>begun; test {} -lt 3 || test -e go || sleep 60; echo {}' ::: {1..5} >out 2>err &
until_true '[ "$(wc -l <begun)" -eq 4 ]'
kill -9 $!
wait $! 2>/dev/null
"$dolly" resume twice --once >out2 2>err2
[ $? -eq 2 ] && [ ! -s out2 ] && [ "$(cut -f 1 err2 | head -n 2 | xargs)" = '3 4' ] && grep -q '2 commands were running' err2 &&
    [ "$(wc -l <begun)" -eq 4 ]
report $? '--once: refused, with a list' "$(cat err2)"
touch go
"$dolly" resume twice >>out 2>err2
[ $? -eq 0 ] && [ "$(sort out | xargs)" = '1 2 3 4 5' ] && [ "$(sort begun | xargs)" = '1 2 3 3 4 4 5' ]
report $? '... else they run again' "$(cat out begun err2)"

# ---- outputs that are not what they were ----

rm -f go
"$dolly" map --dir gone -k -j4 'test {} != 1 || until test -e go; do sleep 0.02; done; echo out{}' ::: 1 2 3 4 >out 2>err &
pid=$!
until_true '[ -s gone/out/0/map/1 ] && [ -s gone/out/0/map/2 ] && [ -s gone/out/0/map/3 ]'
rm gone/out/0/map/1
: >gone/out/0/map/2
touch go
wait "$pid"
[ $? -eq 2 ] && [ "$(xargs <out)" = 'out1 out4' ] && grep -q '^dolly: task 2 failed: its output cannot be read: No such file' err &&
    grep -q '^dolly: task 3 failed: its output cannot be read: it has 0 bytes now and had 5;' err &&
    grep -q '^dolly: 2 of 4 tasks failed: 2, 3\. Why: dolly explain .* map/map/2;' err
report $? 'outputs that are gone or empty before their turn are failures that are named' "$(cat out err)"
"$dolly" resume gone --retry-failed >out2 2>err2
[ $? -eq 0 ] && [ "$(sort out2 | xargs)" = 'out2 out3' ]
report $? '... and run again when they are asked to' "$(cat out2 err2)"
for how in --json '--results kept' '--output kept.{#}'; do
    rm -rf go gone kept*
    # shellcheck disable=SC2086 # several words
    "$dolly" map --dir gone -k -j2 $how 'test {} != 1 || until test -e go; do sleep 0.02; done; echo out{}' ::: 1 2 >out 2>err &
    pid=$!
    until_true '[ -s gone/out/0/map/1 ]'
    rm gone/out/0/map/1 && ln -s 1 gone/out/0/map/1 # a read that fails
    touch go
    wait "$pid"
    status=$?
    [ "$status" -ne 0 ] && grep -q 'task 2 failed: its output cannot be read: Too many levels' err &&
        { [ "$how" != --json ] || [ "$(jq -c '[.failed, .results[1].state, .results[1].exit]' out)" = '[1,"failed",-1]' ]; }
    report $? "... ${how%% *}" "$status: $(cat out err)"
done

# cut_short FOLDER: a run in which tasks 2 to 5 are committed, and wait behind the first with -k.
cut_short() {
    rm -f go begun
    "$dolly" map --dir "$1" -k -j4 'echo {} >>begun; test {} != 1 || test -e go || sleep 60; echo out{}' ::: 1 2 3 4 5 >out 2>err &
    pid=$!
    until_true "[ -s $1/out/0/map/1 ] && [ -s $1/out/0/map/2 ] && [ -s $1/out/0/map/3 ] && [ -s $1/out/0/map/4 ]"
    crash
    rm "$1/out/0/map/1"                    # a cleaner
    : >"$1/out/0/map/2"                    # a copy that was cut short
    head -c 5 /dev/zero >"$1/out/0/map/3"  # a disk that lost a block
}
cut_short spoilt
touch go
"$dolly" resume spoilt >>out 2>err
[ $? -eq 0 ] && [ "$(xargs <out)" = 'out1 out2 out3 out4 out5' ] && [ "$(sort begun | xargs)" = '1 1 2 2 3 3 4 4 5' ] &&
    [ "$(grep -c 'its output is damaged or gone: it runs again' err)" -eq 3 ]
report $? 'resume: tasks whose outputs were removed, emptied or changed run again' "$(cat out begun err)"
"$dolly" journal spoilt/journal --verify >out2 2>&1
report $? '... and the journal verifies' "$(cat out2)"
rm -f go begun
"$dolly" map --dir onlyonce -k -j2 'echo {} >>begun; test {} != 1 || until test -e go; do sleep 0.02; done; echo out{}' ::: 1 2 >out 2>err &
pid=$!
until_true '"$dolly" journal onlyonce/journal 2>/dev/null | grep -q "\"committed\".*\"task\":1"'
kill -STOP "$pid" # the guardian sees the end of the first, so nothing runs when the coordinator is killed
touch go
until_true 'grep -q ^0.0.0.0 onlyonce/ends'
crash

# at_moment NAME WORD: `moment` is the run as it would be, had dolly been killed before the journal had WORD of the
# second task, which is committed: its output is where the next life looks for it first.
at_moment() {
    rm -rf moment && cp -a onlyonce moment
    while "$dolly" journal moment/journal 2>/dev/null | grep -q "\"$2\".*\"task\":1"; do
        truncate -s -1 moment/journal
    done
    place=moment/out/0/map/1
    case $1 in 'committed' | 'moved') return ;; esac
    mkdir -p -m 700 moment/attempts moment/attempts/0.0.1.0
    mv "$place" moment/attempts/0.0.1.0/stdout
    place=moment/attempts/0.0.1.0/stdout
}
named='^dolly: task 2: its output is damaged or gone'
while read -r name word; do
    at_moment "$name" "$word"
    "$dolly" resume moment --once >out2 2>err2
    [ $? -eq 0 ] && [ "$(xargs <out2)" = 'out1 out2' ] && [ "$(sort begun | xargs)" = '1 2' ]
    report $? "--once: what was $name does not run again" "$(cat out2 err2 begun)"
    at_moment "$name" "$word"
    if [ "$name" = seen ]; then rm "$place"; else : >"$place"; fi
    bad=
    for time in first second; do
        "$dolly" resume moment --once >out2 2>err2
        [ $? -eq 2 ] && [ ! -s out2 ] && [ "$(sort begun | xargs)" = '1 2' ] &&
            grep -q "$named; --once forbids a second run\$" err2 &&
            grep -q 'moment: 1 command was run before; --once forbids a second run' err2 || bad+="$time: $(cat out2 err2 begun); "
    done
    [ -z "$bad" ]
    report $? '... and is refused when it would, for its output is damaged or gone' "$bad"
    "$dolly" resume moment >out2 2>err2
    [ $? -eq 0 ] && [ "$(xargs <out2)" = 'out1 out2' ] && [ "$(sort begun | xargs)" = '1 2 2' ] && [ "$(grep -c "$named: it runs again\$" err2)" -eq 1 ]
    report $? '... and nothing has changed by that' "$(cat out2 err2 begun)"
    printf '%s\n' 1 2 >begun
done <<'END'
committed nothing
moved committed
finished intent
seen attempt_finished
END

# A task that printed nothing has left nothing to be found, not even a folder: the next one had its place.
rm -f go begun
"$dolly" map --dir quiet -j1 'echo {} >>begun; sleep 0.05; test {} != 6 || test -e go || sleep 60' ::: 1 2 3 4 5 6 >out 2>err &
pid=$!
until_true '[ "$(xargs <begun)" = "1 2 3 4 5 6" ]'
crash
while "$dolly" journal quiet/journal 2>/dev/null | grep -q '"attempt_finished".*"task":4'; do truncate -s -1 quiet/journal; done
touch go
"$dolly" resume quiet >out2 2>err2
[ $? -eq 0 ] && [ "$(xargs <begun)" = '1 2 3 4 5 6 6' ] && [ -f quiet/out/0/map/4 ] && [ ! -s quiet/out/0/map/4 ]
report $? 'what ended without printing anything does not run again' "$(xargs <begun; ls quiet/out/0/map; cat quiet/ends err2)"

# What was lost with its node and waits for another has run, too.
: >begun
"$dolly" map --dir lost --nodes 1x1 --chaos node_mtbf=500ms,node_repair=1000h --seed 1 'echo {} >>begun; sleep 60' ::: 1 >out 2>err &
pid=$!
until_true '"$dolly" journal lost/journal 2>/dev/null | grep -q "attempt_lost\|attempt_launch_failed"'
crash
timeout 30 "$dolly" resume lost --once >out2 2>err2
[ $? -eq 2 ] && [ ! -s out2 ] && [ "$(cut -f 1 err2 | head -n 1)" = 1 ] && grep -q '1 command was running' err2 && [ "$(wc -l <begun)" -le 1 ]
report $? '--once: refused for what was lost with its node' "$(cat out2 err2)"

# ---- folders that cannot be trusted ----

rm -f go
(umask 0; exec "$dolly" map --dir open -j1 'test {} = a || { find "${DOLLY_TMPDIR%/*}" -perm /077 >modes; test -e go || sleep 60; }; echo {}' <args >out 2>err) &
until_true '[ -e modes ]'
kill -9 $!
wait $! 2>/dev/null
[ -z "$(cat modes; find open -perm /077)" ]
report $? 'a run folder is for its user alone, whatever the umask' "$(ls -lR open)"
bad=
for cut in 16 17 30 100; do
    head -c "$cut" open/journal >cut
    cp -a open copy && cp cut copy/journal && chmod 600 copy/journal
    "$dolly" resume copy >out2 2>err2
    [ $? -eq 2 ] && grep -q '^dolly: journal .*the journal ends before its first turn; the run cannot be resumed$' err2 || bad+="$cut: $(cat -v err2); "
    rm -rf copy
done
[ -z "$bad" ]
report $? 'a journal without its beginning gets a clear message' "$bad"
chmod 770 open
"$dolly" resume open >out2 2>err2
[ $? -eq 2 ] && grep -q 'open: other users may write to it' err2 && [ ! -s out2 ] && [ "$(wc -l <err2)" -eq 1 ]
report $? 'a folder that others may write to is not resumed' "$(cat err2)"
chmod 700 open
if chown 12345 open/run 2>/dev/null; then
    "$dolly" resume open >out2 2>err2
    [ $? -eq 2 ] && grep -q 'open/run: belongs to user 12345' err2 && [ ! -s out2 ] && [ "$(wc -l <err2)" -eq 1 ]
    report $? 'a folder with a file of another user is not resumed' "$(cat err2)"
    chown 12345 open/journal
    "$dolly" explain open >out2 2>err2
    [ $? -eq 0 ] && grep -q 'open/journal: was written by user 12345' err2 && [ -s out2 ]
    report $? 'a journal of another user is explained, and whose it is is said' "$(cat err2)"
else
    skip 'folders of other users' 'cannot give files away'
fi

# The same for jobs of `run` and `streaming`, whose folder says as much.
rm -f go begun
seq 20 >lines
printf 'name: t\ninput: lines\noutput: job\nphases:\n  - name: map\n    run: ": >%s/begun; test -e %s/go || sleep 60; cat"\n' \
    "$tmp" "$tmp" >job.yaml
"$dolly" run job.yaml >out 2>err &
pid=$!
until_true '[ -e begun ]'
crash
: >go
# refused NAME WANT: resume refuses in one line, and no command has run.
refused() {
    rm -f begun
    "$dolly" resume job >out2 2>err2
    [ $? -eq 2 ] && grep -q "$2" err2 && [ "$(wc -l <err2)" -eq 1 ] && [ ! -e begun ]
    report $? "$1" "$(cat err2)"
}
for folder in job job/_temporary job/_temporary/run; do
    mode=$(stat -c %a $folder)
    chmod 777 $folder
    refused "a job whose $folder others may write to is not resumed" "$folder: other users may write to it"
    chmod "$mode" $folder
done
if chown 12345 job 2>/dev/null; then
    chown "$(id -u)" job
    for file in job job/_temporary job/_temporary/plan job/_temporary/job job/_temporary/run job/_temporary/run/journal; do
        chown 12345 $file
        refused "a job whose $file is another user's is not resumed" "$file: belongs to user 12345"
        chown "$(id -u)" $file
    done
else
    skip 'jobs of other users' 'cannot give files away'
fi
mv job/_temporary/plan plan && ln -s "$tmp/plan" job/_temporary/plan
refused 'a job whose plan is a link is not resumed' 'job/_temporary/plan: is a symbolic link'
mv plan job/_temporary/plan
"$dolly" resume job >out2 2>err2
[ $? -eq 0 ] && [ "$(cat job/part-*)" = "$(cat lines)" ]
report $? 'the same job, as it was, is resumed' "$(cat err2)"

rm -f go
begin -j2 'echo {}; : >begun.{#}; test -e go || sleep 60'
until_true '[ -e begun.2 ]'
kill -TERM "$pid" # a shell makes its background jobs ignore INT
wait "$pid"
[ $? -eq 130 ] && grep -q "dolly resume $tmp/run" err
report $? 'an interrupted run says how to go on' "$(cat err)"
: >go
(cd / && "$dolly" resume "$tmp/run" >"$tmp/out" 2>"$tmp/err2")
[ $? -eq 0 ] && [ "$(sort out)" = "$(sort args)" ]
report $? 'resumed from another folder, commands run where they did' "$(cat out err2)"

# ---- options and sources ----

# again NAME WANT STATUS ARGS...: killed as soon as something was printed, then resumed.
again() {
    local name=$1 want=$2 status=$3 got
    shift 3
    rm -f go
    begin "$@"
    until_true '[ -s out ] || [ -e seen ]'
    crash
    : >go
    "$dolly" resume run >>out 2>err2 </dev/null
    got=$?
    [ "$got" -eq "$status" ] && [ "$(cat out)" = "$want" ]
    report $? "$name" "status $got: $(head -c 300 out) $(cat err2)"
}
hold='test -e go || test {#} -lt 2 || sleep 60'
again '--array and -j' "$(printf '%s\n' 3 5 7)" 0 -k -j1 --array 3-7:2 "$hold; echo {}"
again '--tag, several sources, --shuf' "$("$dolly" map -k -j1 --shuf --seed 3 --tag echo ::: a b :::: args)" \
    0 -k -j1 --shuf --seed 3 --tag "$hold; echo {}" ::: a b :::: args
again 'failed tasks are counted over both lives' "$(printf '%s\n' 1 2 3)" 1 -k -j1 "$hold; echo {#}; test {#} -eq 2"
seq 3000 >args
again '--pipe' "$(cat args)" 0 -k -j1 --pipe -N 1000 "$hold; cat"
again '--pipepart' "$(cat args)" 0 -k -j1 --pipepart -a args --block 5000 "$hold; cat"
printf '%s\n' a 'b c' "d'e" >args
again '--halt goes on halting' "$(printf '%s\n' x x)" 1 -k -j1 --halt soon,fail=1 "$hold; echo x; test {#} -ne 2"
rm -f l1
"$dolly" map -j1 --joblog l1 --array 1-1 true
again '--resume leaves out the same indices of --array' "$(printf '%s\n' 2 3)" 0 -k -j1 --joblog l1 --resume --array 1-3 \
    'test -e go || test {} -lt 3 || sleep 60; echo {}'
"$dolly" map -j1 --joblog l1 'exit {}' ::: 1 0 1
rm -f go
begin -j1 -k --retry-failed --joblog l1 </dev/null
wait "$pid"
[ "$(awk -F'\t' 'NR > 1 {printf "%s:%s ", $1, $7}' l1)" = '1:1 2:0 3:1 1:1 3:1 ' ] && ! "$dolly" resume run 2>err2 && grep -q '2 tasks failed' err2
report $? 'a run of --retry-failed keeps a folder, too' "$(cat l1 err err2)"
rm -f go
begin -j1 --pipepart -a args --block 1 "$hold; cat"
until_true '[ -s out ]'
crash
echo more >>args
"$dolly" resume run >out2 2>err2
[ $? -eq 2 ] && grep -q 'has changed' err2
report $? 'a file that was cut into parts must not have changed' "$(cat err2)"

printf '%s\n' a 'b c' "d'e" >args
rm -f go
begin -j1 "$hold; echo {}"
until_true '[ -s out ]'
crash
: >go
"$dolly" resume --json run >out2 2>err2
[ $? -eq 0 ] && [ "$(jq -c '[.complete, .done, .results[].stdout]' out2)" = '[true,3,"a\n","b c\n","d'"'"'e\n"]' ]
report $? 'resume --json tells of all lives' "$(cat out2 err2)"
cp out2 out3
"$dolly" resume --json run >out2 2>err2
[ $? -eq 0 ] && [ "$(jq -c '[.results[] | del(.start_s)]' out2)" = "$(jq -c '[.results[] | del(.start_s)]' out3)" ] && [ "$(jq .took_s out2)" = "$(jq .took_s out3)" ]
report $? 'resume --json tells of a finished run' "$(cat out2 err2)"

# ---- once ----

rm -f once go stopped begun.*
seq 6 >args
begin -j3 ': >begun.{}; until [ -e stopped ]; do sleep 0.02; done; test -e go || test {} -lt 4 || sleep 60; echo {} >>once; echo out {}; echo err {} >&2; test {} -ne 2'
until_true '[ -e begun.1 ] && [ -e begun.2 ] && [ -e begun.3 ]'
until_true '[ "$("$dolly" journal run/journal | grep -c attempt_started)" -eq 3 ]'
kill -STOP "$pid" # from here on it learns nothing, and its tasks end
: >stopped
until_true '[ "$(grep -c "^0" run/ends)" -eq 3 ]'
crash
: >go
"$dolly" resume run >>out 2>>err
[ $? -eq 1 ] && [ "$(sort -n once | xargs)" = '1 2 3 4 5 6' ] && [ "$(sort out | xargs)" = 'out 1 out 2 out 3 out 4 out 5 out 6' ] &&
    [ "$(grep -c '^err' err)" -eq 6 ] && "$dolly" journal run/journal --verify >/dev/null
report $? 'what ended just before dolly was killed does not run again' "$(sort once | xargs): $(cat out err)"

# ---- those who are left ----

mark=$((RANDOM + 80000)).$$
rm -f go
printf '%s\n' 1 2 3 >args
begin -j2 "test -e go || { setsid sleep $mark & sleep $mark; }; echo {}"
until_true "[ \$(pgrep -fc '^sleep $mark') -eq 4 ]"
guardian=$(pgrep -P "$pid")
kill -9 "$guardian" "$pid" # both at once: nobody cleans up
wait "$pid" 2>/dev/null
: >go
"$dolly" resume run >>out 2>err2
[ $? -eq 0 ] && ! pgrep -f "^sleep $mark" >/dev/null && [ "$(sort out | xargs)" = '1 2 3' ]
report $? 'processes that outlived coordinator and guardian are ended first' "$(cat err2; pgrep -fa "$mark")"

# ---- cut in the middle of a write ----

# A limit on the size of files kills dolly when a part of an output is in its file. HOW: by which
# descriptor, how it was opened, and to where the rest goes.
filled=$(printf '%050000d' 0)
for how in '1 append' '1 open' '1 other' '2 append' '2 open'; do
    rm -rf run out err rest && : >out && : >err && : >rest
    read -r fd open <<<"$how"
    [ "$fd" = 1 ] && file=out to= || { file=err to=' >&2'; }
    (
        ulimit -c 0 -f 64 # KiB; a task prints less, but the file is not empty
        [ "$open" = append ] && exec {cut}>>$file || exec {cut}>$file
        echo "$filled" >&$cut
        eval "exec $fd>&$cut"
        exec "$dolly" map --dir run -j1 "seq -f {}:%.0f 1 4000$to" ::: 1 2
    ) 1>/dev/null 2>/dev/null &
    wait $! 2>/dev/null
    bytes=$(stat -c %s $file)
    [ "$open" = other ] || ln -f $file rest
    eval "\"\$dolly\" resume run $fd>>rest $((3 - fd))>/dev/null"
    [ "$open" = other ] && cat rest >>$file
    [ "$bytes" -eq 65536 ] && [ "$(sed 1d $file | grep -v '^dolly' | md5sum)" = "$(for i in 1 2; do seq -f $i:%.0f 1 4000; done | md5sum)" ]
    report $? "an output that was cut in the middle of a write goes on at that byte ($how)" "$bytes bytes; $(uniq -D $file | head -n 2)"
done

# ---- random points ----

tasks=10
# Task N prints LINES lines of its own, `N:LINE:filler`. They tell whole outputs from torn or repeated ones.
filler=$(printf '%0100d' 0)
many=700 # more than a pipe holds

# Whether a file holds the output of each task 1..tasks, in one piece each, and nothing else; FAILS:
# tasks that are multiples of it printed only one line.
whole() { # FILE LINES FAILS
    awk -F: -v lines="$2" -v fails="$3" -v tasks="$tasks" '
        function check() { if (task != "") { want = fails && task % fails == 0 ? 1 : lines
                           if (n != want || seen[task]++) { print "task " task ": " n " lines"; bad = 1 } } }
        $1 != task { check(); task = $1; n = 0 }
        { n++; if ($2 != n) { print "line " NR ": " $0 " after " n - 1; bad = 1; exit 1 } }
        END { check(); for (i = 1; i <= tasks; i++) if (!seen[i]) { print "task " i " is missing"; bad = 1 }
              exit bad }' "$1"
}

# How long a run takes that nobody kills, while others run: kills that come later hit nothing.
rm -rf run
begun_us=${EPOCHREALTIME/./}
"$dolly" map --dir run -j3 "sleep 0.004; seq -f {}:%.0f:$filler 1 $many" ::: $(seq $tasks) >/dev/null 2>&1
takes_ms=$(((${EPOCHREALTIME/./} - begun_us) / 1000 * 2))
doze() { # until a random moment of a run
    local ms=$(((RANDOM << 15 | RANDOM) % takes_ms)) seconds
    printf -v seconds '%d.%03d' $((ms / 1000)) $((ms % 1000))
    sleep "$seconds"
}

# One run with all its lives. Prints what is wrong.
one() { # NUMBER
    local dir=$tmp/case$1 lines=3 fails=0 how pid reader status lives=0 options=(-j3) expect by log
    RANDOM=$((seed + $1))
    mkdir "$dir" && cd "$dir" || return 1
    how=$(($1 % 8))
    [ $(($1 % 7)) -ne 0 ] || options=(--pure --nodes 4x1)
    [ $((how & 1)) -eq 0 ] || options+=(-k)
    [ $((how & 2)) -eq 0 ] || lines=$many
    [ $(($1 % 5)) -ne 0 ] || options+=(--results res --joblog log)
    [ $(($1 % 3)) -ne 0 ] || fails=4
    [ $(($1 % 11)) -ne 0 ] || options+=(--retries 2)
    local command="sleep 0.00\$((RANDOM % 9)); test $fails -gt 0 && test \$(({} % $((fails + (fails == 0))))) -eq 0 && { echo {}:1; echo {} >&2; exit 3; }; seq -f {}:%.0f:$filler 1 $lines; echo {} >&2"
    mkfifo pipe
    : >out
    : >err # of all lives, as it is with stdout
    while :; do
        lives=$((lives + 1))
        if [ $((how & 4)) -ne 0 ]; then # through a pipe, whose reader is slow
            { sleep 0.0$((RANDOM % 5)); cat; } <pipe >>out &
            reader=$!
            exec 7>pipe
        else
            reader=
            exec 7>>out
        fi
        if [ ! -e run/run ]; then # it had not begun yet
            by=map
            rm -rf run
            : >err
            seq $tasks >args
            "$dolly" map --dir run "${options[@]}" "$command" <args >&7 2>>err &
        else
            by=resume
            "$dolly" resume run >&7 2>>err &
        fi
        pid=$!
        exec 7>&-
        if [ "$lives" -lt 7 ]; then
            doze
            # Of those that print to a file a third loses its guardian as well: nobody is left to tell.
            if [ $((how & 4)) -eq 0 ] && [ $((RANDOM % 3)) -eq 0 ]; then
                kill -9 "$pid" $(pgrep -P "$pid") 2>/dev/null
            else
                kill -9 "$pid" 2>/dev/null
            fi
        fi
        wait "$pid" 2>/dev/null
        status=$?
        echo "$lives" >lives
        [ -z "$reader" ] || wait "$reader"
        [ "$status" -eq 137 ] || break
    done
    expect=$([ "$fails" -gt 0 ] && echo 1 || echo 0)
    [ "$by" != map ] || expect=$((tasks / (fails > 0 ? fails : tasks + 1))) # it counts them
    [ "$status" -eq "$expect" ] || { echo "status $status, not $expect: $(cat err)"; return 1; }
    if [ -e res ]; then # nothing but our own words is printed
        [ ! -s out ] || { echo "printed: $(head -n 3 out)"; return 1; }
        cat $(seq -f 'res/1/%.0f/stdout' $tasks) >out
        cat res/1/*/stderr >>err
    fi
    whole out $lines $fails || return 1
    if [ $((how & 1)) -eq 1 ]; then
        [ "$(cut -d: -f1 out | uniq | xargs)" = "$(seq $tasks | xargs)" ] || { echo 'not in order'; return 1; }
    fi
    # A sanitizer that looks for leaks when the kill comes says so, and nothing else of it is let through.
    sed -i -E '/^==[0-9]+==Unable to get registers from thread [0-9]+\.$/d' err
    [ "$(grep -v '^dolly' err | sort -n | xargs)" = "$(seq $tasks | xargs)" ] ||
        { echo "stderr: $(grep -v '^dolly' err | sort -n | xargs)"; return 1; }
    "$dolly" journal run/journal --verify >/dev/null 2>err || { echo "journal: $(cat err)"; return 1; }
    [ "$("$dolly" journal run/journal | grep -c '"type":"committed"')" -eq $((tasks - (fails > 0 ? tasks / fails : 0))) ] ||
        { echo 'a task was committed twice, or not'; return 1; }
    log=run/joblog
    [ ! -e log ] || log=log
    [ "$(awk -F'\t' 'NR > 1 {print $1}' $log | sort -n | xargs)" = "$(seq $tasks | xargs)" ] ||
        { echo "log: $(cut -f1 $log | xargs)"; return 1; }
    [ ! -e run/attempts ] || { echo "left: $(find run/attempts | head -n 3)"; return 1; }
    cd "$tmp" && rm -rf "$dir/run" "$dir/out" "$dir/res"
}

# ---- arguments that came while tasks ran ----

# known: how many tasks are in the folder; ended: whether stdin had come to its end.
known() { od -An -v -t u8 -w8 run/args/jobs 2>/dev/null | awk '$1 < 1e9 {n += $1} END {print n + 0}'; }
# told: how many tasks are in the journal, which has them a moment later.
told() { "$dolly" journal run/journal 2>/dev/null | jq -s '[.[] | select(.type == "job_submitted") | .phases[0].tasks] | add'; }
ended() { od -An -v -t u8 -w8 run/args/jobs 2>/dev/null | grep -q 18446744073709551615; }
gone='the run was interrupted before stdin ended: .* known, the rest of stdin is lost'

for rest in open closed; do
    rm -rf run out err go fifo stdin.open
    mkfifo fifo
    "$dolly" map --dir run -k -j1 'test {} = a || test -e go || sleep 60; echo {}' <fifo >out 2>err &
    pid=$!
    exec 8>fifo
    echo a >&8
    until_true '[ -s out ]'
    printf '%s\n' 'b  c' d >&8
    [ $rest = open ] || exec 8>&-
    until_true "[ \$(known) -eq 3 ] && [ \$(told) -eq 3 ] && { [ $rest = open ] || ended; }"
    crash
    exec 8>&-
    : >go
    "$dolly" explain run map/map/3 >story 2>&1 && grep -q '^Task 3 ' story
    report $? "a streamed run that was killed is explained, stdin $rest" "$(cat story)"
    "$dolly" resume run >>out 2>err2 </dev/null
    status=$?
    [ $status -eq $([ $rest = closed ] && echo 0 || echo 1) ] && [ "$(cat out)" = "$(printf '%s\n' a 'b  c' d)" ] &&
        if [ $rest = open ]; then grep -q "$gone" err2 && [ "$(wc -l <err2)" -eq 1 ]; else [ ! -s err2 ]; fi
    report $? "what came from stdin is resumed, stdin $rest" "status $status: $(cat out err2)"
done

rm -rf run
"$dolly" map --dir run 'exit {}' ::: 0 1 1 2>/dev/null
"$dolly" resume run 2>err2
[ $? -eq 1 ] && grep -q 'the run is complete' err2 && grep -q '2 tasks failed' err2 && "$dolly" resume run --json 2>/dev/null | jq -e '.complete and .failed == 2 and .status == 1' >/dev/null
report $? 'the status of a complete run stays what it was' "$(cat err2)"

rm -rf run out err fifo
mkfifo fifo
"$dolly" map --dir run echo <fifo >out 2>err &
pid=$!
exec 8>fifo
until_true '"$dolly" journal run/journal 2>/dev/null | grep -q node_up'
crash
exec 8>&-
"$dolly" resume run >>out 2>err2
[ $? -eq 1 ] && [ ! -s out ] && grep -q '0 tasks are known, the rest of stdin is lost' err2
report $? 'killed before anything came' "$(cat err2)"

# One streamed run with all its lives. Prints what is wrong.
streamed() { # NUMBER
    local dir=$tmp/streamed$1 pid lives=0 options=(-j3) tasks lines=3
    RANDOM=$((seed + 1000 + $1))
    mkdir "$dir" && cd "$dir" || return 1
    [ $(($1 % 2)) -eq 0 ] || options+=(-k)
    [ $(($1 % 3)) -ne 0 ] || lines=$many
    : >out
    : >err
    { for ((i = 1; i <= 60; i += 3)); do seq $i $((i + 2)); sleep 0.0$((RANDOM % 3)); done; } 2>/dev/null |
        "$dolly" map --dir run "${options[@]}" "echo {} >>began; sleep 0.0\$((RANDOM % 4)); seq -f {}:%.0f:$filler 1 $lines" >>out 2>>err &
    while pid=$!; do
        lives=$((lives + 1))
        if [ "$lives" -lt 4 ]; then
            sleep 0.$((RANDOM % 4))$((RANDOM % 10))
            kill -9 "$pid" $([ $((RANDOM % 3)) -ne 0 ] || pgrep -P "$pid") 2>/dev/null
        fi
        wait "$pid" 2>/dev/null
        status=$?
        [ "$status" -eq 137 ] || break
        [ -e run/run ] || return 0 # it had not begun
        : >err
        "$dolly" resume run >>out 2>>err &
    done
    echo "$lives" >lives
    [ "$status" -eq "$(ended && echo 0 || echo 1)" ] || { echo "status $status: $(cat err)"; return 1; }
    tasks=$(known)
    [ "$tasks" -eq 0 ] || whole out $lines 0 || return 1
    [ "$(cat began 2>/dev/null | sort -n | tail -n 1 | grep . || echo 0)" -le "$tasks" ] || { echo 'a task ran that is not known'; return 1; }
    if [ "$lives" -gt 1 ] && ! grep -q 'the run is complete' err; then
        if ended; then ! grep -q gone err; else grep -q "$gone" err; fi || { echo "said: $(cat err)"; return 1; }
    fi
    "$dolly" journal run/journal --verify >/dev/null 2>err || { echo "journal: $(cat err)"; return 1; }
    [ "$("$dolly" journal run/journal | grep -c '"type":"committed"')" -eq "$tasks" ] || { echo 'a task was committed twice, or not'; return 1; }
    [ "$(awk -F'\t' 'NR > 1 {print $1}' run/joblog | sort -n | xargs)" = "$(seq "$tasks" | xargs)" ] || { echo "log: $(cut -f1 run/joblog | xargs)"; return 1; }
    "$dolly" explain run | grep -q "^1 job with $tasks task" || [ "$tasks" -eq 0 ] || { "$dolly" explain run | head -n 3; return 1; }
}

for ((i = 1; i <= 12; i++)); do
    { out=$(streamed $i 2>&1) && echo ok || echo "run $i: $out"; } >"streamed-result$i" &
    while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
done
wait
bad=$(cat streamed-result* | grep -v '^ok$')
kills=$(cat streamed*/lives | awk '{n += $1 - 1} END {print n + 0}')
[ -z "$bad" ] && [ "$kills" -ge 5 ]
report $? "streamed runs killed at $kills random points (seed $seed) end with every output whole and once" "${bad//$'\n'/; }"

started=$(date +%s%N)
for ((i = 1; i <= 8 * points; i++)); do # some are done before they are killed
    { out=$(one $i 2>&1) && echo ok || echo "run $i: $out"; } >"result$i" &
    while [ "$(jobs -rp | wc -l)" -ge 8 ]; do wait -n; done
    kills=$(cat case*/lives 2>/dev/null | awk '{n += $1 - 1} END {print n + 0}')
    [ "$kills" -lt "$points" ] || break
done
wait
kills=$(cat case*/lives | awk '{n += $1 - 1} END {print n + 0}')
bad=$(cat result* | grep -v '^ok$')
[ -z "$bad" ] && [ "$kills" -ge $((points * 9 / 10)) ]
report $? "runs killed at $kills random points (seed $seed) end with every output whole and once" "${bad//$'\n'/; }"
[ "$(ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c "$tmp.*/run/lock")" -eq 0 ]
report $? 'no process is left behind' "$(ls -l /proc/[0-9]*/fd 2>/dev/null | grep "$tmp.*/run/lock" | head -n 3)"
echo "# $(ls result* | wc -l) runs, $(( ($(date +%s%N) - started) / 1000000 )) ms"

closing
