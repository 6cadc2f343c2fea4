# map - what the end-to-end tests of `dolly map` share. Sourced from the root of the repository, with
# $dolly, after $tmp was made; goes to $tmp.
#
#     map ARGS...                         `dolly map ARGS`
#     gives NAME STATUS OUTPUT ARGS...    stdout and exit status of `dolly map ARGS`, stdin from $input
#     refuses NAME TEXT ARGS...           status 255 and the text on stderr, nothing run
#     lines WORD...                       each on a line of its own
#     from TEXT                           $input becomes a file with the text (\n is a newline)
#
# shellcheck shell=bash
export TMPDIR=$tmp/tmp
mkdir "$TMPDIR"
cd "$tmp" || exit 2

map() { "$dolly" map "$@"; }

input=/dev/null
gives() {
    local name=$1 status=$2 want=$3 have got
    shift 3
    have=$(map "$@" 2>err <"$input")
    got=$?
    [ "$have" = "$want" ] && [ "$got" -eq "$status" ]
    report $? "$name" "status $got, output: ${have//$'\n'/ | } $(head -c 200 err)"
}
refuses() {
    local name=$1 text=$2 got
    shift 2
    map "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq 255 ] && grep -qF -- "$text" err && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ]
    report $? "$name" "status $got: $(head -c 200 err)"
}
lines() { printf '%s\n' "$@"; }
from() { printf '%b' "$1" >input; input=$tmp/input; }
