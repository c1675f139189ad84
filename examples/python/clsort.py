"""clsort for Python: sorts numpy arrays, and PyOpenCL's arrays on your queue without a copy.

Copy this file and the shared library (build/lib/libclsort.so.0 after `make lib`) into your program;
or `pip install examples/python`, which compiles the library. It needs numpy, and PyOpenCL only if
you pass its arrays.

    import clsort, numpy as np
    clsort.sort(np.array([3, -1, 4, 0, 2], "f4"))     # [-1. 0. 2. 3. 4.]

clsort.sort and the like run on the first GPU, else the first device, by one sorter that they share;
clsort.devices() lists all. A clsort.Sorter has the same methods, on the device that you choose.

Keys are bool, integers of 1 to 8 bytes, f2, f4, f8 and ml_dtypes' bfloat16, in the machine's byte
order. An array of several dimensions is sorted along its last axis, or another one: each row by
itself. The device must hold an array at once; sort_on and argsort_on take larger ones.
Strings ("S10") and raw bytes ("V16") of up to 64 bytes have the order of their bytes. They can be
sorted, and up to 8 bytes selected by top_k, but not merged or parted by splitters.
Keys of any other dtype are a TypeError. Values may have any dtype that holds no objects. Masked
arrays are a TypeError everywhere: their masks would be lost. What the library refuses because of an
argument is an ArgumentError, which is a ValueError; what it could not do is an Error.

Options of every sort and merge, by name:
    descending  the largest key first; NaNs last all the same
    stable      equal keys keep their order. NaNs are equal then, and so are -0 and +0, as in
                numpy's stable sorts. Rows, segments and merges are always stable, but order -0
                before +0 unless you ask for this
    nan         "last", "equal" (last, in their original order) or "total" (by sign and bits:
                negative ones first). Default: "equal" with `stable`, else "last"
    zero_equal  -0 and +0 are equal. Default: with `stable`
and of sorts alone:
    bits        (first, last): only these bits of the key's code decide, the last one excluded;
                see first_bit in clsort.h
    algorithm   "auto" by default; a wrong name is answered with all that there are

Merges need inputs in their order: pass the options that the inputs were sorted by, and
`stable=True` for floats that np.sort or array_api sorted. With `check` an input in another order is
a ValueError, which says what to pass. Without it a merge of such inputs loses some elements and
doubles others.

The header clsort.h documents all else. Numbers and structs below are the header's: a test of the
library compares them.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import inspect
import itertools
import math
import operator
import os
import sys
import threading
import types
import typing

import numpy as np

if typing.TYPE_CHECKING:
    from typing import Callable, Sequence

    import pyopencl as cl
    from numpy.typing import ArrayLike
    from pyopencl.array import Array as DeviceArray
    from typing_extensions import Concatenate, ParamSpec, TypeVar, Unpack
    AnyArray = DeviceArray | np.ndarray
    P = ParamSpec("P")
    Result = TypeVar("Result")

__all__ = ["ArgumentError", "Device", "Error", "MergeOrder", "Order", "Sorter", "argsort",
           "argsort_on", "array_api", "devices", "explain", "gather", "group_starts", "key_type",
           "merge", "merge_runs", "partition", "partition_by", "sort", "sort_by_key", "sort_on",
           "top_k"]


def __dir__() -> list[str]:
    return __all__   # not the numbers and structs of the header, nor what is imported


class MergeOrder(typing.TypedDict, total=False):
    """Options of every sort and merge, by name: see above."""
    descending: bool
    stable: bool
    nan: str | None
    zero_equal: bool | None


class Order(MergeOrder, total=False):
    """Options of every sort."""
    bits: tuple[int, int]
    algorithm: str


# ---- the header, in its words --------------------------------------------------------------------

BYTES, MAX_FIELDS, MAX_FIELD_BYTES, MAX_RUNS, MAX_SPLITTERS = 0x500, 8, 64, 16, 255
KEY_TYPES = {   # by a dtype's name, of all dtypes that can be keys
    "bool": 0x108, "uint8": 0x108, "uint16": 0x110, "uint32": 0x120, "uint64": 0x140,
    "int8": 0x208, "int16": 0x210, "int32": 0x220, "int64": 0x240,
    "float16": 0x310, "float32": 0x320, "float64": 0x340, "bfloat16": 0x410,
}
KEY_TYPES.update((f"{name}{8 * size}", BYTES + size) for name in ("bytes", "void")
                 for size in range(1, MAX_FIELD_BYTES + 1))
DESCENDING = 1
NAN_TOTAL, NAN_LAST, NAN_EQUAL = 0, 1, 2
ZERO_EQUAL = 1
FLAG_TOP_UNSORTED, FLAG_TOP_NTH, FLAG_TOP_PARTITION, FLAG_ANY_COUNT = 32, 64, 128, 512
FLAG_OVERWRITE_INPUT = 1024
LATER = ctypes.c_void_p(-1)   # a buffer that does not exist yet
OPTION_VERIFY = 1

STRUCTS = {
    "clsort_tuning": """
        cl_uint variant reserved_1 work_group items reserved[12]""",
    "clsort_field": "size_t offset; cl_uint type order nan_order zero_order",
    "clsort_options": """
        size_t struct_size; clsort_diagnostic diagnostic; void* user; cl_uint flags;
        clsort_profile profile; clsort_cache_load cache_load; clsort_cache_save cache_save;
        void* cache_user""",
    "clsort_desc": """
        size_t struct_size count; cl_uint key_type order nan_order zero_order stable algorithm flags
        first_bit last_bit; cl_mem keys; size_t keys_offset; cl_mem keys_out;
        size_t keys_out_offset; cl_mem values; size_t values_offset value_size; cl_mem values_out;
        size_t values_out_offset;
        cl_mem indices; size_t indices_offset record_size key_offset; cl_mem scratch;
        size_t scratch_offset scratch_size rows row_stride keys_out_row_stride values_out_row_stride
        indices_row_stride; cl_mem lengths; size_t lengths_offset; cl_mem segments;
        size_t segments_offset segment_count; cl_mem segment_ends;
        size_t segment_ends_offset top_k; cl_mem count_buffer; size_t count_offset;
        clsort_field* fields; cl_uint field_count; char* record_type precedes;
        clsort_tuning tuning""",
    "clsort_merge_desc": """
        size_t struct_size count_a count_b; cl_uint key_type order nan_order flags; cl_mem keys_a;
        size_t keys_a_offset; cl_mem keys_b; size_t keys_b_offset; cl_mem keys_out;
        size_t keys_out_offset value_size; cl_mem values_a; size_t values_a_offset; cl_mem values_b;
        size_t values_b_offset; cl_mem values_out; size_t values_out_offset;
        clsort_tuning tuning""",
    "clsort_run": "size_t count; cl_mem keys; size_t keys_offset; cl_mem values; "
                  "size_t values_offset",
    "clsort_merge_runs_desc": """
        size_t struct_size; clsort_run* runs; cl_uint run_count key_type order nan_order flags
        reserved; cl_mem keys_out; size_t keys_out_offset value_size; cl_mem values_out;
        size_t values_out_offset; cl_mem scratch; size_t scratch_offset scratch_size;
        clsort_tuning tuning""",
    "clsort_partition_desc": """
        size_t struct_size count; cl_uint key_type order nan_order flags; cl_mem keys;
        size_t keys_offset; cl_mem keys_out; size_t keys_out_offset value_size; cl_mem values;
        size_t values_offset; cl_mem values_out; size_t values_out_offset; cl_mem splitters;
        size_t splitters_offset; cl_mem starts; size_t starts_offset;
        cl_uint splitter_count reserved; cl_mem scratch; size_t scratch_offset scratch_size;
        clsort_tuning tuning""",
    "clsort_array": """
        cl_mem source; size_t source_offset; cl_mem target;
        size_t target_offset element_size source_row_stride target_row_stride""",
    "clsort_gather_desc": """
        size_t struct_size count source_count; cl_mem indices; size_t indices_offset;
        clsort_array* arrays; cl_uint array_count flags; size_t rows indices_row_stride""",
    "clsort_groups_desc": """
        size_t struct_size count groups; cl_uint key_type flags; cl_mem keys; size_t keys_offset;
        cl_mem starts; size_t starts_offset; cl_mem counts; size_t counts_offset;
        cl_mem count_buffer; size_t count_offset""",
    "clsort_multi_desc": """
        size_t struct_size; clsort_desc* sort; void* keys values keys_out values_out;
        cl_ulong* indices; void* work; size_t work_size device_memory; clsort_share* shares;
        cl_uint transfer reserved""",
}

FUNCTIONS = {   # what it returns, and its parameters
    "clsort_version": "cl_uint:",
    "clsort_status_text": "char*: clsort_status",
    "clsort_algorithm_name": "char*: cl_uint",
    "clsort_set_algorithm": "clsort_status: void* char*",
    "clsort_cache_folder": "clsort_status: void* char*",
    "clsort_create": "clsort_status: cl_context cl_device_id void* void*",
    "clsort_destroy": "void: void*",
    "clsort_trim": "clsort_status: void*",
    "clsort_last_error": "char*: void*",
    "clsort_context": "cl_context: void*",
    "clsort_device": "cl_device_id: void*",
    "clsort_prepare": "clsort_status: void* cl_command_queue void*",
    "clsort_prepare_merge_runs": "clsort_status: void* void*",
    "clsort_prepare_partition": "clsort_status: void* void*",
    "clsort_explain": "clsort_status: void* void* char* size_t",
    "clsort_enqueue_sort": "clsort_status: void* cl_command_queue void* cl_uint void* void*",
    "clsort_sort_host": "clsort_status: void* void* void* void* void*",
    "clsort_enqueue_is_sorted":
        "clsort_status: void* cl_command_queue void* cl_mem size_t cl_uint void* void*",
    "clsort_enqueue_merge": "clsort_status: void* cl_command_queue void* cl_uint void* void*",
    "clsort_enqueue_merge_runs": "clsort_status: void* cl_command_queue void* cl_uint void* void*",
    "clsort_enqueue_partition": "clsort_status: void* cl_command_queue void* cl_uint void* void*",
    "clsort_enqueue_gather": "clsort_status: void* cl_command_queue void* cl_uint void* void*",
    "clsort_enqueue_group_starts":
        "clsort_status: void* cl_command_queue void* cl_uint void* void*",
    "clsort_sort_host_on": "clsort_status: void* cl_uint void*",
    "clsort_collect": "clsort_status: void* int",
    "clsort_self_test": "clsort_status: void*",
}

_C = {"size_t": ctypes.c_size_t, "cl_uint": ctypes.c_uint32, "clsort_status": ctypes.c_int32,
      "int": ctypes.c_int, "void": None, "char*": ctypes.c_char_p}
_Profile = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


def _ctype(name):
    """The ctypes type of a type of the header; a handle or a callback is a pointer."""
    return _C.get(name, ctypes.c_void_p)


def _struct(name):
    """A ctypes.Structure from the text in STRUCTS, with struct_size set where there is one. Numbers
    that their field cannot hold are an error: ctypes would wrap them."""
    fields = []
    for line in STRUCTS[name].split(";"):
        kind, *names = line.split()
        for field in names:
            field, _, length = field.rstrip("]").partition("[")
            fields.append((field, _ctype(kind) * int(length) if length else _ctype(kind)))
    numbers = {field: 256 ** ctypes.sizeof(kind) - 1 for field, kind in fields
               if kind in (ctypes.c_size_t, ctypes.c_uint32)}

    class Struct(ctypes.Structure):
        _fields_ = fields

        def __init__(self):
            super().__init__()
            if fields[0][0] == "struct_size":
                self.struct_size = ctypes.sizeof(self)

        def __setattr__(self, name, value):
            if name in numbers:
                value = _integer(value, name, most=numbers[name])
            super().__setattr__(name, value)

    Struct.__name__ = name
    _C[name] = Struct
    return Struct


(Tuning, Field, Options, Desc, MergeDesc, Run, MergeRunsDesc, PartitionDesc, Array, Gather, Groups,
 MultiDesc) = (_struct(name) for name in STRUCTS)


def _integer(number, what, least=0, most=0xFFFFFFFF):
    """The number as an int, after a look at its type and range."""
    number = operator.index(number)
    if not least <= number <= most:
        raise ValueError(f"{what}: {number} is not from {least} to {most}")
    return number


def _load(path=None):
    """The library: at `path`, at CLSORT_LIBRARY, beside this file, in build/lib of a clone, or
    where the system keeps libraries."""
    here = os.path.dirname(os.path.abspath(__file__))
    name = {"win32": "clsort.dll", "darwin": "libclsort.dylib"}.get(sys.platform, "libclsort.so.0")
    places = [os.path.join(here, name), os.path.join(here, "..", "..", "build", "lib", name)]
    path = path or os.environ.get("CLSORT_LIBRARY")
    path = path or next((place for place in places if os.path.exists(place)), name)
    try:
        library = ctypes.CDLL(path)
        functions = [getattr(library, function) for function in FUNCTIONS]
    except OSError as error:
        told = "" if os.path.exists(path) else (
            ": run `make lib` in your clone of clsort; for a copy of clsort.py elsewhere, copy "
            f"build/lib/{name} beside it, or set CLSORT_LIBRARY to its path")
        raise OSError(f"{error}{told}") from None
    except AttributeError as error:
        raise OSError(f"{error}: it is of another version than clsort.py: run `make lib`") from None
    for function, text in zip(functions, FUNCTIONS.values()):
        result, parameters = text.split(":")
        function.restype = _ctype(result)
        function.argtypes = [_ctype(parameter) for parameter in parameters.split()]
    return library


# ---- errors --------------------------------------------------------------------------------------

class Error(RuntimeError):
    """What the library refused or could not do, in its words. `status` is its code."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class ArgumentError(Error, ValueError):
    """What it refused because of an argument."""


# Of the header, what another argument mends.
ARGUMENT_STATUSES = {*range(-5019, -4999), -5025, -5026, -5027, -5029, -5030}


def _error(status, text):
    """The exception of a status."""
    return (ArgumentError if status in ARGUMENT_STATUSES else Error)(status, text)


class _OpenCL:
    """The few functions of OpenCL that numpy's arrays and lists of devices need."""

    def __init__(self, library):
        self._library = ctypes.WinDLL("OpenCL") if sys.platform == "win32" else library

    def __call__(self, name, *arguments):
        function = getattr(self._library, name)
        function.restype = ctypes.c_int32
        status = function(*arguments)
        if status:
            raise Error(status, f"{name}: error {status}")

    def create(self, name, *arguments):
        """Calls a function that returns an object and takes a place for its status last."""
        function = getattr(self._library, name)
        function.restype = ctypes.c_void_p
        status = ctypes.c_int32()
        made = function(*arguments, ctypes.byref(status))
        if status.value:
            raise Error(status.value, f"{name}: error {status.value}")
        return made

    def listed(self, name, *arguments):
        """The handles that a function lists. Where it finds none, it answers an error."""
        count, made = ctypes.c_uint32(), (ctypes.c_void_p * 64)()
        try:
            self(name, *arguments, ctypes.c_uint32(64), made, ctypes.byref(count))
        except Error:
            return []
        return made[:min(count.value, 64)]

    def told(self, name, handle, what, value):
        """The value, after a query has written there."""
        self(name, ctypes.c_void_p(handle), ctypes.c_uint32(what),
             ctypes.c_size_t(ctypes.sizeof(value)), ctypes.byref(value), None)
        return value.value


class Device(typing.NamedTuple):
    """A device of OpenCL. `kind` is "gpu", "cpu" or "other"; int_ptr is the cl_device_id."""
    name: str
    platform: str
    kind: str
    int_ptr: int


def devices(*, library: str | None = None) -> list[Device]:
    """All devices, the GPUs first: the first one is that of Sorter()."""
    cl, found = _OpenCL(_load(library)), []
    for platform in cl.listed("clGetPlatformIDs"):
        for device in cl.listed("clGetDeviceIDs", ctypes.c_void_p(platform),
                                ctypes.c_uint64(0xFFFFFFFF)):
            kind = cl.told("clGetDeviceInfo", device, 0x1000, ctypes.c_uint64())
            texts = (cl.told(*query, ctypes.create_string_buffer(1024)).decode(errors="replace")
                     for query in (("clGetDeviceInfo", device, 0x102B),
                                   ("clGetPlatformInfo", platform, 0x902)))
            kind = "gpu" if kind & 4 else "cpu" if kind & 2 else "other"
            found.append(Device(*texts, kind, device))
    return sorted(found, key=lambda device: device.kind != "gpu")


def _device_named(part, found):
    """The first device that has this in its name, its platform's or its kind's."""
    for device in found:
        if part.casefold() in " ".join(device[:3]).casefold():
            return device
    there = "; ".join(f"{d.name} ({d.platform}, {d.kind})" for d in found) or "none"
    raise ValueError(f"device: no device has {part!r} in its name; there are: {there}")


# ---- arrays --------------------------------------------------------------------------------------

class _Queue(typing.NamedTuple):
    """A queue that we made."""
    int_ptr: int


def _handle(given, kind, what):
    """The handle of an object of one of PyOpenCL's classes, or of ours. Another object's in its
    place could crash the interpreter."""
    ours = Device if kind == "Device" else _Queue
    if not isinstance(given, (ours, getattr(sys.modules.get("pyopencl"), kind, ours))):
        listed = ", and none of devices()" if kind == "Device" else ""
        raise TypeError(f"{what}: {type(given).__name__} is no {kind} of PyOpenCL's{listed}")
    return given.int_ptr


def _pointer(queue):
    return _handle(queue, "CommandQueue", "queue")


class _DeviceArray:
    """A packed array in a buffer of ours, with those attributes of PyOpenCL's arrays that are
    used."""

    def __init__(self, int_ptr, shape, dtype, offset=0):
        self.int_ptr, self.shape, self.dtype = int_ptr, tuple(shape), np.dtype(dtype)
        self.offset = offset
        self.base_data = self
        self.strides = _packed(self.shape, self.dtype.itemsize)


def _packed(shape, itemsize):
    strides = [itemsize]
    for length in reversed(shape[1:]):
        strides.insert(0, strides[0] * length)
    return tuple(strides)


def _admitted(array):
    """The array. Each array that a caller passes goes through here, by _host or _on_device. Objects
    would be copied without a reference, and masks would be lost."""
    if _has_masks(array):
        raise TypeError("masked arrays are refused: pass their data, or filled()")
    if array.dtype.hasobject:
        raise TypeError(f"arrays of dtype {array.dtype} are refused: they hold Python objects")
    return array


def _on_device(needed, optional=None):
    """Refuses what is no array in a buffer; both are arrays by their names."""
    for name, array in (*needed.items(), *(optional or {}).items()):
        if array is None and name not in needed:
            continue
        if _has_masks(array) or hasattr(array, "dtype"):
            _admitted(array)
        if not hasattr(array, "base_data"):
            raise TypeError(f"{name}: {type(array).__name__} is no array of PyOpenCL's")
        if array.base_data is not None and not hasattr(array.base_data, "int_ptr"):
            raise TypeError(f"{name}: this array is in shared virtual memory, which is not taken: "
                            "make one in a buffer, without an allocator of SVM")


def _has_masks(given):
    """Is it a masked array, or a list that holds one?"""
    return isinstance(given, np.ma.MaskedArray) or (isinstance(given, (list, tuple))
                                                    and any(map(_has_masks, given)))


def _host(given):
    """An array of numpy's from what a caller passes for one."""
    if hasattr(given, "base_data"):
        raise TypeError("this is an array on a device: enqueue_sort and the like take it")
    return _admitted(given if _has_masks(given) else np.asarray(given))


def _rows(given):
    """A packed array of one dimension or more from what a caller passes for one."""
    array = _host(given)
    _axis(-1, array)
    return np.ascontiguousarray(array)


def _axis(axis, array):
    """The axis, counted from behind, if the array has it; else numpy's own error."""
    axis, dimensions = operator.index(axis), array.ndim
    if not -dimensions <= axis < dimensions:
        raise getattr(np, "exceptions", np).AxisError(axis, dimensions)   # since numpy 1.25 there
    return axis if axis < 0 else axis - dimensions


def _along(array, axis):
    """The array with that axis last, and which it was, counted from behind; in one row if it is
    None."""
    if axis is None:
        return array.ravel(), -1
    axis = _axis(axis, array)
    return np.moveaxis(array, axis, -1), axis


def _first_k(k, count, segments):
    """k as an int, if rows or segments may have as many keys."""
    k = operator.index(k)
    if not 1 <= k <= count:
        has = "a row has" if segments is None else "there are"
        raise _error(-5027, f"k={k} is out of bounds: {has} {count} keys")
    return k


_KINDS = {None: False, "quicksort": False, "heapsort": False, "mergesort": True, "stable": True}


def _of_kind(kind, order):
    """The options of a sort of one of numpy's kinds."""
    if not isinstance(kind, (str, type(None))):
        raise TypeError(f"kind: {kind!r} is no string")
    if kind not in _KINDS:
        raise ValueError(f"kind: {kind!r} is none of quicksort, heapsort, mergesort, stable")
    if kind is not None and order.get("stable") is not None:
        raise ValueError("kind and stable exclude each other")
    return {**order, "stable": True} if _KINDS[kind] else order


def _like(given, dtype, what):
    """An array; from a list of numbers, which has no dtype yet, one of this dtype if it holds them
    all."""
    array = _rows(given)
    if hasattr(given, "dtype") or array.dtype.kind not in "iuf":
        return array
    with np.errstate(all="ignore"):
        found = array.astype(dtype)
    if not (found == array).all():
        raise ValueError(f"{what}: not all are numbers of dtype {dtype}")
    return found


def _integers(given, what, most):
    """Numbers from 0 to `most` as u4. Others are an error: they would wrap in the cast."""
    array = _host(given)
    if array.dtype.kind not in "iu" and (array.size or hasattr(given, "dtype")):
        raise TypeError(f"{what}: its dtype is {array.dtype}, which is no integer")
    if array.size:
        _integer(array.min(), what, most=most)
        _integer(array.max(), what, most=most)
    return array.astype(np.uint32)


def _buffer(array):
    return array.base_data.int_ptr if array is not None and array.base_data is not None else None


def _layout(array, what):
    """(rows, count, bytes from row to row) of an array; rows is None if it has one dimension."""
    shape, strides, size = tuple(array.shape), tuple(array.strides), array.dtype.itemsize
    if not shape:
        raise ValueError(f"{what}: it has no dimension")
    if any(shape) and shape[-1] > 1 and strides[-1] != size:
        raise ValueError(f"{what}: the elements of a row must be neighbours")
    if len(shape) == 1:
        return None, shape[0], 0
    if len(shape) > 2 and 0 not in shape and strides != _packed(shape, size):
        raise ValueError(f"{what}: gaps between rows are for arrays of two dimensions")
    rows = int(np.prod(shape[:-1]))
    stride = strides[0] if len(shape) == 2 and rows > 1 else shape[-1] * size
    if stride < 0 or stride == 0 and shape[-1] * size:
        raise ValueError(f"{what}: rows must not run backwards, or all be one")
    return rows, shape[-1], stride


def _length(array, what):
    """How many elements an array of one dimension has."""
    if len(array.shape) != 1:
        raise ValueError(f"{what}: its shape is {tuple(array.shape)}: it must have one dimension")
    return array.shape[0]


def _matches(array, what, shape, dtype=None):
    if array is None:
        return
    if tuple(array.shape) != tuple(shape):
        raise ValueError(f"{what}: its shape is {tuple(array.shape)} instead of {tuple(shape)}")
    if dtype is not None and array.dtype != dtype:
        raise TypeError(f"{what}: its dtype is {array.dtype} instead of {np.dtype(dtype)}")


def _receiver(out, keys, rows, axis):
    """The rows of `out`, which holds the keys now, after checking that it can receive them."""
    if not isinstance(out, np.ndarray) or _has_masks(out):
        raise TypeError("out: it is no array of numpy's")
    keys = np.asarray(keys)
    _matches(out, "out", keys.shape, keys.dtype)
    if axis is not None and _axis(axis, keys) != -1:
        raise ValueError(f"out: axis is {axis}, but must be the last one, or None")
    if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        raise ValueError("out: it must be C-contiguous, aligned and writeable")
    if out is not keys:
        out[...] = keys
    return out.reshape(rows.shape)


def _known(order, kind=Order):
    """Refuses options that no sort has, or no merge."""
    for name in order.keys() - kind.__annotations__.keys():
        fields = " (`by` names fields)" if name == "order" else ""
        raise TypeError(f"there is no option {name!r}{fields}; there are "
                        f"{', '.join(kind.__annotations__)}")


def _names(by):
    """The names of the fields that decide, as a list."""
    names = [by] if isinstance(by, str) else list(by)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("by: names of fields are strings")
    if not 1 <= len(names) <= MAX_FIELDS:
        raise ValueError(f"by: {len(names)} fields are not 1 to {MAX_FIELDS}")
    return names


def _pair(bits):
    """(first, last) of some bits; (0, 0) stands for all."""
    pair = (0, 0) if bits is None else tuple(bits)
    if len(pair) != 2:
        raise ValueError("bits: they must be (first, last)")
    return pair


def _group_numbers(keys):
    """Numbers of groups, of any integers, as unsigned ones."""
    if not keys.size and keys.dtype == np.float64:   # what numpy makes of an empty list
        return keys.astype(np.uint32)
    _group_type(keys.dtype, "biu")
    if keys.size and keys.min() < 0:
        raise ValueError("keys: numbers of groups cannot be negative")
    return keys.view(f"u{keys.dtype.itemsize}")


def _group_type(dtype, kinds="bu"):
    """The key type of numbers of groups."""
    number = key_type(dtype)
    if dtype.kind not in kinds:
        raise TypeError(f"keys of dtype {dtype} cannot be numbers of groups")
    return number


def _equalities(stable=False, nan=None, zero_equal=None, **_):
    """The orders of NaNs and of zeros, of sorts and of merges."""
    name = ("equal" if stable else "last") if nan is None else nan
    if name not in _NAN_ORDERS:
        raise ValueError(f"nan: {name!r} is none of {', '.join(_NAN_ORDERS)}")
    return _NAN_ORDERS[name], ZERO_EQUAL if (stable if zero_equal is None else zero_equal) else 0


def _takes_equal(number, order):
    """Does this order take different bits of such keys as equal?"""
    nans, zeros = _equalities(**order)
    return number >> 8 in (KEY_TYPES["float32"] >> 8, KEY_TYPES["bfloat16"] >> 8) and (
        nans == NAN_EQUAL or zeros == ZERO_EQUAL)


def _spelled(order):
    """Options as they stand in a call."""
    return ", ".join(f"{name}={value!r}" for name, value in order.items()) or "no options"


def _numbered(name, arrays):
    """The names of arrays in a list."""
    return [f"{name}[{number}]" for number in range(len(arrays))]


def _all_or_none(*values):
    """Refuses to move the values of some inputs only."""
    if len({array is None for array in values}) > 1:
        raise ValueError("values, values_out: pass those of each input and a place for them, or "
                         "none")


def _overlap(a, b):
    """Do two packed arrays share bytes of a buffer?"""
    if a is None or b is None or _buffer(a) != _buffer(b):
        return False
    (begin, end), (other, other_end) = (
        (x.offset, x.offset + math.prod(x.shape) * x.dtype.itemsize) for x in (a, b))
    return begin < other_end and other < end


def _dtype(array):
    return None if array is None else array.dtype


def _selections(keys, segments, segment_ends):
    """The shape of one number for each row or segment."""
    if segments is None:
        if segment_ends is not None:
            raise ValueError("segment_ends: there are no segments")
        return tuple(keys.shape[:-1])
    if len(keys.shape) != 1:
        raise ValueError("segments: keys must have one dimension")
    _numbers(segments, "segments")
    count = segments.shape[0] - (segment_ends is None)
    if count < 1:
        raise ValueError("segments: at least two offsets are needed, or one with its end")
    if segment_ends is not None:
        _numbers(segment_ends, "segment_ends", count)
    return (count,)


def _offsets(keys, segments, segment_ends, may_overlap=False):
    """Segments and their ends as u4. What the device would answer by sorting nothing is an error.
    Only segments with ends may overlap."""
    begins, ends = (None if given is None else _integers(given, what, keys.shape[0]) for given, what
                    in ((segments, "segments"), (segment_ends, "segment_ends")))
    _selections(keys, begins, ends)
    if begins is not None and (ends is None or not may_overlap):
        reached = begins if ends is None else np.maximum(begins, ends)
        if (begins[1:] < reached[:-1]).any():
            raise ValueError("segments: each must begin where the one before ends, or behind")
    return begins, ends


def _as_described(array):
    """An array without memory in the place of one of numpy's, or of a list; a device's and None as
    they are."""
    if array is None or hasattr(array, "base_data"):
        return array
    array = _host(array)
    return _DeviceArray(None, array.shape, array.dtype)


def _indices(array, what):
    """Checks that an array is of u4 (or i4)."""
    if array.dtype not in (np.uint32, np.int32):
        raise TypeError(f"{what}: its dtype is {array.dtype} instead of uint32")


def _numbers(array, what, length=None):
    """Checks an array of u4 (or i4) in one packed dimension."""
    _indices(array, what)
    _matches(array, what, (_length(array, what) if length is None else length,))
    _layout(array, what)


def key_type(dtype: np.dtype, field: bool = False) -> int:
    """The number of a dtype in the header; TypeError if it cannot be a key. Bytes can only be one
    as the field of a record."""
    dtype = np.dtype(dtype)
    number = KEY_TYPES.get(dtype.name)
    plain = dtype.isnative and dtype.names is None and dtype.subdtype is None
    if number is None or not plain or number > BYTES and not field:
        raise TypeError(f"keys of dtype {dtype} cannot be {'sorted' if field else 'used here'}"
                        f"{_instead(dtype, field)}")
    return number


def _instead(dtype, field):
    """What to write where keys have a dtype that cannot be one; "" if nothing helps."""
    if dtype.names:
        return ": name its fields in `by`" if field else ""
    if not dtype.isnative:
        return " in another byte order: pass keys.astype(keys.dtype.newbyteorder('='))"
    if dtype.kind in "mM":
        return ": pass keys.view('i8'), or records with such a field; NaT comes first there"
    return ": pass keys.astype('S'), if all are ASCII" if field and dtype.kind == "U" else ""


# ---- sorter --------------------------------------------------------------------------------------

class Sorter:
    """Sorts on one device. Several threads may use a sorter; one at a time runs.

    Sorter()                    the first GPU, else the first device
    Sorter(device="nvidia")     the first of devices() with this in its name, its platform's or its
                                kind's; or one of devices() itself, or PyOpenCL's, for arrays of
                                numpy's
    Sorter(context, device)     PyOpenCL's, for arrays that live there
    Sorter(queue)               the queue's context and device

    cache    True: built kernels are kept in the user's folder of caches, so that the next start
             builds nothing; a path: in that folder
    verify   every enqueued sort checks its result on the device; `collect` tells the verdict
    profile  a function of the stage's name and the cl_event as a number, called for each command
    library  the path of the shared library; see _load for the default
    """

    def __init__(self, context: cl.Context | cl.CommandQueue | None = None,
                 device: cl.Device | Device | str | None = None, *,
                 cache: bool | str | os.PathLike = False, verify: bool = False,
                 profile: Callable[[str, int], object] | None = None,
                 library: str | None = None) -> None:
        self._handle, self._queue, self._lock = None, None, threading.RLock()
        self._lib = _load(library)
        self._cl = _OpenCL(self._lib)
        options = Options()
        if cache:
            self._folder = None if cache is True else os.fsencode(cache)
            self._lib.clsort_cache_folder(ctypes.byref(options), self._folder)
        options.flags = OPTION_VERIFY if verify else 0
        if profile is not None:
            if not callable(profile):
                raise TypeError(f"profile: {profile!r} cannot be called")
            self._profile = _Profile(lambda user, stage, event: profile(stage.decode(), event))
            options.profile = ctypes.cast(self._profile, ctypes.c_void_p)
        if device is None and hasattr(context, "device"):
            context, device = context.context, context.device
        if isinstance(device, str):
            device = _device_named(device, devices(library=library))
        if context is not None and device is None:
            raise TypeError("pass a queue, device=, or a context and a device")
        context = None if context is None else _handle(context, "Context", "context")
        device = None if device is None else _handle(device, "Device", "device")
        if context is not None or device is None:
            self._create(context, device, options)
            return
        made = self._cl.create("clCreateContext", None, ctypes.c_uint32(1),
                               ctypes.byref(ctypes.c_void_p(device)), None, None)
        try:
            self._create(made, device, options)
        finally:
            self._cl("clReleaseContext", ctypes.c_void_p(made))

    def _create(self, context, device, options):
        sorter = ctypes.c_void_p()
        status = self._lib.clsort_create(context, device, ctypes.byref(options),
                                         ctypes.byref(sorter))
        if status:
            raise _error(status, self._lib.clsort_status_text(status).decode())
        self._handle = sorter

    @property
    def _sorter(self):
        """The library's sorter. Calls of the library get it here: NULL would crash some of them."""
        if self._handle is None:
            raise ValueError("this sorter is closed: make another one")
        return self._handle

    def close(self) -> None:
        """Releases everything. Sorts that are still queued complete; later calls are a
        ValueError."""
        with self._lock:
            if self._queue:
                self._cl("clReleaseCommandQueue", ctypes.c_void_p(self._queue.int_ptr))
            if self._handle:
                self._lib.clsort_destroy(self._handle)
            self._handle = self._queue = None

    def __enter__(self) -> Sorter:
        return self._sorter and self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def _check(self, status):
        if status:
            text = self._lib.clsort_last_error(self._sorter)
            raise _error(status, (text or self._lib.clsort_status_text(status)).decode())

    # ---- numpy -----------------------------------------------------------------------------------

    def sort(self, keys: ArrayLike, axis: int | None = -1, kind: str | None = None, *,
             by: Sequence[str] | None = None, segments: ArrayLike | None = None,
             segment_ends: ArrayLike | None = None, out: np.ndarray | None = None,
             **order: Unpack[Order]) -> np.ndarray:
        """The sorted keys, as a new array of the same shape; as np.sort, each row by itself.

        axis, kind  as in numpy: None sorts all keys as one row; "stable" and "mergesort" are
                  `stable`, other kinds change nothing; a kind goes without `stable`
        by        with a structured dtype: the names of the fields that decide, the first one first;
                  "-name" is in descending order
        segments  offsets, m + 1 ascending integers: keys[segments[i]:segments[i + 1]] is sorted by
                  itself, for each i; keys have one dimension. Other keys stay where they are
        segment_ends  m integers; then `segments` has m, too: keys[segments[i]:segment_ends[i]].
                  None begins before the begin or end of the one before
        out       the array that receives the keys, C-contiguous, of their shape and dtype; keys
                  itself: in place. Rows are then along the last axis, or axis is None. Where arrays
                  are large, a new one costs more than the sort on a GPU: its pages are new, too
        """
        rows, place = _along(_host(keys), axis)
        sorts = np.array(rows, order="C") if out is None else _receiver(out, keys, rows, axis)
        self._sort_host(sorts, None, None, by, segments, segment_ends, _of_kind(kind, order))
        return np.moveaxis(sorts, -1, place) if out is None else out

    def argsort(self, keys: ArrayLike, axis: int | None = -1, kind: str | None = None, *,
                by: Sequence[str] | None = None, segments: ArrayLike | None = None,
                segment_ends: ArrayLike | None = None, **order: Unpack[Order]) -> np.ndarray:
        """Indices (u4, of the shape of keys) in the order of their keys; as np.argsort.

        They count in their row or segment. With `stable` they are those of kind="stable".
        """
        rows, place = _along(_host(keys), axis)
        rows = np.ascontiguousarray(rows)
        indices = np.zeros(rows.shape, np.uint32)
        self._sort_host(rows, None, indices, by, segments, segment_ends, _of_kind(kind, order))
        return np.moveaxis(indices, -1, place)

    def sort_by_key(self, keys: ArrayLike, values: ArrayLike, axis: int | None = -1, *,
                    by: Sequence[str] | None = None, segments: ArrayLike | None = None,
                    segment_ends: ArrayLike | None = None,
                    **order: Unpack[Order]) -> tuple[np.ndarray, np.ndarray]:
        """(sorted keys, their values): new arrays. Values have the shape of keys; `axis` is as of
        `sort`."""
        keys, values = _host(keys), _host(values)
        _matches(values, "values", keys.shape)
        (rows, place), (moved, _) = _along(keys, axis), _along(values, axis)
        rows, moved = np.array(rows, order="C"), np.array(moved, order="C")
        self._sort_host(rows, moved, None, by, segments, segment_ends, order)
        return np.moveaxis(rows, -1, place), np.moveaxis(moved, -1, place)

    def top_k(self, keys: ArrayLike, k: int, axis: int | None = -1, *,
              values: ArrayLike | None = None, lengths: ArrayLike | None = None,
              segments: ArrayLike | None = None, segment_ends: ArrayLike | None = None,
              by: Sequence[str] | None = None, sort: bool = True,
              **order: Unpack[Order]) -> tuple[np.ndarray, ...]:
        """(the first k keys of each row's order, their indices): shapes (..., k), or with k in the
        place of `axis`; indices u4.

        axis      rows are along this one; None: all keys are one row
        values    of the shape of keys: the result is (keys, indices, values)
        lengths   of two dimensions: how many keys each row has, at most its length
        segments  offsets as in `sort`: a row of the result for each. Those with segment_ends may
                  overlap and come in any order
        sort      False: the k in any order, which is faster for large k
        Where a row has fewer than k keys, the rest of its indices is 0xFFFFFFFF, and what its keys
        and values are there means nothing.
        """
        keys, values = _host(keys), None if values is None else _host(values)
        _matches(values, "values", keys.shape)
        keys, place = _along(keys, axis)
        values = None if values is None else _along(values, axis)[0]
        k = _first_k(k, keys.shape[-1], segments)
        numbers = _offsets(keys, segments, segment_ends, may_overlap=True)
        shape = _selections(keys, *numbers)
        if lengths is not None:
            lengths = _integers(lengths, "lengths", keys.shape[-1])
        may_be_short = lengths is not None or numbers[0] is not None
        with self._lock, _Buffers(self) as gpu:
            def result(dtype):   # what is not written must not be what memory held before
                shown = shape + (k,), dtype
                return gpu.upload(np.zeros(*shown)) if may_be_short else gpu.empty(*shown)

            out, indices, moved = result(keys.dtype), result(np.uint32), gpu.upload(values)
            values_out = moved and result(moved.dtype)
            segments, segment_ends = map(gpu.upload, numbers)
            self._enqueue_sort(gpu.queue, gpu.upload(keys), order, by, k, sort, out=out,
                               indices=indices, values=moved, values_out=values_out,
                               lengths=gpu.upload(lengths), segments=segments,
                               segment_ends=segment_ends)
            return tuple(np.moveaxis(gpu.download(a), -1, place)
                         for a in (out, indices, values_out) if a is not None)

    def partition(self, keys: ArrayLike, kth: int, axis: int | None = -1,
                  **order: Unpack[Order]) -> np.ndarray:
        """A new array with the key number kth of each row's order in its place, those before it in
        front and the rest behind it; as np.partition. A kth below 0 counts from the end."""
        keys, place = _along(_host(keys), axis)
        kth, count = operator.index(kth), keys.shape[-1]
        if keys.size and not -count <= kth < count:
            raise ValueError(f"kth={kth} is out of bounds: a row has {count} keys")
        with self._lock, _Buffers(self) as gpu:
            both = gpu.upload(keys)
            desc = self._desc(both, None, order)
            if keys.size:
                desc.top_k, desc.flags = kth % count + 1, FLAG_TOP_PARTITION
            self._enqueue("clsort_enqueue_sort", gpu.queue, desc)
            return np.moveaxis(gpu.download(both), -1, place)

    def merge(self, a: ArrayLike, b: ArrayLike, *,
              values: tuple[ArrayLike, ArrayLike] | None = None, check: bool = True,
              **order: Unpack[MergeOrder]) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The merge of two sorted arrays of one dimension; of equal keys those of `a` come first.

        values  (those of a, those of b), of at most 8 bytes each: the result is (keys, values)
        check   ValueError if an input is not sorted in the order of this call. False: elements of
                such inputs are lost without a word. The check runs on the device and reads each key
                twice: with PoCL 3.1 on a CPU 2^22 u4 take 70 ms of its time instead of 12, 2^11
                0.28 ms instead of 0.11
        Floats with equal NaNs or zeros, as by `stable`, are merged by a stable sort, which takes
        longer: 154 ms for 2^22 f4.
        """
        def enqueue(queue, runs, out, values, values_out, check, order):
            self._enqueue_merge(queue, *runs, out, *(values or (None, None)), values_out, check,
                                order)

        return self._merge_host(enqueue, (a, b), "ab", values, check, order)

    def merge_runs(self, runs: Sequence[ArrayLike], *, values: Sequence[ArrayLike] | None = None,
                   check: bool = True, **order: Unpack[MergeOrder]
                   ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The merge of up to 16 sorted arrays of one dimension and one dtype; of equal keys those
        of the first array come first. `check` is as of merge.

        values  an array for each run, of at most 8 bytes per value: the result is (keys, values)
        """
        runs = list(runs)
        return self._merge_host(self._enqueue_merge_runs, runs, _numbered("runs", runs), values,
                                check, order)

    def _merge_host(self, enqueue, runs, names, values, check, order):
        with self._lock, _Buffers(self) as gpu:
            runs, moved = ([] if arrays is None else [gpu.upload(_rows(a)) for a in arrays]
                           for arrays in (runs, values))
            if values is not None and len(moved) != len(runs):
                raise ValueError(f"values: {len(moved)} arrays for {len(runs)} of keys")
            size = (sum(_length(run, name) for name, run in zip(names, runs)),)
            out = gpu.empty(size, runs[0].dtype if runs else np.uint32)
            values_out = gpu.empty(size, moved[0].dtype) if moved else None
            enqueue(gpu.queue, runs, out, moved, values_out, check, order)
            return (gpu.download(out), gpu.download(values_out)) if moved else gpu.download(out)

    def partition_by(self, keys: ArrayLike, splitters: ArrayLike, *,
                     values: ArrayLike | None = None, descending: bool = False,
                     nan: str = "last", check: bool = True) -> tuple[np.ndarray, ...]:
        """(keys, starts): keys in parts between sorted splitters, of which there are 1 to 255. Part
        p is keys[starts[p]:starts[p + 1]]: the keys that do not come before splitters[p - 1], but
        before splitters[p]. They keep their order. Starts are u4, two more than splitters. -0 comes
        before +0, and NaNs are ordered by their bits.

        values  of the shape of keys, at most 8 bytes each: the result is (keys, starts, values)
        check   ValueError if the splitters are not in that order. False: keys are then in wrong
                parts. Takes as long as one launch
        """
        with self._lock, _Buffers(self) as gpu:
            keys, values = gpu.upload(_rows(keys)), gpu.upload(values)
            key_type(keys.dtype)
            splitters = gpu.upload(_like(splitters, keys.dtype, "splitters"))
            out, starts = (gpu.empty(keys.shape, keys.dtype),
                           gpu.empty((_length(splitters, "splitters") + 2,), np.uint32))
            values_out = values and gpu.empty(values.shape, values.dtype)
            self._enqueue_partition(gpu.queue, keys, splitters, out, starts, values, values_out,
                                    check, {"descending": descending, "nan": nan})
            return tuple(gpu.download(a) for a in (out, starts, values_out) if a is not None)

    def gather(self, indices: ArrayLike, *arrays: ArrayLike) -> tuple[np.ndarray, ...]:
        """The elements of each array at the indices, each row by itself: a tuple of new arrays, as
        np.take_along_axis(array, indices, -1). Indices are 0 or more and below the row's length, or
        0xFFFFFFFF: there the new arrays have 0. top_k writes these where a row has too few keys."""
        indices = _integers(indices, "indices", _NO_INDEX)
        found = indices[indices != _NO_INDEX]
        with self._lock, _Buffers(self) as gpu:
            sources = [gpu.upload(_rows(a)) for a in arrays]
            for source in sources if found.size else ():
                _integer(found.max(), "indices", most=source.shape[-1] - 1)
            targets = [gpu.upload(np.zeros(indices.shape, a.dtype)) for a in sources]
            if indices.size and sources:
                self._enqueue_gather(gpu.queue, gpu.upload(indices), sources, targets)
            return tuple(gpu.download(a) for a in targets)

    def group_starts(self, keys: ArrayLike, groups: int, *, check: bool = True) -> np.ndarray:
        """Where each group begins among ascending keys, which are numbers of groups: u4 of shape
        (groups + 1,). The keys of group g are keys[starts[g]:starts[g + 1]]. Keys are integers from
        0 on.

        check  ValueError if the keys do not ascend. False: the result then means nothing. Reads the
               keys once
        """
        keys = _group_numbers(_rows(keys))
        with self._lock, _Buffers(self) as gpu:
            starts = gpu.empty((_integer(groups, "groups") + 1,), np.uint32)
            self._enqueue_group_starts(gpu.queue, gpu.upload(keys), starts, None, None, check)
            return gpu.download(starts)

    def _sort_host(self, keys, values, indices, by, segments, segment_ends, order):
        """Sorts packed numpy arrays in place, or writes indices."""
        segments, segment_ends = _offsets(keys, segments, segment_ends)
        with self._lock, _Buffers(self) as gpu:
            if segments is not None:
                arrays = [gpu.upload(a) for a in (keys, values, indices)]
                self._enqueue_sort(gpu.queue, arrays[0], order, by, values=arrays[1],
                                   indices=arrays[2], segments=gpu.upload(segments),
                                   segment_ends=gpu.upload(segment_ends))
                written = (keys, values) if indices is None else (None, None, indices)
                for target, array in zip(written, arrays):
                    if target is not None:
                        target[...] = gpu.download(array)
                return
            host = _DeviceArray(None, keys.shape, keys.dtype)
            desc = self._desc(host, by, order)
            desc.value_size = 0 if values is None else values.dtype.itemsize
            pointers = [None if a is None else a.ctypes.data for a in (keys, values, indices)]
            self._check(self._lib.clsort_sort_host(self._sorter, ctypes.byref(desc), *pointers))

    # ---- PyOpenCL --------------------------------------------------------------------------------
    #
    # Arrays are pyopencl.array.Array in the sorter's context, of one dimension, or of two with any
    # bytes from row to row. Nothing is copied, and no call waits for the device. The sort starts
    # after the arrays' events and those of wait_for, a list of pyopencl.Event. A call returns a
    # pyopencl.Event, and adds it to the arrays that are written. The first sort of a kind builds
    # its kernels: that takes a second or two. Offsets, lengths and indices on the device are not
    # looked at: clsort.h says what wrong ones do. A sorter with `verify` reports sorts of wrong
    # segments.
    #
    # Nothing looks whether inputs that must be sorted are, either, unless `check` is true: only a
    # call that waits for the device can refuse them.

    def enqueue_sort(self, queue: cl.CommandQueue, keys: DeviceArray, *,
                     out: DeviceArray | None = None, values: DeviceArray | None = None,
                     values_out: DeviceArray | None = None, indices: DeviceArray | None = None,
                     by: Sequence[str] | None = None, segments: DeviceArray | None = None,
                     segment_ends: DeviceArray | None = None, count: DeviceArray | None = None,
                     overwrite: bool = False, wait_for: Sequence[cl.Event] = (),
                     **order: Unpack[Order]) -> cl.Event:
        """Sorts keys in place, or into `out`; moves values in place, or into values_out.

        indices   receives the permutation, u4 or i4, of the shape of keys; then keys and values
                  are only read, unless `out` and `values_out` are given
        segments  offsets, u4 of shape (m + 1,), or (m,) with segment_ends, u4 of shape (m,); keys
                  have one dimension
        count     u4 of shape (1,): how many keys there are when the sort runs, at most those of
                  the array
        overwrite True: keys and values that are sorted to other arrays may be overwritten, which
                  saves scratch memory
        """
        with self._lock:
            return self._enqueue_sort(queue, keys, order, by, wait_for=wait_for, out=out,
                                      values=values, values_out=values_out, indices=indices,
                                      segments=segments, segment_ends=segment_ends, count=count,
                                      overwrite=overwrite)

    def enqueue_top_k(self, queue: cl.CommandQueue, keys: DeviceArray, k: int, *,
                      out: DeviceArray | None = None, indices: DeviceArray | None = None,
                      values: DeviceArray | None = None, values_out: DeviceArray | None = None,
                      lengths: DeviceArray | None = None, segments: DeviceArray | None = None,
                      segment_ends: DeviceArray | None = None, by: Sequence[str] | None = None,
                      sort: bool = True, wait_for: Sequence[cl.Event] = (),
                      **order: Unpack[Order]) -> cl.Event:
        """Writes the first k keys of each row's order to `out`, their indices to `indices`, and
        their values to values_out. Keys and values are only read.

        out, indices, values_out  of shape (k,), (rows, k), or with segments (m, k); indices u4 or
                                  i4
        lengths                   u4 of shape (rows,): how many keys each row has
        segments, segment_ends    as of enqueue_sort; here segments may overlap if they have ends
        """
        with self._lock:
            return self._enqueue_sort(queue, keys, order, by, k, sort, wait_for, out=out,
                                      indices=indices, values=values, values_out=values_out,
                                      lengths=lengths, segments=segments,
                                      segment_ends=segment_ends)

    def prepare(self, queue: cl.CommandQueue | None, keys: AnyArray, k: int | None = None, *,
                by: Sequence[str] | None = None, sort: bool = True, any_count: bool = False,
                out: AnyArray | None = None, values: AnyArray | None = None,
                values_out: AnyArray | None = None, indices: AnyArray | None = None,
                lengths: AnyArray | None = None, segments: AnyArray | None = None,
                segment_ends: AnyArray | None = None, count: AnyArray | None = None,
                overwrite: bool = False, **order: Unpack[Order]) -> None:
        """Builds and allocates what the call with these arguments needs: enqueue_sort, or with `k`
        enqueue_top_k. That call then makes nothing but events. Blocks, and sorts nothing.

        Arrays may also be numpy's, of the same shapes and dtypes, and queue may be None: then the
        kernels are warmed on a queue of the sorter's own.
        any_count  for every count of keys up to that of these
        """
        arrays = {"out": out, "values": values, "values_out": values_out, "indices": indices,
                  "lengths": lengths, "segments": segments, "segment_ends": segment_ends,
                  "count": count, "overwrite": overwrite}
        with self._lock:
            arrays = {name: array if name == "overwrite" else _as_described(array)
                      for name, array in arrays.items()}
            desc = self._describe(_as_described(keys), order, by, k, sort, arrays)
            for name, field in _LATER_FIELDS.items():
                if arrays[name] is not None and not getattr(desc, field):
                    setattr(desc, field, LATER)
            desc.flags |= FLAG_ANY_COUNT if any_count else 0
            self._check(self._lib.clsort_prepare(
                self._sorter, None if queue is None else _pointer(queue), ctypes.byref(desc)))

    def _describe(self, keys, order, by, k, sort, arrays):
        """The description of a sort, or with k of a selection. `arrays` are those beside keys, by
        their names; None where there is none."""
        given = {name: arrays.get(name) for name in (
            "out", "values", "values_out", "indices", "lengths", "segments", "segment_ends",
            "count")}
        _on_device({"keys": keys}, given)
        values, segments = given["values"], given["segments"]
        if values is None and given["values_out"] is not None:
            raise ValueError("values_out: there are no values")
        shape = tuple(keys.shape)
        desc = self._desc(keys, by, order)
        if k is not None:
            k = _first_k(k, keys.shape[-1], segments)
            shape = _selections(keys, segments, given["segment_ends"]) + (k,)
        _matches(values, "values", keys.shape)
        for name, dtype in (("out", keys.dtype), ("values_out", _dtype(values)),
                            ("indices", None)):
            _matches(given[name], name, shape, dtype)
        if k is not None and 0 in shape[:-1]:   # nothing to select from
            given["lengths"] = None
        elif k is not None:
            desc.top_k, desc.flags = k, 0 if sort else FLAG_TOP_UNSORTED
        desc.flags |= FLAG_OVERWRITE_INPUT if arrays.get("overwrite") else 0
        self._place(desc, keys, **given)
        return desc

    def _enqueue_sort(self, queue, keys, order, by=None, k=None, sort=True, wait_for=(), **arrays):
        desc = self._describe(keys, order, by, k, sort, arrays)
        out, values, values_out, indices = (
            arrays.get(name) for name in ("out", "values", "values_out", "indices"))
        in_place = k is None and indices is None
        written = (keys if in_place and out is None else out,
                   values if in_place and values_out is None else values_out, indices,
                   *((keys, values) if arrays.get("overwrite") else ()))
        read = (keys, values, *(arrays.get(name) for name in ("lengths", "segments", "segment_ends",
                                                              "count")))
        return self._enqueue("clsort_enqueue_sort", queue, desc, read, written, wait_for)

    def enqueue_merge(self, queue: cl.CommandQueue, a: DeviceArray, b: DeviceArray,
                      out: DeviceArray, *, values_a: DeviceArray | None = None,
                      values_b: DeviceArray | None = None, values_out: DeviceArray | None = None,
                      check: bool = False, wait_for: Sequence[cl.Event] = (),
                      **order: Unpack[MergeOrder]) -> cl.Event:
        """Merges two sorted arrays of shapes (n,) and (m,) into `out`, of shape (n + m,).

        check  True: waits until the inputs are there and checked, and refuses what is not sorted,
               as merge does. False, so that the call does not wait: elements of inputs in another
               order are LOST, others doubled, and nothing tells. An np.sort of floats is in another
               order, unless you pass `stable`
        """
        with self._lock:
            return self._enqueue_merge(queue, a, b, out, values_a, values_b, values_out, check,
                                       order, wait_for)

    def _enqueue_merge(self, queue, a, b, out, values_a, values_b, values_out, check, order,
                       wait_for=()):
        _on_device({"a": a, "b": b, "out": out},
                   {"values_a": values_a, "values_b": values_b, "values_out": values_out})
        _all_or_none(values_a, values_b, values_out)
        merge = MergeDesc()
        merge.count_a, merge.count_b = _length(a, "a"), _length(b, "b")
        self._set_merge(merge, a, values_a, order)
        size = (merge.count_a + merge.count_b,)
        for name, what, array, shape, like in (
                ("keys_a", "a", a, a.shape, a), ("keys_b", "b", b, b.shape, a),
                ("keys_out", "out", out, size, a), ("values_a", "", values_a, a.shape, values_a),
                ("values_b", "", values_b, b.shape, values_a),
                ("values_out", "", values_out, size, values_a)):
            self._set_array(merge, name, array, shape, _dtype(like), what)
        return self._enqueue_merged("clsort_enqueue_merge", queue, merge, {"a": a, "b": b}, out,
                                    (values_a, values_b), values_out, check, order, wait_for)

    def _enqueue_merged(self, function, queue, merge, runs, out, values, values_out, check, order,
                        wait_for):
        """Merges runs, which have names, as `merge` describes it. The library does not merge floats
        with equal NaNs or zeros: these are sorted behind each other, which keeps the order of equal
        ones."""
        if check:
            self._check_sorted(queue, runs, order, _MERGE_ORDERS, wait_for)
        read, written = (*runs.values(), *values), (out, values_out)
        if not _takes_equal(merge.key_type, order):
            return self._enqueue(function, queue, merge, read, written, wait_for)
        for target in written:
            if any(_overlap(target, source) for source in read):
                raise _error(-5018, "out, values_out: they overlap an input")
        for sources, target in (runs.values(), out), (values, values_out):
            self._copy(queue, [s for s in sources if s is not None], target, wait_for)
        return self._enqueue_sort(queue, out, order, values=values_out, wait_for=wait_for)

    def _copy(self, queue, sources, target, wait_for):
        """Copies packed arrays to the target, one behind the other."""
        place = target.offset if sources else 0
        for source in sources:
            size = source.shape[0] * source.dtype.itemsize
            if size:
                self._command(queue, (source,), (target,), wait_for, lambda *events: self._cl(
                    "clEnqueueCopyBuffer", *map(ctypes.c_void_p, (
                        _pointer(queue), _buffer(source), _buffer(target))),
                    *map(ctypes.c_size_t, (source.offset, place, size)), *events))
            place += size

    def _check_sorted(self, queue, inputs, order, others, wait_for=(), count=None):
        """Refuses inputs, which have names, that are not in this order. Names the one of the other
        orders that they are in. Waits for the device. `count`: how many elements are looked at."""
        found = self._find_unsorted(queue, inputs, order, wait_for, count)
        for (name, array), place in zip(inputs.items(), found):
            if place < array.shape[0]:
                break
        else:
            return
        size = array.dtype.itemsize
        with _Buffers(self) as gpu:
            pair = gpu.download(_DeviceArray(_buffer(array), (2,), array.dtype,
                                             array.offset + (int(place) - 1) * size))
        earlier, later = (f"{key} (0x{code:0{2 * size}x})" if array.dtype.kind in "fV" else str(key)
                          for key, code in zip(pair, pair.view(f"u{size}")))
        sizes = [a.shape[0] for a in inputs.values()]
        fitting = (other for other in others
                   if (self._find_unsorted(queue, inputs, other) == sizes).all())
        told = next((f"pass {_spelled(other)}, by which all inputs are sorted"
                     for other in fitting),
                    "sort it first, by `sort` or `sort_by_key` with the options of this call")
        raise ValueError(f"{name}: not sorted in the order of this call, where element {place}, "
                         f"{later}, comes before element {place - 1}, {earlier}: {told}")

    def _find_unsorted(self, queue, inputs, order, wait_for=(), count=None):
        """Of each input, the number of the first element that comes before its predecessor in this
        order, or of elements if none does."""
        with _Buffers(self) as gpu:
            result = gpu.empty((len(inputs),), np.uint32)
            for number, array in enumerate(inputs.values()):
                desc = self._desc(array, None, order)
                self._place(desc, array, count=count)
                event = self._enqueue("clsort_enqueue_is_sorted", queue, desc, (array, count), (),
                                      wait_for, (_buffer(result), 4 * number))
                if event is not None:
                    event.wait()
            return gpu.download(result)

    def enqueue_merge_runs(self, queue: cl.CommandQueue, runs: Sequence[DeviceArray],
                           out: DeviceArray, *, values: Sequence[DeviceArray] = (),
                           values_out: DeviceArray | None = None, check: bool = False,
                           wait_for: Sequence[cl.Event] = (),
                           **order: Unpack[MergeOrder]) -> cl.Event:
        """Merges up to 16 sorted arrays of one dimension into `out`, which has room for all.
        Elements of runs in another order are LOST unless `check` is true, as of enqueue_merge."""
        with self._lock:
            return self._enqueue_merge_runs(queue, runs, out, values, values_out, check, order,
                                            wait_for)

    def prepare_merge_runs(self, runs: Sequence[AnyArray], out: AnyArray, *,
                           values: Sequence[AnyArray] = (), values_out: AnyArray | None = None,
                           **order: Unpack[MergeOrder]) -> None:
        """Builds the kernels of enqueue_merge_runs for keys and values of these dtypes, however
        many runs there are, but not that of `check`; with equal NaNs or zeros for at most as many
        keys. Arrays may also be numpy's. Blocks, and merges nothing."""
        runs, values = ([_as_described(a) for a in arrays] for arrays in (runs, values))
        out, values_out = map(_as_described, (out, values_out))
        with self._lock:
            merge = self._describe_merge_runs(runs, out, values, values_out, order)
            if _takes_equal(merge.key_type, order):
                moved = _DeviceArray(None, out.shape, values[0].dtype) if values else None
                self.prepare(None, out, values=moved, any_count=True, **order)
            else:
                self._check(self._lib.clsort_prepare_merge_runs(self._sorter, ctypes.byref(merge)))

    def _describe_merge_runs(self, runs, out, values, values_out, order):
        names, value_names = _numbered("runs", runs), _numbered("values", values)
        _on_device({**dict(zip(names, runs)), **dict(zip(value_names, values)), "out": out},
                   {"values_out": values_out})
        _integer(len(runs), "runs: their number", 1, MAX_RUNS)
        merge, parts = MergeRunsDesc(), (Run * len(runs))()
        if values and len(values) != len(runs):
            raise ValueError(f"values: {len(values)} arrays for {len(runs)} runs")
        for number, (part, keys, name) in enumerate(zip(parts, runs, names)):
            part.count = _length(keys, name)
            self._set_array(part, "keys", keys, keys.shape, out.dtype, name)
            if values:
                self._set_array(part, "values", values[number], keys.shape, values[0].dtype,
                                value_names[number])
        size = (sum(part.count for part in parts),)
        merge.runs, merge.run_count = ctypes.cast(parts, ctypes.c_void_p), len(runs)
        self._set_merge(merge, out, values[0] if values else None, order)
        self._set_array(merge, "keys_out", out, size, what="out")
        if values:
            self._set_array(merge, "values_out", values_out, size, values[0].dtype)
        merge._runs_kept = parts
        return merge

    def _enqueue_merge_runs(self, queue, runs, out, values, values_out, check, order, wait_for=()):
        runs, values = list(runs), list(values or ())
        merge = self._describe_merge_runs(runs, out, values, values_out, order)
        _all_or_none(*(values or [None]), values_out)
        named = dict(zip(_numbered("runs", runs), runs))
        return self._enqueue_merged("clsort_enqueue_merge_runs", queue, merge, named, out, values,
                                    values_out, check, order, wait_for)

    def enqueue_partition(self, queue: cl.CommandQueue, keys: DeviceArray, splitters: DeviceArray,
                          out: DeviceArray, starts: DeviceArray, *,
                          values: DeviceArray | None = None, values_out: DeviceArray | None = None,
                          descending: bool = False, nan: str = "last", check: bool = False,
                          wait_for: Sequence[cl.Event] = ()) -> cl.Event:
        """Writes keys to `out` in parts between sorted splitters, and to `starts` where each part
        begins: u4, two more than splitters. All arrays have one dimension. See partition_by; here
        the check of splitters waits for the device, and without it keys are in wrong parts if
        splitters are in another order."""
        with self._lock:
            return self._enqueue_partition(queue, keys, splitters, out, starts, values, values_out,
                                           check, {"descending": descending, "nan": nan}, wait_for)

    def prepare_partition(self, keys: AnyArray, splitters: AnyArray, out: AnyArray,
                          starts: AnyArray, *, values: AnyArray | None = None,
                          values_out: AnyArray | None = None, descending: bool = False,
                          nan: str = "last") -> None:
        """Builds the kernels of enqueue_partition for keys and values of these dtypes, and for up
        to 15 splitters, or for more if these are more. Else as prepare_merge_runs."""
        with self._lock:
            desc = self._describe_partition(
                *map(_as_described, (keys, splitters, out, starts, values, values_out)),
                {"descending": descending, "nan": nan})
            self._check(self._lib.clsort_prepare_partition(self._sorter, ctypes.byref(desc)))

    def _describe_partition(self, keys, splitters, out, starts, values, values_out, order):
        _on_device({"keys": keys, "splitters": splitters, "out": out, "starts": starts},
                   {"values": values, "values_out": values_out})
        if values is None and values_out is not None:
            raise ValueError("values_out: there are no values")
        desc = PartitionDesc()
        desc.count = _length(keys, "keys")
        desc.splitter_count = _integer(_length(splitters, "splitters"), "splitters: their number",
                                       1, MAX_SPLITTERS)
        self._set_merge(desc, keys, values, order)
        for name, what, array in (("keys", "keys", keys), ("keys_out", "out", out),
                                  ("splitters", "splitters", splitters)):
            self._set_array(desc, name, array, (splitters if array is splitters else keys).shape,
                            keys.dtype, what)
        for name, array in (("values", values), ("values_out", values_out)):
            self._set_array(desc, name, array, keys.shape, _dtype(values))
        _numbers(starts, "starts", desc.splitter_count + 2)
        self._set_array(desc, "starts", starts)
        return desc

    def _enqueue_partition(self, queue, keys, splitters, out, starts, values, values_out, check,
                           order, wait_for=()):
        desc = self._describe_partition(keys, splitters, out, starts, values, values_out, order)
        _all_or_none(values, values_out)
        if check:
            others = [other for other in _MERGE_ORDERS if "stable" not in other]
            self._check_sorted(queue, {"splitters": splitters}, order, others, wait_for)
        return self._enqueue("clsort_enqueue_partition", queue, desc, (keys, splitters, values),
                             (out, starts, values_out), wait_for)

    def enqueue_gather(self, queue: cl.CommandQueue, indices: DeviceArray,
                       sources: Sequence[DeviceArray], targets: Sequence[DeviceArray], *,
                       wait_for: Sequence[cl.Event] = ()) -> cl.Event:
        """Writes source[indices] to target for each pair of these lists, each row by itself.

        indices  u4 or i4 of shape (n,) or (rows, n), as an argsort or top-k wrote them. One that is
                 beyond the row leaves its target as it was
        targets  of the shape of indices. All sources have one shape
        """
        with self._lock:
            return self._enqueue_gather(queue, indices, sources, targets, wait_for)

    def _enqueue_gather(self, queue, indices, sources, targets, wait_for=()):
        sources, targets = list(sources), list(targets)
        _on_device({"indices": indices, **dict(zip(_numbered("sources", sources), sources)),
                    **dict(zip(_numbered("targets", targets), targets))})
        gather, arrays = Gather(), (Array * len(sources))()
        rows, gather.count, gather.indices_row_stride = _layout(indices, "indices")
        gather.rows = rows or 0
        _indices(indices, "indices")
        if len(targets) != len(sources):
            raise ValueError(f"targets: {len(targets)} for {len(sources)} sources")
        for number, (array, source, target) in enumerate(zip(arrays, sources, targets)):
            names = f"sources[{number}]", f"targets[{number}]"
            _matches(source, names[0], indices.shape[:-1] + sources[0].shape[-1:])
            _matches(target, names[1], indices.shape, source.dtype)
            _, gather.source_count, array.source_row_stride = _layout(source, names[0])
            array.target_row_stride = _layout(target, names[1])[2]
            array.element_size = source.dtype.itemsize
            self._set_array(array, "source", source)
            self._set_array(array, "target", target)
        gather.arrays, gather.array_count = ctypes.cast(arrays, ctypes.c_void_p), len(sources)
        self._set_array(gather, "indices", indices)
        return self._enqueue("clsort_enqueue_gather", queue, gather, (indices, *sources), targets,
                             wait_for)

    def enqueue_group_starts(self, queue: cl.CommandQueue, keys: DeviceArray, *,
                             starts: DeviceArray | None = None, counts: DeviceArray | None = None,
                             count: DeviceArray | None = None, check: bool = False,
                             wait_for: Sequence[cl.Event] = ()) -> cl.Event:
        """Finds where each group begins among ascending keys, u1 to u8, which are its number.

        starts  u4 of shape (groups + 1,): the keys of group g are those from starts[g] on. They can
                be the `segments` of another call
        counts  u4 of shape (groups,): how many keys each group has
        count   u4 of shape (1,): how many keys there are when the call runs
        check   True: waits for the device, and refuses keys that do not ascend. False: what is
                written then means nothing
        """
        with self._lock:
            return self._enqueue_group_starts(queue, keys, starts, counts, count, check, wait_for)

    def _enqueue_group_starts(self, queue, keys, starts, counts, count, check, wait_for=()):
        _on_device({"keys": keys}, {"starts": starts, "counts": counts, "count": count})
        groups = Groups()
        groups.count, groups.key_type = _length(keys, "keys"), _group_type(keys.dtype)
        if starts is not None:
            _numbers(starts, "starts")
            groups.groups = _integer(starts.shape[0], "starts: their number", 1) - 1
        if counts is not None:
            groups.groups = groups.groups if starts is not None else _length(counts, "counts")
            _numbers(counts, "counts", groups.groups)
        if count is not None:
            _numbers(count, "count", 1)
            groups.count_buffer, groups.count_offset = _buffer(count), count.offset
        self._set_array(groups, "keys", keys, keys.shape[:1])
        self._set_array(groups, "starts", starts)
        self._set_array(groups, "counts", counts)
        if check:
            self._check_sorted(queue, {"keys": keys}, {}, (), wait_for, count)
        return self._enqueue("clsort_enqueue_group_starts", queue, groups, (keys, count),
                             (starts, counts), wait_for)

    # ---- both ------------------------------------------------------------------------------------

    def explain(self, keys: AnyArray, *, by: Sequence[str] | None = None,
                **order: Unpack[Order]) -> str:
        """How a sort of such keys would run: algorithm, passes, launches, bytes moved."""
        with self._lock:
            keys = _as_described(keys)
            _on_device({"keys": keys})
            keys = _DeviceArray(None, keys.shape, keys.dtype)
            desc, text = self._desc(keys, by, order), ctypes.create_string_buffer(2000)
            self._check(self._lib.clsort_explain(self._sorter, ctypes.byref(desc), text, len(text)))
            return text.value.decode()

    def collect(self) -> None:
        """Waits for all sorts of a sorter with `verify`; Error if one of them was wrong."""
        with self._lock:
            self._check(self._lib.clsort_collect(self._sorter, 1))

    def self_test(self) -> None:
        """Runs every algorithm on this device; Error if one is wrong. Later sorts avoid those."""
        with self._lock:
            self._check(self._lib.clsort_self_test(self._sorter))

    def _desc(self, keys, by, order):
        """A description of keys and their order."""
        order = dict(order)
        _known(order)
        desc = Desc()
        rows, desc.count, stride = _layout(keys, "keys")
        if rows is not None:
            desc.rows, desc.row_stride = rows, stride if rows > 1 and desc.count else 0
            desc.count = desc.count if rows else 0
        desc.keys = _buffer(keys)
        desc.keys_offset = keys.offset
        algorithm = order.pop("algorithm", None)
        if by is not None:
            self._set_fields(desc, keys.dtype, _names(by), order)
        elif key_type(keys.dtype, field=True) > BYTES:
            self._set_fields(desc, np.dtype([("all", keys.dtype)]), ["all"], order)
        else:
            desc.key_type = key_type(keys.dtype)
            self._set_order(desc, **order)
        if algorithm:
            status = self._lib.clsort_set_algorithm(ctypes.byref(desc), str(algorithm).encode())
            if status:
                names = map(self._lib.clsort_algorithm_name, itertools.count())
                known = ", ".join(name.decode() for name in itertools.takewhile(bool, names))
                raise _error(status, f"there is no algorithm {algorithm!r}; there are {known}")
        return desc

    @staticmethod
    def _set_array(struct, name, array, shape=None, dtype=None, what=""):
        """Says in a struct where an array is, after a look at its shape. `what` is its name in the
        call, if that is another one."""
        if array is None:
            return
        if shape is not None:
            _matches(array, what or name, shape, dtype)
            _layout(array, what or name)
        setattr(struct, name, _buffer(array))
        setattr(struct, name + "_offset", array.offset)

    @staticmethod
    def _set_merge(struct, keys, values, order):
        """The order of merges and partitions, and the size of values."""
        _known(order, MergeOrder)
        struct.key_type = key_type(keys.dtype)
        struct.order = DESCENDING if order.get("descending") else 0
        struct.nan_order = _equalities(**order)[0]
        struct.value_size = 0 if values is None else values.dtype.itemsize

    @staticmethod
    def _set_order(target, descending=False, stable=False, nan=None, zero_equal=None, bits=None):
        target.order = DESCENDING if descending else 0
        target.nan_order, target.zero_order = _equalities(stable, nan, zero_equal)
        if isinstance(target, Desc):
            target.stable = bool(stable)
            target.first_bit, target.last_bit = _pair(bits)

    def _set_fields(self, desc, dtype, names, order):
        """Keys are records: a structured dtype, by its fields."""
        if dtype.names is None:
            raise TypeError(f"by: keys of dtype {dtype} have no fields")
        fields = (Field * len(names))()
        for field, name in zip(fields, names):
            down = name not in dtype.names and name.startswith("-")
            if name[down:] not in dtype.names:
                raise ValueError(f"by: keys of dtype {dtype} have no field {name[down:]!r}")
            kind, field.offset = dtype.fields[name[down:]][:2]
            field.type = key_type(kind, field=True)
            self._set_order(field, **dict(order, descending=down != order.get("descending", False)))
        desc.record_size, desc.field_count = dtype.itemsize, len(names)
        desc.fields = ctypes.cast(fields, ctypes.c_void_p)
        desc._fields_kept = fields

    @staticmethod
    def _place(desc, keys=None, out=None, values=None, values_out=None, indices=None, lengths=None,
               segments=None, segment_ends=None, count=None):
        """Says where arrays are and how far apart their rows."""
        outputs = {"keys_out": out, "values_out": values_out, "indices": indices}
        for name, array in dict(outputs, values=values, lengths=lengths, segments=segments,
                                segment_ends=segment_ends).items():
            if array is not None:
                setattr(desc, name, _buffer(array))
                setattr(desc, name + "_offset", array.offset)
        for name, array in outputs.items():
            if array is not None:
                stride = _layout(array, "out" if name == "keys_out" else name)[2]
                if desc.rows:
                    setattr(desc, name + "_row_stride", stride)
        if indices is not None:
            _indices(indices, "indices")
        if values is not None:
            desc.value_size = size = values.dtype.itemsize
            apart = _layout(values, "values")[2]
            if desc.row_stride and desc.row_stride * size != apart * keys.dtype.itemsize:
                raise ValueError("values: rows must be as many elements apart as those of keys")
        selections = _selections(keys, segments, segment_ends)
        if segments is not None:
            desc.segment_count = selections[0]
        if lengths is not None:
            if len(keys.shape) == 1:
                raise ValueError("lengths: keys have one dimension, so one row")
            _numbers(lengths, "lengths", desc.rows)
        if count is not None:
            _numbers(count, "count", 1)
            desc.count_buffer, desc.count_offset = _buffer(count), count.offset

    def _enqueue(self, function, queue, desc, read=(), written=(), wait_for=(), result=()):
        """Calls the library. `result` are the arguments between the description and the events."""
        return self._command(queue, read, written, wait_for, lambda *events: self._check(
            getattr(self._lib, function)(self._sorter, _pointer(queue), ctypes.byref(desc), *result,
                                         *events)))

    @staticmethod
    def _command(queue, read, written, wait_for, call):
        """Calls what enqueues commands, with events to wait for and a place for one that is done.
        On a queue of ours there are no events."""
        is_ours = isinstance(queue, _Queue)
        arrays = [a for a in (*read, *written) if a is not None]
        events = [] if wait_for is None else list(wait_for)
        events += [event for array in arrays for event in getattr(array, "events", ())]
        waits = (ctypes.c_void_p * len(events))(*[_handle(event, "Event", "wait_for")
                                                  for event in events])
        done = ctypes.c_void_p()
        call(len(events), waits if events else None, None if is_ours else ctypes.byref(done))
        if is_ours:
            return None
        import pyopencl
        event = pyopencl.Event.from_int_ptr(done.value, retain=False)
        for array in written:
            if hasattr(array, "add_event"):
                array.add_event(event)
        return event


def sort_on(sorters: Sequence[Sorter], keys: ArrayLike, values: ArrayLike | None = None, *,
            by: Sequence[str] | None = None, device_memory: int = 0,
            **order: Unpack[Order]) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Sorted keys, a new array of one dimension; with values (keys, values). There may be more of
    them than the devices hold. Each sorter is a different one, the fastest first; they share the
    work, and one that fails is left out.

    device_memory  the most bytes of buffers on each device; 0: most of its memory
    """
    keys, values = _rows(keys), None if values is None else _rows(values)
    out, moved = (None if a is None else np.empty_like(a) for a in (keys, values))
    _sort_on(sorters, keys, values, out, moved, None, by, device_memory, order)
    return out if values is None else (out, moved)


def argsort_on(sorters: Sequence[Sorter], keys: ArrayLike, *, by: Sequence[str] | None = None,
               device_memory: int = 0, **order: Unpack[Order]) -> np.ndarray:
    """Indices (u8) in the order of keys of one dimension; as sort_on."""
    keys = _rows(keys)
    indices = np.empty(keys.shape, np.uint64)
    _sort_on(sorters, keys, None, None, None, indices, by, device_memory, order)
    return indices


def array_api(sorter: Sorter) -> types.SimpleNamespace:
    """`sort` and `argsort` as the array API standard has them (2025.12), for numpy's arrays: stable
    unless told otherwise; indices are of numpy's default integer."""
    def sort(x: np.ndarray, /, *, axis: int = -1, descending: bool = False,
             stable: bool = True) -> np.ndarray:
        return sorter.sort(x, axis, descending=descending, stable=stable)

    def argsort(x: np.ndarray, /, *, axis: int = -1, descending: bool = False,
                stable: bool = True) -> np.ndarray:
        return sorter.argsort(x, axis, descending=descending, stable=stable).astype(np.int_)

    return types.SimpleNamespace(sort=sort, argsort=argsort)


def _sort_on(sorters, keys, values, out, values_out, indices, by, device_memory, order):
    sorters = list(sorters)
    if not sorters or not all(isinstance(sorter, Sorter) for sorter in sorters):
        raise TypeError("sorters: pass a list of one Sorter or more")
    _matches(keys, "keys", (keys.size,))
    _matches(values, "values", keys.shape)
    with contextlib.ExitStack() as locks:
        for sorter in sorted(set(sorters), key=id):
            locks.enter_context(sorter._lock)
        desc, multi = sorters[0]._desc(_as_described(keys), by, order), MultiDesc()
        desc.keys, desc.value_size = None, 0 if values is None else values.dtype.itemsize
        multi.sort, multi.device_memory = ctypes.addressof(desc), device_memory
        arrays = {"keys": keys, "values": values, "keys_out": out, "values_out": values_out,
                  "indices": indices}
        for name, array in arrays.items():
            setattr(multi, name, None if array is None else array.ctypes.data)
        handles = (ctypes.c_void_p * len(sorters))(*[sorter._sorter.value for sorter in sorters])
        sorters[0]._check(sorters[0]._lib.clsort_sort_host_on(handles, len(sorters),
                                                              ctypes.byref(multi)))


_default_lock, _default_sorter = threading.Lock(), None


def _default():
    """The sorter of the functions below, which is made when it is first needed."""
    global _default_sorter
    with _default_lock:
        _default_sorter = _default_sorter or Sorter()
        return _default_sorter


def _on_default(method: Callable[Concatenate[Sorter, P], Result]) -> Callable[P, Result]:
    """A method of Sorter as a function: on the first GPU, else the first device."""
    @functools.wraps(method)
    def call(*arguments: P.args, **named: P.kwargs) -> Result:
        return method(_default(), *arguments, **named)

    signature = inspect.signature(method)
    call.__signature__ = signature.replace(parameters=[*signature.parameters.values()][1:])
    return call


sort, argsort = _on_default(Sorter.sort), _on_default(Sorter.argsort)
sort_by_key, top_k = _on_default(Sorter.sort_by_key), _on_default(Sorter.top_k)
merge, merge_runs = _on_default(Sorter.merge), _on_default(Sorter.merge_runs)
partition, partition_by = _on_default(Sorter.partition), _on_default(Sorter.partition_by)
gather, group_starts = _on_default(Sorter.gather), _on_default(Sorter.group_starts)
explain = _on_default(Sorter.explain)

_LATER_FIELDS = {"indices": "indices", "out": "keys_out", "values_out": "values_out",
                 "lengths": "lengths", "count": "count_buffer"}
_NO_INDEX = np.uint32(0xFFFFFFFF)
_NAN_ORDERS = {"total": NAN_TOTAL, "last": NAN_LAST, "equal": NAN_EQUAL}
# What inputs of a merge may be sorted by, as a caller spells it: the default first.
_MERGE_ORDERS = [{**down, **equal} for equal in ({}, {"stable": True}, {"nan": "total"})
                 for down in ({}, {"descending": True})]


class _Buffers:
    """Buffers for numpy's arrays, and an in-order queue; the buffers are released at the end."""

    def __init__(self, sorter):
        self._sorter, self._cl, self._made = sorter, sorter._cl, []
        self._context = ctypes.c_void_p(sorter._lib.clsort_context(sorter._sorter))

    @property
    def queue(self):
        s = self._sorter
        if not s._queue:
            device = ctypes.c_void_p(s._lib.clsort_device(s._sorter))
            s._queue = _Queue(self._cl.create("clCreateCommandQueue", self._context, device,
                                              ctypes.c_uint64(0)))
        return s._queue

    def empty(self, shape, dtype, source=None):
        array = _DeviceArray(None, shape, dtype)
        size = math.prod(array.shape) * array.dtype.itemsize
        flags = 1 | (32 if size and source is not None else 0)   # READ_WRITE, COPY_HOST_PTR
        array.int_ptr = self._cl.create(
            "clCreateBuffer", self._context, ctypes.c_uint64(flags), ctypes.c_size_t(max(size, 1)),
            ctypes.c_void_p(source.ctypes.data) if flags > 1 else None)
        self._made.append(array.int_ptr)
        return array

    def upload(self, array):
        if array is None:
            return None
        array = _rows(array)
        return self.empty(array.shape, array.dtype, array)

    def download(self, array):
        out = np.empty(array.shape, array.dtype)
        if out.nbytes:
            self._cl("clEnqueueReadBuffer", ctypes.c_void_p(self.queue.int_ptr),
                     ctypes.c_void_p(array.int_ptr), ctypes.c_uint32(1),
                     ctypes.c_size_t(array.offset),
                     ctypes.c_size_t(out.nbytes), ctypes.c_void_p(out.ctypes.data), 0, None, None)
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pointer in self._made:
            self._cl("clReleaseMemObject", ctypes.c_void_p(pointer))
