#!/usr/bin/env bash
# lane: computing; builds: gcc asan; needs: jq; limit: 300 s
# End-to-end tests of intermediate data: tests/e2e/sim/shuffle.sh build/dolly
#
# cc and cac are delay with omega at its ends, event by event; omega and the numbers behind it are in
# the journal and explained. Prints one `ok` or `not ok` line per check and closes with `N passed,
# N failed`. Needs jq.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/sim/shuffle.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
. tests/lib/checks.sh

# ---- worlds with a network ----

# Racks 4:1, stalls, failures and lost nodes; attempts that may write something different.
cat >"$tmp/rough.cluster" <<'END'
nodes n[0-19] cpu=6 racks=2
luck startup=300ms noise=0.3 stall_p=0.2 stall=20s
faults attempt_fail_p=0.03 node_mtbf=600s node_repair=20s nondeterministic_p=0.1
network up=10M down=10M disk=50M oversubscription=4 background=0.2
END
cat >"$tmp/three.workload" <<'END'
job three repeat=40 every=5s
  phase map tasks=5 sizes=4s,6s,3s,5s,8s output=20M
  phase mid tasks=5 sizes=4s,6s,3s,5s,8s output=10M after=map pattern=all-to-all
  phase end tasks=2 sizes=4s,6s after=mid pattern=many-to-one
END
cat >"$tmp/early.workload" <<'END'
job early repeat=40 every=5s
  phase map tasks=6 sizes=4s,6s,3s,5s,8s,9s output=20M
  phase reduce tasks=3 sizes=4s,6s,3s after=map slowstart=20%
END
worlds=(
    "three.workload rough.cluster"
    "early.workload rough.cluster"
)

# The journal of a run without its first record, which names the policy.
run() { # workload cluster seed policy out
    rm -f "$tmp/journal"
    "$dolly" sim --workload "$1" --cluster "$2" --seed "$3" --warmup 0 \
        --policy "order=fair,mitigate=dolly+late,$4;beta=0.5;tau=1" --journal "$tmp/journal" \
        --json >"$tmp/result" || return 1
    "$dolly" journal "$tmp/journal" | tail -n +2 | grep -v '"record":"end"' >"$5"
}
same_run() { # policy policy
    local world seed workload cluster
    for world in "${worlds[@]}"; do
        read -r workload cluster <<<"$world"
        for seed in 1 2; do
            run "$tmp/$workload" "$tmp/$cluster" "$seed" "$1" "$tmp/one" || return 1
            run "$tmp/$workload" "$tmp/$cluster" "$seed" "$2" "$tmp/other" || return 1
            [ "$(grep -c '"fetch_done"' "$tmp/one")" -gt 100 ] ||
                { echo "$world, seed $seed: hardly any reads"; return 1; }
            cmp "$tmp/one" "$tmp/other" || { echo "$world, seed $seed"; return 1; }
        done
    done
}
ok omega_0_is_cc same_run shuffle=cc 'shuffle=delay;omega=0s'
cp "$tmp/one" "$tmp/cc"
ok omega_inf_without_reuse_is_cac same_run shuffle=cac 'shuffle=delay;omega=inf;reuse=off'
differ() { [ -s "$1" ] && [ -s "$2" ] && ! cmp -s "$1" "$2"; }
ok cc_and_cac_differ differ "$tmp/cc" "$tmp/one"

# ---- who reads along with whom ----

# Works out from the journal alone who was at a phase when a sibling was told to read all of it, and
# compares it with what the decision says. Prints how many were alone and how many were not.
cat >"$tmp/truth.jq" <<'END'
def at: "\(.job)/\(.phase)/\(.task)";
def same($r): .attempt == $r.attempt and .phase == $r.source.phase and .task == $r.source.task;
reduce inputs as $r ({reads: {}, won: {}, alone: 0, along: 0, wrong: []};
    ($r | at) as $k
    | if $r.type == "committed" then .won[$k] = $r.attempt
      elif $r.type == "output_lost" then del(.won[$k])
      elif $r.type == "assign_read" then
          (if $r.source.task then . else
              .won as $won
              | ([.reads[$k][]? | select(.attempt != $r.attempt and .phase == $r.source.phase)
                  | select(.task == null or
                           $won[{job: $r.job, phase, task} | at] == .from) | .attempt]
                 | unique | length) as $users
              | if $r.exclusive == ($users == 0) and $r.why.users == $users and $r.why.waited_s == 0
                then if $users > 0 then .along += 1 else .alone += 1 end
                else .wrong += [$r] end
          end)
          | .reads[$k] += [{attempt: $r.attempt, phase: $r.source.phase, task: $r.source.task,
                            from: $r.source.attempt}]
      elif $r.type == "fetch_done" or $r.type == "fetch_failed" then
          .reads[$k] |= map(select(same($r) | not))
      elif $r.type == "attempt_finished" or $r.type == "attempt_failed" or
           $r.type == "attempt_killed" or $r.type == "attempt_lost" or
           $r.type == "attempt_launch_failed" then
          if .reads[$k] then .reads[$k] |= map(select(.attempt != $r.attempt)) else . end
      else . end)
| if .wrong == [] then "\(.alone) \(.along)" else error(.wrong[0] | tojson) end
END
truth() { # journal, at least so many alone, at least so many along
    local alone along
    "$dolly" journal "$1" | jq -nrf "$tmp/truth.jq" >"$tmp/counts" || return 1
    read -r alone along <"$tmp/counts"
    [ "$alone" -ge "$2" ] && [ "$along" -ge "$3" ] || { echo "$alone alone, $along along"; return 1; }
}
backed_up() { # cluster, at least so many alone, at least so many along
    rm -f "$tmp/journal"
    "$dolly" sim --workload "$tmp/three.workload" --cluster "$1" --warmup 0 \
        --policy 'order=fair,mitigate=mapreduce;backup_at=0' --journal "$tmp/journal" \
        >"$tmp/result" && truth "$tmp/journal" "$2" "$3"
}
ok exclusive_is_true_with_a_network backed_up "$tmp/rough.cluster" 100 100
sed '/^network/d' "$tmp/rough.cluster" >"$tmp/plain.cluster"
ok exclusive_is_true_without_a_network backed_up "$tmp/plain.cluster" 100 0
cat >"$tmp/real.workload" <<'END'
job real
  phase map tasks=2 command="echo x"
  phase reduce tasks=3 after=map command="sleep 0.1"
END
in_earnest() {
    timeout 50 "$dolly" exec "$tmp/real.workload" --dir "$tmp/real" --cluster 4x2 \
        >"$tmp/result" 2>&1 </dev/null && truth "$tmp/real/journal" 3 0
}
ok exclusive_is_true_of_real_processes in_earnest

# ---- omega in the journal ----

cat >"$tmp/omega.workload" <<'END'
job two repeat=60 every=20s
  phase map tasks=5 sizes=4s,6s,3s,5s,8s output=20M
  phase reduce tasks=5 sizes=4s,6s,3s,5s,8s inputs=40M,60M,30M,50M,80M after=map
END
omegas() { # the verdicts on omega of a world with links of this speed
    sed "s/^network.*/network up=$1 down=$1 disk=50M/; /^faults/d" "$tmp/rough.cluster" \
        >"$tmp/omega.cluster"
    rm -f "$tmp/omega.journal"
    "$dolly" sim --workload "$tmp/omega.workload" --cluster "$tmp/omega.cluster" \
        --warmup 0 --policy 'mitigate=dolly,shuffle=delay;beta=0.5;tau=1;omega_window=300s' \
        --journal "$tmp/omega.journal" --json >/dev/null || return 1
    "$dolly" journal "$tmp/omega.journal" |
        jq -c 'select(.type == "verdict" and .why.code == "omega")' >"$tmp/omegas"
}
chosen() { # each names its bin and numbers that can be true
    omegas 10M && [ -s "$tmp/omegas" ] && jq -se 'all(.[].why; .bin == 1 and .omega_s >= 0 and
        .omega_s <= 10 and .alone_s > 0 and .shared_s >= .alone_s and .missing >= 0 and
        .missing <= 1 and .copies >= 2)' "$tmp/omegas"
}
ok omega_is_a_verdict chosen
windows() { # a choice as soon as there is enough to go by, then one in a window at most
    jq -se '[.[].t_us / 1e6] | length >= 3 and .[0] < 300 and
        ([.[2:], .[1:-1]] | transpose | all(.[0] - .[1] >= 300))' "$tmp/omegas"
}
ok omega_is_chosen_once_in_a_window windows
explained() {
    local at
    at=$(jq -r '"\(.job)/\(.phase)"' "$tmp/omegas" | head -n 1)
    "$dolly" explain "$tmp/omega.journal" "$at" >"$tmp/story"
    cat "$tmp/story"
    grep -Eq 'readers of jobs of bin 1 wait .* s for an output of their own from now on' \
        "$tmp/story"
}
ok omega_is_explained explained
fast_and_slow() { # a slow network is worth more patience: omega stays near the time of a read
    omegas 400M && jq -se 'length > 1 and all(.[1:][].why; .omega_s <= 0.5)' "$tmp/omegas" &&
        omegas 10M && jq -se 'length > 1 and all(.[1:][].why; .omega_s > 2 and .omega_s < 5)' "$tmp/omegas"
}
ok omega_follows_the_bandwidth fast_and_slow

closing
