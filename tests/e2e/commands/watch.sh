#!/bin/bash
# lane: watching; builds: gcc asan; needs: jq curl python3; limit: 240 s
# Runs that are watched in a browser, without one: tests/e2e/commands/watch.sh build/dolly
#
# Every path with curl, what strangers and bad clients get, and journals that end, are cut, replaced or gone. Tasks wait
# for files of ours, so that each moment is known. Closes with `N passed, N failed`. Needs jq and curl.
set -u
dolly=$(realpath "${1:?usage: tests/e2e/commands/watch.sh DOLLY}")
cd "$(dirname "$0")/../../.." || exit 2
tmp=$(mktemp -d) || exit 2
export TMPDIR=$tmp
. tests/lib/checks.sh
unset SSH_CONNECTION
if ! command -v curl >/dev/null; then
    skip 'runs in a browser' 'no curl here'
    closing
    exit
fi

line() { grep -q -- "$1" "$2" 2>/dev/null; }
all() { local one; for one; do eval "$one" || { echo "not: $one"; return 1; }; done; }
begun() { [ "$("$dolly" top --once --json "$1" 2>/dev/null | jq "$2")" = "$3" ]; } # run, question, answer
watch() { # run, options: serves it; $url, $token and $watching are set
    rm -f "$tmp/url"
    "$dolly" watch "$1" --token-file "$tmp/token" "${@:2}" >"$tmp/url" 2>"$tmp/complaints" &
    watching=$!
    await 60 'an address' filled "$tmp/url" || return
    url=$(sed -n '1s/#.*//p' "$tmp/url") token=$(cat "$tmp/token")
}
unwatch() { kill "$watching" 2>/dev/null; wait "$watching"; }
ask() { curl -sS -m 20 -H "Authorization: Bearer $token" "$url$1" "${@:2}"; }   # path, options of curl
asked() { [ "$(ask "$1" 2>/dev/null | jq -c "$2")" = "$3" ]; }                   # path, question, answer
status() { curl -s -m 20 -o "$tmp/body" -w '%{http_code}' "$@"; }
gets() { # status, path, options of curl: with the token
    same "$(ask "$2" -o "$tmp/body" -w '%{http_code}' "${@:3}")" "$1"
}

# ---- a run, with a name that would like to be more than text ----
hostile='<img src=x onerror=alert(1)>"\'
mkdir "$tmp/$hostile"
run=$tmp/$hostile/run
"$dolly" map -j3 --dir "$run" --retries 1 \
    "until [ -e $tmp/go.{} ]; do sleep 0.02; done; echo '<b>{}</b>' >&2; test {} != bad" ::: a bad b c d >/dev/null 2>&1 &
running=$!
await 60 'the run begins' begun "$run" .tasks.running 3
watch "$run"
own=$(ps -o ni= -p $$)
behind() { [ "$(ps -o ni= -p "$watching" | xargs)" = $((own < 9 ? own + 10 : 19)) ]; }
await 60 'it steps back' behind
ok 'commands of the run come before the page' behind
ok 'the address is of this machine, with a token' grep -qxE 'http://127\.0\.0\.1:[0-9]+/#token=[0-9a-f]{32}' "$tmp/url"
ok 'the token is for its user' same "$(stat -c %a "$tmp/token")" 600
ok 'the run' asked api/v1/run '.tasks|[keys,.total,.done,.failed,.running,.waiting]' '[["done","failed","running","total","waiting"],5,0,0,3,2]'
ok 'its attempts' asked api/v1/attempts 'map(.task)|sort' '[1,2,3]'
ok 'its jobs' asked api/v1/jobs 'map([.job,.tasks,.done,.state])' '[[0,5,0,"open"]]'
ok 'of a state' all 'asked "api/v1/jobs?state=open&limit=1" length 1' 'asked "api/v1/jobs?state=done" length 0'
ok 'after a number' asked 'api/v1/jobs?after=0' length 0
tasks=api/v1/jobs/0/phases/0/tasks
ok 'its tasks' asked $tasks 'map([.task,.state,.attempts])' '[[1,"running",1],[2,"running",1],[3,"running",1],[4,"waiting",0],[5,"waiting",0]]'
ok 'some of them' asked "$tasks?state=running&after=1&limit=1" 'map(.task)' '[2]'
ok 'values over time' asked 'api/v1/series' '[.from_s[0] == 0, (.running|length) == (.from_s|length), .running[-1] > 0]' '[true,true,true]'
for path in api/v1/jobs?state=nosuch "$tasks?limit=0" "$tasks?nosuch=1" api/v1/run?state=open 'api/v1/series?steps=0' \
    'api/v1/jobs?limit=1&limit=2' 'api/v1/events?only=nosuch' 'api/v1/jobs?after=-1' '?x'; do
    ok "a query that is not understood: $path" gets 400 "$path"
done
ok 'its nodes' asked api/v1/nodes 'map([.slots,.busy])' '[[3,3]]'
ok 'from which something came a while ago' asked api/v1/nodes 'map(.seen_s >= 0)' '[true]'
ok 'why its end is not known' asked api/v1/run .ends.why '"no task of map has ended, so how long the others take is not known"'
ok 'what its job waits for' asked api/v1/jobs 'map([.waits_for,.cloned,.oldest_wait_s > 0])' '[["slots",false,true]]'
ok 'no failure yet' asked api/v1/failures . '[]'
ok 'it is well' asked healthz '.behind_s < 5' true

# ---- events ----
curl -sSN -H "Authorization: Bearer $token" "${url}api/v1/events" >"$tmp/events" 2>/dev/null &
listening=$!
await 60 'a greeting' line '^event: hello' "$tmp/events"
touch "$tmp/go.a"
done_is() { tail -n 3 "$tmp/events" | sed -n 's/^data: //p' | jq -e --argjson n "$1" '.tasks.done == $n' >/dev/null 2>&1; }
await 60 'a task that ends' done_is 1
turn=$(sed -n 's/^id: //p' "$tmp/events" | tail -n 1)
ok 'the id is the turn' same "$(sed -n 's/^data: //p' "$tmp/events" | tail -n 1 | jq .turn)" "$turn"
curl -sSN -m 1 -H "Authorization: Bearer $token" -H "Last-Event-ID: $turn" "${url}api/v1/events" >"$tmp/again" 2>/dev/null
ok 'a lost connection goes on without a greeting' all 'grep -q "^retry: 1000" "$tmp/again"' '! grep -q hello "$tmp/again"'
curl -sSN -m 1 -H "Authorization: Bearer $token" -H "Last-Event-ID: 99999999" "${url}api/v1/events" >"$tmp/again" 2>/dev/null
ok 'one of another journal starts anew' grep -q '^event: reset' "$tmp/again"

news() { sed -n "/^event: $1\$/{n;s/^data: //p}" "$tmp/events"; } # name of events: their data
ok 'an attempt that ended, and its task' all '[ "$(news attempt | jq -c "select(.task == 1) | [.state, .kind, .attempt]" | tail -n 1)" = "[\"attempt_finished\",\"first\",0]" ]' \
    '[ "$(news task | jq -c "[.job, .task, .state]")" = "[0,1,\"done\"]" ]'
ok 'and the one that took its place' all '[ "$(news attempt | jq -c "select(.task == 4) | .state" | head -n 1)" = "\"launched\"" ]'
curl -sSN -m 1 -H "Authorization: Bearer $token" -H "Last-Event-ID: 1" "${url}api/v1/events" >"$tmp/again" 2>/dev/null
missed() { same "$(sed -n '/^event: task$/{n;s/^data: //p}' "$tmp/again" | jq -c '[.job, .task, .state]')" '[0,1,"done"]'; }
ok 'what a lost connection has missed is sent' missed
curl -sSN -m 1 -H "Authorization: Bearer $token" -H "Last-Event-ID: 1" "${url}api/v1/events?only=sums" >"$tmp/again" 2>/dev/null
ok 'unless only the sums are wanted' same "$(grep '^event:' "$tmp/again" | sort -u)" 'event: sums'

# ---- a failure ----
touch "$tmp/go.bad"
await 60 'a task that fails' asked api/v1/run .tasks.failed 1
await 60 'an event about it' line '^event: failed' "$tmp/events"
ok 'with its stderr' same "$(news failed | jq -c '[.job, .task, .stderr]')" '[0,2,"<b>bad</b>\n"]'
ok 'it is among the tasks that failed' asked "$tasks?state=failed" 'map(.task)' '[2]'
ok 'which one, and why' asked api/v1/failures 'map([.task,.why])' '[[2,"failed with exit status 1"]]'
ok 'its stderr as text' all 'gets 200 api/v1/jobs/0/phases/0/tasks/2/stderr' 'grep -qxF "<b>bad</b>" "$tmp/body"'
ok 'which is not a page' all 'ask api/v1/jobs/0/phases/0/tasks/2/stderr -D "$tmp/head" -o /dev/null' \
    'grep -qi "^content-type: text/plain" "$tmp/head"' 'grep -qi "^x-content-type-options: nosniff" "$tmp/head"'
ok 'the last lines of it' all 'gets 200 api/v1/jobs/0/phases/0/tasks/2/stderr?tail=1' 'grep -qxF "<b>bad</b>" "$tmp/body"'
ok 'no stderr is kept of others' gets 404 api/v1/jobs/0/phases/0/tasks/1/stderr
same_task() { same "$(ask api/v1/jobs/0/phases/0/tasks/2 | jq -S 'del(.sentences,.torn_bytes,.last_s)')" "$("$dolly" explain --json "$run" 0/0/2 | jq -S 'del(.torn_bytes,.last_s)')"; }
ok 'a task is that of explain' same_task
ok 'with its sentences' asked api/v1/jobs/0/phases/0/tasks/2 '.sentences|test("given up after 1 attempt")' true
ok 'a job is that of explain' all 'gets 200 api/v1/jobs/0' 'jq -e ".phases|length == 1" "$tmp/body"'
ok 'and a phase' all 'gets 200 api/v1/jobs/0/phases/0' 'jq -e ".given_up == 1 or .phase.given_up == 1" "$tmp/body"'
for path in api/v1/jobs/1 api/v1/jobs/0/phases/1 api/v1/jobs/0/phases/0/tasks/6 api/v1/jobs/0/phases/0/tasks/0 nosuch \
    api/v1/jobs/x api/v1/../../journal %2e%2e/journal api/v1/jobs/0/phases/0/tasks/2/stderr/../../../../../../go.a; do
    ok "there is no $path" gets 404 "$path" --path-as-is
done

# ---- the page ----
ok 'the page' all 'gets 200 ""' 'grep -q "<main>" "$tmp/body"' 'grep -q "1 of 5 tasks failed" "$tmp/body"'
ok 'names in it are text' all '! grep -q "<img" "$tmp/body"' 'grep -q "&lt;img src=x" "$tmp/body"'
ok 'it has no script of its own' all '! grep -E "<script>|javascript:|style=" "$tmp/body"'
for file in page.js login.js page.css; do
    ok "$file" all "gets 200 $file" '[ -s "$tmp/body" ]'
done
ask '' -D "$tmp/head" -o /dev/null
for header in "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'" \
    "frame-ancestors 'none'" 'X-Content-Type-Options: nosniff' 'Referrer-Policy: no-referrer' 'Cache-Control: no-store'; do
    ok "$header" grep -qiF -- "$header" "$tmp/head"
done
ok 'no other origin is let in' all '! grep -qi "^access-control" "$tmp/head"'

# ---- metrics ----
value() { awk -v name="$1" 'index($0, name) == 1 { print $NF }' "$tmp/metrics"; }
label='run="run"'
turns_are_timed() { # each of them; the coordinator writes their times within a second
    ask metrics >"$tmp/metrics"
    all '[ "$(value "dolly_turn_seconds_count{$label}")" -gt 3 ]' \
        'same "$(value "dolly_turn_seconds_count{$label}")" "$(value "dolly_turns_total{$label}")"' \
        'awk "BEGIN { exit !($(value "dolly_turn_seconds_sum{$label}") > 0) }"'
}
await 60 'the times of its turns' turns_are_timed
ok 'metrics: the times of all turns' turns_are_timed
ok 'metrics: tasks' same "$(value "dolly_tasks{$label,phase=\"map\",state=\"done\"}") $(value "dolly_tasks{$label,phase=\"map\",state=\"failed\"}")" '1 1'
ok 'metrics: the state' same "$(value "dolly_run_state{$label,state=\"running\"}")" 1
ok 'metrics: slots' same "$(for state in free first extra closed; do value "dolly_slots{$label,state=\"$state\"}"; done | paste -sd ' ')" '0 3 0 0'
ok 'metrics: launches' same "$(value "dolly_attempts_launched_total{$label,kind=\"first\"}")" "$(ask api/v1/run | jq .attempts.first.launched)"
ok 'metrics: tasks rescued are those of the run' same "$(value "dolly_rescued_tasks_total{$label}")" "$(ask api/v1/run | jq .explain.beat_straggler)"
ok 'metrics: every family has its help and type, and each sample once' awk '
    /^# HELP / { help[$3] = 1; next }
    /^# TYPE / { if (!help[$3] || type[$3]) { print "bad: " $0; bad = 1 } type[$3] = $4; now = $3; families++; next }
    !/^[a-z_]+\{run="run"(,[a-z]+="[^"\n]*")*\} (-?[0-9.]+(e[-+]?[0-9]+)?|[+-]Inf|NaN)$/ { print "bad: " $0; bad = 1 }
    { name = $0; sub(/\{.*/, "", name); base = name; if (type[now] == "histogram") sub(/_(bucket|sum|count)$/, "", base) }
    base != now { print "outside of its family: " $0; bad = 1 }
    type[now] == "counter" && name !~ /_total$/ { print "a counter without _total: " $0; bad = 1 }
    { key = $0; sub(/ [^ ]*$/, "", key); if (seen[key]++) { print "twice: " $0; bad = 1 } }
    END { exit bad || families < 20 }' "$tmp/metrics"
ok 'metrics: buckets rise to the count' awk -F '[{} ]' '
    /_bucket/ { key = $2; sub(/,le=.*/, "", key); key = $1 key; if ($NF + 0 < last[key] + 0) { print; bad = 1 } last[key] = $NF; n++ }
    /_count/ { base = $1; sub(/_count$/, "_bucket", base); key = base $2; if (last[key] != $NF) { print; bad = 1 } }
    END { exit bad || !n }' "$tmp/metrics"
if command -v promtool >/dev/null; then
    ok 'metrics: promtool' promtool check metrics <"$tmp/metrics"
    ok 'alerts: promtool' promtool check rules examples/prometheus/dolly.rules.yaml
else
    skip 'metrics and alerts: promtool' 'no promtool here (Debian: prometheus)'
fi
families=$(awk '/^# TYPE/ { print $3 }' "$tmp/metrics")
known() { # file: every metric that it names exists
    local name bad=0
    for name in $(grep -oE 'dolly_[a-z_]+' "$1" | sort -u); do
        grep -qxF -e "$name" <<<"$families" || grep -qxF -e "${name%_bucket}" <<<"$families" || [[ $name == dolly_saved_seconds || $name == dolly_expected_end_timestamp_seconds ]] || { echo "$name"; bad=1; }
    done
    [ $bad -eq 0 ]
}
ok 'the dashboard is JSON, and asks for metrics that exist' all 'jq -e ".panels|length > 5" examples/prometheus/dashboard.json' 'known examples/prometheus/dashboard.json'
ok 'so do the five alerts' all '[ "$(grep -c "alert:" examples/prometheus/dolly.rules.yaml)" = 5 ]' 'known examples/prometheus/dolly.rules.yaml'

# ---- strangers ----
for path in api/v1/run api/v1/events metrics healthz page.js nosuch api/v1/jobs/0/phases/0/tasks/2/stderr; do
    ok "nothing without the token: $path" all 'same "$(status "${url}$path")" 401' '! grep -qE "bad|tasks|map" "$tmp/body"'
done
ok 'the page asks for it' all 'same "$(status "$url")" 401' 'grep -q "login.js" "$tmp/body"' '! grep -qE "tasks|map" "$tmp/body"'
ok 'nor with another one' same "$(status -H "Authorization: Bearer ${token%?}" "${url}api/v1/run")" 401
ok 'nor with one of the right length' same "$(status -H "Authorization: Bearer 00000000000000000000000000000000" "${url}api/v1/run")" 401
ok 'a cookie of yesterday' same "$(status -b "dolly_${url//[^0-9]/}=00000000000000000000000000000000" "${url}api/v1/run")" 401
ok 'a wrong Host' gets 403 api/v1/run -H 'Host: evil.example'
ok 'a foreign Origin' gets 403 api/v1/run -H 'Origin: http://evil.example'
ok 'a page of another site' gets 403 api/v1/run -H 'Sec-Fetch-Site: cross-site'
for method in POST PUT DELETE OPTIONS PATCH; do
    ok "$method" gets 405 api/v1/run -X $method
done
ok 'a wrong token is not exchanged' same "$(status -X POST -d 00000000000000000000000000000000 "${url}login")" 401
ok 'nor is a long one' same "$(head -c 100000 /dev/zero | tr '\0' 0 | status -X POST --data-binary @- "${url}login")" 401
ok 'nor one from elsewhere' same "$(status -X POST -d "$token" -H 'Origin: http://evil.example' "${url}login")" 403
ok 'the token is exchanged for a cookie' same "$(status -X POST -d "$token" -c "$tmp/jar" "${url}login")" 204
ok 'that scripts do not see' grep -q '^#HttpOnly_127.0.0.1' "$tmp/jar"
ok 'and that opens the run' same "$(status -b "$tmp/jar" "${url}api/v1/run")" 200
ok 'a long header is refused' same "$(status -H "Authorization: Bearer $token" -H "X: $(printf %08200d 0)" "${url}api/v1/run")" 431
ok 'one below the limit is not' same "$(status -H "Authorization: Bearer $token" -H "X: $(printf %07800d 0)" "${url}api/v1/run")" 200
ok 'so many bytes of others are' same "$(status -H "Authorization: Bearer $token" $(for i in {1..90}; do printf -- '-HX%d:%090d ' "$i" 0; done) "${url}api/v1/run")" 431
ok 'a long query is' same "$(status -H "Authorization: Bearer $token" "${url}api/v1/run?a=$(printf %08200d 0)")" 431
ok 'so is one that fills the memory' all '[ "$(status -H "Authorization: Bearer $token" -H "X: $(head -c 100000 /dev/zero | tr "\0" x)" "${url}api/v1/run")" -ge 400 ]'

# ---- bad clients ----
port=${url//[!0-9:]/} port=${port##*:}
exec 7<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n' "$token" >&7 # and never reads
many() { python3 tests/lib/many_connections.py "$port" "$token" "$@"; }
ok 'ten thousand connections that ask for nothing, and one that never reads: others are served' many silent 10000
ok 'nor do requests without the token keep others out' many strangers 1000
ok 'two hundred streams are served, the next one is refused, and other answers are given' many streams 201
gone() { [ "$(ls "/proc/$watching/fd" | wc -l)" -lt 40 ]; }
await 60 'their ends' gone
ok 'nothing is left of them' gets 200 api/v1/run
exec 7>&-
printf 'nonsense\r\n\r\n' >"/dev/tcp/127.0.0.1/$port"
ok 'nonsense does no harm' gets 200 healthz

# ---- the end ----
touch "$tmp"/go.{b,c,d}
wait "$running"
await 60 'the run ends' asked api/v1/run .state '"failed"'
wait "$listening"
ok 'events end with it' grep -q '^event: bye' "$tmp/events"
equal() { same "$(ask api/v1/run | jq -S 'del(.explain.torn_bytes).explain')" "$("$dolly" explain --json "$run" | jq -S 'del(.torn_bytes)')"; }
ok 'the last numbers are those of explain' equal
ok 'the run has not noticed' "$dolly" journal --verify "$run/journal"
unwatch
status=$?
ended() { same "$status" 0 || { cat "$tmp/complaints"; return 1; }; }
ok 'it ends when it is asked to' ended
watch "$run" --http "127.0.0.1:$port"
ok 'a cookie of yesterday opens nothing, at the same address' same "$(status -b "$tmp/jar" "${url}api/v1/run") $(status -b "$tmp/jar" "$url") $(gets 200 api/v1/run && echo 200)" '401 401 200'
unwatch

# ---- a run that is killed, and resumed ----
"$dolly" map -j2 --dir "$tmp/killed" "until [ -e $tmp/killed.{} ]; do sleep 0.02; done" ::: a b c >/dev/null 2>&1 &
running=$!
await 60 'a run to kill' begun "$tmp/killed" .tasks.running 2
watch "$tmp/killed"
touch "$tmp/killed.a"
await 60 'one of its tasks is done' asked api/v1/run .tasks.done 1
ok 'its page' all 'gets 200 ""' 'grep -q "1 of 3 tasks done" "$tmp/body"'
curl -sSN -H "Authorization: Bearer $token" "${url}api/v1/events" >"$tmp/killed.events" 2>/dev/null &
listening=$!
await 60 'a greeting' line '^event: hello' "$tmp/killed.events"
kill -9 "$running"
wait "$running" 2>/dev/null
await 60 'it is interrupted' asked api/v1/run .state '"interrupted"'
ok 'what is left of a run that was killed waits, and holds nothing' asked api/v1/run \
    '[.tasks.waiting, .phases[0].waiting, .tasks.running, .slots_held, .extra_share]' '[2,2,0,0,0]'
ok 'and has no slots' all 'ask metrics >"$tmp/metrics"' 'grep -qE "^dolly_slots.*first.* 0$" "$tmp/metrics"' \
    'grep -qE "^dolly_tasks.*waiting.* 2$" "$tmp/metrics"'
ok 'its page says how to go on' all 'gets 200 ""' 'grep -q "Interrupted: 1 of 3 tasks done" "$tmp/body"'
"$dolly" resume "$tmp/killed" >/dev/null 2>&1 &
running=$!
await 60 'it is resumed' asked api/v1/run '[.state, .tasks.running]' '["running",2]'
ok 'a run that is resumed is followed again' asked api/v1/run '[.tasks.done, .ends.why != "no task is left"]' '[1,true]'
await 60 'listeners begin anew' line '^event: reset' "$tmp/killed.events"
ok 'its events had not ended' all '! grep -q "^event: bye" "$tmp/killed.events"'
touch "$tmp"/killed.{b,c}
wait "$running"
await 60 'its end' asked api/v1/run '[.state, .tasks.done]' '["done",3]'
ok 'to its end' same "$(ask api/v1/run | jq -S 'del(.explain.torn_bytes).explain')" "$("$dolly" explain --json "$tmp/killed" | jq -S 'del(.torn_bytes)')"
wait "$listening"
ok 'and so are its events' grep -q '^event: bye' "$tmp/killed.events"
unwatch

# ---- a socket of the file system ----
rm "$tmp/url"
"$dolly" watch "$run" --http "unix:$tmp/socket" --token-file "$tmp/token" >"$tmp/url" 2>&1 &
watching=$!
await 60 'a socket' filled "$tmp/url"
ok 'a socket for its user alone' same "$(stat -c '%a %F' "$tmp/socket")" '600 socket'
local_status() { curl -s -m 20 -o /dev/null -w '%{http_code}' --unix-socket "$tmp/socket" "$@" http://localhost/api/v1/run; }
ok 'that wants the token, too' same "$(local_status) $(local_status -H "Authorization: Bearer $(cat "$tmp/token")")" '401 200'
unwatch
ok 'and is removed' all '[ ! -e "$tmp/socket" ]'
rm "$tmp/url"
SSH_CONNECTION='1.2.3.4 5 6.7.8.9 22' "$dolly" watch "$run" >"$tmp/url" 2>&1 &
watching=$!
await 60 'on a login node' line 'ssh -L' "$tmp/url"
ok 'the way there is printed' grep -qE "^From your own machine: ssh -L ([0-9]+):127\.0\.0\.1:\1 $(hostname)" "$tmp/url"
unwatch

# ---- a browser ----
mkdir "$tmp/bin" "$tmp/runtime"
printf '#!/bin/sh\nstat -c %%a "$1" >"%s/opened.mode"\ncp "$1" "%s/opened.part" && mv "%s/opened.part" "%s/opened"\n' "$tmp" "$tmp" "$tmp" "$tmp" >"$tmp/bin/xdg-open"
chmod 755 "$tmp/bin/xdg-open"
rm "$tmp/url"
XDG_RUNTIME_DIR=$tmp/runtime PATH=$tmp/bin:$PATH "$dolly" watch "$run" --open >"$tmp/url" 2>&1 &
watching=$!
await 60 'a browser' filled "$tmp/opened"
ok 'is led to the address' grep -qF "url=$(head -n 1 "$tmp/url")\"" "$tmp/opened"
ok 'by a file for its user alone' same "$(cat "$tmp/opened.mode")" 600
unwatch
ok 'which is removed' all '[ -z "$(ls "$tmp/runtime")" ]'

# ---- journals that end badly ----
"$dolly" sim --workload examples/mixed.workload --cluster examples/small.cluster --policy dolly --seed 4 --journal "$tmp/whole" >/dev/null 2>&1
bytes=$(wc -c <"$tmp/whole")
part() { head -c $((bytes * $1 / 4)) "$tmp/whole"; } # quarters
part 2 >"$tmp/j"
watch "$tmp/j"
await 60 'a journal that goes on' asked api/v1/run .state '"running"'
numbers() { same "$(ask api/v1/run | jq -S 'del(.explain.torn_bytes).explain')" "$("$dolly" explain --json "$tmp/j" | jq -S 'del(.torn_bytes)')"; }
agrees() { await 60 "$1" numbers; ok "$1" numbers; } # once all is read
agrees 'has the numbers of explain'
ok 'of which half a record may be written' all 'gets 200 ""' '! grep -q "journal is torn" "$tmp/body"' '"$dolly" explain "$tmp/j" | grep -q "journal is torn"'
reads() { awk '/^rchar/ { print $2 }' "/proc/$watching/io"; }
first=$(reads) over=$(ask 'api/v1/jobs?state=done&limit=1' | jq '.[0].job')
ok 'a job that is over, from the journal' all 'asked "api/v1/jobs/$over" .state "\"done\""' '[ $(($(reads) - first)) -gt $((bytes / 2)) ]'
first=$(reads)
ok 'the next time without it, as are a page and a job that is not over' all 'asked "api/v1/jobs/$over" .state "\"done\""' 'gets 200 ""' \
    'asked "api/v1/jobs/$(ask "api/v1/jobs?state=open&limit=1" | jq ".[0].job")" .state "\"open\""' '[ $(($(reads) - first)) -lt $((bytes / 4)) ]'
"$dolly" report "$tmp/j" --csv "$tmp/csv" >/dev/null 2>&1
columns() { # as many digits as the file has
    jq -e --slurpfile now <(ask api/v1/series) -Rn '[inputs | split(",")] as $csv | [$csv[1:][] | map(tonumber)] as $rows
        | $now[0] as $now | ($rows | length) == ($now.from_s | length) and all(range($csv[0] | length) as $k | range($rows | length) as $i
        | ($now[$csv[0][$k]][$i] - $rows[$i][$k] | fabs) <= 1e-5 * ([1, $rows[$i][$k]] | max); .)' <"$tmp/csv/series.csv"
}
ok 'values over time are those of series.csv' columns
ok 'or as few as wanted' asked 'api/v1/series?steps=4' '.from_s|length <= 4 and length > 1' true
ok 'from then on' asked "api/v1/series?from=$(ask api/v1/series | jq '.from_s[2]')&steps=2" '.from_s[0] > 0' true
before=$(ask api/v1/run | jq .turn)
part 3 >"$tmp/j2" && tail -c +$((bytes * 2 / 4 + 1)) "$tmp/j2" >>"$tmp/j"
grown() { [ "$(ask api/v1/run | jq .turn)" -gt "$before" ]; }
await 60 'it grows' grown
agrees 'and still has them'
rm -f "$tmp/events" # of the listener before
curl -sSN -H "Authorization: Bearer $token" "${url}api/v1/events" >"$tmp/events" 2>/dev/null &
listening=$!
await 60 'a listener' line '^event: hello' "$tmp/events"
slot_s() { ask metrics | awk '/^dolly_slot_seconds_total.*use="all"/ { printf "%.3f", $NF }'; }
more=$(slot_s)
truncate -s $((bytes / 3)) "$tmp/j"
await 60 'it is cut' line 'the journal was cut: it is read anew' "$tmp/complaints"
agrees 'and read anew'
fewer=$(slot_s)
ok 'counters begin anew with it' all 'same "$fewer" "$(printf %.3f "$(ask api/v1/run | jq .explain.slot_s)")"' '[ "$fewer" != "$more" ]'
await 60 'its listener' line '^event: reset' "$tmp/events"
ok 'is told to begin anew' grep -q '^event: reset' "$tmp/events"
mv "$tmp/j2" "$tmp/j"
await 60 'it is replaced' line 'the journal was replaced: it is read anew' "$tmp/complaints"
agrees 'and read anew, again'
kill "$listening"
wait "$listening"
rm "$tmp/j"
wait "$watching"
ok 'one that is gone is the end' same "$?" 2
ok 'in one line' grep -qx "dolly: journal $tmp/j: is gone" "$tmp/complaints"

# ---- the command line ----
refused() { # status, what the message must have, arguments
    "$dolly" watch "${@:3}" >"$tmp/out" 2>"$tmp/err" </dev/null
    same "$?" "$1" && same "$(wc -l <"$tmp/err")" 1 && grep -q -- "$2" "$tmp/err"
}
ok 'no run' refused 2 'the run is missing'
ok 'no such run' refused 2 'cannot open' "$tmp/nosuch"
ok 'a browser opens no socket' refused 2 'browsers do not open' "$run" --open --http "unix:$tmp/s"
ok 'not an address' refused 2 'must be ADDRESS:PORT' "$run" --http localhost:80
closing
