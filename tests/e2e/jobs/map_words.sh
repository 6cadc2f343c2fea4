#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: -; limit: 300 s
# End-to-end tests of what `dolly map` runs, to the word, and of where outputs go: tests/e2e/jobs/map_words.sh
# build/dolly. The rest is in tests/e2e/jobs/map.sh; here is what went wrong once.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/jobs/map_words.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
. tests/lib/map.sh

# ---- empty commands ----
from 'echo a >>f\n\necho b\n'
gives 'an empty command does nothing' 0 b -j1
[ "$(cat f)" = a ]
report $? 'and not what the one before it did' "$(cat f)"
input=/dev/null
gives 'nothing but an empty command' 0 '' ::: ''
gives 'an empty command in the job log' 0 x -j1 --joblog log ::: '' 'echo x'
[ "$(awk -F'\t' 'NR > 1 {printf "%s:%s:%s;", $1, $7, $9}' log)" = '1:0:;2:0:echo x;' ]
report $? 'has a line of its own' "$(cat log)"
gives 'a command that is an empty word takes arguments as words' 0 " 'a b'" --dry-run '' ::: 'a b'

# ---- -q ----
lines 'a b' 'c d' >columns
gives '-q leaves braces that replace nothing to the command' 0 "$(lines a c)" -q awk '{print $1}' ::: columns
gives '-q never runs what is in a word' 0 '{$(touch INJ)} x' -q echo '{$(touch INJ)}' ::: x
gives '-q in quotes, variables and braces' 0 "{a,b} \${HOME} {\`touch INJ\`} a'b;c x" -q echo '{a,b}' '${HOME}' '{`touch INJ`}' "a'b;c" ::: x
[ ! -e INJ ]
report $? 'nothing was run' ''
gives '-q keeps empty words' 0 '|x||y|' -q printf '%s|' '' x '' ::: y
gives '-q: values are words or parts of them' 0 "$(lines 'a  bp  qc' 'p  q' 1)" -q printf '%s\n' 'a  b{}c' '{1}' '{#}' ::: 'p  q'
gives '-q and -X' 0 "$(lines 'a  1b' 'a  2b')" -j1 -q -X printf '%s\n' 'a  {}b' ::: 1 2

# ---- -m, -X, -s ----
for way in -X -m; do
    have=$(seq 60000 | map -j1 "$way" echo '{}aa{}' | awk '{words += NF; if (length > most) most = length} END {print words, (most > 63600 && most < 63664)}')
    [ "$have" = "$([ "$way" = -X ] && echo '60000 1' || echo '119989 1')" ]
    report $? "$way fills commands as far as GNU parallel does" "$have"
done
from '100\n101\n102\n103\n104\n'
gives '-s counts as GNU parallel does' 0 "$(lines 'echo 100 101 102 103' 'echo 104')" -j1 -m -s 21 --dry-run echo
gives '-s one less' 0 "$(lines 'echo 100 101 102' 'echo 103 104')" -j1 -m -s 20 --dry-run echo
gives '-X -s' 0 "$(lines 'e 1:100x 1:101x 100 101' 'e 2:102x 2:103x 102 103' 'e 3:104x 104')" -j1 -X -s 24 --dry-run e '{#}:{}x' '{.}'
gives 'full commands first, the rest is spread over the slots' 0 "$(lines 'e 100 101 102' 'e 103' 'e 104')" -j3 -X -s 14 --dry-run e
gives '-X repeats the word around {}, not other arguments' 0 '100-100 100-101 100-102 100-103 100-104' -j1 -X echo '{1}-{}'
input=/dev/null
refuses '-s that is too small for an argument' 'argument 1 makes a command longer than 5 characters' -s 6 echo ::: a

# ---- the shell ----
gives 'bash runs as bash' 0 "$(readlink -f "$(command -v bash)") posix off" \
    'echo $0 $(set -o | grep ^posix); : <(:)' ::: x
# Runs the words as a process without a shell above it, unless process 1 is one.
orphan() {
    rm -f orphan.out
    (setsid -f sh -c 'p=$PPID; for i in 1 2 3 4 5 6 7 8 9; do [ "$p" -gt 1 ] && kill -0 "$p" && sleep 0.1; done; exec "$@"' sh \
        "$@" "$dolly" map 'echo $0 >orphan.new; mv orphan.new orphan.out; :' ::: x) </dev/null >/dev/null 2>&1
    await 60 'an orphan runs' test -e orphan.out
    cat orphan.out
}
have=$(SHELL=$(command -v dash) orphan env -u PARALLEL_SHELL)
if [[ $(cat /proc/1/comm) =~ ^(ba|da|z|k|mk|a)?sh$ ]]; then
    skip '$SHELL runs commands when no shell is above us' 'process 1 is a shell'
else
    [ "$have" = "$(command -v dash)" ]
    report $? '$SHELL runs commands when no shell is above us' "$have"
fi
PARALLEL_SHELL=$(command -v dash) gives '$PARALLEL_SHELL comes first' 0 "$(command -v dash)" 'echo $0; :' ::: x
PARALLEL_SHELL=dash gives 'it may be a name in $PATH' 0 "$(command -v dash)" 'echo $0; :' ::: x
PARALLEL_SHELL=no-such-shell refuses 'a name that is not there' "\$PARALLEL_SHELL is 'no-such-shell', which is not in \$PATH" echo ::: x

# ---- --results ----
long=$(printf 'x%.0s' {1..300})
gives '--results with a long argument' 0 '' -k --results res echo ::: "${long}a" "${long}b" c
[ "$(cat res/1/x*/stdout | sort | xargs)" = "${long}a ${long}b" ] && [ "$(cat res/1/c/seq)" = 3 ]
report $? 'keeps the outputs apart' "$(find res | cut -c1-80)"
gives '--results with a long argument in a name' 0 '' -k --results 'res2/{}.out' echo ::: "${long}a" b
[ "$(ls res2 | wc -l)" -eq 6 ]
report $? 'has all files' "$(ls res2)"

# ---- --output and --error ----
map -k -j2 --output o.txt --error e.txt 'echo o{}; echo e{} >&2' ::: 1 2 3 >out 2>err
[ "$(cat o.txt e.txt | xargs)" = 'o1 o2 o3 e1 e2 e3' ] && [ ! -s out ] && [ ! -s err ]
report $? '--output of several tasks in one file' "$(cat o.txt e.txt)"
map -k --output o.txt --error o.txt 'echo o{}; echo e{} >&2' ::: 4 5
[ "$(xargs <o.txt)" = 'o4 e4 o5 e5' ]
report $? '--output and --error in the same file, which is new' "$(cat o.txt)"
map -k --output 'both_%a' --error 'both_%a' 'echo o{}; echo e{} >&2' ::: 1 2
[ "$(cat both_1 both_2 | xargs)" = 'o1 e1 o2 e2' ]
report $? 'the same with a file for each task' "$(cat both_1 both_2)"
map --array 3,12 --output 'd/%x.%4a.%N.%u.%%' 'echo {}'
[ "$(cat "d/echo.0003.$(uname -n | cut -d. -f1).$(id -un).%" d/echo.0012.*)" = "$(lines 3 12)" ]
report $? "Slurm's patterns" "$(ls d)"
map --array 3,4 --output 'j/%j' 'echo {}'
[ "$(ls j | wc -l)" -eq 2 ] && [ "$(cat j/* | xargs)" = '3 4' ]
report $? '%j is a number of its own for each task' "$(ls j)"
refuses 'a pattern that is not known' '%q in the file name' --output 'x%q' echo ::: a
refuses '--array that is not a list' "expected a list such as 0-99%10, 1-7:2 or 1,3,5, not '1-'" --array 1- echo
refuses '--lost without nodes' '--lost is for runs with --on' --lost fail echo ::: a
refuses '--lost of a kind that is not known' "--lost: expected \`again\` or \`fail\`, not 'x'" --on local:1 --lost x echo ::: a
refuses 'nodes of a kind that is not known' '--on x:1: expected slurm:N, local:N, ssh:FILE' --on x:1 echo ::: a
refuses '--output that cannot be written' 'cannot write /dev/null/x' --output /dev/null/x echo ::: a

refuses '--wd that is a file' '--wd columns: expected a folder' --wd columns touch INJ ::: a
unset SLURM_JOB_ID
refuses 'Slurm without a folder that nodes see' \
    '--on slurm outside of an allocation needs a folder that nodes see: --dir DIR' --on slurm:1 touch INJ ::: a
[ ! -e INJ ] && [ -z "$(ls "$TMPDIR")" ]
report $? 'nothing was run, and nothing is left' "$(ls "$TMPDIR")"
map --dir taken 'echo out; echo err >&2; echo >taken/err' ::: a >out 2>err
status=$?
[ "$status" -eq 255 ] && [ ! -s out ] &&
    grep -q "^dolly map: $tmp/taken/attempts/.*/stderr: cannot be moved to $tmp/taken/err/0: Not a directory$" err
report $? 'stderr that cannot be kept ends the run' "status $status: $(cat out err)"
rm -rf taken/err
[ "$("$dolly" resume taken 2>err)" = out ] && grep -qx err err
report $? '... and is there when the run is resumed' "$(cat err)"

refuses 'a job log on a full disk' 'dolly map: /dev/full: No space left on device' --joblog /dev/full touch INJ ::: a
[ ! -e INJ ]
report $? '... and nothing was run' ''
mkdir -p full/1/a && ln -s /dev/full full/1/a/seq
refuses '--results on a full disk, to the last file' 'cannot write full/1/a/seq: No space left on device' --results full echo ::: a
map --dir files --files --tmpdir nowhere echo ::: a >out 2>err
status=$?
[ "$status" -eq 255 ] && [ ! -e nowhere ] && grep -q '^dolly map: cannot write nowhere/dolly.*.par: No such file or directory$' err
report $? '--files needs its folder, and makes none' "status $status: $(cat out err)"

# Killed at random points, and resumed until all is done: every line is there once.
whole() {
    local i
    rm -rf shared; mkdir shared
    "$dolly" map -j3 --dir shared/run --output shared/o --error shared/e 'seq {}00 {}99; echo {} >&2' ::: {1..30} >/dev/null 2>&1 &
    for i in {1..25}; do
        sleep "0.0$((RANDOM % 10))"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        [ -e shared/run/run ] || return 2
        "$dolly" resume shared/run >/dev/null 2>&1 &
    done
    wait $!
    "$dolly" resume shared/run >/dev/null 2>&1
    cmp <(sort -n shared/o) <(seq 100 3099) && cmp <(sort -n shared/e) <(seq 30)
}
for i in {1..20}; do
    whole >why 2>&1
    status=$?
    [ "$status" -eq 2 ] || break
done
report "$status" 'files that tasks share are whole after kill -9 and resume' "$(cat why)"

# ---- -k --line-buffer ----
map -k --lb -j3 'echo {}1; sleep 0.$((4 - {#})); echo {}2' ::: a b c >out 2>err
[ "$(xargs <out)" = 'a1 a2 b1 b2 c1 c2' ]
report $? '-k --line-buffer keeps the order' "$(xargs <out)"
prints() { [ "$(xargs <out)" = "$1" ]; }
has() { await 60 "$1 is printed" prints "$1"; }
map -k --lb -j3 'echo {}1; until [ -e go{} ]; do sleep 0.02; done; echo {}2' ::: a b c >out 2>err &
touch gob && has a1 && touch goa && has 'a1 a2 b1 b2 c1' && touch goc && has 'a1 a2 b1 b2 c1 c2'
report $? 'and shows the lines of the first one as they come' "$(xargs <out)"
touch goa gob goc
wait $!

# ---- job logs ----
map --joblog log 'echo abc; exit {}' ::: 3 >/dev/null
map --timeout 0.3 --joblog +log sleep ::: 600
[ "$(awk -F'\t' 'NR > 1 {print $6, $7, $8}' log | xargs)" = '4 3 0 0 -1 15' ]
report $? 'what failed tasks said is counted, and the signal of a time limit is told' "$(cat log)"
map -j1 --joblog - 'echo {}; exit {}' ::: 0 2 >out 2>err
[ "$(cut -f1,6,7,9 out | tr '\t' ' ')" = "$(lines 'Seq Receive Exitval Command' 0 '1 2 0 echo 0; exit 0' 2 '2 2 2 echo 2; exit 2')" ]
report $? '--joblog - is stdout' "$(cat out err)"
map --joblog more.log true ::: a
map --joblog +more.log true ::: b
[ "$(cut -f1,9 more.log | tr '\t' ' ')" = "$(lines 'Seq Command' '1 true a' '1 true b')" ] && [ ! -e +more.log ]
report $? '--joblog +FILE adds to a log' "$(cat more.log)"
refuses '--joblog - cannot be resumed' '--joblog - writes the log among the outputs' --resume --joblog - echo ::: a

# ---- the bar ----
# lengths COLUMNS: of the lines of the bar, which has room for its numbers alone where the terminal is narrow; longest
# first
lengths() {
    script -qec "stty cols $1; $dolly map --bar --pure -j3 'sleep 0.2; : {}' ::: 1 2 3" typescript >/dev/null 2>&1 </dev/null
    tr '\r' '\n' <typescript | sed 's/\x1b\[K//' | grep -E '^(\[[#.]|[0-9]+ of 3 tasks)' | awk '{print length}' | sort -rn
}
if ! why=$(terminals); then
    skip 'the bar is cut to the terminal' "$why"
else
    script -qec "$dolly map --summary --dir wide 'sleep 0.{}; : a command that is longer than what is left of the line' ::: 1 1 5" typescript >/dev/null 2>&1 </dev/null
    tr -d '\r' <typescript | grep -A 9 '^dolly:' >summary
    grep -q '^dolly: slowest task 3: ' summary && grep -q '^       ' summary && ! grep -E '.{81}' summary
    report $? 'the summary has lines of 80 columns in a terminal' "$(cat summary)"
    "$dolly" map --summary 'sleep 0.{}; : a command that is longer than what is left of the line' ::: 1 1 5 2>summary
    grep -qE '^dolly: slowest task 3: .{81}' summary && ! grep -qv '^dolly: ' summary
    report $? '... and long ones for programs' "$(cat summary)"
    narrow=$(lengths 40 | head -n 1) wide=$(lengths 200 | head -n 1)
    [ "${narrow:-0}" -gt 20 ] && [ "$narrow" -le 39 ] && [ "${wide:-0}" -gt 39 ]
    report $? 'the bar is cut to the terminal' "$narrow of 40, $wide of 200"
fi

closing
