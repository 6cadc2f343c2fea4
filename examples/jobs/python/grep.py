"""Grep: lines that match the pattern in $PATTERN. Finding none is no failure."""
import os
import re
import sys

pattern = re.compile(os.environb[b"PATTERN"])
for line in sys.stdin.buffer:
    if pattern.search(line):
        sys.stdout.buffer.write(line)
