# ten - ten tasks of about 2 s: one phase, nothing to read.
slow=0.2

# LATE with its times scaled to tasks of two seconds. Of ten tasks, a quarter as the slow ones would be two.
policies=('none' 'late;floor=1s;scan=100ms;slow_task=0.4' 'dolly;budget=idle')

real_one() { # policy place [option...]
    "$dolly" exec "$here/ten.workload" --cluster "$here/thirty.cluster" --policy "$1" --dir "$2" "${@:3}"
    mv "$2/journal" "$2.journal"
}

# Mean and deviation of what an attempt takes besides its work, mean time of a commit.
calibrate() {
    jq -n -r '
        def who: "\(.task).\(.attempt)";
        reduce inputs as $r ({launched: {}, ended: {}, extra: [], commit: []};
            if $r.type == "launch" then .launched[$r | who] = $r.t_us
            elif $r.type == "attempt_finished" then
                .ended[$r | who] = $r.t_us |
                .extra += [$r.t_us - .launched[$r | who] - (1700000 + 60000 * $r.task)]
            elif $r.type == "committed" then .commit += [$r.t_us - .ended[$r | who]]
            else . end) |
        (.extra | add / length) as $mean |
        ([.extra[] | . - $mean | . * .] | add / length | sqrt) as $deviation |
        "luck startup=\($mean | floor)us noise=\($deviation / 1970000 * 1e6 | floor / 1e6)",
        "faults commit_lag=\(2 * (.commit | add / length) | floor)us"' >>"$work/cluster"
}
simulated() { # seed
    "$dolly" sim --workload "$here/ten.workload" --cluster "$work/cluster" --seed "$1" --json \
        --policy "$(IFS=,; echo "${policies[*]}")"
}
