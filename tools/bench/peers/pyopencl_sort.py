"""pyopencl_sort.py - PyOpenCL's sorts on the OpenCL device that clsort takes, as a peer program:
see peer.h. RadixSort of pyopencl.algorithm sorts one array; BitonicSort of pyopencl.bitonic_sort,
also rows, whose length is a power of 2.

Radix sorts into arrays from a pool, as PyOpenCL advises: it allocates nothing after the first runs.
What Python takes to enqueue kernels is in the time."""

import os
import sys
import time

os.environ["PYOPENCL_NO_CACHE"] = "1"   # each program builds alike
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools as cl_tools
from pyopencl.algorithm import RadixSort
from pyopencl.bitonic_sort import BitonicSort

import peer

NAMES = ["PyOpenCL-radix", "PyOpenCL-bitonic"]
CHECK_ITEMS = 1 << 16
SHAPE = np.dtype([("n", "u8"), ("count", "u8"), ("key_bytes", "u4"), ("value_bytes", "u4"),
                  ("kind", "u4"), ("unused", "u4")])   # peer_shape of check.h


def choose_device():
    """The device that device_choose of device.h takes."""
    want = os.environ.get("CLSORT_DEVICE", "all")
    part = "" if want in ("all", "gpu") else want.lower()
    types = cl.device_type.GPU if want == "gpu" else cl.device_type.ALL
    found = [device for platform in cl.get_platforms() for device in platform.get_devices(types)
             if part in platform.name.lower() or part in device.name.lower()]
    if not found:
        raise peer.Unavailable("no such OpenCL device")
    return next((device for device in found if device.type & cl.device_type.GPU), found[0])


class Device:
    """A queue, and the kernels of the check."""

    def __init__(self):
        self.context = cl.Context([choose_device()])
        self.queue = cl.CommandQueue(self.context)
        self.pool = cl_tools.MemoryPool(cl_tools.ImmediateAllocator(self.queue))
        program = cl.Program(self.context, peer.opencl_text()).build()
        self.number, self.sum = program.number, program.sum
        self.radix = {}   # sorters, by types
        self.bitonic = BitonicSort(self.context)

    def radix_sort(self, keys, values):
        arrays = [keys] if values is None else [keys, values]
        kinds = tuple(array.dtype for array in arrays)
        if kinds not in self.radix:
            self.radix[kinds] = RadixSort(
                self.context,
                [cl_tools.VectorArg(kind, name) for kind, name in zip(kinds, ("keys", "values"))],
                key_expression(keys.dtype), ["keys", "values"][:len(kinds)],
                key_dtype=f"u{keys.dtype.itemsize}")
        return self.radix[kinds](*arrays, queue=self.queue, allocator=self.pool)[0]

    def bitonic_sort(self, keys, values):
        self.bitonic(keys, values, queue=self.queue, axis=1)
        return keys, values


def key_expression(dtype):
    """An unsigned number in the order of the keys, for keys of that type."""
    if dtype.kind == "u":
        return "keys[i]"
    word = "uint" if dtype.itemsize == 4 else "ulong"
    bits = f"as_{word}(keys[i])"
    sign = f"(({word})1 << {8 * dtype.itemsize - 1})"
    if dtype.kind == "i":
        return f"({bits} ^ {sign})"
    return f"({bits} ^ ({bits} & {sign} ? ~({word})0 : {sign}))"


class Loaded:
    """The arrays of a turn on the device, of rows."""

    def __init__(self, device, turn):
        self.device = device
        self.warm = set()   # peers that have had a turn with them
        self.shape = np.array((turn.n, turn.n * turn.rows, turn.key_bytes, turn.value_bytes,
                               "uif".index(turn.type[0]), 0), dtype=SHAPE)
        self.keys = cl_array.to_device(device.queue, turn.read_keys())
        self.values = None
        if turn.value_bytes:
            self.values = cl_array.empty(device.queue, self.keys.shape, f"u{turn.value_bytes}")
            device.number(device.queue, (CHECK_ITEMS,), None, self.shape, self.values.data)
        self.wanted = [0, *self.sums(self.keys, self.values)[1:]]

    def sums(self, keys, values):
        """Elements out of order, and both sums of check.h."""
        parts = cl_array.empty(self.device.queue, (CHECK_ITEMS, 3), np.uint64)
        self.device.sum(self.device.queue, (CHECK_ITEMS,), None, self.shape, keys.data,
                        (keys if values is None else values).data, parts.data)
        return [int(word) for word in parts.get().sum(axis=0, dtype=np.uint64)]

    def run(self, name):
        """Sorts a copy, and returns milliseconds."""
        sort, shape = self.device.bitonic_sort, self.keys.shape
        if name == "PyOpenCL-radix":
            sort, shape = self.device.radix_sort, self.keys.size
        arrays = [array if array is None else array.copy().reshape(shape)
                  for array in (self.keys, self.values)]
        self.device.queue.finish()
        start = time.perf_counter()
        result = sort(*arrays)
        self.device.queue.finish()
        ms = (time.perf_counter() - start) * 1e3
        if self.sums(result[0], result[1] if self.values is not None else None) != self.wanted:
            raise peer.WrongResult
        return ms


class Player:
    """Keeps the device, and what it has loaded for the next turn."""

    def __init__(self):
        self.device = self.loaded = self.key = None

    def load(self, turn):
        key = turn._replace(peer="", runs=0)
        if self.key != key:
            self.key = self.loaded = None
            self.device = self.device or Device()
            self.loaded = Loaded(self.device, turn)
            self.key = key
        return self.loaded

    def take(self, turn):
        if turn.k:
            raise peer.Unavailable("PyOpenCL does not select")
        if turn.rows > 1 and turn.peer == "PyOpenCL-radix":
            raise peer.Unavailable("RadixSort sorts one array at a time")
        if turn.n & (turn.n - 1) and turn.peer == "PyOpenCL-bitonic":
            raise peer.Unavailable("BitonicSort sorts powers of 2 only")
        try:
            loaded = self.load(turn)
            loaded.run(turn.peer)   # may build kernels
            start = time.perf_counter()
            while turn.peer not in loaded.warm and time.perf_counter() < start + 0.05:
                loaded.run(turn.peer)
            loaded.warm.add(turn.peer)
            return [loaded.run(turn.peer) for _ in range(turn.runs)], loaded.wanted[1]
        except (cl.Error, MemoryError) as problem:
            raise peer.Unavailable(str(problem)[:200]) from problem


if __name__ == "__main__":
    sys.exit(peer.main(NAMES, Player().take))
