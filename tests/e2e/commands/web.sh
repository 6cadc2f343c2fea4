#!/bin/bash
# lane: watching; builds: gcc; needs: jq; limit: 600 s
# Pages in a real browser: tests/e2e/commands/web.sh build/dolly
#
# Makes pages of all kinds of runs and lets tests/web/pages.js look at them: chromium-headless-shell of Debian, driven by
# playwright-core, and axe-core for who uses no eyes or no mouse. Both come from npm as tests/web/package-lock.json says,
# into build/web. What is not on this machine and cannot be had is a reason to skip.
# UPDATE=1 rewrites tests/web/looks.json, what pictures look like from afar.
# Closes with `N passed, N failed`. Needs jq.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/web.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# ---- the browser ----

# A place of its own for the packages; made again when the list has changed. 0, or 1 with a reason in $why.
modules=build/web
packages() {
    local tool
    for tool in node npm chromium-headless-shell; do
        command -v "$tool" >/dev/null || { why="no $tool here"; return 1; }
    done
    cmp -s tests/web/package-lock.json "$modules/package-lock.json" && [ -e "$modules/done" ] && return 0
    rm -rf "$modules" && mkdir -p "$modules" && cp tests/web/package.json tests/web/package-lock.json "$modules" || return 1
    timeout 60 npm ci --prefix "$modules" --ignore-scripts --no-audit --no-fund --no-update-notifier \
        --cache "$tmp/npm" >"$tmp/npm.log" 2>&1 && : >"$modules/done" && return 0
    why="npm cannot fetch what package-lock.json names: $(grep -m 1 -v '^npm warn' "$tmp/npm.log")"
    return 1
}
if ! packages; then
    skip 'pages in a browser' "$why"
    closing
    exit
fi

# ---- pages ----

pages=$tmp/pages
mkdir "$pages"
page() { # name journal: the page, and the facts behind it
    "$dolly" report "$2" -o "$pages/$1.html" >/dev/null 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    "$dolly" explain "$2" --json >"$pages/$1.json" 2>/dev/null
}
simulate() { # name policy
    "$dolly" sim --workload examples/mixed.workload --cluster examples/faulty.cluster --policy "$2" --seed 4 \
        --journal "$tmp/$1" >/dev/null 2>&1
}
simulate run dolly
simulate other late
ok 'a simulated run' page run "$tmp/run"
head -c 20000 "$tmp/run" >"$tmp/torn"
ok 'a torn journal' page torn "$tmp/torn"
# Up to the first job: nothing happened.
for size in 8000 4000 2000 1000; do
    head -c $size "$tmp/run" >"$tmp/empty"
    [ "$("$dolly" explain "$tmp/empty" --json 2>/dev/null | jq .jobs)" != 0 ] || break
done
ok 'a journal without jobs' page empty "$tmp/empty"
ok 'which it is' jq -e '.jobs == 0' "$pages/empty.json"

# One job whose clones rescue two tasks.
printf 'job wordcount\n  phase map tasks=10 sizes=17s,20s,22s input=64M output=8M\n    task 3 attempts=65s,20s\n    task 7 attempts=48s,22s\n  phase reduce tasks=3 after=map size=9s\n' \
    >"$tmp/rows.workload"
printf 'nodes n[0-7] cpu=4\nluck startup=800ms\n' >"$tmp/rows.cluster"
"$dolly" sim --workload "$tmp/rows.workload" --cluster "$tmp/rows.cluster" --policy 'dolly;beta=1' --journal "$tmp/rows" >/dev/null 2>&1
ok 'a job with rescued tasks' page rows "$tmp/rows"
"$dolly" explain "$tmp/rows" 0/map/3 --json >"$pages/rows-3.json"

# The same job while some of it runs: its journal as it was after the first task had won.
for ((size = 2000; size < $(wc -c <"$tmp/rows"); size += 200)); do
    head -c $size "$tmp/rows" >"$tmp/halfway"
    [ "$("$dolly" explain "$tmp/halfway" --json 2>/dev/null | jq '.tasks_done > 0')" != true ] || break
done
ok 'a job that is not over' page halfway "$tmp/halfway"

# What people write as commands, in every script and with ill will. One of them fails.
"$dolly" map --dir "$tmp/words" -j2 'test -n {} && test {} != fail' ::: fail 'задача' '作业' 'עבודה' 'مهمة' 'कार्य' '😀' $'\u202eevil' \
    '<img src=x onerror=alert(1)>' '</script><script>alert(2)</script>' '"&'"'"'<!--' ']]>' >/dev/null 2>&1
ok 'a real run with a failure, and words of all kinds' page words "$tmp/words"
"$dolly" map --dir "$tmp/cut" -j1 "test {} = a || test -e '$tmp/go' || { : >'$tmp/begun'; sleep 60; }; echo {}" ::: a b c >"$tmp/cut.out" 2>/dev/null &
cut=$!
for ((i = 0; i < 1500; i++)); do
    [ ! -e "$tmp/begun" ] || break
    sleep 0.02
done
kill -9 "$cut"
wait "$cut" 2>/dev/null
: >"$tmp/go"
"$dolly" resume "$tmp/cut" >/dev/null 2>&1
ok 'a run that was cut and resumed' page resumed "$tmp/cut"
hostile="$tmp/<img src=x onerror=alert(1)>\"'.journal"
cp "$tmp/run" "$hostile"
ok 'a journal with a hostile name' page hostile "$hostile"
printf 'job many repeat=100 every=20s\n  phase map tasks=10000 size=20s\n' >"$tmp/many.workload"
"$dolly" sim --workload "$tmp/many.workload" --cluster 2000x8 --policy none --journal "$tmp/many" >/dev/null 2>&1
ok 'a million attempts, all equally long' "$dolly" report "$tmp/many" -o "$pages/many.html"
rm -f "$tmp/many"
"$dolly" sim --workload examples/mixed.workload --cluster examples/faulty.cluster --policy late,dolly --seed 4 >"$pages/compare.txt" 2>/dev/null
"$dolly" sim --workload "$tmp/rows.workload" --cluster "$tmp/rows.cluster" --policy none --journal "$tmp/alone" >/dev/null 2>&1
ok 'two runs of one job' "$dolly" report --compare "$tmp/alone" "$tmp/rows" -o "$pages/pair.html"
ok 'two runs' "$dolly" report --compare "$tmp/other" "$tmp/run" -o "$pages/compare.html"
mkdir -p "$tmp/world/late" && cp experiments/*.jq "$tmp/world"
cat >"$tmp/world/late/late.experiment" <<'END'
paper late | A test
seeds quick=2 full=2
run m = model --p 0.1 --n 1 --c 2
experiment e | An experiment
row a | a row | % | 5 | predicted | here
  ours = 4
figure bars | bars | Some <b>bars</b> | things | percent
  point one | here | 3 | $m.job_level
  point two | there | - | -4 * $m.job_level
figure lines | lines | A line | copies | chance
  point one | 1 | 3 | $m.job_level
  point one | 2 | 2 | 2 * $m.job_level
END
ok 'figures' "$dolly" reproduce late --experiments "$tmp/world" --store "$tmp/store" --report "$pages/figures.html"

# ---- what the browser says ----

said() { # what, script and its arguments: its lines are checks
    local what=$1 status line
    node "${@:2}" >"$tmp/said" 2>"$tmp/err"
    status=$?
    while IFS= read -r line; do
        case $line in
        'ok '*) report 0 "${line#ok }" ;;
        'not ok '*) report 1 "${line#not ok }" ;;
        'skip '*) skip "${line#skip }" 'see above' ;;
        *) echo "    $line" ;;
        esac
    done <"$tmp/said"
    report $((status != 0)) "$what" "$(head -n 5 "$tmp/err")"
}
said 'the browser went through all of it' tests/web/pages.js "$modules/node_modules" "$pages" tests/web/looks.json

# ---- a run that is followed ----

head -c $(($(wc -c <"$tmp/run") / 3)) "$tmp/run" >"$tmp/growing"
"$dolly" watch "$tmp/growing" >"$tmp/url" 2>/dev/null &
watching=$!
await 60 'an address' filled "$tmp/url"
said 'the browser followed a run to its end' tests/web/live.js "$modules/node_modules" "$dolly" "$tmp/run" "$tmp/growing" "$(head -n 1 "$tmp/url")"
kill "$watching"
wait "$watching"
closing
