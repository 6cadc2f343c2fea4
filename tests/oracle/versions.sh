#!/bin/bash
# lane: computing; builds: gcc; needs: jq xxd; limit: 120 s
# Runs that earlier programs recorded: tests/oracle/versions.sh build/dolly
#
# tests/oracle/versions has, for each version of the journal that there was, an archive by the last program that wrote
# it: the journal of a simulation, the folders of a `dolly map` that is done and of one that was interrupted, and
# from version 4 on that of an interrupted `dolly streaming`. This program reads them all but those of version 1, and
# leaves it to the program that began a run to continue it: it refuses with one line that has the way out, and changes
# nothing. Closes with `N passed, N failed`.
#
# RECORD=N makes the archive of version N with DOLLY: once, before that version is replaced by the next.
set -u
dolly=$(realpath "${1:?usage: tests/oracle/versions.sh DOLLY}")
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# Neither the name of this machine nor a folder of a user gets into what is kept.
record() { # version
    local here=$PWD place=/tmp/dolly
    mkdir "$place" && cp examples/wordcount.workload examples/small.cluster "$place" && cd "$place" || exit 2
    printf 'a\nb\na\n' >words
    unshare --uts --map-root-user env -i HOME="$place" PATH=/usr/bin:/bin DOLLY="$dolly" bash -c '
        hostname example
        "$DOLLY" sim --workload wordcount.workload --cluster small.cluster --policy "dolly;beta=0.5" --journal simulated
        "$DOLLY" map -j2 --dir done echo ::: a b c d
        timeout -s INT 1 "$DOLLY" map -j2 --dir cut "sleep {}; echo {}" ::: 0 0 100 100
        timeout -s INT 2 "$DOLLY" streaming -input words -output job -mapper cat -reducer "sleep 100" -numReduceTasks 1'
    tar --sort=name --mtime=@0 --owner=0 --group=0 -cf - simulated done cut job |
        gzip -9n >"$here/tests/oracle/versions/$1.tar.gz"
    rm -r "$place"
}
[ -z "${RECORD:-}" ] || { record "$RECORD"; exit; }

# refuses WORDS COMMAND...: status 2, nothing on stdout, and one line on stderr that has the words.
refuses() {
    local words=$1 status=0
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
    [ $status = 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -qF -- "$words" "$tmp/err" ||
        { echo "status $status"; cat "$tmp/out" "$tmp/err"; return 1; }
}
# has WORDS COMMAND...: success, and the words are in its output.
has() {
    local words=$1
    shift
    "$@" >"$tmp/out" 2>&1 && grep -qF -- "$words" "$tmp/out" || { cat "$tmp/out"; return 1; }
}
# Four tasks were committed, and the last record closes the journal.
counted() { [ "$(jq -s '(map(select(.type == "committed")) | length), .[-1].record' "$1" | tr -d '\n')" = '4"end"' ]; }
sums() { find . -type f -exec sha256sum {} + | sort; }
leaves() { refuses "$@" && sums | cmp -s - "$tmp/sums"; } # and has not changed a file

newest=$(sed -n 's/.* JOURNAL_VERSION = \([0-9]*\),.*/\1/p' src/record/journal/journal_file.h)
ok 'each version of the journal is kept' eval \
    '[ "$(seq 1 "$newest")" = "$(ls tests/oracle/versions | cut -d . -f 1 | sort -n)" ]'
for archive in tests/oracle/versions/*.tar.gz; do
    n=$(basename "$archive" .tar.gz)
    mkdir "$tmp/$n" && tar xzf "$archive" -C "$tmp/$n" && cd "$tmp/$n" && chmod -R go-w . && sums >"$tmp/sums" || exit 2
    for journal in simulated done/journal cut/journal; do
        [ "$(xxd -s 8 -l 1 -p $journal)" = "0$n" ] || { echo "versions: $archive: $journal has another version"; exit 2; }
    done
    if [ "$n" = 1 ]; then
        way='has version 1; this dolly reads versions 2 to '
        for command in explain report replay advise; do
            ok "1: $command says who reads it" refuses "$way" "$dolly" $command done
        done
        ok '1: journal says who reads it' refuses "$way" "$dolly" journal simulated
    else
        ok "$n: explain reads a simulation" has '1 job with 24 tasks' "$dolly" explain simulated
        ok "$n: explain reads a run" has '4 tasks done, 0 failed' "$dolly" explain done
        ok "$n: explain reads an interrupted run" has ': 2 of 4 tasks done' "$dolly" explain cut
        ok "$n: a report has its tasks" eval '"$dolly" report done -o "$tmp/page.html" && grep -q "4 tasks" "$tmp/page.html"'
        ok "$n: top shows it" has 'done' "$dolly" top done --once
        ok "$n: journal prints it to the end" eval '"$dolly" journal done/journal >"$tmp/json" && counted "$tmp/json"'
        ok "$n: replay reads it" has 'replayed' "$dolly" replay done --policy none,late
        ok "$n: whatif reads it" has 'if no task straggled' "$dolly" whatif --no-stragglers done
        ok "$n: it is a trace" has ' 4  tasks' "$dolly" trace stats done/journal
        ok "$n: advise reads it" has 'Take ' "$dolly" advise done
        if [ "$n" = 2 ]; then # its policy had a setting that is gone
            ok "$n: replay names the way out" refuses 'use the dolly that recorded it' "$dolly" replay simulated
        else
            ok "$n: replay reads a simulation" has 'replayed' "$dolly" replay simulated --policy none
        fi
    fi
    for run in done cut; do
        ok "$n: resume names the way out ($run)" leaves 'resume it with the version that started it' "$dolly" resume $run
    done
    [ ! -d job ] || ok "$n: resume of a job names the way out" leaves 'resume it with that one' "$dolly" resume job
    cd "$OLDPWD" || exit 2
done
closing
