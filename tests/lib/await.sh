# await - waits for a sign, never for a time. Sourced by tests/lib/checks.sh:
#
#     await SECONDS WHAT COMMAND...   waits until the command succeeds. If it does not within the time, that is a failed
#                                     check of the name WHAT. Commands of a run may call it as well
#     filled FILE...                  each of the files holds something
#
# shellcheck shell=bash
await() {
    local seconds=$1 what=$2 end=$((SECONDS + $1))
    shift 2
    until "$@"; do
        [ $SECONDS -lt $end ] || { failed=$((${failed:-0} + 1)); echo "not ok $what: not within $seconds s"; return 1; }
        sleep 0.03
    done
}

filled() {
    local file
    for file; do [ -s "$file" ] || return 1; done
}
export -f await filled
