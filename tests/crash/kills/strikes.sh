# strikes - what is done to a run, and undone after a while. Sourced by tests/crash/kills/lane.
#
#     agent supervisor slurmstepd slurmd slurmctld coordinator starter helper task     one of those is killed (SIGKILL)
#     pause, stop          a process of any of these kinds is stopped for up to a second, or for 4 to 14, and goes on
#     cut1 cut5 cut20      the link of a machine is down for so many seconds
#     full                 the scratch of one node is full for up to three seconds
#     cancel               the allocation or the block is cancelled
#
# A starter is what starts agents on nodes (srun), a helper any other process of the coordinator.
# shellcheck shell=bash

# What will be undone in the background, by process ids.
undoing=()
later() { # milliseconds command...
    { pause_ms "$1"; "${@:2}"; } >/dev/null 2>&1 &
    undoing+=($!)
}
strikes_over() {
    [ ${#undoing[@]} -eq 0 ] || wait "${undoing[@]}" 2>/dev/null
    undoing=()
}

stops_for() { # milliseconds
    members_pick agent supervisor coordinator helper starter slurmstepd slurmd slurmctld task &&
        kill -STOP "$victim" 2>/dev/null && later "$1" kill -CONT "$victim"
}

# Fills the scratch of the node that an agent is on, which is a small file system of its own.
fills() {
    members_pick agent supervisor || return 1
    local at=/proc/$victim/root$dir/scratch
    [ "$(stat -c %d "$at" 2>/dev/null)" != "$(stat -c %d "$dir")" ] || return 1
    exec {room}<"$at" || return 1 # also if the agent dies
    head -c 16M /dev/zero >"/proc/$BASHPID/fd/$room/filling" 2>/dev/null
    later $((RANDOM % 3000)) empties
    exec {room}<&-
}
empties() { rm -f "/proc/$BASHPID/fd/$room/filling"; }

# One strike of a random kind, if there is whom to strike.
strike() {
    # shellcheck disable=SC2206
    local kinds=($way_kinds) kind
    kind=${kinds[RANDOM % ${#kinds[@]}]}
    members_sort
    case $kind in
    pause) stops_for $((RANDOM % 1000)) || return 1 ;;
    stop) stops_for $((RANDOM % 10000 + 4000)) || return 1 ;;
    full) fills || return 1 ;;
    cut*) way_cut "${kind#cut}" || return 1 ;;
    cancel) way_cancel || return 1 ;;
    *) members_pick "$kind" && kill -9 "$victim" 2>/dev/null || return 1 ;;
    esac
    echo "$kind" >>strikes
}
