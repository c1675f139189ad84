"""npsort.py - sorts and selections of numpy on one core, as a peer program: see peer.h. numpy sorts
in vector registers; on some CPUs it is faster without those of AVX-512, so it takes what is faster
here.

With values, which are indices, argsort finds them, and keys are taken by it. np.partition selects,
by np.argpartition where indices are asked for; both give any order."""

import os
import subprocess
import sys
import time

import numpy as np

import peer

NAMES = ["np.sort", "np.argsort", "np.argsort-stable", "np.partition"]
WIDEST = "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX"


def measure():
    """Prints the time of a sort, in milliseconds."""
    times = []
    for seed in range(5):
        keys = np.random.default_rng(seed).integers(0, 1 << 32, 1 << 18, dtype=np.uint32)
        start = time.perf_counter()
        keys.sort()
        times.append((time.perf_counter() - start) * 1e3)
    print(sorted(times)[2])


def choose_features():
    """Starts again with the faster features, by the environment, which numpy reads when it is
    imported."""
    given = dict(os.environ)
    narrow = dict(os.environ, NPY_DISABLE_CPU_FEATURES=WIDEST)
    ms = [float(subprocess.run([sys.executable, "-BW", "ignore", __file__, "measure"],
                               env=environment, stdout=subprocess.PIPE, check=True).stdout)
          for environment in (given, narrow)]
    chosen = narrow if ms[1] < ms[0] else given
    chosen["NPSORT_CHOSEN"] = "1"
    os.execve(sys.executable, [sys.executable, "-BW", "ignore", __file__] + sys.argv[1:], chosen)


def sort(name, keys, indices):
    """Sorts rows of keys. Returns keys, indices in all rows, milliseconds."""
    result = None if indices is None else indices.copy()
    keys = keys.copy()
    start = time.perf_counter()
    if indices is None:
        keys.sort(axis=1)
    else:
        result = np.argsort(keys, axis=1, kind="stable" if name.endswith("stable") else None)
    ms = (time.perf_counter() - start) * 1e3
    if indices is not None:
        keys = np.take_along_axis(keys, result, axis=1)
        result = np.take_along_axis(indices, result, axis=1)
    return keys, result, ms


def sort_turn(turn):
    if turn.peer == "np.partition":
        raise peer.Unavailable("np.partition does not sort")
    if (turn.peer == "np.sort") != (turn.value_bytes == 0):
        raise peer.Unavailable("np.sort is for keys, np.argsort for keys with indices")
    given = turn.read_keys()
    indices = None
    if turn.value_bytes:
        indices = np.arange(given.size, dtype=np.uint64).reshape(given.shape)
    wanted = peer.sums(given.view(turn.bits), indices)
    times = []
    for _ in range(turn.runs + 1):   # the first warms up
        keys, values, ms = sort(turn.peer, given, indices)
        times.append(ms)
        in_order = not (keys[:, 1:] < keys[:, :-1]).any()
        if not in_order or peer.sums(keys.view(turn.bits), values) != wanted:
            raise peer.WrongResult
    return times[1:], wanted[0]


def selection_sums(keys):
    """The sums of select.h over what is selected of each row of f32 keys."""
    bits = np.ascontiguousarray(keys).view(np.uint32).astype(np.uint64)
    sign = np.uint64(1 << 31)
    codes = np.where(bits < sign, bits ^ sign, np.uint64((1 << 32) - 1) - bits)
    codes[bits == sign] = sign
    return peer.add_up(codes ^ peer.mixed_rows(len(keys)))


def select(keys, k, indices):
    n = keys.shape[1]
    if not indices:
        return np.partition(keys, n - k, axis=1)[:, n - k:], None
    found = np.argpartition(keys, n - k, axis=1)[:, n - k:]
    return np.take_along_axis(keys, found, axis=1), found


def is_right(keys, k, selected, found, wanted):
    if selection_sums(selected) != wanted:
        return False
    return found is None or (bool((np.take_along_axis(keys, found, axis=1) == selected).all())
                             and all(len(set(row)) == k for row in found.tolist()))


def select_turn(turn):
    if turn.peer != "np.partition" or turn.type != "f32" or turn.value_bytes == 8:
        raise peer.Unavailable("np.partition selects f32, with indices of 4 bytes or without")
    keys = turn.read_keys()
    wanted = selection_sums(np.sort(keys, axis=1)[:, turn.n - turn.k:])
    times = []
    for _ in range(turn.runs + 1):   # the first warms up
        start = time.perf_counter()
        selected, found = select(keys, turn.k, turn.value_bytes == 4)
        times.append((time.perf_counter() - start) * 1e3)
        if not is_right(keys, turn.k, selected, found, wanted):
            raise peer.WrongResult
    return times[1:], wanted[0]


def main():
    words = sys.argv[1:]
    if words == ["measure"]:
        return measure()
    if words and "NPSORT_CHOSEN" not in os.environ:
        choose_features()
    return peer.main(NAMES, lambda turn: select_turn(turn) if turn.k else sort_turn(turn))


if __name__ == "__main__":
    sys.exit(main())
