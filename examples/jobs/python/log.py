"""Log analysis: log.py parse, and log.py sum: requests, failures and bytes of each page. Counts lines that it skips."""
import sys
from itertools import groupby


def parse(lines):
    for line in lines:
        words = line.replace('"', "").split()
        if len(words) < 6:
            print("reporter:counter:log,skipped,1", file=sys.stderr)
            continue
        print(words[3], int(int(words[4]) >= 500), words[5], sep="\t")


def sum_up(lines):
    rows = (line.rstrip("\n").split("\t") for line in lines)
    for page, group in groupby(rows, key=lambda row: row[0]):
        values = [(int(failed), int(size)) for _, failed, size in group]
        print(page, len(values), *(sum(column) for column in zip(*values)), sep="\t")


{"parse": parse, "sum": sum_up}[sys.argv[1]](sys.stdin)
