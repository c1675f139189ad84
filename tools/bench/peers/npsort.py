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

NAMES = ["np.sort", "np.argsort", "np.argsort-stable", "np.partition"]
WIDEST = "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX"
DONE, WRONG, USAGE, UNAVAILABLE = range(4)


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
    ms = [float(subprocess.run([sys.executable, "-W", "ignore", __file__, "measure"],
                               env=environment, stdout=subprocess.PIPE, check=True).stdout)
          for environment in (given, narrow)]
    chosen = narrow if ms[1] < ms[0] else given
    chosen["NPSORT_CHOSEN"] = "1"
    os.execve(sys.executable, [sys.executable, "-W", "ignore", __file__] + sys.argv[1:], chosen)


def mix(z):
    """peer_mix of check.h."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def mixed_rows(count):
    """A word for each row, as a column."""
    return mix(np.arange(1, count + 1, dtype=np.uint64)[:, None])


def add_up(words):
    """Both sums of check.h and of select.h."""
    hashes = mix(words)
    return int(hashes.sum(dtype=np.uint64)), int(mix(hashes + np.uint64(1)).sum(dtype=np.uint64))


def sums(keys, values):
    """The sums of check.h over arrays of rows; keys as unsigned numbers."""
    numbers = values.astype(np.uint64) if values is not None else np.uint64(0)
    return add_up(keys.astype(np.uint64) ^ mix(numbers + mixed_rows(len(keys))))


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


def sort_turn(name, kind, value_bytes, n, rows, runs, path):
    """Returns an exit code, and a result or a message."""
    if name == "np.partition":
        return UNAVAILABLE, "np.partition does not sort"
    if (name == "np.sort") != (value_bytes == 0):
        return UNAVAILABLE, "np.sort is for keys, np.argsort for keys with indices"
    bits = f"u{int(kind[1:]) // 8}"
    given = np.fromfile(path, dtype=f"{kind[0]}{int(kind[1:]) // 8}").reshape(rows, n)
    indices = np.arange(rows * n, dtype=np.uint64).reshape(rows, n) if value_bytes else None
    wanted = sums(given.view(bits), indices)
    times = []
    for _ in range(runs + 1):   # the first warms up
        keys, values, ms = sort(name, given, indices)
        times.append(ms)
        if (keys[:, 1:] < keys[:, :-1]).any() or sums(keys.view(bits), values) != wanted:
            return WRONG, f"{name}: wrong result"
    return DONE, f"{np.median(times[1:]):.6f} {wanted[0]:016x}"


def selection_sums(keys):
    """The sums of select.h over what is selected of each row of f32 keys."""
    bits = np.ascontiguousarray(keys).view(np.uint32).astype(np.uint64)
    sign = np.uint64(1 << 31)
    codes = np.where(bits < sign, bits ^ sign, np.uint64((1 << 32) - 1) - bits)
    codes[bits == sign] = sign
    return add_up(codes ^ mixed_rows(len(keys)))


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


def select_turn(name, kind, value_bytes, n, rows, runs, path, k):
    """Returns an exit code, and a result or a message."""
    if name != "np.partition" or kind != "f32" or value_bytes == 8:
        return UNAVAILABLE, "np.partition selects f32, with indices of 4 bytes or without"
    keys = np.fromfile(path, dtype=np.float32).reshape(rows, n)
    wanted = selection_sums(np.sort(keys, axis=1)[:, n - k:])
    times = []
    for _ in range(runs + 1):   # the first warms up
        start = time.perf_counter()
        selected, found = select(keys, k, value_bytes == 4)
        times.append((time.perf_counter() - start) * 1e3)
        if not is_right(keys, k, selected, found, wanted):
            return WRONG, f"{name}: wrong result"
    return DONE, f"{np.median(times[1:]):.6f} {wanted[0]:016x}"


def safe_turn(words):
    try:
        if len(words) not in (7, 8) or words[0] not in NAMES or words[1][0] not in "uif":
            raise ValueError("usage: npsort PEER TYPE VALUE_BYTES N ROWS RUNS FILE [K]")
        numbers = [int(word) for word in words[2:6] + words[7:]]
        turn = sort_turn if len(words) == 7 else select_turn
        return turn(*words[:2], *numbers[:4], words[6], *numbers[4:])
    except (OSError, ValueError) as problem:
        return USAGE, str(problem).replace("\n", " ")


def main():
    words = sys.argv[1:]
    if words == ["measure"]:
        measure()
    elif not words:
        print("\n".join(NAMES))
    elif "NPSORT_CHOSEN" not in os.environ:
        choose_features()
    elif words == ["-"]:
        for line in sys.stdin:
            print(*safe_turn(line.split()), flush=True)
    else:
        code, text = safe_turn(words)
        print(text, file=sys.stderr if code else sys.stdout)
        return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
