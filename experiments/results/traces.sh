# traces.sh - the real traces beside the project that have jobs, for scripts that source this. They want $dolly, $here
# (this folder), $traces (the folder of traces), $work (a scratch folder) and asked (names of traces; none: all).

# Recipes with a mitigation or a screen, and behind a tab the same order, choice of tasks and placement without.
pairs() {
    "$dolly" policies --json | jq -r '
        def part($n): [match("(^|,)\($n)=([^,;]*)").captures[1].string] | first // empty;
        .recipes[] | .parts as $p | select($p | test("mitigate=(?!none)|screen=(?!none)")) | select(.name != "dollymp0") |
        [.name, if .name | startswith("dollymp") then "dollymp0" else
            "none" + ([("order", "within", "place", "protect") as $n | $p | part($n) | ",\($n)=\(.)"] | add // "") end] |
        @tsv'
}

chosen() { # name: whether it was asked for
    local name
    [ ${#asked[@]} -gt 0 ] || return 0
    for name in "${asked[@]}"; do
        [ "$name" != "$1" ] && [ "$name" != "${1%% *}" ] || return 0
    done
    return 1
}

# ---- tables that were logs ----

unpack() { # name: the folder of the trace
    local from=$traces/$1 to=$work/$1 f
    mkdir -p "$to"
    case $1 in
    yahoo-hadoop19) zstd -dcq "$from/attempts.tsv.zst" | awk -f "$here/rumen.awk" "$from/topology.tsv" "$from/jobs.tsv" - >"$to/jobs.json" ;;
    decima-tpch) zstd -dcq "$from/durations.tsv.zst" | awk -f "$here/decima.awk" "$from/dags.tsv" - >"$to/tpch.log" ;;
    wfinstances) zstd -dcq "$from/tasks.tsv.zst" | awk -v folder="$to" -f "$here/wfcommons.awk" ;;
    *)
        for f in "$from"/*.stages.tsv; do
            f=$(basename "$f" .stages.tsv)
            awk -v app="$f" -f "$here/spark.awk" "$from/$f.stages.tsv" "$from/$f.tasks.tsv" >"$to/$f.log"
        done
        ;;
    esac
}

# ---- the runs: trace | files, or `unpack` | options of the full and of the quick size | what to know ----

runs() {
    cat <<'RUNS'
google2011|attempts.parts00-08.tsv.zst|--window 60m-80m|--window 60m-70m|More than half of the attempts were cut short (evicted, killed, or still running at the end of the trace), and they hold most of the work; their times are drawn. 78 % of the jobs have one task, whose copies take as long as the task (`single=same`).
google-hawk|GOOG_subtrace.jobs0000-6666.tr.zst|--window 19h-19.5h|--window 19h-19.05h|Nearly all of its jobs arrive in the last third of the trace.
fb-swim 2009|FB-2009_samples_24_times_1hr_0.tsv||--window 0-1h|Bytes only: tasks and their times are assumptions, stragglers are those of the workload `facebook`.
fb-swim 2010|FB-2010_samples_24_times_1hr_0.hours00-15.tsv|--window 60m-70m|--window 60m-61m|As above.
fb-coflow|FB2010-1Hr-150-0.min00-39.txt||--window 0-10m|As above, but only shuffles; each reducer keeps its own bytes, and so the skew of the data.
alibaba2018-dag random|random.first2of3.tsv.zst|--window 4h-8h|--window 4h-4.2h|Means of phases only; stragglers are those of the workload `facebook`.
alibaba2018-dag medium|medium.first2of3.tsv.zst||--window 0-1h|As above.
alibaba2017|batch_task.first2of3.csv.zst|--window 60m-63m|--window 60m-60.5m|Spans of phases only, which include waiting: tasks take all of it. No graph.
yahoo-hadoop19|unpack||--window 0-1h|13 jobs: means, no distribution.
decima-tpch|unpack||--window 0-10m|Each job is one run of a query, alone on its cluster; arrivals, one a minute, are made up.
spark-eventlogs|unpack||--window 0-100s|Four logs that begin at once.
shark-bdb|unpack|||Four queries that begin at once; one log stops early.
wfinstances|unpack|||Workflows that begin at once, because their times of arrival are unknown. (20 of 113 in the quick size.) Most differences between tasks are differences of input.
RUNS
}

# The files of a line of runs, one to a line; tables that were logs are put back into what they came from.
files_of() { # name files
    local folder=${1%% *}
    if [ "$2" = unpack ]; then
        [ -d "$work/$folder" ] || unpack "$folder"
        printf '%s\n' "$work/$folder"/*
    else
        echo "$traces/$folder/$2"
    fi
}
