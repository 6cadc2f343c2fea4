#!/usr/bin/env bash
# Terminal, `explain`, page and tables say the same of a run: tests/agree.sh build/dolly
#
# A number that is told in two places is compared with itself, whatever it is: real times vary. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/agree.sh DOLLY}")
tmp=$(mktemp -d) || exit 2
. "$(dirname "$0")/lib/checks.sh"
cd "$tmp" || exit 2

all() { local one; for one; do eval "$one" || { echo "not: $one"; return 1; }; done; }
ask() { timeout 50 "$dolly" explain "$@" >out 2>err </dev/null; }
says() { grep -qE -- "$1" out || { echo "no line matches: $1"; cat out; return 1; }; }

# ---- the slowest task ----

# The attempt that wins is the shortest of all, and its task is done last all the same.
timeout 50 "$dolly" map --dir rerun --summary --retries 2 -j4 \
    '[ {} != a ] || [ -e once ] || { touch once; until [ -e d.b -a -e d.c ]; do sleep 0.05; done; exit 1; }
     [ {} = a ] || { sleep 0.4; touch d.{}; }' ::: a b c >/dev/null 2>summary </dev/null
ask rerun map/map
ok "the slowest task is the one that was done last" all 'says "^The slowest task was 1 "' 'grep -q "^dolly: slowest task 1: " summary'
ask rerun map/map/1
took=$(sed -nE 's/.*, ([0-9.]+) s after its first launch.*/\1/p' out)
ok "... and took from its first launch to its commit" all '[ -n "$took" ]' \
    'grep -q "^dolly: slowest task 1: $(printf %.3g "$took") s, " summary'

closing
