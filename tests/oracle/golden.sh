#!/bin/bash
# lane: computing; builds: gcc asan; needs: jq python3; limit: 300 s
# Recorded runs: tests/oracle/golden.sh build/dolly
#
# A few small simulations, each as a log of one line per event and decision that a person can follow.
# A change that moves any of them has changed what dolly does. So are the facts that dolly finds in such a run, and in
# small traces of each format. UPDATE=1 rewrites the logs; review the difference like code. Closes with `N passed, N
# failed`. Needs jq and python3.
set -u
dolly=$(realpath "${1:?usage: tests/oracle/golden.sh DOLLY}")
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
reads_json=jq # which keeps the order of keys

# seconds, event (<) or decision (>), type, job/phase/task.attempt, node, reason with its numbers
as_text='
    select(.record == "event" or .record == "decision")
    | [ (.t_us / 1000000 | tostring),
        (if .record == "event" then "<" else ">" end),
        .type,
        ([.job, .phase, .task | values | tostring] | join("/"))
            + (if .attempt then "." + (.attempt | tostring) else "" end),
        (if .node then "on " + (.node | tostring) else empty end),
        (if .why then .why | [.code] + [to_entries[] | select(.key != "code") | "\(.key)=\(.value)"]
            | join(" ") else empty end) ]
    | join(" ")'

record() { # name workload cluster policy
    local log=tests/oracle/golden/$1.log
    "$dolly" sim --workload "$2" --cluster "$3" --policy "$4" --journal "$tmp/$1" >"$tmp/out" 2>&1 &&
        "$dolly" journal "$tmp/$1" >"$tmp/json" && jq -r "$as_text" "$tmp/json" >"$tmp/log" || {
        cat "$tmp/out"
        : >"$tmp/log"
    }
    compare "$1" "$log"
}

# Compares what was left in $tmp/log with what was recorded.
compare() { # name log
    [ "${UPDATE:-0}" = 1 ] && [ -s "$tmp/log" ] && cp "$tmp/log" "$2"
    [ -s "$tmp/log" ] && diff -u "$2" "$tmp/log" >"$tmp/diff"
    report $? "$1" "UPDATE=1 make golden accepts this" || head -n 20 "$tmp/diff"
}

# The way to each value of an object, and the value. What is 0 or not known says nothing.
values='[paths(scalars) as $at | getpath($at) as $value | select($value != 0 and $value != null)
    | "\($at | map(tostring) | join(".")) \($value);"] | join(" ")'
folded() { fold -s -w 116 | sed 's| $||'; }
values() { jq -r "${1:-.} | $values" | folded; }

# Some of the lines, which a person can follow, and a sum over all of them.
some() { # script of sed
    sed 's|dolly [0-9][0-9.]*|dolly VERSION|' | tee "$tmp/all" | sed -n "$1"
    echo "all $(wc -l <"$tmp/all") lines: $(cksum <"$tmp/all" | cut -d ' ' -f 1)"
}

# The facts of a run in which much goes wrong, as JSON and as tables, and what a replay makes of them.
facts() {
    local of
    "$dolly" sim --workload tests/oracle/golden/storm.workload --cluster tests/oracle/golden/storm.cluster \
        --policy 'dolly+mantri;budget=idle' --journal "$tmp/journal" >/dev/null
    (cd "$tmp" && {
        for of in "" 0 0/0 0/0/0 0/1/1 1 2/1/0 3; do
            echo "explain $of"
            "$dolly" explain journal $of --json | values
        done
        "$dolly" report journal --csv csv
        for of in csv/*; do
            echo "$of" && some '1,20p; 21,${0~60p}' <"$of"
        done
        echo nextflow && "$dolly" report journal --nextflow - | some '0~5p'
        echo trace && "$dolly" report journal --trace - | jq -c '.traceEvents[]' | some '0~9p'
        echo replay && "$dolly" replay journal --policy none,late --variation luck --json |
            values 'del(.notes, .variations[].policies[]["wall_s", "peak_rss_kib"])'
    }) >"$tmp/log" 2>&1
    compare "the facts of a storm" tests/oracle/golden/storm.facts
}

# The text of a page, without styles, code and packed data, and the facts that its code draws: of long lists a few.
page() { # file
    sed -n '/<main>/,/<.main>/p' "$1" | grep -v '<script' | sed 's|</\(td\|th\)>| \||g; s|<[^>]*>||g; /^ *$/d'
    sed -n 's|.*<script type="application/json" id="[^"]*">\(.*\)</script>|\1|p' "$1" |
        values 'walk(if type == "array" and length > 9 then [.[range(0; length; 1 + (length / 9 | floor))]] else . end)'
}

shown() { # words of a command
    echo "\$ dolly $*"
    "$dolly" "$@" || echo "status $?"
}

# The same storm, its first half, and another policy in it.
storm="--workload storm.workload --cluster storm.cluster"
storms() {
    cp tests/oracle/golden/{storm,gale}.{workload,cluster} "$tmp" && cd "$tmp" &&
        "$dolly" sim $storm --policy 'dolly+mantri;budget=idle' --journal storm >/dev/null &&
        "$dolly" sim $storm --policy 'late;cap=1;floor=1s' --seed 3 --journal late >/dev/null &&
        head -c $(($(stat -c %s storm) / 2)) storm >half &&
        "$dolly" sim --workload gale.workload --cluster gale.cluster \
            --policy 'dolly;budget=cluster;beta=0.3;failures_max=2;launches_max=6' --journal gale >/dev/null
}

# Their stories ...
words() {
    local of
    for of in "" 0 0/map 0/map/0 0/reduce/1 1 1/0/2 2 2/0 2/0/3 2/1/0 3 nope 0/9 0/0/99; do
        shown explain storm $of
    done
    for of in "" 0 1 2; do shown explain half $of && shown explain late $of; done
    for of in storm half; do
        shown journal $of --stats
        shown journal $of --verify
        shown top $of --once
    done
    shown top half --once --json | sed 1d | values
}

# ... those of jobs that fail in several ways ...
failures() {
    local of
    for of in "" {0..9} 0/0/2 3/1 4/0/8 5/0 7/0/2 nope 3/nope; do shown explain gale $of; done
    shown journal gale --stats --json --warmup 1s | sed 1d | values
    shown report gale -o gale.html && page gale.html | some '0~2p'
}

read_up_to() { # address, token, turn
    [ "$(curl -sS -m 60 -H "Authorization: Bearer $2" "${1}api/v1/run" | jq .turn)" = "$3" ]
}
export -f read_up_to

# ... the answers of `dolly watch` while the first half is all that is there, and about a run that is over ...
asked() { # run, paths
    local path url token turns watching run=$1
    [ -s "$run" ] || return # no run, nothing to wait for
    rm -f url token
    "$dolly" watch "$run" --token-file token >url 2>&1 &
    watching=$!
    await 60 'an address' filled url
    url=$(sed -n '1s/#.*//p' url) token=$(cat token) turns=$("$dolly" top "$run" --once --json | jq .turn)
    await 60 'all of it' read_up_to "$url" "$token" "$turns"
    for path in "${@:2}"; do
        echo "$path"
        curl -sS -m 60 -H "Authorization: Bearer $token" "${url}api/v1/$path" >answer
        jq -r "del(.policy?) | $values" answer 2>/dev/null >values && [ -s values ] && folded <values || cat answer
    done
    curl -sS -m 60 -H "Authorization: Bearer $token" "${url}metrics" |
        grep -vE 'build_info|age_seconds|_cpu_|process_|resident' | sed 's/\(timestamp.*}\) .*/\1 then/'
    kill "$watching"
}
answers() {
    asked half run jobs jobs/0 jobs/0/phases/0 jobs/0/phases/0/tasks jobs/0/phases/0/tasks/0 attempts failures nodes \
        verdicts "series?steps=5" "jobs?state=done" "jobs/0/phases/0/tasks?state=running" jobs/7 \
        jobs/0/phases/0/tasks/99 "jobs?limit=1" "jobs?after=0&limit=1" "jobs?state=open" "jobs?state=failed" \
        "jobs/0/phases/0/tasks?after=9" "jobs/0/phases/0/tasks?state=done&after=2&limit=2" \
        "jobs/0/phases/1/tasks?state=waiting" jobs/0/phases/3 jobs/1/phases/1 jobs/1/phases/0/tasks/5 \
        "series?from=1&to=2.5&steps=2" "series?from=3&to=2" "series?from=99" jobs/0/phases/0/tasks/0/stderr nope \
        "jobs?limit=0" "jobs?state=nope" "run?limit=1"
    head -c $(($(stat -c %s late) * 6 / 10)) late >most # its end can be foreseen
    asked most run attempts | some '0~9p'
    asked gale run jobs "jobs?state=failed" "jobs?state=done&after=1&limit=2" jobs/3 jobs/5/phases/0/tasks failures \
        nodes attempts verdicts "series?from=5&steps=3" | some '0~4p'
}

# ... and what becomes of them under other policies, in tables and on pages.
tables() {
    local of
    shown whatif storm --no-stragglers --policy late
    shown whatif $storm --no-stragglers --json | sed 1d | values
    shown replay late --policy none,dolly --wide
    shown replay half --policy none,dolly
    shown advise late --policy late,dolly --seeds 2
    shown advise storm --policy late,dolly --seeds 2 --json | sed 1d | values
    shown sim $storm --policy 'none,dolly;budget=idle,late' --seeds 2 --wide --phases --estimates --yardstick noskew
    shown sim $storm --policy none,late --json --detail | sed 1d | values 'del(.. | objects["wall_s", "peak_rss_kib"])'
    shown workload facebook --jobs 3
    shown workload google --stats --jobs 50
    shown workload google --stats --jobs 50 --seed 2 --json | some '1~400p'
    for of in "--p 0.15 --n 10" "--p 0.05 --n 150 --c 2 --json" "--mean 40 --dev 30 --c 3" "--mean 40 --dev 30 --json" \
        "--alpha 2.5 --n 8" "--p 0 --n 1" "--alpha 1 --n 3" "--p 2 --n 1"; do
        shown model $of
    done
    ln -s "$traces" traces # lines are broken by the lengths of names
    shown trace stats traces/trace_{spark,google_events}/many --assume failed=time
    shown report storm -o storm.html && page storm.html
    shown report late -o late.html && page late.html | some '0~2p'
    shown report half late --compare -o two.html && page two.html | some '0~3p'
}

# The first parts of both storms, of which less and less is known: pictures, facts and tables.
parts() {
    local of run
    for run in storm gale late; do
        for of in 2 4 6 8; do
            head -c $(($(stat -c %s $run) * of / 10)) $run >part
            { shown top part --once && shown explain part; } 2>&1 | some '1~4p'
            { "$dolly" top part --once --json && "$dolly" explain part --json; } 2>&1 | values | some '0~30p'
            "$dolly" report part --csv table 2>&1
            cat table/{attempts,jobs,phases,verdicts}.csv | some '0~90p'
        done
    done
}

# Each phase and task of both storms: a sum over its text and its facts.
tasks() {
    local of run
    for run in storm gale; do
        "$dolly" report $run --csv table
        for of in $(cut -d , -f 1-3 table/attempts.csv | sed 1d | tr , '\n' | paste -d / - - - |
            sed 'p; s|/[^/]*$||' | sort -Vu); do
            { "$dolly" explain $run $of && "$dolly" explain $run $of --json; } >all 2>&1
            echo "$run $of: $(wc -l <all) lines, $(cksum <all | cut -d ' ' -f 1)"
        done
    done
}

# Traces under other assumptions, and in a simulated cluster: sums of each.
assumed="block=1K shuffle_block=2K rate=3K base=2s span=0.5 cpu=2 machine_cpu=8 machine_mem=16G failed=time tail=1.2
    tail_max=3 load=0.8 node_cpu=3 stragglers=none single=trace replicas=2 hosts=drawn gang=whole"
uses() {
    local of file assume
    "$dolly" report storm --nextflow storm.txt
    assume=$(printf ' --assume %s' $assumed)
    cp -r "$traces"/trace_* . # lines are broken by the lengths of names
    for file in storm gale half storm.txt trace_*/{small,many,hosts,deep,blanks,two,shared-names}; do
        [ -s "$file" ] || continue
        echo "$file"
        for of in "trace stats FILE$assume" "trace convert FILE$assume --variation bytes --sort" \
            "trace convert FILE --strict --variation luck --cluster 4x2" "sim --trace FILE --policy none,late --wide" \
            "sim --trace FILE$assume --scale time=2,cluster=2 --window 0s-20s --policy none --json"; do
            "$dolly" ${of//FILE/"$file"} 2>&1 | grep -vE '"(wall_s|peak_rss_kib)"' >all
            echo "  $(wc -l <all) lines, $(cksum <all | cut -d ' ' -f 1)"
        done | paste -d ';' - - - - -
    done
}

# Words of commands, one a line, and the files that they write: a sum over each. Of a page the text counts.
sums() {
    local words file
    while read -r words; do
        rm -rf out*
        { eval "\"\$dolly\" $words" || echo "status $?"; } >all 2>&1
        for file in out*; do [ ! -f "$file" ] || { echo "$file" && zcat -f "$file"; } >>all; done
        ! grep -q '<main>' all || sed -i '/<main>/,/<.main>/!d; /<script/d' all
        echo "$words: $(wc -l <all) lines, $(sed '/wall_s\|peak_rss_kib/d; s|dolly [0-9][0-9.]*|dolly VERSION|' all |
            cksum | cut -d ' ' -f 1)"
    done
}

# A model, the same storm under each recipe, and options that the others do not need.
cat >"$tmp/small.model" <<'end'
model small cluster=small.cluster jobs=20 warmup=5s then=nothing
arrivals every=2s surge=0 window=1h
mix cpu_noise=0.1 mem_noise=0 size_noise=0.2 task_noise=0.3
job one
  phase map tasks=3 size=3s input=1M
  phase reduce tasks=1 after=map size=2s
job two
  phase all tasks=5 size=4s
end
cat >"$tmp/small.cluster" <<'end'
nodes n[0-3] cpu=2 x=3
luck noise=0.5
end
options() {
    local recipe of
    for recipe in $("$dolly" policies --json | jq -r '.recipes[].name'); do
        echo "$recipe" && rm -f recipe
        "$dolly" sim $storm --policy "$recipe" --journal recipe >/dev/null
        { for of in "" 0 2/map/1; do "$dolly" explain recipe $of; done && "$dolly" journal recipe; } |
            some ''
    done
    head -c 9999 storm >torn
    sums <<end
policies --json | jq 'del(.. | .help?)'
journal storm
journal torn
journal torn --stats
journal torn --stats --json
journal torn --verify
journal torn --verify --json
journal gale --stats --json --warmup 2s --jobs 3
explain storm sort
explain storm sort/map --json
explain gale delta
sim $storm --policy none,late --seeds 2 --json --yardstick noskew,no-stragglers=median
sim $storm --policy none,dolly --report out.html
sim --workload small.model --policy none,dolly
sim --workload small.model --policy none --jobs 7 --warmup 1s --json
sim --workload small.model --policy none --scale load=2 --expect none
sim --workload small.model --policy dolly --expect exact --expect-error 0.2 --parallel 1
sim --workload small.model --policy none --expect most
sim --workload google --jobs 20 --policy none
sim $storm --policy none --detail --json --seeds 2
sim --workload nope.workload
workload small.model --jobs 3
workload small.model --jobs 3 --scale load=2
workload small.model --stats
workload google
workload nope
workload facebok
workload facebook bing
workload
model --p 0.2 --n 20 --eps 0.01
model --p 0.2 --mean 3
model --eps 0.2 --alpha 3
model --dev 3
model --mean 3
model --alpha 3 --n 4 --json
model --alpha x
model --p 0.9 --n 100000
model --p 0.1
report storm --trace out.json --trace-max 30K
report gale --trace out.json.gz --trace-max 20K
report gale --trace out --trace-max 20K
report storm --nextflow out.gz
report storm --trace no/such
report storm --nextflow no/such
report storm --csv no/such
report storm -o no/such
report storm -o -
report --compare late storm half -o -
report --compare storm storm -o -
report --compare gale storm -o out.html
report
replay torn
replay late --policy none,late --seeds 2 --json
replay late --policy none --baseline none
replay gale --policy none --variation luck
replay gale --policy none --variation bytes
replay nope
replay
whatif gale --no-stragglers
whatif gale --no-stragglers --policy late --json
whatif --no-stragglers --workload small.model --jobs 20 --policy dolly
whatif storm --no-stragglers --workload small.model
whatif half --no-stragglers --variation size
whatif nope --no-stragglers
advise gale --seeds 1
advise late --policy dolly --json
sim $storm --set launches_max=9 --json
advise half --policy dolly --seeds 2 --json
advise storm.txt --policy late --seeds 2 --cluster 2x2
advise storm.txt --policy late --seeds 1 --json
advise nope
advise
end
}

# More jobs, phases, tasks, nodes and failures than a page or a screen has room for.
crowd() {
    local i policy
    for i in {1..60}; do
        echo "job j$i at=${i}s"
        echo "  phase p$i tasks=$((3 + i % 7)) sizes=2s,3s,$((1 + i % 9))s"
        echo "  phase q$i tasks=2 after=p$i size=2s"
    done >crowd.workload
    echo "job big at=61s
  phase all tasks=1100 sizes=1s,2s,3s,4s,5s,6s,7s,8s,9s,10s,40s" >>crowd.workload
    echo "nodes n[1-60] cpu=3
luck noise=0.3 bad_share=0.1 bad_factor=3 window=20s
faults node_mtbf=300s node_repair=5s attempt_fail_p=0.05 report_every=2s" >crowd.cluster
    for policy in none "late;cap=1" "dolly;budget=cluster;beta=0.2"; do
        rm -f "crowd.${policy%%;*}"
        "$dolly" sim --workload crowd.workload --cluster crowd.cluster --policy "$policy" \
            --journal "crowd.${policy%%;*}" >/dev/null
        "$dolly" report "crowd.${policy%%;*}" -o crowd.html && page crowd.html | some '0~40p'
        head -c 300000 "crowd.${policy%%;*}" >part
        { "$dolly" top part --once && "$dolly" top part --once --json; } | some '1~400p'
    done
    "$dolly" report crowd.{none,late,dolly} --compare -o crowd.html && page crowd.html | some '0~20p'
    sums <<end
explain crowd.none
explain crowd.late
explain crowd.dolly
explain crowd.late big
explain crowd.late big/all
explain crowd.late big/all --json
explain crowd.dolly j50
report crowd.late --csv out && cat out/*.csv
report crowd.dolly --trace out.json --trace-max 2M
replay crowd.late --policy none --variation luck
trace stats crowd.dolly
end
}

# Statistics of each trace, and the jobs that it becomes.
traces() {
    local file
    for file in tests/fuzz/seeds/trace_*/small tests/fuzz/seeds/trace_*/many; do
        echo "$file"
        "$dolly" trace stats "$file" --json |
            values '(.assumptions |= map(select(.touched > 0) | {key, value, touched}))'
        "$dolly" trace convert "$file" | grep -v '^#'
    done >"$tmp/log" 2>&1
    compare "small traces of each format" tests/oracle/golden/traces.log
}

record wordcount-none examples/wordcount.workload 10x2 none
record late-reports tests/oracle/golden/late.workload tests/oracle/golden/late.cluster 'late;floor=1s;cap=1;slow_node=0'
record commands-dolly examples/commands.workload 20x2 'dolly;budget=idle'
facts
(storms)
for of in words failures answers parts tasks tables uses options crowd; do
    [ $of != answers ] || command -v curl >/dev/null || { skip 'the answers about a storm' 'no curl here' && continue; }
    (traces=$PWD/tests/fuzz/seeds && cd "$tmp" && $of) 2>&1 |
        sed "s|dolly [0-9][0-9.]*|dolly VERSION|; s|$PWD/||g" >"$tmp/log"
    compare "the $of about a storm" tests/oracle/golden/storm.$of
done
traces

tools/picture "$dolly" >"$tmp/run.svg" 2>"$tmp/diff"
[ "${UPDATE:-0}" = 1 ] && [ -s "$tmp/run.svg" ] && cp "$tmp/run.svg" docs/start/run.svg
cmp -s "$tmp/run.svg" docs/start/run.svg
report $? "the picture of README.md" "UPDATE=1 make golden accepts this: $(head -n 1 "$tmp/diff")"

# What the picture has to show of a run, by dolly explain, which counts for itself.
shown() { # title journal
    "$dolly" explain "$2" --json | jq -r --arg title "$1" '([.attempts[].launched] | add) as $launched
        | "\($title) | \(.mean_s * 10 | round / 10) s | \($launched) attempts, \(.slot_s | round) slot-seconds |"
          + " \($launched) bars, \($launched - .tasks_done) lost"'
}
for run in without with; do
    shown "$run clones" "examples/recorded/$run-clones.journal"
done >"$tmp/runs"
[ -s "$tmp/runs" ] && python3 tests/oracle/picture.py docs/start/run.svg >"$tmp/drawn" 2>&1 &&
    diff "$tmp/runs" "$tmp/drawn" >"$tmp/diff"
report $? "the picture has the numbers of its journals" "$(head -n 4 "$tmp/diff" "$tmp/drawn" | tr '\n' ' ')"
# Readers who do not see the picture read its times.
alt=$(awk -F ' [|] ' '{ printf "%s%s, %s", (NR > 1 ? ", and " : ""), $1, $2 }' "$tmp/runs")
[ -n "$alt" ] && grep -qF "$alt:" README.md && grep -qF "$alt:" docs/start/index.md
report $? "the words for the picture have its times" "$alt"

closing
