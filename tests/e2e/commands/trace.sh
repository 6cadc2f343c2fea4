#!/bin/bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# trace.sh - `dolly trace`: every way in which a trace may come gives the same jobs, and bad input gives one
# clear line.
#
#     bash tests/e2e/commands/trace.sh build/dolly
set -u
dolly=$(realpath "$1")
cd "$(dirname "$0")/../../.." || exit 1
tmp=$(mktemp -d) || exit 1
. tests/lib/checks.sh
cd "$tmp" || exit 1

digest() {
    "$dolly" trace stats "$@" --json | jq -r .digest
}

refused() { # pattern arguments: exit 2 and one line that fits
    local pattern=$1 text status
    shift
    text=$(timeout 60 "$dolly" trace "$@" 2>&1 >/dev/null)
    status=$?
    [ "$status" -eq 2 ] && [ "$(wc -l <<<"$text")" -le 2 ] && grep -qE "$pattern" <<<"$text" || {
        echo "  exit $status: $text"
        return 1
    }
}

# ---- a trace of 2000 attempts of 200 jobs, in two parts ----

awk 'BEGIN {
    for (i = 0; i < 2000; i++) {
        job = i % 200; task = int(i / 200); at = job * 7000000 + 1000000
        how = i % 17 == 3 ? 2 : 4; time = (i * 7919 % 991 + 1) * 100000
        printf "%d,,%d,%d,,0,u,0,2,0.0625,0.01,,0\n", at, job, task
        printf "%d,,%d,%d,%d,1,u,0,2,0.0625,0.01,,0\n", at + 500000, job, task, i % 50
        printf "%d,,%d,%d,%d,%d,u,0,2,0.0625,0.01,,0\n", at + 500000 + time, job, task, i % 50, how
    }
}' >whole.csv
head -3000 whole.csv >a.csv
tail -n +3001 whole.csv >b.csv

want=$(digest whole.csv)
ok "the digest is there" grep -qE '^[0-9a-f]{16}$' <<<"$want"
ok "parts in either order are the whole" [ "$(digest a.csv b.csv) $(digest b.csv a.csv)" = "$want $want" ]
"$dolly" trace stats whole.csv a.csv --json >twice.json
ok "what is there twice counts once, and is said" jq -e --arg want "$want" '.digest == $want and .bad == 3000 and
    .troubles[0].kind == "duplicate"' twice.json
gzip -k whole.csv
# Without these programs the text itself takes the place of what they would have packed.
zstd -q whole.csv 2>/dev/null || cp whole.csv whole.csv.zst
xz -k whole.csv 2>/dev/null || cp whole.csv whole.csv.xz
tar czf parts.tar.gz b.csv a.csv
ok "gzip is known" [ "$(digest whole.csv.gz)" = "$want" ]
ok "zstd is known" [ "$(digest whole.csv.zst)" = "$want" ]
ok "xz is known" [ "$(digest whole.csv.xz)" = "$want" ]
ok "an archive is a trace" [ "$(digest parts.tar.gz)" = "$want" ]
base64 -d >two.zip <<'ZIP'
UEsDBBQAAAAIAAAAISgHi5tyHwAAACAAAAAGAAAAejEudHN2y8pPMuA0sQQhQwMTC1NzMwMDTiMDS3NDUyMDTlMuAFBLAwQUAAAACAAAACEoxnTTGhEA
AAARAAAABgAAAHoyLnRzdsvKTzLkNDPgNDTkNABCUy4AUEsBAhQDFAAAAAgAAAAhKAeLm3IfAAAAIAAAAAYAAAAAAAAAAAAAAIABAAAAAHoxLnRzdlBL
AQIUAxQAAAAIAAAAISjGdNMaEQAAABEAAAAGAAAAAAAAAAAAAACAAUMAAAB6Mi50c3ZQSwUGAAAAAAIAAgBoAAAAeAAAAAAA
ZIP
printf 'job0\t49\t49\t104857600\t20971520\t5\njob1\t60\t11\t0\t0\t5\n' >two.tsv
ok "so is one of zip, also from a pipe" [ "$(digest two.zip) $(digest - <two.zip)" = "$(digest two.tsv) $(digest two.tsv)" ]
ok "a pipe is a trace" [ "$(digest - <whole.csv.gz)" = "$want" ]
ok "also one that brings 97 bytes at a time" [ "$(dd if=whole.csv bs=97 status=none | digest -)" = "$want" ]
ok "in one MiB of memory, too" [ "$(digest whole.csv --memory 1M)" = "$want" ]

# ---- converted, and read again ----

"$dolly" trace convert whole.csv --variation luck >jobs.workload
ok "200 jobs are converted" [ "$(grep -c ^job jobs.workload)" = 200 ]
ok "what was converted runs" speaks "$dolly" sim --workload jobs.workload --cluster 20x64 --policy none --json
ok "the reading is kept" grep -q 'vary=luck' jobs.workload

# ---- in order already ----

seq 1 500 | awk '{ printf "job%d\t%d\t3\t%d\t%d\t5\n", $1, $1 * 3, $1 * 99999999, $1 % 3 * 99999999 }' >swim.tsv
ok "a trace in order is not sorted" [ "$("$dolly" trace stats swim.tsv --json | jq .spooled)" = false ]
ok "sorting does not change it" [ "$(digest swim.tsv)" = "$(digest swim.tsv --sort)" ]
ok "a pipe does not either" [ "$(digest swim.tsv)" = "$(cat swim.tsv | digest -)" ]
# The first job twice, one more of its name at that time, and one at another.
printf 'a\t5\t5\t1\t0\t1\na\t5\t5\t1\t0\t1\na\t5\t5\t7\t3\t1\na\t9\t4\t1\t0\t1\n' >again.tsv
for how in '' --sort; do
    ok "a job that is there twice is one, and others of its name are others $how" \
        jq -e '.stats.jobs == 3 and .bad == 1 and .troubles[0].kind == "duplicate" and .troubles[0].first == "again.tsv:2"' \
        <("$dolly" trace stats again.tsv --json $how)
done
ok "in the same order" [ "$(digest again.tsv)" = "$(digest again.tsv --sort)" ]
seq 1 20000 | awk '{ printf "job%d\t5\t0\t%d\t0\t5\n", $1 * 7919 % 20011, $1 }' >crowd.tsv
ok "many jobs of one time are sorted where they do not fit" [ "$("$dolly" trace stats crowd.tsv --memory 1M --json |
    jq -c '[.spooled, .digest, .rows, .stats.jobs]')" = "$("$dolly" trace stats crowd.tsv --json |
    jq -c '[(.spooled | not), .digest, .rows, .stats.jobs]')" ]
ok "an assumption changes jobs" [ "$(digest swim.tsv)" != "$(digest swim.tsv --assume block=1G)" ]
ok "what it touched is said" \
    [ "$("$dolly" trace stats swim.tsv --json | jq '.assumptions[] | select(.key == "block").touched')" = 500 ]

printf 'a\t0\t0\t99\t0\t5\nb\t1\t1\t99\t0\t5\nc\t3\t2\t99\t0\t5\nd\t7\t4\t99\t0\t5\n' >gaps.tsv
ok "times between arrivals" jq -e '.stats | .arrivals_s == 7 and (.gap_mean_s * 100 | floor) == 233 and (.gap_cv * 100 | floor) == 53' \
    <("$dolly" trace stats gaps.tsv --json)
ok "and as people read them" grep -qxE ' *2\.33  time between arrivals, mean, s' <("$dolly" trace stats gaps.tsv)

"$dolly" trace stats swim.tsv >swim.txt
ok "all assumptions are said, also those that touched nothing" bash -c "[ -s swim.txt ] || exit 1
    '$dolly' trace formats --json | jq -r '.assumptions[].key' | while read -r key; do
        grep -qE \"(^ *|[ ,])\$key=\" swim.txt || exit 1
    done"

# ---- rolled logs of Spark ----

event() { # name rest
    printf '{"Event":"SparkListener%s",%s}\n' "$1" "$2"
}
ended() { # stage task end
    event TaskEnd '"Stage ID":'"$1"',"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":'"$2"',"Launch Time":1000,"Finish Time":'"$3"'}'
}
{
    event LogStart '"Spark Version":"4.0.0"'
    event ApplicationStart '"App Name":"a","App ID":"app-1","Timestamp":1,"User":"u"'
    event JobStart '"Job ID":0,"Submission Time":1,"Stage IDs":[0,1]'
    event StageSubmitted '"Stage Info":{"Stage ID":0,"Parent IDs":[]}'
    for i in $(seq 0 25); do ended 0 "$i" $((2000 + i)); done
    event StageSubmitted '"Stage Info":{"Stage ID":1,"Parent IDs":[0]}'
    ended 1 0 9000
} >spark.log
mkdir -p logs/eventlog_v2_app-1
for i in $(seq 1 11); do # three lines each
    sed -n "$((i * 3 - 2)),$((i * 3))p" spark.log >"logs/eventlog_v2_app-1/events_${i}_app-1"
done
: >logs/eventlog_v2_app-1/appstatus_app-1
rolled=logs/eventlog_v2_app-1
want_rolled=$(digest spark.log)
ok "a rolled log is what it would be in one file" [ "$(digest $rolled) $("$dolly" trace stats $rolled --json |
    jq -c '[.stats.jobs, .stats.edges, .stats.tasks, .bad]')" = "$want_rolled [1,1,27,0]" ]
ok "also by its files, in any order" [ "$(digest $(printf '%s\n' $rolled/events_* | tac))" = "$want_rolled" ]
ok "and by the folder above" [ "$(digest logs)" = "$want_rolled" ]
(cd $rolled && tar cf ../../rolled.tar $(ls events_* | sort -t _ -k 2n) appstatus_app-1 && tar cf ../../mixed.tar events_*)
ok "in an archive that has them in order" [ "$(digest rolled.tar)" = "$want_rolled" ]
ok "in one that has not, it is refused" refused 'must come after file [0-9]*; give the folder of the log, unpacked' stats mixed.tar
cp -r $rolled gap && rm gap/events_4_app-1
ok "so is one with a file missing" refused 'events_5_app-1: file 5 of a log must come after file 4' stats gap
ok "and a file by itself" refused 'file 2 of a log must come after file 1' stats $rolled/events_2_app-1
cp -r $rolled packed && cat $rolled/events_{1,2,3}_app-1 >packed/events_3_app-1.compact && echo damaged >packed/events_2_app-1
ok "what was compacted counts once" [ "$(digest packed)" = "$want_rolled" ]
# The first line of the log, stored in a block of lz4-java's and packed in one of snappy-java's, and the rest plain: of a
# log of two files each may be packed as it likes.
line='{"Event":"SparkListenerLogStart","Spark Version":"4.0.0"}'
{ printf 'LZ4Block\x16\x3a\0\0\0\x3a\0\0\0\x4c\xcb\x22\x09%s\n' "$line"; printf 'LZ4Block\x16\0\0\0\0\0\0\0\0\0\0\0\0'; } >lz4.raw
{ printf '\x82SNAPPY\0\0\0\0\1\0\0\0\1\0\0\0\x3c\x3a\xe4%s\n' "$line"; } >snappy.raw
for codec in lz4 snappy; do
    mkdir packed.$codec
    cp $codec.raw packed.$codec/events_1_app-1.$codec
    tail -n +2 spark.log >packed.$codec/events_2_app-1
    ok "logs that Spark packed with $codec are read" [ "$(digest packed.$codec)" = "$want_rolled" ]
    ok "also through a pipe" [ "$("$dolly" trace stats - <packed.$codec/events_1_app-1.$codec 2>&1)" = \
        'dolly: -: has no jobs: it looks like spark, but no task in it ran' ]
done
printf 'LZ4Block\x16\x3a\0\0' >cut.lz4
ok "and one that is cut off says where" refused 'cut.lz4: the lz4 block at byte 0 is cut off' stats cut.lz4
sed 's/4.0.0/4.0.1/' lz4.raw >wrong.lz4
ok "and one whose checksum is wrong" refused 'wrong.lz4: the lz4 block at byte 0 is damaged: its checksum' stats wrong.lz4
mkdir two && cp spark.log two/a && sed 's/app-1/app-2/' spark.log >two/b
ok "a folder of two logs is a trace of both" [ "$("$dolly" trace stats two --json | jq .stats.jobs)" = 2 ]
mkdir empty && : >empty/.hidden
ok "one without files is refused" refused 'empty: is a folder without files' stats empty
mkdir -p deep/er && cp spark.log deep/log
ok "and one with a folder in it" refused 'deep/er: not a file' stats deep

# ---- simulated ----

echo 'nodes n[1-9] cpu=16 mem=64G' >nine.cluster
simulate() {
    "$dolly" sim "$@" --policy none,dolly --json
}
simulate --trace whole.csv --set beta=0.5 >both.json
ok "both readings run" [ "$(jq -c '[.variations[].variation]' both.json)" = '["luck","size"]' ]
ok "without copies they are the same" \
    [ "$(jq '[.variations[].policies[0].digest] | unique | length' both.json)" = 1 ]
ok "with copies they differ" [ "$(jq '[.variations[].policies[1].digest] | unique | length' both.json)" = 2 ]
ok "jobs are there one by one, if wanted" jq -e '.variations[1].policies[1].each_job | (.jct_s | length) == 10' \
    <(simulate --trace whole.csv --window 70s-140s --detail)
ok "the cluster and the load are said" jq -e '(.variations[0].cluster | test("load of 50 %")) and
    ([.assumptions[] | select(.key == "load")][0].touched == 1) and .censored > 0' both.json
# 100 s of work that was done and, a minute later, 300 s of which nobody saw the end.
{
    printf '#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_instance_s\tplan_cpu\tcpu_usage\tplan_mem\tmem_usage\n'
    printf 'j1\tM1\t10\tTerminated\t100\t110\t10\t10\t100\t-1\t1\t-1\n'
    printf 'j1\tR2_1\t10\tWaiting\t0\t0\t0\t1\t100\t-1\t1\t-1\n'
    printf 'j2\tM1\t10\tRunning\t160\t190\t30\t30\t100\t-1\t1\t-1\n'
} >cut.tsv
of_cut() {
    "$dolly" sim --trace cut.tsv --assume tail_max=1 --policy none "$@"
}
ok "how much of the work was cut short is that of the window" [ "$(for window in 0- 0-30s 30s-; do
    of_cut --window $window --json | jq -c '[.censored, .censored_work]'
done | paste -sd ' ')" = '[1,0.75] [0,0] [1,1]' ]
ok "and stands below the table, also where it is nothing" [ "$(grep -h 'cut short in the trace' \
    <(of_cut) <(of_cut --window 0-30s) | cut -c 1-6 | paste -sd ' ')" = '75.0 % 0.0 % ' ]
ok "and in what is converted" grep -qx '# 75.0 % of the work, cut short in the trace, is drawn (1 attempt or phase).' \
    <("$dolly" trace convert cut.tsv --assume tail_max=1)
fits() { # what is printed for people, in each reading and with each note
    local reading
    for reading in luck size bytes both; do
        "$dolly" sim --trace whole.csv --policy none,dolly --variation $reading --cluster nine.cluster
        of_cut --variation $reading
    done >wide
    [ "$(grep -c 'cut short in the trace' wide)" = 8 ] && ! grep -nE '.{81}' wide
}
ok "no line of it is longer than 80 columns" fits
ok "a pipe is enough for several policies" \
    [ "$(simulate --trace - --variation luck --set beta=0.5 <whole.csv.gz | jq -c '[.variations[].policies[].digest]')" = \
    "$(jq -c '[.variations[0].policies[].digest]' both.json)" ]
ok "all jobs fit" jq -e '.policies[0].jobs_failed == 0' <(simulate --workload jobs.workload --cluster nine.cluster)
ok "what was converted is what is simulated" [ "$(simulate --workload jobs.workload --cluster nine.cluster --set beta=0.5 |
    jq -c '[.policies[].mean_jct_s]')" = "$(simulate --trace whole.csv --variation luck --cluster nine.cluster --set beta=0.5 |
    jq -c '[.variations[0].policies[].mean_jct_s]')" ]
ok "a window has the jobs that arrive in it" \
    [ "$(simulate --trace whole.csv --window 70s-140s --variation size | jq '.variations[0].jobs')" = 10 ]
ok "twice the load and half the time are the same in half the time" \
    [ "$(simulate --trace whole.csv --scale load=2,time=0.5 --cluster nine.cluster --variation size |
        jq '.variations[0].policies[0] | .mean_jct_s * 2000 | round')" = \
    "$(simulate --trace whole.csv --cluster nine.cluster --variation size |
        jq '.variations[0].policies[0] | .mean_jct_s * 1000 | round')" ]
ok "a trace without times of tasks has one reading, and luck" \
    [ "$(simulate --trace swim.tsv --window 0-60s | jq -c '[.variations[] | .jobs]')" = '[20]' ]

# ---- the load of clusters that are made ----

# Jobs of so many tasks, of equal times: arrival, tasks and time in s to a line.
jobs_of() {
    awk '{ printf "%s %d %s", $1, $2, $3; for (i = 0; i < $2; i++) printf " %s", $3; print "" }'
}
seq 0 10 4000 | sed 's/$/ 4 30/' | jobs_of >steady.tr # 12 tasks run at any time
{ seq 0 10 1000 | sed 's/$/ 1 30/'; seq 1010 10 2000 | sed 's/$/ 9 30/'; } | jobs_of >uneven.tr
{ seq 0 10 400 | sed 's/$/ 4 30/'; echo 400 4 4000; } | jobs_of >tail.tr
seq 1 500 | awk '{ printf "job%d\t%d\t20\t%d\t0\t0\n", $1, $1 * 20, 999999999 }' >luck.tsv
{ for i in 1 2 3 4; do echo 0 10 30; done; echo 0 5 60; } | jobs_of >once.tr # 1500 slot-seconds in 60 s
load() { # pattern arguments...: "slots: load while jobs arrived, until the last ended" fits
    local pattern=$1 text
    shift
    text=$("$dolly" sim "$@" --policy none --json | jq -r '(.variations[0] // .) | .policies[0] | def p: if . == null then "-" else
        . * 100 | round end; "\(.resources[0].capacity): \(.load_arriving | p) \(.load_mean | p)"')
    grep -qxE "$pattern" <<<"$text" || { echo "$text"; return 1; }
}
ok "a cluster that is made has its load" load '24: (49|50) (49|50)' --trace steady.tr
ok "also where it is asked for another one" load '15: (79|80) (79|80)' --trace steady.tr --assume load=0.8
ok "and where it is scaled" load '24: (98|99|100) (98|99|100)' --trace steady.tr --scale load=2
ok "a window has its own" load '53: 50 50' --trace uneven.tr --window 1010s-
ok "tasks that run on after the last arrival are no load while jobs arrive" load '23: 5[01] 2[0-2]' --trace tail.tr
ok "jobs that arrive at once have it until they end" load '50: - 50' --trace once.tr
ok "a task gets the node that it needs" load '20: .*' --trace once.tr --assume cpu=20 --assume load=1 --scale cluster=0.01
ok "what luck adds is part of it" load '[0-9]*: (4[5-9]|5[0-5]) .*' --trace luck.tsv
ok "the table has both" grep -qE '^none .* (49|50)\.[0-9]% +(49|50)\.[0-9]% ' <("$dolly" sim --trace steady.tr --policy none --wide)
ok "every run has both" load '[0-9]*: [1-9][0-9]* [1-9][0-9]*' --workload facebook --jobs 100

# One job of one task and one of four, of which one is slow: copies of the first take the same, or differ as those do.
printf '0 1 10 10\n1000 4 17.5 10 10 10 40\n' >lone.tr
lone() {
    "$dolly" trace convert lone.tr --variation luck "$@" | grep -m 1 'task 0'
}
ok "a task that is alone has one time" [ "$(lone)" = '    task 0 attempts=10s' ]
ok "or those that tasks of the trace have" grep -qE 'attempts=10s(,(10|40|2.5)s){7}$' <<<"$(lone --assume single=trace)"
lie() { # assumption: on how many nodes the input of the first job's maps lies
    rm -f j
    "$dolly" sim --trace swim.tsv --window 0-60s --policy none --journal j --assume "$1" >/dev/null
    "$dolly" journal j | jq -sc 'map(select(.type == "job_submitted"))[0].phases[0] | .replicas // [] | map(unique | length)
        | unique'
}
ok "where inputs lie is drawn" [ "$(lie replicas=3) $(lie replicas=2) $(lie replicas=0)" = '[3] [2] []' ]

# Two tasks, whose inputs lie on b, on a host that is called c or x, and nowhere that is known.
cat >rumen.json <<'JSON'
{"jobID": "j", "submitTime": 5, "mapTasks": [
{"taskID": "0", "preferredLocations": [{"layers": ["a", "c"]}, {"layers": ["a", "b"]}],
 "attempts": [{"startTime": 10, "finishTime": 2010, "result": "SUCCESS", "hdfsBytesRead": 100}]},
{"taskID": "1", "preferredLocations": [],
 "attempts": [{"startTime": 10, "finishTime": 2010, "result": "SUCCESS", "hdfsBytesRead": 100}]}]}
JSON
sed s/'"c"'/'"x"'/ rumen.json >stranger.json
printf 'node %s cpu=2\n' a b c >three.cluster
places() { # file [option...]: where inputs lie, and how many hosts had to be assumed
    "$dolly" trace convert "$1" --cluster three.cluster --assume replicas=1 "${@:2}" >placed.workload &&
        sed -n 's/.*task \([0-9]\) on=\([^ ]*\).*/\1:\2/p; s/^#   hosts=.*(\(.*\))$/\1/p' placed.workload | tr '\n' ' '
}
ok "hosts of inputs are nodes of their names" grep -qxE '0:b,c 1:[abc] ' <<<"$(places rumen.json)"
drawn=$(places rumen.json)
ok "one that is no node is one by its hash, and counted" grep -qxE '1 host 0:(a,b|b|b,c) 1:[abc] ' <<<"$(places stranger.json)"
ok "or left out" [ "$(places stranger.json --assume hosts=drawn)" = "1 host 0:b ${drawn#* }" ]
ok "also in one MiB of memory from a pipe" [ "$(places - --memory 1M <rumen.json)" = "$drawn" ]
ok "what was placed and converted is what is simulated" [ "$(simulate --workload placed.workload --cluster three.cluster |
    jq -c '[.policies[].mean_jct_s]')" = "$(simulate --trace rumen.json --variation size --cluster three.cluster |
    jq -c '[.variations[0].policies[].mean_jct_s]')" ]
rm -f j && "$dolly" sim --trace rumen.json --cluster three.cluster --variation size --policy none --journal j >/dev/null
ok "and in the journal" [ "$("$dolly" journal j | jq -sc 'map(select(.type == "job_submitted"))[0].phases[0].replicas[0]')" = '[1,2]' ]

cat >flow.json <<'JSON'
{"name": "f", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"name": "a", "id": "a", "parents": []},
 {"name": "b", "id": "b", "parents": ["a"]}]}, "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 2},
 {"id": "b", "runtimeInSeconds": 3}], "machines": [{"nodeName": "m", "cpu": {"coreCount": 4}}]}}}
JSON
ok "machines that the trace names are the cluster" jq -e '.variations[0] | .cluster == "of the trace" and
    .policies[0].mean_jct_s == 5' <(simulate --trace flow.json)
ok "twice as many jobs are twice the load" jq -e '.variations[0].cluster | test("load of 100 %")' \
    <(simulate --trace whole.csv --scale load=2 --variation size)
ok "unless it is scaled" jq -e '.variations[0].cluster | test("load of 25 %")' \
    <(simulate --trace flow.json --scale cluster=2)

# ---- what is wrong ----

ok "no file" refused 'nothing.csv: No such file' stats nothing.csv
echo 'hello world' >text
ok "no format" refused 'text: no known format' stats text
ok "an empty file" refused 'has no jobs: it is empty' stats /dev/null
ok "a format that it has not" refused "has no jobs of the format wfcommons; without --format" stats spark.log --format wfcommons
ok "a wrong format" refused "'swimm', did you mean 'swim'" stats whole.csv --format swimm
ok "a wrong assumption" refused "'blok', did you mean 'block'" stats whole.csv --assume blok=1
refused_sim() {
    local text
    text=$("$dolly" sim --policy none "${@:2}" 2>&1 >/dev/null)
    [ $? -eq 2 ] && grep -qE "$1" <<<"$text" || { echo "  $text"; return 1; }
}
ok "a wrong window" refused_sim 'FROM-TO' --trace whole.csv --window 3h
ok "a window behind the last job" refused_sim 'the last job of whole.csv arrives at 1393s' --trace whole.csv --window 1394s-
ok "a wrong variation" refused_sim 'luck, size, bytes or both' --trace whole.csv --variation bad
ok "a trace and a workload" refused_sim 'either --trace or --workload' --trace whole.csv --workload jobs.workload
ok "a window of no trace" refused_sim 'about a --trace' --workload jobs.workload --window 1h-2h
ok "one journal for two readings" refused_sim 'choose a --variation' --trace whole.csv --journal j
ok "a cluster for stats" refused 'needs convert' stats whole.csv --cluster three.cluster
ok "a cluster that is not there" refused 'no.cluster' convert whole.csv --cluster no.cluster
ok "a wrong verb" refused "did you mean 'stats'" stat whole.csv
ok "the wrong table" refused 'rows are bad' stats whole.csv --format swim
head -c 3000 whole.csv.gz >cut.csv.gz
ok "an archive that is cut off" refused 'cut.csv.gz: cannot be read to its end' stats cut.csv.gz
sed '5s/.*/garbage/' whole.csv >bad.csv
ok "strict stops at the line" refused 'bad.csv:5: too few columns' stats bad.csv --strict
ok "what is left out is said beside converted jobs" grep -q '^#   bad.csv:5: too few columns (1 in all)' \
    <("$dolly" trace convert bad.csv)
awk '{ print NR * 7919 % 6007 % 100 == 50 ? "spoilt" : $0 }' whole.csv >spoilt.csv
ok "a trace with a hundredth of bad lines runs" jq -e '.troubles[0].count == 60 and .variations[0].jobs == 200 and
    all(.variations[].policies[]; .jobs_failed == 0)' <(simulate --trace spoilt.csv)
ok "one bad line in thousands is said, and the rest is there" \
    [ "$("$dolly" trace stats bad.csv --json | jq -c '[.bad, .stats.jobs, .troubles[0].first]')" = '[1,200,"bad.csv:5"]' ]

# Hostile: 100 MB in one field, a million columns, zeros, JSON that is nested ten thousand times.
{ head -c 100000000 /dev/zero | tr '\0' x; echo; cat whole.csv; } >long.csv
ok "a field of 100 MB is one bad line" \
    [ "$("$dolly" trace stats long.csv --format google2011 --json | jq -c '[.bad, .stats.jobs]')" = '[1,200]' ]
{ cat whole.csv; head -c 1000000 /dev/zero | tr '\0' ,; echo; } >wide.csv
ok "a million columns are one bad line" \
    [ "$("$dolly" trace stats wide.csv --json | jq -c '[.bad, .stats.jobs]')" = '[1,200]' ]
{ cat whole.csv; printf '5,,1\0002,0,1,0,u,0,2,0,0,0,0\n'; } >nul.csv
ok "a zero in a name is one bad line" \
    [ "$("$dolly" trace stats nul.csv --json | jq -c '[.bad, .stats.jobs]')" = '[1,200]' ]
{ printf '{"jobID": "j", "mapTasks": '; head -c 10000 /dev/zero | tr '\0' '['; } >deep.json
ok "JSON that is too deep" refused 'deep.json:[0-9]+: not JSON, nested too deep, or' stats deep.json
# A job of many in a file of documents is not JSON: the others are there. So it is with a text of 100 MB.
tr '\n' ' ' <rumen.json >line.json
{ cat line.json; echo; sed 's/"j"/"k"/; s/submitTime/???/; s/"5/5/' line.json; echo; sed 's/"j"/"l"/' line.json; } >docs.json
sed -i '2s/"mapTasks"/mapTasks/' docs.json
{ sed -n 1p docs.json; printf '{"jobID": "m", "user": "'; head -c 100000000 /dev/zero | tr '\0' x; printf '"}\n'; sed -n 3p docs.json; } >texts.json
for f in docs texts; do
    ok "a document that is not read does not end the others: $f" \
        [ "$("$dolly" trace stats $f.json --json | jq -c '[.bad, .stats.jobs, .troubles[0].kind]')" = '[1,2,"json"]' ]
done
sed 's/"runtimeInSeconds": 3/"runtimeInSeconds": -3/' flow.json >minus.json
at=$(grep -obz '{"id": "b", "runtimeInSeconds"' minus.json | tr -d '\0' | cut -d: -f1)
ok "in a JSON document the byte is said" refused "^dolly: minus.json:$((at + 1)): a negative time" stats minus.json --strict
ok "a full disk" bash -c "'$dolly' trace convert whole.csv >/dev/full 2>err; [ \$? -eq 1 ]"

closing
