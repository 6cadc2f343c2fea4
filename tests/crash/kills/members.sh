# members - the processes of a lane, wherever in the process tree they went: all that we start for a run or a cluster has
# KILLS_LANE=DIR in its environment, and nothing else has. Sourced by tests/crash/kills/lane.
# shellcheck shell=bash

# Becomes a command so marked, which is asked to end when we do.
marked() { exec setpriv --pdeathsig TERM env KILLS_LANE="$dir" "$@"; }
members() { grep -lzxF -s -e "KILLS_LANE=$dir" /proc/[0-9]*/environ | cut -d / -f 3; }

# Sorts them by what they are: role[KIND] is a list of process ids. Without forks, but for one.
declare -A role=()
members_sort() {
    local pid line words rest kind parent
    local -A sessions=()
    role=()
    {
        for pid in $(members); do
            mapfile -d '' -t words <"/proc/$pid/cmdline" && read -r line <"/proc/$pid/stat" || continue
            rest=(${line##*) })
            parent=${rest[1]:-0}
            [ "${rest[0]:-Z}" != Z ] && [ ${#words[@]} -gt 0 ] || continue
            case "${words[0]} ${words[1]:-} ${words[2]:-}" in
            "$dolly agent "*)
                sessions[$pid]=$parent
                continue
                ;;
            "$dolly map "* | "$dolly resume "*)
                read -r line <"/proc/$parent/comm" && [ "$line" = timeout ] && kind=coordinator || kind=helper
                ;;
            "$dolly keeper "*) kind=helper ;;
            *slurmctld\ *) kind=slurmctld ;;
            *slurmd\ *) kind=slurmd ;;
            slurmstepd:*) kind=slurmstepd ;;
            srun\ * | */srun\ *) kind=starter ;;
            */sh\ ./task\ * | seq\ -f\ *) kind=task ;;
            */sh\ */slurm_script\ *) kind=script ;;
            *) kind=other ;;
            esac
            role[$kind]+=" $pid"
        done
    } 2>/dev/null
    for pid in "${!sessions[@]}"; do
        [ -n "${sessions[${sessions[$pid]}]:-}" ] && kind=agent || kind=supervisor
        role[$kind]+=" $pid"
    done
}

# A random one of these kinds in $victim; fails if there is none.
members_pick() { # kind...
    local kind list=()
    for kind in "$@"; do
        # shellcheck disable=SC2206
        list+=(${role[$kind]:-})
    done
    [ ${#list[@]} -gt 0 ] && victim=${list[RANDOM % ${#list[@]}]}
}

# Those that belong to a run, not to the cluster.
members_of_runs() {
    members_sort
    echo ${role[agent]:-} ${role[supervisor]:-} ${role[coordinator]:-} ${role[helper]:-} ${role[starter]:-} ${role[script]:-} ${role[task]:-}
}
none_left() {
    local end=$((SECONDS + 90))
    until [ -z "$(members_of_runs)" ]; do
        [ $SECONDS -lt $end ] || return 1
        pause_ms 100
        way_repair
    done
}
members_show() { members_of_runs | xargs -r -n 1 ps -o pid=,ppid=,stat=,args= -p | cut -c 1-150 | tr '\n' ';'; }
members_end() { members_of_runs | xargs -r kill -9 2>/dev/null; }

ended() { # pid: it is a zombie, or nothing
    local line
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
    line=${line##*) }
    [ "${line:0:1}" = Z ]
}

# Sleeps without a process.
exec {never}<> <(:)
pause_ms() {
    local s
    printf -v s '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
    read -r -t "$s" -u "$never"
    true
}
