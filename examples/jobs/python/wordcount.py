"""Word count: wordcount.py map, and wordcount.py sum as combiner and reducer."""
import re
import sys
from itertools import groupby


def split_words(lines):
    for line in lines:
        for word in re.findall("[a-z]+", line.lower()):
            print(word, 1, sep="\t")


def sum_counts(lines):
    pairs = (line.rstrip("\n").split("\t") for line in lines)
    for word, group in groupby(pairs, key=lambda pair: pair[0]):
        print(word, sum(int(count) for _, count in group), sep="\t")


{"map": split_words, "sum": sum_counts}[sys.argv[1]](sys.stdin)
