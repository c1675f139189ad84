# ggml's own tests of ARGSORT and TOP_K on its OpenCL backend, with ggml-opencl.patch. Run by
# examples/adopt/try ggml [any]. With `any` the backend takes devices of every name and builds no
# kernels of its own for them, so that other operations would fail: for devices that it refuses,
# such as CPUs.
#
# The source is that of llama-cpp-python at PyPI, whose version the patch names: it has llama.cpp.
# Needs cmake, a C++ compiler and OpenCL. GGML_OPENCL_DEVICE chooses the device.

patch=$top/$adopt/ggml-opencl.patch
from_pypi llama-cpp-python "$(sed -n 's/.*llama-cpp-python==//p' "$patch")"
needs cmake patch "${CXX:=c++}"
ggml=$source/vendor/llama.cpp/ggml
backend=$ggml/src/ggml-opencl/ggml-opencl.cpp

# The source as it came stays beside the patched one.
patches()
{
    [ -f "$backend.orig" ] || cp "$backend" "$backend.orig"
    cp "$backend.orig" "$backend" &&
        patch -s -p1 --fuzz=0 -d "$source/vendor/llama.cpp" <"$patch" &&
        cp clsort.h "$ggml/src/ggml-opencl"
}

# edit OLD NEW: of a line that is there once, as fixed text.
edit()
{
    [ "$(grep -cF -- "$1" "$backend")" = 1 ] || { echo "not once: $1"; return 1; }
    awk -v old="$1" -v new="$2" '(at = index($0, old)) {
            $0 = substr($0, 1, at - 1) new substr($0, at + length(old)) }
        { print }' "$backend" >"$backend.new" && mv "$backend.new" "$backend"
}

takes_any()
{
    edit 'if (!fp16_support) {' 'if (false) {' &&
        edit 'opencl_c_version.major == 3 && strstr' 'false && strstr' &&
        edit '} else if (strstr(dev_ctx->device_name.c_str(), "Intel")) {' '} else if (true) {' &&
        edit 'static void load_cl_kernels(ggml_backend_opencl_context *backend_ctx) {' \
            'static void load_cl_kernels(ggml_backend_opencl_context *backend_ctx) { return;'
}

library() { find "$work/build" -name "lib$1.a"; }

# ggml alone, of which the archive lacks a file. Nothing is timed.
builds()
{
    [ -f "$ggml/ggml.pc.in" ] || : >"$ggml/ggml.pc.in"
    cmake -S "$ggml" -B "$work/build" -DBUILD_SHARED_LIBS=OFF -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
        -DGGML_OPENCL=ON -DGGML_OPENCL_USE_ADRENO_KERNELS=OFF -DGGML_OPENMP=OFF \
        -DGGML_BUILD_TESTS=OFF -DGGML_BUILD_EXAMPLES=OFF &&
        cmake --build "$work/build" -j "$(nproc)" &&
        "$CXX" -std=c++17 -O1 -w "-I$ggml/include" "-I$ggml/src" -DGGML_USE_OPENCL \
            "$source/vendor/llama.cpp/tests/test-backend-ops.cpp" -o "$work/test-backend-ops" \
            $(library ggml) $(library ggml-opencl) $(library ggml-cpu) $(library ggml-base) \
            -lOpenCL -pthread -ldl
}

tests_pass()
{
    "$work/test-backend-ops" test -o ARGSORT,TOP_K >"$folder/tests" 2>&1
    status=$?
    sed 's/\x1b\[[0-9;]*m//g' "$folder/tests" >"$work/tests.log"
    tail -n 12 "$work/tests.log"
    grep -q 'backend OpenCL (0 devices)' "$work/tests.log" &&
        echo "The backend takes no device here: examples/adopt/try ggml any"
    [ "$status" = 0 ] && grep -q 'OpenCL.*OK$' "$work/tests.log"
}

check "the patch applies" patches
[ "${1-}" != any ] || check "the backend takes any device" takes_any
check "ggml and its tests compile" builds
check "ARGSORT and TOP_K pass on the backend" tests_pass
