#!/usr/bin/env bash
# End-to-end tests of what users of GNU parallel type: tests/map_compat.sh build/dolly. What it
# prints for the same words is written out; `make parallel-suite` asks the program itself.
set -u

dolly=$(realpath "${1:?usage: tests/map_compat.sh DOLLY}")
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
trap 'rm -rf "$tmp"' EXIT
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

closing
