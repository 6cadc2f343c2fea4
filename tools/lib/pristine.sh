# pristine.sh - Debian systems made anew in a folder, for tools that must not depend on this machine. Nothing of it is
# visible there but its package mirror. To be sourced; needs root.
#
# ROOTS=FOLDER keeps the systems there and takes them again; otherwise they are removed at the end.
[ "$(id -u)" -eq 0 ] || { echo "${0##*/}: needs root, to make a system of its own" >&2; exit 1; }
work=$(mktemp -d)
roots=${ROOTS:-$work/roots}
mkdir -p "$roots"
running=
leave() {
    [ -z "$running" ] || { kill -KILL "$running" && wait "$running"; } 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 130' HUP INT TERM
passed=0 failed=0

# Prints the archive of Debian from which this machine takes its packages: every release is there.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null |
        grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1
}

# pristine NAME SUITE [OPTION...]: makes $roots/NAME, with further options of mmdebstrap.
pristine() {
    local root=$roots/$1 suite=$2
    shift 2
    [ ! -e "$root/made" ] || return 0
    rm -rf --one-file-system "${root:?}"
    mmdebstrap --variant=minbase --aptopt='Acquire::Retries "5"' "$@" "$suite" "$root" "$(mirror)" >"$work/log" 2>&1 &&
        touch "$root/made"
}

# Makes every user exist in the user namespace of its own that a process is about to enter.
give_users() { # pid
    until [ "$(readlink "/proc/$1/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.01; done
    echo 0 0 4294967295 >"/proc/$1/uid_map" && echo 0 0 4294967295 >"/proc/$1/gid_map" || kill -KILL "$1"
}

# inside NAME SCRIPT [USER]: runs a script of sh there, alone with its processes; what it prints goes to $work/log.
# EMULATOR=ARCH: programs of that architecture run in qemu-user. The kernel keeps a table of emulators for each user
# namespace, so that this machine's stays as it is.
inside() {
    local alone=(unshare --mount --pid --fork --kill-child --uts --ipc)
    [ -z "${EMULATOR:-}" ] || alone=(unshare --user sh -c '
        until read -r _ </proc/self/gid_map; do sleep 0.01; done; exec "$@"' sh "${alone[@]}")
    "${alone[@]}" bash -c '
        mount -t proc proc "$0/proc" || exit 1
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" 2>/dev/null
        mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm" 2>/dev/null
        if [ -n "$3" ]; then
            mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
                sed "s#:/#:$0/#" "$0/usr/lib/binfmt.d/qemu-$3.conf" >/proc/sys/fs/binfmt_misc/register || exit 1
        fi
        exec env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
            chroot ${2:+--userspec="$2"} "$0" sh -ec "$1"' \
        "$roots/$1" "$2" "${3:-}" "${EMULATOR:-}" >"$work/log" 2>&1 </dev/null &
    running=$! # unshare ends only by KILL, and so does what it has started
    [ -z "${EMULATOR:-}" ] || give_users $running
    local status=0
    wait $running || status=$?
    running=
    return $status
}

# step NAME COMMAND...: prints the verdict on a command, and the end of $work/log if it failed.
step() {
    local name=$1
    shift
    if "$@"; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "not ok $name"
        tail -n "${LINES_SHOWN:-20}" "$work/log" | sed 's/^/  /'
        failed=$((failed + 1))
    fi
}

verdict() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
