# checks - counts and prints the checks of an end-to-end test. Sourced, after $tmp was made:
#
#     . tests/lib/checks.sh
#     ok NAME COMMAND...            the command must succeed, or what it printed is shown
#     report STATUS NAME [DETAIL]   the same of a status that is known; returns it
#     tried NAME COMMAND            for what compares real times: status 0 is right, 1 wrong, 2 that something else held
#                                   it up, which is no evidence. Tried again; it may be wrong once
#     await SECONDS WHAT COMMAND... waits until the command succeeds: tests/lib/await.sh
#     skip NAME WHY                 cannot be tried on this machine
#     terminals                     script(1) can make one, or the reason for which not is printed
#     same HAVE WANT                equal, and not empty
#     speaks COMMAND...             the command succeeds and prints something; what it printed is printed
#     closing                       the last command: the closing line and the exit status. Fewer checks than
#                                   tests/lib/counts says, and none skipped, are a failure: a loop ran over nothing
#
# Nothing proves nothing: two empty words or files are not equal here, and `jq -e` of an empty file is not true (jq 1.6
# says that it is). tests/fakes holds every script to that.
#
# When the script ends, the file system at $mounted, if any, is unmounted, and $tmp is removed.
# shellcheck shell=bash
passed=0 failed=0 skipped=0
. "$(dirname "${BASH_SOURCE[0]}")/await.sh"

# What the disk of this machine has to do is nobody's business here: clones would go because of it. Nor does a test see
# the times of commands that its user ran, or add to them.
export DOLLY_PRESSURE=/nonexistent XDG_STATE_HOME=$tmp/state

mounted=
leave() {
    [ -z "$mounted" ] || umount "$mounted"
    rm -rf "$tmp"
}
# A child that is killed before it has become its command runs this trap, too, and gets no true status of a command.
trap 'case $BASHPID in $$) leave ;; esac' EXIT

report() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok $2"
    else
        failed=$((failed + 1))
        echo "not ok $2${3:+: $3}"
    fi
    return "$1"
}

is_blank() { [[ -z ${1//[[:space:]]/} ]]; }

ok() {
    local name=$1
    shift
    if [[ $1 == '[' || $1 == test ]] && [[ ${3-} == = ]] && is_blank "$2" && is_blank "$4"; then
        report 1 "$name" 'two empty words are compared'
    elif "$@" >"$tmp/check" 2>&1; then
        report 0 "$name"
    else
        report 1 "$name" "$(head -n 1 "$tmp/check")"
        tail -n +2 "$tmp/check" | head -n 30 | sed 's/^/    /'
    fi
}

same() {
    [ "$1" = "$2" ] && ! is_blank "$1" || { echo "'$1', want '$2'"; return 1; }
}

speaks() {
    local said status
    said=$("$@")
    status=$?
    [ -n "$said" ] || { echo "nothing was printed"; return 1; }
    printf '%s\n' "$said"
    return $status
}

# gojq, where it is installed, answers in a tenth of the time that jq takes to start; but it sorts the keys of objects:
# a script that compares their order sets reads_json=jq.
reads_json=$(command -v gojq || echo jq)
export reads_json
jq() {
    local word asked= with=$reads_json answer status
    for word; do
        [[ ! $word =~ ^(-[a-zA-Z]{0,3}e[a-zA-Z]{0,3}|--exit-status)$ ]] || asked=1
        [[ $word != -S && $word != *keys_unsorted* ]] || with=jq # what gojq does not know
    done
    if [ -z "$asked" ]; then
        command "$with" "$@"
        return
    fi
    answer=$(command "$with" "$@")
    status=$?
    [ -n "$answer" ] || { echo "jq: no answer" >&2; return 4; }
    printf '%s\n' "$answer"
    return $status
}

compared() { # program arguments: its verdict, unless all files among the arguments are empty
    local file seen=
    command "$@" || return
    for file in "${@:2}"; do
        [ ! -f "$file" ] || seen=1
        [ ! -f "$file" ] || [ ! -s "$file" ] || return 0
    done
    [ -z "$seen" ] || { echo "$*: the files are empty"; return 1; }
}
cmp() { compared cmp "$@"; }
diff() { compared diff "$@"; }
export -f is_blank same speaks jq compared cmp diff # for the shells that checks start

tried() {
    local tries wrong=0 status
    for tries in {1..6}; do
        "$2" >"$tmp/check" 2>&1
        status=$?
        [ $status -ne 0 ] || { report 0 "$1" && echo "    in $tries tries"; return; }
        [ $status -eq 2 ] || wrong=$((wrong + 1))
        [ $wrong -lt 2 ] || { report 1 "$1" "wrong in 2 of $tries tries: $(cat "$tmp/check")"; return; }
    done
    skip "$1" "the machine was too busy in $((6 - wrong)) of 6 tries"
}

skip() {
    skipped=$((skipped + 1))
    echo "skip $1: $2"
}

terminals() {
    script -qec true /dev/null </dev/null >"$tmp/check" 2>&1 || { echo "no terminals: $(head -n 1 "$tmp/check")"; return 1; }
}

counts=$(realpath "$(dirname "${BASH_SOURCE[0]}")/counts")
closing() {
    local name want line
    name=$(basename "$0" .sh)
    want=$(awk -v name="$name" '$1 == name { print $2 }' "$counts")
    if [ "$skipped" -eq 0 ] && [ $((passed + failed)) -lt "${want:-0}" ]; then
        report 1 "all checks were made" "$((passed + failed)) of $want"
    fi
    line="$passed passed, $failed failed"
    [ "$skipped" -eq 0 ] || line+=", $skipped skipped"
    echo "$line"
    [ "$failed" -eq 0 ]
}
