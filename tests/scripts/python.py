"""Compares examples/python/clsort.py with the header, with numpy and with PyOpenCL's arrays.

    [CLSORT_TEST_WHOLE=1] python tests/scripts/python.py [--cases N] [--seed S]

Draws N random cases for each dtype; 500 and CLSORT_TEST_WHOLE for maintainers. CLSORT_TEST_ONLY
runs the tests whose names hold it. Without PyOpenCL only numpy's arrays are tested, without
ml_dtypes no bfloat16. Ends with "N passed, N failed".
"""

import argparse
import concurrent.futures
import contextlib
import ctypes
import ctypes.util
import importlib.util
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import traceback
import types
import unittest.mock

import numpy as np

root = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
# CLSORT_TEST_PACKAGE is a folder where the package is installed that is tested.
sys.path.insert(0, os.environ.get("CLSORT_TEST_PACKAGE", os.path.join(root, "examples", "python")))
import clsort  # noqa: E402

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
DTYPES = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
DTYPES += [ml_dtypes.bfloat16] if ml_dtypes else []
sorter, other_sorter = clsort.Sorter(), clsort.Sorter()
whole = "CLSORT_TEST_WHOLE" in os.environ

# ---- the header ----------------------------------------------------------------------------------


MEASURE = os.path.join("tools", "measure", "clsort_measure.h")
MULTI = os.path.join("tools", "multi", "clsort_multi.h")


def header():
    """Both headers up to their ends as headers, without comments."""
    text = ""
    for name in "clsort.h", MULTI:
        with open(os.path.join(root, name)) as file:
            text += re.split(r"#endif /\* CLSORT\w*_H_INCLUDED \*/", file.read())[0]
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def header_fields(text, name):
    """Names of a struct's fields, in their order."""
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (name, name), text, re.S).group(1)
    names = []
    for line in body.split(";"):
        names += re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)", line.strip())
    return names


def python_constants():
    """The header's names of the module's constants, and their values."""
    names = {f"CLSORT_{name}": value for name, value in vars(clsort).items()
             if re.fullmatch("[A-Z_]+", name) and isinstance(value, int)}
    letters = {"u": "U", "i": "I", "f": "F", "b": "BF"}
    for name, value in clsort.KEY_TYPES.items():
        if name != "bool" and value < clsort.BYTES:
            names["CLSORT_" + letters[name[0]] + re.search(r"\d+$", name).group()] = value
    types = set(re.findall(r"(CLSORT_[UIFB]+\d+) = 0x", header()))
    assert types and types <= set(names), f"no dtypes: {types - set(names)}"
    return names


def print_by_c(lines):
    """What a C program prints that has these lines in main."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "main.c"), os.path.join(folder, "main")
        with open(source, "w") as file:
            file.write(f'#include "{MULTI}"\n#include <stdio.h>\n'
                       "int main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
        subprocess.run([os.environ.get("CC", "cc"), "-I", root, source, "-o", program], check=True)
        return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout


def test_structs_and_constants_are_those_of_the_header():
    text, lines, wanted = header(), [], []
    for name in clsort.STRUCTS:
        struct = clsort._C[name]
        fields = [field for field, _ in struct._fields_]
        assert fields == header_fields(text, name), f"{name}: {header_fields(text, name)}"
        lines.append(f'printf("%d\\n", (int)sizeof({name}));')
        wanted.append(ctypes.sizeof(struct))
        for field in fields:
            lines.append(f'printf("%d %d\\n", (int)offsetof({name}, {field}), '
                         f'(int)sizeof((({name} *)0)->{field}));')
            wanted.append("%d %d" % (getattr(struct, field).offset, getattr(struct, field).size))
    constants = python_constants()
    key_types = set(re.findall(r"\b(CLSORT_[UIBF]+\d+) = ", text))
    assert key_types <= set(constants), key_types - set(constants)
    for name, value in constants.items():
        lines.append(f'printf("%d\\n", (int){name});')
        wanted.append(value)
    printed = print_by_c(lines).split("\n")
    for line, found, value in zip(lines, printed, wanted):
        assert found == str(value), f"{line}: {found} instead of {value}"


def test_functions_are_those_of_the_header():
    text = header()
    for name, declared in clsort.FUNCTIONS.items():
        found = re.search(r"CLSORT_API ([^;]*?)\b%s\(([^;]*)\);" % name, text)
        assert found, f"the header has no {name}"
        kinds = []
        for words in [found.group(1) + "x"] + found.group(2).split(","):
            words = words.replace("const ", "").strip()
            kind = words.split()[0].replace("*", "")
            if words == "void":
                continue
            kinds.append(clsort._ctype(kind + "*" if kind == "char" else
                                       "void*" if "*" in words else kind))
        result, parameters = declared.split(":")
        assert kinds == [clsort._ctype(k) for k in [result] + parameters.split()], (name, kinds)


# ---- numpy ---------------------------------------------------------------------------------------


def draw_keys(random, dtype, shape):
    """Random keys with many equal ones or few, floats with NaNs, infinities and both zeros."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = [(info.min, info.max), (0, 9), (info.max - 3, info.max)][random.integers(3)]
        return random.integers(low, high, shape, dtype, endpoint=True)
    if random.integers(2):
        keys = np.frombuffer(random.bytes(int(np.prod(shape)) * dtype.itemsize), dtype)
        keys = keys.reshape(shape)
    else:
        keys = random.normal(size=shape).round(1).astype(dtype)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)
    chosen = random.random(shape) < 0.1
    return np.where(chosen, random.choice(special, shape), keys)


def draw_shape(random, most=3000):
    n = int(random.integers(0, 1 << random.integers(1, 12))) if random.integers(9) else most
    return (n,) if random.integers(2) else (int(random.integers(0, 6)), n // 4)


def is_bfloat16(keys):
    return keys.dtype.name == "bfloat16"


def known(keys):
    """Keys that numpy can order: its own sorts of bfloat16 leave NaNs anywhere. f4 has that
    order."""
    return keys.astype("f4") if is_bfloat16(keys) else keys


def sort_known(keys, **axis):
    return np.sort(known(keys), **axis).astype(keys.dtype)


def stable_order(keys, descending=False):
    """np.argsort(kind="stable"), in either order with NaNs last."""
    keys = known(keys)
    if not descending:
        return np.argsort(keys, kind="stable")
    keys = keys.astype("u1") if keys.dtype.kind == "b" else keys
    numbers = np.unique(keys[keys == keys])      # distinct and ascending, without NaNs
    return np.argsort(np.where(keys == keys, len(numbers) - 1 - np.searchsorted(numbers, keys),
                               len(numbers)), kind="stable")


def equal(found, wanted):
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found, wanted)
    has_nans = found.dtype.kind == "f" or is_bfloat16(found)
    assert np.array_equal(known(found), known(wanted), equal_nan=has_nans), (found, wanted)


def same(found, wanted):
    """Equal bit by bit."""
    equal(found, wanted)
    assert found.tobytes() == wanted.tobytes(), (found, wanted)


def bits(array):
    """The keys' bits in order: a sort must neither change nor lose one."""
    return np.sort(array.view(f"u{array.dtype.itemsize}"), axis=None)


def orders_of(keys, descending=False):
    """The stable order of each row."""
    rows = [stable_order(row, descending) for row in keys.reshape(-1, max(keys.shape[-1], 1))]
    return np.array(rows, "i8").reshape(keys.shape)


def results(random, s, x, v):
    """Each call that sorts or moves, of keys and their values: (name, what it returns, what numpy
    says, how both compare). What is stable is compared bit by bit. `s` is a sorter, or the
    module."""
    order, down = orders_of(x), orders_of(x, True)
    up, moved = (np.take_along_axis(array, order, -1) for array in (x, v))
    rows = [
        ("sort", lambda: s.sort(x, stable=True), up, same),
        ("sort", lambda: s.sort(x), up, equal),
        ("sort", lambda: bits(s.sort(x)), bits(x), same) if x.dtype.itemsize in (1, 2, 4, 8) else
        ("sort", lambda: s.sort(x, descending=True), np.take_along_axis(x, down, -1), equal),
        ("sort", lambda: s.sort(x, descending=True, stable=True),
         np.take_along_axis(x, down, -1), same),
        ("argsort", lambda: s.argsort(x, stable=True), order.astype("u4"), same),
        ("argsort", lambda: s.argsort(x, descending=True, stable=True), down.astype("u4"), same),
        ("argsort", lambda: np.take_along_axis(x, s.argsort(x).astype("i8"), -1), up, equal),
        ("array_api", lambda: clsort.array_api(sorter).argsort(x), order, same),
        ("array_api", lambda: clsort.array_api(sorter).sort(x), up, same),
        ("sort_by_key", lambda: s.sort_by_key(x, v, stable=True), (up, moved), same),
        ("gather", lambda: s.gather(order, v, x), (moved, up), same)]
    if x.shape[-1] and x.dtype.itemsize <= 8:
        for k in {1, x.shape[-1], int(random.integers(1, x.shape[-1] + 1))}:
            rows += [
                ("top_k", lambda k=k: s.top_k(x, k, values=v, stable=True),
                 (up[..., :k], order[..., :k].astype("u4"), moved[..., :k]), same),
                ("top_k", lambda k=k: s.top_k(x, k, descending=True, stable=True)[1],
                 down[..., :k].astype("u4"), same),
                ("partition", lambda k=k: s.sort(s.partition(x, k - 1)[..., :k]), up[..., :k],
                 equal)]
    return rows + (results_of_one(random, s, x, v, order) if x.ndim == 1 else [])


def results_of_one(random, s, x, v, order):
    """Likewise the calls that take arrays of one dimension."""
    n, up, moved = len(x), x[order], v[order]
    memory = {"device_memory": 50000, "stable": True}
    numbers = np.sort(random.integers(0, 300, n, random.choice(["u2", "u4", "u8"])))
    cuts = np.sort(random.integers(0, n + 1, 4))
    ends = np.array([cuts[1], n], "u4")
    rows = [
        ("sort_on", lambda: clsort.sort_on([sorter, other_sorter], x, v, **memory), (up, moved),
         same),
        ("argsort_on", lambda: clsort.argsort_on([other_sorter, sorter], x, **memory),
         order.astype("u8"), same),
        ("group_starts", lambda: s.group_starts(numbers, 295),
         np.searchsorted(numbers, np.arange(296)).astype("u4"), same),
        ("explain", lambda: np.array(s.explain(x).split()[0]), np.array("algorithm"), same)]
    for given, parts in (({"segments": cuts}, zip(cuts, cuts[1:])),
                         ({"segments": cuts[::2], "segment_ends": cuts[1::2]},
                          zip(cuts[::2], cuts[1::2]))):   # what lies in no segment stays
        parted, places = x.copy(), np.zeros(n, "u4")
        for start, end in parts:
            places[start:end] = stable_order(x[start:end])
            parted[start:end] = x[start:end][places[start:end]]
        rows += [("sort", lambda given=given: s.sort(x, stable=True, **given), parted, same),
                 ("argsort", lambda given=given: s.argsort(x, stable=True, **given), places, same)]
    if cuts[1] and x.dtype.itemsize <= 8:   # segments of selections may overlap
        first = np.array([stable_order(x[:end])[:1] for end in ends], "u4")
        given = {"segments": [0, 0], "segment_ends": ends, "stable": True}
        rows.append(("top_k", lambda: s.top_k(x, 1, **given), (x[first], first), same))
    has_more = x.dtype.itemsize == 4 or whole   # others have more kernels, which take seconds
    return rows + (results_of_parts(s, x, v, cuts, random) if has_more else [])


def results_of_parts(s, x, v, cuts, random):
    """Merges of parts that are sorted, and a partition."""
    order = stable_order(x)
    parts = [(k[stable_order(k)], w[stable_order(k)]) for k, w in
             zip(np.split(x, cuts), np.split(v, cuts))]
    runs, values = ([part[i] for part in parts] for i in (0, 1))
    a, b = (k[stable_order(k)] for k in (x[:cuts[0]], x[cuts[0]:]))
    merged = x[order], v[order]
    fit = x[(x == x) & (x != 0)] if x.dtype.kind != "b" else x
    splitters = np.sort(known(random.choice(fit, 9) if len(fit) else np.ones(1, x.dtype)))
    part = np.searchsorted(splitters, known(x), side="right")
    by_part, starts = np.argsort(part, kind="stable"), np.searchsorted(np.sort(part), range(11))
    starts = starts[:len(splitters) + 2].astype("u4")
    return [
        ("merge", lambda: s.merge(a, b, stable=True), merged[0], same),
        ("merge", lambda: s.merge(runs[0], b, stable=True,
                                  values=(values[0], v[cuts[0]:][stable_order(x[cuts[0]:])])),
         merged, same),
        ("merge_runs", lambda: s.merge_runs(runs, values=values, stable=True), merged, same),
        ("partition_by", lambda: s.partition_by(x, splitters.astype(x.dtype), values=v),
         (x[by_part], starts, v[by_part]), same)]


def agrees(row):
    name, function, wanted, compare = row
    found = function()
    for f, w in zip(*((r if isinstance(r, tuple) else (r,)) for r in (found, wanted))):
        compare(f, w)


def random_cases(dtype, cases, seed):
    """Draws arrays of a dtype, and tries one name of their calls in turn."""
    random = np.random.default_rng([seed, DTYPES.index(dtype)])
    start = int(random.integers(99))
    for number in range(cases):
        keys = draw_keys(random, dtype, draw_shape(random))
        kind = np.dtype(random.choice(["u1", "u2", "f4", "u8", "S12"]))
        values = np.frombuffer(random.bytes(keys.size * kind.itemsize), kind).reshape(keys.shape)
        rows = results(random, sorter, keys, values)
        names = list(dict.fromkeys(row[0] for row in rows))
        name = names[(start + number) % len(names)]
        try:
            for row in rows:
                if row[0] == name:
                    agrees(row)
        except BaseException as error:
            raise AssertionError(f"case {number}, {name} of {keys.dtype} {keys.shape}") from error


def test_records_are_sorted_by_fields():
    random = np.random.default_rng(5)
    draws = np.zeros(1000, [("depth", "f4"), ("material", "u4"), ("mesh", "u4")])
    draws["depth"], draws["mesh"] = random.integers(0, 9, 1000), np.arange(1000)
    draws["material"] = random.integers(0, 9, 1000)
    found = sorter.sort(draws, by=["-depth", "material"])
    wanted = draws[np.lexsort((draws["material"], -draws["depth"]))]
    assert np.array_equal(found, wanted)
    assert np.array_equal(sorter.sort(draws, by="depth"), np.sort(draws, order=["depth", "mesh"]))


def test_strings_in_records_are_sorted_by_their_bytes():
    random = np.random.default_rng(6)
    words = random.integers(97, 100, (500, 12), "u1").view("S12")[:, 0]
    words[::7] = b"ab"
    records = np.zeros(500, [("name", "S12"), ("size", "f4")])
    records["name"], records["size"] = words, random.normal(size=500)
    assert np.array_equal(sorter.sort(records, by=["name", "size"]), np.sort(records))


def test_rows_with_lengths_are_selected_from():
    keys = np.array([[5, 1, 4], [3, 2, 1]], "f4")
    best, indices, values = sorter.top_k(keys, 2, lengths=[1, 3], values=keys.astype("f8"))
    turned = sorter.top_k(keys.T, 2, 0, lengths=[1, 3], values=keys.T.astype("f8"))
    assert list(map(str, (best, indices, values))) == [str(array.T) for array in turned]
    assert sorter.top_k(keys[0], 1, 0, segments=[0, 1, 3])[0].tolist() == [[5], [1]]
    assert best[0, 0] == 5 and indices.tolist() == [[0, 0xFFFFFFFF], [2, 1]]
    assert best[1].tolist() == [1, 2] == values[1].tolist()


def test_array_api_has_the_parameters_and_results_of_the_standard():
    xp = clsort.array_api(sorter)
    keys = np.random.default_rng(7).integers(-3, 4, (30, 40), np.int16)
    for name in "sort", "argsort":
        parameters = [(p.name, p.kind.name, p.default) for p in
                      inspect.signature(getattr(xp, name)).parameters.values()]
        assert parameters == [("x", "POSITIONAL_ONLY", inspect.Parameter.empty),
                              ("axis", "KEYWORD_ONLY", -1), ("descending", "KEYWORD_ONLY", False),
                              ("stable", "KEYWORD_ONLY", True)], parameters
    for axis in 0, 1, -1, -2:
        equal(xp.sort(keys, axis=axis), np.sort(keys, axis))
        equal(xp.argsort(keys, axis=axis), np.argsort(keys, axis, kind="stable"))
        equal(xp.sort(keys, axis=axis, descending=True), np.flip(np.sort(keys, axis), axis))
        equal(xp.argsort(keys, axis=axis, descending=True),
              np.argsort(-keys, axis, kind="stable"))
        order = xp.argsort(keys, axis=axis, stable=False)
        equal(np.take_along_axis(keys, order, axis), np.sort(keys, axis))


def test_bits_and_algorithms_are_chosen():
    keys = np.arange(4096, dtype="u4")[::-1] * 7
    order = sorter.argsort(keys, bits=(0, 4), stable=True)
    assert np.array_equal(order, np.argsort(keys % 16, kind="stable"))
    assert sorter.explain(keys, algorithm="merge").split()[1] == "merge"
    equal(sorter.sort(keys, algorithm="bitonic"), np.sort(keys))


def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert text in str(error), f"{error} does not hold {text!r}"
        return error
    raise AssertionError(f"nothing was raised: {text}")


def test_threads_share_a_sorter():
    keys = np.random.default_rng(3).integers(0, 1 << 30, (8, 5000), "u4")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        equal(np.array(list(pool.map(sorter.sort, keys))), np.sort(keys))
    with clsort.Sorter(verify=True) as other:
        other.sort(keys[0])
        other.collect()
    other.close()
    raises(ValueError, "this sorter is closed", other.sort, keys[0])


def test_a_closed_sorter_says_so():
    """Each call, also of one that is closed twice or in a list beside an open one."""
    global sorter
    kept, sorter = sorter, clsort.Sorter()
    try:
        sorter.close()
        sorter.close()
        calls = [call for _, name, call in calls_with(np.arange(4, dtype="u4"))
                 if name != "enqueue_sort"]
        calls += [sorter.collect, sorter.self_test, sorter.__enter__, lambda: sorter.sort([]),
                  lambda: clsort.array_api(sorter).sort(np.zeros(3)),
                  lambda: clsort.sort_on([kept, sorter], [3, 1])]
        for call in calls:
            raises(ValueError, "this sorter is closed", call)
    finally:
        sorter = kept


def test_all_statuses_of_arguments_are_known():
    """All of the header's, but these: a right call can get them."""
    with open(os.path.join(root, "clsort.h")) as file:
        found = dict(re.findall(r"X\(CLSORT_ERROR_(\w+), (-\d+)", file.read()))
    others = {"SCRATCH_TOO_LARGE", "DEVICE_LIMITS", "DAMAGED", "CANCELLED", "OUT_OF_TIME",
              "NO_CHOICE", "WRONG_RESULT", "NOT_READY", "DEVICE_UNUSABLE", "BUILD_FAILED", "BUSY",
              "CACHE_FOLDER"}
    assert others <= set(found), others - set(found)
    wanted = {int(number) for name, number in found.items() if name not in others}
    assert clsort.ARGUMENT_STATUSES == wanted, clsort.ARGUMENT_STATUSES ^ wanted


# ---- what is taken, and what is refused ----------------------------------------------------------


def dtype_named(name):
    """The dtype of a name in KEY_TYPES, or None if its package is not installed."""
    if name == "bfloat16":
        return np.dtype(ml_dtypes.bfloat16) if ml_dtypes else None
    bits = re.sub("[a-z]+", "", name)
    letter = {"bytes": "S", "void": "V"}.get(name[:-len(bits) or None])
    return np.dtype(f"{letter}{int(bits) // 8}" if letter else name)


def keys_at_limits(dtype):
    """40 keys, many of them equal: the ends of the range, and for floats NaNs and both zeros."""
    random = np.random.default_rng(8)
    if dtype.kind == "b":
        keys = np.array([True, False])
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        keys = [info.min, info.min + 1, 0, 1, info.max // 2, info.max - 1, info.max]
        keys = np.array(keys, dtype)
    elif dtype.kind == "f" or is_bfloat16(np.empty(0, dtype)):
        info = (ml_dtypes if dtype.kind == "V" else np).finfo(dtype)
        keys = [np.nan, np.inf, info.max, 3, 1, info.tiny, info.smallest_subnormal, 0]
        keys = np.array(keys).astype(dtype)
        keys = np.concatenate([keys, -keys])
    else:   # bytes: they differ first and last
        keys = np.full((6, dtype.itemsize), 0x80, "u1")
        keys[:3, 0], keys[3:, -1] = [0, 1, 255], [0, 1, 255]
        keys = keys.view(dtype)[:, 0]
    return random.choice(keys, 40)


def order_at_limits(dtype):
    """Sorts, argsorts and selections with `stable` have numpy's stable order, bit by bit; without
    it -0 comes before +0."""
    keys = keys_at_limits(dtype)
    for row in results(np.random.default_rng(8), sorter, keys, np.arange(len(keys), dtype="f8")):
        if row[0] in ("sort", "argsort", "top_k"):
            agrees(row)
    if dtype.itemsize > 8:
        raises(clsort.Error, "more than 8 bytes", sorter.top_k, keys, 5)
    if dtype.kind == "f" or is_bfloat16(keys):
        for found in sorter.sort(keys), keys[sorter.argsort(keys)], sorter.top_k(keys, 40)[0]:
            equal(found, sort_known(keys))
            signs = np.signbit(known(found[found == 0])).tolist()
            assert signs == sorted(signs, reverse=True) and len(set(signs)) == 2, signs


def test_bfloat16_has_its_order_in_records_and_partitions():
    if not ml_dtypes:
        return
    keys = np.array([3, -1, 4, 0, 2, .5, -8, np.nan], ml_dtypes.bfloat16)
    records = np.zeros(8, [("key", keys.dtype), ("number", "u4")])
    records["key"], records["number"] = keys, np.arange(8)
    assert sorter.sort(records, by="key")["key"][:7].tolist() == [-8, -1, 0, .5, 2, 3, 4]
    assert sorter.sort(records, by=["-key"])["number"].tolist() == [2, 0, 4, 5, 3, 1, 6, 7]
    parts, starts = sorter.partition_by(keys, keys[[1, 0]])
    assert parts[:5].tolist() == [-8, -1, 0, 2, .5] and starts.tolist() == [0, 1, 5, 8]
    assert "keys " not in sorter.explain(keys)


def calls_with(x):
    """Each call that takes arrays of 4 elements, with x for its keys, for values that it moves, or
    for numbers that it reads: (kind, name, function)."""
    s, keys = sorter, np.arange(4, dtype="u4")
    on, none = [sorter], np.zeros(6, "u4")
    segments, ends = [0, 1, 2, 4], [1, 2, 4, 4]
    records = x if x.dtype.kind == "T" else np.zeros(4, [("a", x.dtype)])
    device = clsort._DeviceArray(None, (4,), "u4")
    return [
        ("keys", "sort", lambda: s.sort(x)),
        ("keys", "sort of segments", lambda: s.sort(x, segments=segments)),
        ("keys", "sort by a field", lambda: s.sort(records, by="a")),
        ("keys", "argsort", lambda: s.argsort(x)),
        ("keys", "sort_by_key", lambda: s.sort_by_key(x, keys)),
        ("keys", "top_k", lambda: s.top_k(x, 2)),
        ("keys", "partition", lambda: s.partition(x, 2)),
        ("keys", "merge", lambda: s.merge(x, x)),
        ("keys", "merge_runs", lambda: s.merge_runs([x, x])),
        ("keys", "partition_by", lambda: s.partition_by(x, x)),
        ("keys", "group_starts", lambda: s.group_starts(x, 4)),
        ("keys", "explain", lambda: s.explain(x)),
        ("keys", "prepare", lambda: s.prepare(None, x)),
        ("keys", "prepare_merge_runs", lambda: s.prepare_merge_runs([x], x)),
        ("keys", "prepare_partition", lambda: s.prepare_partition(x, x, x, none)),
        ("keys", "sort_on", lambda: clsort.sort_on(on, x)),
        ("keys", "argsort_on", lambda: clsort.argsort_on(on, x)),
        ("values", "sort_by_key", lambda: s.sort_by_key(keys, x)),
        ("values", "sort_by_key", lambda: s.sort_by_key(keys, x, segments=segments)),
        ("values", "top_k", lambda: s.top_k(keys, 2, values=x)),
        ("values", "merge", lambda: s.merge(keys, keys, values=(x, x))),
        ("values", "merge_runs", lambda: s.merge_runs([keys, keys], values=[x, x])),
        ("values", "partition_by", lambda: s.partition_by(keys, keys, values=x)),
        ("values", "gather", lambda: s.gather(keys, x)),
        ("values", "prepare", lambda: s.prepare(None, keys, values=x)),
        ("values", "prepare_merge_runs",
         lambda: s.prepare_merge_runs([keys], keys, values=[x], values_out=x)),
        ("values", "prepare_partition",
         lambda: s.prepare_partition(keys, keys, keys, none, values=x, values_out=x)),
        ("values", "sort_on", lambda: clsort.sort_on(on, keys, x)),
        ("values", "enqueue_sort", lambda: s.enqueue_sort(None, device, values=x)),
        ("numbers", "sort", lambda: s.sort(keys, segments=x)),
        ("numbers", "argsort", lambda: s.argsort(keys, segments=segments, segment_ends=x)),
        ("numbers", "sort_by_key", lambda: s.sort_by_key(keys, keys, segments=x)),
        ("numbers", "top_k", lambda: s.top_k(keys, 1, segments=x, segment_ends=ends)),
        ("numbers", "top_k", lambda: s.top_k(np.zeros((4, 9)), 1, lengths=x)),
        ("numbers", "gather", lambda: s.gather(x, keys)),
        ("numbers", "prepare", lambda: s.prepare(None, keys, segments=x)),
    ]


def test_every_call_that_takes_arrays_is_tested():
    public = {name for name, call in vars(clsort.Sorter).items()
              if callable(call) and name[0] != "_" and not name.startswith("enqueue_")}
    named = {name.split()[0] for _, name, _ in calls_with(np.zeros(4, "u4"))}
    assert public - {"close", "collect", "self_test"} == named - {"sort_on", "argsort_on",
                                                                   "enqueue_sort"}


def refused_keys():
    """Dtypes that cannot be keys."""
    made = ["c8", "c16", "U3", "M8[s]", "m8[ns]", "S65", "V65", "S300", "V0", [("a", "u4")]]
    made += ["g"] if np.dtype("g").itemsize > 8 else []
    made += [kind for kind in vars(ml_dtypes or object).values() if isinstance(kind, type)
             and issubclass(kind, np.generic) and kind.__name__ not in clsort.KEY_TYPES]
    known = map(dtype_named, clsort.KEY_TYPES)
    made += [dtype.newbyteorder() for dtype in known if dtype and dtype.newbyteorder() != dtype]
    return [np.dtype(dtype) for dtype in made]


def test_other_dtypes_are_refused_as_keys():
    refused = refused_keys()
    assert len(refused) > (28 if ml_dtypes else 18), refused
    for dtype in refused:
        keys = np.ndarray((4,), dtype, bytes(4 * max(dtype.itemsize, 1)))
        for kind, name, call in calls_with(keys):
            if kind == "keys":
                raises(TypeError, f"keys of dtype {dtype}", call)
    words = np.zeros(4, "S4")   # these can only be sorted and selected
    for call, more in (sorter.merge, words), (sorter.partition_by, words), (sorter.group_starts, 2):
        raises(TypeError, "keys of dtype |S4", call, words, more)
    raises(TypeError, "('<u4', (2,))", sorter.sort, np.zeros(4, [("a", "<u4", 2)]), by="a")


def test_other_dtypes_are_moved_as_values():
    for dtype in refused_keys():
        if dtype.itemsize:
            values = np.frombuffer(bytes(range(4)) * dtype.itemsize, dtype)
            moved = sorter.sort_by_key(np.array([3, 2, 1, 0]), values)[1]
            assert moved.dtype == dtype and moved.tobytes() == values[::-1].tobytes(), dtype


def test_objects_are_refused():
    """Their bytes are pointers: a copy of one without a reference crashes the interpreter."""
    objects = [np.array(["a", "b", "c", "d"], object), np.zeros(4, [("a", "u4"), ("b", "O")])]
    if hasattr(np, "dtypes") and hasattr(np.dtypes, "StringDType"):
        objects.append(np.array(["a", "b", "c", "d"], np.dtypes.StringDType()))
    for array in objects:
        for _, name, call in calls_with(array):
            raises(TypeError, "are refused: they hold Python objects", call)
    raises(TypeError, "dtype object", sorter.sort, [3, None])


def test_rest_of_short_rows_is_not_what_memory_held():
    keys, values = np.full((300, 64), 5, "f4"), np.full((300, 64), 7)
    for options in {}, {"stable": True}, {"sort": False}:
        _, indices, moved = sorter.top_k(keys, 64, values=values, lengths=np.full(300, 2),
                                         **options)
        assert (indices[:, 2:] == 0xFFFFFFFF).all() and (moved[:, :2] == 7).all()
        assert not moved[:, 2:].any(), moved
    for found in sorter.top_k(keys[0].astype("S3"), 64, segments=[0, 9, 64])[0]:
        assert set(found.tolist()) <= {b"5.0", b""}, found


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array([1, 2], [1, 0])
    for given in [masked, masked], ([masked], [masked]), [1, np.ma.masked]:
        raises(TypeError, "masked", sorter.sort, given)
    masked = np.ma.array(np.arange(4, dtype="u4"), mask=[0, 1, 0, 0])
    for _, name, call in calls_with(masked):
        if "field" not in name:
            raises(TypeError, "masked arrays are refused", call)
    raises(TypeError, "masked arrays are refused", sorter.enqueue_sort, None, masked)


def test_numbers_that_would_wrap_are_refused():
    keys = np.arange(5, dtype="u4")[::-1].copy()
    for kind, text, wrong in (
            (ValueError, "is not from 0 to ", ([0, -1], [0, 10], [0, 1 << 32], [0, (1 << 32) + 1],
                                               np.array([0, -1], "i1"), np.array([1 << 63], "u8"))),
            (TypeError, "which is no integer", ([0, 1.7], [0.0, 1.0], [False, True], np.zeros(0),
                                                ["0", "1"], [0, 1j], np.array([0, 1], "m8[s]")))):
        for numbers in map(np.array, wrong):
            for _, name, call in (c for c in calls_with(numbers) if c[0] == "numbers"):
                if name != "prepare":
                    raises(kind, text, call)
    for what, numbers in ("segments", [0, 6]), ("segment_ends", [6, 5]):
        raises(ValueError, f"{what}: 6 is not from 0 to 5", sorter.top_k, keys, 1,
               **{"segments": [0, 0], what: numbers})
    for dtype in np.dtype("u4").newbyteorder(), "u8", "f4", "S4":
        raises(TypeError, "segments: its dtype", sorter.prepare, None, keys,
               segments=np.array([0, 1]).astype(dtype))


def test_numbers_of_any_integer_dtype_are_taken():
    keys = np.array([4, 3, 2, 1, 0], "f4")
    for dtype in ("i1", "u1", "i2", ">i4", "u4", "i8", "u8"):
        equal(sorter.sort(keys, segments=np.array([0, 2, 5], dtype)),
              np.array([3, 4, 0, 1, 2], "f4"))
        equal(sorter.gather(np.array([4, 0], dtype), keys)[0], keys[[4, 0]])
        equal(sorter.top_k(keys, np.dtype(dtype).type(2))[0], np.array([0, 1], "f4"))
    assert sorter.gather([], keys)[0].size == 0
    assert sorter.gather([1, 0xFFFFFFFF], keys)[0].tolist() == [3, 0]   # as top_k writes it


def test_segments_that_would_not_be_sorted_are_refused():
    keys = np.arange(9, dtype="u4")[::-1].copy()
    for call in sorter.sort, sorter.argsort, lambda k, **s: sorter.top_k(k, 1, **s):
        raises(ValueError, "each must begin", call, keys, segments=[0, 5, 3, 9])
        raises(ValueError, "two offsets", call, keys, segments=[])
        raises(ValueError, "two offsets", call, keys, segments=[], segment_ends=[])
        raises(ValueError, "there are no segments", call, keys, segment_ends=[1])
        raises(ValueError, "segment_ends: its shape", call, keys, segments=[0], segment_ends=[1, 2])
        raises(ValueError, "segments: its shape", call, keys, segments=[[0, 9]])
        raises(ValueError, "one dimension", call, keys.reshape(3, 3), segments=[0, 3])
        raises(ValueError, "one dimension", call, np.zeros((0, 3)), segments=[0, 0])
    for call in sorter.sort, sorter.argsort:
        raises(ValueError, "each must begin", call, keys, segments=[0, 3], segment_ends=[4, 9])
        raises(ValueError, "each must begin", call, keys, segments=[5, 0], segment_ends=[6, 3])
        raises(ValueError, "each must begin", call, keys, segments=[5, 3], segment_ends=[2, 9])
    found = sorter.sort(keys, segments=[2, 3, 3], segment_ends=[0, 3, 9])   # two are empty
    assert found.tolist() == [8, 7, 6, 0, 1, 2, 3, 4, 5]


# ---- each call, of each size and of each kind of view --------------------------------------------


def views(keys):
    """The same elements, as what a caller may pass: (name, array)."""
    spread = np.zeros(3 * len(keys) + 1, keys.dtype)
    spread[1:3 * len(keys):3] = keys
    frozen = keys.copy()
    frozen.flags.writeable = False
    return [("packed", keys.copy()), ("spread", spread[1:3 * len(keys):3]),
            ("backwards", keys[::-1].copy()[::-1]), ("read-only", frozen),
            ("misaligned", np.frombuffer(b"x" + keys.tobytes(), keys.dtype, offset=1))]


def test_each_call_takes_each_size_and_view():
    random = np.random.default_rng(4)
    for n in 0, 1, 5:
        keys, values = np.array([8, 3, 11, 1, 5], "u4")[:n], np.arange(n, dtype="f8") - 2
        for (name, x), (_, v) in zip(views(keys), views(values)):
            before = x.tobytes(), v.tobytes()
            for s in sorter, clsort:
                rows = results(random, s, x, v)
                for row in rows:
                    agrees(row)
            sorter.prepare(None, x, values=v)
            sorter.prepare_merge_runs([x], x, values=[v], values_out=v)
            sorter.prepare_partition(x, keys[:1], x, np.zeros(3, "u4"), values=v) if n else None
            assert before == (x.tobytes(), v.tobytes()), name
    public = {name for name, f in [*vars(clsort.Sorter).items(), *vars(clsort).items()]
              if inspect.isfunction(f) and name[0] != "_" and not name.startswith("enqueue_")}
    assert public == {name for name, *_ in rows} | {
        "close", "collect", "self_test", "key_type", "devices", "prepare", "prepare_merge_runs",
        "prepare_partition"}


def test_only_what_users_call_is_public():
    """`dir` and `import *` give no numbers of the header and no modules. Functions of the module
    share one sorter, and have the parameters and the documentation of its methods."""
    assert clsort._default() is clsort._default()
    names = {}
    exec("from clsort import *", names)
    assert sorted({*names} - {"__builtins__"}) == dir(clsort) == clsort.__all__
    assert {*dir(clsort)} >= {name for name, f in vars(clsort).items()
                              if inspect.isfunction(f) and name[0] != "_"}
    assert not [name for name in dir(clsort) if name.isupper() or name in sys.modules]
    for name in {*clsort.__all__} & {*vars(clsort.Sorter)}:
        function, method = getattr(clsort, name), getattr(clsort.Sorter, name)
        parameters = [*inspect.signature(method).parameters.values()][1:]
        assert [*inspect.signature(function).parameters.values()] == parameters, name
        assert function.__doc__ == method.__doc__


def test_devices_are_listed_and_chosen_by_name():
    there = clsort.devices()
    assert there[0].int_ptr == sorter._lib.clsort_device(sorter._sorter), there
    chosen = [*there, *(text.upper() for device in there for text in device[:3])]
    for given in chosen:
        with clsort.Sorter(device=given) as other:
            found = other._lib.clsort_device(other._sorter)
            wanted = given.int_ptr if given in there else next(
                d.int_ptr for d in there if given in " ".join(d[:3]).upper())
            assert found == wanted, (given, there)
            assert other.sort([2, 1]).tolist() == [1, 2]
    error = raises(ValueError, "no device has 'no such' in its name", clsort.Sorter,
                   device="no such")
    assert all(device.name in str(error) for device in there)
    driver = types.SimpleNamespace(
        listed=lambda name, *_: [1] if name == "clGetPlatformIDs" else [2, 3],
        told=lambda name, handle, what, _: {2: 2, 3: 4}[handle] if what == 0x1000 else b"a name")
    with unittest.mock.patch.object(clsort, "_OpenCL", lambda _: driver):
        assert [device[2:] for device in clsort.devices()] == [("gpu", 3), ("cpu", 2)]


def test_a_library_that_is_not_there_or_another_one_says_what_to_do():
    error = raises(OSError, "/no-such.so: ", clsort.Sorter, library="/no-such.so")
    assert "`make lib`" in str(error) and "CLSORT_LIBRARY" in str(error), error
    raises(OSError, "of another version than clsort.py: run `make lib`", clsort.Sorter,
           library=ctypes.util.find_library("m"))
    program = "import clsort; clsort.sort([1])"
    run = subprocess.run([sys.executable, "-B", "-c", program], text=True, stderr=subprocess.PIPE,
                         env={**os.environ, "CLSORT_LIBRARY": "/no-such.so",
                              "PYTHONPATH": sys.path[0]})
    assert "CLSORT_LIBRARY" in run.stderr.splitlines()[-1], run.stderr


def test_each_call_says_what_is_wrong():
    """Rows: the exception, what it says, and the call."""
    s, keys, none = sorter, np.arange(5, dtype="u4"), np.zeros(0, "u4")
    short, longer, rows = keys[:4], np.arange(6, dtype="u4"), keys.reshape(1, 5)
    for wrong in short, longer:
        told = f"its shape is ({len(wrong)},) instead of (5,)"
        for text, call in (
                (f"values: {told}", lambda: s.sort_by_key(keys, wrong)),
                (f"values: {told}", lambda: s.top_k(keys, 1, values=wrong)),
                (f"values_a: {told}", lambda: s.merge(keys, keys, values=(wrong, keys))),
                (f"values_b: {told}", lambda: s.merge(keys, keys, values=(keys, wrong))),
                (f"values[1]: {told}", lambda: s.merge_runs([keys] * 2, values=[keys, wrong])),
                (f"values: {told}", lambda: s.partition_by(keys, [2], values=wrong)),
                (f"values: {told}", lambda: clsort.sort_on([s], keys, wrong)),
                (f"values: {told}", lambda: s.prepare(None, keys, values=wrong)),
                (f"out: {told}", lambda: s.prepare(None, keys, out=wrong)),
                (f"indices: {told}", lambda: s.prepare(None, keys, indices=wrong)),
                (f"out: {told}", lambda: s.prepare_merge_runs([keys], wrong)),
                (f"out: {told}", lambda: s.prepare_partition(keys, keys[:3], wrong, keys))):
            raises(ValueError, text, call)
    raises(ValueError, "sources[1]: its shape is (4,) instead of (5,)", s.gather, [0], keys, short)
    raises(ValueError, "lengths: its shape is (2,) instead of (1,)", s.top_k, rows, 1,
           lengths=[1, 2])
    raises(ValueError, "lengths: keys have one dimension", s.top_k, keys, 1, lengths=[5])
    records, bounds = np.zeros(4, [("a", "u4"), ("-b", "f4")]), "={} is out of bounds: a row has {}"
    for k in 0, -1, 6, (1 << 32) + 1, 1 << 64:
        error = raises(clsort.ArgumentError, "k" + bounds.format(k, 5), s.top_k, keys, k)
        raises(ValueError, "k" + bounds.format(k, 5), s.prepare, None, keys, k)
        assert error.status == -5027
    for kth in 5, -6, 1 << 64:
        raises(ValueError, "kth" + bounds.format(kth, 5), s.partition, keys, kth)
    for text, call in (
            ("k" + bounds.format(1, 0), lambda: s.top_k(none, 1)),
            ("k=6 is out of bounds: there are 5 keys", lambda: s.top_k(keys, 6, segments=[0, 5])),
            *((f"groups: {n} is", lambda n=n: s.group_starts(keys, n)) for n in (-1, 1 << 32)),
            *((f"device_memory: {n} is", lambda n=n: clsort.sort_on([s], keys, device_memory=n))
              for n in (-1, 1 << 64)),
            ("first_bit: -1", lambda: s.sort(keys, bits=(-1, 8))),
            ("last_bit: ", lambda: s.sort(keys, bits=(0, (1 << 32) + 8))),
            ("last_bit", lambda: s.sort(keys, bits=(3, 50))),
            ("bits: they must be", lambda: s.sort(keys, bits=(1, 2, 3))),
            ("no algorithm 'bogo'", lambda: s.sort(keys, algorithm="bogo")),
            ("auto, ", lambda: s.sort(keys, algorithm=3)),
            ("'neither' is none of total, last, equal", lambda: s.sort(keys, nan="neither")),
            ("no field 'c'", lambda: s.sort(records, by=["-c"])),
            ("by: 0 fields", lambda: s.sort(records, by=[])),
            ("by: 9 fields", lambda: s.sort(records, by=["a"] * 9)),
            ("values: 1 arrays for 2", lambda: s.merge(keys, keys, values=[keys])),
            ("values: 3 arrays for 2", lambda: s.merge(keys, keys, values=[keys] * 3)),
            ("values: 0 arrays for 2", lambda: s.merge_runs([keys, keys], values=[])),
            ("runs: their number: 0", lambda: s.merge_runs([])),
            ("runs: their number: 17 is not from 1 to 16", lambda: s.merge_runs([keys] * 17)),
            ("runs: their number: 0", lambda: s.prepare_merge_runs([], keys)),
            ("splitters: their number: 0", lambda: s.partition_by(keys, none)),
            ("splitters: their number: 256 is not", lambda: s.partition_by(keys, np.arange(256))),
            ("splitters: not all are numbers", lambda: s.partition_by(keys, [1.5])),
            ("values_out: there are no values", lambda: s.prepare(None, keys, values_out=keys)),
            ("segment_ends: there are", lambda: s.prepare(None, keys, segment_ends=keys)),
            ("indices: 5 is not from 0 to 4", lambda: s.gather([5], keys)),
            ("keys: numbers of groups cannot", lambda: s.group_starts([-1, 3], 4)),
            ("a: its shape is (1, 5): it must have one", lambda: s.merge(rows, keys)),
            ("b: its shape is (1, 5): it must have one", lambda: s.merge(keys, rows)),
            ("runs[1]: its shape is (1, 5): it", lambda: s.merge_runs([keys, rows])),
            ("runs[0]: its shape is (): it", lambda: s.prepare_merge_runs([keys[0]], keys)),
            ("keys: its shape is (): it", lambda: s.prepare_partition(keys[0], keys, keys, keys)),
            ("keys: its shape is (1, 5): it", lambda: s.partition_by(rows, [2])),
            ("splitters: its shape is (1, 5): it", lambda: s.partition_by(keys, rows)),
            ("keys: its shape is (1, 5): it", lambda: s.group_starts(rows, 2)),
            ("keys: its shape is (1, 5) instead", lambda: clsort.sort_on([s], rows))):
        raises(ValueError, text, call)
    device, one_row = (clsort._DeviceArray(None, shape, "u4") for shape in ((4,), (3, 4)))
    one_row.strides = (0, 4)
    raises(ValueError, "rows must not run backwards, or all be one", s.enqueue_sort, None, one_row)
    for text, call in (
            ("b: its dtype is int32", lambda: s.merge(keys, keys.astype("i4"))),
            ("runs[1]: its dtype is int32", lambda: s.merge_runs([keys, keys.astype("i4")])),
            ("values_b: its dtype", lambda: s.merge(keys, keys, values=(keys, keys.astype("f4")))),
            ("splitters: its dtype is int32", lambda: s.partition_by(keys, keys.astype("i4"))),
            ("keys of dtype <U1", lambda: s.partition_by(["b", "a"], [1])),
            ("name its fields in `by`", lambda: s.sort(records)),
            ("cannot be numbers of groups", lambda: s.group_starts([0.5], 3)),
            ("is no Event", lambda: s._enqueue_sort(None, device, {}, wait_for=[3])),
            ("queue: int is no CommandQueue", lambda: s.enqueue_sort(3, device)),
            ("queue: int is no CommandQueue", lambda: s.prepare(3, keys)),
            ("no array of PyOpenCL's", lambda: s.enqueue_sort(None, keys)),
            ("pass a queue, device=", lambda: clsort.Sorter("cpu")),
            ("context: int is no Context", lambda: clsort.Sorter(3, 4)),
            ("device: int is no Device of PyOpenCL's, and none of devices()",
             lambda: clsort.Sorter(device=3)),
            ("profile: 3 cannot be called", lambda: clsort.Sorter(profile=3)),
            ("sorters: pass a list", lambda: clsort.sort_on([], keys)),
            ("sorters: pass a list", lambda: clsort.argsort_on([None], keys)),
            ("there is no option 'reverse'; there are descending, ",
             lambda: s.sort(keys, reverse=True)),
            ("'order' (`by` names fields)", lambda: s.argsort(records, order="a")),
            ("names of fields are strings", lambda: s.sort(records, by=[0])),
            ("not iterable", lambda: s.sort(records, by=0)),
            ("not iterable", lambda: s.sort(keys, bits=3)),
            *(("integer", lambda call=call: call(keys, 2.0))
              for call in (s.top_k, s.partition, s.group_starts))):
        raises(TypeError, text, call)
    for call in (s.sort, s.argsort, s.explain, lambda k: s.merge(k, keys),
                 lambda k: s.prepare(None, k), lambda k: s.merge_runs([k, keys]),
                 lambda k: s.partition_by(k, keys), lambda k: s.gather([0], k),
                 lambda k: clsort.sort_on([s], k, keys),
                 lambda k: s.prepare_merge_runs([k], keys), lambda k: s.top_k(k, 1)):
        raises(TypeError, "", call, None)
    for status in clsort.ARGUMENT_STATUSES:
        assert issubclass(type(clsort._error(status, "")), ValueError)


def test_what_to_write_is_said_where_a_dtype_cannot_be_a_key():
    """And what it says sorts the same elements, by the field of a record, too."""
    for keys, fits in ((np.array([3, 1, 2], "u4"), None), (np.array([.5, -1], "f8"), None),
                       (np.array(["b", "", "a"]), "U"),
                       (np.array(["2021-05-06", "1969-01-01"], "M8[s]"), "M"),
                       (np.array([5, -7], "m8[ns]"), "m")):
        keys = keys if fits else keys.astype(keys.dtype.newbyteorder())
        for call in sorter.sort, sorter.argsort, lambda k: sorter.sort_by_key(k, k):
            told = re.search(r": pass (keys\..*?)(?:, |$)", str(raises(TypeError, "", call, keys)))
            passed = eval(told.group(1), {"keys": keys})
            assert np.array_equal(passed[sorter.argsort(passed)], np.sort(passed))
            assert (sorter.argsort(passed) == np.argsort(keys)).all()
    records = np.array([(2,), (1,)], [("a", np.dtype("u4").newbyteorder())])
    raises(TypeError, "pass keys.astype(keys.dtype.newbyteorder('='))", sorter.sort, records,
           by="a")
    assert sorter.sort(records.astype(records.dtype.newbyteorder("=")), by="a")["a"].tolist() == [
        1, 2]
    swapped = np.arange(5, dtype=np.dtype("u4").newbyteorder())   # values may be
    assert sorter.sort_by_key(-np.arange(5), swapped)[1].tolist() == [4, 3, 2, 1, 0]


def test_verdicts_of_the_library_are_errors():
    """A self-test takes a minute where no kernel is built yet."""
    with clsort.Sorter() as other:
        if whole:
            other.self_test()
        other.collect()
        other._lib.clsort_self_test = other._lib.clsort_collect = lambda *_: -5024
        for call in other.self_test, other.collect:
            assert raises(clsort.Error, "", call).status == -5024


# ---- merges of what was sorted otherwise ---------------------------------------------------------


def two_of_each_zero(dtype):
    """Two arrays with NaNs and zeros of both signs between numbers, in no order."""
    random = np.random.default_rng(9)
    special = np.array([np.nan, -np.nan, 0.0, -0.0, 1.0, -2.0, np.inf], dtype)
    return random.choice(special, 900), random.choice(special, 600)


def argsorts():
    """Ways to sort, by their names: a function of keys, and the options that merge the result."""
    orders = [{}, {"stable": True}, {"nan": "total"}, {"nan": "equal"}, {"zero_equal": True}]
    orders += [{"descending": True, **order} for order in orders]
    made = {str(order): (lambda keys, order=order: sorter.argsort(keys, **order), order)
            for order in orders}
    made["array_api"] = clsort.array_api(sorter).argsort, {"stable": True}
    made["numpy"] = lambda keys: np.argsort(known(keys), kind="stable"), {"stable": True}
    return made


def merges_of(a, b, values):
    """Both merges of two arrays, as functions of options."""
    return (lambda **order: sorter.merge(a, b, values=values, **order),
            lambda **order: sorter.merge_runs([a, b], values=values, **order))


def test_merges_take_what_any_sort_sorted():
    """By the options of that sort the merge is the stable sort of both; by all others it is that by
    those, or a refusal that names the first place and what to pass. Nothing is lost."""
    ways = argsorts()
    for dtype in ["f2", "f4", "f8"] + DTYPES[12:]:
        keys = two_of_each_zero(dtype)
        for name, (argsort, order) in ways.items():
            places = [argsort(k).astype("i8") for k in keys]
            a, b = (k[p] for k, p in zip(keys, places))
            merges = merges_of(a, b, (places[0], places[1] + len(a)))
            others = [o for _, o in ways.values()] if dtype == "f4" or whole else []
            for number, other in enumerate([order, order, *others]):
                try:
                    found, moved = merges[number % 2](**other)
                except ValueError as error:
                    assert other != order, (dtype, name)
                    other = what_to_pass(error, a, b)
                    found, moved = merges[number % 2](**other)
                wanted = stable_by(np.concatenate([a, b]), other)
                assert found.tobytes() == wanted.tobytes(), (dtype, name, other)
                assert np.array_equal(np.sort(moved), np.arange(len(found))), (dtype, name, other)
                assert np.concatenate(keys)[moved].tobytes() == found.tobytes()


def stable_by(keys, order):
    """The keys in such an order, with equal ones as they were."""
    is_stable = order.get("stable", False)
    return keys[sorter.argsort(keys, stable=True, descending=order.get("descending", False),
                               nan=order.get("nan", "equal" if is_stable else "last"),
                               zero_equal=order.get("zero_equal", is_stable))]


def what_to_pass(error, a, b):
    """The options that a refused merge says to pass, after a look at the place that it names."""
    number, place, later, earlier, told = re.fullmatch(
        r"(?:runs\[)?([ab01])\]?: not sorted in the order of this call, where element (\d+), (.*), "
        r"comes before element \d+, (.*): pass (.*), by which all inputs are sorted",
        str(error)).groups()
    keys = a if number in "a0" else b
    for text, key in (later, keys[int(place)]), (earlier, keys[int(place) - 1]):
        assert text.split()[0] == f"{key}", (text, key)
        assert len(text.split()) == 1 or int(text.split()[1][1:-1], 16) == int(
            key.view(f"u{key.itemsize}")), (text, key)
    return {} if told == "no options" else eval(f"dict({told})")


def test_unsorted_inputs_are_refused_by_name():
    up, down, mixed = np.arange(5, dtype="i4"), np.arange(5, dtype="i4")[::-1], np.array([0, 2, 1])
    mixed = mixed.astype("i4")
    first = "where element 2, 1, comes before element 1, 2: sort it first"
    for text, call in (
            (f"a: not sorted in the order of this call, {first}", lambda: sorter.merge(mixed, up)),
            ("b: not sorted", lambda: sorter.merge(up, mixed)),
            ("b: not sorted", lambda: sorter.merge(up, down)),
            ("pass descending=True, by", lambda: sorter.merge(down, down)),
            ("pass no options, by", lambda: sorter.merge(up, up, descending=True, stable=True)),
            ("runs[2]: not sorted", lambda: sorter.merge_runs([up, up, mixed, mixed])),
            (f"splitters: not sorted in the order of this call, {first}",
             lambda: sorter.partition_by(up, mixed)),
            ("splitters: not sorted in the order of this call, where element 1, -0.0 (0x80000000), "
             "comes before element 0, 0.0 (0x00000000): sort it first",
             lambda: sorter.partition_by(up.astype("f4"), np.array([0.0, -0.0, 1.0], "f4"))),
            (f"keys: not sorted in the order of this call, {first}",
             lambda: sorter.group_starts(mixed, 3))):
        raises(ValueError, text, call)
    raises(TypeError, "there is no option 'bits'; there are descending, stable, nan, zero_equal",
           sorter.merge, up, up, bits=(0, 3))
    assert sorter.merge(up, up, stable=True).tolist() == sorted([*up, *up])   # no float
    assert sorter.merge(up, up, check=False).tolist() == sorted([*up, *up])
    assert sorter.merge(mixed, up, check=False).shape == (8,)
    assert sorter.partition_by(up, mixed, check=False)[0].shape == up.shape
    assert sorter.group_starts(mixed, 3, check=False).shape == (4,)


# ---- PyOpenCL ------------------------------------------------------------------------------------


class Device:
    """A queue of PyOpenCL's, a sorter there, and the names of the commands that it enqueued."""

    def __init__(self, cl, array):
        own = clsort.Sorter()
        pointers = own._lib.clsort_context(own._sorter), own._lib.clsort_device(own._sorter)
        self.context = cl.Context.from_int_ptr(pointers[0], retain=True)
        self.device = cl.Device.from_int_ptr(pointers[1], retain=True)
        self.queue = cl.CommandQueue(self.context)
        self.stages = []
        self.sorter = clsort.Sorter(self.queue, profile=lambda name, _: self.stages.append(name))
        self.cl, self.array = cl, array

    def put(self, data):
        return self.array.to_device(self.queue, np.ascontiguousarray(data))

    def empty(self, shape, dtype):
        return self.array.empty(self.queue, shape, dtype)


def test_pyopencl_arrays_are_sorted_without_a_copy(gpu):
    keys = np.random.default_rng(1).integers(0, 1 << 32, 100000, "u4")
    on_device, calls = gpu.put(keys), []
    gpu.stages.clear()
    plain = gpu.sorter._cl
    gpu.sorter._cl = lambda name, *arguments: calls.append(name)
    event = gpu.sorter.enqueue_sort(gpu.queue, on_device)
    gpu.sorter._cl = plain
    event.wait()
    equal(on_device.get(), np.sort(keys))
    explained = gpu.sorter.explain(keys)
    launches = int(re.search(r"launches +(\d+)", explained).group(1))
    assert calls == [] and len(gpu.stages) == launches, (calls, gpu.stages, explained)
    assert all(stage.startswith("clsort_") for stage in gpu.stages), gpu.stages
    assert isinstance(event, gpu.cl.Event) and event in on_device.events


def test_pyopencl_rows_with_gaps_and_offsets(gpu):
    keys = np.random.default_rng(2).normal(size=(6, 300)).astype("f4")
    whole = gpu.put(keys)
    part, indices = whole[2:5, 10:200], gpu.empty((3, 190), "u4")
    gpu.sorter.enqueue_sort(gpu.queue, part, indices=indices, stable=True)
    equal(indices.get(), np.argsort(keys[2:5, 10:200], kind="stable").astype("u4"))
    equal(whole.get(), keys)
    gpu.sorter.enqueue_sort(gpu.queue, part, descending=True)
    keys[2:5, 10:200] = -np.sort(-keys[2:5, 10:200])
    equal(whole.get(), keys)
    raises(ValueError, "neighbours", gpu.sorter.enqueue_sort, gpu.queue, whole[:, ::2])


def test_pyopencl_values_move_in_place_up_to_a_count(gpu):
    keys, values = np.array([4, 3, 2, 1, 0], "u2"), np.arange(5, dtype="f8")
    on_device, moved = gpu.put(keys), gpu.put(values)
    gpu.sorter.enqueue_sort(gpu.queue, on_device, values=moved,
                            segments=gpu.put(np.array([0, 2, 5], "u4")))
    assert on_device.get().tolist() == [3, 4, 0, 1, 2] and moved.get().tolist() == [1, 0, 4, 3, 2]
    gpu.sorter.enqueue_sort(gpu.queue, on_device, count=gpu.put(np.array([4], "u4")))
    assert on_device.get().tolist() == [0, 1, 3, 4, 2]


def test_pyopencl_overwrites_keys_and_values_if_it_may(gpu):
    keys, values = np.random.default_rng(3).permutation(100000).astype("u4"), np.arange(1e5)
    on_device, beside = gpu.put(keys), gpu.put(values)
    out, moved = gpu.empty(keys.shape, "u4"), gpu.empty(values.shape, "f8")
    arrays = {"out": out, "values": beside, "values_out": moved, "overwrite": True}
    gpu.sorter.prepare(gpu.queue, on_device, **arrays)
    event = gpu.sorter.enqueue_sort(gpu.queue, on_device, **arrays)
    equal(out.get(), np.sort(keys))
    equal(moved.get(), values[np.argsort(keys)])
    assert event in on_device.events and event in beside.events
    flags = gpu.cl.mem_flags
    kept = gpu.array.Array(gpu.queue, keys.shape, "u4", data=gpu.cl.Buffer(
        gpu.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=keys))
    gpu.sorter.enqueue_sort(gpu.queue, kept, out=out)
    equal(out.get(), np.sort(keys))
    raises(clsort.Error, "BUFFER_ACCESS", gpu.sorter.enqueue_sort, gpu.queue, kept, out=out,
           overwrite=True)


def test_pyopencl_gathers_rows_with_gaps(gpu):
    keys = np.random.default_rng(7).normal(size=(5, 40)).astype("f4")
    whole_keys, best, indices = gpu.put(keys), gpu.empty((5, 3), "f4"), gpu.empty((5, 3), "u4")
    part, out = whole_keys[:, 4:30], gpu.put(np.zeros((5, 9), "f4"))
    gpu.sorter.enqueue_top_k(gpu.queue, part, 3, out=best, indices=indices)
    packed = gpu.empty((5, 3), "f4")
    gpu.sorter.enqueue_gather(gpu.queue, indices, [part, part], [out[:, 2:5], packed])
    equal(out.get()[:, 2:5], best.get())
    equal(packed.get(), best.get())
    assert not out.get()[:, [0, 1, 5, 6, 7, 8]].any()


def calls_of_pyopencl(n):
    """Each call of arrays on a device, of n keys: (name, other arguments, arrays that it reads and
    what of them it needs, what it must write). Lists are several arrays."""
    x, v = np.array([8, 3, 11, 1, 5], "u4")[:n], np.arange(n, dtype="f8") - 2
    cut, order = n // 2, np.argsort(x)
    up, rank, small = x[order], order.argsort().astype("u4"), np.array([7], "u4")
    halves, moved = [np.sort(x[:cut]), np.sort(x[cut:])], [v[:cut], v[cut:]]
    merged = np.r_[v[:cut], v[cut:]][np.argsort(np.r_[halves[0], halves[1]], kind="stable")]
    both, ends = np.array([0, n], "u4"), np.array([n], "u4")
    parts = np.r_[x[x < 7], x[x >= 7]], np.array([0, (x < 7).sum(), n], "u4")
    found = np.searchsorted(up, range(10)).astype("u4")
    sorts = {"out": up, "values_out": v[order]}
    calls = [
        ("enqueue_sort", {}, {"keys": x, "values": v}, sorts),
        ("enqueue_sort", {}, {"keys": x}, {"indices": order.astype("u4")}),
        ("enqueue_sort", {}, {"keys": x, "values": v, "segments": both}, sorts),
        ("enqueue_sort", {}, {"keys": x, "values": v, "segments": both[:1], "segment_ends": ends},
         sorts),
        ("enqueue_sort", {}, {"keys": x, "values": v, "count": ends}, sorts),
        ("enqueue_merge", {"check": True},
         {"a": halves[0], "b": halves[1], "values_a": moved[0], "values_b": moved[1]},
         {"out": up, "values_out": merged}),
        ("enqueue_merge_runs", {"check": True}, {"runs": halves, "values": moved},
         {"out": up, "values_out": merged}),
        ("enqueue_partition", {"check": True}, {"keys": x, "splitters": small, "values": v},
         {"out": parts[0], "starts": parts[1], "values_out": np.r_[v[x < 7], v[x >= 7]]}),
        ("enqueue_gather", {}, {"indices": rank, "sources": [x, v]},
         {"targets": [x[rank], v[rank]]}),
        ("enqueue_group_starts", {"check": True}, {"keys": up, "count": ends},
         {"starts": found, "counts": np.diff(found)}),
    ]
    for k in (1, n) if n else ():
        best = {"indices": order[:k].astype("u4"), "out": up[:k], "values_out": v[order[:k]]}
        rows = {name: array[None] for name, array in best.items()}
        calls += [("enqueue_top_k", {"k": k}, {"keys": x, "values": v}, best),
                  ("enqueue_top_k", {"k": k}, {"keys": x[None], "values": v[None], "lengths": ends},
                   rows),
                  ("enqueue_top_k", {"k": k}, {"keys": x, "values": v, "segments": both}, rows)]
    return calls


def test_pyopencl_merges_wait_only_to_check(gpu):
    """By `stable` they copy and sort: after the events, also on an out-of-order queue."""
    keys = two_of_each_zero("f4")
    orders = [np.argsort(k, kind="stable") for k in keys]
    a, b = (k[o] for k, o in zip(keys, orders))
    queue = gpu.cl.CommandQueue(
        gpu.context, properties=gpu.cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    runs = [gpu.put(np.r_[np.zeros(9, "f4"), k])[9:] for k in (a, b)]
    values = [gpu.put(o.astype("u4")) for o in (orders[0], orders[1] + 900)]
    out, moved, big = gpu.empty(1500, "f4"), gpu.empty(1500, "u4"), gpu.put(np.zeros(3000, "f4"))
    both, complete = np.concatenate([a, b]), gpu.cl.command_execution_status.COMPLETE
    order = stable_order(both)
    for call, alone, named, single in (
            (gpu.sorter.enqueue_merge, runs, {"values_a": values[0], "values_b": values[1]},
             lambda **o: sorter.merge(a, b, **o)),
            (gpu.sorter.enqueue_merge_runs, [runs], {"values": values},
             lambda **o: sorter.merge_runs([a, b], **o))):
        wanted = raised(single)
        assert "pass stable=True" in wanted[1] and wanted == raised(call, queue, *alone, out,
                                                                    check=True)
        for options in {"stable": True}, {"check": False}:
            first = gpu.cl.UserEvent(gpu.context)
            event = call(queue, *alone, out, **named, values_out=moved, wait_for=[first], **options)
            queue.flush()
            assert event.command_execution_status != complete
            first.set_status(complete)
            event.wait()
            if "stable" in options:
                assert out.get().tobytes() == both[order].tobytes()
                assert (np.concatenate(keys)[moved.get()].view("u4") == out.get().view("u4")).all()
                assert np.array_equal(np.sort(moved.get()), np.arange(1500))
        inside = [big[:900], big[900:1500]]
        for options in {}, {"stable": True}:
            raises(clsort.ArgumentError, "overlap", call, queue,
                   *(inside if alone is runs else [inside]), big[500:2000], **options)


def test_pyopencl_arrays_in_shared_virtual_memory_are_refused(gpu):
    if not gpu.device.svm_capabilities & gpu.cl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        return
    from pyopencl.tools import SVMAllocator
    array = gpu.array.to_device(gpu.queue, np.arange(4, dtype="u4"),
                                allocator=SVMAllocator(gpu.context, 0, queue=gpu.queue))
    for call in (lambda: gpu.sorter.enqueue_sort(gpu.queue, array),
                 lambda: gpu.sorter.explain(array), lambda: gpu.sorter.prepare(None, array)):
        raises(TypeError, "keys: this array is in shared virtual memory", call)
    raises(TypeError, "array on a device", sorter.sort, array)


def test_pyopencl_groups_are_checked_up_to_their_count(gpu):
    keys, starts = gpu.put(np.array([1, 3, 2], "u4")), gpu.empty(5, "u4")
    for count, told in (2, None), (3, "keys: not sorted"):
        arguments = {"starts": starts, "count": gpu.put(np.array([count], "u4")), "check": True}
        call = lambda: gpu.sorter.enqueue_group_starts(gpu.queue, keys, **arguments)
        raises(ValueError, told, call) if told else call()
    assert starts.get().tolist() == [0, 0, 1, 1, 2]


def test_pyopencl_verify_tells_of_wrong_segments(gpu):
    with clsort.Sorter(gpu.queue, verify=True) as other:
        keys = gpu.put(np.arange(9, dtype="u4"))
        for offsets, verdict in ([0, 5, 9], None), ([0, 5, 3, 9], clsort.Error):
            other.enqueue_sort(gpu.queue, keys, segments=gpu.put(np.array(offsets, "u4")))
            raises(verdict, "wrong result", other.collect) if verdict else other.collect()


def mapped(function, given):
    """The function of an array, or of each in a list."""
    return list(map(function, given)) if isinstance(given, list) else function(given)


def each(given):
    """A list of arrays; one array becomes a list of one."""
    return given if isinstance(given, list) else [given]


def between_guards(gpu, array):
    """A place for such an array, not at the begin of its buffer, and what says whether bytes around
    it are as they were."""
    size, around = array.size, 4
    whole_array = gpu.put(np.full(size + 2 * around, 7, array.dtype))
    place = whole_array[around:around + size].reshape(array.shape) if size else gpu.empty(
        array.shape, array.dtype)
    kept = lambda: (np.delete(whole_array.get(), range(around, around + size)) == 7).all()
    return place, kept


def test_pyopencl_each_call_takes_each_size_and_writes_only_there(gpu):
    for n in 0, 1, 5:
        for name, more, read, wanted in calls_of_pyopencl(n):
            places = {what: mapped(lambda a: between_guards(gpu, a), w)
                      for what, w in wanted.items()}
            given = {what: mapped(gpu.put, array) for what, array in read.items()}
            given |= {what: mapped(lambda p: p[0], p) for what, p in places.items()}
            getattr(gpu.sorter, name)(gpu.queue, **given, **more)
            for what, array in wanted.items():
                for (place, kept), w in zip(each(places[what]), each(array)):
                    assert np.array_equal(place.get(), w), (name, n, what, place, w)
                    assert kept(), (name, n, what)
            for what, array in read.items():
                for a, w in zip(each(given[what]), each(array)):
                    assert np.array_equal(a.get(), w), (name, n, what)
    public = {name for name in vars(clsort.Sorter) if name.startswith("enqueue_")}
    assert public == {name for name, *_ in calls_of_pyopencl(5)}


def wrong_arrays(gpu, array):
    """What an argument must not be instead of an array on a device: (exception, what it says of
    the argument, or at least of one of this call's, array)."""
    data, readable = array.get(), gpu.cl.mem_flags.READ_ONLY | gpu.cl.mem_flags.COPY_HOST_PTR
    spread = gpu.put(np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 2), array.dtype))
    svm = types.SimpleNamespace(base_data=object(), shape=array.shape, dtype=array.dtype, offset=0,
                                strides=array.strides)
    rows = [(ValueError, ": ", gpu.put(np.zeros((*array.shape[:-1], array.shape[-1] + more),
                                                    array.dtype))) for more in (-1, 1)]
    rows += [(TypeError, "{}: list is no array of PyOpenCL's", [1, 2]),
             (TypeError, "{}: ndarray is no array of PyOpenCL's", data),
             (TypeError, "{}: this array is in shared virtual memory", svm),
             (TypeError, "dtype", gpu.put(data.astype("c16"))),
             (TypeError, "dtype", gpu.put(data.astype(array.dtype.newbyteorder()))),
             (ValueError, "{}: the elements of a row must be neighbours",
              spread[..., :2 * array.shape[-1]:2]),
             (clsort.ArgumentError, "created without the kernel access",
              gpu.array.Array(gpu.queue, array.shape, array.dtype,
                              data=gpu.cl.Buffer(gpu.context, readable, hostbuf=data)))]
    return rows


def test_pyopencl_each_call_refuses_wrong_arrays(gpu):
    """One argument at a time, and the first one of a list, is something else. What is read may be
    in a buffer that kernels cannot write, or, in a few places, be shorter or longer."""
    taken = {("enqueue_group_starts", "keys"), ("enqueue_sort", "segments"),
             ("enqueue_group_starts", "count")}
    for name, more, read, wanted in calls_of_pyopencl(5):
        given = {what: mapped(gpu.put, array) for what, array in {**read, **wanted}.items()}
        for what in given:
            is_list, array = isinstance(given[what], list), each(given[what])[0]
            label = what + "[0]" if is_list else what
            for kind, text, wrong in wrong_arrays(gpu, array):
                if (text.startswith("created") and what in read
                        or "neighbours" in text and array.shape[-1] == 1
                        or text == ": " and (name, what) in taken):
                    continue
                changed = {**given, what: [wrong, *given[what][1:]] if is_list else wrong}
                error = raises(kind, text.format(label), getattr(gpu.sorter, name), gpu.queue,
                               **changed, **more)
                assert "cannot" in str(error) or any(
                    argument.rstrip("s") in str(error) for argument in [label, *given]), error
                assert "value_size" not in str(error), error
        for what in {"values", "values_a", "values_b", "values_out"} & set(given):
            if (name, what) != ("enqueue_sort", "values_out"):   # then values are moved in place
                error = raises(ValueError, "values_out", getattr(gpu.sorter, name), gpu.queue,
                               **{w: a for w, a in given.items() if w != what}, **more)
                assert "value_size" not in str(error), error
    keys = gpu.put(np.arange(5, dtype="i4"))
    raises(TypeError, "int32 cannot be numbers of groups", gpu.sorter.enqueue_group_starts,
           gpu.queue, keys, starts=gpu.empty(5, "u4"))
    raises(TypeError, "wait_for: Buffer is no Event", gpu.sorter.enqueue_sort, gpu.queue, keys,
           wait_for=[keys.base_data])
    raises(TypeError, "queue: Context is no CommandQueue", gpu.sorter.enqueue_sort, gpu.context,
           keys)
    raises(TypeError, "context: Device is no Context", clsort.Sorter, gpu.device, gpu.context)
    gpu.queue.finish()


def test_pyopencl_calls_build_nothing_after_prepare(gpu):
    """A sort that was prepared makes no program, and a count below it neither."""
    sorter, keys = clsort.Sorter(gpu.queue), gpu.put(np.arange(3000, dtype="i2")[::-1])
    few, order = gpu.put(np.arange(7, dtype="i2")), gpu.empty(3000, "u4")
    sorter.prepare(gpu.queue, keys, indices=order, any_count=True, stable=True)
    sorter.prepare(None, np.zeros((4, 500), "i2"), 3, out=np.zeros((4, 3), "i2"))
    sorter._lib.clsort_enqueue_sort = refuse_to_build(sorter._lib.clsort_enqueue_sort)
    sorter.enqueue_sort(gpu.queue, few, indices=gpu.empty(7, "u4"), stable=True)
    sorter.enqueue_sort(gpu.queue, keys, indices=order, stable=True)
    assert order.get()[0] == 2999
    rows = gpu.put(np.arange(2000, dtype="i2").reshape(4, 500))
    sorter.enqueue_top_k(gpu.queue, rows, 3, out=gpu.empty((4, 3), "i2"))
    raises(clsort.Error, "not built", sorter.enqueue_sort, gpu.queue, gpu.empty(3000, "u8"))
    sorter.close()


def test_pyopencl_merges_of_runs_and_partitions_build_nothing_after_prepare(gpu):
    sorter, keys = clsort.Sorter(gpu.queue), np.arange(600, dtype="i2")
    runs, values = [keys[:200], keys[200:]], [np.zeros(200, "u8"), np.zeros(400, "u8")]
    few, many = keys[100:103], keys[:20]
    for name in "clsort_enqueue_merge_runs", "clsort_enqueue_partition":
        setattr(sorter._lib, name, refuse_to_build(getattr(sorter._lib, name)))
    out, parts, starts = gpu.empty(600, "i2"), gpu.empty(600, "i2"), gpu.empty(5, "u4")
    merge = ([gpu.put(run) for run in reversed(runs)], out)
    partition = (gpu.put(keys), gpu.put(few), parts, starts)
    raises(clsort.Error, "not built", sorter.enqueue_merge_runs, gpu.queue, *merge)
    raises(clsort.Error, "not built", sorter.enqueue_partition, gpu.queue, *partition)
    sorter.prepare_merge_runs(runs[:1], keys[:200])
    sorter.prepare_partition(keys, few, keys, np.zeros(5, "u4"))
    sorter.enqueue_merge_runs(gpu.queue, *merge)
    sorter.enqueue_partition(gpu.queue, *partition)
    equal(out.get(), keys)
    assert starts.get().tolist() == [0, 100, 101, 102, 600], starts.get()
    raises(clsort.Error, "not built", sorter.enqueue_merge_runs, gpu.queue, *merge,
           values=[gpu.put(v) for v in reversed(values)], values_out=gpu.empty(600, "u8"))
    raises(clsort.Error, "not built", sorter.enqueue_partition, gpu.queue, partition[0],
           gpu.put(many), parts, gpu.empty(22, "u4"))
    raises(ValueError, "starts", sorter.prepare_partition, keys, few, keys, np.zeros(4, "u4"))
    sorter._lib.clsort_enqueue_sort = refuse_to_build(sorter._lib.clsort_enqueue_sort)
    floats = [gpu.put(run.astype("f2")) for run in runs], gpu.empty(600, "f2")
    moved = {"values": [gpu.put(v) for v in values], "values_out": gpu.empty(600, "u8")}
    raises(clsort.Error, "not built", sorter.enqueue_merge_runs, gpu.queue, *floats, **moved,
           stable=True)
    sorter.prepare_merge_runs(*floats, values=values, stable=True)
    sorter.enqueue_merge_runs(gpu.queue, *floats, **moved, stable=True)
    sorter.close()
    raises(ValueError, "this sorter is closed", sorter.enqueue_merge_runs, gpu.queue, *merge)
    raises(ValueError, "this sorter is closed", sorter.enqueue_sort, gpu.queue, out)


def refuse_to_build(function):
    """A call of the library with CLSORT_FLAG_NO_BUILD."""
    def call(sorter, queue, desc, *more):
        desc._obj.flags |= 1
        return function(sorter, queue, desc, *more)
    return call


def test_pyopencl_and_numpy_are_used_as_readme_says(gpu):
    """What each print of the block in examples/README.md prints is its comment."""
    with open(os.path.join(root, "examples", "README.md")) as file:
        block = re.search("```python\n(.*?)```", file.read(), re.S).group(1)
    wanted = re.findall(r"^print\(.*?\) +# (.*)$", block, re.M)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(block, {})
    assert len(wanted) > 5 and printed.getvalue().splitlines() == wanted, printed.getvalue()


def test_pyopencl_has_drop_ins_for_its_sorts(gpu):
    """examples/adopt: any key, only some of its bits, and each axis, of any length."""
    sys.path.insert(0, os.path.join(root, "examples", "adopt"))
    import pyopencl_sorts
    random = np.random.default_rng(3)
    a = random.integers(-2**31, 2**31, 5000).astype("i4")
    places = np.arange(5000).astype("f8")
    sort = pyopencl_sorts.RadixSort(gpu.context, "int *keys, double *values", "keys[i] >> 3",
                                    ["keys", "values"])
    (keys, values), event = sort(gpu.put(a), gpu.put(places), key_bits=20)
    event.wait()
    order = np.argsort((a >> 3).astype("u4") & (2**20 - 1), kind="stable")
    assert (keys.get() == a[order]).all() and (values.get() == places[order]).all()
    sort = pyopencl_sorts.BitonicSort(gpu.context)
    a = random.random((3, 7, 5)).astype("f4")
    places = random.integers(0, 99, a.shape).astype("i4")
    for axis in (0, 1, -1):
        keys, values = gpu.put(a), gpu.put(places)
        sort(keys, values, axis=axis)[1].wait()
        assert (keys.get() == np.sort(a, axis)).all()
        order = np.argsort(a, axis)
        assert (values.get() == np.take_along_axis(places, order, axis)).all()


def test_pyopencl_runs_what_the_patch_of_pyfai_adds(gpu):
    """examples/adopt: its methods and its kernel, with what they need of pyFAI."""
    with open(os.path.join(root, "examples", "adopt", "pyfai.patch")) as file:
        added = "\n".join(re.findall(r"^\+(?!\+\+ )(.*)$", file.read(), re.M))
    kernel = re.search(r"^kernel .*?^}", added, re.S | re.M).group()
    methods = re.search(r"^    def .*?return data$", added, re.S | re.M).group()
    names, profiled = {"numpy": np, "EventDescription": lambda name, event: name}, []
    exec(f"class Separator:\n{methods}", names)
    separator = names["Separator"]()
    separator.queue, separator.sorter = gpu.queue, gpu.sorter
    separator.profile_multi = profiled.extend
    separator.kernels = types.SimpleNamespace(
        transpose=gpu.cl.Program(gpu.context, kernel).build().transpose)
    image = np.random.default_rng(8).random((37, 90), "f4")
    for axis in 0, 1:
        separator.cl_mem = {"input_data": gpu.put(image), "transposed": gpu.empty((90, 37), "f4")}
        equal(separator._sort_with_clsort([], axis == 0).get(), np.sort(image, axis))
    assert profiled == ["transpose", "clsort", "transpose", "clsort"]


def test_axis_and_kind_are_numpys():
    keys = np.random.default_rng(5).integers(0, 9, (3, 4, 5)).astype("i4")
    places = np.arange(60).reshape(keys.shape)
    for axis in (0, 1, 2, -1, -3, None):
        order, wanted = np.argsort(keys, axis, kind="stable"), np.sort(keys, axis)
        found = sorter.sort_by_key(keys, places, axis, stable=True)
        for f, w in zip(found, (wanted, np.take_along_axis(places, order, axis))):
            equal(f, w)
        first = np.arange(2)
        found = sorter.top_k(keys, 2, axis, values=places, stable=True)
        for f, w in zip(found, (wanted, order, np.take_along_axis(places, order, axis))):
            assert (f == np.take(w, first, axis if axis is not None else 0)).all(), (axis, f, w)
        parted = sorter.partition(keys, -1, axis)
        assert (np.take(parted, -1, axis) == np.max(keys, axis)).all()
        equal(np.sort(parted, axis), wanted)
        assert (sorter.sort(keys, axis) == np.sort(keys, axis)).all(), axis
        for kind in ("stable", "mergesort"):
            wanted = np.argsort(keys, axis, kind=kind)
            assert (sorter.argsort(keys, axis, kind) == wanted).all(), axis
    assert (sorter.sort(keys, kind="quicksort", descending=True) == -np.sort(-keys)).all()
    raises(ValueError, "kind: 'fastest'", sorter.sort, keys, -1, "fastest")
    raises(TypeError, "kind: 3", sorter.sort, keys, -1, 3)
    raises(ValueError, "exclude each other",
           lambda: sorter.sort(keys, kind="stable", stable=False))


def raised(function, *arguments, **named):
    """Type and text of what a call raises."""
    try:
        function(*arguments, **named)
    except Exception as error:
        return type(error), str(error)
    raise AssertionError("nothing was raised")


def test_an_axis_out_of_range_is_numpys_error():
    keys, number = np.zeros((3, 4), "i4"), np.int32(7)
    for given, axis in (keys, 2), (keys, -3), (number, -1), (number, 0):
        wanted = raised(np.sort, given, axis)
        assert wanted[0].__name__ == "AxisError", wanted
        for call in (sorter.sort, sorter.argsort, lambda k, a: sorter.sort_by_key(k, k, a),
                     lambda k, a: sorter.top_k(k, 1, a), lambda k, a: sorter.partition(k, 0, a)):
            assert raised(call, given, axis) == wanted
        for call in clsort.array_api(sorter).sort, clsort.array_api(sorter).argsort:
            assert raised(call, given, axis=axis) == wanted
    for axis in 1.0, "0", (0, 1), [0]:
        for call in sorter.sort, sorter.argsort, np.sort:
            assert raised(call, keys, axis)[0] is TypeError, axis
    assert sorter.sort(number, None).tolist() == [7]
    for call in (lambda: sorter.merge(3, 4), lambda: sorter.merge_runs([3]),
                 lambda: sorter.partition_by([3], 4), lambda: sorter.gather(0, [1]),
                 lambda: sorter.group_starts(3, 4), lambda: clsort.sort_on([sorter], 3)):
        assert raised(call) == raised(np.sort, 3)


def test_sorts_write_where_out_says():
    keys = draw_keys(np.random.default_rng(5), np.dtype("f4"), (5, 300))
    for axis in (-1, 1, None):
        wanted, own, other = sorter.sort(keys, axis), keys.copy(), np.empty_like(keys)
        for array in own, other:
            source = own if array is own else keys
            assert sorter.sort(source, axis, out=array) is array
            equal(array, wanted.reshape(keys.shape))
    both = np.concatenate((keys[0], keys[0, :1]))
    wanted = sorter.sort(keys[0])
    equal(sorter.sort(both[:-1], out=both[1:]), wanted)   # they overlap
    frozen = keys.copy()
    frozen.flags.writeable = False
    for text, kind, out, axis in (
            ("no array of numpy's", TypeError, keys.tolist(), -1),
            ("no array of numpy's", TypeError, np.ma.array(keys), -1),
            ("its shape is (5, 299) instead of (5, 300)", ValueError, keys[:, 1:], -1),
            ("its dtype is float64 instead of float32", TypeError, np.empty(keys.shape), -1),
            ("axis is 0, but must be the last one", ValueError, keys.copy(), 0),
            ("C-contiguous", ValueError, np.asfortranarray(keys), -1),
            ("C-contiguous", ValueError, frozen, None)):
        raises(kind, text, lambda: sorter.sort(keys, axis, out=out))


def test_lists_and_stacked_arrays_are_taken_as_numpy_takes_them():
    keys = np.arange(6, dtype="u2")
    assert sorter.partition_by(keys, [2, 4])[1].tolist() == [0, 2, 4, 6]
    assert sorter.group_starts([0, 1, 1], 2).tolist() == [0, 1, 3]
    assert sorter.group_starts(np.array([0, 2], "i1"), 3).tolist() == [0, 1, 1, 2]
    assert sorter.group_starts([], 1).tolist() == [0, 0]
    halves = keys.reshape(3, 2).T.copy()
    for found in sorter.merge(*halves, values=halves), sorter.merge_runs(halves, values=halves):
        assert np.array_equal(found, [keys, keys])
    assert sorter.explain([3, 1]) == sorter.explain(np.array([3, 1]))
    sorter.prepare(None, [3, 1], values=[1, 2])


def test_all_that_is_public_has_type_hints():
    public = [f for place in (clsort.Sorter, clsort) for name, f in vars(place).items()
              if inspect.isfunction(f) and (name == "__init__" or not name.startswith("_"))]
    assert len(public) > 25
    for function in public:
        hints = {"self", *function.__annotations__}
        assert hints >= {"return", *inspect.signature(function).parameters}, function
    options = set(inspect.signature(clsort.Sorter._set_order).parameters) - {"target"}
    assert set(clsort.Order.__annotations__) == options | {"algorithm"}


def run_python(*arguments, **more):
    """What Python prints with these arguments, or its errors as one of ours."""
    run = subprocess.run([sys.executable, *arguments], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, **more)
    assert not run.returncode, run.stdout[-3000:]
    return run.stdout


def test_package_is_built_from_its_own_source_archive():
    """Of the folder of a clone a source archive, of that alone a wheel, and the wheel passes these
    tests, with a library of its own. Without the module `build` pip builds the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        there, source = (os.path.join(folder, name) for name in ("installed", "examples/python"))
        for name in "clsort.py", "setup.py", "pyproject.toml":
            os.makedirs(source, exist_ok=True)
            shutil.copy(os.path.join(root, "examples", "python", name), source)
        for name in "clsort.h", MEASURE, MULTI, "LICENSE":
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy(os.path.join(root, name), os.path.join(folder, name))
        environment = {**os.environ, "CFLAGS": "-O0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        environment.pop("CLSORT_LIBRARY", None)
        if has_build():
            run_python("-m", "build", "--no-isolation", source, env=environment)
            made = sorted(os.listdir(os.path.join(source, "dist")))
            assert [re.sub(r".*(\.tar\.gz|\.whl)$", r"\1", name) for name in made] == [
                ".whl", ".tar.gz"], made
            with tarfile.open(os.path.join(source, "dist", made[1])) as archive:
                names = {name.partition("/")[2] for name in archive.getnames()}
            assert {"clsort.h", MEASURE, MULTI, "clsort.py", "LICENSE"} <= names, names
            source = os.path.join(source, "dist", made[0])
        run_python("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target",
                   there, source, env=environment)
        assert os.path.exists(os.path.join(there, "clsort", "py.typed"))
        program = ("import clsort, os; s = clsort.Sorter(); print(s.sort([3.0, -1.0]).tolist(), "
                   "os.path.dirname(clsort.__file__) == os.path.dirname(s._lib._name))")
        printed = run_python("-c", program, cwd=folder, env={**environment, "PYTHONPATH": there})
        assert printed == "[-1.0, 3.0] True\n", printed
        printed = run_python("-B", __file__, "--cases", "1",
                             env={**environment, "CLSORT_TEST_PACKAGE": there})
        assert re.search(r"^[1-9]\d+ passed, 0 failed$", printed, re.M), printed


def has_build():
    """Is there the module that `python -m build` runs? A folder of that name is none."""
    found = importlib.util.find_spec("build")
    return found is not None and found.origin is not None


# ---- running -------------------------------------------------------------------------------------


def collect(arguments):
    """Names and functions of all tests."""
    tests = {name: function for name, function in globals().items()
             if name.startswith("test_") and not name.startswith("test_pyopencl")}
    for dtype in DTYPES:
        tests[f"{np.dtype(dtype)} agrees with numpy"] = (
            lambda dtype=dtype: random_cases(dtype, arguments.cases, arguments.seed))
    for name, number in clsort.KEY_TYPES.items():
        if number < clsort.BYTES or number - clsort.BYTES in (1, 2, 3, 8, 9, 10, 16, 64):
            if dtype_named(name):
                tests[f"{name} has its order at its limits"] = (
                    lambda name=name: order_at_limits(dtype_named(name)))
    if not ml_dtypes:
        print("skipped: bfloat16 (ml_dtypes is not installed)")
    if "CLSORT_TEST_PACKAGE" in os.environ:   # this is that test
        del tests["test_package_is_built_from_its_own_source_archive"]
    elif not all(map(importlib.util.find_spec, ("pip", "setuptools", "wheel"))):
        print("skipped: the package (pip, setuptools or wheel is not installed)")
        del tests["test_package_is_built_from_its_own_source_archive"]
    elif not has_build():
        print("skipped: the package's source archive (the module build is not installed)")
    try:
        import pyopencl
        import pyopencl.array
    except ImportError:
        print("skipped: PyOpenCL's arrays (pyopencl is not installed)")
        return tests
    gpu = Device(pyopencl, pyopencl.array)
    for name, function in list(globals().items()):
        if name.startswith("test_pyopencl"):
            tests[name] = lambda function=function: function(gpu)
    return tests


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CLSORT_TEST_SEED", 1)))
    failed, only = 0, os.environ.get("CLSORT_TEST_ONLY", "").replace(" ", "_")
    tests = {name: test for name, test in collect(parser.parse_args()).items()
             if only in name.replace(" ", "_")}
    for name, test in tests.items():
        try:
            test()
        except Exception:
            failed += 1
            print("FAILED:", name.replace("_", " "))
            traceback.print_exc(limit=-4, file=sys.stdout)
            if "of_the_header" in name:   # nothing else can work
                break
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
