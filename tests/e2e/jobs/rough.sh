#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: -; limit: 300 s
# End-to-end tests of data-parallel jobs with rough data and rough ends: tests/e2e/jobs/rough.sh DOLLY
#
# Records that are long, many, alike or garbage; helpers that are killed, files that are damaged, disks
# that are full, coordinators that are killed wherever they are. Results are held to pipelines without
# dolly. Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/jobs/rough.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(realpath "$(mktemp -d)") || exit 2
. tests/lib/checks.sh
export TMPDIR=$tmp LC_ALL=C

out=$tmp/out
run() { # OPTIONS...: the job in $tmp/job.yaml, results in $out
    rm -rf "$out"
    timeout -k 1 120 "$dolly" run "$tmp/job.yaml" --output "$out" "$@" >"$tmp/stdout" 2>"$tmp/err" </dev/null
    status=$?
}
job() { cat >"$tmp/job.yaml"; }
gives() { # what the results must be, in any order of lines, on standard input
    [ "$status" = 0 ] && [ -e "$out/_SUCCESS" ] && [ ! -e "$out/_temporary" ] || { cat "$tmp/err"; return 1; }
    sort >"$tmp/want"
    sort "$out"/part-* | cmp - "$tmp/want"
}
fails() { # what must be said
    [ "$status" = 1 ] && [ ! -e "$out/_SUCCESS" ] && grep -qE -- "$1" "$tmp/err" || { echo "status $status: $(cat "$tmp/err")"; return 1; }
}

# ---- records ----

seq 20000 >"$tmp/numbers"
job <<EOF
{input: $tmp/numbers, output: x, split: 1M, phases: [{name: a, run: 'cat >/dev/null; head -c 300000 $dolly'}, {name: b, after: a, tasks: 2, run: cat}]}
EOF
run
ok 'a mapper that prints garbage' gives < <(head -c 300000 "$dolly" | sed '/\t/!s/$/\t/' | { cat; echo; })
{ head -c 100000000 /dev/zero | tr '\0' x; printf '\tend\nshort'; } >"$tmp/long"
job <<EOF
{input: $tmp/long, output: x, phases: [{name: a, run: cat}, {name: b, after: a, run: wc -c}]}
EOF
run --slots 1
ok 'a record of 100 MB, and a last line without an end' gives <<<100000012
sed -i 's/name: a,/name: a, sort_memory: 64M,/' "$tmp/job.yaml"
run --slots 1
ok 'is refused where it does not fit' fails 'a record of 1000000.. bytes does not fit into the 67108864 bytes'
rm "$tmp/long"
job <<EOF
{input: $tmp/numbers, output: x, split: 30000, phases: [{name: a, sort_memory: 64K, run: 'sed "s/^/key\t/"'}, {name: b, after: a, tasks: 3, run: 'cut -f 2'}]}
EOF
run
ok 'one key' gives <"$tmp/numbers"
ok 'in the order in which it came' cmp <(cat "$out"/part-*) "$tmp/numbers"
job <<EOF
{input: $tmp/million, output: x, split: 2M, phases: [{name: a, sort_memory: 4M, run: cat}, {name: b, after: a, tasks: 2, run: wc -l}]}
EOF
seq 1000000 >"$tmp/million"
run
[ "$status" = 0 ] && [ "$(cat "$out"/part-* | awk '{ n += $1 } END { print n }')" = 1000000 ]
report $? 'a million keys' "$(cat "$tmp/err")"
rm "$tmp/million"
mkdir "$tmp/inputs" && ln -s nowhere "$tmp/inputs/broken"
job <<<"{input: $tmp/inputs, output: x, phases: [{name: a, run: cat}]}"
run
[ "$status" = 2 ] && grep -q 'inputs/broken: No such file' "$tmp/err"
report $? 'a file that cannot be read is named' "$(cat "$tmp/err")"

# ---- rough ends ----

# The helper of the first attempt is killed by its command, once there is a spill.
job <<EOF
input: $tmp/numbers
output: x
phases:
  - name: a
    clone: never
    sort_memory: 64K
    run: 'cat; until [ -e \$DOLLY_TMPDIR/spill.0 ]; do sleep 0.01; done; ! mkdir $tmp/killed 2>/dev/null || kill -9 \$PPID'
  - {name: b, after: a, tasks: 2, clone: never, run: cut -f 1}
EOF
run
ok 'a helper that is killed in a spill' gives <"$tmp/numbers"
[ -d "$tmp/killed" ] && grep -q ' 4 attempts' "$tmp/err"
report $? 'has run again' "$(cat "$tmp/err")"
# The second mapper cuts off what the first one has left; its readers notice, and it is made again.
job <<EOF
input: $tmp/numbers
output: x
split: 60000
slots: 2
phases:
  - name: a
    clone: never
    run: |
      cat
      made=\$DOLLY_TMPDIR/../../../out/0/a/0
      [ \$mapreduce_task_partition = 1 ] || exit 0
      until [ -s \$made ]; do sleep 0.01; done
      ! mkdir $tmp/cut 2>/dev/null || truncate -s 1000 \$made
  - {name: b, after: a, tasks: 2, run: cut -f 1}
EOF
run
ok 'a sorted file that is cut off is made again' gives <"$tmp/numbers"
ok 'as it was cut off' test -d "$tmp/cut"

# Killed once its journal has so many records, whatever it does then; the rest is done by whoever resumes.
job <<EOF
{input: $tmp/numbers, output: x, split: 10000, slots: 2, phases: [{name: a, sort_memory: 64K, run: 'sed p'}, {name: b, after: a, tasks: 3, run: 'cut -f 1 | uniq'}]}
EOF
has_come_to() { # RECORDS PID: or the process has ended
    ! kill -0 "$2" 2>/dev/null || [ "$("$dolly" journal "$out/_temporary/run/journal" 2>/dev/null | wc -l)" -ge "$1" ]
}
killed_at() { # RECORDS
    local pid
    rm -rf "$out"
    "$dolly" run "$tmp/job.yaml" --output "$out" >"$tmp/stdout" 2>"$tmp/err" </dev/null &
    pid=$!
    await 60 "the journal has $1 records" has_come_to "$1" $pid
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=0
    while [ -e "$out/_temporary" ] && [ $status = 0 ]; do
        timeout -k 1 120 "$dolly" resume "$out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
        status=$?
    done
    gives <"$tmp/numbers"
}
for records in 1 20 60 90; do
    ok "killed after $records records and resumed" killed_at $records
done

# ---- full disks ----

mounted=
small_disk() { # SIZE
    mkdir -p "$tmp/disk"
    mount -t tmpfs -o "size=$1" none "$tmp/disk" 2>"$tmp/check" && mounted=$tmp/disk
}
fills() { # NAME, KEYS OF MAP, COMMAND OF REDUCE: stops on the full disk, and goes on with a larger one
    if ! small_disk 600k; then
        skip "$1" 'cannot mount a small file system'
        return
    fi
    job <<<"{input: $tmp/numbers, output: x, slots: 1, phases: [{name: a, $2}, {name: b, after: a, run: '$3'}]}"
    out=$mounted/out
    run
    ok "$1: the disk is full" fails 'the disk of .* was full'
    mount -o remount,size=64m "$mounted"
    timeout -k 1 120 "$dolly" resume "$out" >"$tmp/stdout" 2>"$tmp/err" </dev/null
    status=$?
    ok "$1: with room it goes on" gives < <(seq 20000 | sed "$4")
    umount "$mounted"
    mounted=
    out=$tmp/out
}
fills 'a spill' 'sort_memory: 64K, run: sed "s/$/ a line that is longer than what is read/"' 'cut -f 1' 's/$/ a line that is longer than what is read/'
fills 'the output of a mapper' 'run: sed "s/$/ a line that is longer than what is read/"' 'cut -f 1' 's/$/ a line that is longer than what is read/'
fills 'the output of a reducer' 'run: cat' 'sed "s/\t$/ a line that is longer than what is read/"' 's/$/ a line that is longer than what is read/'
# Several at once: one gives back what it has spilled as soon as it fails, so the disk is not full when it is looked at.
awk 'BEGIN { srand(3); for (i = 0; i < 60000; i++) print int(5001 * rand()), "a", i }' >"$tmp/pairs"
bad=
for k in 1 2 3 4; do
    small_disk 200k || break
    job <<<"{input: $tmp/pairs, output: x, split: 64K, slots: 3, phases: [{name: a, sort_memory: 64K, run: 'awk \"{print \\\$1 \\\"\\\\t\\\" \\\$2}\"'}, {name: b, after: a, tasks: 6, run: uniq -c}]}"
    out=$mounted/out
    run
    grep -q 'the disk of .* was full' "$tmp/err" || bad+="$k: $(cat "$tmp/err") "
    mount -o remount,size=40m "$mounted"
    timeout -k 1 120 "$dolly" resume "$out" >"$tmp/stdout" 2>"$tmp/err" </dev/null || bad+="$k: $(cat "$tmp/err") "
    umount "$mounted"
    mounted=
done
if [ "$k" = 4 ]; then
    [ -z "$bad" ]
    report $? 'several tasks at once on a full disk: with room they go on' "$bad"
else
    skip 'several tasks at once on a full disk' 'cannot mount a small file system'
fi
closing
