"""Page rank: pagerank.py start, then a round for each phase; pagerank.py last prints the ranks."""
import sys
from itertools import groupby


def deal(page, links, rank):
    """Hands the links of a page on to the next round, and to each of them its share of the rank."""
    print(page, " ".join(["L"] + links), sep="\t")
    for link in links:
        print(link, f"R {rank / len(links)!r}", sep="\t")


def start(lines):
    for line in lines:
        page, *links = line.split()
        deal(page, links, 1.0)


def next_round(lines, finish=deal):
    pairs = (line.rstrip("\n").split("\t") for line in lines)
    for page, group in groupby(pairs, key=lambda pair: pair[0]):
        links, total = [], 0.0
        for _, value in group:
            kind, *words = value.split()
            if kind == "L":
                links = words
            else:
                total += float(words[0])
        finish(page, links, 0.15 + 0.85 * total)


def last(lines):
    next_round(lines, lambda page, links, rank: print(page, f"{rank:.4f}", sep="\t"))


{"start": start, "round": next_round, "last": last}[sys.argv[1]](sys.stdin)
