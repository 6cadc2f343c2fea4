#!/bin/bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# Reports: tests/e2e/commands/report.sh build/dolly
#
# What a page says must be what the journal says, and nothing in a journal may become more than text.
# Closes with `N passed, N failed`. Needs jq.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/report.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. tests/lib/checks.sh

page() { sed -n "s/.*<script type=\"application\/json\" id=\"data-0\">\(.*\)<\/script>/\1/p" "$1" | jq "${@:2}"; }
some_of() { same "$1" "$2" && [ "$1" -gt 0 ]; } # numbers
all() { local one; for one; do eval "$one" || { echo "not: $one"; return 1; }; done; }

refused() { # what the message must have, arguments
    "$dolly" report "${@:2}" >"$tmp/out" 2>"$tmp/err"
    same "$?" 2 && same "$(wc -l <"$tmp/err")" 1 && grep -q -- "$1" "$tmp/err"
}
near() { # number, number, per cent that they may differ by
    awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(b > 0 && a > b * (1 - c / 100) && a < b * (1 + c / 100)) }' || { echo "$1, want $2"; return 1; }
}

# ---- a run of the simulator ----

"$dolly" sim --workload examples/mixed.workload --cluster examples/faulty.cluster --policy dolly --seed 4 \
    --journal "$tmp/run" >/dev/null 2>&1
"$dolly" journal "$tmp/run" >"$tmp/json"
"$dolly" explain "$tmp/run" >"$tmp/told"
ok 'a page is written beside the journal' same "$("$dolly" report "$tmp/run")" "$tmp/run.html"
launches=$(grep -c '"type":"launch"' "$tmp/json")
ok 'it has every attempt' same "$(page "$tmp/run.html" '.rows + .left_out')" "$launches"
ok 'and every job' same "$(page "$tmp/run.html" '.jobs | length')" "$(grep -c '"type":"job_submitted"' "$tmp/json")"
ok 'its sentences are those of explain' all '[ -s "$tmp/told" ]' \
    'sed "s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/\"/\&quot;/g" "$tmp/told" | grep . | while IFS= read -r line; do
        grep -qF -- "${line# *}" "$tmp/run.html" || { echo "$line"; exit 1; }; done'
ok 'the same journal, the same page' all '"$dolly" report "$tmp/run" -o "$tmp/again.html" >/dev/null' \
    'cmp "$tmp/run.html" "$tmp/again.html"'
ok 'a page on stdout' all '"$dolly" report "$tmp/run" -o - | cmp - "$tmp/run.html"'
ok 'it loads nothing' all '! grep -Eo "(src|href)=.(https?:)?//[^\"]*" "$tmp/run.html"' \
    'grep -q "default-src .none." "$tmp/run.html"'
hashes() { # tag: those of what the page runs or shows
    awk -v RS="</$1>" -v tag="<$1>" -v to="$tmp/inline." '{ i = index($0, tag); if (i) printf "%s", substr($0, i + length(tag)) >(to NR) }' "$tmp/run.html"
    for one in "$tmp"/inline.*; do openssl dgst -sha256 -binary "$one" | base64; done
    rm "$tmp"/inline.*
}
named() { # directive, tag: every hash is in the policy, and there are as many
    local policy
    policy=$(grep -o "$1[^;\"]*" "$tmp/run.html" | head -n 1)
    hashes "$2" | while read -r hash; do [[ $policy == *"'sha256-$hash'"* ]] || exit 1; done &&
        some_of "$(grep -o sha256- <<<"$policy" | wc -l)" "$(hashes "$2" | wc -l)"
}
ok 'its policy names its scripts and its style' all 'named script-src script' 'named style-src style'

# ---- where files of ours go ----

# The name under which a page is written until it is whole cannot be guessed, and no link there is followed.
mkdir "$tmp/s" && echo precious >"$tmp/s/victim"
bash -c 'for end in .$$.tmp .new .tmp; do ln -s victim "$2/s/x.html$end"; done; exec "$1" report "$2/run" -o "$2/s/x.html"' _ "$dolly" "$tmp" >/dev/null
ok 'no link beside a page is followed' all 'cmp "$tmp/s/x.html" "$tmp/run.html"' '[ ! -L "$tmp/s/x.html" ]' '[ "$(cat "$tmp/s/victim")" = precious ]'
# A FIFO stays one, and gets what a file would have got, in one piece.
into() { # WANT ARGS...: the FIFO s/fifo is the last argument
    local want=$1 reader
    shift
    rm -f "$tmp/s/fifo" && mkfifo "$tmp/s/fifo"
    timeout 60 cat "$tmp/s/fifo" >"$tmp/s/got" &
    reader=$!
    timeout 60 "$dolly" report "$tmp/run" "$@" "$tmp/s/fifo" >/dev/null
    wait "$reader"
    [ -p "$tmp/s/fifo" ] && [ -s "$want" ] && cmp "$want" "$tmp/s/got"
}
ok 'a page goes into a FIFO' into "$tmp/run.html" -o
"$dolly" report "$tmp/run" --trace "$tmp/s/trace" --nextflow "$tmp/s/flow"
ok 'a trace goes into a FIFO' into "$tmp/s/trace" --trace
ok 'in one part, whatever its size' into "$tmp/s/trace" --trace-max 1M --trace
ok 'a trace of Nextflow goes into a FIFO' into "$tmp/s/flow" --nextflow
ln -s /proc/self/fd/1 "$tmp/s/stdout" # as /dev/stdout is
ok 'a page goes through /dev/stdout' all '"$dolly" report "$tmp/run" -o "$tmp/s/stdout" | head -c "$(wc -c <"$tmp/run.html")" | cmp - "$tmp/run.html"' '[ -L "$tmp/s/stdout" ]'
if mknod "$tmp/s/null" c 1 3 2>/dev/null; then
    "$dolly" report "$tmp/run" --trace "$tmp/s/null" -o "$tmp/s/null" >"$tmp/s/out"
    ok 'a device stays one' all '[ "$(cat "$tmp/s/out")" = "$tmp/s/null" ]' '[ -c "$tmp/s/null" ]'
    ln -s victim "$tmp/s/trap" && chown -h 12345 "$tmp/s/trap"
    "$dolly" report "$tmp/run" -o "$tmp/s/trap" >/dev/null
    ok "another user's link is replaced, not followed" all 'cmp "$tmp/s/trap" "$tmp/run.html"' '[ "$(cat "$tmp/s/victim")" = precious ]'
else
    skip 'devices and links of others' 'cannot make them'
fi
mkdir "$tmp/s/csv" && ln -s ../victim "$tmp/s/csv/jobs.csv.new"
"$dolly" report "$tmp/run" --csv "$tmp/s/csv"
ok 'nor do tables follow links beside them' all '[ "$(cat "$tmp/s/victim")" = precious ]' 'grep -q ^job,name "$tmp/s/csv/jobs.csv"'

# ---- what tasks tell ----

# What is packed is zlib's; gzip takes it with another head, and misses its own checksum at the end.
stories() { # page
    { printf '\037\213\010\0\0\0\0\0\0\0'; sed -n 's/.*id="stories-0">\(.*\)<\/script>/\1/p' "$1" | base64 -d | tail -c +3; } | gzip -dc 2>/dev/null
}
stories "$tmp/run.html" >"$tmp/stories"
told() { # its story begins with that of explain
    "$dolly" explain "$tmp/run" "$1/$2/$3" >"$tmp/one" &&
        jq -j --argjson at "[$1,$2,$3]" '.[] | select(.[:3] == $at)[3]' "$tmp/stories" | head -c "$(wc -c <"$tmp/one")" | cmp - "$tmp/one"
}
some() { # a few tasks of all that the page tells of
    local job phase task
    [ "$(jq length "$tmp/stories")" -gt 0 ] || return
    while read -r job phase task; do told "$job" "$phase" "$task" || return 1; done \
        < <(jq -r '.[range(0; length; 97)][:3] | join(" ")' "$tmp/stories")
}
ok 'many tasks have a story' jq -e 'length > 100 and length <= 2000' "$tmp/stories"
ok 'which is that of explain' some
# Of more tasks than there is room for: those that tell most.
printf 'job many\n  phase p tasks=3000 size=1s\n    task 7 attempts=60s\n    task 1234 attempts=50s\n    task 2999 attempts=9s\n' \
    >"$tmp/many.workload"
"$dolly" sim --workload "$tmp/many.workload" --cluster 100x4 --policy none --journal "$tmp/many" >/dev/null 2>&1
"$dolly" report "$tmp/many" >/dev/null
stories "$tmp/many.html" >"$tmp/many.stories"
ok 'of many tasks the most telling ones have a story' all 'jq -e "length <= 2000 and length >= 500" "$tmp/many.stories"' \
    'jq -e "[.[] | .[2]] | contains([7, 1234, 2999])" "$tmp/many.stories"'
ok 'each once' some_of "$(jq 'map(.[:3]) | unique | length' "$tmp/many.stories")" "$(jq length "$tmp/many.stories")"
"$dolly" map --retries 60 --dir "$tmp/retries" false ::: a >/dev/null 2>&1
"$dolly" report "$tmp/retries/journal" -o "$tmp/retries.html" >/dev/null
"$dolly" explain "$tmp/retries/journal" 0/0/1 >"$tmp/one"
stories "$tmp/retries.html" | jq -j '.[0][3]' >"$tmp/told"
ok 'a task that ran very often is told from its beginning' all '[ "$(wc -c <"$tmp/one")" -gt 10000 ]' '[ "$(wc -c <"$tmp/told")" -lt 7000 ]' \
    'grep -qx "\.\.\." "$tmp/told"' 'sed "/^\.\.\.$/,\$d" "$tmp/told" | grep -q "^Attempt 20 "' \
    'sed "/^\.\.\.$/,\$d" "$tmp/told" | cmp - <(head -n "$(grep -n "^\.\.\.$" "$tmp/told" | awk -F: "{ print \$1 - 1 }")" "$tmp/one")'
"$dolly" map -j4 --retries 3 --dir "$tmp/anew" "[ {} != 3 ] || [ -e '$tmp/once' ] || { : >'$tmp/once'; sleep 1; exit 7; }" ::: 1 2 3 4 >/dev/null 2>&1
"$dolly" explain "$tmp/anew/journal" 0 >"$tmp/one"
ok 'a task that failed first is slow for that' \
    grep -qE '^  It had to run again, which cost [0-9.]+ s: attempt 0 failed with exit status 7\.$' "$tmp/one"
"$dolly" explain "$tmp/run" --json >"$tmp/facts"
ok 'causes are sums over the jobs of explain' some_of "$(jq '[.held_up[].seconds] | add * 1000 | round' "$tmp/facts")" "$(
    for job in $(page "$tmp/run.html" '.jobs[].id'); do "$dolly" explain "$tmp/run" "$job" --json; done |
        jq -s '[.[].phases[] | select(.slowest and .median_s and .ended_s) | .median_s as $m | .slowest | select(.behind_s > 0)
                | .late_s, .again_s, .noticed_s, .read_s, .skew_s, .slow_s | select(. > $m / 10)] | add * 1000 | round')"
ok 'and as many rows' same "$(sed -n '/id="causes"/,/^<\/tbody>/p' "$tmp/run.html" | grep -c 'data-us=')" \
    "$(jq '[.held_up | del(.late_start)[] | select(.phases > 0)] | length' "$tmp/facts")"

# A clone won before the other attempt had told anything: what that saved nobody knows, which is not nothing.
printf 'job a\n  phase map tasks=3 size=1s\n    task 1 attempts=60s,1s\n' >"$tmp/early.workload"
"$dolly" sim --workload "$tmp/early.workload" --cluster 20x4 --policy dolly --set beta=1 --set tau=1 --journal "$tmp/early" >/dev/null 2>&1
"$dolly" report "$tmp/early" >/dev/null
ok 'what is not known is not nothing' all '"$dolly" explain "$tmp/early" --json | jq -e ".won_by_extra == 1 and .saved_at_least_s == null" >/dev/null' \
    'grep -q "<li>1 attempt lost to a clone or backup; how long it would have taken is not known.</li>" "$tmp/early.html"' \
    '! grep "<h1" "$tmp/early.html" | grep -q "instead of"'

# ---- several runs ----

"$dolly" sim --workload examples/mixed.workload --cluster examples/faulty.cluster --policy none --seed 4 \
    --journal "$tmp/none" >/dev/null 2>&1
ok 'a page of two runs' same "$("$dolly" report --compare "$tmp/none" "$tmp/run" -o "$tmp/two.html")" "$tmp/two.html"
done_jobs() { # journal: the numbers of jobs that are done. Two of these run at once, each in its own folder
    "$dolly" report "$1" --csv "$1.csv" && awk -F, '$5 == "done" { print $1 }' "$1.csv/jobs.csv" | sort
}
both=$(join <(done_jobs "$tmp/none") <(done_jobs "$tmp/run") | wc -l)
ok 'it compares the jobs that both have done' all 'grep -q "Of $both jobs" "$tmp/two.html"' '[ "$both" -gt 50 ]'
ok 'job by job, those that changed most' same "$(sed -n '/id="jobs"/,/<\/table>/p' "$tmp/two.html" | grep -c '<tr data-job')" 20

# Winners of both kinds: clones and backups.
"$dolly" sim --workload examples/mixed.workload --cluster examples/faulty.cluster --policy 'late;floor=1s;cap=0.5' --seed 4 \
    --journal "$tmp/late" >/dev/null 2>&1
head -c 4000 "$tmp/run" >"$tmp/begun"
"$dolly" report --compare "$tmp/run" "$tmp/begun" -o "$tmp/begun.html" >/dev/null 2>&1
ok 'of runs without a common job there is no table of jobs, and one that is not over did not take its time' all \
    'grep -q "have no job in common" "$tmp/begun.html"' '! grep -q "Jobs that changed most" "$tmp/begun.html"' 'grep -q "<td[^>]*>not over</td>" "$tmp/begun.html"'
"$dolly" report --compare "$tmp/late" "$tmp/run" -o "$tmp/kinds.html" >/dev/null
winners() { # launched and won, of each run on the page and by explain
    local name
    for name in late run; do
        "$dolly" explain "$tmp/$name" --json | jq -r '.attempts | [.clone, .backup | values] | "<td>\(map(.launched) | add)</td><td>\(map(.won) | add)</td>"'
    done >"$tmp/winners"
    [ "$(grep -c '<td>[1-9]' "$tmp/winners")" = 2 ] && sed -n '/id="runs"/,/<\/table>/p' "$tmp/kinds.html" | sed 's/<td[^>]*>/<td>/g' >"$tmp/rows" &&
        [ "$(grep -cFf "$tmp/winners" "$tmp/rows")" = 2 ] || { cat "$tmp/winners" "$tmp/rows"; return 1; }
}
ok 'it counts extra attempts and winners, clones and backups' winners
# By the run of the headline, whichever place it has.
changed() { sed -n '/id="jobs"/,/<\/table>/p' "$1" | grep -o 'data-job="[0-9]*"'; }
"$dolly" report --compare "$tmp/none" "$tmp/late" "$tmp/run" -o "$tmp/three.html" >/dev/null
ok 'jobs that the best run changes most come first' all 'grep -q "<h1>run: " "$tmp/three.html"' '[ "$(changed "$tmp/two.html" | wc -l)" = 20 ]' \
    'same "$(changed "$tmp/three.html")" "$(changed "$tmp/two.html")"'
ok 'policies that are simulated now' all '"$dolly" sim --workload examples/wordcount.workload --cluster examples/small.cluster \
        --policy none,dolly,late --report "$tmp/sim.html" >/dev/null 2>"$tmp/err"' 'grep -q "sim.html" "$tmp/err"' \
    '[ "$(grep -c "id=.data-" "$tmp/sim.html")" = 3 ]' 'page "$tmp/sim.html" -e ".journal == null and .label == \"none\"" >/dev/null' \
    '! ls "$TMPDIR"/dolly-sim.* 2>/dev/null'

# ---- for other programs ----

"$dolly" report "$tmp/run" --trace "$tmp/trace.json.gz" --csv "$tmp/csv"
ok 'a trace has a slice for each attempt' same \
    "$(zcat "$tmp/trace.json.gz" | jq '[.traceEvents[] | select(.ph == "X")] | length')" "$launches"
ok 'slices of a lane do not overlap' same "$(zcat "$tmp/trace.json.gz" | jq '
    [.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid])
    | map(sort_by(.ts) | [.[:-1], .[1:]] | transpose | map(select(.[0].ts + .[0].dur > .[1].ts)) | length) | add')" 0
ok 'reads are arrows, from what ended to who read it' same "$(zcat "$tmp/trace.json.gz" | jq '
    [.traceEvents[] | select(.cat == "read")] | group_by(.id) | length > 20 and
    all(length == 2 and (map(.ph) | sort) == ["f", "s"] and (map(select(.ph == "s"))[0].ts <= map(select(.ph == "f"))[0].ts))')" true
summed() { md5sum | grep -v "$(md5sum </dev/null)"; } # of nothing: nothing
names=$("$dolly" report "$tmp/run" --trace "$tmp/parts.json.gz" --trace-max 300K)
zcat "$tmp"/parts.*.json.gz | jq -s 'map(.traceEvents)' >"$tmp/parts"
ok 'a large trace has parts, which are named' all 'same "$names" "$(ls "$tmp"/parts.[1-9].json.gz)"' '[ "$(wc -l <<<"$names")" -gt 1 ]' \
    '! [ -e "$tmp/parts.json.gz" ]' 'for part in $names; do [ "$(zcat "$part" | wc -c)" -le 307200 ] || return 1; done'
ok 'all of them together are the whole' same "$(jq -ce 'add | map(select(.ph != "M" and .ph != "C" and .ph != "i")) | sort' "$tmp/parts" | summed)" \
    "$(zcat "$tmp/trace.json.gz" | jq -ce '.traceEvents | map(select(.ph != "M" and .ph != "C" and .ph != "i")) | sort' | summed)"
ok 'a job is in one of them, and nodes and counters in each' jq -e '
    (map(map(select(.ph == "X").args.job) | unique) | add | length == (unique | length)) and
    (map(map(select(.ph == "C" or .ph == "M" or .ph == "i")) | sort) | unique | length == 1)' "$tmp/parts"
ok 'CSV has a row for each attempt' same "$(($(wc -l <"$tmp/csv/attempts.csv") - 1))" "$launches"
"$dolly" report "$tmp/run" --nextflow "$tmp/trace.txt"
ok 'the trace of Nextflow has a row for each attempt' same "$(($(wc -l <"$tmp/trace.txt") - 1))" "$launches"
ok 'numbered from 1' same "$(awk -F'\t' 'NR > 1 { print $1 }' "$tmp/trace.txt" | cmp - <(seq "$launches") && echo so)" so
ok 'which we read ourselves' all '"$dolly" trace stats "$tmp/trace.txt" --json >"$tmp/read" 2>"$tmp/err"' \
    'grep -q nextflow "$tmp/read"'
won=$(grep -c '"type":"committed"' "$tmp/json")
ok 'as many have won as were committed' some_of "$(awk -F, '$9 == "won"' "$tmp/csv/attempts.csv" | wc -l)" "$won"
ok 'times are those of the journal' same \
    "$(awk -F, '$1 == 0 && $2 == 0 && $3 == 0 && $4 == 0 { print $11 * 1000000 }' "$tmp/csv/attempts.csv")" \
    "$(jq -s 'map(select(.type == "launch" and .job == 0 and .phase == 0 and .task == 0 and .attempt == 0))[0].t_us' "$tmp/json")"

zcat "$tmp/trace.json.gz" | jq -c '.traceEvents' >"$tmp/events"
ok 'every lane of a slice has a name' jq -e '(map(select(.name == "thread_name") | [.pid, .tid, .args.name]) | unique) as $named |
    (map(select(.ph == "X") | [.pid, .tid, "lane \(.tid)"]) | unique) == $named' "$tmp/events"
printf 'nodes n[0-3] cpu=4\nfaults node_mtbf=60s node_repair=20s\n' >"$tmp/frail.cluster"
printf 'job a\n  phase map tasks=60 size=10s\n' >"$tmp/frail.workload"
"$dolly" sim --workload "$tmp/frail.workload" --cluster "$tmp/frail.cluster" --policy none --seed 2 --journal "$tmp/frail" >/dev/null 2>&1
downs=$("$dolly" journal "$tmp/frail" | jq -sc 'map(select(.type == "node_down") | [.t_us, .node + 1]) | sort')
ok 'nodes that were lost are marked when they were' all '[ "$(jq length <<<"$downs")" -gt 0 ]' \
    'same "$("$dolly" report "$tmp/frail" --trace - | jq -c ".traceEvents | map(select(.ph == \"i\" and .name == \"node lost\") | [.ts, .pid]) | sort")" "$downs"'
ok 'CSV has the phases of the page' all '[ "$(sed -n "/id=.phases./,/<.table>/p" "$tmp/run.html" | grep -c "time of a task")" = "$(grep -c ",time_s," "$tmp/csv/phases.csv")" ]' \
    'awk -F, "\$2 == \"time_s\" && (\$4 != \$7 || \$8 > \$9 || \$9 > \$10 || \$10 > \$11 || \$11 > \$12) { exit 1 }" "$tmp/csv/phases.csv"'
ok 'verdicts are those of the journal' same "$(awk -F, 'NR > 1 { sum += $2 } END { print sum + 0 }' "$tmp/csv/verdicts.csv")" "$(grep -c '"type":"verdict"' "$tmp/json")"
"$dolly" explain "$tmp/run" --json >"$tmp/facts"
ok 'CSV counts stragglers and rescued tasks as explain does' all '[ "$(jq .stragglers "$tmp/facts")" -gt 0 ]' \
    'same "$(awk -F, "NR > 1 { s += \$27; r += \$28 } END { print s, r }" "$tmp/csv/attempts.csv")" "$(jq -r "\"\(.stragglers) \(.beat_straggler)\"" "$tmp/facts")"'

ok 'stdout is -' all '"$dolly" report "$tmp/run" --trace - | jq -ce .traceEvents | same "$(md5sum)" "$(zcat "$tmp/trace.json.gz" | jq -ce .traceEvents | md5sum)"' \
    '"$dolly" report "$tmp/run" --nextflow - | cmp - "$tmp/trace.txt"' '[ ! -e - ]' \
    'refused "expected a folder, because it writes five files" "$tmp/run" --csv -' 'refused "room for one" "$tmp/run" --trace - --nextflow -'
ok 'counters are told where they change' all 'zcat "$tmp/trace.json.gz" | jq -e "
    [.traceEvents[] | select(.ph == \"C\")] | group_by(.name) | length > 2 and
    all([.[:-1], .[1:]] | transpose | all(.[0].args.value != .[1].args.value))" >/dev/null'

# A limit is compared with what it limits: clones with their budget, backups with their cap.
over_limit() { # column of a share, column of its limit: largest excess of a span where there is a limit, and how many have one
    awk -F, -v a="$1" -v b="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at[b] > 0 { n++; if ($at[a] > $at[b] * 1.001) over++ } END { print over + 0, (n > 20) }' "$3/series.csv"
}
"$dolly" sim --workload facebook --jobs 15 --policy dolly+late --seed 1 --journal "$tmp/both" >/dev/null 2>&1
"$dolly" report "$tmp/both" --csv "$tmp/both.csv" -o "$tmp/both.html" >/dev/null
ok 'what the clone budget counts stays below it' same "$(over_limit clones_percent clones_limit_percent "$tmp/both.csv")" '0 1'
ok 'extra attempts do not, and have no limit' all '[ "$(over_limit extra_percent clones_limit_percent "$tmp/both.csv")" != "0 1" ]' \
    'page "$tmp/both.html" -e "[.series[] | select(.limit) | .name] | index(\"held by clones\") != null and index(\"held by extra attempts\") == null" >/dev/null'

# ---- other journals ----

# What was used, in numbers of the run: slots, and CPU seconds, which are not the same.
"$dolly" map --dir "$tmp/idle" --pure --nodes 8x1 --chaos slow=0.3x4 --seed 3 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.2; : {}' ::: 1 2 3 4 >/dev/null 2>&1
"$dolly" report "$tmp/idle" --csv "$tmp/idle.csv" --trace "$tmp/idle.json" --nextflow "$tmp/idle.txt" -o "$tmp/idle.html" >/dev/null
ok 'no limit is drawn where clones take what is idle' all 'same "$(over_limit clones_percent clones_limit_percent "$tmp/idle.csv")" "0 0"' \
    'page "$tmp/idle.html" -e "[.series[].name] | index(\"held by clones\") == null" >/dev/null' '"$dolly" explain "$tmp/idle" --json | grep -q mitigate=shepherd'
ok 'slots in use, of all, and CPU seconds' all 'page "$tmp/idle.html" -e "
    (.series[] | select(.name == \"slots in use\") | .of == 8 and (.most | max) <= 8) and ([.series[].name] | index(\"CPU seconds a second\"))" >/dev/null'
"$dolly" journal "$tmp/idle/journal" --json | jq -s '[.[] | select(.cpu_us and (.type | test("attempt_(finished|failed|killed|lost)")))]' >"$tmp/ends"
ok 'CPU seconds of the strip are those of attempts' near "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    NR > 2 { sum += last * ($1 - from) } { last = $at["cpu_s_per_s"]; from = $1 } END { print sum * 1000 }' "$tmp/idle.csv/series.csv")" \
    "$(jq 'map(.cpu_us) | add / 1000' "$tmp/ends")" 15
ok 'CSV has what attempts used' same "$(awk -F, 'NR > 1 && $16 != "" { n++; cpu += $16; bytes += $18; rss += $19 } END { printf "%d %.0f %d %d", n, cpu * 1000000, bytes, rss }' "$tmp/idle.csv/attempts.csv")" \
    "$(jq -r '"\(length) \(map(.cpu_us) | add) \(map(.written_bytes) | add) \(map(.peak_rss_kib) | add)"' "$tmp/ends")"
ok 'and so has the trace of Nextflow' all '[ "$(awk -F"\t" "NR > 1 && \$6 == \"COMPLETED\" && \$13 > 0 && \$14 > 100000 && \$16 != \"-\" && \$17 != \"-\"" "$tmp/idle.txt" | wc -l)" = 4 ]'
ok 'slices are called by phase and task, and have all of it' jq -e '[.traceEvents[] | select(.ph == "X")] |
    (map(select(.args.kind == "first").name) | sort == ["map 1", "map 2", "map 3", "map 4"]) and
    all(.args | .job == 0 and .job_name == "map" and .phase == "map" and (.task | . >= 1 and . <= 4) and (.node | test("^n[0-7]$")) and
        (.command | test("sleep 0.2; : [1-4]$"))) and
    all(.args.kind != "clone" or .name == "map \(.args.task) (clone \(.args.attempt))")' "$tmp/idle.json"


"$dolly" map --dir "$tmp/map" --pure 'test {} != 2' ::: 1 2 3 >/dev/null 2>&1
ok 'the folder of a run' all 'same "$("$dolly" report "$tmp/map")" "$tmp/map/report.html"' \
    'page "$tmp/map/report.html" -e ".rows >= 3 and ([.columns[].name] | index(\"number\"))" >/dev/null'
ok 'the result is its headline, and when, where and how it ran stands below' all 'grep -qF "<h1 class=\"bad\">1 of 3 tasks failed</h1>" "$tmp/map/report.html"' \
    'grep -qF "<title>dolly: map: 1 of 3 tasks failed</title>" "$tmp/map/report.html"' \
    'grep "id=.origin." "$tmp/map/report.html" | grep -F " UTC · on $(uname -n) · " | grep -F ">policy shepherd</span>" |
        grep -qE "<code>dolly map --dir $tmp/map --pure .{1,5}test \{\} != 2.{1,5} ::: 1 2 3</code> · 3 tasks, 2 done, 1 failed"' \
    'grep -qF "Journal: $tmp/map/journal" "$tmp/map/report.html"' \
    'grep "id=.origin." "$tmp/run.html" | grep -qF "simulated · workload examples/mixed.workload · cluster examples/faulty.cluster · "'
saved=$("$dolly" explain "$tmp/run" --json | jq -r '.jobs as $n | "\($n) jobs, mean "')
ok 'of many jobs it is their mean' grep -qF "<h1>$saved" "$tmp/run.html"
ok 'and at most five sentences follow' all '[ "$(sed -n "/<ul id=.sentences.>/,/<.ul>/p" "$tmp/run.html" | grep -c "<li>")" -le 5 ]' \
    'grep -q "<li>Clones rescued [0-9]* of [0-9]* tasks" "$tmp/run.html"'
"$dolly" map --dir "$tmp/plain" -j2 --summary 'sleep 0.1; : {}' ::: 1 2 3 4 >/dev/null 2>"$tmp/err"
"$dolly" report "$tmp/plain" >/dev/null
ok 'the length of a run is that of its summary' same "$(sed -n 's|.*<span id="took">\([^<]*\)<.*|\1|p' "$tmp/plain/report.html")" \
    "$(sed -n 's/^dolly: 4 tasks in \(.*\): 4 done.*/\1/p' "$tmp/err")"
ok 'waves of tasks are no trouble' all '! grep -q "id=.causes." "$tmp/plain/report.html" || ! grep -A9 "id=.causes." "$tmp/plain/report.html" | grep -q "turn"'
"$dolly" map --dir "$tmp/single" --summary true ::: 1 >/dev/null 2>"$tmp/err"
"$dolly" map --dir "$tmp/five" -j2 false ::: 1 2 3 4 5 >/dev/null 2>&1
"$dolly" report "$tmp/five" -o "$tmp/five.html" >/dev/null
ok 'three failures stand before the picture, the others are unfolded' \
    same "$(grep -oE 'id="failed-too"|class="failure"|id="view"' "$tmp/five.html" | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')" \
    '3 class="failure" 1 id="failed-too" 2 class="failure" 1 id="view"'
ok 'one attempt is one' grep -q '1 task in .*: 1 done, 0 failed, 1 attempt$' "$tmp/err"
"$dolly" report --compare "$tmp/plain" "$tmp/plain" -o "$tmp/pair.html" >/dev/null
ok 'and one job is no average' all 'grep -q "<h1>.*plain: the job ends as soon as with .*plain" "$tmp/pair.html"' '! grep -q "1 jobs" "$tmp/pair.html"'
# Where arguments come while tasks run, what comes at once is a job of its own: to users all of it is one.
mkfifo "$tmp/args"
"$dolly" map --dir "$tmp/fed" -j2 'echo {}; : >"'"$tmp"'/done.{}"' <"$tmp/args" >/dev/null 2>&1 &
{
    echo 1
    for ((i = 0; i < 1500; i++)); do
        [ ! -e "$tmp/done.1" ] || break
        sleep 0.02
    done
    printf '2\n3\n'
} >"$tmp/args"
wait $!
"$dolly" report "$tmp/fed" >/dev/null
ok 'arguments that come one by one are one job' all 'page "$tmp/fed/report.html" -e "(.jobs | length) == 1 and .rows == 3" >/dev/null' \
    '[ "$("$dolly" journal "$tmp/fed/journal" | grep -c job_submitted)" -gt 1 ]'
hostile="$tmp/<img src=x onerror=alert(1)>&\"'</script><script>alert(2)</script>.j"
mkdir -p "$(dirname "$hostile")" && cp "$tmp/run" "$hostile"
"$dolly" report "$hostile" -o "$tmp/hostile.html" >/dev/null
ok 'hostile names are text' all '[ -s "$tmp/hostile.html" ]' '! grep -q "<img" "$tmp/hostile.html"' \
    '[ "$(grep -c "</script>" "$tmp/hostile.html")" = "$(grep -c "</script>" "$tmp/run.html")" ]' \
    'page "$tmp/hostile.html" -e ".journal | contains(\"<img src=x\")" >/dev/null'
head -c 20000 "$tmp/run" >"$tmp/torn"
"$dolly" report "$tmp/torn" >/dev/null 2>"$tmp/err"
ok 'a torn journal is told as far as it goes' all 'grep -q "The journal is torn" "$tmp/torn.html"' \
    'page "$tmp/torn.html" -e ".rows > 0" >/dev/null'
ok 'no journal' refused 'the journal.s file is missing'
ok 'not a journal' refused "not a journal" README.md
ok 'two journals' refused 'one journal at a time' "$tmp/run" "$tmp/torn"
ok 'a page that cannot be written is refused before anything is simulated' all '! "$dolly" sim --workload facebook --jobs 100000 \
    --policy none,late --report "$tmp/nowhere/x.html" >"$tmp/out" 2>"$tmp/err"' '[ ! -s "$tmp/out" ]' 'grep -q "cannot write .*nowhere/x.html: No such" "$tmp/err"'
ok 'the table is printed whatever becomes of the page' all '! "$dolly" sim --workload examples/wordcount.workload --policy none,dolly \
    --report /dev/full >"$tmp/out" 2>"$tmp/err"' 'grep -q "^dolly " "$tmp/out"' 'grep -q "cannot write /dev/full" "$tmp/err"'
ok 'one policy on a page' all '! "$dolly" sim --workload examples/wordcount.workload --policy none --report x.html 2>"$tmp/err"' \
    'grep -q "two to six policies" "$tmp/err"'
ok 'one journal to compare' refused 'two to six journals' --compare "$tmp/run"
ok 'seven journals to compare' refused 'at most 6' --compare "$tmp/run" "$tmp/run" "$tmp/run" "$tmp/run" "$tmp/run" "$tmp/run" "$tmp/run"
"$dolly" report "$tmp/run" -o "$tmp/no/such/folder.html" >"$tmp/out" 2>"$tmp/err"
ok 'a folder that is not there' all 'grep -q "cannot write .*folder.html: No such file" "$tmp/err"'
closing
