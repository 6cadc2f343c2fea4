"""Sort: lines come in order and with the separator behind them, as keys without values."""
import sys

for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line.rstrip(b"\n").removesuffix(b"\t") + b"\n")
