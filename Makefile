# What compiles programs installs what it needs first (tools/dev/deps). All is built in build/. GNU
# make. V=1 shows the compilers' commands, and all that tests print.

PREFIX ?= /usr/local
CFLAGS ?= -O2
COUNT ?=
V ?=
SECONDS ?=
SEED ?=

# Drivers that compile kernels take memory and give it back all the time: a twelfth of PoCL's time
# goes to that. In tests, which are not timed, the GNU C library keeps it.
test test-gpu check: export MALLOC_TRIM_THRESHOLD_ = 1000000000
test test-gpu check: export MALLOC_MMAP_THRESHOLD_ = 1000000000
test test-gpu check: export MALLOC_TOP_PAD_ = 67108864

quiet = $(if $(V),,@echo "compiling $@";)
at_once = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(or $(CLSORT_TEST_JOBS),$(shell nproc \
    2>/dev/null || echo 1)))
warnings = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual
folders = tools/clsort tools/measure tools/mpi tools/multi tests/support
companions = tools/measure/clsort_measure.h tools/multi/clsort_multi.h
library = clsort.h $(companions)
# What a compiler gets of all: each companion includes clsort.h.
whole_library = -include $(firstword $(companions)) -c $(lastword $(companions))
headers = clsort.h $(wildcard $(folders:=/*.h) tools/bench/*.h)
vpath %.c tools/clsort tools/bench
tools = $(patsubst %.c,build/%,$(notdir $(wildcard tools/clsort/*.c tools/bench/*.c)))
benches = $(patsubst tools/bench/%.c,build/%,$(wildcard tools/bench/*.c))
tests = $(patsubst tests/%.c,build/%,$(filter-out tests/mpi_cases.c tests/other_gpu.c, \
    $(wildcard tests/*.c)))
programs = $(patsubst tests/%.c,build/%,$(wildcard tests/test_*.c tests/fuzz.c))
mpi = build/clsort-mpi build/mpi_cases
mocked = $(filter-out test_mock_threads,$(patsubst tests/%.c,%,$(wildcard tests/test_mock*.c)))
sanitized = $(patsubst %,build/sanitized/%,fuzz test_api test_bad_calls test_faults test_profile \
    test_queues test_shapes $(mocked))
# test_mock_frames reaches no line that the others do not.
memory = $(patsubst %,build/memory/%,$(filter-out test_mock_frames,$(mocked)))
threads = build/threads/test_mock_threads
opencl_dll = /usr/lib/x86_64-linux-gnu/wine/x86_64-windows/opencl.dll
sanitized_tools = build/sanitized/clsort

demo: build/demo
	build/demo $(COUNT)

# Does this copy sort right on this device? Needs what `tools/dev/deps` installs.
test:
	@$(MAKE) --no-print-directory $(at_once) programs
	@tests/run

programs: $(programs) build/builds.so

# All else: what tests leave out, the scripts, other compilers and drivers, sanitizers, simulators.
check:
	@tools/dev/deps && tools/dev/deps check
	@$(MAKE) --no-print-directory $(at_once) -o deps -o deps-check -o deps-mpi checked
	@tools/dev/check

checked: build/clsort build/demo $(benches:build/%=build/compiled/%) $(programs) \
    build/driver_fault $(if $(shell command -v mpicc),$(mpi)) strict lib $(sanitized) \
    $(sanitized_tools) $(memory) $(threads) \
    $(if $(wildcard $(opencl_dll)),$(patsubst %,build/windows/%.exe,$(few_windows) clsort demo))

# Random cases: without end, or for SECONDS seconds. SEED is the date by default.
fuzz: build/fuzz
	@tools/dev/fuzz '$(SECONDS)' '$(SEED)'

# On a machine with a GPU, without a package registry or a second compiler. CLSORT_DEVICE can name
# one GPU. NVIDIA's GPUs run the tests twice: as what they are, and as another vendor's, for which
# the linker takes the place of clGetDeviceInfo. CLSORT_TEST_OTHER_VENDOR=1: only as that; 0: only
# as what they are.
gpu_tests = $(tests:build/%=build/gpu/%)
test-gpu:
	@$(MAKE) --no-print-directory $(at_once) gpu-programs
	@CLSORT_DEVICE="$${CLSORT_DEVICE:-gpu}" CLSORT_TEST_BUILD=build/gpu \
	    CLSORT_TEST_OTHER_VENDOR="$${CLSORT_TEST_OTHER_VENDOR:-too}" tests/run

gpu-programs: $(programs:build/%=build/gpu/%) build/gpu/nvidia

$(gpu_tests) build/grid: disguise = -Wl,--wrap=clGetDeviceInfo tests/other_gpu.c
$(gpu_tests): build/gpu/%: tests/%.c tests/other_gpu.c $(headers)
	@mkdir -p $(@D)
	$(compile)

# What `make test` runs, the command line and the demo, for Windows: by wine, on the same device.
# WINDOWS: only these tests; few: those that `make check` runs. They see the host's code, by another
# compiler and with a long of 32 bits, the cache's folder and the command line.
WINDOWS ?= $(programs:build/%=%)
few_windows = test_api test_bad_calls test_bits test_cache test_limits test_mock_cache test_queues \
    test_scratch test_verify
tests_windows = $(if $(filter few,$(WINDOWS)),$(few_windows),$(WINDOWS))
windows = $(patsubst %,build/windows/%.exe,$(tests_windows) clsort demo)
test-windows:
	@$(MAKE) --no-print-directory $(at_once) $(windows)
	@CLSORT_TEST_BUILD=build/windows CLSORT_TEST_SCRIPTS=windows CLSORT_TEST_PART=first \
	    tests/run $(tests_windows)

# One test program: make test-radix.
test-%: build/test_%
	$<

# Does the text of every family compile? Takes seconds; for whoever edits kernels.cl.
kernels:
	tools/dev/check-kernels

# What AMD's and Intel's compilers say of the programs that a GPU of theirs would build.
check-vendors: build/vendors | deps-vendors
	tools/dev/check-vendors

# BENCH_FULL=1: sizes for a GPU.
bench bench-peers: build/clsort | deps-bench
	tools/bench/$@

# Over MPI; nothing else needs it.
clsort-mpi: build/clsort-mpi

bench-mpi: $(mpi) build/clsort | deps-bench
	tools/mpi/bench-mpi

# Measures this device for the picture in README.md, and draws it again.
plots: build/clsort | deps-bench
	tools/bench/bench-peers --figure
	tools/bench/draw-plots take

embed:
	tools/dev/embed

# PREFIX and DESTDIR for the shell, whatever letters they have; ~/ is yours, as in its own words.
home = $(if $(filter ~/%,$(firstword $(1))),$(patsubst ~/%,$(HOME)/%,$(1)),$(1))
quoted = '$(subst ','\'',$(call home,$(1)))'
target = $(call quoted,$(DESTDIR))$(call quoted,$(PREFIX))

install:
	install -d $(target)/include
	install -m 644 $(library) tools/cpp/clsort.hpp $(target)/include

# All headers as a library, shared and static, for programs that link one: build/lib. install-lib
# installs it, with files for pkg-config and CMake.
version = $(shell awk '/^\#define CLSORT_VERSION_/ { v = v d $$3; d = "." } \
                      END { print v }' clsort.h)
shared = libclsort.so.0
lib_flags = -std=c99 $(warnings) $(CPPFLAGS) -I. $(CFLAGS) -fPIC -fvisibility=hidden \
    -DCL_TARGET_OPENCL_VERSION=300 -DCLSORT_IMPLEMENTATION \
    '-DCLSORT_API=__attribute__((visibility("default"))) extern'

lib: build/lib/$(shared) build/lib/libclsort.a build/lib/clsort.pc

build/lib/clsort.o: $(library) Makefile | deps
	@mkdir -p $(@D)
	$(quiet)$(CC) $(lib_flags) -x c $(whole_library) -o $@

build/lib/$(shared): build/lib/clsort.o
	$(CC) -shared -Wl,-soname,$(shared) $(LDFLAGS) $< -o $@ -lOpenCL
	ln -sf $(shared) build/lib/libclsort.so

build/lib/libclsort.a: build/lib/clsort.o
	rm -f $@
	$(AR) rcs $@ $<

# Written each time: PREFIX may be another one. Programs call OpenCL themselves: they link it, too.
.PHONY: build/lib/clsort.pc
build/lib/clsort.pc:
	@mkdir -p $(@D)
	printf 'prefix=%s\n' $(call quoted,$(PREFIX)) | sed "s/[[:blank:]\"'#\\\\]/\\\\&/g" >$@
	printf '%s\n' 'Name: clsort' 'Description: sorts on any OpenCL device' \
	    'Version: $(version)' 'Cflags: -I$${prefix}/include' \
	    'Libs: -L$${prefix}/lib -lclsort -lOpenCL' >>$@

install-lib: lib install
	install -d $(target)/lib/pkgconfig
	install -m 755 build/lib/$(shared) $(target)/lib
	ln -sf $(shared) $(target)/lib/libclsort.so
	install -m 644 build/lib/libclsort.a $(target)/lib
	install -m 644 build/lib/clsort.pc $(target)/lib/pkgconfig
	install -d $(target)/share/cmake/clsort
	install -m 644 $(wildcard tools/cmake/*.cmake) $(target)/share/cmake/clsort

# The source archive of a release: build/clsort-VERSION.tar.gz.
dist:
	tools/dev/release archive

clean:
	rm -rf build

deps:
	tools/dev/deps

deps-bench: deps
	tools/dev/deps bench

deps-check: deps
	tools/dev/deps check

deps-mpi: deps
	tools/dev/deps mpi

deps-intel:
	tools/dev/deps intel

deps-vendors:
	tools/dev/deps vendors

opencl = -lOpenCL
compile = $(quiet)$(CC) -std=c99 $(warnings) -Wstrict-prototypes $(CPPFLAGS) -I. $(folders:%=-I%) \
    $(CFLAGS) -pthread $< $(disguise) $(linked) -o $@ $(LDFLAGS) $(opencl) -lm

$(tools): build/%: %.c $(headers) | deps
	$(compile)

# That they compile, for tests, which run none of them: the optimizer would take most of the time.
$(benches:build/%=build/compiled/%): CFLAGS = -O0
$(benches:build/%=build/compiled/%): build/compiled/%: %.c $(headers) | deps
	@mkdir -p $(@D)
	$(compile)

# What tests wait for is the kernels' compiler: optimizing costs more time than it saves, but for
# those that sort much on the host as well, or on the mock.
$(tests) $(gpu_tests): CFLAGS = -O0
optimized = test_mock test_mock_cases test_mock_faults test_mock_frames test_mock_multi \
    test_mock_promises test_rows_radix test_top_k
$(optimized:%=build/%) $(optimized:%=build/gpu/%): CFLAGS = -O1

$(tests): build/%: tests/%.c $(headers) | deps
	$(compile)

# Programs that use public names only share one implementation.
public = $(patsubst tests/%.c,build/%,$(shell grep -l '^.define TEST_PUBLIC' tests/*.c))
$(public): CFLAGS = -O1
$(public): linked = -DTEST_LINKED build/implementation.o
$(public): build/implementation.o

build/implementation.o: clsort.h | deps
	$(quiet)$(CC) -std=c99 $(warnings) $(CPPFLAGS) -DCL_TARGET_OPENCL_VERSION=300 \
	    -DCLSORT_IMPLEMENTATION -O1 -x c -c $< -o $@

# Preloaded by tests/run: counts the programs of kernels that are built.
build/builds.so: tests/preload/builds.c | deps
	$(quiet)$(CC) -std=c99 $(warnings) $(CPPFLAGS) -O1 -shared -fPIC $< -o $@ $(LDFLAGS) -ldl

# Of POSIX, what tests and tools call is in tools/windows; the headers' names are all that is there.
mingw = x86_64-w64-mingw32-gcc-posix
posix_headers = $(patsubst %,build/windows/sys/%.h,mman resource utsname wait)
$(windows): CC = $(mingw)
$(windows): CFLAGS = $(level) -Wno-conversion -Wno-sign-conversion -include tools/windows/posix.h \
    -Ibuild/include -Ibuild/windows -static
$(windows): level = -O0
$(optimized:%=build/windows/%.exe) build/windows/clsort.exe: level = -O1
$(windows): linked = build/windows/posix.o
$(windows): opencl = $(opencl_dll)
$(windows): build/windows/posix.o | $(posix_headers)
build/windows/%.exe: tests/%.c $(headers)
	$(compile)

build/windows/%.exe: %.c $(headers)
	$(compile)

build/windows/posix.o: $(wildcard tools/windows/*) | deps-check build/include/CL
	@mkdir -p $(@D)
	$(quiet)$(mingw) -std=c99 $(warnings) -Ibuild/include -O1 -c tools/windows/posix.c -o $@

$(posix_headers):
	@mkdir -p $(@D)
	@touch $@

$(mpi): CC = mpicc
build/clsort-mpi: tools/mpi/clsort-mpi.c $(headers) | deps-mpi
	$(compile)

build/mpi_cases: CFLAGS = -O0
build/mpi_cases: tests/mpi_cases.c $(headers) | deps-mpi
	$(compile)

$(sanitized) $(sanitized_tools): CFLAGS = -O1 -g -fno-omit-frame-pointer \
    -fsanitize=address,undefined -fno-sanitize-recover=all
# Those that wait for kernels, or have little to do: optimizing takes longer than it saves, as
# above.
$(patsubst %,build/sanitized/test_%,api bad_calls faults profile queues shapes mock_cache \
    mock_cases mock_frames mock_multi mock_plans): \
    CFLAGS = -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all

$(sanitized): build/sanitized/%: tests/%.c $(headers) | deps-check
	@mkdir -p $(@D)
	$(compile)

$(sanitized_tools): build/sanitized/%: tools/clsort/%.c $(headers) | deps-check
	@mkdir -p $(@D)
	$(compile)

$(memory) $(threads): CC = clang
$(memory): CFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=memory
$(memory): build/memory/%: tests/%.c $(headers) | deps-check
	@mkdir -p $(@D)
	$(compile)

$(threads): CFLAGS = -O1 -g -fsanitize=thread
$(threads): build/threads/%: tests/%.c $(headers) | deps-check
	@mkdir -p $(@D)
	$(compile)

# Otherwise programs would sort by the kernels that kernels.cl had before.
$(tools) $(benches:build/%=build/compiled/%) $(tests) $(gpu_tests) $(windows) $(mpi) \
    $(sanitized) $(sanitized_tools) $(memory) $(threads) \
    build/lib/clsort.o build/implementation.o: | build/embedded
build/embedded: kernels.cl clsort.h tools/dev/embed
	@mkdir -p $(@D)
	@tools/dev/embed --check
	@touch $@

# clsort.h alone, static, by OpenCL 1.2, and with its companions, which include it, extern, by the
# newest OpenCL, as each compiler and language sees them; a warning is an error. Other names, such
# as build/strict/gcc-c99-extern-120.o, are for you. Warnings that need an optimizer come from gcc
# as C. What a newer standard deprecates is the same in all linkages; one that a compiler does not
# know yet is skipped.
linkages = static-120 whole-unset
languages = gcc-c99 gcc-c++11 clang-c99 clang-c++11
newer = $(foreach l,c2x c++20 c++2b,gcc-$l-whole-unset clang-$l-whole-unset)
strict = $(foreach l,$(languages),$(addprefix $l-,$(linkages))) $(newer) \
    mingw-c99-static-120 mingw32-c99-whole-unset
deep = $(addprefix gcc-c99-,$(linkages))
flags_gcc = gcc
flags_clang = clang
flags_mingw = x86_64-w64-mingw32-gcc -Ibuild/include
flags_mingw32 = $(flags_mingw) -m32
flags_c99 = -x c -std=c99 -Wstrict-prototypes
flags_c++11 = -x c++ -std=c++11
flags_c2x = -x c -std=c2x -Wstrict-prototypes
flags_c++20 = -x c++ -std=c++20
flags_c++2b = -x c++ -std=c++2b
flags_static = -DCLSORT_STATIC
flags_120 = -DCL_TARGET_OPENCL_VERSION=120

strict: $(strict:%=build/strict/%.o)

strictly = $(foreach word,$(subst -, ,$*),$(flags_$(word))) -I.
whole = $(if $(findstring -whole-,$*),$(whole_library),-c clsort.h)
build/strict/%.o: $(library) | deps-check build/include/CL
	@mkdir -p $(@D)
	$(quiet)$(strictly) $(if $(filter gcc-c++11-%,$*),-Wuseless-cast) \
	    $(warnings) -Werror $(if $(filter $(deep),$*),-O2,-O0) \
	    -DCLSORT_IMPLEMENTATION $(whole) -o $@

$(newer:%=build/strict/%.o): build/strict/%.o: $(library) | deps-check
	@mkdir -p $(@D)
	$(quiet)if ! $(strictly) -fsyntax-only /dev/null 2>/dev/null; then echo "skipped: $*"; \
	else $(strictly) $(warnings) -Werror -fsyntax-only -DCLSORT_IMPLEMENTATION $(whole); fi
	@touch $@

# OpenCL's headers without the C library's beside them, which are not those of mingw.
build/include/CL: | deps-check
	@mkdir -p $(@D)
	ln -sfn /usr/include/CL $@

.PHONY: bench bench-mpi bench-peers check check-vendors checked clean clsort-mpi demo deps \
    deps-bench deps-check deps-intel deps-mpi deps-vendors dist embed fuzz gpu-programs install \
    install-lib kernels lib plots programs strict test test-gpu test-windows
