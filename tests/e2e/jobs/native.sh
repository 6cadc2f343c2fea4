#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of native phases, counters and limits: tests/e2e/jobs/native.sh DOLLY
#
# Every example in C is compiled as a user would, and held to a pipeline without dolly. Closes with
# `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/jobs/native.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(realpath "$(mktemp -d)") || exit 2
. tests/lib/checks.sh
. tests/lib/examples.sh
export TMPDIR=$tmp LC_ALL=C
in=examples/jobs/in

compile() { # FILE.c NAME.so
    gcc -std=c11 -Wall -Wextra -Werror -O1 -shared -fPIC -Iinclude -o "$tmp/$2" "$1"
}
run() { # FILE OPTIONS...: results in $tmp/out
    rm -rf "$tmp/out"
    timeout -k 1 120 "$dolly" run "$1" --output "$tmp/out" "${@:2}" >"$tmp/stdout" 2>"$tmp/err" </dev/null
    status=$?
}
job() { cat >"$tmp/job.yaml"; }
gives() { # what the results must be, in any order of lines, on standard input
    [ "$status" = 0 ] && [ -e "$tmp/out/_SUCCESS" ] && [ ! -s "$tmp/stdout" ] || { cat "$tmp/err"; return 1; }
    sort >"$tmp/want"
    sort "$tmp"/out/part-* | diff - "$tmp/want"
}

# Waited for at the end: it takes ten seconds.
printf '#include <unistd.h>\n__attribute__((constructor)) static void c(void) { if (fork()) for (;;) pause(); for (;;) pause(); }\n' >"$tmp/hangs.c"
compile "$tmp/hangs.c" hangs.so || echo 'not compiled: hangs'
echo "{input: $in/text.txt, output: $tmp/hung, phases: [{name: a, native: $tmp/hangs.so}]}" >"$tmp/hangs.yaml"
(timeout -k 1 300 "$dolly" run "$tmp/hangs.yaml" >"$tmp/hangs.err" 2>&1; echo $? >"$tmp/hangs.status") &

# ---- the examples ----

# The records of all phases.
records() { jq -r '."Map-Reduce Framework" | to_entries[] | "\(.key) \(.value)"' "$tmp/out/_counters.json" | sed 's/ records//' | xargs; }
example() { # NAME: compiled, run from a copy that names our shared object
    compile "examples/jobs/native/$1.c" "$1.so" || echo "not compiled: $1"
    sed "s|build/native|$tmp|" "examples/jobs/native/$1.yaml" >"$tmp/job.yaml"
    run "$tmp/job.yaml" "${@:2}"
}
for name in wordcount sort grep join pagerank log; do
    example $name
    ok "$name" gives < <(want_of $name)
    [ $name != sort ] || { cmp -s "$tmp/out/part-00000" <(want_of sort | sort); report $? 'sort: in order'; }
done
example wordcount --slots 6 --chaos slow=0.5x5
ok 'word count among stragglers' gives < <(want_of wordcount)

# Sorted in memory that does not hold it: combine is called for each spill, and again.
seq 60000 | awk '{ print $1 % 7 " " $1 % 5000 }' | tr 0-9 a-j >"$tmp/many"
sed "s|build/native|$tmp|; s|$in/text.txt|$tmp/many|; s|so\$|so\n    sort_memory: 64K|" examples/jobs/native/wordcount.yaml >"$tmp/job.yaml"
run "$tmp/job.yaml"
ok 'word count with spills' gives < <(tr -s ' ' '\n' <"$tmp/many" | sort | uniq -c | awk '{ print $2 "\t" $1 }')
ok '... counts what was emitted, not what was combined' test "$(records | sed 's/Reduce input [0-9]* //')" = \
    'Map input 60000 Map output 120000 Reduce output 5000'
# A word longer than the room for it is cut, and no letter is lost.
printf '%0200d\n' 7 | tr 0-9 a-j >"$tmp/many"
run "$tmp/job.yaml"
ok 'word count of a long word' gives < <(fold -w 64 "$tmp/many" | sort | uniq -c | awk '{ print $2 "\t" $1 }')

# ---- what functions may do ----

cat >"$tmp/odd.c" <<'CODE'
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dolly.h>

/* Zeros, newlines and tabs in keys and values; as many bytes as the line says. */
static int binary(struct dolly_task *t, struct dolly_bytes line)
{
    char key[8] = {0, '\n', '\t', (char)0xff, 0, 0, 0, 0};
    char number[16];
    snprintf(number, sizeof number, "%.*s", (int)line.length, line.at);
    key[4] = (char)(atoi(number) % 3);
    dolly_emit(t, dolly_slice(key, sizeof key), dolly_slice(key + 4, 1));
    return 0;
}
static int sizes(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes value;
    char text[64];
    int n = 0, right = 0;
    while (dolly_next(values, &value)) {
        n++;
        right += key.length == 8 && key.at[1] == '\n' && value.length == 1 && value.at[0] == key.at[4];
    }
    snprintf(text, sizeof text, "%d", key.at[4]);
    printf("this is not the result\n");
    char counted[64];
    snprintf(counted, sizeof counted, "%d %d", n, right);
    dolly_emit(t, dolly_text(text), dolly_text(counted));
    return 0;
}
DOLLY_EXPORT const struct dolly_functions any_bytes = {.abi = DOLLY_ABI, .map = binary, .reduce = sizes};

/* Values need not be asked for; begin and end may emit. */
static int hello(struct dolly_task *t)
{
    dolly_print(t, dolly_text("begin"));
    t->state = malloc(1);
    return t->state ? 0 : -1;
}
static int bye(struct dolly_task *t)
{
    free(t->state);
    dolly_print(t, dolly_text("end"));
    return 0;
}
static int echo(struct dolly_task *t, struct dolly_bytes line) { dolly_print(t, line); return 0; }
static int keys(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    (void)values;
    dolly_print(t, key);
    return 0;
}
DOLLY_EXPORT const struct dolly_functions whole = {.abi = DOLLY_ABI, .begin = hello, .map = echo, .reduce = keys, .end = bye};

/* What goes wrong. */
static int crash(struct dolly_task *t, struct dolly_bytes line) { (void)t; (void)line; raise(SIGSEGV); return 0; }
static int refuse(struct dolly_task *t, struct dolly_bytes line) { (void)line; return dolly_fail(t, "not with me"); }
static int seven(struct dolly_task *t, struct dolly_bytes line) { (void)t; (void)line; return 7; }
static int print_all(struct dolly_task *t, struct dolly_bytes line)
{
    dolly_print(t, dolly_slice(line.at, (size_t)INT32_MAX + 1)); /* refused before it is read */
    return 0;
}
static int backwards(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    (void)values;
    dolly_emit(t, key, dolly_text(""));
    dolly_emit(t, dolly_text(""), dolly_text(""));
    return 0;
}
static int leave(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    static int n;
    (void)values;
    dolly_print(t, key);
    if (++n == 100 && getenv("LEAVE_AT_ONCE"))
        _exit(0);
    if (n == 100)
        exit(0);
    return 0;
}
static int leave_early(struct dolly_task *t, struct dolly_bytes line)
{
    dolly_print(t, line);
    if (line.length == 2)
        exit(0);
    return 0;
}
static int leave_late(struct dolly_task *t) { (void)t; exit(3); }
DOLLY_EXPORT const struct dolly_functions leaves = {.abi = DOLLY_ABI, .map = echo, .reduce = leave};
DOLLY_EXPORT const struct dolly_functions leaves_early = {.abi = DOLLY_ABI, .map = leave_early};
DOLLY_EXPORT const struct dolly_functions leaves_late = {.abi = DOLLY_ABI, .map = echo, .end = leave_late};
static int fork_one(struct dolly_task *t, struct dolly_bytes line)
{
    dolly_print(t, line);
    pid_t child = fork();
    if (child == 0) {
        if (getenv("CHILD_PRINTS"))
            dolly_print(t, line);
        exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}
DOLLY_EXPORT const struct dolly_functions forks = {.abi = DOLLY_ABI, .map = fork_one};
DOLLY_EXPORT const struct dolly_functions crashes = {.abi = DOLLY_ABI, .map = crash};
DOLLY_EXPORT const struct dolly_functions refuses = {.abi = DOLLY_ABI, .map = refuse};
DOLLY_EXPORT const struct dolly_functions returns = {.abi = DOLLY_ABI, .map = seven};
DOLLY_EXPORT const struct dolly_functions prints_all = {.abi = DOLLY_ABI, .map = print_all};
DOLLY_EXPORT const struct dolly_functions disorders = {.abi = DOLLY_ABI, .map = echo, .combine = backwards};
/* Says in which order values came, in fewer and longer ones. The line is the value, and its key is
 * what is behind the last space. */
static int by_last(struct dolly_task *t, struct dolly_bytes line)
{
    size_t at = line.length;
    while (at > 0 && line.at[at - 1] != ' ')
        at--;
    dolly_emit(t, dolly_slice(line.at + at, line.length - at), line);
    return 0;
}
static int chain(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes value;
    char *all = NULL;
    size_t used = 0;
    while (dolly_next(values, &value)) {
        char *more = realloc(all, used + value.length + 1);
        if (!more)
            return dolly_fail(t, "no memory");
        all = more;
        if (used > 0)
            all[used++] = ',';
        memcpy(all + used, value.at, value.length);
        used += value.length;
    }
    dolly_emit(t, key, dolly_slice(all, used));
    free(all);
    return 0;
}
DOLLY_EXPORT const struct dolly_functions chains = {.abi = DOLLY_ABI, .map = by_last, .combine = chain, .reduce = chain};
static int sleeps_on(struct dolly_task *t, struct dolly_bytes line)
{
    (void)line;
    dolly_status(t, "asleep");
    for (volatile int on = 1; on;)
        pause();
    return 0;
}
DOLLY_EXPORT const struct dolly_functions sleeps = {.abi = DOLLY_ABI, .map = sleeps_on};
static int eats_all(struct dolly_task *t, struct dolly_bytes line)
{
    (void)line;
    for (int i = 0; i < 300; i++) {
        char *block = malloc(1 << 20);
        if (!block)
            return dolly_fail(t, "there is no more");
        memset(block, i, 1 << 20);
        dolly_print(t, dolly_slice(block, 1));
    }
    return 0;
}
DOLLY_EXPORT const struct dolly_functions eats = {.abi = DOLLY_ABI, .map = eats_all};
DOLLY_EXPORT const struct dolly_functions old = {.abi = 99, .map = echo};
DOLLY_EXPORT const struct dolly_functions reduces = {.abi = DOLLY_ABI, .reduce = keys};
CODE
compile "$tmp/odd.c" odd.so || echo 'not compiled: odd'
seq 300 >"$tmp/numbers"
job <<EOF
{input: $tmp/numbers, output: x, split: 300, phases: [{name: a, native: '$tmp/odd.so#any_bytes'},
    {name: b, after: a, tasks: 2, native: '$tmp/odd.so#any_bytes'}]}
EOF
run "$tmp/job.yaml"
ok 'keys and values are any bytes; what is printed is no result' gives <<<$'0\t100 100\n1\t100 100\n2\t100 100'
seq 30000 >"$tmp/more"
job <<EOF
{input: $tmp/more, output: x, compress: zstd, split: 100K, phases: [{name: a, sort_memory: 64K, native: '$tmp/odd.so#any_bytes'},
    {name: b, after: a, tasks: 2, native: '$tmp/odd.so#any_bytes'}]}
EOF
run "$tmp/job.yaml"
ok 'values of a key that lie in many packed blocks' gives <<<$'0\t10000 10000\n1\t10000 10000\n2\t10000 10000'
job <<EOF
{input: $tmp/numbers, output: x, split: 1M, phases: [{name: a, native: '$tmp/odd.so#whole'},
    {name: b, after: a, run: cat}]}
EOF
run "$tmp/job.yaml"
ok 'functions, then commands; begin and end' gives < <(seq 300 | sed 's/$/\t/'; printf 'begin\t\nend\t\n')
job <<EOF
{input: $tmp/numbers, output: x, split: 1M, phases: [{name: a, run: cat}, {name: b, after: a, pattern: one-to-one, native: '$tmp/odd.so#whole'},
    {name: c, after: b, native: '$tmp/odd.so#whole'}]}
EOF
run "$tmp/job.yaml"
ok 'commands, then functions; values that nobody asks for' gives < <(seq 300; printf 'begin\nbegin\nend\nend\n')
if command -v g++ >/dev/null; then
    cat >"$tmp/cpp.cc" <<'CODE'
#include <dolly.h>
static int map(struct dolly_task *t, struct dolly_bytes line) { dolly_print(t, line); return 0; }
DOLLY_EXPORT const struct dolly_functions dolly_program = {DOLLY_ABI, nullptr, map, nullptr, nullptr, nullptr};
CODE
    ok 'C++ compiles' g++ -std=c++17 -Wall -Wextra -Werror -shared -fPIC -Iinclude -o "$tmp/cpp.so" "$tmp/cpp.cc"
    job <<<"{input: $tmp/numbers, output: x, phases: [{name: a, native: $tmp/cpp.so}]}"
    run "$tmp/job.yaml"
    ok 'and runs' gives < <(seq 300)
else
    skip 'C++' 'there is no g++'
fi

# ---- what goes wrong ----

# Values meet before the sort, leave when there are many, pass by when they are long, and are spilled: all in order.
awk 'BEGIN { for (i = 0; i < 9000; i++) print i, (i % 13 ? "" : "long long long long long long long long long long long "), i * i % (i % 2 ? 9 : 2003) }' >"$tmp/chained"
for memory in 128K 64M; do
    job <<<"{input: $tmp/chained, output: x, split: 1M, phases: [{name: a, native: '$tmp/odd.so#chains', sort_memory: $memory},
        {name: b, after: a, tasks: 2, native: '$tmp/odd.so#chains'}]}"
    run "$tmp/job.yaml"
    ok "combined values keep their order, sorted in $memory" gives < <(awk '{ v[$NF] = v[$NF] (n[$NF]++ ? "," : "") $0 }
        END { for (k in v) print k "\t" v[k] }' "$tmp/chained" | sort)
done

fails() { # FUNCTIONS 'what must be said': fails when it runs
    job <<<"{input: $tmp/numbers, output: x, phases: [{name: a, native: '$tmp/odd.so#$1'}, {name: b, after: a, run: cat}]}"
    run "$tmp/job.yaml"
    [ "$status" = 1 ] && [ ! -e "$tmp/out/_SUCCESS" ] && grep -qF "$2" "$tmp/err" || { echo "status $status: $(cat "$tmp/err")"; return 1; }
}
ok 'a crash is named' fails crashes "odd.so: phase 'a': it crashed in map (SIGSEGV)"
ok 'exit(0) in map is no success' fails leaves_early "odd.so: phase 'a': it ended in map, by exit(0), before its input did"
ok 'exit in end neither' fails leaves_late "odd.so: phase 'a': it ended in end, by exit(3), before its output was written"
job <<<"{input: $tmp/numbers, output: x, phases: [{name: a, run: cat}, {name: b, after: a, native: '$tmp/odd.so#leaves'}]}"
run "$tmp/job.yaml"
[ "$status" = 1 ] && [ ! -e "$tmp/out/_SUCCESS" ] && grep -qF "it ended in reduce, by exit(0), before its input did" "$tmp/err"
report $? 'exit(0) in a reduce whose lines are the result' "$status: $(cat "$tmp/err")"
LEAVE_AT_ONCE=1 run "$tmp/job.yaml"
[ "$status" = 1 ] && [ ! -e "$tmp/out/_SUCCESS" ] && grep -qF 'exited with status 0 before it was done' "$tmp/err"
report $? '_exit(0), which nobody sees but by its silence' "$status: $(cat "$tmp/err")"
job <<<"{input: $tmp/numbers, output: x, split: 1M, phases: [{name: a, native: '$tmp/odd.so#forks'}]}"
run "$tmp/job.yaml"
ok 'a child that ends by exit prints nothing once more' gives < <(seq 300)
CHILD_PRINTS=1 run "$tmp/job.yaml"
[ "$status" = 1 ] && grep -qF 'dolly_print was called by a child that was forked' "$tmp"/out/_temporary/run/attempts/*/stderr
report $? 'a child that calls dolly_print is told so' "$status: $(cat "$tmp/err")"
ok 'a function that says why' fails refuses 'odd.so: not with me'
ok 'a function that only says no' fails returns "odd.so: map of phase 'a' returned 7"
ok 'a combiner that loses the order' fails disorders "the combiner emits keys out of order: '' after '"
ok 'a line of more than 2 GiB' fails prints_all 'stderr: a key, a value or a line has more than 2 GiB'
refused() { # NATIVE 'what must be said': one line, nothing is made
    job <<<"{input: $tmp/numbers, output: x, phases: [{name: a, native: '$1'}]}"
    run "$tmp/job.yaml"
    [ "$status" = 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ ! -e "$tmp/out" ] && grep -qF -- "$2" "$tmp/err" ||
        { echo "status $status: $(cat "$tmp/err")"; return 1; }
}
ok 'another version of dolly.h' refused "$tmp/odd.so#old" "job.yaml:1: native: $tmp/odd.so: 'old' is of version 99 of dolly.h, expected 2"
ok 'no such functions' refused "$tmp/odd.so#nothing" "odd.so: it has no 'nothing'"
ok 'functions without the one that is needed' refused "$tmp/odd.so#reduces" "odd.so: 'reduces' has no map"
echo 'int x;' >"$tmp/empty.c" && compile "$tmp/empty.c" empty.so
ok 'an object that is no program' refused "$tmp/empty.so" "it has no 'dolly_program'"
echo '#include <signal.h>
#include <unistd.h>
__attribute__((constructor)) static void c(void) { AT_ONCE; }' >"$tmp/ends.c"
sed 's/AT_ONCE/raise(SIGKILL)/' "$tmp/ends.c" >"$tmp/dies.c" && compile "$tmp/dies.c" dies.so
sed 's/AT_ONCE/_exit(3)/' "$tmp/ends.c" >"$tmp/exits.c" && compile "$tmp/exits.c" exits.so
ok 'an object that dies when it is loaded' refused "$tmp/dies.so" "job.yaml:1: native: $tmp/dies.so: loading it ended with signal 9 (Killed)"
ok 'an object that exits when it is loaded' refused "$tmp/exits.so" "job.yaml:1: native: $tmp/exits.so: loading it ended with status 3"
ok 'a file that is no object' refused "$tmp/numbers" 'numbers: cannot be loaded'
ok 'a file that is not there' refused "$tmp/nowhere.so" 'nowhere.so: No such file'
job <<<"{input: $tmp/numbers, output: x, phases: [{name: a, run: cat, native: $tmp/odd.so}]}"
run "$tmp/job.yaml"
[ "$status" = 2 ] && grep -q "phase 'a' has two things to do" "$tmp/err"
report $? 'a command and functions' "$(cat "$tmp/err")"

# ---- counters ----

# A mapper for each piece, with clones that count as well and do not win; one attempt fails after it has counted.
job <<EOF
name: counts
input: $tmp/numbers
output: x
split: 100
phases:
  - name: map
    run: |
      awk '{ print; print "reporter:counter:lines,read,1" >"/dev/stderr" } END { print "reporter:status:read" >"/dev/stderr" }'
      ! { [ \$mapreduce_task_partition = 2 ] && mkdir $tmp/once 2>/dev/null; }
  - name: reduce
    after: map
    run: |
      awk '{ n++ } END { print n; print "reporter:counter:lines,a b,"n >"/dev/stderr"; print "not for us" >"/dev/stderr" }'
EOF
run "$tmp/job.yaml" --slots 6 --policy 'dolly;budget=idle'
ok 'counters of winners' gives <<<300
ok 'add up, in a file' test "$(jq -c .lines "$tmp/out/_counters.json")" = '{"a b":300,"read":300}'
ok 'records of winners, too' test "$(records)" = 'Map input 300 Map output 300 Reduce input 300 Reduce output 1'
ok 'and in the summary' grep -qF 'read=300' "$tmp/err"
rm -rf "$tmp/out" "$tmp/once"
timeout -k 1 120 "$dolly" run "$tmp/job.yaml" --output "$tmp/out" --json >"$tmp/json" 2>"$tmp/err"
jq -e '.job == "counts" and .counters.lines.read == 300 and .phases[1].tasks == 1 and .attempts >= 8' "$tmp/json" >"$tmp/check"
report $? 'and as JSON' "$(cat "$tmp/json" "$tmp/err")"
example grep
ok 'counters of functions' test "$(jq -c .grep "$tmp/out/_counters.json")" = '{"found":3}'

# ---- limits ----

too_long() { # TIMEOUT, KEYS OF THE PHASE, WHAT MUST BE SAID
    job <<<"{input: $tmp/numbers, output: x, phases: [{name: a, timeout: $1, clone: never, $2}]}"
    run "$tmp/job.yaml"
    [ "$status" = 1 ] && grep -qF "$3" "$tmp/err" || { echo "status $status: $(cat "$tmp/err")"; return 1; }
}
ok 'a command that does not move' too_long 20ms 'run: "cat; exec sleep 1000"' 'the command has not moved for 0.02 s'
# Time enough to load the object and to report a status, also on a busy machine.
ok 'functions that do not move' too_long 500ms "native: '$tmp/odd.so#sleeps'" "odd.so: phase 'a' has not moved for 0.5 s; its status: asleep"
# More than it may have: named, with the peak, by the kernel if we may make groups, else by what is likely.
job <<EOF
input: $tmp/numbers
output: x
phases:
  - name: a
    memory_limit: 16M
    run: awk 'BEGIN { a = "x"; while (length(a) < 60000000) a = a a; print length(a) }'
EOF
run "$tmp/job.yaml"
[ "$status" = 1 ] && grep -Eq 'out of memory: it may have 16.0M, and its peak was [0-9.]+M' "$tmp/err"
report $? 'a command that takes too much memory' "$(cat "$tmp/err")"
echo 1 >"$tmp/one"
job <<<"{input: $tmp/one, output: x, phases: [{name: a, memory_limit: 100M, native: '$tmp/odd.so#eats'}]}"
run "$tmp/job.yaml"
[ "$status" = 1 ] && grep -Eq 'out of memory: it may have 100.0M, and its peak was [0-9.]+M' "$tmp/err"
report $? 'functions that take too much memory' "$(cat "$tmp/err")"
if nm "$dolly" 2>/dev/null | grep -q __asan_init && ! grep -q ' cgroup2\? ' /proc/mounts; then
    skip 'functions within their memory' 'no cgroup file system is mounted, and sanitizers take more than any limit on data'
else
    job <<<"{input: $tmp/one, output: x, phases: [{name: a, memory_limit: 1G, native: '$tmp/odd.so#whole'}]}"
    run "$tmp/job.yaml"
    ok 'functions within their memory' gives <<<$'begin\n1\nend'
fi
job <<EOF
input: $tmp/one
output: x
phases:
  - name: a
    memory_limit: 1G
    run: awk 'BEGIN { a = "x"; while (length(a) < 60000000) a = a a; print length(a) }'
EOF
run "$tmp/job.yaml"
ok 'a command within its memory' gives <<<67108864

# ---- cut short ----

# The coordinator is killed while the last phase waits for `go`; then the object is another one.
job <<EOF
{input: $tmp/numbers, output: $tmp/out, slots: 1, phases: [{name: a, native: '$tmp/odd.so#whole', clone: never},
    {name: b, after: a, clone: never, run: 'echo >$tmp/began; until [ -e $tmp/go ]; do sleep 0.05; done; cut -f 1'}]}
EOF
rm -rf "$tmp/out"
timeout -k 1 120 "$dolly" run "$tmp/job.yaml" >"$tmp/stdout" 2>"$tmp/err" </dev/null &
await 60 'the last phase begins' test -e "$tmp/began"
pkill -9 -f "^$dolly run $tmp/job.yaml"
wait 2>/dev/null
touch "$tmp/go"
cp "$tmp/odd.so" "$tmp/kept.so"
echo >>"$tmp/odd.so"
timeout -k 1 120 "$dolly" resume "$tmp/out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
[ $? = 2 ] && grep -q 'odd.so: this shared object has changed since the job began' "$tmp/err"
report $? 'an object that has changed is refused by name' "$(cat "$tmp/err")"
cp "$tmp/kept.so" "$tmp/odd.so"
timeout -k 1 120 "$dolly" resume "$tmp/out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
status=$?
ok 'with the old one it goes on' gives < <(seq 300; printf 'begin\nend\n')
wait
[ "$(cat "$tmp/hangs.status")" = 2 ] && [ "$(cat "$tmp/hangs.err")" = "dolly: $tmp/hangs.yaml:1: native: $tmp/hangs.so: loading it took more than 10 s; do not wait in constructors" ]
report $? 'a constructor that hangs is ended, and named' "$(cat "$tmp/hangs.err")"
closing
