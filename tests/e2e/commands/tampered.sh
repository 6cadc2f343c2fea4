#!/bin/bash
# lane: computing; builds: gcc asan; needs: -; limit: 300 s
# Run folders whose journal somebody has changed: tests/e2e/commands/tampered.sh build/dolly [SEEDS]
#
# Checksums are right, so it is not an accident: see docs/inside/testing.md, "Bad input". Whatever the change
# is, `dolly resume` and `dolly explain` end with 0, 1 or 2 and say what is wrong in plain words. A
# journal that breaks one of them is left in $TMPDIR. Closes with `N passed, N failed`.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/tampered.sh DOLLY [SEEDS]}")
seeds=${2:-1-12}
mutate=$(dirname "$dolly")/fuzzseeds
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh
cd "$tmp" || exit 2

"$dolly" map --dir run --pure --retries 2 --nodes 4x2 --chaos slow=0.3x4 --seed 3 \
    'echo {}; sleep 0.0{}; test {} != 4' ::: {1..6} >out 2>err
ok 'a run to be changed' test -s run/journal
size=$(stat -c %s run/journal)

bears() { # command...
    local status
    timeout 60 "$@" >out 2>err </dev/null
    status=$?
    [ $status -le 2 ] && ! grep -E 'should never happen|Sanitizer|runtime error|out of memory' err
}

for ((seed = ${seeds%-*}; seed <= ${seeds#*-}; seed++)); do
    rm -rf copy && cp -a run copy && "$mutate" --mutate run/journal "$seed" copy/journal || break
    bears "$dolly" explain copy && bears "$dolly" explain copy 0/0/1 &&
        truncate -s $((size * (seed % 10 + 1) / 11)) copy/journal && cp copy/journal tried &&
        bears "$dolly" resume copy
    report $? "change $seed" "$(cat err)" || cp tried "${TMPDIR:-/tmp}/dolly-tampered-$seed.journal"
done
[ "$seed" -gt "${seeds#*-}" ]
report $? 'all changes could be made'
closing
