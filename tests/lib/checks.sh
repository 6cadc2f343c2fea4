# checks - counts and prints the checks of an end-to-end test. Sourced, after $tmp was made:
#
#     . tests/lib/checks.sh
#     ok NAME COMMAND...            the command must succeed, or what it printed is shown
#     report STATUS NAME [DETAIL]   the same of a status that is known; returns it
#     skip NAME WHY                 cannot be tried on this machine
#     closing                       the last command: the closing line and the exit status
#
# When the script ends, the file system at $mounted, if any, is unmounted, and $tmp is removed.
# shellcheck shell=bash
passed=0 failed=0 skipped=0

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

ok() {
    local name=$1
    shift
    if "$@" >"$tmp/check" 2>&1; then
        report 0 "$name"
    else
        report 1 "$name" "$(head -n 1 "$tmp/check")"
        tail -n +2 "$tmp/check" | head -n 30 | sed 's/^/    /'
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "skip $1: $2"
}

closing() {
    local line="$passed passed, $failed failed"
    [ "$skipped" -eq 0 ] || line+=", $skipped skipped"
    echo "$line"
    [ "$failed" -eq 0 ]
}
