"""peer.py - what the peer programs in Python share: the words of a turn, which peer.h explains, and
the sums of check.h and of select.h, for numpy and as text for OpenCL."""

import ast
import os
import re
import sys
from typing import NamedTuple

import numpy as np

DONE, WRONG, USAGE, UNAVAILABLE = range(4)


class Turn(NamedTuple):
    peer: str
    type: str
    value_bytes: int
    n: int
    rows: int
    runs: int
    path: str
    k: int   # 0: rows are sorted

    @property
    def key_bytes(self):
        return int(self.type[1:]) // 8

    @property
    def bits(self):
        """The dtype of the keys' bits."""
        return np.dtype(f"u{self.key_bytes}")

    def read_keys(self):
        keys = np.fromfile(self.path, dtype=f"{self.type[0]}{self.key_bytes}")
        return keys.reshape(self.rows, self.n)


class Unavailable(Exception):
    """What a peer raises that cannot do what is asked for."""


class WrongResult(Exception):
    pass


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


def opencl_text():
    """The kernels of check.h."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "check.h")) as file:
        header = file.read()
    words = re.search(r'peer_opencl_words\[\] = (.*?");\n', header, re.DOTALL).group(1)
    blocks = [re.search(rf"^{name}\(\n(.*?)^\)\n", header, re.DOTALL | re.MULTILINE).group(1)
              for name in ("PEER_TEXT", "PEER_KERNELS")]
    return ast.literal_eval(f"({words})") + "".join(blocks)


def parse(words, names):
    if len(words) not in (7, 8) or words[0] not in names or words[1] not in (
            "u32", "i32", "f32", "u64", "i64", "f64"):
        raise ValueError("usage: PROGRAM PEER TYPE VALUE_BYTES N ROWS RUNS FILE [K]")
    numbers = [int(word) for word in words[2:6] + words[7:]]
    return Turn(*words[:2], *numbers[:4], words[6], *(numbers[4:] or [0]))


def safe_turn(words, names, take):
    """Returns an exit code, and a result or a message of one line."""
    try:
        times, wanted = take(parse(words, names))
        return DONE, f"{np.median(times):.6f} {wanted:016x}"
    except WrongResult:
        return WRONG, f"{words[0]}: wrong result"
    except Unavailable as problem:
        code, text = UNAVAILABLE, str(problem)
    except (OSError, ValueError) as problem:
        code, text = USAGE, str(problem)
    return code, " ".join(text.split())


def main(names, take):
    """take(turn) returns the milliseconds of each run, and the first sum over the input."""
    words = sys.argv[1:]
    if not words:
        print("\n".join(names))
    elif words == ["-"]:
        for line in sys.stdin:
            print(*safe_turn(line.split(), names, take), flush=True)
    else:
        code, text = safe_turn(words, names, take)
        print(text, file=sys.stderr if code else sys.stdout)
        return code
    return 0
