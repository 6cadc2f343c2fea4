# checks - counts and prints the checks of an end-to-end test. Sourced, after $tmp was made:
#
#     . tests/lib/checks.sh
#     ok NAME COMMAND...      the command must succeed; what it printed is shown when it does not
#     skip NAME WHY           cannot be tried on this machine
#     closing                 the last command of a test: the closing line and the exit status
#
# shellcheck shell=bash
passed=0 failed=0 skipped=0

ok() {
    local name=$1
    shift
    if "$@" >"$tmp/check" 2>&1; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "not ok $name: $(head -n 1 "$tmp/check")"
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
