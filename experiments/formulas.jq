# formulas.jq - the functions of formulas in experiment files; README.md lists them.
#
# Comparisons of two policies are paired: both saw the same jobs with the same luck, so a job (or phase) is looked up in
# both results and compared with itself. The rows of `dolly sim --detail` are columns of numbers, in which null stands for
# nothing to measure. Outside of columns that is nan, and a member that is not there is null, so that a misspelt member
# does not pass for a measurement. nan is never compared: versions of jq differ in what comes out.

# ---- results of runs ----

def known: # nan for null, columns apart
    if type == "object" then map_values(known)
    elif type == "array" and (.[0] | type) == "object" then map(known)
    elif . == null then nan
    else . end;

# What `sim`, `model` and `workload` print. A simulation of one policy is that policy.
def result: (if has("policies") and (.policies | length) == 1 and (has("yardsticks") | not) then .policies[0] else . end) | known;

# What a script prints: lines of `name number`, or `name -`.
def script:
    [split("\n")[] | [splits("[ \t]+")] | select(length > 1)
     | {key: .[0], value: (.[1] as $x | if $x == "-" then nan else try ($x | tonumber) catch error("a script printed '\($x)', not a number") end)}]
    | from_entries;

# The number that a formula gives, or a text that says why it gives none. What is divided by 0 is not measured.
def value(formula):
    try ([formula]
         | if length > 1 then error("this gives several values")
           elif .[0] == null then error("this gives nothing; is there such a member?")
           elif .[0] | type != "number" then error("this gives \(.[0] | type), not a number")
           elif .[0] | isinfinite then nan
           else .[0] end)
    catch (if test("divisor is zero") then nan else . end);

# ---- numbers ----

def when(x; y): if (x | isnan | not) and x > 0 then y else nan end;
def min(a; b): [a, b | select(isnan | not)] | min // nan;
def max(a; b): [a, b | select(isnan | not)] | max // nan;

# Of [[x, y], ...], the first x from which on no y is below the level.
def reach(level; points):
    level as $level
    | reduce points[] as [$x, $y] (nan; if ($level | isnan) or ($y | isnan) or $y < $level then nan elif isnan then $x else . end);

# ---- mean completion times, of all jobs or of a bin ----

# Of a policy, a bin, or a number as it is.
def time(a): a | if type == "object" then .mean_jct_s // error("this has no mean_jct_s") else . end;
def time(a; $bin): time(a | .bins[] | select(.bin == $bin));

def saved($a; $b): if $a == null or $b == null or $a == 0 then nan else 100 * (1 - $b / $a) end;
def gain(a; b): saved(time(a); time(b));
def gain(a; b; $bin): saved(time(a; $bin); time(b; $bin));
def faster(a; b): 100 * (time(a) / time(b) - 1);

# A statistic of `workload --stats`.
def stat(workload; $id): workload | .stats[] | select(.id == $id) | .ours;

# ---- rows of `sim --detail` ----

def column($of; $name): (.[$of] // {})[$name] // error("this needs the result of a `sim --detail`");
def rows($of; $names): [column($of; $names[])] | transpose;

def bin_of: if . <= 10 then 1 elif . <= 50 then 2 elif . <= 150 then 3 elif . <= 500 then 4 else 5 end;
def in_bin($bin): $bin == 0 or bin_of == $bin;

# {key: value} of rows [key, ..., value].
def by_key(key): reduce .[] as $row ({}; .[$row | key] = $row[-1]);
def job_key: .[0] | tostring;
def phase_key: "\(.[0]) \(.[1])";

def fraction: if . < 0 or . > 1 then error("a quantile is from 0 to 1") else . end;

# Nearest rank, as stat_quantile of base/stat.c.
def quantile($q): ($q | fraction) as $q | if length == 0 then nan else sort | .[[($q * length * (1 - 8.881784197001252e-16) | ceil) - 1, 0] | max] end;

# Of [[value, weight], ...], the value at which the share $q of all weight is reached.
def weighted_quantile($q):
    sort_by(.[0]) | (map(.[1]) | add) as $all
    | if length == 0 then nan
      else first(foreach .[] as [$x, $weight] (0; . + $weight; select(. >= $q * $all * (1 - 1e-12)) | $x), .[-1][0]) end;

# Job by job, what b saves of a column; weighted by slot-seconds under a, or alike.
def job_gain(a; b; $name; $bin; $q; weight):
    (b | rows("each_job"; ["job", $name]) | by_key(job_key)) as $other
    | [a | rows("each_job"; ["job", "tasks", "slot_s", $name])[] | select(.[1] | in_bin($bin))
       | [saved(.[3]; $other[job_key]), weight] | select(.[0] | isnan | not)]
    | weighted_quantile($q);
def jobgain(a; b; $bin; $q): job_gain(a; b; "jct_s"; $bin; $q; 1);
def jobgain_by_slots(a; b; $bin; $q): job_gain(a; b; "jct_s"; $bin; $q; .[2]);
def jobsaved(a; b; $bin; $q): job_gain(a; b; "slot_s"; $bin; $q; 1);

# Of a list, the share for which something holds, in percent. A job that failed is one more for which it does not.
def share(holds): if length == 0 then nan else 100 * (map(select(holds)) | length) / length end;
def jobshare(a; b; $x):
    (b | rows("each_job"; ["job", "jct_s"]) | by_key(job_key)) as $other
    | [a | rows("each_job"; ["job", "jct_s"])[] | saved($other[job_key]; .[1])]
    | share((isnan | not) and . >= $x - 1e-9);
def within(a; $s): a | column("each_job"; "jct_s") | share(. != null and . <= $s);
# From a job's first start, which waiting in the queue comes before, to its end.
def runwithin(a; $s):
    [a | rows("each_job"; ["arrived_s", "started_s", "jct_s"])[]]
    | share(all(.[]; . != null) and .[0] + .[2] - .[1] <= $s + 1e-9);

# What each job used: the sum over resources of what it held x time, over what the cluster has of it.
def job_usage:
    (reduce .resources[] as $r ({}; .[$r.resource] = $r.capacity)) as $has
    | [column("each_job"; "job"),
       ([column("each_job"; "resource_s") | to_entries[] | .key as $name | .value | map(. / $has[$name])]
        | transpose | map(add))]
    | transpose;
def usage(a; b): ([a | job_usage[] | .[1]] | add) / ([b | job_usage[] | .[1]] | add);
def usageshare(a; b; $least; $most):
    (b | job_usage | by_key(job_key)) as $other
    | [a | job_usage[] | .[1] / $other[job_key]]
    | share(. >= $least - 1e-9 and . <= $most + 1e-9);

# The mean time of the bin's jobs with $n phases.
def phases_time(a; $bin; $n):
    [a | rows("each_job"; ["tasks", "phases", "jct_s"])[] | select((.[0] | in_bin($bin)) and .[1] == $n) | .[2]]
    | if length == 0 then nan else add / length end;
def phasesgain(a; b; $bin; $n): saved(phases_time(a; $bin; $n); phases_time(b; $bin; $n));

def job_tasks: rows("each_job"; ["job", "tasks"]) | by_key(job_key);

# Phase by phase of the bin's jobs, what b saves of a column.
def phase_gain(a; b; $name; $bin; $q; keep; weight):
    (b | rows("each_phase"; ["job", "phase", $name]) | by_key(phase_key)) as $other
    | a | job_tasks as $tasks
    | [rows("each_phase"; ["job", "phase", "read_s", $name])[] | select(($tasks[job_key] | in_bin($bin)) and keep)
       | [saved(.[3]; $other[phase_key]), weight] | select(.[0] | isnan | not)]
    | weighted_quantile($q);
def readersgain(a; b; $q): phase_gain(a; b; "took_s"; 0; $q; .[2] != null; .[3]);
# The q-quantile of slowdowns is the (1 - q)-quantile of gains, mirrored.
def readslowdown(a; b; $bin; $q): -phase_gain(a; b; "read_s"; $bin; 1 - $q; true; 1);

# A column over the bin's phases of two tasks or more.
def phase_quantile(a; $name; $bin; $q; keep):
    a | job_tasks as $tasks
    | [rows("each_phase"; ["job", "tasks", "read_s", $name])[]
       | select(.[1] >= 2 and .[3] != null and keep and ($tasks[job_key] | in_bin($bin))) | .[3]]
    | if $q <= 1 then quantile($q) elif length == 0 then nan else add / length end;
def slowdown(a; $bin; $q): phase_quantile(a; "slowdown"; $bin; $q; true);
def slowdown_unread(a; $bin; $q): phase_quantile(a; "slowdown"; $bin; $q; .[2] == null);
def readratio(a; $bin; $q): phase_quantile(a; "read_ratio"; $bin; $q; true);
def stragglers(a): a | column("each_phase"; "stragglers") | add;
def phasetasks(a): a | column("each_phase"; "tasks") | add;

def omega(a; $bin; $q): [a | rows("each_omega"; ["bin", "omega_s"])[] | select(.[0] == $bin) | .[1]] | quantile($q);
def cloneslots(a; $bin): [a | rows("each_job"; ["tasks", "clone_slot_s"])[] | select(.[0] | in_bin($bin)) | .[1]] | add // 0;
def cloneshare(a; $bin): 100 * cloneslots(a; $bin) / cloneslots(a; 0);
