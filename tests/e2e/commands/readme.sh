#!/bin/bash
# lane: computing; builds: gcc; needs: -; limit: 300 s
# The commands of README and docs/start work as they stand: tests/e2e/commands/readme.sh build/dolly
#
# Every block of shell commands (```sh) is run in its order, in one shell and a copy of the tree, as a user would paste
# it. A block behind a line `<!-- not run: REASON -->` is counted as skipped. A block without `sh` is what the one above it
# prints, compared loosely: each of its lines is printed, with any number in place of a number, any blanks in place of
# blanks, and anything in place of `...`. `<!-- prints: LINE -->` above a block is such a line that readers do not see.
# Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/readme.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

mkdir "$tmp/tree" "$tmp/tree/build" "$tmp/tmp"
cp -r README.md docs examples experiments include "$tmp/tree"
ln -s "$dolly" "$tmp/tree/build/dolly"

# The first two say where the files of examples go ($run); the others follow them.
pages="README.md docs/start/quickstart.md $(ls docs/start/*.md | grep -v quickstart)"

# One file per block: its commands, with its number in the name; .skip has the reason why it is not run, .shown what it
# prints.
awk -v to="$tmp/block" '
    function name(number) { return sprintf("%s.%04d", to, number) }
    /^<!-- not run: / { why = $0; sub(/^<!-- not run: /, "", why); sub(/ -->$/, "", why); next }
    /^<!-- prints: / { sub(/^<!-- prints: /, ""); sub(/ -->$/, ""); print >(name(blocks + 1) ".shown"); next }
    /^```sh$/ { file = name(++blocks); if (why) print why >(file ".skip"); inside = 1; next }
    /^```$/ && !inside { file = name(blocks) ".shown"; inside = 1; next }
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
            printf 'cat "$1/printed" >>"%s.printed"\n' "$block"
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
# Lines of $1.shown as expressions that match what may be printed in their place.
expressions() {
    sed -E -e '/^(\.\.\.)?$/d' -e 's/[][\\.*^$+?(){}|]/\\&/g' -e 's/[0-9]+(\\\.[0-9]+)?/[0-9.]+/g' -e 's/ +/ +/g' \
        -e 's/(\\\.){3}/.*/g' -e 's/.*/^ *&$/' "$1.shown"
}
for block in "$tmp"/block.*.shown; do
    block=${block%.shown}
    missing=$(expressions "$block" | while IFS= read -r line; do
        grep -qE -- "$line" "$block.printed" || echo "$line"
    done 2>&1)
    [ -s "$block.printed" ] && [ -z "$missing" ]
    report $? "block ${block##*.} ($(head -n 1 "$block")) prints what is shown" "not printed: $missing"
done
for block in "$tmp"/block.*.skip; do
    skip "block $(grep -oE '[0-9]{4}' <<<"${block##*/}")" "$(cat "$block")"
done
closing
