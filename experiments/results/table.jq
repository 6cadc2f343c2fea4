# table.jq - the result of `dolly sim --trace --detail --json` as a table: a row for each recipe, with the numbers of both
# readings, luck first, where they differ. $pairs: see numbers.jq.
include "numbers";

# Nearest rank.
def p95: sort | if length == 0 then null else .[(length * 0.95 | ceil) - 1] end;
def small_jobs: .each_job as $j | [range($j.jct_s | length) | select($j.tasks[.] <= 10 and $j.jct_s[.] != null) | $j.jct_s[.]];
def bin1: .bins[] | select(.bin == 1);
def ceiling($v): $v.yardsticks[0].mean_jct_s;
# What a recipe saves of what the baseline would if every task took its phase's median.
def reached($v; $base): ($base.mean_jct_s - ceiling($v)) as $most |
    if $most < 0.01 * $base.mean_jct_s then null else ($base.mean_jct_s - .mean_jct_s) / $most end;

.variations as $v | $v[0] as $first |
"| recipe | mean, 1-10 tasks | p95, 1-10 tasks | mean, all | p95, all | over the same order | cost | of the ceiling |",
"| --- | --- | --- | --- | --- | --- | --- | --- |",
(range($first.policies | length) as $p |
    [$v[] | {policy: .policies[$p], base: .policies[0], of: .}] as $r |
    ($r[0].policy | name) as $name | select($name | contains(",") | not) |
    "| \($name) | \([$r[].policy | bin1.mean_jct_s] | pair) | " +
    "\([$r[].policy | small_jobs | p95] | pair) | \([$r[].policy.mean_jct_s] | pair) | \([$r[].policy.p95_jct_s] | pair) | " +
    "\($r[0].policy | over_same_order($v; $pairs) | over) | " +
    "\([$r[].policy.busy_vs_first] | pair) | \([$r[] | . as $x | $x.policy | reached($x.of; $x.base)] | percents) |"),
"| *no stragglers* | \([$v[].yardsticks[0] | bin1.mean_jct_s] | pair) | | \([$v[].yardsticks[0].mean_jct_s] | pair) | " +
    "\([$v[].yardsticks[0].p95_jct_s] | pair) | | \([$v[].yardsticks[0].busy_vs_first] | pair) | |"
