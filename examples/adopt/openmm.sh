# Tests of OpenMM's OpenCL platform before and after openmm.patch, our test of its sort, and times
# of both. Run by examples/adopt/try openmm [WORD...]: tests whose names hold a word, such as Sort
# or Ewald; without words all 44.
#
# Fetches the source of OpenMM 7.7.0 from Debian, 11 MB. Needs a C++ compiler, cmake, make, patch,
# the OpenCL headers and loader, and 200 MB. On one core the build takes 11 minutes, again 1 after a
# change of clsort.h; on PoCL a test takes from seconds to 100 s, longer the first time. What was
# built before the patch, and what tests said then, is used again. A test has 20 minutes, which
# VariableVerletIntegrator takes twice on PoCL 3.1: it does not end there, with either sort.
#
# OpenMM takes the fastest device of all platforms; OCL_ICD_VENDORS leaves some out.
# OPENMM_PRECISION is single, mixed or double; tests of sorts run in all three.
# OPENMM_WATER='SIDE COUNT': molecules along an edge of the box that is timed, and steps; default
# '8 20', good for a GPU are '32 5000'.

needs "${CXX:=g++}" cmake make patch
from_debian openmm bookworm 'openmm-*'
built=$work/built
before=$work/before
after=$work/after
opencl=$source/platforms/opencl
precision=${OPENMM_PRECISION:-single}
water=${OPENMM_WATER:-8 20}

off=
for part in AMOEBA_PLUGIN RPMD_PLUGIN DRUDE_PLUGIN CPU_LIB PME_PLUGIN CUDA_LIB \
    CUDA_COMPILER_PLUGIN C_AND_FORTRAN_WRAPPERS PYTHON_WRAPPERS EXAMPLES REFERENCE_TESTS; do
    off="$off -DOPENMM_BUILD_$part=OFF"
done
includes=
for include in platforms/opencl/include platforms/opencl/src platforms/common/include \
    platforms/reference/include openmmapi/include olla/include serialization/include \
    libraries/sfmt/include libraries/lepton/include include; do
    includes="$includes -I$source/$include"
done

# names_of_tests [WORD...]: tests of the platform whose names hold one of the words.
names_of_tests() {
    (cd "$opencl/tests" && ls TestOpenCL*.cpp) | sed 's/\.cpp$//' |
        grep -vx TestOpenCLDeviceQuery | grep -F "$(printf '%s\n' "${@:-Test}")"
}

# build FOLDER: the platform, its tests and our times, as the source is now. The core is built once.
build() {
    rm -rf "$1.part" && mkdir "$1.part" &&
        cmake -Wno-dev -S "$source" -B "$built" -DCMAKE_BUILD_TYPE=Release -DCMAKE_SKIP_RPATH=ON \
            -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS_RELEASE='-O1 -w' $off &&
        nice make -C "$built" OpenMM OpenMMOpenCL $(names_of_tests) &&
        cp -d "$built"/lib*.so* $(names_of_tests | sed "s|^|$built/|") "$1.part" &&
        nice "$CXX" -std=c++11 -O1 -w $includes "$adopt/openmm_times.cpp" \
            -o "$1.part/openmm_times" -L"$1.part" -lOpenMMOpenCL -lOpenMM -lOpenCL &&
        mkdir -p "$1" && mv -f "$1.part"/* "$1" && rmdir "$1.part"
}

# restore [-p]: the platform's source as it was; with -p files keep their times.
restore() { rm -rf "$opencl" && cp -R $1 "$work/unpatched" "$opencl"; }

patch_it() {
    restore -p && patch -p1 --fuzz=0 -d "$source" <"$adopt/openmm.patch" &&
        rm "$opencl/src/kernels/sort.cl" &&
        cp clsort.h "$opencl/src"
}

# in_folder FOLDER PROGRAM WORD...: runs a program with the libraries beside it.
in_folder() {
    (folder=$1 program=$2
        shift 2
        LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
            exec nice timeout 1200 "$folder/$program" "$@")
}

# said FOLDER TEST PRECISION: keeps what a test says, with its exit status in the last line.
said() {
    [ "$1" = "$before" ] && [ -f "$1/$2.$3.txt" ] && return
    in_folder "$1" "$2" "$3" >"$folder/said" 2>&1
    echo "exit status $?" >>"$folder/said"
    cp "$folder/said" "$1/$2.$3.txt"
}

# Tests that draw other numbers each time say that they may fail.
passed() { grep -qsx 'exit status 0' "$1" || grep -qs 'may occasionally fail' "$1"; }

# A test passes, or did not pass before the patch either.
passes_as_before() {
    said "$before" "$1" "$2"
    said "$after" "$1" "$2"
    tail -n 3 "$after/$1.$2.txt"
    passed "$after/$1.$2.txt" || ! passed "$before/$1.$2.txt"
}

compare() {
    check "$1 in $2 precision passes as before" passes_as_before "$1" "$2"
    for of in "$before" "$after"; do
        passed "$of/$1.$2.txt" && printf 'passes ' || printf 'fails  '
    done
    echo "$1 $2"
}

passes() { in_folder "$after" "$@"; }
all_is_right() {
    grep -q 'bits' "$folder/times" && ! grep -e 'other bits' -e 'NOT SORTED' "$folder/times"
}

# steps FOLDER: the same steps twice, in two processes, and whether they end in the same bits.
steps() {
    for run in first second; do
        in_folder "$1" openmm_times steps $water || return 1
    done | tee "$folder/steps"
    [ "$(sed -n 's/.*bits //p' "$folder/steps" | sort -u | wc -l)" = 1 ] || echo "other bits"
}

# time_all FOLDER
time_all() { in_folder "$1" openmm_times sorts && steps "$1"; }

if [ ! -d "$before" ]; then
    echo "try: building OpenMM, which takes minutes"
    { [ -d "$work/unpatched" ] || cp -Rp "$opencl" "$work/unpatched"; } && restore "" &&
        build "$before" >"$work/before.log" 2>&1 || { tail "$work/before.log"; fail "no OpenMM"; }
fi
echo "try: building OpenMM's OpenCL platform with clsort"
patch_it >"$work/after.log" && build "$after" >>"$work/after.log" 2>&1 ||
    { tail "$work/after.log"; fail "OpenMM does not build with clsort"; }

echo "before after"
for test in $(names_of_tests "$@" | grep -vx TestOpenCLSortOrder); do
    case $test in
    TestOpenCLSort) for each in single mixed double; do compare "$test" "$each"; done ;;
    *) compare "$test" "$precision" ;;
    esac
done
for each in single mixed double; do
    check "OpenMM's own test of sorts passes in $each precision" passes TestOpenCLSort "$each"
    check "sorts in $each precision are stable and do not wait" passes TestOpenCLSortOrder "$each"
done

echo "OpenMM's own sort:"
time_all "$before"
echo "clsort:"
time_all "$after" | tee "$folder/times"
check "with clsort the same steps end in the same bits" all_is_right
