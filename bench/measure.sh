# measure.sh - what the parts of the bench share; source it. Takes DOLLY and REPEAT from bench/run.
#
# Each part is an executable of its own in bench/parts, run in the order of the names. It prints its
# tables and never judges: a goal beside a number is for the reader. Subjects that are compared take
# turns, so that a slow minute hits all of them.
set -eu -o pipefail
export LC_ALL=C
dolly=${DOLLY:?run bench/run}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repeat=${REPEAT:-5}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/s"
pin=()
if command -v taskset >/dev/null; then
    pin=(taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')") # the last core that we may use
fi

# Keeps the number that the command prints first; `median NAME` gives the middle one of all kept.
keep() { # name command...
    local name=$1
    shift
    "${pin[@]}" "$@" 2>/dev/null | awk 'NR == 1 { print $1 }' >>"$work/s/$name"
}
median() { # name
    sort -g "$work/s/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Runs a simulation; `member NAME` then gives a number of its result.
sim() { # policy workload [option...]
    local policy=$1 workload=$2
    shift 2
    "${pin[@]}" "$dolly" sim --policy "$policy" --workload "$workload" "$@" --json >"$work/result"
}
member() { # name
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" "$work/result" | tail -n 1
}
keep_sim() { # name policy workload cluster
    sim "$2" "$3" --cluster "$4"
    member wall_s >>"$work/s/$1"
}

calc() { # format expression, as awk
    awk "BEGIN { printf \"$1\", $2 }"
}
