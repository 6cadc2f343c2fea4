#!/bin/bash
# Reports: tests/report.sh build/dolly
#
# What a page says must be what the journal says, and nothing in a journal may become more than text.
# Closes with `N passed, N failed`. Needs jq.
set -u
dolly=$(realpath "${1:?usage: tests/report.sh DOLLY}")
cd "$(dirname "$0")/.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
. tests/lib/checks.sh

page() { sed -n "s/.*<script type=\"application\/json\" id=\"data\">\(.*\)<\/script>/\1/p" "$1" | jq "${@:2}"; }
same() { [ "$1" = "$2" ] || { echo "'$1', want '$2'"; return 1; }; }
all() { local one; for one; do eval "$one" || { echo "not: $one"; return 1; }; done; }

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
inline() { # tag: the hash of what the page runs or shows
    awk -v RS="</$1>" -v tag="<$1>" '{ i = index($0, tag); if (i) { printf "%s", substr($0, i + length(tag)); exit } }' "$tmp/run.html" |
        openssl dgst -sha256 -binary | base64
}
ok 'its policy names its script and its style' all 'grep -qF "script-src '\''sha256-$(inline script)'\''" "$tmp/run.html"' \
    'grep -qF "style-src '\''sha256-$(inline style)'\''" "$tmp/run.html"'

# ---- for other programs ----

"$dolly" report "$tmp/run" --trace "$tmp/trace.json.gz" --csv "$tmp/csv"
ok 'a trace has a slice for each attempt' same \
    "$(zcat "$tmp/trace.json.gz" | jq '[.traceEvents[] | select(.ph == "X")] | length')" "$launches"
ok 'slices of a lane do not overlap' same "$(zcat "$tmp/trace.json.gz" | jq '
    [.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid])
    | map(sort_by(.ts) | [.[:-1], .[1:]] | transpose | map(select(.[0].ts + .[0].dur > .[1].ts)) | length) | add')" 0
ok 'CSV has a row for each attempt' same "$(($(wc -l <"$tmp/csv/attempts.csv") - 1))" "$launches"
won=$(grep -c '"type":"committed"' "$tmp/json")
ok 'as many have won as were committed' same "$(awk -F, '$9 == "won"' "$tmp/csv/attempts.csv" | wc -l)" "$won"
ok 'times are those of the journal' same \
    "$(awk -F, '$1 == 0 && $2 == 0 && $3 == 0 && $4 == 0 { print $11 * 1000000 }' "$tmp/csv/attempts.csv")" \
    "$(jq -s 'map(select(.type == "launch" and .job == 0 and .phase == 0 and .task == 0 and .attempt == 0))[0].t_us' "$tmp/json")"

# ---- other journals ----

"$dolly" map --dir "$tmp/map" --pure 'test {} != 2' ::: 1 2 3 >/dev/null 2>&1
ok 'the folder of a run' all 'same "$("$dolly" report "$tmp/map")" "$tmp/map/report.html"' \
    'page "$tmp/map/report.html" -e ".from_one and .rows >= 3" >/dev/null'
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
refused() { # what the message must have, arguments
    "$dolly" report "${@:2}" >"$tmp/out" 2>"$tmp/err"
    same "$?" 2 && same "$(wc -l <"$tmp/err")" 1 && grep -q -- "$1" "$tmp/err"
}
ok 'no journal' refused 'the journal.s file is missing'
ok 'not a journal' refused "not a journal" README.md
ok 'two journals' refused 'one journal at a time' "$tmp/run" "$tmp/torn"
"$dolly" report "$tmp/run" -o "$tmp/no/such/folder.html" >"$tmp/out" 2>"$tmp/err"
ok 'a folder that is not there' all 'grep -q "cannot write .*folder.html: No such file" "$tmp/err"'
closing
