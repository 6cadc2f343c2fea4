# slurm - a Slurm cluster of three nodes (tests/lib/slurm-cluster), which outlives the runs. Half of the runs are in an
# allocation, the others ask for blocks of nodes. Sourced by tests/crash/kills/lane.
# shellcheck shell=bash
way_kinds='agent agent agent supervisor supervisor supervisor slurmstepd slurmstepd slurmstepd slurmd slurmd slurmd'
way_kinds+=' slurmctld slurmctld coordinator coordinator starter starter helper task task'
way_kinds+=' pause pause pause pause stop stop cancel'
[ "$(id -u)" -ne 0 ] || way_kinds+=' full full'
nodes=3
job=

way_up() {
    local own= tries
    [ "$(id -u)" -ne 0 ] || own=$dir/scratch
    for tries in 1 2 3; do # two clusters may have taken the same ports
        rm -rf "$dir/c"
        cluster_starts && return 0
        way_down
    done
    return 1
}
cluster_starts() {
    coproc keeper { exec setpriv --pdeathsig TERM env KILLS_LANE="$dir" "$here/../../lib/slurm-cluster" "$dir/c" $nodes $own 2>"$dir/cluster.err"; }
    keeper_out=${keeper[0]} keeper_in=${keeper[1]} keeper_pid=$keeper_PID
    export SLURM_CONF=$dir/c/slurm.conf DOLLY_MUNGE_SOCKET=$dir/c/munge.socket
    read -r -t 60 answer <&"$keeper_out" && [ "$answer" = ready ]
}
way_down() {
    exec {keeper_in}>&-
    wait "$keeper_pid"
}

# Daemons that are dead come back, after a while.
declare -A dead_since=()
woken=0
way_repair() {
    local name pid
    if [ $((SECONDS - woken)) -ge 20 ]; then
        woken=$SECONDS
        later 0 wakes
    fi
    for name in slurmctld n1 n2 n3; do
        echo "pid $name" >&"$keeper_in" && read -r -t 60 pid <&"$keeper_out" || return 1
        if ! ended "$pid"; then
            unset "dead_since[$name]"
        elif [ -z "${dead_since[$name]:-}" ]; then
            dead_since[$name]=$((SECONDS + RANDOM % 3))
        elif [ $SECONDS -ge "${dead_since[$name]}" ]; then
            echo "start $name" >&"$keeper_in" && read -r -t 60 pid <&"$keeper_out"
        fi
    done
}
# Waits for a condition, with the daemons up.
becomes() { # seconds command...
    local end=$((SECONDS + $1))
    until "${@:2}"; do
        [ $SECONDS -lt $end ] || return 1
        pause_ms 100
        way_repair
    done
}

way_begins() {
    job=
    if [ $((RANDOM % 2)) = 0 ]; then
        inside=1 on=(--on slurm:$nodes)
    else
        inside= on=(--on slurm:2-$nodes --grow 2s --idle 5s --slurm '--exclusive --mem=0 --time 30')
    fi
}
answers() { timeout 20 scontrol ping >ping 2>&1; }
# What an administrator does: nodes whose step could not be ended in time are drained and stay so, and a controller that
# was killed twice within seconds may wait for nodes that wait for it.
wakes() {
    local node nodes
    nodes=$(timeout 20 sinfo -h -N -o '%N %T' 2>/dev/null | grep -vE ' (idle|allocated|mixed|completing)$' | sed 's/ .*//')
    for node in $nodes; do
        timeout 20 scontrol update "nodename=$node" state=resume 2>/dev/null
    done
    [ -z "$nodes" ] || timeout 20 scontrol reconfigure 2>/dev/null
}
# Jobs of runs that are over: a controller that was killed just after they were cancelled has forgotten that.
forgotten() {
    timeout 20 squeue -h --me -o '%i %j' 2>/dev/null |
        awk -v run="$(cat "$dir/run/slurm-name" 2>/dev/null)" -v job="$job" '$2 != run && $1 != job { print $1 }'
}
allocates() {
    timeout 20 scancel --me 2>/dev/null
    wakes
    timeout 20 salloc --no-shell --immediate=5 --nodes=$nodes --exclusive --mem=0 >salloc 2>&1
    job=$(sed -n 's/.*Granted job allocation \([0-9]*\)$/\1/p' salloc)
    [ -n "$job" ]
}
way_ready() {
    becomes 60 answers || return 1
    wakes
    forgotten | timeout 20 xargs -r scancel 2>/dev/null
    [ -n "$inside" ] || return 0
    [ -n "$job" ] && timeout 20 squeue -h -j "$job" -o %T 2>/dev/null | grep -qx RUNNING && return 0
    becomes 180 allocates || { echo "no allocation: $(tail -n 1 salloc; sinfo -h -N -o "%n %T %E" | xargs)"; return 1; }
}
way_life() {
    if [ -n "$inside" ]; then
        marked SLURM_JOB_ID="$job" SLURM_JOB_NUM_NODES=$nodes "$@"
    else
        marked "$@"
    fi
}
cancelled() {
    timeout 20 scancel --me 2>/dev/null
    timeout 20 squeue -h --me -t PD,R -o %i >queue 2>/dev/null && [ ! -s queue ]
}
# A run that is over has given its blocks back itself, unless the controller was away for too long.
way_after() {
    [ -z "$inside" ] || becomes 60 cancelled
    none_left
    becomes 60 cancelled
}
way_keep() { cp -a "$dir"/c/*.log "$1" 2>/dev/null; }

way_cancel() {
    local jobs
    mapfile -t jobs < <(timeout 5 squeue -h --me -t R -o %i 2>/dev/null)
    [ ${#jobs[@]} -gt 0 ] && timeout 5 scancel "${jobs[RANDOM % ${#jobs[@]}]}" 2>/dev/null
}
