#!/bin/bash
# lane: computing; builds: gcc; needs: -; limit: 300 s
# The commands of README and docs/start work as they stand: tests/e2e/commands/readme.sh build/dolly
#
# Every block of shell commands (```sh) is run in its order, in one shell and a copy of the tree, as a user would paste
# it. A block behind a line `<!-- not run: REASON -->` is counted as skipped. Blocks without `sh` are output. Closes with
# `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/readme.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

mkdir "$tmp/tree" "$tmp/tree/build" "$tmp/tmp"
cp -r README.md docs examples experiments include "$tmp/tree"
ln -s "$dolly" "$tmp/tree/build/dolly"

# The first two say where the files of examples go ($run); the others follow them.
pages="README.md docs/start/quickstart.md $(ls docs/start/coming-from-*.md)"

# One file per block: its commands, with its number in the name; those that are not run have the reason.
awk -v to="$tmp/block" '
    /^<!-- not run: / { why = $0; sub(/^<!-- not run: /, "", why); sub(/ -->$/, "", why); next }
    /^```sh$/ { file = sprintf("%s.%04d", to, ++blocks); if (why) print why >(file ".skip"); inside = 1; next }
    /^```/ { inside = 0; why = "" }
    inside { print >file }' $pages
ok 'every command is in a block that is run' bash -c '! grep -nE "^(\$ |build/dolly)" "$@"' _ $pages

# Each command of dolly is a check: it succeeds, and prints something, or fills the file that its output goes to. `\` at
# the end of a line joins it with the next.
joined() { sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$1"; }
{
    echo 'cd "$1/tree" || exit 2'
    for block in "$tmp"/block.????; do
        [ ! -e "$block.skip" ] || continue
        joined "$block" | while IFS= read -r line; do
            to=$(sed -nE 's/.*(>|--nextflow )([^ ]*).*/\2/p' <<<"${line%% #*}")
            printf '{ %s\n} >"$1/printed" 2>&1\nprintf "%%s\\t%%s\\n" "$?" %q >&7\n' "$line" "$line"
            printf '[ -s "%s" ] || echo "nothing was printed by the line above" >&7\n' "${to:-\$1/printed}"
        done
    done
} >"$tmp/script"
env TMPDIR="$tmp/tmp" XDG_STATE_HOME="$tmp/state" bash "$tmp/script" "$tmp" 7>"$tmp/told" >"$tmp/err" 2>&1 </dev/null
while IFS=$'\t' read -r status line; do
    [[ $line == dolly\ * ]] || continue
    name=$(sed -E "s/ +(#.*)?$//" <<<"$line")
    [ "$status" = 0 ] && ! grep -A1 -F -- "$line" "$tmp/told" | grep -q '^nothing was printed'
    report $? "$name" "status $status, or it printed nothing"
done <"$tmp/told"
for block in "$tmp"/block.*.skip; do
    skip "block $(grep -oE '[0-9]{4}' <<<"${block##*/}")" "$(cat "$block")"
done
closing
