# await - waits for a sign, never for a time. Sourced by tests/lib/checks.sh:
#
#     await SECONDS WHAT COMMAND...   waits until the command succeeds. If it does not within the time, that is a failed
#                                     check of the name WHAT. Commands of a run may call it as well
#     filled FILE...                  each of the files holds something
#
# Between two looks no process is started: it reads what nobody ever writes, for a moment. The longer it has waited the
# longer is that moment, since looks may be costly and others want to compute.
#
# shellcheck shell=bash
exec {never}<> <(:) # now: later it would change $!
export never
await() {
    local what=$2 seconds=$1 end=$((SECONDS + $1)) pause_ms=30 pause
    shift 2
    until "$@"; do
        [ $SECONDS -lt $end ] || { failed=$((${failed:-0} + 1)); echo "not ok $what: not within $seconds s"; return 1; }
        printf -v pause 0.%03d $pause_ms
        read -rt $pause -u "$never" 2>/dev/null || [ $? -gt 128 ] || sleep $pause # closed in commands of a run
        pause_ms=$((pause_ms < 250 ? pause_ms + 3 : 250))
    done
}

filled() {
    local file
    for file; do [ -s "$file" ] || return 1; done
}
export -f await filled
