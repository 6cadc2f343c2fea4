# numbers.jq - numbers of `dolly sim --trace --detail --json` as table.jq and the script `run` show them.

def digits: if . == null then "-" elif . >= 1000 then round | tostring
    elif . >= 10 then . * 10 | round / 10 | tostring else . * 100 | round / 100 | tostring end;
def both: if length == 2 and .[0] == .[1] then .[0] else join(" / ") end;
def pair: map(digits) | both;
def percent: if . == null then "-" else . * 100 | round | if . == 0 then 0 else . end | tostring + " %" end;
def percents: map(percent) | both;
def name: .policy | sub(",cap=[^,]*"; "");

# The recipe's time over that of the same order without its mitigation or screen, in each reading; null: it has none.
# $pairs has a line for each recipe: its name, a tab, and what it is compared with.
def over_same_order($v; $pairs): name as $n | ($pairs | split("\n") | map(split("\t")) | map(select(.[0] == $n)) | first) as $pair |
    if $pair == null then null else
        [$v[] | [.policies[] | {key: name, value: .mean_jct_s}] | from_entries | .[$pair[0]] / .[$pair[1]]] end;
def over: if . == null then "-" else (if max > 1.02 then "**" else "" end) as $b | map(. * 1000 | round / 1000 | tostring) |
    $b + both + $b end;

def loads: .variations[0].policies[0] | if .load_arriving == null then "all at once / \(.load_mean | percent)"
    else "\(.load_arriving | percent) / \(.load_mean | percent)" end;

# The sentence above a table.
def about: .censored_work as $drawn | loads as $loads | .variations[0] | "\(.jobs) jobs of \(.tasks) tasks; cluster \(.cluster)" +
    if .jobs == 0 then "" else ", \(.policies[0].resources[0].capacity | round) cores. In use under `none`, while jobs arrived / " +
        "until the last one ended: \($loads)." + if $drawn > 0 then " Of the work \($drawn | percent) is drawn." else "" end end;

# A row of the first table: loads, what is drawn, the ceiling, and the recipes that save most and are harmed most. Of two
# readings that counts in which a recipe comes off worse.
def summary($title; $pairs): .variations as $v | ($v[0].policies[0].mean_jct_s) as $none |
    [range($v[0].policies | length) as $p | {name: ($v[0].policies[$p] | name),
        saved: [$v[] | 1 - .policies[$p].mean_jct_s / .policies[0].mean_jct_s], over: ($v[0].policies[$p] | over_same_order($v; $pairs))} |
        select(.name | contains(",") | not)] as $r |
    ($r | map(select(.over)) | sort_by(-(.saved | min), -(.saved | max)) | first) as $best |
    ($r | map(select(.over | not)) | sort_by(-(.saved | min)) | first) as $order |
    ($r | map(select(.over)) | max_by(.over | max)) as $worst |
    "| \($title) | \(loads) | \(.censored_work | percent) | \([$v[] | 1 - .yardsticks[0].mean_jct_s / .policies[0].mean_jct_s] | percents) | " +
    "\($order.name) \($order.saved | percents) | \($best.name) \($best.saved | percents) | \($worst.name) \($worst.over | over) |";
