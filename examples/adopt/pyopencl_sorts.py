"""clsort in place of PyOpenCL's own sorts: RadixSort of pyopencl.algorithm and BitonicSort of
pyopencl.bitonic_sort, with their arguments and results.

Copy this file beside clsort.py, and import the classes from here; or call install(), after which
programs that import them from PyOpenCL get these. What is different:

    RadixSort    sorts by key_bits bits as theirs does, and is as stable; bits_at_a_time,
                 index_dtype and scan_kernel mean nothing. Up to 2^32 - 1 elements
    BitonicSort  takes an axis of any length, not only powers of two; NaNs come last; idx may have
                 any dtype
"""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.tools import VectorArg, dtype_to_ctype, parse_arg_list

import clsort


class _OnDevices:
    """Sorters of a context, one for each device that queues lead to."""

    def __init__(self, context):
        self.context, self._sorters = context, {}

    def _sorter(self, queue):
        if queue.device not in self._sorters:
            self._sorters[queue.device] = clsort.Sorter(self.context, queue.device)
        return self._sorters[queue.device]


class RadixSort(_OnDevices):
    """As pyopencl.algorithm.RadixSort."""

    def __init__(self, context, arguments, key_expr, sort_arg_names, bits_at_a_time=2,
                 index_dtype=np.int32, key_dtype=np.uint32, scan_kernel=None, options=None):
        super().__init__(context)
        self.arguments = parse_arg_list(arguments, with_offset=True)
        self.sort_arg_names = sort_arg_names
        # Their digits are those of the key's bits, whatever its sign.
        self.key_dtype = np.dtype(f"u{np.dtype(key_dtype).itemsize}")
        self._find_keys = ElementwiseKernel(
            context, [VectorArg(self.key_dtype, "clsort_keys", True), *self.arguments],
            f"clsort_keys[i] = ({dtype_to_ctype(np.dtype(key_dtype))})({key_expr})",
            "clsort_find_keys", options=options or [])

    def __call__(self, *args, key_bits=None, allocator=None, queue=None, wait_for=None):
        """(the sorted arrays, in the order of the arguments), and an event."""
        given = list(zip(self.arguments, args))
        first = next(array for argument, array in given if isinstance(argument, VectorArg))
        queue = queue or first.queue
        sources = [array for argument, array in given if argument.name in self.sort_arg_names]
        targets = [cl_array.empty(queue, array.shape, array.dtype,
                                  allocator=allocator or array.allocator) for array in sources]
        width = 8 * self.key_dtype.itemsize
        order = {"bits": (0, key_bits)} if key_bits and key_bits < width else {}
        if first.size == 0:
            return tuple(targets), cl.enqueue_marker(queue, wait_for=wait_for)
        keys = cl_array.empty(queue, first.shape, self.key_dtype)
        places = cl_array.empty(queue, first.shape, np.uint32)
        found = self._find_keys(keys, *args, queue=queue, wait_for=wait_for)
        sorter = self._sorter(queue)
        sorted_by_key = sorter.enqueue_sort(queue, keys, indices=places, stable=True,
                                            wait_for=[found], **order)
        return tuple(targets), sorter.enqueue_gather(queue, places, sources, targets,
                                                     wait_for=[sorted_by_key])


class BitonicSort(_OnDevices):
    """As pyopencl.bitonic_sort.BitonicSort."""

    def __init__(self, context):
        super().__init__(context)
        self._moves = {}   # kernels that bring an axis to the end, and back, by item size

    def __call__(self, arr, idx=None, queue=None, wait_for=None, axis=0):
        """(arr, sorted in place along that axis, with idx), and an event."""
        queue = queue or arr.queue
        if arr.size == 0:
            return arr, cl.enqueue_marker(queue, wait_for=wait_for)
        length = arr.shape[axis]
        inner = int(np.prod(arr.shape[axis % arr.ndim + 1:], dtype=int))
        both = [array for array in (arr, idx) if array is not None]
        rows = both if inner == 1 else [
            cl_array.empty(queue, array.shape, array.dtype) for array in both]
        if inner > 1:
            wait_for = [self._move(queue, array, row, length, inner, 1, wait_for)
                        for array, row in zip(both, rows)]
        flat = [row.reshape(arr.size // length, length) for row in rows]
        event = self._sorter(queue).enqueue_sort(queue, flat[0], wait_for=wait_for or (),
                                            values=flat[1] if idx is not None else None)
        if inner > 1:
            for array, row in zip(both, rows):
                event = self._move(queue, row, array, length, inner, 0, [event])
        return arr, event

    def _move(self, queue, source, target, length, inner, to_rows, wait_for):
        """Element (a, k, b) of shape (..., length, inner) belongs at (a, b, k), or back."""
        ctype = f"clsort_item{source.dtype.itemsize}"
        if ctype not in self._moves:
            self._moves[ctype] = cl.Program(self.context, f"""
                typedef struct {{ uchar byte[{source.dtype.itemsize}]; }} {ctype};
                kernel void move_axis(global const {ctype} *from, ulong from_at,
                                      global {ctype} *to, ulong to_at,
                                      ulong length, ulong inner, uint to_rows)
                {{
                    const ulong i = get_global_id(0), k = i / inner % length,
                                row = i / inner / length * length * inner + i % inner * length + k;
                    from = (global const {ctype} *)((global const uchar *)from + from_at);
                    to = (global {ctype} *)((global uchar *)to + to_at);
                    to[to_rows ? row : i] = from[to_rows ? i : row];
                }}""").build().move_axis
        return self._moves[ctype](
            queue, (source.size,), None, source.base_data, np.uint64(source.offset),
            target.base_data, np.uint64(target.offset), np.uint64(length), np.uint64(inner),
            np.uint32(to_rows), wait_for=wait_for or None)


def install():
    """Puts these classes in the place of PyOpenCL's."""
    import pyopencl.algorithm
    import pyopencl.bitonic_sort
    pyopencl.algorithm.RadixSort = RadixSort
    pyopencl.bitonic_sort.BitonicSort = BitonicSort
