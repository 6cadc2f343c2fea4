#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: jq; limit: 600 s
# `dolly map` with commands that misbehave, and a machine that does: tests/crash/robust.sh build/dolly
#
# Kills from outside, garbage, unread input, daemons, deaf commands, a gigabyte of output, a full
# disk. Whatever happens: the right outputs once, the right status, and nothing left behind. Needs
# jq; a full disk needs leave to mount one, and is skipped without.
set -u

dolly=$(realpath "${1:?usage: tests/crash/robust.sh DOLLY}")
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
mkdir "$tmp/tmp" "$tmp/disk"
export TMPDIR=$tmp/tmp
. tests/lib/checks.sh
cd "$tmp" || exit 2
mark=8888.$$$RANDOM # seconds to sleep, longer than any run may take, and a word that nobody else has in its arguments

# map ARGS...: leaves the output in out and err, and the status in $status.
map() {
    timeout -k 1 60 "$dolly" map "$@" >out 2>err </dev/null
    status=$?
}
exits() { [ "$status" = "$1" ] || { echo "status $status, want $1"; cat err; return 1; }; }
prints() { [ "$(sort out | xargs)" = "$1" ] || { echo "prints '$(sort out | xargs)', want '$1'"; return 1; }; }
left() { pgrep -fa "$mark"; ls "$TMPDIR"; }
none_left() { [ -z "$(left)" ]; }
nothing_left() { await 30 'nothing is left' none_left || { left; return 1; }; } # soon
all() { # each of the commands
    local c
    for c in "$@"; do eval "$c" || return 1; done
}
journal() { "$dolly" journal "$1/journal" >"$tmp/journal.json" && "$dolly" journal "$1/journal" --verify; }
# The longest time from asking for a death to the end of that attempt is below a second.
dead_quickly() {
    jq -s -e '
        def who: "\(.job).\(.phase).\(.task).\(.attempt)";
        (map(select(.type == "kill")) | map({key: who, value: .t_us}) | from_entries) as $asked |
        (map(select(.record == "event" and (.type | test("^attempt_(finished|failed|killed|lost)$"))))
            | map({key: who, value: .t_us}) | from_entries) as $ended |
        ($asked | length) > 0 and
        ($asked | to_entries | all($ended[.key] != null and $ended[.key] - .value < 20000000))' journal.json >/dev/null ||
        { grep -E '"type":"(kill|attempt_.*ed)"' journal.json; return 1; }
}

# ---- kill -9 ----

: >pids
map -j4 --retries 3 'echo $DOLLY_ATTEMPT $$ >>pids; test $DOLLY_ATTEMPT = 0 && exec sleep '$mark'; echo {}' ::: {1..8} &
kill_firsts() { # every first attempt, until there were two of each
    while read -r attempt pid; do
        [ "$attempt" != 0 ] || kill -9 "$pid"
    done <pids 2>/dev/null
    [ "$(wc -l <pids)" -ge 16 ]
}
await 60 'there are two attempts of each task' kill_firsts
wait
status=$? # of the function's last command in the background; its output tells the rest
ok 'attempts killed from outside are tried again' all 'prints "1 2 3 4 5 6 7 8"' \
    '[ "$(wc -l <pids)" -eq 16 ] || { echo "$(wc -l <pids) attempts"; false; }' nothing_left

map --pure -j6 --dir kills 'test $DOLLY_ATTEMPT = 0 && kill -9 $$; sleep 0.2; echo {}' ::: a b
ok 'a clone goes on when its first attempt is killed' all 'exits 0' 'prints "a b"' 'journal kills' \
    '[ "$(grep -c "\"type\":\"committed\"" journal.json)" = 2 ]'

map --pure -j6 "setsid sleep $mark & test \$DOLLY_TASK_ID.\$DOLLY_ATTEMPT = 0.0 && sleep 0.2 && kill -9 \$PPID; sleep $mark" ::: a b
ok 'a guardian killed among clones and daemons: a clear end, nobody left' all 'exits 255' 'grep -q guardian err' nothing_left

# Whoever the shell knows is killed while the other is stuck: nobody reads the output.
mkfifo full
sleep 60 <>full &
reader=$!
"$dolly" map -j2 "echo >>stuck; setsid sleep $mark & head -c 1000000 /dev/zero; sleep 0.2; test {} = 1 || exec sleep $mark" ::: 1 2 >full 2>err &
pid=$!
is_full() { perl -e 'open my $pipe, "+<", "full"; vec(my $set = "", fileno $pipe, 1) = 1; exit(select(undef, $set, undef, 0) != 0)'; }
await 60 'the pipe is full' is_full
kill -9 "$pid"
wait "$pid" 2>/dev/null
ok 'killed while nobody reads its output: nobody left' all '[ -s stuck ]' nothing_left
kill "$reader"

# One process each: a shell that waits for its child to begin is not seen as stopped.
cat >note <<'NOTE'
#!/usr/bin/perl
open my $out, '>>', 'paused';
print $out "$ARGV[0]\n";
close $out;
select undef, undef, undef, 0.1;
NOTE
chmod +x note
"$dolly" map -j2 "./note {} $mark" ::: {1..40} >/dev/null 2>&1 &
pid=$!
await 60 'a command has begun' filled paused
kill -TSTP "$pid"
stands() { [ "$( { echo "$pid"; pgrep -f "note [0-9]+ $mark"; } | xargs ps -o state= -p | sort -u)" = T ]; }
await 60 'the run is stopped, with its commands' stands
before=$(wc -l <paused)
sleep 0.4
after=$(wc -l <paused)
kill -CONT "$pid"
wait "$pid"
status=$?
ok 'stopped and continued' all 'exits 0' '[ "$before" -lt 40 ] && [ "$after" = "$before" ]' '[ "$(wc -l <paused)" = 40 ]' nothing_left

# The commands stop as well; and if what the shell knows is killed then, nobody is left.
cat >until-go <<'UNTIL'
#!/usr/bin/perl
select undef, undef, undef, 0.02 until -e 'go';
print "$ARGV[0]\n";
UNTIL
chmod +x until-go
waiting() { pgrep -f "until-go [0-9] $mark"; }
both_wait() { [ "$(waiting | wc -l)" = 2 ]; }
states() { waiting | xargs -r ps -o state= -p | sort -u | xargs; }
in_state() { [ "$(states)" = "$1" ]; }
until_states() { await 60 "commands are in state $1" in_state "$1" || { states; return 1; }; } # WANT
for how in '' '--dir=held'; do
    rm -f go
    "$dolly" map $how -j2 "./until-go {} $mark" ::: 1 2 >out 2>err &
    pid=$!
    await 60 'two commands run' both_wait
    kill -TSTP "$pid"
    ok "^Z stops the commands${how:+ of a run with a folder}" until_states T
    kill -CONT "$pid"
    ok '... and they go on' until_states S
    : >go
    wait "$pid"
    status=$?
    ok '... to their end' all 'exits 0' 'prints "1 2"' nothing_left
done
rm go
"$dolly" map -j2 "./until-go {} $mark" ::: 1 2 3 4 >out 2>err &
pid=$!
await 60 'two commands run' both_wait
kill -TSTP "$pid"
until_states T
kill -9 "$pid"
wait "$pid" 2>/dev/null
ok 'killed while it is stopped: nobody left' nothing_left

# Killed between its last output and its end.
left=0
for _ in {1..6}; do
    exec 8< <(exec "$dolly" map -j4 'echo {}' ::: {1..20} 2>>err.ending)
    pid=$!
    for _ in {1..20}; do read -r -u 8 _; done
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    exec 8<&-
    nothing_left >/dev/null || left=$((left + 1))
done
ok 'killed while it ends: no folder is left, and nothing said' all '[ $left = 0 ]' '! grep -q leave err.ending'

map -N0 'ls /proc/self/fd | xargs' ::: 1 3</dev/null 7</dev/null 99</dev/null
ok 'attempts inherit nothing of ours' prints '0 1 2 3 4 99' # 4 is the folder that ls reads

low() { (ulimit "$1" "$2"; shift 2; map "$@"; exit "$status"); status=$?; }
for on in '' --on=local:2; do
    low -n 64 $on 'echo {}' ::: 1
    ok "a limit of 64 descriptors is named${on:+ ($on)}" all 'exits 255' 'grep -qx "dolly map: ulimit -n is 64, and at least 128 open files are needed" err' \
        '[ ! -s out ]' nothing_left
    low -Sn 64 $on 'echo {}' ::: 1
    ok '... and raised where it may be' all 'exits 0' 'prints 1' '[ ! -s err ]' nothing_left
done

mkdir other && : >other/lock
"$dolly" leave other 99</dev/null >/dev/null 2>err
status=$?
ok 'nobody leaves a folder that is not theirs' all 'exits 2' 'grep -q other err' '[ -e other/lock ]'

# ---- losers ----

map --pure -j6 --dir losers "if [ \$DOLLY_ATTEMPT = 0 ]; then trap '' TERM HUP INT; setsid sleep $mark & (sleep $mark | sleep $mark) & sleep $mark; fi; sleep 0.3; echo {}" ::: a b
ok 'losers that are deaf and have children are dead soon' all 'exits 0' 'prints "a b"' 'journal losers' \
    dead_quickly nothing_left
map --pure -j6 --dir stopped "test \$DOLLY_ATTEMPT = 0 && kill -STOP \$\$; sleep 0.3; echo {}; : $mark" ::: a b
ok 'so are losers that have been stopped' all 'exits 0' 'prints "a b"' 'journal stopped' dead_quickly nothing_left

# ---- what commands do with their streams ----

head -c 3000000 /dev/urandom >random
map -j2 -k 'cat random; cat random >&2; head -c 70000 random >&$DOLLY_PROGRESS_FD; printf "1 0\n5 1\n-3 2\n1e99 7\nnan\n" >&$DOLLY_PROGRESS_FD; : {}' ::: 1 2
ok 'garbage on stdout, stderr and progress' all 'exits 0' 'cat random random | cmp - out' \
    'cat random random | cmp - err' nothing_left
seq 900000 >lines
timeout 60 "$dolly" map --pipe --block 2M 'exec </dev/null; sleep 0.1; echo {#}' <lines >out 2>err
status=$?
ok 'input that is never read' all 'exits 0' 'prints "1 2 3"' nothing_left
timeout 60 "$dolly" map -k --pipe --block 2M 'head -n 1 >/dev/null; echo {#}; exit 0' <lines >out 2>err
status=$?
ok 'commands that exit early; status 0 is success' all 'exits 0' 'prints "1 2 3"' nothing_left
map -j2 "(setsid env -i sleep $mark >/dev/null 2>&1 </dev/null 3>&- &) ; (setsid sh -c 'exec 3>&- 99>&-; sleep $mark & sleep $mark' &); echo {}" ::: 1 2
ok 'daemons' all 'exits 0' 'prints "1 2"' nothing_left
map --timeout 2 "echo {} >>deaf; trap '' TERM INT HUP; sleep $mark; sleep $mark" ::: 1 2
ok 'deaf commands meet their time limit' all 'exits 2' '[ "$(sort deaf | xargs)" = "1 2" ]' nothing_left
map -j3 --halt now,fail=1 "test {} = 1 && sleep 0.2 && exit 3; trap '' TERM; sleep $mark" ::: 1 2 3
ok 'deaf commands meet a halt' all 'exits 3' nothing_left

room_kib=$(df -Pk "$TMPDIR" | awk 'NR == 2 { print $4 }')
if [ "$room_kib" -gt 3000000 ]; then
    bytes=$({ # what is printed is never held in memory; sanitizers need a lot of address space
        nm "$dolly" 2>/dev/null | grep -q __asan_init || ulimit -v 300000
        timeout 60 "$dolly" map 'head -c 1073741824 /dev/zero; : {}' ::: 1 2>err
    } | wc -c)
    ok 'a gigabyte of output' all '[ "$bytes" = 1073741824 ] || { echo "$bytes bytes"; cat err; false; }' nothing_left
else
    skip 'a gigabyte of output' 'no room for it'
fi

# ---- what dolly cannot start ----

few() { # as map, with few descriptors
    (ulimit -n 200 && exec timeout -k 1 60 "$dolly" map "$@" >out 2>err </dev/null)
    status=$?
}
said() { [ "$(cat err)" = "$1" ] || { echo "says: $(cat err)"; return 1; }; }
waits='dolly: too many commands at once for this machine, some wait: Too many open files (see ulimit -n)'
few -j0 'sleep 0.2; ulimit -n; : {}' ::: {1..120}
ok 'more commands than descriptors: some wait, all run, one warning' all 'exits 0' \
    '[ "$(sort out | uniq -c | xargs)" = "120 200" ] || { sort out | uniq -c; false; }' 'said "$waits"' nothing_left
few -j0 --dir few 'sleep 0.2; echo {}' ::: {1..120}
ok 'also with a folder, and the journal is whole' all 'exits 0' '[ "$(sort -n out | xargs)" = "$(seq -s" " 120)" ]' \
    'said "$waits"' 'journal few' nothing_left
few -j0 --halt now,done=5 "echo >>taken; sleep 0.{}; test {} -lt 6 || sleep $mark" ::: {1..120}
ok 'those that wait can be taken back' all 'exits 0' '[ -s taken ]' nothing_left
long=$(head -c 150000 /dev/zero | tr '\0' x)
printf '%s\n' "$long" b "$long" >args
timeout 60 "$dolly" map -j1 echo <args >out 2>err
status=$?
ok 'a command that is too long: one line for each task' all 'exits 2' 'prints b' \
    '[ "$(cat err)" = "$(printf "dolly: task %d failed: it could not be started: Argument list too long\n" 1 3)" ] || { cat err; false; }'
# The second command starts while the output of the first is being printed, which still is in the folder.
map -j1 'test {} = 2 && until [ -s out ]; do sleep 0.02; done && rm -rf "${DOLLY_TMPDIR%/*/*/*}"; echo {}' ::: 1 2 3
ok 'the folder of the run is removed: one line for each task' all 'exits 2' 'prints 1' \
    '[ "$(grep -c "^dolly: task [23] failed: .*: No such file or directory$" err)" = 2 ] || { cat err; false; }'

# ---- a full disk ----

launches() { grep -c '"type":"launch"' journal.json; }
if mount -t tmpfs -o size=8m none "$tmp/disk" 2>why; then
    mounted=$tmp/disk
    # Two tasks fit, two copies of each do not.
    map --pure --nodes 6x1 --policy 'dolly;beta=1;tau=1' --dir disk/one \
        'head -c 2200000 /dev/zero >$DOLLY_TMPDIR/x && sleep 1 && echo {}' ::: a b
    ok 'a disk full of clones: they go, and their tasks do not fail' all 'exits 0' 'prints "a b"' 'journal disk/one' \
        'grep -q "\"cause\":\"disk_full\"" journal.json' \
        '[ "$(launches)" -le 8 ] || { launches; false; }'
    rm -rf disk/one
    # Reactive policies, too, want backups again and again.
    map --pure --nodes 6x1 --policy 'mapreduce;backup_at=0;scan=20ms' --dir disk/two \
        'head -c 2200000 /dev/zero >$DOLLY_TMPDIR/x && sleep 1 && echo {}' ::: a b c
    ok 'backups on a full disk stay away for a while' all 'exits 0' 'prints "a b c"' 'journal disk/two' \
        '[ "$(launches)" -le 10 ] || { launches; false; }'
    rm -rf disk/two
    # One task alone does not fit: it is tried as often as it may be, and no more; then the run waits for room.
    map --pure --retries 3 --nodes 6x1 --policy 'dolly;beta=1;tau=1' --dir disk/three \
        'head -c 9000000 /dev/zero >$DOLLY_TMPDIR/x && echo {}' ::: a b
    ok 'what never fits stops the run after its retries, without a storm' all 'exits 255' 'prints ""' 'journal disk/three' \
        '[ "$(launches)" -le 14 ] || { launches; false; }' 'grep -q "dolly resume .*disk/three" err'
    mount -o remount,size=40m disk
    timeout 60 "$dolly" resume disk/three >out 2>err
    status=$?
    ok 'resumed with room on the disk, it is done' all 'exits 0' 'prints "a b"' 'journal disk/three'
    rm -rf disk/three
    mount -o remount,size=8m disk
    # Commands that do not look at their write errors.
    map --dir disk/deaf -j2 'head -c 3000000 /dev/zero 2>/dev/null; sleep 0.3; true {}' ::: 1 2 3 4
    before=$(wc -c <out)
    ok 'attempts that ran while the disk was full are not believed: the run stops' all 'exits 255' \
        'grep -q "the disk of .*disk/deaf was full; .*free some space" err' 'grep -q "dolly resume" err' \
        '[ $((before % 3000000)) = 0 ] && [ "$before" -lt 12000000 ] || { echo "$before bytes"; false; }'
    mount -o remount,size=40m disk
    timeout 60 "$dolly" resume disk/deaf >>out 2>err
    status=$?
    ok 'resume runs what did not fit, and nothing twice' all 'exits 0' 'journal disk/deaf' \
        '[ "$(wc -c <out)" = 12000000 ] || { wc -c out; false; }' \
        '[ "$(cat disk/deaf/out/0/map/* | wc -c)" = 12000000 ]'
    rm -rf disk/deaf
    mount -o remount,size=8m disk
    TMPDIR=$tmp/disk map -j4 --joblog log 'head -c 3000000 /dev/zero 2>/dev/null; sleep 0.3; true {}' ::: 1 2 3 4
    ok 'nor are they without a folder: they fail, with a line each' all '[ "$status" -ge 1 ]' \
        '[ "$(awk "NR > 1 && \$7 == 0 && \$6 == 3000000" log | wc -l)" = $((4 - status)) ] || { cat log; false; }' \
        '[ "$(grep -c "^dolly: task [1-4] failed: the disk was full while it ran$" err)" = "$status" ] || { cat err; false; }'
    # Somebody else fills the disk for a moment, in which the run wakes up some times to look.
    wakes() {
        for pid in $(pgrep -f -- '-e freed'); do
            [ "$(readlink "/proc/$pid/exe")" != "$dolly" ] || sed -n 's/^voluntary_ctxt_switches://p' "/proc/$pid/status"
        done | awk '{ n += $1 } END { print n + 0 }'
    }
    has_looked() { [ "$(wakes)" -ge $((before + 10)) ]; }
    TMPDIR=$tmp/disk map -j1 ': >started; until [ -e filled ]; do sleep 0.02; done; echo {} 2>/dev/null; : >wrote; until [ -e freed ]; do sleep 0.02; done' ::: lost &
    await 60 'a task has started' test -e started
    head -c 9000000 /dev/zero >disk/fill 2>/dev/null
    : >filled
    await 60 'it has written' test -e wrote
    before=$(wakes)
    await 60 'the run has looked at its disk' has_looked
    rm disk/fill
    : >freed
    wait
    ok 'also when there is room again by the time they end' all 'prints ""' 'grep -q "the disk was full while it ran" err'
    # Outputs themselves do not fit at once: those of tasks that did not fail are whole.
    TMPDIR=$tmp/disk map --pure -j4 --joblog log 'head -c 5000000 /dev/zero && : {}' ::: a b c d
    ok 'outputs that do not fit fail, and are never taken for whole' \
        all '[ "$status" -le 4 ] || exits "0 to 4"' \
        '[ "$(awk "NR > 1 && \$7 == 0 && \$6 == 5000000" log | wc -l)" = $((4 - status)) ] || { cat log; false; }' \
        '[ -z "$(ls "$tmp/disk")" ] || { find "$tmp/disk"; false; }'
    # No room for anything at all.
    head -c 9000000 /dev/zero >disk/fill 2>/dev/null
    map --dir disk/four true ::: a b
    ok 'no room from the beginning: a clear end' all '[ "$status" != 0 ] && [ "$status" != 124 ]' 'grep -q "No space left" err'
    umount "$mounted"
    # No inodes: room for bytes, but not for files. As with a full disk nothing is believed, and nothing is lost.
    mount -t tmpfs -o size=8m,nr_inodes=14 none disk
    map --dir disk/five -j4 'sleep 0.1; echo {}' ::: 1 2 3 4 5 6 7 8
    cp err first
    mount -o remount,nr_inodes=1000 disk
    timeout 60 "$dolly" resume disk/five >out 2>err
    ok 'no inodes: one line, and the rest runs when there are some' all '[ "$(sort out | tr "\n" " ")" = "1 2 3 4 5 6 7 8 " ]' \
        'grep -q "disk of .*disk/five was full.*free some space" first' 'grep -q "dolly resume .*disk/five" first' '[ ! -s err ]'
    umount "$mounted"
    mounted=
else
    skip 'a full disk' "cannot mount a small one: $(cat why)"
fi
closing
