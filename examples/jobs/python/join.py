"""Join of users and orders: join.py map makes the user's number the key, join.py reduce has a user's lines together."""
import sys
from itertools import groupby


def mark(lines):
    for line in lines:
        words = line.split()
        if words[0] == "order":
            print(words[1], f"o {words[2]}", sep="\t")
        else:
            print(words[0], f"u {words[1]}", sep="\t")


def join(lines):
    pairs = (line.rstrip("\n").split("\t") for line in lines)
    for number, group in groupby(pairs, key=lambda pair: pair[0]):
        values = [value.split() for _, value in group]
        user = next((what for kind, what in values if kind == "u"), "nobody")
        for kind, thing in values:
            if kind == "o":
                print(number, user, thing, sep="\t")


{"map": mark, "reduce": join}[sys.argv[1]](sys.stdin)
