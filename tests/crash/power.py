#!/usr/bin/env python3
"""What a disk may hold after a loss of power, and what `dolly resume` makes of it: see tests/crash/power.sh.

    power.py DOLLY map|job [--every N] [--states N] [--seed N] [--drop PATTERN] [--first] [--only N.N]

In the working folder are `trace`, strace's record of a run (-f -y -xx) that had the folder `disk` to itself, where it
kept DISK/run; `printed`, what it printed, through the pipe `pipe`; and `want`, what is right. The record is replayed on
a model of a disk, on which only this is certain:
  - bytes of a file that were written before the last sync of this file began, and no others;
  - names in a folder (made, moved, removed) of before the last sync of this folder began. A file that moves is never
    lost: where its old name has certainly gone, the new one is certainly there.
All else may be there or not, in any combination, and sectors of a file may be of different times. The power fails
before and after each sync and each rename (every N-th of these moments). For each, states of the disk are built: with
nothing that is not certain, with everything, and --states with keyed choices of it. There the run is resumed.

A line for each state that is wrong; the last line says how many were tried. --drop: syncs of paths that match this
regular expression did not happen: then something must be found. --first: the first one is enough. --only: this state
alone, and what came of it is left in states/.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys

SECTOR = 512  # what a disk writes in one piece


# ---- the record ----

def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def path_in(text):
    """The path of a descriptor, as -y has it: 3<\\x2f...>."""
    found = re.match(r"\s*(?:AT_FDCWD|-?\d+)<([^>]*)>(\(deleted\))?", text)
    return unhex(found.group(1)).decode() if found and not found.group(2) else None


class Call:
    def __init__(self, pid, name, text, result):
        self.pid, self.name, self.result = pid, name, result
        self.words = text.split(", ")
        self.strings = [unhex(s) for s in re.findall(r'"([^"]*)"', text)]
        found = re.match(r"-?\d+", result)
        self.number = int(found.group()) if found else -1
        self.path = path_in(text)


def calls_of(trace):
    """(call, begun): calls in the order of their ends; a sync also when it begins, with begun=True."""
    waiting = {}
    for line in open(trace, encoding="ascii"):
        pid, text = line.rstrip("\n").split(None, 1)
        resumed = re.match(r"<\.\.\. (\w+) resumed>(.*)", text)
        if resumed:
            text = waiting.pop(pid, "") + resumed.group(2)
        elif text.endswith("<unfinished ...>"):
            waiting[pid] = text[:-len("<unfinished ...>")].rstrip()
            if re.match(r"f(data)?sync\(", text):
                yield Call(pid, "fsync", text[text.index("(") + 1:], "0"), True
            continue
        found = re.match(r"(\w+)\((.*)\)\s+= (.*)$", text)
        if not found:
            continue
        call = Call(pid, *found.groups())
        if call.number < 0:
            continue
        if call.name in ("fsync", "fdatasync") and not resumed:
            yield call, True
        yield call, False


# ---- the disk ----

class File:
    def __init__(self):
        self.changes = []  # (offset, bytes), or (size, None)
        self.certain = 0  # so many of them
        self.link = None  # of a symbolic link
        self.last = b""

    def change(self, offset, data):
        self.changes.append((offset, data))
        self.last = apply(self.last, offset, data)

    def content(self, count):
        data = b""
        for change in self.changes[:count]:
            data = apply(data, *change)
        return data

    def torn(self, rng):
        """Each sector as it was at some time; the size is that of some time, too."""
        count = len(self.changes)
        times = [self.content(rng.randint(self.certain, count)) for _ in range(3)]
        size = len(rng.choice(times))
        sectors = [rng.choice(times)[at:at + SECTOR] for at in range(0, size, SECTOR)]
        return b"".join(s.ljust(SECTOR, b"\0") for s in sectors)[:size]


def apply(data, offset, new):
    if new is None:
        return data[:offset].ljust(offset, b"\0")
    return data[:offset].ljust(offset, b"\0") + new + data[offset + len(new):]


class Folder:
    def __init__(self):
        self.names = {}


class Change:
    """Of names: [(folder, name, file or None)]."""
    def __init__(self, parts):
        self.parts = parts
        self.certain = [False] * len(parts)


class Disk:
    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.top = Folder()
        self.changes = []
        self.files = []
        self.syncing = {}
        self.sources = {}
        self.printed = 0

    def find(self, path):
        at = self.top
        for name in os.path.relpath(path, self.root).split("/"):
            if name != ".":
                at = at.names.get(name) if isinstance(at, Folder) else None
        return at

    def holds(self, path):
        return path is not None and (path + "/").startswith(self.root + "/")

    def where(self, path):
        return self.find(os.path.dirname(path)), os.path.basename(path)

    def rename_all(self, *parts):
        parts = [(*self.where(path), what) for path, what in parts if self.holds(path)]
        for folder, name, what in parts:
            if what is None:
                folder.names.pop(name, None)
            else:
                folder.names[name] = what
        if parts:
            self.changes.append(Change(parts))

    def make(self, path, what):
        self.rename_all((path, what))
        if isinstance(what, File):
            self.files.append(what)
        return what

    def write(self, path, data, offset=None):
        f = self.find(path)
        if isinstance(f, File):
            f.change(len(f.last) if offset is None else offset, data)

    def read(self, call, source, words):
        """What a copy between descriptors has moved: from its beginning on, as nobody moves back."""
        if self.holds(source):
            data = self.find(source).last
        else:
            data = open(source, "rb").read()
        key = call.pid, words
        at = self.sources.get(key, 0)
        self.sources[key] = at + call.number
        return data[at:at + call.number]

    def sync(self, call, begun):
        key = call.pid
        if begun:
            what = self.find(call.path) if self.holds(call.path) else None
            if isinstance(what, File):
                self.syncing[key] = what, len(what.changes)
            elif what:
                self.syncing[key] = what, len(self.changes)
            return
        what, count = self.syncing.pop(key, (None, 0))
        if isinstance(what, File):
            what.certain = max(what.certain, count)
        for change in self.changes[:count] if isinstance(what, Folder) else []:
            change.certain = [c or p[0] is what for c, p in zip(change.certain, change.parts)]
            if change.certain[-1]:
                change.certain = [True] * len(change.certain)


def absolute(call, string):
    """The path that is the N-th string of a call, with the folder that it starts from."""
    text = call.strings[string].decode()
    if os.path.isabs(text):
        return os.path.normpath(text)
    folders = [path_in(word) for word in call.words if path_in(word)]
    folder = folders[min(string, len(folders) - 1)] if folders else os.getcwd()
    return os.path.normpath(os.path.join(folder, text))


def play(disk, call, begun, pipe):
    """One call."""
    name = call.name
    if name in ("fsync", "fdatasync"):
        disk.sync(call, begun)
    elif name in ("splice", "write", "writev") and pipe in (call.path, path_in(call.words[2 if name == "splice" else 0])):
        disk.printed += call.number
    elif name in ("open", "openat", "creat"):
        path = path_in(call.result)
        if disk.holds(path) and not disk.find(path):
            disk.make(path, File())
        elif disk.holds(path) and "O_TRUNC" in " ".join(call.words) and disk.find(path).last:
            disk.find(path).change(0, None)
    elif name in ("write", "writev", "pwrite64", "pwritev") and disk.holds(call.path):
        data = b"".join(call.strings)[:call.number]
        disk.write(call.path, data, int(call.words[-1]) if name.startswith("p") else None)
    elif name == "sendfile" and disk.holds(call.path):
        disk.write(call.path, disk.read(call, path_in(call.words[1]), call.words[1]))
    elif name == "copy_file_range" and disk.holds(path_in(call.words[2])):
        disk.write(path_in(call.words[2]), disk.read(call, call.path, call.words[0]))
    elif name == "ftruncate" and disk.holds(call.path):
        disk.find(call.path).change(int(call.words[1]), None)
    elif name == "fallocate" and disk.holds(call.path):
        f, end = disk.find(call.path), int(call.words[2]) + int(call.words[3])
        if end > len(f.last):
            f.change(end, None)
    elif name.startswith("rename"):
        old, new = absolute(call, 0), absolute(call, 1)
        if disk.holds(old) or disk.holds(new):
            disk.rename_all((new, disk.find(old)), (old, None))
    elif name.startswith("mkdir") and disk.holds(absolute(call, 0)):
        disk.make(absolute(call, 0), Folder())
    elif name.startswith("mknod") and disk.holds(absolute(call, 0)):
        disk.make(absolute(call, 0), File())
    elif name.startswith("symlink") and disk.holds(absolute(call, 1)):
        disk.make(absolute(call, 1), File()).link = call.strings[0].decode()
    elif name.startswith("link") and disk.holds(absolute(call, 1)):
        disk.rename_all((absolute(call, 1), disk.find(absolute(call, 0))))
    elif name.startswith(("unlink", "rmdir")) and disk.holds(absolute(call, 0)):
        disk.rename_all((absolute(call, 0), None))


# ---- what may be left of it ----

class State:
    """Which changes of names there are, and the bytes of each file."""
    def __init__(self, disk, kind, rng):
        self.disk = disk
        lost = [i for i, c in enumerate(disk.changes) if not all(c.certain)]
        open_files = [f for f in disk.files if f.certain < len(f.changes)]
        self.there = set(lost) if kind != "certain" else set()
        self.data = {}
        keep = lambda f: f.last
        drop = lambda f: f.content(f.certain)
        tear = lambda f: f.torn(rng)
        ways = {f: keep if kind != "certain" else drop for f in open_files}
        if kind == "names":
            ways = {f: drop for f in open_files}
        elif kind == "order":
            self.there = set(lost[:rng.randint(0, len(lost))])
            ways = {f: rng.choice((keep, drop, tear)) for f in open_files}
        elif kind == "any":
            share = rng.choice((.2, .5, .8))
            self.there = {i for i in lost if rng.random() < share}
            ways = {f: rng.choice((keep, drop, tear)) for f in open_files}
        elif kind == "but one":
            one = rng.choice(lost + open_files or [None])
            self.there.discard(one)
            if one in ways:
                ways[one] = rng.choice((drop, tear))
        for f in disk.files:
            self.data[f] = ways.get(f, keep)(f)

    def tree(self):
        """The names in each folder."""
        names = {}
        for i, change in enumerate(self.disk.changes):
            for certain, (folder, name, what) in zip(change.certain, change.parts):
                if not certain and i not in self.there:
                    continue
                here = names.setdefault(folder, {})
                if what is None:
                    here.pop(name, None)
                else:
                    here[name] = what
        return names

    def build(self, to, rebooted):
        names = self.tree()

        def fill(folder, path):
            os.makedirs(path, 0o700)
            for name, what in names.get(folder, {}).items():
                at = os.path.join(path, name)
                if isinstance(what, Folder):
                    fill(what, at)
                elif what.link is not None:
                    os.symlink(what.link, at)
                else:
                    with open(os.open(at, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as f:
                        f.write(rebooted(self.data[what]))
        fill(self.disk.top, to)


def same_trees(a, b):
    """What is only in one of the two, or differs."""
    def entries(top):
        found = {}
        for folder, folders, files in os.walk(top):
            for name in folders + files:
                path = os.path.join(folder, name)
                plain = name in files and not os.path.islink(path)
                found[os.path.relpath(path, top)] = open(path, "rb").read() if plain else None
        return found
    a, b = entries(a), entries(b)
    return sorted(path for path in a.keys() | b.keys() if path not in a or path not in b or a[path] != b[path])


# ---- what is right ----

class Wrong(Exception):
    pass


def want(condition, text):
    if not condition:
        raise Wrong(text)


def contents(path):
    with open(path, "rb") as f:
        return f.read()


class Judge:
    """Resumes a run in a state and looks at what it has done."""
    moves = True  # a run may be resumed where it did not begin
    synced = 0  # bytes of the journal that are certain

    def __init__(self, dolly):
        self.dolly = dolly

    def resume(self, at):
        """Its status, and what it printed on both outputs."""
        with open(at + "/said", "wb") as said:
            done = subprocess.run([self.dolly, "resume", os.path.realpath(at + "/disk/run")], stdin=subprocess.DEVNULL, stdout=said,
                                  stderr=said, env={**os.environ, "RAN": os.path.realpath(at) + "/ran"}, timeout=60)
        return done.returncode, contents(at + "/said")

    def ran(self, at):
        """The tasks that were started, in words of their own."""
        return contents(at + "/ran").decode().split() if os.path.exists(at + "/ran") else []

    def committed(self, journal):
        """Those that the journal has by this moment, if it could be read."""
        said = subprocess.run([self.dolly, "journal", journal], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        found = re.findall(rb'"type":"committed","job":0,"phase":(\d+),"task":(\d+)', said)
        return {(int(phase), int(task)) for phase, task in found}

    def hole(self, at, status, said):
        """A journal with a hole behind what was synced, and more behind the hole, is refused: nothing is repaired then."""
        found = re.fullmatch(rb"dolly: journal \S+: damaged at byte (\d+): [^\n]*\n", said)
        return status == 2 and found and int(found[1]) >= self.synced and not self.ran(at)

    def refused(self, at, status, said):
        """It never began, or so it seems, and says so in a line."""
        want(status not in (0, 1) and status < 126 and said.count(b"\n") == 1, f"status {status}: {said[-200:]}")
        want(not self.ran(at), "refused after commands ran")


class JudgeMap(Judge):
    """A run of `dolly map`: want/N.out and want/N.err are the outputs of task N."""
    journal = "run/journal"

    def __init__(self, dolly):
        super().__init__(dolly)
        self.outputs = {name: contents("want/" + name) for name in os.listdir("want")}
        self.tasks = sorted(int(name[:-4]) for name in self.outputs if name.endswith(".out"))

    def pieces(self, said, tail=b""):
        """The names of the outputs that it is made of; what is left at its end. It may begin with the tail of one."""
        found = []
        if tail and said.startswith(tail):
            said = said[len(tail):]
        while said:
            name = next((n for n, out in self.outputs.items() if out and said.startswith(out)), None)
            if name is None:
                break
            found.append(name)
            said = said[len(self.outputs[name]):]
        return found, said

    def tail(self, begun):
        """What is missing of the output that begins so, with its name."""
        found = [(n, out[len(begun):]) for n, out in self.outputs.items() if begun and out.startswith(begun)]
        want(found or not begun, f"printed before: {begun[:60]}")
        return found[0] if begun else (None, b"")

    def judge(self, at, lost, committed, printed):
        status, said = self.resume(at)
        if self.hole(at, status, said):
            return
        if not committed and status != 0:
            self.refused(at, status, said)
            return
        want(status == 0, f"status {status}: {said[-300:]}")
        again = {(0, int(n) - 1) for n in self.ran(at)} & committed
        want(not again, f"committed tasks ran again: {sorted(task + 1 for _, task in again)}")
        self.judge_printed(printed, b"".join(l for l in said.splitlines(True) if not l.startswith(b"dolly")), lost)
        for task in self.tasks:
            want(contents(f"{at}/disk/run/out/0/map/{task - 1}") == self.outputs[f"{task}.out"], f"output {task} is another")

    def judge_printed(self, printed, said, lost):
        before, rest = self.pieces(printed)
        broken, tail = self.tail(rest)
        after, rest = self.pieces(said, tail)
        want(not rest, f"printed what is no output: {rest[:80]}")
        every = before + after + ([broken] if tail and said.startswith(tail) else [])
        wanted = sorted(name for name, out in self.outputs.items() if out)
        want(sorted(set(every)) == wanted, f"not printed: {sorted(set(wanted) - set(every))}")
        want(lost or sorted(every) == wanted, f"printed twice, though nothing was lost: {sorted(every)}")


class JudgeJob(Judge):
    """A job of `dolly run`, whose tasks write PHASE.TASK when they begin; want/results is what its parts should be."""
    journal = "run/_temporary/run/journal"
    moves = False

    def committed(self, journal):
        """Of the last phase: what is between phases is not synced, as its readers compare it with its checksums."""
        run = journal[:-len(self.journal)] + "run"
        if os.path.exists(run + "/_SUCCESS"):
            return {(0, 0), (0, 1), (1, 0), (1, 1)}
        return {task for task in super().committed(journal) if task[0] == 1}

    def judge(self, at, lost, committed, printed):
        status, said = self.resume(at)
        if self.hole(at, status, said):
            return
        if not committed and status == 2:
            want(not self.ran(at), "refused after commands ran")
            return
        want(status == 0, f"status {status}: {said[-300:]}")
        again = set(self.ran(at)) & {f"{phase}.{task}" for phase, task in committed}
        want(not again, f"committed tasks ran again: {sorted(again)}")
        run = at + "/disk/run"
        parts = sorted(name for name in os.listdir(run) if name.startswith("part-"))
        want(b"".join(contents(f"{run}/{p}") for p in parts) == contents("want/results"), f"results differ: {parts}")
        names = set(os.listdir(run)) - set(parts)
        want(names <= {"_SUCCESS", "_counters.json"} and "_SUCCESS" in names, f"left: {sorted(names)}")
        want(lost or b'"maps": 2' in contents(run + "/_counters.json"), "counters are others")


# ---- many ----

def boot():
    return contents("/proc/sys/kernel/random/boot_id").strip()


class Sweep:
    KINDS = ["names", "any", "order", "but one"]

    def __init__(self, args, judge):
        self.args, self.judge = args, judge
        self.disk = Disk("disk")
        self.printed = contents("printed")
        self.boot = boot()
        self.pool = concurrent.futures.ThreadPoolExecutor(2 if judge.moves else 1)
        self.points = self.tried = 0
        self.wrong = []

    def rebooted(self, data):
        """The machine has another mark of its boot by then."""
        return data.replace(self.boot, self.boot[::-1])

    def note(self, text):
        self.wrong.append(text)
        print(text, flush=True)

    def build(self, kind, key, to):
        State(self.disk, kind, random.Random(key)).build(to, self.rebooted)

    def ask(self, number, kind, committed, printed):
        """None, or what is wrong with this state."""
        at = os.path.realpath("states/" + number)
        try:
            if self.judge.moves:
                self.judge.judge(at, kind != "all", committed, printed)
            else:
                self.judge_here(at, kind != "all", committed, printed)
        except (Wrong, OSError, subprocess.TimeoutExpired) as e:
            return f"{number}, {kind}: {e}"
        if not self.args.only:
            shutil.rmtree(at)
        return None

    def judge_here(self, at, *about):
        """Where the run began, while what is there stands aside."""
        os.rename("disk", "aside")
        os.rename(at + "/disk", "disk")
        try:
            self.judge.judge(".", *about)
        finally:
            os.rename("disk", at + "/disk")
            os.rename("aside", "disk")
            for name in {"ran", "said"} & set(os.listdir(".")):
                os.rename(name, f"{at}/{name}")

    def crash(self, after):
        """All states of this moment."""
        some = random.Random(f"{self.args.seed} {self.points}").sample(self.KINDS, len(self.KINDS))
        kinds = ([] if self.args.drop else ["all"]) + ["certain"] + [some[i % len(some)] for i in range(self.args.states)]
        self.build("all", "", "states/whole")
        committed = self.judge.committed("states/whole/" + self.judge.journal)
        shutil.rmtree("states/whole")
        journal = self.disk.find(os.path.join(self.disk.root, self.judge.journal))
        self.judge.synced = len(journal.content(journal.certain)) if isinstance(journal, File) else 0
        asked = []
        for i, kind in enumerate(kinds):
            number = f"{self.points}.{i}"
            if self.args.only and self.args.only != number:
                continue
            self.build(kind, f"{self.args.seed} {number}", f"states/{number}/disk")
            asked.append(self.pool.submit(self.ask, number, kind, committed, self.printed[:self.disk.printed]))
        self.tried += len(asked)
        for wrong in filter(None, [a.result() for a in asked]):
            self.note(f"{after}: {wrong}")

    def run(self):
        pipe = os.path.realpath("pipe")
        for call, begun in calls_of("trace"):
            syncs = call.name in ("fsync", "fdatasync")
            if syncs and self.args.drop and re.search(self.args.drop, call.path or ""):
                continue
            path = call.path if syncs else absolute(call, 1) if call.name.startswith("rename") else None
            matters = self.disk.holds(path) and not begun
            for late in (False, True):
                if late:
                    play(self.disk, call, begun, pipe)
                self.points += matters
                if matters and self.points % self.args.every == 0:
                    self.crash(f"{'after' if late else 'before'} {call.name} of {os.path.relpath(path, self.disk.root)}")
                if self.wrong and self.args.first:
                    return

    def agree(self):
        """The last state is what is there."""
        State(self.disk, "all", None).build("states/end", lambda data: data)
        different = same_trees(self.disk.root, "states/end")
        if different:
            self.note(f"the replay is not what happened: {different[:8]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dolly")
    parser.add_argument("kind", choices=["map", "job"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--states", type=int, default=2)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--drop")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--only")
    args = parser.parse_args()
    sweep = Sweep(args, {"map": JudgeMap, "job": JudgeJob}[args.kind](args.dolly))
    shutil.rmtree("states", ignore_errors=True)
    sweep.run()
    if not args.drop and not args.only:
        sweep.agree()
    print(f"{sweep.tried} states at {sweep.points} points, {len(sweep.wrong)} wrong")
    sys.exit(1 if sweep.wrong or sweep.tried == 0 else 0)


if __name__ == "__main__":
    main()
