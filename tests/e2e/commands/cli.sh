#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of the command line: tests/e2e/commands/cli.sh build/dolly
#
# Prints one `ok` or `not ok` line per check and closes with `N passed, N failed`. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/commands/cli.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# Runs dolly; leaves its output in $tmp/out and $tmp/err and its status in $status.
run() {
    "$dolly" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
exits() { # exits STATUS: with nothing on stderr when it is 0, else with exactly one line
    [ "$status" = "$1" ] || { echo "status $status, want $1"; cat "$tmp/err"; return 1; }
    local lines=0
    [ "$1" != 0 ] && lines=1
    [ "$(wc -l <"$tmp/err")" = "$lines" ] || { echo "stderr:"; cat "$tmp/err"; return 1; }
}
says() { grep -qF -- "$1" "$tmp/err" || { echo "stderr lacks '$1':"; cat "$tmp/err"; return 1; }; }
prints() { grep -qF -- "$1" "$tmp/out" || { echo "stdout lacks '$1':"; cat "$tmp/out"; return 1; }; }
silent() { [ ! -s "$tmp/out" ] || { echo "stdout:"; cat "$tmp/out"; return 1; }; }
json() { [ -s "$tmp/out" ] && jq -e "$1" "$tmp/out" >/dev/null || { echo "not true: $1"; head -c 2000 "$tmp/out"; return 1; }; }

equal() { [ -n "$1" ] && [ "$1" = "$2" ]; }

good() { exits 0 && [ -s "$tmp/out" ]; }      # and it has something to say
bad() { exits 2 && silent && says "$1"; }     # bad input: exit 2, one line, nothing on stdout
broken() { exits 1 && says "$1"; }            # the machine failed
broken_input() { exits 2 && says "$1"; }      # bad input, whatever became of stdout

# Ten times the example's nodes: 5 % of them are enough for clones.
cluster=$tmp/large.cluster
sed 's/n\[0-19\]/n[0-199]/' examples/small.cluster >"$cluster"
mixed=(--workload examples/mixed.workload --cluster "$cluster")

# ---- help ----

run --help;      ok "help" good;                       ok "help lists sim" prints "  sim "
run help;        ok "help as a command" good
run help sim;    ok "help sim" good;                   ok "help sim shows an example" prints "Examples:"
commands=$("$dolly" --help | sed -n '/^Commands:/,/^  help /s/^  \([a-z]*\)  .*/\1/p' | grep -v help)
for c in $commands; do
    ok "$c has a page" grep -q "^# dolly $c$" "docs/reference/commands/$c.md"
    ok "$c is in docs/reference/dolly.1" grep -q "^\.SS dolly $c$" docs/reference/dolly.1
    run $c --help; ok "$c --help" good;                ok "$c --help has usage" prints "usage: dolly $c"
done
at_most_80() { "$@" >"$tmp/help" && [ -s "$tmp/help" ] && ! grep -E '.{81}' "$tmp/help"; }
ok "no line of the help is wider than 80 columns" at_most_80 "$dolly" --help
run map --help=all; ok "map --help=all" good;          ok "map --help=all has all options" prints "--colsep, -C REGEX"
newest=$(sed -n 's/^## \([0-9.]*\)$/\1/p' CHANGELOG.md | head -n 1)
grep -q "^dolly ($newest-" debian/changelog || newest="$newest, unlike debian/changelog"
run --version;   ok "version" good;                    ok "version is that of CHANGELOG.md and of the package" prints "dolly $newest"
run;             ok "no command is bad usage" says "usage: dolly"
ok "no command: a few lines" grep -qx '[2-4]' <(wc -l <"$tmp/err")
run sim --help; ok "sim --help begins with the options of every day" same "$(grep -oE '^  --[a-z]+' "$tmp/out" | head -n 7 | tr -d ' \n')" "--workload--trace--policy--cluster--jobs--seeds--report"
run help --help; ok "help --help lists the commands" prints "  sim "
run --verison;   ok "unknown option" bad "did you mean '--version'?"
run simm;        ok "unknown command" bad "did you mean 'sim'?"
run zzzzzzzzz;   ok "unknown command, nothing near" bad "unknown command 'zzzzzzzzz'"
run sim --polcy none; ok "unknown option" bad "did you mean --policy?"

# ---- policies ----

run policies;          ok "policies" good;             ok "policies advises" prints "commands must not run twice"
run policies --all;    ok "policies --all" good;       ok "policies --all has parameters" prints "cap "
narrow() { good && [ "$(wc -L <"$tmp/out")" -le 80 ]; }
ok "policies --all fits a terminal" narrow
run policies --json;   ok "policies --json" good
ok "policies: seven seams" json '.seams | length == 7'
ok "policies: shape of seams" json 'all(.seams[]; (.seam|type=="string") and (.policies|length>0) and
    all(.policies[]; (.name|type=="string") and (.help|type=="string") and (.params|type=="array")))'
ok "policies: shape of parameters" json 'all(.seams[].policies[].params[];
    has("name") and has("default") and has("help") and (has("choices") or has("form") or (has("min") and has("max"))))'
ok "policies: shape of recipes" json '(.recipes|length>0) and
    all(.recipes[]; has("name") and has("help") and has("parts"))'
ok "policies: the recipes" json '[.recipes[].name] | contains(["none", "dolly"])'
pages_exist() {
    local page found=0
    for page in $("$dolly" policies --json | jq -r '.recipes[].name, .seams[].policies[].name' | sort -u |
        while read -r name; do "$dolly" policies "$name"; done | sed -n 's/^    \(docs\/.*\.md\)$/\1/p' | sort -u); do
        [ -f "$page" ] || { echo "    no $page"; return 1; }
        found=$((found + 1))
    done
    [ $found -gt 15 ]
}
ok "policies NAME: its pages are there" pages_exist
run policies dolly;    ok "policies NAME" good;        ok "policies NAME has parameters" prints "beta"
run policies shepherd; ok "policies shepherd has no parameter of its own" same \
    "$(grep -E '^    [a-z_]+ +[^ ]+ +' "$tmp/out" | grep -cE '^    (scan|network) ')$(grep -c '^mitigate=shepherd' "$tmp/out")" 01
run policies extra;    ok "policies: unknown name" bad "unknown policy 'extra'"

# ---- model ----

run model --p 0.1 --n 10 --json; ok "model --json" good
ok "model: exactly its fields" json 'keys_unsorted ==
    ["p","n","c","eps","copies","job_level","task_level","cac","cc"]'
ok "model: c is copies by default" json '.c == .copies and .copies == 3 and .eps == 0.05 and .p == 0.1'
ok "model: the levels" json '(.task_level - (1 - pow(1 - pow(.p; .c); .n)) | fabs) < 1e-12 and
    (.job_level - pow(1 - pow(1 - .p; .n); .c) | fabs) < 1e-12 and .cc < .cac'
run model --p 0.1 --n 1 --eps 0.01 --json; ok "model: at equality" json '.copies == 2'
run model --p 0.1 --n 1 --eps 0.00999 --json; ok "model: just below equality" json '.copies == 3'
run model --p 1 --n 5 --c 2 --json; ok "model: p = 1" json '.copies == 10000 and .cac == 1'
run model --p 0.15 --n 10;       ok "model" good;      ok "model prints a table" prints "task_level"
for bad_p in x -0.1 1.1 nan inf ""; do
    run model --p "$bad_p" --n 3; ok "model: --p '$bad_p'" bad "--p must be"
done
for bad_n in 0 -1 1.5 x 99999999999999999999; do
    run model --p 0.1 --n "$bad_n"; ok "model: --n $bad_n" bad "--n must be"
done
run model --p 0.1 --n 3 --c 0;   ok "model: --c 0" bad "--c must be"
run model --p 0.1 --n 3 --c 99999; ok "model: --c 99999" bad "--c must be"
run model --p 0.1 --n 3 --eps 0; ok "model: --eps 0" bad "--eps must be"
run model --p 0.1 --n 3 --eps 1; ok "model: --eps 1" bad "--eps must be"
run model --p 0.1;               ok "model: --n is missing" bad "--n is missing"
run model --p;                   ok "model: a value is missing" bad "--p needs a value"
run model --mean 3 --dev 4 --json; ok "model --mean" good
ok "model: exactly the fields of DollyMP's form" json 'keys_unsorted ==
    ["mean","dev","alpha","c","speedup","speedup_max","time","n","flow1","flow2","flow3"]'
ok "model: alpha and h(2) by hand" json '.alpha == 2.25 and .c == 2 and .speedup == 1.4 and
    (.speedup_max - 1.8 | fabs) < 1e-12 and (.time - 3 / 1.4 | fabs) < 1e-12 and .n == null and .flow1 == null'
run model --alpha 3 --n 3 --json; ok "model: the three flows by hand" json '(.flow1 - 2.8 | fabs) < 1e-12 and
    (.flow2 - (1/1.25 + 2/1.375 + 3/1.4375) | fabs) < 1e-12 and (.flow3 - 3.2 | fabs) < 1e-12 and .mean == null'
run model --mean 5 --dev 0 --n 4 --json; ok "model: no deviation" json '.alpha == null and .speedup == 1 and
    .time == 5 and .flow1 == 4 and .flow2 == 10 and .flow3 == 5'
run model --mean 0 --dev 0;      ok "model: no times at all" good; ok "... no speedup" prints "speedup     1 "
run model --alpha 2.5 --n 1000000000000000; ok "model: very many jobs" prints "flow2"
for bad_alpha in 1 0 -2 x nan; do
    run model --alpha "$bad_alpha"; ok "model: --alpha $bad_alpha" bad "--alpha must be a number above 1"
done
run model --mean 3;              ok "model: --dev is missing" bad "--dev is missing"
run model --dev 3;               ok "model: --mean is missing" bad "--mean is missing"
run model --mean -1 --dev 1;     ok "model: --mean -1" bad "--mean must be"
run model --p 0.1 --mean 3 --dev 1; ok "model: both forms" bad "--p cannot be combined with --mean"
run model --alpha 3 --eps 0.1; ok "model: --eps of the other form" bad "--eps cannot be combined with --alpha"
run model --alpha 3 --mean 3 --dev 1; ok "model: --alpha twice" bad "use either --alpha"
run model --json=yes;            ok "model: a flag takes no value" bad "--json takes no value"

# ---- sim ----

run sim "${mixed[@]}" --policy none,dolly --wide; ok "sim --wide" good; ok "sim --wide prints all columns" prints "digest"
run sim "${mixed[@]}" --policy none,dolly; ok "sim prints a table" good
ok "sim: the head" prints "  busy/first"
ok "sim: a line per policy" test "$(grep -c '^none\|^dolly' "$tmp/out")" = 4
for w in examples/*.workload; do
    run sim --workload "$w" --policy none,dolly --json; ok "sim $w" good
    ok "sim $w: all jobs ended" json '.jobs > 0 and all(.policies[]; .jobs_failed == 0)'
done

run sim "${mixed[@]}" --policy none,dolly --json; ok "sim --json" good
cp "$tmp/out" "$tmp/first.json"
ok "sim: the object" json '.seed == 1 and .jobs == 79 and .tasks > 0 and (.policies|length) == 2 and
    .workload == "examples/mixed.workload" and (.cluster|endswith("large.cluster"))'
ok "sim: all fields of a policy" json 'all(.policies[]; . as $p | all("policy", "mean_jct_s",
    "p50_jct_s", "p95_jct_s", "bins", "makespan_s", "attempts", "clones", "backups", "restarts",
    "killed", "busy_slot_s", "clone_capacity_frac", "busy_vs_first", "loser_frac", "max_clone_frac", "load_arriving", "load_mean",
    "load_p50", "load_high_frac",
    "slowdown_p50", "slowdown_p95", "events", "wall_s", "peak_rss_kib", "digest";
    . as $k | $p | has($k)))'
ok "sim: five bins that add up" json '.jobs as $n | all(.policies[];
    ([.bins[].bin] == [1,2,3,4,5]) and ([.bins[].jobs] | add) == $n and
    all(.bins[]; (.jobs == 0) == (.mean_jct_s == null)))'
ok "sim: the first policy refers to itself" json '.policies[0] |
    .busy_vs_first == 1 and .improvement == 0 and .clones == 0 and .max_clone_frac == 0'
ok "sim: counts are whole, digests are 16 hex digits" json 'all(.policies[];
    (.attempts == (.attempts|floor)) and .events > .attempts and (.digest|test("^[0-9a-f]{16}$")) and .peak_rss_kib > 1000 and .wall_s > 0)'
ok "sim: dolly clones and stays in its budget" json '.policies[1] |
    .clones > 0 and .killed > 0 and .max_clone_frac > 0 and .max_clone_frac <= 0.05 and
    .clone_capacity_frac > 0 and .clone_capacity_frac < .max_clone_frac and .loser_frac > 0'
ok "sim: dolly pays" json '.policies[1].improvement > 0'
ok "sim: no intervals for one seed" json 'all(.policies[]; has("mean_jct_s_lo") | not)'

digests() { jq -c '[.policies[].digest]' "$1"; }
same_digests() { [ -s "$tmp/out" ] && [ "$(digests "$tmp/first.json")" = "$(digests "$tmp/out")" ]; }
run sim "${mixed[@]}" --policy none,dolly --json
ok "sim: the same digests when run again" same_digests
numbers() { jq 'del(.policies[].wall_s, .policies[].peak_rss_kib)' "$1"; }
ok "sim: the same numbers when run again" equal "$(numbers "$tmp/out")" "$(numbers "$tmp/first.json")"
run sim "${mixed[@]}" --policy none,dolly --json --journal "$tmp/j"
ok "sim: the same digests with a journal" same_digests
ok "sim: several journals, and it says so" test "$status" = 0 -a -s "$tmp/j.none.1" -a -s "$tmp/j.dolly.1"
ok "sim: names of journals on stderr" says "$tmp/j.POLICY.SEED"
run sim "${mixed[@]}" --policy dolly --journal "$tmp/one"; ok "sim: one journal" good
ok "sim: under its own name" test -s "$tmp/one"
# What was counted on the way is what the journal holds.
in_journal() { "$dolly" journal "$tmp/j.dolly.1" | jq -s "[.[] | select($1)] | length"; }
of_dolly() { jq ".policies[1].$1" "$tmp/first.json"; }
ok "sim: clones as in the journal" \
    equal "$(in_journal '.type == "launch" and .kind == "clone"')" "$(of_dolly clones)"
ok "sim: attempts as in the journal" equal "$(in_journal '.type == "launch"')" "$(of_dolly attempts)"
ok "sim: kills as in the journal" \
    equal "$(in_journal '.type == "attempt_killed"')" "$(of_dolly killed)"
run journal "$tmp/j.dolly.1" --verify; ok "sim: fed again, the brain decides the same" good
# A journal that was written by version 3, and one of version 2: the same records behind another header.
old=tests/fuzz/seeds/verify/version-3
run journal "$old" --verify --json; ok "journal: version 3 is fed again" json '.version == 3 and .identical'
run journal "$old"; ok "journal: version 3 is printed" prints '"reduce"'
run explain "$old"; ok "journal: version 3 is explained" good
{ printf 'dollyjnl\x02\0\0\0\x6f\x2e\xaa\x1d'; tail -c +17 "$old"; } >"$tmp/older"
run journal "$tmp/older" --verify; ok "journal: of version 2 it says what is not compared" \
    prints "version 2 does not record whether each read was shared"
ok "journal: ... and compares the rest" prints "decisions identical"
run journal "$tmp/older" --verify --json; ok "journal: ... as JSON" json '.version == 2 and .identical'
run journal "$tmp/older" --stats; ok "journal: version 2 has sums" good
run explain "$tmp/older"; ok "journal: version 2 is explained" good
ok "sim: the order of policies changes nothing" equal "$("$dolly" sim "${mixed[@]}" \
    --policy dolly,none --json | jq -c '[.policies[].digest] | reverse')" "$(digests "$tmp/first.json")"
run sim "${mixed[@]}" --policy none,dolly --seed 2 --json
ok "sim: another seed, other digests" test "$(digests "$tmp/out")" != "$(digests "$tmp/first.json")"

run sim "${mixed[@]}" --policy none,dolly --seeds 3 --json; ok "sim --seeds" good
ok "sim: intervals around every number" json 'all(.policies[]; . as $p |
    [to_entries[] | select((.value|type) == "number") | .key | select(test("_(lo|hi)$") | not)] |
    length > 15 and all(.[]; $p[. + "_lo"] <= $p[.] and $p[.] <= $p[. + "_hi"]))'
ok "sim: intervals in the bins" json 'all(.policies[].bins[] | select(.jobs > 0);
    .mean_jct_s_lo <= .mean_jct_s and .mean_jct_s <= .mean_jct_s_hi)'
ok "sim: an interval has a width" json '.policies[1] | .mean_jct_s_lo < .mean_jct_s_hi'
ok "sim: ratios are paired" json '.policies[0] | .busy_vs_first_lo == 1 and .busy_vs_first_hi == 1'
three=$(jq '.policies[1].mean_jct_s' "$tmp/out")
sum=0
for s in 1 2 3; do
    sum="$sum + $("$dolly" sim "${mixed[@]}" --policy none,dolly --seed $s --json |
        jq '.policies[1].mean_jct_s')"
done
ok "sim: the mean of three seeds" jq -n -e "($three - ($sum) / 3) | fabs < 1e-9"
run sim "${mixed[@]}" --policy none,dolly --seeds 3; ok "sim --seeds table" good
ok "sim --seeds table shows intervals" prints "±"

# One task of four takes 10 s instead of 2: the median of 1, 2, 2, 10 is 2, so 8 s can be gained, and a clone does.
printf '%s\n' 'job j' 'phase p tasks=4' 'task 0 attempts=1s' 'task 1 attempts=2s' 'task 2 attempts=2s' \
    'task 3 attempts=10s,2s' >"$tmp/skew.workload"
run sim --workload "$tmp/skew.workload" --cluster 20x2 --policy none,dolly --set beta=0.5 --yardstick noskew,ideal-recompute --json
ok "sim --yardstick" good
ok "sim: what the yardstick gained" json '.yardsticks[0] | .yardstick == "noskew" and .mean_jct_s == 2 and .improvement == 0.8'
ok "sim: shares of what was possible" json '.policies[1].shares[0] == {yardstick: "noskew", share: 1} and .policies[0].shares[0].share == 0'
ok "sim: no share of nothing" json '.policies[1].shares[1].share == null'
run sim "${mixed[@]}" --policy none --yardstick nosuch; ok "sim: an unknown yardstick" bad "unknown yardstick"
run sim "${mixed[@]}" --policy none --yardstick ideal-reduce; ok "sim: ideal-reduce needs a network" bad "reading takes no time"
# What is told of times: 8 s and, on a node of half speed, 16 s.
printf '%s\n' 'job j' 'phase p size=8s' 'phase q expect=3s expect_dev=1s' >"$tmp/told.workload"
printf '%s\n' 'node a cpu=1' 'node b cpu=1 speed=0.5' >"$tmp/told.cluster"
told() { # options of sim...
    rm -f "$tmp/told"
    "$dolly" sim --workload "$tmp/told.workload" --cluster "$tmp/told.cluster" --policy none --journal "$tmp/told" "$@" \
        >/dev/null && "$dolly" journal "$tmp/told" |
        jq -c 'select(.type == "job_submitted") | [.phases[] | [.expect_us, .expect_dev_us]]'
}
ok "sim: a file tells what it says" equal "$(told)" "[[null,null],[3000000,1000000]]"
ok "sim --expect exact" equal "$(told --expect exact)" "[[12000000,4000000],[1500000,500000]]"
ok "sim --expect none" equal "$(told --expect none)" "[[null,null],[null,null]]"
ok "sim --expect-error" test "$(told --expect-error 0.5)" != "$(told)" -a \
    "$(told --expect-error 0.5)" = "$(told --expect-error 0.5)"
ok "sim --expect-error 1e9 is defined" \
    jq -n -e "$(told --expect exact --expect-error 1e9) | all(.[]; .[0] == 1 or .[0] == 1e15)"
run sim "${mixed[@]}" --policy none --expect some; ok "sim: an unknown expectation" bad "--expect must be exact or none"
run sim "${mixed[@]}" --policy none --expect none --expect-error 1; ok "sim: an error of nothing" bad "no durations are known"
for e in -0.1 nan 1e10 x; do
    run sim "${mixed[@]}" --policy none --expect-error $e; ok "sim --expect-error $e" bad "--expect-error must be"
done
run sim "${mixed[@]}" --policy none,dolly --baseline dolly --json; ok "sim --baseline" good
ok "sim: improvement is over the baseline" json '.policies[1].improvement == 0 and .policies[0].improvement < 0'
run sim "${mixed[@]}" --policy none --warmup 5m --json; ok "sim --warmup" good
ok "sim: warm-up jobs are not measured" json '.jobs < 79 and .jobs > 0'
run sim "${mixed[@]}" --policy dolly --set beta=0 --json; ok "sim --set" good
ok "sim: without a budget there are no clones" json '.policies[0].clones == 0'
run sim "${mixed[@]}" --policy 'none,dolly,order=fifo' --json; ok "sim: a part replaced" good
ok "sim: its name" json '.policies[1].policy == "dolly,order=fifo"'
run sim --workload examples/mixed.workload --cluster 30x2 --policy none --json; ok "sim: NxM" good
run sim --workload examples/mixed.workload --cluster examples/faulty.cluster --policy none,dolly --json
ok "sim: a faulty cluster" good

cat >"$tmp/hopeless.workload" <<'END'
job big
  phase p tasks=1 size=1s cpu=1000
END
run sim --workload "$tmp/hopeless.workload" --cluster 2x1 --policy none --json
ok "sim: a job that fails does not fail the simulation" good
ok "sim: but it is counted" json '.jobs == 1 and (.policies[0] | .jobs_failed == 1 and .mean_jct_s == null)'
run sim --workload "$tmp/hopeless.workload" --cluster 2x1 --policy none
ok "sim: and shown" prints "1 job failed"

# A unit mixed up: a task of 91 years is simulated without a look every second.
printf 'job a\n  phase m tasks=3 size=10s\n  phase n after=m tasks=2 sizes=10s,800000h\n' >"$tmp/years.workload"
years() { # policy
    rm -f "$tmp/years"
    (ulimit -t 20 && "$dolly" sim --workload "$tmp/years.workload" --cluster 2x2 --policy "$1" --json --journal "$tmp/years") |
        jq -e '.policies[0].mean_jct_s > 2e9' && (ulimit -t 20 && "$dolly" replay "$tmp/years" --policy "$1" --json) |
        jq -e '[.variations[].policies[1].mean_jct_s] | all(. > 2e9)'
}
for policy in none late mantri dolly+late hadoop; do ok "sim, replay: a task of 91 years, $policy" years $policy; done
"$dolly" journal "$tmp/years" | grep -c '"attempt_progress"' >"$tmp/out"
ok "sim: it reports at every thousandth of its age" test "$(cat "$tmp/out")" -gt 1000 -a "$(cat "$tmp/out")" -lt 50000

run sim "${mixed[@]}" --json; ok "sim: no policy: none and shepherd" same "$(jq -r '.policies[].policy' "$tmp/out" | xargs)" 'none shepherd'

# ---- sim: bad input ----

run sim;                                   ok "sim: nothing given" bad "--workload is missing"
run sim "${mixed[@]}" --policy dollly;     ok "sim: unknown policy" bad "'dollly'"
run sim "${mixed[@]}" --policy order=fifoo; ok "sim: unknown part" bad "fifo"
run sim "${mixed[@]}" --policy ,;          ok "sim: no policy in the list" bad "--policy lacks a name"
run sim "${mixed[@]}" --policy none extra; ok "sim: unexpected argument" bad "unexpected argument 'extra'"
run sim --workload "$tmp/none" --policy none; ok "sim: no such workload" bad "$tmp/none"
run sim --workload "$tmp" --policy none;   ok "sim: the workload is a folder" bad "$tmp"
run sim --workload "$dolly" --policy none; ok "sim: the workload is a program" bad ":1:"
run sim "${mixed[@]}" --cluster "$tmp/none" --policy none; ok "sim: no such cluster" bad "$tmp/none"
for shape in 0x0 0x1 1x0 99999999999x1 1x99999999999 99999999999999999999x1; do
    run sim "${mixed[@]}" --cluster $shape --policy none; ok "sim: cluster $shape" bad "$shape"
done
printf 'job a\n  phase p tasks=2 size=1s\nnonsense here\n' >"$tmp/bad.workload"
run sim --workload "$tmp/bad.workload" --policy none; ok "sim: file and line" bad "$tmp/bad.workload:3:"
for seed in x -1 1.5 '' 99999999999999999999; do
    run sim "${mixed[@]}" --policy none --seed "$seed"; ok "sim: --seed '$seed'" bad "--seed must be"
done
for seeds in 0 -1 x 100000; do
    run sim "${mixed[@]}" --policy none --seeds $seeds; ok "sim: --seeds $seeds" bad "--seeds must be"
done
for scale in 2 load load= load=0 load=x time=2 load=101; do
    run sim --workload facebook --policy none --scale $scale; ok "sim: --scale $scale" bad "--scale must be load=F"
done
run workload facebook --stats --scale load=2; ok "workload: --scale and --stats" bad "cannot be combined with --stats"
run workload facebook --scale 2; ok "workload: --scale 2" bad "--scale must be load=F"
run workload facebook --jobs 1 --scale load=2; ok "workload --scale" good
run sim "${mixed[@]}" --policy none --scale load=2; ok "sim: --scale of a file" bad "has its own arrivals"
run sim --workload facebook --jobs 60 --warmup 0 --policy none --scale load=3 --json; ok "sim --scale" good
ok "sim: three times the arrivals, more of the cluster in use" json '.policies[0].load_p50 > 0.3'
run sim --workload facebook --jobs 60 --warmup 10m --policy none --json
ok "sim: ... than without" json '.policies[0].load_p50 < 0.3'
run sim "${mixed[@]}" --policy none --warmup soon; ok "sim: --warmup" bad "--warmup must be"
run sim "${mixed[@]}" --policy none --baseline dolly; ok "sim: --baseline" bad "not among the policies"
run sim "${mixed[@]}" --policy none,dolly --set betta=0.1; ok "sim: unknown key" bad "did you mean beta?"
run sim "${mixed[@]}" --policy none --set beta=0.1; ok "sim: key of no chosen policy" bad "chosen"
run sim "${mixed[@]}" --policy dolly --set beta=lots; ok "sim: bad value" bad "beta"
run sim "${mixed[@]}" --policy dolly --set beta=-1; ok "sim: value out of range" bad "beta"
run sim "${mixed[@]}" --policy dolly --set beta; ok "sim: no value" bad "KEY=VALUE"
printf '# a share\n\n  0.5 # of all\n' >"$tmp/beta"
run sim "${mixed[@]}" --policy dolly --set beta=0.5 --json; mv "$tmp/out" "$tmp/half"
run sim "${mixed[@]}" --policy dolly --set beta="@$tmp/beta" --json; ok "sim: a value from a file" good
ok "sim: a value from a file is the same" equal "$(jq -c .policies[0].digest "$tmp/out")" "$(jq -c .policies[0].digest "$tmp/half")"
run sim "${mixed[@]}" --policy dolly --set beta="@$tmp/none"; ok "sim: a value from no file" bad "cannot read it: No such file"
run sim "${mixed[@]}" --policy dolly --set beta="@$tmp"; ok "sim: a value from a folder" bad "cannot read it: Is a directory"
run sim "${mixed[@]}" --policy dolly --set beta=@/dev/zero; ok "sim: a value without end" bad "at most 64K"
run sim "${mixed[@]}" --policy dolly --set beta=@/dev/null; ok "sim: a value from an empty file" bad "beta="
run sim "${mixed[@]}" --policy dolly --set =1; ok "sim: no key" bad "KEY=VALUE"
run sim "${mixed[@]}" --policy none --journal "$tmp/no/where"; ok "sim: unwritable journal" bad "$tmp/no/where"
run sim "${mixed[@]}" --policy none --journal "$tmp"; ok "sim: the journal is a folder" bad "$tmp"
run sim "${mixed[@]}" --policy none --journal "$tmp/one"; ok "sim: the journal exists" bad "$tmp/one"
run sim "${mixed[@]}" --policy none,none --journal "$tmp/twin"; ok "sim: twins with a journal" bad "twice"
mkfifo "$tmp/pipe"
run sim --workload "$tmp/pipe" --policy none,dolly; ok "sim: a pipe cannot be read twice" bad "plain file"

# ---- a machine that fails ----

full() { # full NAME ARGS...: with stdout on a full disk
    "$dolly" "${@:2}" >/dev/full 2>"$tmp/err"
    status=$?
    ok "full disk: $1" broken "No space left"
}
if [ -w /dev/full ]; then
    full "--help" --help
    full "policies" policies
    full "policies --json" policies --json
    full "model" model --p 0.1 --n 3
    full "sim" sim "${mixed[@]}" --policy none
    full "sim --json" sim "${mixed[@]}" --policy none,dolly --json
else
    skip "full disk" "no /dev/full here"
fi
"$dolly" model --p 0.1 --n 3 >&- 2>"$tmp/err"
status=$?
ok "closed stdout" broken "cannot write"
"$dolly" model --p x >&- 2>"$tmp/err"
status=$?
ok "closed stdout: bad input is still bad input" broken_input "--p must be"
"$dolly" sim "${mixed[@]}" --policy dolly --journal "$tmp/closed" >&- 2>"$tmp/err"
status=$?
ok "closed stdout: sim" broken "cannot write"
ok "closed stdout: nothing is printed into the journal" cmp "$tmp/one" "$tmp/closed"

mkdir "$tmp/small"
if mount -t tmpfs -o size=16k none "$tmp/small" 2>/dev/null; then
    mounted=$tmp/small
    run sim "${mixed[@]}" --policy dolly --journal "$tmp/small/j"
    no_room() { broken "$tmp/small/j" && silent; }
    ok "full disk: journal, and no result is printed" no_room
else
    skip "full disk: journal" "cannot mount a small file system"
fi

# Long enough to be interrupted at leisure.
cat >"$tmp/long.workload" <<'END'
job many repeat=2000000 every=10ms
  phase p tasks=4 size=1s
END
timeout --preserve-status -s INT 3 "$dolly" sim --workload "$tmp/long.workload" --policy none \
    >"$tmp/out" 2>"$tmp/err"
status=$?
ok "interrupted" exits 130
said_alone() { says "$1" && silent; }
ok "interrupted: it says so, and no result is printed" said_alone "interrupted"

# ---- the progress bar ----

printf 'job many repeat=50000 every=100ms\n  phase p tasks=4 size=1s\n' >"$tmp/bar.workload"
wipes() { grep -o $'\r\033\\[K' "$tmp/terminal" | wc -l; }
if why=$(terminals); then
    script -qec "'$dolly' sim --workload '$tmp/bar.workload' --policy none,dolly --parallel 1 --json >'$tmp/out'" \
        "$tmp/terminal" >/dev/null
    ok "bar: on a terminal" grep -q 'dolly (2 of 2): .* of 50000 jobs' "$tmp/terminal"
    ok "bar: it is wiped at the end of each run" same "$(wipes)" 2
    script -qec "'$dolly' sim --workload '$tmp/bar.workload' --policy none,dolly --parallel 2 --json >'$tmp/out'" \
        "$tmp/terminal" >/dev/null
    ok "bar: of simulations side by side" grep -q '[01] of 2 runs, [1-9][0-9]* jobs, .* million events/s' "$tmp/terminal"
    ok "bar: ... and of all that ran side by side" same "$(wipes)" 1
    ok "bar: stdout stays clean" json '.jobs == 50000'
    script -qec "'$dolly' sim --workload facebook --jobs 2000 --policy none --parallel 1 --json >'$tmp/out'" "$tmp/terminal" >/dev/null
    ok "bar: it counts the jobs that were asked for, from the first run on" grep -q 'none (1 of 1): [0-9]* of 2000 jobs' "$tmp/terminal"
else
    skip "bar" "$why"
fi

closing
