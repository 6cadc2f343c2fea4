#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: -; limit: 300 s
# Completions, pages of commands and the man page are what the help says: tests/e2e/commands/completions.sh build/dolly
set -u

dolly=$(realpath "${1:?usage: tests/e2e/commands/completions.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

for file in bash:dolly.bash zsh:_dolly fish:dolly.fish; do
    tools/completions "$dolly" "${file%%:*}" >"$tmp/made" 2>"$tmp/err" && cmp -s "$tmp/made" "completions/${file#*:}"
    report $? "completions/${file#*:} is what the help says (else: make completions)" \
        "$(cat "$tmp/err"; diff "$tmp/made" "completions/${file#*:}" | head -n 3)"
done
tools/pages "$dolly" "$tmp/pages" >"$tmp/diff" 2>"$tmp/err" && diff -r "$tmp/pages/commands" docs/reference/commands >"$tmp/diff"
report $? "docs/reference/commands is what the help says (else: make pages)" "$(cat "$tmp/err" "$tmp/diff" | head -n 3)"
diff "$tmp/pages/dolly.1" docs/reference/dolly.1 >"$tmp/diff" 2>&1
report $? "docs/reference/dolly.1 is what the help says (else: make pages)" "$(head -n 3 "$tmp/diff")"
for option in $("$dolly" map --help=all | sed -n 's/^  \(-.*\)/\1/p' | grep -oE '(^|, )--?[a-zA-Z0-9-]+' | tr -d ', '); do
    missing=
    grep -qE -- "[' ]$option[' ]" completions/dolly.bash && grep -qF -- "'$option:" completions/_dolly || missing=$option
    case $option in
    --*) grep -qE -- "from map'.* -l ${option#--}( |$)" completions/dolly.fish || missing=$option ;;
    *) grep -qE -- "from map'.* -s ${option#-}( |$)" completions/dolly.fish || missing=$option ;;
    esac
    [ -z "$missing" ] || break
done
[ -z "$missing" ]
report $? 'every option of dolly map is in each of them' "$missing"

# What bash makes of it.
completes() {
    local name=$1 want=$2
    shift 2
    have=$(bash -c '. completions/dolly.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dolly; echo "${COMPREPLY[*]}"' _ "$@")
    [ "$have" = "$want" ]
    report $? "$name" "$have"
}
completes 'bash: a command' 'map' dolly ma
completes 'bash: an option' '--joblog' dolly map --jobl
completes 'bash: of another command' '--workload' dolly sim --workl
completes 'bash: no option, so a file' '' dolly map gz
closing
