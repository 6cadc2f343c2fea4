#!/usr/bin/env bash
# lane: watching; builds: gcc asan; needs: -; limit: 300 s
# End-to-end tests of what users of GNU parallel type: tests/e2e/jobs/map_compat.sh build/dolly. What it
# prints for the same words is written out; `make parallel-suite` asks the program itself.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/jobs/map_compat.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
. tests/lib/map.sh

# ---- spelling ----
gives 'a long option may be shortened' 0 "$(lines a b)" --keep-o --max-proc 2 echo ::: a b
refuses 'unless two begin so' '--re may be --' --re echo ::: a
gives 'synonyms' 0 "$(lines 'echo a')" --dr --nok --linebuffered echo ::: a
gives '--verbose prints commands on stderr' 0 a --verbose echo ::: a
[ "$(cat err)" = 'echo a' ]
report $? 'as -t does' "$(cat err)"
gives '--version' 0 "$("$dolly" --version)" --version
refuses 'what is refused says what to do' 'use flock(1)' --semaphore echo
refuses 'also when it is shortened' '--interactive of GNU parallel' --interac echo ::: a
refuses 'Perl' 'is not supported' echo '{= s/a/b/ =}' ::: a

# ---- arguments ----
from 'a\nEND\nb\n'
gives '-E' 0 a -E END echo
gives '-e with its value in one word' 0 a -eEND echo
gives '--eof' 0 a --eof END echo
gives '-E behind :::' 0 "$(lines a)" -E ole echo ::: a ole b
gives '-i' 0 "$(lines xay)" -i -eEND echo 'x{}y'
gives '-i with another string' 0 "$(lines xay)" -i+ -eEND echo x+y
from 'a \nb\nc\n'
gives '-L joins lines that end in a blank' 0 "$(lines 'a b' c)" -k -L1 echo
gives '-l' 0 "$(lines 'x a b' 'x c')" -k -l echo x
from '1\n2\n3\n'
gives '-L takes lines' 0 "$(lines 'a1b a2b' a3b)" -k -L2 echo a{}b
gives '-N repeats the word' 0 "$(lines 'a1b a2b' a3b)" -k -N2 echo a{}b
gives '-n does not' 0 "$(lines 'a1 2b' a3b)" -k -n2 echo a{}b
gives '--xargs takes what fits, whatever the slots' 0 '1 2 3' -j3 --xargs echo
from '1\n2\n3\n'
gives '--tee gives all of stdin to each task' 0 "$(lines 1 2 3 a 1 2 3 b)" -k --pipe --tee 'cat; echo {}' ::: a b
gives '--tee appends no arguments, and clones have it, too' 0 "$(printf 'a\t3\nb\t3')" -k --pure --pipe --tee --tag wc -l ::: a b
seq 10 >ten
gives '--pipepart --round-robin' 0 "$(lines 5 5)" -j2 -k --pipepart --round-robin -N1 -a ten wc -l
refuses '--tee needs arguments' 'arguments that come from elsewhere' --pipe --tee cat
from '1\n2\n345678\n9\n'
gives 'what stands before an argument that does not fit runs' 255 '1 2' -j1 -m -s 10 echo
grep -q 'argument 3 makes a command longer than 9 characters; dolly left out this argument and all after it' err
report $? 'and it is said which one it was' "$(cat err)"
gives 'also with --dry-run' 255 'echo 1 2' -j1 -m -s 10 --dry-run echo
gives '-N over several sources' 0 "$(lines a-1-b-2 c-3--)" -k -N2 echo {1}-{2}-{3}-{4} ::: a b c :::+ 1 2 3
gives '-X over several sources' 0 'xa x1 xa x2' -j1 -X echo x{} ::: a ::: 1 2
from 'a,b\nc,d\ne,f\n'
gives '-N over columns' 0 "$(lines abcd ef)" -k --colsep , -N2 echo {1}{2}{3}{4}
gives '-m -s over columns' 0 "$(lines 'a b c d' 'e f')" -k -j1 --colsep , -m -s 13 echo
from '1 , 2 \n'
gives '--colsep trims' 0 '[1][2]' --colsep , echo '[{1}][{2}]'
gives '--colsep --trim n does not' 0 '[1 ][ 2 ]' --trim n --colsep , -q echo '[{1}][{2}]'
gives '--trim' 0 '[a ]' --trim l -q echo '[{}]' ::: ' a '
from 'a\r\nb\r\n'
gives '-d takes several characters' 0 "$(lines ax bx)" -k -d '\r\n' echo {}x
from 'a\tb\n1\t2\n'
gives '--header splits at tabs' 0 2-1 --header : echo {b}-{a}
input=/dev/null
gives '--arg-sep' 0 "$(lines 'a ::: 1')" --arg-sep ,, echo ,, 'a :::' ,, 1
gives '-r leaves out blanks' 0 "$(lines a)" -r echo ::: ' ' a ''
gives 'quotes as GNU parallel has them' 0 "$(lines "echo 'it'\"'\"'s'" "echo 'a:b'" "echo ''")" --dry-run echo ::: "it's" a:b ''

# ---- replacement strings ----
gives 'other strings for {.} {/} {//} {/.} {#}' 0 'd/b b.c d b 1' --er A --bnr B --dnr D --bner E --seqreplace S echo A B D E S ::: d/b.c
gives '--plus' 0 'd/a d bc.c .b 1 x a' --plus echo {1..} {1+/} {1+..} {1:3:2} {0#} {2:-x} {3%.b.*} ::: d/a.bc.c ::: '' ::: a.b.c
gives '--plus, more' 0 'd/A.b.c D/a.b.c a.b.c' --plus echo {/a/A} {^d} {##.*/} ::: d/a.b.c

# ---- halting, time limits ----
gives '--halt N% exits with a percentage' 20 "$(lines 0 1 2)" -k -j1 --halt soon,fail=20% 'echo {}; exit {}' ::: 0 1 2 3 4 5 6 7 8 9
[ "$(xargs <err)" = 'dolly: This job failed: echo 1; exit 1 dolly: This job failed: echo 2; exit 2' ]
report $? '--halt tells of each failure' "$(cat err)"
gives '--halt -1' 0 "$(lines 1 0)" -k -j1 --halt -1 'echo {}; exit {}' ::: 1 0 2
gives '--halt done=1 exits as the task did' 3 a -j1 --halt now,done=1 'echo {}; exit 3' ::: a b
map -j2 --halt soon,fail=1 --joblog halt.log 'if [ {} = 1 ]; then until [ -e halt.2 ]; do sleep 0.02; done; exit 1; fi
    : >halt.{}; until grep -q ^1 halt.log; do sleep 0.02; done' ::: 1 2 3 >out 2>err
grep -qx 'dolly: Starting no more jobs. Waiting for 1 jobs to finish.' err
report $? '--halt soon tells for whom it waits' "$(cat err)"
gives '--delay and the like may begin with a point' 0 "$(lines a b)" -k --delay .1 --timeout .9m echo ::: a b
gives '--timeout fails the task' 1 '' --timeout 0.3 sleep ::: 5
[ "$(xargs <err)" = 'dolly: This job was killed because it timed out: dolly: sleep 5' ]
report $? '--timeout tells whom it killed' "$(cat err)"

# ---- outputs ----
map -k --files --tag 'echo o{}; echo e{} >&2' ::: 1 2 >out 2>err
[ "$(cut -f 1 out | xargs)" = '1 2' ] && [ "$(cut -f 2 out | xargs cat | xargs)" = 'o1 o2' ] && [ ! -s err ]
report $? '--files prints names of files' "$(cat out)"
rm -f "$TMPDIR"/*.par
gives '--results prints nothing' 3 '' -k -j1 -v --tag --lb --results res 'echo {}; echo e{} >&2; exit 1' ::: a b c
[ ! -s err ] && [ "$(cat res/1/{a,b,c}/std*| xargs)" = 'ea a eb b ec c' ]
report $? 'and keeps stdout and stderr' "$(cat err res/1/*/std*)"
columns='Seq,Host,Starttime,JobRuntime,Send,Receive,Exitval,Signal,Command'
times() { sed -E 's/[0-9]{10}\.[0-9]{3}([,\t])[0-9.]+/T\1T/; s/(time": )[0-9.]+/\1T/g' "$@"; }
gives '--results X.csv prints nothing' 1 '' -k --results t.csv 'printf %s\" {1}; echo e >&2; exit {2}' ::: 'b c' ::: 0 1
[ "$(times t.csv)" = "$(lines "$columns,V1,V2,Stdout,Stderr" \
    "1,:,T,T,0,4,0,0,\"printf %s\\\"\" 'b c'; echo e >&2; exit 0\",\"b c\",0,\"b c\"\"\",\"e" '"' \
    "2,:,T,T,0,4,1,0,\"printf %s\\\"\" 'b c'; echo e >&2; exit 1\",\"b c\",1,\"b c\"\"\",\"e" '"')" ]
report $? 'and writes a table' "$(cat t.csv)"
map --header : --results -.tsv printf %s ::: n 'a,b' ::: m c >out
[ "$(times out)" = "$(printf '%s\tn\tm\tStdout\tStderr\n1\t:\tT\tT\t0\t4\t0\t0\t"printf %%s '"'a,b'"' c"\ta,b\tc\ta,bc\t' "${columns//,/$'\t'}")" ]
report $? '--results -.tsv prints one, with the names of --header' "$(cat out)"
map -k -n2 --results -.json printf '%s\\t' ::: '"' é b >out
[ "$(times out)" = "$(lines '{ "Seq": 1, "Host": ":", "Starttime": T, "JobRuntime": T, "Send": 0, "Receive": 5, "Exitval": 0, "Signal": 0, "Command": "printf %s\\\\t '"'\\\"' 'é'"'", "V": [ "\"","é" ], "Stdout": "\"\u0009é\u0009", "Stderr": "" }' \
    '{ "Seq": 2, "Host": ":", "Starttime": T, "JobRuntime": T, "Send": 0, "Receive": 2, "Exitval": 0, "Signal": 0, "Command": "printf %s\\\\t b", "V": [ "b" ], "Stdout": "b\u0009", "Stderr": "" }')" ]
report $? '--results -.json prints an object per task' "$(cat out)"
refuses '--results X.csv is not resumed' 'makes a table that is written once' --dir run --results x.csv echo ::: a
refuses '--results X.csv into no folder' 'No such file' --results none/x.csv echo ::: a
gives '--compress does no harm' 0 a --compress --compress-program 'gzip -9' echo ::: a
gives '-v tags the command, too' 0 "$(printf 'x\techo a\nx\ta')" -v --tagstring x echo ::: a
mkdir sub
gives '--wd tells where it was' 0 "$tmp" --wd sub 'echo $OLDPWD; :' ::: a

"$dolly" map echo ::: a > >(sleep 0.3; cat >behind) # a child of the process that becomes dolly
await 60 'the reader ends' filled behind
[ "$(cat behind)" = a ]
report $? 'a process substitution that reads what is printed is left alone' "$(cat behind)"
"$dolly" map --dir behind.run echo ::: b > >(sleep 0.3; cat >behind2)
await 60 'the second reader ends' filled behind2
[ "$(cat behind2)" = b ]
report $? 'also with --dir' "$(cat behind2)"
map --joblog lines $'echo a\necho "b\t{}"\nexit 1' ::: 1 >out
gives '--retry-failed runs a command of several lines as it was' 1 "$(printf 'a\nb\t1')" --joblog lines --retry-failed

# ---- streams ----
from '/foo, bar/, /baz, qux/,'
gives '--recend' 0 "$(lines '/foo, ' 'bar/, ' '/baz, ' 'qux/,')" -k -N1 --pipe --recend ', ' 'cat; echo'
gives '--recstart' 0 "$(lines '/foo, bar' '/, ' '/baz, qux' '/,')" -k -N1 --pipe --recstart / 'cat; echo'
gives '--recend and --recstart' 0 "$(lines '/foo, bar/, ' '/baz, qux/,')" -k -N1 --pipe --recend ', ' --recstart / 'cat; echo'
gives '--rrs' 0 "$(lines /foo bar/ /baz qux/,)" -k -N1 --pipe --rrs --recend ', ' 'cat; echo'
from 'a,_b,__c'
gives '--regexp' 0 "$(lines a,_ b,__ c)" -k -N1 --pipe --regexp --recend ',_+' 'cat; echo'
from '%h1\n%h2\n1\n2\n3\n'
gives '--header of a stream, in lines' 0 "$(lines %h1 %h2 1 2 %h1 %h2 3)" -k -N2 --pipe --header 2 cat
gives '--header of a stream, an expression' 0 "$(lines %h1 %h2 1 2 %h1 %h2 3)" -k -N2 --pipe --header '(%.*\n)*' cat
from '1\n2\n3\n4\n5\n'
gives '-L with --pipe' 0 "$(lines 1 2 3 4 x 5 x)" -k --pipe -L2 'cat; echo x'
gives '--cat' 0 "$(lines 2 4 5)" -k --pipe -N2 --cat tail -n 1 {}
gives '--round-robin' 0 "$(lines 1 3 5 x 2 4 x)" -k -j2 --pipe -N1 --round-robin 'cat; echo x'
gives '--pipepart cuts behind the size' 0 "$(lines 1 2 3 x 4 5 x)" -k --pipepart --block 4 -a "$input" 'cat; echo x'
seq 1000 >"$tmp/input"
gives 'small letters of sizes are thousands' 3 1000 -j1 --halt 2 --pipe --block 1k 'wc -c; exit 3'
input=/dev/null

# ---- habits ----
gives 'an empty source beside others is one empty value' 0 "$(lines 'a ' 'b ')" -k echo ::: a b :::
gives '... also a linked one' 0 'a ' -k echo ::: a b :::+
gives '... also where -E has emptied it' 0 'b ' -k -E a echo ::: b ::: a
gives '-d cuts words behind :::' 0 "$(lines a b c)" -k -d , echo ::: a,b c
gives 'nothing is quoted where arguments make up the first word' 0 "$(lines 'a b' 'x y')" -k {} ::: 'echo a b' 'echo x  y'
gives '... all of it' 0 'echo a cho a' --dry-run e{} {} ::: 'cho a'
gives '... but with -q' 0 "'a b'" --dry-run -q {} ::: 'a b'
gives '... or behind a blank' 0 "A=1 'a b'" --dry-run A=1 {} ::: 'a b'
PARALLEL="-k --tagstring 'a b'" gives '$PARALLEL is read' 0 "$(printf 'a b\t1\na b\t2')" echo ::: 1 2
(
    export PARALLEL=-k
    map --dir kept-env -j1 'echo {}; exit {}' ::: 1 2 >out 2>err
    PARALLEL=--nosuchoption "$dolly" resume --retry-failed kept-env >again 2>err
)
[ "$(xargs <again)" = '1 2' ]
report $? '... once: a run that is resumed has the words it was begun with' "$(cat err)"
gives '--tag -N0 has empty tags' 0 "$(printf '\tx\n\tx')" -k --tag -N0 echo x ::: a b
gives '--tagstring knows \t' 0 "$(printf 'a\tb\t1')" --tagstring 'a\tb' echo ::: 1
seq 10 >ten
seq 1000 >thousand
gives '--pipepart makes ten blocks for each slot' 0 "$(seq 20)" -k -j2 --pipepart -a thousand 'cat >/dev/null; echo {#}'
gives 'not with a size' 0 1 -k -j2 --pipepart --block 1M -a thousand 'cat >/dev/null; echo {#}'
gives '--pipepart --block -1' 0 "$(lines 6 4)" -k -j2 --pipepart --block -1 -a ten wc -l
refuses '--block -1 without --pipepart' 'it needs --pipepart' --pipe --block -1 cat
echo 3 >jobs
gives '-j FILE' 0 "$(lines 1 2 3)" -k -j jobs 'echo {}; :' ::: 1 2 3
echo many >jobs
refuses '-j FILE without a number' 'expected a number' -j jobs echo ::: 1
gives '--wd makes the folder' 0 "$tmp/made/here" --wd made/here pwd ::: 1
gives '--wd with replacement strings is a folder for each task' 0 "$(lines "$tmp/each/1" "$tmp" "$tmp/each/2 3" "$tmp")" -k --wd 'each/{}' 'pwd; echo $OLDPWD; :' ::: 1 '2 3'
HOME=$tmp/home gives '--wd ... is one in ~/.parallel' 0 "$tmp/home/.parallel/tmp/$(uname -n)-N-1" --wd ... 'pwd | sed s/-[0-9]*-/-N-/; :' ::: a
gives 'nothing runs where its folder cannot be made' 1 '' --wd '/dev/null/{}' 'echo ran; :' ::: a
map --joblog log-wd --wd 'each/{}' 'exit {}' ::: 0 1 >out 2>err
refuses '--retry-failed does not know the folders of --wd' 'use --resume-failed with the arguments' --retry-failed --joblog log-wd --wd 'each/{}'
[ "$(ls each | xargs)" = '0 1 2 3' ]
report $? 'and makes none' "$(ls each)"
gives '--resume-failed does' 0 "$tmp/each/1" --resume-failed --joblog log-wd --wd 'each/{}' 'pwd; : {}' ::: 0 1
gives '-S : is this machine' 0 a -S : echo ::: a
gives '-S N/: has N cores' 0 "$(lines 'a b' 'c d' 'e f')" -k -S 3/: -X echo ::: a b c d e f
refuses '-S with other machines' '-S and --sshlogin of GNU parallel is not supported' -S :,host echo ::: a
seq 60000 | map -j1 -X --dry-run echo >out
[ "$(awk '{print length}' out | head -n 1)" = 63658 ] && [ "$(tr ' ' '\n' <out | grep -vc echo)" = 60000 ]
report $? '-X fills commands as far as GNU parallel does' "$(awk '{print length}' out | head -n 2)"
map --files 'echo o; echo e >&2; exit {}' ::: 0 1 >out 2>err
[ "$(cat err)" = e ] && [ "$(wc -l <out)" = 2 ]
report $? '--files prints stderr of failed tasks only' "$(cat err)"
map -j1 --halt now,fail=1 'echo out; exit 1' ::: 1 2 >both 2>&1
[ "$(head -n 1 both)" = out ] && grep -q 'This job failed' both
report $? 'what --halt says comes behind the output' "$(cat both)"

# ---- once more ----
map --dir run -k 'echo {}; [ {} = 1 ] || [ -e mended ]' ::: 1 2 3 >out 2>err
"$dolly" resume run --retry-failed >again 2>err
[ $? -eq 1 ] && [ "$(xargs <again)" = '2 3' ]
report $? 'resume --retry-failed runs what failed, and tells that it fails' "$(cat again err)"
touch mended
"$dolly" resume --retry-failed run >again 2>err && [ "$(xargs <again)" = '2 3' ] &&
    "$dolly" resume --retry-failed run >again 2>err && [ ! -s again ]
report $? 'until it is done' "$(cat again err)"
# What is suggested can be pasted, whatever the folder is called.
odd="it's -a run; \$x"
"$dolly" map --summary --dir "$odd" 'echo {} >&2; exit 3' ::: 7 >out 2>err
why=$(sed -n 's/.*Why: dolly \(.*\); to run them again: dolly .*/\1/p' err) again=$(sed -n 's/.*; to run them again: dolly //p' err)
[ -n "$why" ] && eval "'$dolly' $why" >said 2>&1 && grep -q 'exit status 3' said && eval "'$dolly' $again" >said2 2>&1
[ $? -eq 1 ] && grep -qx 7 said2
report $? 'suggested commands are quoted for a shell' "$(cat err said said2)"
! "$dolly" resume --retry-failed no-such-run >out 2>err && grep -q no-such-run err
report $? 'and refuses where there is no run' "$(cat err)"

closing
