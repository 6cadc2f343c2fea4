#!/bin/bash
# lane: watching; builds: gcc; needs: jq zstd; limit: 600 s
# trace_real.sh - the real traces beside the project (../shared/traces), if they are there: counts, the statistics that
# their README publishes, one job of each format against the text it came from, and that neither the order of files,
# nor how they are packed, nor the memory changes a job.
#
#     bash tests/e2e/commands/trace_real.sh build/dolly
set -u
dolly=$(realpath "$1")
cd "$(dirname "$0")/../../.." || exit 1
tmp=$(mktemp -d) || exit 1
. tests/lib/checks.sh
real=$(realpath ../shared/traces 2>/dev/null)
if [ ! -f "$real/README.md" ] || ! command -v zstd >/dev/null; then
    skip 'real traces' 'they are not beside the project, or there is no zstd'
    closing
    exit
fi
google=$real/google2011/attempts.parts00-08.tsv.zst
events=$real/raw/google2011/task_events.part-00001-of-00500.csv.gz
hawk=$real/google-hawk/GOOG_subtrace.jobs0000-6666.tr.zst
swim=$real/fb-swim/FB-2009_samples_24_times_1hr_0.tsv
swim2010=$real/fb-swim/FB-2010_samples_24_times_1hr_0.hours00-15.tsv
coflow=$real/fb-coflow/FB2010-1Hr-150-0.min00-39.txt
batch2017=$real/alibaba2017/batch_task.first2of3.csv.zst
dags=$real/alibaba2018-dag
q72=$real/raw/spark/nds_q72_dataproc_2_2.zstd
lost=$real/raw/spark/tasks_executors_fail_compressed_eventlog.zstd
yahoo=$real/yahoo-hadoop19
results=$PWD/experiments/results
rumen=$real/raw/rumen/2jobs2min-rumen-jh.json.zst
genome=$real/raw/wfcommons/1000genome-chameleon-6ch-100k-001.json
cd "$tmp" || exit 1

# ---- counts and statistics ----

# What dolly says of a trace, asked once: several checks look at the same.
once() { # command words...: the file that has it
    local kept
    kept=said.$(printf '%s\0' "$@" | cksum | cut -d ' ' -f 1)
    [ -e "$kept" ] || "$dolly" "$@" >"$kept"
    echo "$kept"
}
stat_of() { # what files...: numbers of their statistics
    jq -c "[$1]" "$(once trace stats "${@:2}" --json)"
}
is() { # name want what files...
    local got
    got=$(stat_of "${@:3}")
    [ "$got" = "$2" ]
    report $? "$1" "$got, not $2"
}
R='def r(n): . * pow(10; n) | round;' # so many digits behind the point

is "Google's attempts" '[10392,295749,423823,230279,746,12220,855,781,837,17047,75]' "$R"'.stats | .jobs, .tasks, .attempts,
    .censored, .tasks_failed, .nodes, (.small_pct, .single_task_pct | r(1)), .tasks_p99, .tasks_max, (.tasks_hill | r(2))' "$google"
is "how much slower than the median they are" '[1276,109,226,79,417,159,125,21,185]' "$R"'.stats | .groups,
    (.ratio_p50, .ratio_p90 | r(2)), (.ratio_p99, .ratio_max | r(1)), .straggling, (.straggling_pct, .slow_tasks_pct | r(1)),
    (.ratio_hill | r(2))' "$google"
is "Google's events" '[0,1239,20482,26231,15065,10867]' '.bad, (.stats | .jobs, .tasks, .attempts, .censored, .done)' \
    "$events"
is "Hawk's" '[6667,254773,0,825,698,62,1674,107,214,115,134,180,108,139,102]' "$R"'.stats | .jobs, .tasks, .censored,
    (.small_pct, .single_task_pct | r(1)), (.tasks_hill | r(2)), .groups, (.ratio_p50, .ratio_p90 | r(2)),
    (.ratio_p99 | r(1)), (.ratio_max | r(0)), .straggling, (.straggling_pct | r(1)), (.ratio_hill, .times_hill | r(2))' \
    "$hawk"
is "Facebook's of 2009" '[5894,755,903,67,83]' "$R"'.stats | .jobs, (.no_shuffle_pct, .first_small_pct | r(1)),
    (.input_hill, .shuffle_hill | r(2))' "$swim"
is "Facebook's of 2010" '[16964,337,706,78,59]' "$R"'.stats | .jobs, (.no_shuffle_pct, .first_small_pct | r(1)),
    (.input_hill, .shuffle_hill | r(2))' "$swim2010"
is "Facebook's shuffles" '[413,131,557,39]' "$R"'.stats | .jobs, .byte_groups, (.byte_skewed_pct | r(1)),
    (.shuffle_hill | r(2))' "$coflow"
is "Alibaba's of 2017" '[8385,48926,2923,4769,576,64486,132]' "$R"'.stats | .jobs, .phases, .phases_drawn, .phases_waiting, (.phases_small_pct | r(1)),
    .phase_tasks_max, (.phase_tasks_hill | r(2))' "$batch2017"
is "Alibaba's of 2018" '[4400,16297,164,164,3,2,24,72,606,97,18,106]' "$R"'.stats | .jobs, .phases, .phases_cut, .phases_drawn,
    .phases_waiting, .phases_p50,
    .phases_p99, .phases_max, (.small_pct | r(1)), (.tasks_hill | r(2)), (.span_ratio_p50, .span_ratio_p90 | r(1))' \
    "$dags/random.first2of3.tsv.zst"
is "of medium use" '[2460,15036,115,23]' "$R"'.stats | .jobs, .phases, (.span_ratio_p50 | r(2)), (.span_ratio_p90 | r(1))' \
    "$dags/medium.first2of3.tsv.zst"
is "Spark's" '[49,13504,13504,0]' '.stats | .jobs, .tasks, .done, .censored' "$q72"
is "Spark's with a lost executor" '[75,8278,2,1,304]' '(.stats | .jobs, .done, .failed, .censored), .bad' "$lost"
is "Rumen's" '[2,192,192,0]' '.stats | .jobs, .tasks, .done, .censored' "$rumen"
# Yahoo's table, put back into what it came from.
zstd -dcq "$yahoo/attempts.tsv.zst" | awk -f "$results/rumen.awk" "$yahoo/topology.tsv" "$yahoo/jobs.tsv" - >yahoo.json
is "Yahoo's" '[13,9433,13,200,53,324,6]' "$R"'.stats | .jobs, .tasks, .groups, (.ratio_p50 | r(2)),
    (.ratio_p90, .ratio_max | r(1)), .straggling' yahoo.json
is "WfCommons'" '[1,156,5,5]' '.stats | .jobs, .tasks, .phases, .edges' "$genome"

# Stages of which the median is 100 ms or more: how many there are, and in how many a task took over twice as long.
awk '
    function close_phase(  m) {
        m = (t[int((n + 1) / 2)] + t[int(n / 2) + 1]) / 2
        if (n >= 4 && m >= 0.1) { stages++; slow += t[n] > 2 * m }
        n = 0
    }
    /^ *(phase|job)/ { close_phase() }
    / attempts=/ { sub(/.*attempts=/, ""); sub(/s.*/, ""); n++; for (i = n; i > 1 && t[i - 1] > $0 + 0; i--) t[i] = t[i - 1]; t[i] = $0 + 0 }
    END { close_phase(); print stages, slow }' "$(once trace convert "$q72")" >stages
ok "stages of Spark's that straggle" [ "$(cat stages)" = '7 2' ]

# ---- one job of each, by hand: the text that it came from, worked out anew ----

# The lines of the job in a workload file, from its first phase on.
job_of() { # name file [option...]
    awk -v job="$1" '/^job/ { on = $2 == job; next } on' "$(once trace convert "${@:2}")"
}
# Times of tasks, in ms, one after the other.
times_of() {
    awk '/ attempts=/ { sub(/.*attempts=/, ""); sub(/s$/, ""); printf "%.0f ", 1000 * $0 }'
}
same() { # name want got
    [ -n "$2" ] && [ "$2" = "$3" ]
    report $? "$1" "$3, not $2"
}

zstd -dcq "$google" >google.tsv
job=$(awk -F '\t' 'NR > 1 { n[$1]++; done[$1] += $7 == "FINISH"; tasks[$1] += $3 == 1 }
    END { for (j in n) if (n[j] == 5 && done[j] == 5 && tasks[j] == 5 && (!best || j < best)) best = j; print best }' google.tsv)
same "a job of Google's attempts" "$(awk -F '\t' -v job="$job" '$1 == job { t[$2] = $6 - $5 }
    END { for (i = 0; i in t; i++) printf "%.0f ", t[i] }' google.tsv)" "$(job_of "$job" "$google" | times_of)"
gzip -dcq "$events" >events.csv
job=$(awk -F , '$6 == 1 { n[$3]++ } $6 == 4 { f[$3]++ } $6 ~ /[2356]/ { bad[$3] = 1 } $6 == 0 { s[$3]++ }
    END { for (j in n) if (n[j] > 2 && f[j] == n[j] && s[j] == n[j] && !bad[j] && (!best || j < best)) best = j; print best }' \
    events.csv)
same "a job of Google's events" "$(awk -F , -v job="$job" '$3 == job && $6 == 1 { t[$4] = $1 }
    $3 == job && $6 == 4 { t[$4] = $1 - t[$4] } END { for (i = 0; i in t; i++) printf "%.0f ", t[i] / 1000 }' events.csv)" \
    "$(job_of "$job" "$events" | times_of)"
zstd -dcq "$hawk" >hawk.tr
line=$(awk '$2 == 6 { print NR; exit }' hawk.tr)
same "a job of Hawk's" "$(awk -v n="$line" 'NR == n { for (i = 4; i <= NF; i++) printf "%.0f ", 1000 * $i }' hawk.tr)" \
    "$(awk -v n="$line" '/^job/ { on = $2 ~ "^" n "-"; next } on' "$(once trace convert "$hawk")" | times_of)"
# Bytes in blocks of 1000 are as many maps; a task takes a second, and one more for each 1000 bytes.
row=$(awk -F '\t' '$5 > 0 && $4 > 2000 && $4 < 99999 && $4 % 1000 { print; exit }' "$swim")
same "a job of Facebook's" "$(awk -F '\t' '{ n = int(($4 + 999) / 1000); printf "%d %.3f", n, 1 + $4 / n / 1000 }' <<<"$row")" \
    "$(job_of "${row%%$'\t'*}" "$swim" --assume block=1000 --assume rate=1000 | awk '$2 == "map" { sub("tasks=", "", $3)
        sub("size=", "", $4); printf "%d %.3f", $3, $4 }')"
row=$(awk 'NR > 1 && $3 == 3 { print; exit }' "$coflow")
same "a shuffle of Facebook's" "$(awk '{ for (i = 4 + $3 + 1; i <= NF; i++) { sub(/.*:/, "", $i); printf "%.0f ", $i * 1000 } }' \
    <<<"$row")" "$(job_of "${row%% *}" "$coflow" --assume base=1ms --assume rate=1000000 | awk '$2 == "reduce" { for (i = 3; i <= NF; i++)
        if (sub("sizes=", "", $i)) { k = split($i, s, ","); for (j = 1; j <= k; j++) printf "%.0f ", 1000 * s[j] - 1 } }')"
zstd -dcq "$batch2017" >batch.csv
job=$(awk -F , '$6 == "Terminated" && $1 > 0 { n[$3]++ } $6 != "Terminated" { n[$3] = 99 }
    END { for (j in n) if (n[j] == 3 && (!best || j + 0 < best)) best = j; print best }' batch.csv)
same "a job of Alibaba's of 2017" "$(awk -F , -v job="$job" '$3 == job { print $4, $5, $2 - $1 }' batch.csv | sort)" \
    "$(job_of "$job" "$batch2017" | awk '{ gsub(/[a-z]*=|s$/, ""); print $2, $3, $NF }' | sort)"
zstd -dcq "$dags/random.first2of3.tsv.zst" >dag.tsv
job=$(awk -F '\t' '$2 ~ /^J3_1_2$/ { print $1; exit }' dag.tsv)
same "a job of Alibaba's of 2018" "$(awk -F '\t' -v job="$job" '$1 == job { print $2, $3, $8 * 1000 }' dag.tsv | sort)" \
    "$(job_of "$job" "$dags/random.first2of3.tsv.zst" | awk '{ gsub(/tasks=|size=|s$/, ""); print $2, $3, $NF * 1000 }' | sort)"
ok "which reads two phases" grep -q 'phase J3_1_2 .*after=M1,.*2' <(job_of "$job" "$dags/random.first2of3.tsv.zst")
zstd -dcq "$q72" | grep -a '"SparkListenerTaskEnd"' >ends
stage=$(jq -r '."Stage ID"' ends | uniq -c | awk '$1 == 5 { print $2; exit }')
[ -n "$stage" ] || stage=$(jq -r '."Stage ID"' ends | sort -n | uniq -c | awk '$1 > 3 && $1 < 20 { print $2; exit }')
same "a stage of Spark's" "$(jq -r --argjson s "$stage" 'select(."Stage ID" == $s)."Task Info" |
    "\(.Index) \(."Finish Time" - ."Launch Time")"' ends | sort -n | awk '{ printf "%d ", $2 }')" \
    "$(awk -v p="stage$stage" '/phase|^job/ { on = $2 == p } on' "$(once trace convert "$q72")" | times_of)"
same "the maps of a job of Rumen's" "$(zstd -dcq "$rumen" | jq -rs '.[0].mapTasks | sort_by(.taskID)[] | .attempts[0] |
    .finishTime - .startTime' | tr '\n' ' ')" "$(awk '/^job/ { n++ } n == 1' "$(once trace convert "$rumen")" | times_of)"
same "a program of a workflow" "$(jq -r '[.workflow.execution.tasks[] | select(.command.program == "individuals_merge") |
    .runtimeInSeconds * 1000 | round] | sort | map("\(.) ") | add' "$genome")" \
    "$("$dolly" trace convert "$genome" | awk '/phase/ { on = $2 ~ /^individuals_merge/ } on' | times_of | tr ' ' '\n' |
        grep . | sort -n | tr '\n' ' ')"

# ---- however they come ----

digest() {
    "$dolly" trace stats "$@" --json | jq -r .digest
}
split -l 60000 google.tsv part. # every part but the first lacks the head, and is told its format
want=$(stat_of .digest "$google" | jq -r '.[]')
ok "parts of Google's in any order, in little memory" \
    [ "$(digest $(ls part.* | tac) --format google2011-attempts --memory 4M)" = "$want" ]
gzip -k1 events.csv
plain=$(digest events.csv)
ok "events that are plain, gzip and zstd are the same" \
    [ "$(stat_of .digest "$events") $(digest events.csv.gz) $(zstd -qc1 events.csv | digest -)" = \
        "[\"$plain\"] $plain $plain" ]

# One line in a hundred is spoilt.
awk '{ print NR % 100 == 50 ? "spoilt, " substr($0, 1, 20) : $0 }' events.csv >spoilt.csv
is "a hundredth of bad lines is counted" "[$((($(wc -l <events.csv) + 50) / 100))]" .bad spoilt.csv
"$dolly" sim --trace spoilt.csv --window 0-5m --policy none,dolly --json >runs.json
ok "and the rest runs" jq -e '(.variations | length) == 2 and all(.variations[]; .jobs > 50 and
    all(.policies[]; .jobs_failed == 0)) and (.troubles | length) > 0' runs.json

closing
