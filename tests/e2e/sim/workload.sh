#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of `dolly workload`: tests/e2e/sim/workload.sh build/dolly
#
# Prints one `ok` or `not ok` line per check and closes with `N passed, N failed`. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/sim/workload.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2

. tests/lib/checks.sh

# Runs dolly; leaves its output in $tmp/out and $tmp/err and its status in $status.
run() {
    "$dolly" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
good() { [ "$status" = 0 ] && [ ! -s "$tmp/err" ] && [ -s "$tmp/out" ]; }
json() { good && jq -e "$1" "$tmp/out"; }
bad() { # one line that says this, and nothing on stdout
    cat "$tmp/err"
    [ "$status" = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] &&
        grep -qF -- "$1" "$tmp/err"
}

other_jobs() { grep -q '^job ' "$tmp/out" && ! cmp -s "$tmp/out" "$1"; }

for name in facebook bing google; do
    run workload "$name" --jobs 20 --seed 1
    cp "$tmp/out" "$tmp/$name.workload"
    ok "$name: prints jobs" good
    ok "$name: as many as asked for" test "$(grep -c '^job ' "$tmp/out")" = 20
    run workload "$name"
    ok "$name: twenty jobs of seed 1 unless told" cmp "$tmp/out" "$tmp/$name.workload"
    run workload "$name" --seed 2
    ok "$name: another seed gives other jobs" other_jobs "$tmp/$name.workload"
    ok "$name: the jobs run" speaks "$dolly" sim --workload "$tmp/$name.workload" \
        --cluster "examples/$name.cluster" --policy none
done
# Those of facebook and bing simulate for longer: tests/oracle/published.sh has them.
run workload google --stats --json --jobs 500 --seed 3
cp "$tmp/out" "$tmp/first"
ok "google: statistics as JSON" json '.workload == "google" and .jobs == 500 and .seed == 3 and
    (.stats | length > 5 and all(has("id") and has("paper") and has("ours") and has("source")))'
ok "google: statistics are numbers" json '[.stats[].ours | type == "number"] | all'
run workload google --stats --jobs 500
ok "statistics as a table" good
ok "a row for each, and the head" test "$(grep -cE '^ *[0-9.e+-]+ +[0-9.e+-]+  [^ ]' "$tmp/out")" = "$(jq '.stats | length' "$tmp/first")"
narrow() { good && [ "$(wc -L <"$tmp/out")" -le 80 ]; }
ok "no line is too long" narrow
run workload --help
ok "help" good
ok "help: names the workloads" grep -q 'Workloads: facebook, bing, google, or the file of a model' "$tmp/out"
run workload
ok "refused: no name" bad "the name of a workload is missing"
run workload facebok
ok "refused: a name that is nearly right" bad "did you mean 'facebook'?"
run workload no.such.file
ok "refused: another name" bad "unknown workload 'no.such.file'"
run workload bing bing
ok "refused: two names" bad "unexpected argument 'bing'"
run workload bing --json
ok "refused: --json without --stats" bad "--json needs --stats"
for jobs in 0 -1 x 100000001; do
    run workload bing --jobs $jobs
    ok "refused: --jobs $jobs" bad "--jobs must be a whole number from 1 to 100000000, not '$jobs'"
done
run workload bing --seed -1
ok "refused: --seed -1" bad "--seed must be a whole number, 0 or more, not '-1'"

# Mantri's cluster: a model in a file. Means over three seeds, held to the published facts.
world=experiments/mantri/world.model
run workload $world --jobs 4 --seed 2
cp "$tmp/out" "$tmp/flow.workload"
ok "model: prints jobs" good
ok "model: as many as asked for" test "$(grep -c '^job ' "$tmp/out")" = 4
run sim --workload "$tmp/flow.workload" --cluster experiments/mantri/world.cluster --policy none \
    --phases --json
ok "model: the jobs run" json '.jobs == 4 and .policies[0].phases.shorter_p50 == 0'
cp experiments/mantri/world.cluster "$tmp"
sed 's/published phases_p50/published phases_p5/' $world >"$tmp/bad.model"
run workload "$tmp/bad.model" --stats
ok "refused: something published that nobody measures" bad "published phases_p5 is not a statistic"
# A model of 30 jobs of which something of both sets is published: each is of 30 jobs, not of the usual number.
printf 'luck stall_p=0.1 stall=20s\nnodes n[0-9] cpu=4\n' >"$tmp/tiny.cluster"
cat >"$tmp/tiny.model" <<'MODEL'
model tiny cluster=tiny.cluster jobs=30 warmup=1m then=nothing
arrivals every=10s surge=0 window=1h
mix cpu_noise=0 mem_noise=0 size_noise=0 task_noise=0.3
published load_high_pct value=8 source="a"
published short_jobs_pct value=95 source="b"
job one
  phase map tasks=6 size=10s
MODEL
run sim --workload "$tmp/tiny.model" --policy late+bl --json
load=$(jq '.policies[0].load_high_frac * 1e4 | round' "$tmp/out")
run workload "$tmp/tiny.model" --stats --json
ok "model: statistics of LATE are of its own number of jobs" json \
    ".stats[0].id == \"load_high_pct\" and (.stats[0].ours * 100 | round) == $load and $load > 0"
ok "model: and those without mitigation are beside them" json '.stats[1] | .id == "short_jobs_pct" and .ours == 100'
sed 's/ phase_noise=0.5//' $world >"$tmp/bad.model"
run workload "$tmp/bad.model"
ok "refused: a model without a number" bad "phase_noise= of tasks is missing"
run sim --workload "$tmp/bad.model" --policy none
ok "refused: the same by sim" bad "phase_noise= of tasks is missing"

# Clones cannot help where nothing straggles, and that is the cluster's to say.
"$dolly" workload facebook --jobs 20 >"$tmp/twenty.workload"
run sim --workload "$tmp/twenty.workload" --policy none,dolly
ok "a cluster without bad luck is told of" grep -qzE 'Nothing straggles on 100x4, so clones cannot help.*try --cluster examples/facebook.cluster' "$tmp/out"
run sim --workload "$tmp/twenty.workload" --cluster examples/facebook.cluster --policy none,dolly
told=$(good && grep -c "^Nothing straggles" "$tmp/out")
ok "and one with it is not" [ "$told" = 0 ]
run sim --trace examples/quarter-hour.tr --policy none,shepherd --variation size
told=$(good && grep -c "^Nothing straggles" "$tmp/out")
ok "nor that of a trace, which has luck of its own" [ "$told" = 0 ]

# Reduces may start early, but they end when all maps are done, whether reading takes time or not.
{ cat examples/small.cluster; echo 'network up=125M down=125M'; } >"$tmp/net.cluster"
for cluster in examples/small.cluster "$tmp/net.cluster"; do
    rm -f "$tmp/journal"
    run sim --workload examples/wordcount.workload --cluster "$cluster" --policy none --journal "$tmp/journal"
    done=$("$dolly" explain "$tmp/journal" --json | jq .tasks_done)
    ok "a job with slowstart does all of its tasks ($(basename "$cluster"))" [ "$done" = 24 ]
done

closing
