#!/usr/bin/env bash
# lane: watching; builds: gcc; needs: strace python3 gcc; limit: 300 s
# Runs that lose the power: tests/crash/power.sh DOLLY [all [SEED]]
#
# A run is recorded (strace), and the record is replayed on a model of a disk that keeps for certain only what was
# synced (tests/crash/power.py has the rules). In many states in which a loss of power may leave that disk, the run is
# resumed. What had been committed by then does not run again, outputs are those of an undisturbed run, and each is
# printed whole, at least once over both lives; where nothing was lost, once. Then the same without one of the syncs at
# a time, which must be noticed.
#
# `all` takes every moment and more states (`make crash-long`).
# Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/crash/power.sh DOLLY [all [SEED]]}")
replay=$(realpath "$(dirname "$0")/power.py")
stores=$(realpath "$(dirname "$0")/stores.c")
how=(--every 5 --states 2) missed=(--every 3 --states 1)
[ "${2:-some}" != all ] || { how=(--every 1 --states 12 --seed "${3:-1}") missed=(--every 1 --states 3 --seed "${3:-1}"); }
tmp=$(realpath "$(mktemp -d)") || exit 2
. "$(dirname "$0")/../lib/checks.sh"
export TMPDIR=$tmp LC_ALL=C RAN=$tmp/ran
cd "$tmp" || exit 2

if ! strace -f -o trace true 2>/dev/null; then
    skip 'runs that lose the power' 'processes cannot be traced here'
    closing
    exit
fi
gcc -D_GNU_SOURCE -std=c17 -O1 -Wall -Werror -shared -fPIC -o stores.so "$stores" || exit 2

# record COMMAND...: in the folder of the case.
calls=open,openat,creat,write,writev,pwrite64,pwritev,sendfile,copy_file_range,splice,ftruncate,fallocate,rename
calls+=,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,mknod,mknodat,rmdir,fsync,fdatasync
record() {
    mkfifo pipe
    cat pipe >printed &
    strace -f --seccomp-bpf -y -xx -s 1000000000 -o trace -e trace=$calls -E LD_PRELOAD="$tmp/stores.so" "$@" >pipe 2>&1 </dev/null
    local status=$?
    wait
    [ $status = 0 ] || { echo "status $status: $(tail -n 3 printed)"; return 1; }
}

# without NAME PATTERN [WORDS]: the syncs of these paths did not happen. If some moments do not show it, all of them
# have to: which there are hangs on the machine.
notices() { # PATTERN WORDS OPTION...
    said=$("$replay" "$dolly" "$kind" "${@:3}" --first --drop "$1")
    [ $? = 1 ] && grep -q ', [1-9][0-9]* wrong$' <<<"$said" && grep -Eq "$2" <<<"$said"
}
without() {
    local said
    notices "$2" "${3:-.}" "${missed[@]}" || notices "$2" "${3:-.}" --every 1 --states 3
    report $? "$kind: noticed without $1" "$(tail -n 3 <<<"$said")"
}

# ---- dolly map ----

# Commands take longer than outputs wait to be committed together: what is lost of one shows once others were committed.
kind=map
mkdir -p map/disk map/want && cd map || exit 2
cat >command <<'END'
echo "$1" >>"$RAN"
sleep 0.05
case $1 in
1 | 4) seq -f "task $1, line %g of more than a page" 300 ;;
2) ;;
3) echo 'task 3' && echo 'stderr of task 3' >&2 ;;
*) echo "task $1" ;;
esac
END
for n in 1 2 3 4 5 6; do sh command $n >want/$n.out 2>want/$n.err; done
mapped() {
    record "$dolly" map --dir "$PWD/disk/run" -j2 "sh $PWD/command" ::: 1 2 3 4 5 6 || return 1
    cat want/* | sort | cmp - <(sort printed)
}
ok 'map: recorded' mapped
ok 'map: survives a loss of power' "$replay" "$dolly" map "${how[@]}"
again='committed tasks ran again'
without 'the sync of the journal' '/journal$'
without 'syncs of outputs' '/attempts/[^/]*/stdout$' "$again"
without 'syncs of the folder of outputs' '/out/0/map$' "$again"
without 'syncs of stderr' '/err/[0-9]*$'
without 'the sync of the folder above' '/disk$' 'No such file'
cd .. || exit 2

# ---- dolly run ----

kind=job
mkdir -p job/disk job/want && cd job || exit 2
seq 3000 >numbers
cp numbers want/results
cat >job.yaml <<END
input: $PWD/numbers
output: x
split: 7000
slots: 1
phases:
  - name: map
    clone: never
    sort_memory: 64K
    run: 'echo 0.\$mapreduce_task_partition >>\$RAN; echo reporter:counter:job,maps,1 >&2; cat'
  - {name: reduce, after: map, tasks: 2, clone: never, run: 'echo 1.\$mapreduce_task_partition >>\$RAN; cut -f 1'}
END
ran() {
    record "$dolly" run job.yaml --output "$PWD/disk/run" || return 1
    cat disk/run/part-* >want/results
    sort -n want/results | cmp - numbers
}
ok 'job: recorded' ran
ok 'job: survives a loss of power' "$replay" "$dolly" job "${how[@]}"
without 'the sync of its plan' '/_temporary/plan$' 'plan'
without 'syncs of results' '/attempts/0\.1[^/]*/stdout$' "$again"
without 'the sync of the journal at the end' '/journal$'
without 'syncs of the folder of results' '/disk/run$'
closing
