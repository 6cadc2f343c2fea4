#!/usr/bin/env bash
# End-to-end tests on a Slurm cluster that is ours alone (tests/lib/slurm-cluster): tests/slurm.sh build/dolly
set -u

dolly=$(realpath "${1:?usage: tests/slurm.sh DOLLY}")
tmp=$(realpath "$(mktemp -d)") || exit 2
here=$(dirname "$(realpath "$0")")
. "$here/lib/checks.sh"
export TMPDIR=$tmp/tmp XDG_STATE_HOME=$tmp/state PATH=$PATH:/usr/sbin:/sbin
mkdir "$TMPDIR"
cd "$tmp" || exit 2

# The cluster ends when our end of its stdin is closed, whatever becomes of us.
cluster_up() { # folder
    coproc cluster { exec "$here/lib/slurm-cluster" "$1" 4 2>"$1.err"; }
    cluster_out=${cluster[0]} cluster_in=${cluster[1]} cluster_keeper=$cluster_PID
    read -r -t 60 answer <&"$cluster_out" && [ "$answer" = ready ]
}
cluster_down() {
    exec {cluster_in}>&-
    wait "$cluster_keeper"
}
# Whether a process of the cluster in this folder is there.
cluster_lives() { grep -qlzxF -s "SLURM_CONF=$1/slurm.conf" /proc/[0-9]*/environ; }
trap 'rm -rf "$tmp"' EXIT

# ---- the cluster itself ----

cluster_up "$tmp/first"
report $? 'a cluster of four nodes comes up' "$(cat "$tmp/first.err")" || { closing; exit 1; }
SLURM_CONF=$tmp/first/slurm.conf srun -N4 --ntasks-per-node=1 sh -c 'echo $SLURMD_NODENAME' 2>err | sort >out
[ "$(tr '\n' ' ' <out)" = 'n1 n2 n3 n4 ' ]
report $? 'srun runs on each node' "$(cat out err)"
SLURM_CONF=$tmp/first/slurm.conf sbatch --parsable -o none --wrap 'setsid sleep 1000 & sleep 1000' >out
kill -TERM "$cluster_keeper"
wait "$cluster_keeper"
! cluster_lives "$tmp/first"
report $? 'nothing of it is left, wherever in the process tree it went' "$(grep -lzxF -s "SLURM_CONF=$tmp/first/slurm.conf" /proc/[0-9]*/environ)"

closing
