# net - four machines that are network namespaces, and a fifth with the coordinator (tests/lib/net-cluster), each with
# a small file system of its own as its scratch. Sourced by tests/crash/kills/lane. Needs root.
# shellcheck shell=bash
way_kinds='agent agent supervisor supervisor coordinator task task pause pause stop full full'
way_kinds+=' cut1 cut1 cut1 cut1 cut5 cut5 cut20 cut20'
net=kills-$$

way_up() {
    coproc keeper { exec env KILLS_LANE="$dir" "$here/../../lib/net-cluster" "$net" 2>"$dir/cluster.err"; }
    keeper_in=${keeper[1]} keeper_pid=$keeper_PID
    read -r -t 60 answer <&"${keeper[0]}" && [ "$answer" = ready ] || return 1
    mkdir -p bin
    cat >bin/ssh <<STAND_IN
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
exec ip netns exec "$net-\${2#m}" unshare --mount sh -c "mount -t tmpfs -o size=8m none $dir/scratch && \$3"
STAND_IN
    chmod +x bin/ssh
    printf 'm%d\n' 1 2 3 4 >hosts
}
way_down() {
    exec {keeper_in}>&-
    wait "$keeper_pid"
}
way_begins() { on=(--on ssh:hosts); }
way_ready() { :; }
# On the machine with the switch, which is called by its address.
way_life() {
    marked env PATH="$dir/bin:$PATH" ip netns exec "$net-0" unshare --uts sh -c 'hostname 10.77.0.1 && exec "$@"' sh "$@"
}
way_repair() { :; }
way_after() { :; }
way_keep() { :; }

declare -A joined_at=()
way_cut() { # seconds
    local machine=$net-$((RANDOM % 4 + 1))
    [ $SECONDS -ge "${joined_at[$machine]:-0}" ] || return 1 # it is cut
    joined_at[$machine]=$((SECONDS + $1 + 1))
    ip -n "$machine" link set eth0 down && later $(($1 * 1000)) ip -n "$machine" link set eth0 up
}
