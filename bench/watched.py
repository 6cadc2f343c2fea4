#!/usr/bin/env python3
"""What `dolly watch` costs, and how far behind it is.

    watched.py follow DOLLY WHOLE GROWING SECONDS [BROWSER...]
        a journal of which all but the end is there, and grows by 1000 turns a second, with a reader of its sums and pages.
        BROWSER: a command that opens the address, which is added to it, and prints a number of its own at its end.
        Prints: turns, seconds until these were read, median and longest delay in seconds, per cent of a core,
        MB of `dolly watch`, MB of the last page, seconds between two pages, and the first number of the browser or -.
    watched.py day DOLLY WHOLE GROWING SECONDS [BROWSER...]
        all of a journal, from its first record on, written in so many seconds. Prints: turns, CPU seconds that reading
        and showing it took, MB of `dolly watch`, and the numbers of the browser or -.
    watched.py clients DOLLY RUN COUNT CORE
        so many readers of all events of a run, until its end; `dolly watch` runs on this core. Prints a line once all are
        served, and at the end the CPU seconds of `dolly watch`, how many were served until then, and the MB that came.
    watched.py others COUNT MB CORE
        the control group: as many readers of a server on this core that only sends so many MB a second, until its stdin
        ends. Prints a line once all are there, and at the end the CPU seconds of the server.
"""
import http.client
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

RATE = 1000


class Watch:
    """A `dolly watch` of a run."""

    def __init__(self, dolly, run, core=None):
        self.token_file = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen([*(["taskset", "-c", core] if core else []), dolly, "watch", run,
                                         "--token-file", self.token_file.name], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.token = open(self.token_file.name).read()

    def ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        return connection.getresponse()

    def cpu_s(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self):
        line = [l for l in open(f"/proc/{self.process.pid}/status") if l.startswith("VmHWM")][0]
        return int(line.split()[1]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def settled(watch):
    """The last turn, once all that is there is read."""
    before = -1
    while True:
        answer = watch.ask("/healthz")
        turn = json.loads(answer.read())["turn"] if answer.status == 200 else -1
        if turn == before and turn > 0:
            return turn
        before = turn
        time.sleep(0.3)


def delay(now, known, written):
    """For how long the first byte behind the known ones has been there, just before the next sums; turns are taken to be
    of equal length."""
    return next((now - at for at, end in written if end > known and at < now), 0)


def follow(dolly, whole, growing, seconds, *browser):
    seconds = float(seconds)
    data = open(whole, "rb").read()
    turns = json.loads(subprocess.run([dolly, "top", "--once", "--json", whole], stdout=subprocess.PIPE, check=True).stdout)["turn"]
    each = len(data) / turns
    begin = max(0, len(data) - int(each * RATE * (seconds + 2)))
    with open(growing, "wb") as out:
        out.write(data[:begin])
    begun = time.monotonic()
    watch = Watch(dolly, growing)
    first_turn = settled(watch)
    read_s = time.monotonic() - begun
    shown = subprocess.Popen([*browser, watch.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) if browser else None
    if shown:
        shown.stdout.readline()
    written, state = [], {"sums": [], "page": 0, "page_s": 2, "stop": False}

    def read_sums():
        stream = watch.ask("/api/v1/events?only=sums")
        for line in stream:
            if line.startswith(b"data:"):
                sums, now = json.loads(line[5:]), time.monotonic()
                state["page_s"] = sums["page_s"]
                state["sums"].append((now, sums["turn"]))
            if state["stop"]:
                return

    def read_pages():
        while not state["stop"]:
            state["page"] = len(watch.ask("/").read())
            time.sleep(state["page_s"])

    readers = [threading.Thread(target=t, daemon=True) for t in (read_sums, read_pages)]
    for reader in readers:
        reader.start()
    time.sleep(1)
    cpu, started, at = watch.cpu_s(), time.monotonic(), begin
    with open(growing, "ab", buffering=0) as out:
        while (now := time.monotonic()) - started < seconds:
            to = begin + int(each * RATE * (now - started))
            out.write(data[at:to])
            at = to
            written.append((now, at))
            time.sleep(0.02)
    ended = time.monotonic()
    share = 100 * (watch.cpu_s() - cpu) / (ended - started)
    last_turn = settled(watch)
    number = "-"
    if shown:
        shown.stdin.close()
        number = shown.stdout.readline().split()[0]
    state["stop"] = True
    each = (at - begin) / (last_turn - first_turn)
    sums = [(now, begin + (turn - first_turn) * each) for now, turn in state["sums"] if started + 1 < now < ended]
    delays = sorted(delay(later, known, written) for (_, known), (later, _) in zip(sums, sums[1:]))
    print(f"{first_turn} {read_s:.1f} {delays[len(delays) // 2]:.2f} {delays[-1]:.2f} {share:.1f} {watch.peak_mb():.0f} "
          f"{state['page'] / 1e6:.2f} {state['page_s']:.1f} {number}", flush=True)
    watch.end()


def day(dolly, whole, growing, seconds, *browser):
    """A piece every twentieth of a second, by the clock: what is late is written with the next one."""
    data, seconds, at = open(whole, "rb").read(), float(seconds), 0
    with open(growing, "wb", buffering=0) as out:
        at = out.write(data[:len(data) // 200])  # as much as a page needs
        watch = Watch(dolly, growing)
        settled(watch)
        shown = subprocess.Popen([*browser, watch.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) if browser else None
        if shown:
            shown.stdout.readline()
        begun, cpu = time.monotonic(), watch.cpu_s()
        while at < len(data):
            time.sleep(0.05)
            at += out.write(data[at:int(len(data) * min(1, (time.monotonic() - begun) / seconds))])
    turns = settled(watch)
    cpu = watch.cpu_s() - cpu
    time.sleep(5)  # the last page
    numbers = "- -"
    if shown:
        shown.stdin.close()
        numbers = shown.stdout.readline().strip()
    print(turns, f"{cpu:.1f} {watch.peak_mb():.0f}", numbers, flush=True)
    watch.end()


def clients(dolly, run, count, core):
    """One thread reads and forgets what comes: the readers are not to be what is slow."""
    watch, readers, ends, chooser = Watch(dolly, run, core), [], 0, selectors.DefaultSelector()
    for _ in range(int(count)):
        reader = socket.create_connection(("127.0.0.1", watch.port))
        reader.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {watch.token}\r\n\r\n".encode())
        chooser.register(reader, selectors.EVENT_READ)
    served, came = False, 0
    while readers or not served:
        for key, _ in chooser.select():
            piece = key.fileobj.recv(1 << 16)
            came += len(piece)
            if piece.startswith(b"HTTP/1.1 200"):
                readers.append(key.fileobj)
            if len(readers) == int(count) and not served:
                served = True
                print("served", flush=True)
            if b"event: bye" in piece or not piece:
                ends += b"event: bye" in piece
                chooser.unregister(key.fileobj)
                readers.remove(key.fileobj)
    print(f"{watch.cpu_s():.2f} {ends} {came / 1e6:.1f}", flush=True)
    watch.end()


def others(count, mb, core):
    """The server sends its share to each reader four times a second, as `dolly watch` does, at the same priority. It and the
    reader end with the stdin of the reader."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    piece = bytes(int(float(mb) * 1e6 / 4 / int(count)))
    server = os.fork()
    if server == 0:
        os.sched_setaffinity(0, {int(core)})
        os.nice(10)
        readers = [listener.accept()[0] for _ in range(int(count))]
        while True:
            time.sleep(0.25)
            for reader in readers:
                reader.sendall(piece)
    chooser, ended = selectors.DefaultSelector(), False
    for _ in range(int(count)):
        chooser.register(socket.create_connection(listener.getsockname()), selectors.EVENT_READ)
    chooser.register(sys.stdin, selectors.EVENT_READ)
    print("served", flush=True)
    while not ended:
        for key, _ in chooser.select():
            ended = key.fileobj is sys.stdin
            if ended:
                break
            key.fileobj.recv(1 << 16)
    os.kill(server, signal.SIGTERM)
    _, _, used = os.wait4(server, 0)
    print(f"{used.ru_utime + used.ru_stime:.2f}", flush=True)


{"follow": follow, "day": day, "clients": clients, "others": others}[sys.argv[1]](*sys.argv[2:])
