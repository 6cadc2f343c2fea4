#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: -; limit: 300 s
# End-to-end tests of how outputs of `dolly map` reach ours: whole lines, nothing lost, whatever stdout
# is: tests/e2e/jobs/map_output.sh build/dolly
set -u

dolly=$(realpath "${1:?usage: tests/e2e/jobs/map_output.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
. tests/lib/map.sh

# ---- lines ----
# writes ARGS...: a line for each write that `dolly map ARGS` does to its stdout: its bytes, and whether it
# ends with a line. A socket that keeps messages apart shows them.
cat >writes.py <<'PY'
import socket, subprocess, sys
ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
p = subprocess.Popen(sys.argv[1:], stdout=its)
its.close()
while True:
    piece = ours.recv(1 << 20)
    if not piece:
        break
    print(len(piece), 'whole' if piece.endswith(b'\n') else 'torn')
sys.exit(p.wait())
PY
writes() { python3 writes.py "$dolly" map "$@"; }

seq 50000 >big
writes --tag cat ::: big >out
[ "$(awk '{n += $1} END {print n}' out)" = $(($(wc -c <big) + 50000 * 4)) ] && ! grep -q torn out && [ "$(wc -l <out)" -lt 30 ]
report $? '--tag writes many lines at a time, and whole ones' "$(wc -l <out) writes: $(head -n 3 out | tr '\n' ';')"
[ "$(map --tag cat ::: big | md5sum)" = "$(sed 's/^/big\t/' big | md5sum)" ]
report $? '--tag marks each line once' ''
writes cat ::: big >out
[ "$(awk '{n += $1} END {print n}' out)" = "$(wc -c <big)" ] && ! grep -q torn out
report $? 'outputs are written in whole lines' "$(tr '\n' ';' <out | head -c 100)"
head -c 200000 /dev/zero | tr '\0' x >long
map --tag 'cat long; echo; printf end' ::: a >out
[ "$(tr -d x <out)" = "$(printf 'a\t\na\tend')" ] && [ "$(tr -dc x <out | wc -c)" = 200000 ]
report $? '--tag marks a long line once' "$(tr -d x <out)"
map -u --tag 'printf a; sleep .2; printf b; sleep .2; echo c; :' ::: X >out
[ "$(cat out)" = abc ]
report $? '--ungroup has no tags: its bytes may be in the middle of a line' "$(cat out)"
# Each task writes pieces of a line that are longer than any buffer of ours, in turn with the other.
turns='for i in 1 2 3; do await 60 "its turn" filled go.$i.{}; head -c 70000 /dev/zero | tr "\0" {}; echo >did.$i.{}; sleep .2; case {} in X) echo >go.$i.Y ;; *) echo >go.$((i + 1)).X ;; esac; done; echo'
echo >go.1.X
map -j2 --lb "$turns" ::: X Y >out
[ "$(tr -s XY <out)" = "$(lines X Y)" ] && [ "$(wc -c <out)" = 420002 ]
report $? '--line-buffer never mixes lines, however long' "$(tr -s XY <out | head -c 100)"
rm -f go.* did.*
echo >go.1.X
map -j2 --lb --tag "$turns" ::: X Y >out
[ "$(tr -s XY <out)" = "$(printf 'X\tX\nY\tY')" ]
report $? '--line-buffer --tag marks lines, however long, once' "$(tr -s XY <out | head -c 100)"

# ---- stdout that does not block, or cannot be written ----
cat >slow.py <<'PY'
import fcntl, os, subprocess, sys, time
r, w = os.pipe()
fcntl.fcntl(w, fcntl.F_SETFL, fcntl.fcntl(w, fcntl.F_GETFL) | os.O_NONBLOCK)
p = subprocess.Popen(sys.argv[1:], stdout=w)
os.close(w)
n = len(os.read(r, 1))
time.sleep(0.3) # the pipe is full by now, or soon
while n:
    piece = os.read(r, 65536)
    if not piece:
        break
    n += len(piece)
print(n, p.wait())
PY
# unblocked NAME ARGS...: as many bytes arrive through a pipe that does not block as through one that does.
unblocked() {
    local name=$1 want have
    shift
    want=$("$dolly" "$@" 2>/dev/null | wc -c)
    have=$(python3 slow.py "$dolly" "$@" 2>err)
    [ "$want" -gt 70000 ] && [ "${have% *}" -gt $((want - 100)) ] && [ "${have% *}" -lt $((want + 100)) ] && [ "${have#* }" = 0 ]
    report $? "$name" "$have of $want bytes; $(head -n 1 err)"
}
words=$(yes wordswordswordswords | head -n 8000)
unblocked 'plain output where stdout does not block' map seq ::: 50000
unblocked '--json where stdout does not block' map --json seq ::: 50000
# shellcheck disable=SC2086
unblocked '--dry-run where stdout does not block' map --dry-run echo ::: $words
unblocked '--results -.csv where stdout does not block' map --results -.csv seq ::: 50000
map --dir kept true ::: {1..300} >/dev/null
unblocked 'journal where stdout does not block' journal kept/journal
map --json seq ::: 50000 >/dev/full 2>err
[ $? -eq 255 ] && [ "$(cat err)" = 'dolly map: cannot write the output: No space left on device' ]
report $? '--json that cannot be written: one line with the cause, and 255' "$(cat err)"
map --json echo ::: 1 >/dev/full 2>err
[ $? -eq 255 ] && [ "$(cat err)" = 'dolly map: cannot write the output: No space left on device' ]
report $? 'a small --json that cannot be written: the same' "$(cat err)"
(
    map 'seq 20000; : {}' ::: {1..20} 2>err
    echo $? >status
) | head -n 1 >out
[ "$(cat out)" = 1 ] && [ ! -s err ] && [ "$(cat status)" = 141 ]
report $? 'a reader that leaves ends the run without a word' "$(cat status) $(cat err)"

# ---- streams ----
yes | timeout 60 "$dolly" map --pipe -j2 'head -n 1' 2>err | head -n 1 >out
[ "$(cat out)" = y ] && [ ! -s err ]
report $? '--pipe of a stream without an end ends with its reader' "$(cat err)"
rm out
mkfifo stream
map -k --pipe -N 1 cat <stream >out &
exec 8>stream
echo a >&8
echo b >&8 # the end of a record is known when the next has begun
await 60 'something is printed' filled out
[ "$(head -n 1 out)" = a ]
report $? '--pipe starts a task when its block is there' "$(cat out)"
echo c >&8
exec 8>&-
wait $!
[ "$(cat out)" = "$(lines a b c)" ]
report $? '... and goes on with those that come' "$(xargs <out)"
rm -f go
yes | head -c 60000000 | map --pipe -j1 'echo >>began; await 60 go filled go; wc -c' >out &
await 60 'the task begins' filled began
sleep 1
[ "$(du -sk "$TMPDIR" | cut -f 1)" -lt 20000 ]
report $? '--pipe reads on only while few blocks wait' "$(du -sk "$TMPDIR")"
echo >go
wait $!
[ "$(awk '{n += $1} END {print n}' out)" = 60000000 ]
report $? '... and reads all of it' "$(xargs <out)"

yes | timeout 60 "$dolly" map --pipe --round-robin -j2 'head -n 1' >out 2>err
[ $? -eq 0 ] && [ "$(xargs <out)" = 'y y' ] && [ ! -s err ]
report $? '--round-robin of a stream without an end ends with its tasks' "$(cat out err)"
: >out
map -u --pipe --round-robin -N 1 -j2 'while read -r x; do echo "$x"; done' <stream >out &
exec 8>stream
for word in a b c d; do echo $word >&8; done
three_lines() { [ "$(wc -l <out)" -ge 3 ]; }
await 60 'three lines are printed' three_lines
[ "$(sort out | head -n 3)" = "$(lines a b c)" ]
report $? '--round-robin hands blocks to tasks while others come' "$(xargs <out)"
exec 8>&-
wait $!
[ $? -eq 0 ] && [ "$(sort out)" = "$(lines a b c d)" ]
report $? '... until the stream ends' "$(xargs <out)"
seq 300000 | map --pipe --round-robin -j3 --block 10k --header 0 'cat; echo task {#} >&2' 2>err | sort -n >out
cmp -s out <(seq 300000) && [ "$(sort err)" = "$(lines 'task 1' 'task 2' 'task 3')" ]
report $? '... and nothing is lost or doubled' "$(head -n 3 err) $(wc -l <out)"
seq 300000 | map --pipe --round-robin -j2 --block 1k 'test $DOLLY_TASK_ID = 1 && exec <&- && exit 3; wc -l' >out 2>err
[ $? -eq 1 ] && [ "$(cat out)" -gt 1000 ]
report $? 'who closes its stdin keeps nobody else from reading' "$(cat out err)"

# ---- files ----
map --results 'r/{}/' 'echo o{}; echo e{} >&2' ::: a b >out 2>err
[ $? -eq 0 ] && [ "$(cat r/a/stdout r/b/stdout r/b/stderr r/b/seq)" = "$(lines oa ob eb 2)" ]
report $? '--results DIR/{}/ has a folder for each' "$(cat err)"
map --results h --header : 'echo {a}{b}' ::: b III ::: a I >out 2>err
[ "$(cat h/a/I/b/III/stdout)" = IIII ]
report $? '--results --header orders folders by their names' "$(find h -type f | head -n 1)"
mkfifo pipe
cat pipe >log &
map --joblog pipe echo ::: 1 2 >out
wait $!
[ "$(cut -f 1 log | head -n 1)" = Seq ] && [ "$(wc -l <log)" = 3 ]
report $? '--joblog on a pipe has its header' "$(head -n 1 log)"

# ---- outputs that are lost ----
# lost NAME TEXT COMMAND: a line for the task with this text, nothing printed, and status 1
lost() {
    rm -rf run
    map --dir run "$3" ::: 1 >out 2>err
    [ $? -eq 1 ] && [ ! -s out ] && [ "$(head -n 1 err)" = "dolly: task 1 failed: $2" ] && grep -q '^dolly: 1 of 1 task failed: 1' err
    report $? "$1" "$(head -n 1 err)"
}
lost 'an output that its command removes is missed' 'its output could not be read: No such file or directory' \
    'rm run/attempts/*/stdout; echo'
lost 'a folder of results that is removed is missed' 'its output could not be kept: No such file or directory' \
    'rm -r run/out; echo'
rm -rf run
map --dir run -j1 'rm -r run/attempts; echo' ::: 1 2 >out 2>err
grep -qx 'dolly: task 2 failed: it could not be started: No such file or directory' err
report $? 'a task that cannot be started says why' "$(cat err)"

closing
