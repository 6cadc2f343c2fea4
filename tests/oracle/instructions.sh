#!/bin/bash
# lane: computing; builds: gcc; needs: valgrind strace; limit: 300 s
# instructions.sh - a simulated task costs the instructions, and a real one the system calls, that
# docs/measured/instructions.md says, to 3 per cent: a change that makes dolly slower is seen at once.
#
#     bash tests/oracle/instructions.sh build/dolly
#
# A change that is worth its price, or one that made dolly faster, rewrites the page: `make instructions`. The page is
# about the program that `make` builds (not with FAST=) by the compiler that it names; others differ by more than 3 per
# cent. Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/oracle/instructions.sh DOLLY}")
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

page=docs/measured/instructions.md
compiler=$(sed -n 's/^Compiled by \(.*\)\.$/\1/p' "$page")
if [ "$compiler" != "gcc $(gcc -dumpfullversion)" ]; then
    skip 'instructions per task' "the page is about $compiler"
    closing
fi

# Prints "world policy number" for each number of the tables.
cells() { # file
    awk -F ' *[|] *' '/^[|] instructions/ { for (i = 3; i < NF; i++) policy[i] = $i; next }
        /^[|] system/ { print "map calls", $3 }
        /^[|] [a-z]/ && !/^[|] system/ { for (i = 3; i < NF; i++) print $2, policy[i], $i }' "$1"
}
bench/instructions "$dolly" >"$tmp/now" 2>"$tmp/errors"
cells "$tmp/now" >"$tmp/cells"
sed '1,/^<!-- tables -->$/d' "$page" >"$tmp/kept"
cells "$tmp/kept" >"$tmp/wanted"
while read -r world policy wanted; do
    now=$(awk -v w="$world" -v p="$policy" '$1 == w && $2 == p { print $3 }' "$tmp/cells")
    awk -v now="${now:-0}" -v wanted="$wanted" 'BEGIN { r = now / wanted; exit !(r > 0.97 && r < 1.03) }'
    report $? "$world, $policy: $wanted per task" "now ${now:-nothing: $(head -n 1 "$tmp/errors")}; see make instructions"
done <"$tmp/wanted"
closing
