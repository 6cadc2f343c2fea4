#!/usr/bin/env bash
# variant.sh SEED JOB CLUSTER KIND - one of LATE's worlds with one thing changed.
#
# Runs JOB.workload on CLUSTER.cluster without speculation, with Hadoop's own and with LATE, and prints how long the job takes: none, native, late.
# KIND says what is changed:
#
#   slowed=X  the slowed machines have this speed
#   io        reduces copy over the network for three quarters of their time; a machine's links are as fast as the machine; and copying counts for a
#             third of their score, as in Hadoop
#   fair      the same, but copying counts for what it takes: three quarters
#   roomy     as io, with three slots for reduces on each machine instead of two
#   alike     as io, but all machines have equal links
#   early     as alike, and reduces take their slots and begin to copy when a twentieth of the maps is done
#   blocks=X  maps read their block for the share X of their time, from one of two machines that hold it (drawn anew for each seed): from the own
#             disk, or over links as fast as the machine that sends; and run where their block is if there is room
#
# Links are such that the two attempts of an average machine take as long as before if they are alone. Needs awk.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seed=$1 job=$here/$2.workload cluster=$here/$3.cluster kind=$4 place=
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Takes the share $2 out of the work of phase $1, and finds the speed of links that makes up for it.
shrink() {
    awk -v phase="$1" -v share="$2" -v rate="$tmp/rate" '
        function value(key, i) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) return substr($i, length(key) + 2) + 0 }
        $1 == "phase" && $2 == phase {
            printf "%d\n", 2 * value("input") * 1048576 / (share * value("size")) > rate
            sub(/ size=[^ ]*/, " size=" (1 - share) * value("size") "s")
        }
        { print }' "$job" > "$tmp/job"
}
# Links as fast as the machines; all alike.
linked() { sed -E 's/speed=([0-9.]+)/speed=\1 links=\1/' "$cluster"; }
alike() { cat "$cluster"; }
network() { echo "network up=$(< "$tmp/rate") down=$(< "$tmp/rate") disk=$(< "$tmp/rate") streams=5 $1"; }

case $kind in
slowed=*)
    cp "$job" "$tmp/job"
    sed -E "/^nodes slowed/s/speed=[0-9.]+/speed=${kind#*=}/" "$cluster" > "$tmp/cluster"
    ;;
io | fair | roomy | alike | early)
    links=linked score=0.333
    shrink reduce 0.75
    case $kind in
    fair) score=0.75 ;;
    alike | early) links=alike ;;
    esac
    { $links; network "read_score=$score"; } > "$tmp/cluster"
    if [ "$kind" = roomy ]; then sed -i 's/ y=2/ y=3/' "$tmp/cluster"; fi
    if [ "$kind" = early ]; then sed -i 's/ after=map/ after=map slowstart=5%/' "$tmp/job"; fi
    ;;
blocks=*)
    shrink map "${kind#*=}"
    { linked; network "input=2 read_score=${kind#*=}"; } > "$tmp/cluster"
    place=,place=locality
    awk -v seed="$seed" '
        # not rand(), which is another one in every awk
        function random() { return (x = x * 16807 % 2147483647) / 2147483647 }
        function draw() { return names[1 + int(random() * count)] }
        BEGIN { x = seed; for (i = 0; i < 9; i++) random() }
        NR == FNR { # nodes NAME[1-N]
            if ($1 == "nodes" && split($2, p, /[][-]/) >= 3) for (i = p[2]; i <= p[3]; i++) names[++count] = p[1] i
            next
        }
        { print }
        $1 == "phase" && $2 == "map" {
            for (i = 3; i <= NF; i++) if (index($i, "tasks=") == 1) tasks = substr($i, 7) + 0
            for (i = 0; i < tasks; i++) { a = draw(); do b = draw(); while (b == a); print "  task " i " on=" a "," b }
        }' "$cluster" "$tmp/job" > "$tmp/on"
    mv "$tmp/on" "$tmp/job"
    ;;
*)
    echo "variant.sh: no kind '$kind'" >&2
    exit 1
    ;;
esac
for policy in none hadoop late; do
    name=${policy/hadoop/native}
    policy+=$place
    [ "$name" = none ] || policy+=';careful=no'
    "$DOLLY" sim --workload "$tmp/job" --cluster "$tmp/cluster" --seed "$seed" --policy "$policy" --json > "$tmp/out"
    echo "$name $(sed -nE 's/.*"mean_jct_s": ?([0-9.e+-]+).*/\1/p' "$tmp/out" | head -n 1)"
done
