#!/usr/bin/env bash
# lane: waiting; builds: gcc asan; needs: jq; limit: 600 s
# End-to-end tests on four machines that are network namespaces (tests/lib/net-cluster): tests/e2e/remote/net.sh DOLLY [SECONDS...]
#
# Agents are started by `--on ssh:FILE`, with a stand-in for ssh that enters a namespace. Links are slowed down, and cut
# for so many seconds (1); the output must be that of a run here, and nothing may be left. Needs root; skipped without.
set -u

dolly=$(realpath "${1:?usage: tests/e2e/remote/net.sh DOLLY [SECONDS...]}")
cuts=("${@:2}")
[ ${#cuts[@]} -gt 0 ] || cuts=(1)
tmp=$(realpath "$(mktemp -d)") || exit 2
here=$(realpath "$(dirname "$0")/../../../tests")
. "$here/lib/checks.sh"
export TMPDIR=$tmp/tmp PATH=$tmp/bin:$PATH:/usr/sbin:/sbin
mkdir "$TMPDIR" "$tmp/bin"
cd "$tmp" || exit 2

net=dolly-$$
if [ "$(id -u)" -ne 0 ]; then
    skip 'runs over a network' 'needs root'
    closing
    exit
fi
coproc keeper { exec "$here/lib/net-cluster" "$net" 2>"$tmp/net.err"; }
keeper_in=${keeper[1]} keeper_pid=$keeper_PID
if ! read -r -t 60 answer <&"${keeper[0]}" || [ "$answer" != ready ]; then
    skip 'runs over a network' "$(cat net.err)"
    closing
    exit
fi

# ssh OPTIONS -- HOST COMMAND, in the namespace of that name, with mounts of its own (the commands in mounts-HOST).
cat >bin/ssh <<STAND_IN
#!/bin/sh
while [ "\$1" != -- ]; do
    # -R SOCKET:HOST:PORT, unless this ssh may not forward
    if [ "\$1" = -R ] && [ ! -e "$tmp/no-forward" ]; then setpriv --pdeathsig KILL "$tmp/bin/forward" "\$2" "\$\$" & fi
    shift
done
[ ! -e "$tmp/mounts-\$2" ] || mounts="\$(cat "$tmp/mounts-\$2") &&"
exec ip netns exec "$net-\${2#m}" unshare --mount sh -c "\$mounts \$3"
STAND_IN
cat >bin/forward <<'FORWARD'
#!/usr/bin/perl
# forward SOCKET:HOST:PORT PID: what connects to the socket is connected to the port, as long as the process lives.
use IO::Socket; use IO::Select;
my ($path, $host, $port) = split /:/, $ARGV[0];
my $door = IO::Socket::UNIX->new(Local => $path, Listen => 9) or die;
my ($all, %other) = IO::Select->new($door);
while (kill 0, $ARGV[1]) {
    for my $fd ($all->can_read(0.2)) {
        if ($fd == $door) {
            my $in = $door->accept or next;
            my $out = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port) or next;
            $other{$in} = $out; $other{$out} = $in; $all->add($in, $out);
        } else {
            my $to = $other{$fd} or next;
            my $bytes;
            if (!sysread $fd, $bytes, 65536) { $all->remove($fd, $to); close $fd; close $to; delete @other{$fd, $to}; next }
            for (my $at = 0; $at < length $bytes;) { $at += syswrite($to, $bytes, length($bytes) - $at, $at) || last }
        }
    }
}
FORWARD
chmod +x bin/ssh bin/forward
printf 'm%d\n' 1 2 3 4 >hosts

# On the machine with the switch, which is called by its address.
there() { ip netns exec "$net-0" unshare --uts sh -c 'hostname 10.77.0.1 && exec "$@"' sh "$@"; }
cut_link() { ip -n "$net-$1" link set eth0 down; }
join_link() { ip -n "$net-$1" link set eth0 up; }
until_true() { await 60 "$1" eval "$1"; } # CONDITION
ours() { pgrep -f -a "$tmp/task" ; pgrep -f -a "^$dolly agent --connect 10.77.0.1:"; }

# A task ends when the file `go` is there; those below 20 at once. One that runs twice at a time notices.
cat >task <<'TASK'
#!/bin/sh
exec 9>>"lock.$1"
flock -n -E 75 9
case $? in
0) ;;
75) echo "$1" >>twice ;;
*) exit 1 ;; # flock itself was killed
esac
echo "$DOLLY_NODE" >>nodes
until [ "$1" -lt 20 ] || [ -e go ]; do sleep 0.05; done
seq -f "$1:%.0f" 1 1000
TASK
chmod +x task
tasks=40
: >go
"$dolly" map -k "$tmp/task" ::: $(seq $tasks) >want 2>/dev/null

# begin OPTIONS...: starts a run on the four machines and waits until all of them have tasks.
begin() {
    rm -rf run go nodes out err twice
    there timeout 120 "$dolly" map --on ssh:hosts -j2 -k --linger 5s --dir run "$@" "$tmp/task" ::: $(seq $tasks) >out 2>err </dev/null &
    pid=$!
    until_true '[ "$(sort -u nodes 2>/dev/null | wc -l)" -eq 4 ]'
}
end() { # name
    : >go
    wait $pid
    status=$?
    [ $status -eq 0 ] && cmp -s out want
    report $? "$1" "status $status: $(tail -n 3 err)"
}

committed_once() {
    [ -z "$("$dolly" journal run/journal | jq -r 'select(.type == "committed") | .task' | sort | uniq -d)" ] &&
        "$dolly" journal run/journal --verify >/dev/null
}

begin --pure
report $? 'agents on four machines' "$(cat err)"
end 'the output is that of a run here'

begin --pure --pull
tc -n "$net-2" qdisc add dev eth0 root tbf rate 8mbit burst 32k latency 100ms
end 'outputs are fetched, also over a slow link'
tc -n "$net-2" qdisc del dev eth0 root

# Hosts that cannot find the coordinator by its name; then where they are told to.
: >no-forward
ip netns exec "$net-0" unshare --uts sh -c 'hostname nowhere.invalid && exec "$@"' sh \
    timeout 120 "$dolly" map --on ssh:hosts --pull --dir nowhere echo ::: 1 >out 2>err </dev/null
[ $? -eq 255 ] && grep -q '^dolly: agent ssh[1-4]\.m[1-4] cannot reach nowhere.invalid:[0-9]*: .*; trying through ssh; use --listen to name another address or port$' err &&
    grep -q '^dolly map: no agent is left, and dolly cannot start another: agent ssh.* cannot reach nowhere.invalid' err
report $? 'hosts that cannot reach the coordinator are named, and the run ends' "$(cat err)"
rm -rf nowhere no-forward
ip netns exec "$net-0" unshare --uts sh -c 'hostname nowhere.invalid && exec "$@"' sh \
    timeout 120 "$dolly" map --on ssh:hosts --pull --dir nowhere -N0 'seq 100000' ::: 1 >out 2>err </dev/null
[ $? -eq 0 ] && cmp -s out <(seq 100000) && grep -q 'joined ssh. 127.0.0.1\|joined ssh.*127.0.0.1' nowhere/agents.log && ! ls /tmp/dolly-tunnel.* 2>/dev/null
report $? '... or work through ssh, if that forwards a socket' "$(cat err nowhere/agents.log; ls /tmp/dolly-tunnel.*)"
rm -rf nowhere
ip netns exec "$net-0" unshare --uts sh -c 'hostname nowhere.invalid && exec "$@"' sh \
    timeout 120 "$dolly" map --on ssh:hosts --pull --listen 10.77.0.1:41000-41010 --dir nowhere echo ::: 1 >out 2>err </dev/null
[ $? -eq 0 ] && [ "$(cat out)" = 1 ] && grep -q 'listening on port 410[01][0-9]$' nowhere/agents.log
report $? '... and reach it where --listen says' "$(cat err nowhere/agents.log)"

# A link of 1 Mbit/s with a queue of 5 s, which would hold beats up for longer than the lease.
tc -n "$net-1" qdisc add dev eth0 root tbf rate 1mbit burst 16k latency 5000ms
echo m1 >slow
there timeout 120 "$dolly" map --on ssh:slow --pull --pure --policy none -j4 --lease 5s --dir slowly 'head -c 500000 /dev/zero | tr "\0" {}' \
    ::: 1 2 3 4 >out 2>err </dev/null
[ $? -eq 0 ] && [ "$(tr -s 1-4 '\n' <out | wc -l)" -ge 1 ] && [ "$(wc -c <out)" = 2000000 ] && ! grep -q ' left ' slowly/agents.log
report $? 'a slow link with a long queue delivers, and its agent is not lost' "$(cat err slowly/agents.log)"
tc -n "$net-1" qdisc del dev eth0 root

mkdir scratch
echo "mount -t tmpfs -o size=4k none $tmp/scratch" >mounts-m1
begin --pure --pull --scratch "$tmp/scratch"
end 'scratch that is full on one machine is the trouble of that machine'
rm mounts-m1

begin --pure
there "$dolly" resume run >out2 2>err2
[ $? -eq 2 ] && grep -q 'holds it' err2 && [ "$(wc -l <err2)" -eq 1 ] && [ ! -s out2 ]
report $? 'a second coordinator is refused' "$(cat err2)"
end '... and the first goes on'

for seconds in "${cuts[@]}"; do
    for mode in --pure --retries=9; do
        begin $mode
        cut_link 3
        sleep "$seconds"
        join_link 3
        end "a link that was cut for $seconds s ($mode)"
        committed_once && { [ "$mode" = --pure ] || [ ! -e twice ]; }
        report $? '... and no task is committed twice, or runs twice at a time' "$(cat twice 2>/dev/null)"
    done
done

begin --pure
cut_link 3
until_true 'grep -q "is gone" err'
report $? 'a machine that is silent is lost' "$(cat err)"
until_true '! pgrep -f "^$dolly agent .*ssh3.m3" | xargs -r -n 1 pgrep -P | xargs -r -n 1 pgrep -P | xargs -r -n 1 pgrep -P | grep -q .'
join_link 3
end 'its tasks run elsewhere'

begin
cut_link 1
cut_link 2
until_true '[ "$(grep -c "is gone" err)" -eq 2 ]'
join_link 1
join_link 2
end 'two of four, of commands that run once at a time'
committed_once && [ ! -e twice ]
report $? 'no task is committed twice, or runs twice at a time' "$(cat twice 2>/dev/null)"

until_true '[ -z "$(ours)" ]'
report $? 'no process is left' "$(ours)"
exec {keeper_in}>&-
wait "$keeper_pid"
! ip netns list | grep -q "^$net-"
report $? 'no namespace is left' "$(ip netns list)"
closing
