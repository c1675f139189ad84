"""npsort.py - sorts of numpy on one core, as a peer program: see peer.h. numpy sorts in vector
registers; on some CPUs it is faster without those of AVX-512, so it takes what is faster here.

With values, which are indices, argsort finds them, and keys are taken by it."""

import os
import subprocess
import sys
import time

import numpy as np

NAMES = ["np.sort", "np.argsort", "np.argsort-stable"]
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
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def sums(keys, values):
    """The sums of check.h over arrays of rows; keys as unsigned numbers."""
    rows = np.arange(1, len(keys) + 1, dtype=np.uint64)[:, None]
    numbers = values.astype(np.uint64) if values is not None else np.uint64(0)
    hashes = mix(keys.astype(np.uint64) ^ mix(numbers + mix(rows)))
    return int(hashes.sum(dtype=np.uint64)), int(mix(hashes + np.uint64(1)).sum(dtype=np.uint64))


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


def turn(words):
    """Returns an exit code, and a result or a message."""
    name, kind, value_bytes, n, rows, runs, path = words
    value_bytes, n, rows, runs = int(value_bytes), int(n), int(rows), int(runs)
    if (name == "np.sort") != (value_bytes == 0):
        return UNAVAILABLE, "np.sort is for keys, np.argsort for keys with indices"
    bits = f"u{int(kind[1:]) // 8}"
    given = np.fromfile(path, dtype=f"{kind[0]}{int(kind[1:]) // 8}").reshape(rows, n)
    indices = np.arange(rows * n, dtype=np.uint64).reshape(rows, n) if value_bytes else None
    wanted = sums(given.view(bits), indices)
    times = []
    for _ in range(runs + 1):
        keys, values, ms = sort(name, given, indices)
        times.append(ms)
        if (keys[:, 1:] < keys[:, :-1]).any() or sums(keys.view(bits), values) != wanted:
            return WRONG, f"{name}: wrong result"
    times = sorted(times[1:])
    return DONE, f"{(times[(runs - 1) // 2] + times[runs // 2]) / 2:.6f} {wanted[0]:016x}"


def safe_turn(words):
    try:
        if len(words) != 7 or words[0] not in NAMES or words[1][0] not in "uif":
            raise ValueError("usage: npsort PEER TYPE VALUE_BYTES N ROWS RUNS FILE")
        return turn(words)
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
