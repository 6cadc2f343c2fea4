# shuffle - eight mappers and four readers of their outputs, each of 1.5 to 1.9 s besides what the data takes: two phases
# and all that lies between them (700 KB from each mapper, sorted, kept, fetched and merged).
# Of twelve tasks fewer are slow than of ten: with 0.2 in two of five runs both attempts of some task are slow under LATE,
# which makes them three times as long, and the median of twenty runs is on either side by chance.
slow=0.1

# LATE as for ten; clones of readers that read along with each other, and by delay assignment.
policies=('none' 'late;floor=1s;scan=100ms;slow_task=0.4' 'dolly,shuffle=cc;budget=idle' 'dolly,shuffle=delay;budget=idle')
mkdir "$work/in"
for n in 0 1 2 3 4 5 6 7; do echo $((1500 + 60 * n)) >"$work/in/$n"; done

times() { # tasks milliseconds: what each takes, so many milliseconds besides its work
    local n
    for ((n = 0; n < $1; n++)); do echo "$((1500 + 60 * n + $2))ms"; done | paste -sd ,
}
# The job. What its tasks take is for the simulator: their work, and the milliseconds that were measured besides.
job_file() { # [milliseconds of a mapper, of a reader]
    cat <<JOB
name: shuffle
input: $work/in
output: unused
files: examples/tick
nodes: 30x1
phases:
  - name: map
    run: read -r ms && STEP=5 ./tick \$ms >/dev/null && seq -f '%07g,abcdefghijklmnopqrstuvwxyz' 20000 | tr , '\t'
    sim: {time: "$(times 8 "${1:-0}")", output: 700000}
  - name: reduce
    after: map
    tasks: 4
    run: awk 'END { print NR }' && STEP=5 exec ./tick \$((1500 + 60 * DOLLY_TASK_ID))
    sim: {time: "$(times 4 "${2:-0}")"}
JOB
}
job_file >"$work/job.yaml"

real_one() { # policy place [option...]
    "$dolly" run "$work/job.yaml" --policy "$1" --output "$2" --journal "$2.journal" "${@:3}"
}

# How long attempts take to start, and their phases' besides their work; a commit; how fast one output is read.
calibrate() {
    jq -n -r '
        def who: "\(.phase).\(.task).\(.attempt)";
        def mean: add / length;
        reduce inputs as $r ({launched: {}, began: {}, ended: {}, read: {}, startup: [], rest: [[], []], commit: [], speed: []};
            if $r.type == "launch" then .launched[$r | who] = $r.t_us | .read[$r | who] = 0
            elif $r.type == "attempt_started" then
                .began[$r | who] = $r.t_us | .startup += [$r.t_us - .launched[$r | who]]
            elif $r.type == "fetch_done" then
                .read[$r | who] += $r.took_us |
                .speed += [$r.bytes / (if $r.source.task then 1 else 8 end) / ([$r.took_us, 1] | max) * 1e6]
            elif $r.type == "attempt_finished" then
                .ended[$r | who] = $r.t_us |
                .rest[$r.phase] += [$r.t_us - .began[$r | who] - .read[$r | who] - (1500000 + 60000 * $r.task)]
            elif $r.type == "committed" then .commit += [$r.t_us - .ended[$r | who]]
            else . end) |
        (.rest | map(mean)) as $rest |
        ([.rest[0][] | . - $rest[0] | . * .] | mean | sqrt) as $deviation |
        "luck startup=\(.startup | mean | floor)us noise=\($deviation / 1700000 * 1e6 | floor / 1e6)",
        "network up=100G down=100G disk=100G stream=\(.speed | mean | floor)",
        "faults commit_lag=\(2 * (.commit | mean) | floor)us",
        "# besides its work and its reads a mapper takes \($rest[0] / 1000 | floor) ms, a reader \($rest[1] / 1000 | floor) ms"' \
        >>"$work/cluster"
    local map reader
    read -r map reader < <(sed -n 's/.*mapper takes \([0-9]*\) ms, a reader \([0-9]*\) ms$/\1 \2/p' "$work/cluster")
    job_file "$map" "$reader" >"$work/simulated.yaml"
}
simulated() { # seed
    "$dolly" sim "$work/simulated.yaml" --cluster "$work/cluster" --seed "$1" --json \
        --policy "$(IFS=,; echo "${policies[*]}")"
}
