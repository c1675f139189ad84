#!/usr/bin/env python3
"""python.py - the selections of numpy on one core, as a peer; see peer.h for its words. With
indices np.argpartition and a look-up of the keys, else np.partition; both give any order."""

import sys
import time

import numpy as np

NAMES = ["np.partition"]
DONE, WRONG, USAGE, UNAVAILABLE = 0, 1, 2, 3


def mix(z):
    """peer_mix of check.h."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def sums(keys):
    """The two sums of select.h over what is selected of each row of f32 keys."""
    bits = keys.view(np.uint32).astype(np.uint64)
    sign = np.uint64(1 << 31)
    codes = np.where(bits < sign, bits ^ sign, np.uint64((1 << 32) - 1) - bits)
    codes[bits == sign] = sign
    rows = mix(np.arange(1, len(keys) + 1, dtype=np.uint64))
    hashes = mix(codes ^ rows[:, None])
    return int(hashes.sum()), int(mix(hashes + np.uint64(1)).sum())


def select(keys, k, indices):
    n = keys.shape[1]
    if not indices:
        return np.partition(keys, n - k, axis=1)[:, n - k:], None
    found = np.argpartition(keys, n - k, axis=1)[:, n - k:]
    return np.take_along_axis(keys, found, axis=1), found


def is_right(keys, k, selected, found, wanted):
    if sums(np.ascontiguousarray(selected)) != wanted:
        return False
    return found is None or (bool((np.take_along_axis(keys, found, axis=1) == selected).all())
                             and all(len(set(row)) == k for row in found.tolist()))


def turn(words):
    """Takes a turn; returns its code and the result or a message."""
    if len(words) not in (7, 8) or words[0] not in NAMES:
        return USAGE, "usage: PROGRAM [-|np.partition f32 0|4 N ROWS RUNS FILE K]"
    if len(words) == 7 or words[1] != "f32" or words[2] == "8":
        return UNAVAILABLE, "selects f32, with indices of 4 bytes or without"
    n, rows, runs, k = (int(words[i]) for i in (3, 4, 5, 7))
    keys = np.fromfile(words[6], dtype=np.float32).reshape(rows, n)
    wanted = sums(np.ascontiguousarray(np.sort(keys, axis=1)[:, n - k:]))
    times = []
    for i in range(runs + 1):   # the first warms up
        start = time.perf_counter()
        selected, found = select(keys, k, words[2] == "4")
        times.append((time.perf_counter() - start) * 1e3)
        if not is_right(keys, k, selected, found, wanted):
            return WRONG, words[0] + ": wrong result"
    return DONE, "%.6f %016x" % (np.median(times[1:]), wanted[0])


def main(words):
    if not words:
        print("\n".join(NAMES))
        return DONE
    if words == ["-"]:
        for line in sys.stdin:
            print(*turn(line.split()), flush=True)
        return DONE
    code, text = turn(words)
    print(text, file=sys.stdout if code == DONE else sys.stderr)
    return code


sys.exit(main(sys.argv[1:]))
