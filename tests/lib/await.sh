# await - waits for a sign, never for a time. Sourced by tests/lib/checks.sh:
#
#     await SECONDS WHAT COMMAND...   waits until the command succeeds. If it does not within the time, that is a failed
#                                     check of the name WHAT. Commands of a run may call it as well
#     filled FILE...                  each of the files holds something
#
# shellcheck shell=bash
# Between two looks no process is started: it reads what nobody ever writes, for a moment.
await() {
    local what=$2 seconds=$1 end=$((SECONDS + $1)) never
    shift 2
    exec {never}<> <(:)
    until "$@"; do
        if [ $SECONDS -ge $end ]; then
            failed=$((${failed:-0} + 1))
            echo "not ok $what: not within $seconds s"
            exec {never}<&-
            return 1
        fi
        read -rt 0.03 -u "$never" || :
    done
    exec {never}<&-
}

filled() {
    local file
    for file; do [ -s "$file" ] || return 1; done
}
export -f await filled
