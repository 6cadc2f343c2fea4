#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of `dolly reproduce` and `dolly sim --detail`: tests/e2e/commands/reproduce.sh build/dolly
#
# Prints one `ok` or `not ok` line per check and closes with `N passed, N failed`. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/commands/reproduce.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
export XDG_CACHE_HOME=$tmp/cache
unset DOLLY_EXPERIMENTS

. tests/lib/checks.sh

# Runs dolly; leaves its output in $tmp/out and $tmp/err and its status in $status.
run() {
    "$dolly" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
fine() { [ "$status" = 0 ] && [ -s "$tmp/out" ] || { echo "status $status"; cat "$tmp/err"; return 1; }; }
json() { fine && jq -e "$1" "$tmp/out" >/dev/null || { echo "not true: $1"; head -c 1500 "$tmp/out"; return 1; }; }
bad() { # one line that says this, and nothing on stdout
    cat "$tmp/err"
    [ "$status" = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -qF -- "$1" "$tmp/err"
}
says() { grep -qF -- "$1" "$tmp/err" || { cat "$tmp/err"; return 1; }; }

# ---- a world whose numbers are known: every task takes exactly as long as its file says ----

world=$tmp/world
mkdir -p "$world/dolly"
cp -r experiments/plots experiments/*.jq "$world"
cat >"$world/dolly/two.workload" <<'END'
job a
  phase p tasks=2
    task 0 attempts=10s
    task 1 attempts=40s,20s
job b at=100s
  phase p tasks=1
    task 0 attempts=30s
END
experiment() { # lines of an experiment file beyond its head
    { printf 'paper dolly | A test\nseeds quick=2 full=3\n'
      printf 'let world = --workload two.workload --cluster 4x1 --seed $seed\n'
      printf 'run slow = sim $world --detail --policy none\n'
      printf 'run fast = sim $world --detail --policy dryad,order=fifo\n'
      printf 'run three = script three.sh\nrun seeded = script seeded.sh $seed\n'
      printf 'run m = model --p 0.1 --n 1 --c 2\nexperiment e | An experiment\n'
      cat; } >"$world/dolly/dolly.experiment"
}
printf 'echo three 3\necho quick "${DOLLY_QUICK:-0}"\necho nothing -\n' >"$world/dolly/three.sh"
printf '[ $(($1 %% 2)) = 1 ] && echo odd "$1" || echo odd -\n' >"$world/dolly/seeded.sh"
experiment <<'END'
row mean | mean of a and b | s | 40 | predicted | here
  ours = time($slow)
row gain | gain of b's bin over itself | % | ~0 | fitted | here
  ours = gain($slow; $slow; 1)
  tuned = 2 * ($three.three - 1) / 4 + -1
row range | in a range | s | 30 to 40 | predicted | here
  ours = $slow.mean_jct_s
row bound | above a bound | s | <= 20 | predicted | here
  ours = largest $slow.p50_jct_s
row job | half of the jobs | % | > 0 | predicted | here
  ours = jobgain($slow; $slow; 0; 0.5)
row slowest | slowest over median | ratio | 4 | predicted | here
  ours = slowdown($slow; 1; 0.5)
row counted | launches of firsts, and of what never was | 1 | 3 | predicted | here
  ours = $slow.decisions.launch.runnable + ($slow.decisions.kill.preempted // 0)
row model | a closed form | 1 | 0.01 | predicted | here
  ours = $m.task_level
row reached | where a curve gets up | 1 | 3 | predicted | here
  ours = reach(5; [[1, 6], [2, 4], [3, 5], [4, 9]])
row waits | nothing to measure yet | 1 | 3 | predicted | here
  ours = when($slow.mean_jct_s - 36; 3)
row waited | something to measure | 1 | 3 | predicted | here
  ours = when($slow.mean_jct_s - 34; 3)
row unknown | not measured | 1 | 7 | predicted | here
  note = because
row some | of the seeds that have it | 1 | 3 | predicted | here
  ours = $seeded.odd
aside why | shows why mean differs | s | mean
  ours = 2 * time($slow)
figure f | bars | A 'title' | x | y
  point s | one | @mean
  point s | two | - | $three.three
figure g | lines | Lines | x | y
  point s | 1 | 5 | [time($slow)] | first
  point s | 2.5 | - | $three.three
END
reproduce() { run reproduce dolly --experiments "$world" "$@"; }

reproduce --json
ok "json: the members of DESIGN" json '.paper == "dolly" and (.experiments | length == 13 and
    all(has("id") and has("what") and has("unit") and has("paper") and has("ours") and has("lo") and has("hi") and
        has("source") and (.basis == "fitted" or .basis == "predicted")))'
value() { json ".experiments[] | select(.id == \"$1\") | $2"; }
ok "a mean over jobs" value mean '.ours == 35 and .lo == 35 and .hi == 35 and .paper == 40 and .difference == -5'
ok "a gain, and the column of tuned baselines" value gain '.ours == 0 and .tuned == 0 and .basis == "fitted"'
ok "inside a range there is no difference" value range '.difference == 0 and .paper == 35 and .paper_text == "30 to 40"'
ok "the largest over seeds, above a bound" value bound '.ours == 30 and .difference == 10 and .lo == null'
ok "job by job" value job '.ours == 0'
ok "phases: slowest over median" value slowest '.ours == 4'
ok "counts of decisions; what never happened is 0" value counted '.ours == 3'
ok "a model" value model '(.ours - 0.01 | fabs) < 1e-12'
ok "where a curve gets up" value reached '.ours == 3'
ok "what a run is too short for is not measured" value waits '.ours == null'
ok "... and what it is long enough for is" value waited '.ours == 3'
ok "what is not measured says why" value unknown '.ours == null and .note == "because"'
ok "the mean of the seeds that have it" value some '.ours == 2 and .lo < 2 and .hi > 2'
ok "an aside is beside the rows, and no row" json '.asides == [.asides[] | select(.id == "why" and .explains == "mean" and .ours == 70 and .lo == 70)] and
    (.asides | length == 1) and (.experiments | all(.id != "why"))'
ok "three seeds in full" json '.seeds == 3'

reproduce --json
ok "the second time nothing runs" says '8 of 8 runs are there already'
rm "$(ls "$tmp"/cache/dolly/reproduce/*.json | head -n 1)"
reproduce --json
ok "only what is missing runs" says '7 of 8 runs are there already'
reproduce --json --fresh
ok "--fresh runs all" bash -c "[ -s '$tmp/out' ] && ! grep -q already '$tmp/err'"
sed -i 's/40s,20s/60s,20s/' "$world/dolly/two.workload"
reproduce --json
ok "another world has other results" value mean '.ours == 45'
reproduce --quick --json --store "$tmp/store"
ok "--quick takes fewer seeds" json '.seeds == 2'
ok "--quick measures no asides" json '.asides[0].ours == null'
ok "--store is used" test "$(ls "$tmp/store" | wc -l)" = 6

reproduce
ok "a table of asides" grep -q '^why  *90.0 .* mean  *shows why mean differs' "$tmp/out"
ok "a table" bash -c "grep -q '^mean  *40  *45.0 ' '$tmp/out' && grep -q '^An experiment' '$tmp/out'"
reproduce --csv "$tmp/csv"
ok "csv of rows" grep -q '^"e","mean","mean of a and b","s",40,"40",45,45,45,5,,,,"predicted","here"$' "$tmp/csv/dolly.csv"
ok "csv of points" grep -q '^"s","two",,3,3,3$' "$tmp/csv/dolly-f.csv"
reproduce --report "$tmp/page.html"
ok "a page has the rows and the figures" bash -c "grep -q '<td>40</td><td class=\"n\">45</td>' '$tmp/page.html' &&
    [ \$(grep -c '<section class=.figure' '$tmp/page.html') = 2 ] && grep -q '<h3>A &#39;title&#39;' '$tmp/page.html'"
ok "and the points of figures" grep -qF '<tr><td>s</td><td>two</td><td class="n">-</td><td class="n">3</td><td class="n">3</td><td class="n">3</td></tr>' \
    "$tmp/page.html"
if command -v gnuplot >/dev/null; then
    reproduce --plots "$tmp/plots"
    ok "pictures" bash -c "grep -q '</svg>' '$tmp/plots/dolly-f.svg' && grep -q '</svg>' '$tmp/plots/dolly-g.svg'"
    ok "a picture shows its title" grep -q "A 'title'" "$tmp/plots/dolly-f.svg"
else
    skip "pictures" "gnuplot is not installed"
fi

# An interrupt ends the runs under way and keeps those that are done.
printf '[ ! -e "%s/slow" ] || { : >"%s/waits"; exec sleep 30; }\necho three 3\n' "$tmp" "$tmp" >"$world/dolly/three.sh"
touch "$tmp/slow"
"$dolly" reproduce dolly --experiments "$world" --store "$tmp/store2" --parallel 1 >"$tmp/out" 2>"$tmp/err" </dev/null &
pid=$!
await 120 'a run waits' test -e "$tmp/waits"
kill -TERM "$pid"
wait "$pid"
status=$?
ok "interrupted: status 130" test "$status" = 130
ok "interrupted: it says how to go on" says 'the same command continues'
ok "interrupted: nothing half-written is left" bash -c "ls '$tmp/store2' | grep -q 'json$' && ! ls '$tmp/store2' | grep -qv 'json$'"
rm "$tmp/slow"
reproduce --store "$tmp/store2" --json
ok "resumed: what was done stays" says 'runs are there already'
ok "resumed: the same numbers" value mean '.ours == 45'

# ---- the functions of formulas, on results small enough to know by heart ----

results='{"mean_jct_s": 20, "bins": [{"bin": 1, "mean_jct_s": 10}, {"bin": 2, "mean_jct_s": null}],
  "each_job": {"job": [7, 9, 8], "tasks": [2, 60, 4], "phases": [1, 2, 1], "jct_s": [10, 30, 20], "slot_s": [20, 1000, 80],
    "clone_slot_s": [10, 30, 0], "arrived_s": [0, 5, 100], "started_s": [2, 15, 100],
    "resource_s": {"cpu": [10, 30, 20], "mem": [100, 0, 200]}},
  "resources": [{"resource": "cpu", "capacity": 10}, {"resource": "mem", "capacity": 100}],
  "each_phase": {"job": [7, 9, 9, 8], "phase": [0, 0, 1, 0], "tasks": [2, 30, 30, 4], "took_s": [10, 10, 20, 20],
    "slowdown": [1, 4, 3, 2], "stragglers": [0, 2, 3, 1], "read_s": [null, null, 5, null], "read_ratio": [null, null, 2, null]},
  "each_omega": {"bin": [1, 2, 1], "omega_s": [3, 5, 4]}}'
formula() { # formula, what it gives: $a is the result above, $b the same with half of jobs' times and a fifth more for reading
    ok "formula: $1" jq -ne -L experiments --argjson r "$results" "include \"formulas\"; (\$r | result) as \$a
        | (\$r | .mean_jct_s /= 2 | .each_job |= map_values(if type == \"array\" then reverse else map_values(reverse) end) | .each_job.jct_s |= map(. / 2) | .bins[0].mean_jct_s = 2
           | .each_phase.took_s |= map(. - 5) | .each_phase.read_s[2] = 6 | result) as \$b
        | value($1) | tojson == ($2 | tojson)"
}
formula 'gain($a; $b)' 50
formula 'gain($a; $b; 1)' 80
formula 'gain($a; $b; 2)' null
formula 'faster($a; $b)' 100
formula 'time($a; 1)' 10
formula 'jobgain($a; $b; 0; 0.5)' 50
formula 'jobsaved($a; $b; 1; 1)' 0
formula 'jobgain_by_slots($a; $b; 0; 0.5)' 50
formula 'jobshare($b; $a; 50)' 100
formula 'jobshare($b; $a; 51)' 0
formula 'jobshare($a; $b; -100)' 100
formula 'jobshare($a | .each_job.jct_s = [10, 21, null]; $a; 30)' '(100 / 3)'
formula 'within($a; 20)' '(200 / 3)'
formula 'within($a | .each_job.jct_s[0] = null; 20)' '(100 / 3)'
formula 'runwithin($a; 8)' '(100 / 3)'
formula 'runwithin($a; 20)' 100
formula 'runwithin($a | .each_job.started_s[0] = null; 20)' '(200 / 3)'
formula 'usage($a | .each_job.resource_s.cpu[1] = 120; $a)' 2
formula 'usageshare($a | .each_job.resource_s.cpu = [30, 30, 60]; $a; 2; 9)' '(200 / 3)'
formula 'usageshare($a | .each_job.resource_s.cpu = [30, 30, 60]; $a; 0.95; 1.05)' '(100 / 3)'
formula 'phasesgain($a; $b; 1; 1)' 50
formula 'phasesgain($a; $b; 1; 2)' null
formula 'readersgain($a; $b; 0.5)' 25
formula 'readslowdown($a; $b; 3; 0.5)' '(100 * (6 / 5 - 1))'
formula 'readratio($a; 0; 0.5)' 2
formula 'slowdown($a; 0; 0.5)' 2
formula 'slowdown($a; 0; 0)' 1
formula 'slowdown($a; 1; 2)' 1.5
formula 'slowdown($a; 4; 0.5)' null
formula 'slowdown_unread($a; 3; 1)' 4
formula 'omega($a; 1; 1)' 4
formula 'cloneslots($a; 1)' 10
formula 'cloneshare($a; 1)' 25
formula 'stragglers($a) / phasetasks($a)' '(6 / 66)'
formula 'min(nan; 3) + max(1; 2)' 5
formula 'when(nan; 3)' null
formula 'reach(nan; [[1, 2]])' null
formula 'stat({stats: [{id: "x", ours: 7}]}; "x")' 7

# ---- bad input ----

refuse() { # name, what it says; the file is on stdin
    experiment
    reproduce
    ok "$1" bad "$2"
}
refuse "an unknown statement" "dolly.experiment:10: unknown statement 'rwo'" <<<'rwo a | b'
refuse "a row with too few fields" 'expected `row ID | WHAT' <<<'row a | b'
refuse "a basis that is none" "fitted or predicted, not 'guessed'" <<<'row a | b | s | 1 | guessed | here'
refuse "a published value that is none" "'many' is not a published value" <<<'row a | b | s | many | fitted | here'
refuse "an unknown run" "run 'fsat.mean_jct_s' does not exist" <<<$'row a | b | s | 1 | fitted | here\n  ours = $fsat.mean_jct_s'
refuse "an aside to no row" 'row b does not exist above' <<<$'row a | b | s | 1 | fitted | here\n  ours = 1\naside c | d | s | b'
refuse "an aside to an aside" 'row c does not exist above' <<<$'row a | b | s | 1 | fitted | here\n  ours = 1\naside c | d | s | a\n  ours = 2\naside e | f | s | c'
refuse "a row without a formula" 'row a has neither' <<<'row a | b | s | 1 | fitted | here'
refuse "a row twice" 'there is a row a already' <<<$'row a | b | s | 1 | fitted | here\n  ours = 1\nrow a | b | s | 1 | fitted | here'
refuse "a formula that does not end" "dolly.experiment:10: in '(1 + 2': syntax error" <<<$'row a | b | s | 1 | fitted | here\n  ours = (1 + 2'
refuse "arguments that do not end" "in 'max(1; 2': syntax error" <<<$'row a | b | s | 1 | fitted | here\n  ours = max(1; 2'
refuse "an unknown function, in the second formula" "dolly.experiment:12: in 'mean(\$slow)': mean/1 is not defined" \
    <<<$'row a | b | s | 1 | fitted | here\n  ours = 1\nrow c | b | s | 1 | fitted | here\n  ours = mean($slow)'
refuse "a run whose name is none" "a run's name is made of" <<<'run a-b = model --p 0.1 --n 1'
refuse "a variable without value" 'no value for $nobody' <<<'run x = sim $nobody'
refuse "a command that is none" "a run is one of sim, model, workload and script" <<<$'run x = rm -rf\nrow a | b | s | 1 | fitted | here\n  ours = $x.y'
wrong() { # name, formula, what it says: the runs are fine, and the formula asks too much of them
    experiment <<<"row a | b | s | 1 | fitted | here
  ours = $2"
    reproduce
    ok "$1" bash -c "grep -qF -- \"\$1\" '$tmp/err' && [ $status = 2 ]" - "dolly.experiment:10: in '$2': $3"
}
wrong "a member that is none" '$slow.nothing' 'this gives nothing; is there such a member?'
wrong "... in a sum of products" '1 + 2 * $slow.nothing' 'number (2) and null (null) cannot be multiplied'
wrong "... of what is no object" '$slow.mean_jct_s.nothing' 'Cannot index number'
wrong "a run where a number is wanted" '$slow' 'this gives object, not a number'
wrong "two numbers" '1, 2' 'this gives several values'
wrong "details that were not asked for" 'stragglers($m)' 'this needs the result of a `sim --detail`'
wrong "a quantile that is none" 'slowdown($slow; 1; -1)' 'a quantile is from 0 to 1'
experiment <<<$'row a | b | s | 1 | fitted | here\n  ours = 1 / ($slow.mean_jct_s - 45)'
reproduce --json
ok "what divides by 0 is not measured" json '.experiments[0].ours == null'
mkdir "$tmp/bin"
for tool in bash sleep; do ln -s "$(command -v $tool)" "$tmp/bin"; done
PATH=$tmp/bin "$dolly" reproduce dolly --experiments "$world" >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
ok "without jq" bash -c "[ $status = 1 ] && grep -q 'cannot start jq, which formulas need (Debian: jq)' '$tmp/err'"
mkdir "$tmp/early" # a gnuplot that ends before it has read a program that is longer than a pipe
printf '#!/bin/sh\nexit 3\n' >"$tmp/early/gnuplot"
chmod +x "$tmp/early/gnuplot"
printf 'row a | b | s | 1 | fitted | here\n  ours = 1\nfigure f | bars | %070000d | x | y\n  point s | one | @a\n' 0 | experiment
PATH=$tmp/early:$PATH reproduce --plots "$tmp/none"
no_picture() { [ "$status" = 1 ] && [ ! -s "$tmp/out" ] && [ -z "$(ls "$tmp/none")" ] && says "$1"; }
ok "a picture that cannot be drawn" no_picture "gnuplot could not draw $tmp/none/dolly-f.svg; is it installed (Debian: gnuplot-nox)?"
experiment <<<$'run x = sim --workload nowhere --policy none\nrow a | b | s | 1 | fitted | here\n  ours = $x.mean_jct_s'
reproduce
ok "a run that fails is told" bash -c "[ $status = 1 ] && grep -q nowhere '$tmp/err'"
run reproduce late2 --experiments experiments
ok "an unknown paper" bad "unknown paper 'late2', did you mean 'late'?"
run reproduce dolly dolly
ok "a paper twice" bad 'dolly is named twice'
run reproduce dolly --parallel 0
ok "no runs at a time" bad '--parallel must be'
run reproduce dolly --experiments "$tmp"
ok "a folder without experiments" bad 'no experiments in'
mkdir -p "$tmp/alone/a/b"
cp "$dolly" "$tmp/alone/a/b/dolly"
(cd "$tmp/alone" && exec a/b/dolly reproduce) >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
ok "no experiments anywhere" bad 'no experiments here; name their folder with --experiments DIR, or run this in the source tree'
rm -r "$tmp/alone"
(unset HOME XDG_CACHE_HOME; run reproduce dolly --experiments "$world"; exit "$status")
status=$?
ok "no home: nothing is kept where others may write" bad "HOME is not set; name a folder for the results: --store DIR"
run reproduce --help
ok "help" fine

# ---- the real files ----

run reproduce --list
ok "the experiments are well-formed" fine
cp "$tmp/out" "$tmp/ids"
ok "no id is used twice in a paper" test -s "$tmp/ids"
sed -n 's/^| `\([a-z0-9./-]*\)` |.*/\1/p' docs/measured/reproduction/{dolly,dollymp,hotcloud,late,mantri}.md | sort >"$tmp/documented"
ok "docs/measured/reproduction lists exactly these rows" diff <(sort "$tmp/ids") "$tmp/documented"
ok "docs/measured/reproduction.md has rows of theirs" test -z "$(grep '^| `' docs/measured/reproduction.md | grep -vxFf <(cat docs/measured/reproduction/*.md))"

# What users get is not always what was published: a row that reproduces a paper says which of both it runs.
says_which() { # RECIPES SETTING: every policy of a paper that has one of these recipes has the setting, and there are some
    sed -nE 's/^run [^=]* = .*--policy ([^ ]*).*/\1/p; s/^let [^=]* = *([^ ]*)$/\1/p' experiments/{dolly,dollymp,hotcloud,late,mantri}/*.{experiment,inc} |
        sed 's/\$[a-z_0-9]*//g; s/protect=mantri//g' | grep -E "$1" >"$tmp/policies"
    ! grep -vF "$2=" "$tmp/policies" && [ -s "$tmp/policies" ]
}
shopt -s nullglob
ok "rows about DollyMP's clones say whether these yield" says_which 'dollymp[1-3]|mitigate=dollymp' when
ok "rows about Mantri say whether it is careful" says_which mantri careful

# ---- sim --detail ----

run sim --workload "$world/dolly/two.workload" --cluster 4x1 --policy none --detail
ok "--detail needs --json" bad '--detail needs --json'
run sim --workload "$world/dolly/two.workload" --cluster 4x1 --policy none --detail --json --seeds 2
ok "--detail is about one seed" bad '--detail is about one seed'
run sim --workload examples/mixed.workload --cluster examples/small.cluster --policy dolly --set beta=0.3 --detail --json
ok "--detail: rows add up to the totals" json '.policies[0] | ([.each_job.slot_s[]] | add) - .busy_slot_s | fabs < 0.001'
ok "--detail: the mean is that of the rows" json '.policies[0] | ([.each_job.jct_s[]] | add / length) - .mean_jct_s | fabs < 0.000001'
ok "--detail: clones are counted" json '.policies[0] | .decisions.launch.clone == .clones and .wins.clone > 0 and
    ([.each_job.clone_slot_s[]] | add) > 0'
ok "--detail: a phase row per phase" json '.policies[0] | (.each_phase.job | length) == ([.each_job.phases[]] | add)'
closing
