# Boost.Compute's own tests of sorts, without boost_compute.hpp and with it; our tests of that
# header; times of both. Run by examples/adopt/try boost_compute [LOG2]: times from 2^10 to 2^LOG2
# keys, by default 20; 0 leaves them out.
#
# The headers, the tests and Boost.Test come from Debian's source of Boost 1.81. Needs a C++ compiler
# and OpenCL. BOOST_COMPUTE_DEFAULT_DEVICE='part of a name' chooses the device.

most=${1:-20}
needs "${CXX:=g++}" "${CC:=cc}" "${AR:=ar}"
from_debian boost1.81 bookworm 'boost/libs/*/include' \
    'boost/libs/compute/test' 'boost/libs/test/src'
include=$work/include
boost_tests=$source/libs/compute/test
flags="-std=c++14 -O1 -DCL_TARGET_OPENCL_VERSION=120 -DBOOST_COMPUTE_DEBUG_KERNEL_COMPILATION"

# In its source each library of Boost has its headers in a folder of its own.
[ -d "$include" ] || {
    rm -rf "$include.part" && mkdir "$include.part" &&
        for part in "$source"/libs/*/include "$source"/libs/numeric/*/include; do
            cp -r "$part/." "$include.part" || exit
        done && mv "$include.part" "$include" || fail "cannot copy Boost's headers"
}

# object FILE SOURCE FLAG...: compiles what is not there yet.
object()
{
    object=$work/$1 compiled=$2
    shift 2
    [ -f "$object" ] || "$CXX" $flags -w -isystem "$include" "$@" -c "$compiled" -o "$object" ||
        fail "cannot compile $compiled"
}

build_libraries()
{
    "$CC" -O2 -DCL_TARGET_OPENCL_VERSION=120 -DCLSORT_IMPLEMENTATION -x c -c "$top/clsort.h" \
        -o "$work/clsort.o" || return
    [ -f "$work/libtest.a" ] && return
    for file in "$source"/libs/test/src/*.cpp; do
        case $file in
        */cpp_main.cpp | */test_main.cpp) ;;    # other mains
        *) object "boost-$(basename "$file" .cpp).o" "$file" ;;
        esac
    done
    "$AR" rc "$work/libtest.a" "$work"/boost-*.o
}

# boost_passes NAME WHOSE FLAG...: one of Boost's programs of tests.
boost_passes()
{
    program=$work/$1-$2
    test=$1
    shift 2
    "$CXX" $flags -isystem "$include" "-I$boost_tests" "$@" "$boost_tests/$test.cpp" -o "$program" \
        "$work/clsort.o" "$work/libtest.a" -lOpenCL -pthread &&
        "$program" --color_output=no >"$program.log" 2>&1
    status=$?
    tail -n 5 "$program.log"
    return $status
}

# Their cases are counted in what Boost.Test says: "Running 12 test cases...".
cases() { cat "$work"/test_*-"$1".log | awk '$1 == "Running" { n += $2 } END { print n + 0 }'; }

# our_program NAME FLAG...: boost_compute.cpp, with these flags.
our_program()
{
    program=$work/$1
    shift
    "$CXX" $flags -isystem "$include" "-I$top" "$@" "$adopt/boost_compute.cpp" -o "$program" \
        -lOpenCL -pthread
}

build_libraries || fail "cannot compile clsort.h and Boost.Test"
for file in "$boost_tests"/test_*sort*.cpp; do
    name=$(basename "$file" .cpp)
    check "Boost's $name passes by Boost's sorts" boost_passes "$name" theirs
    check "Boost's $name passes by clsort" boost_passes "$name" ours "-I$top" \
        -include "$top/$adopt/boost_compute.hpp"
done
echo "Boost's cases: $(cases theirs) by Boost's sorts, $(cases ours) by clsort"
check "boost_compute.cpp compiles" our_program theirs
check "it compiles with boost_compute.hpp, without a warning" \
    our_program ours -DOURS -Wall -Wextra -Werror
check "all types, orders and values are sorted right by clsort" "$work/ours" check
[ "$most" = 0 ] || for whose in theirs ours; do
    check "times" "$work/$whose" time "$most"
    sed '$d' "$folder/log"
done
