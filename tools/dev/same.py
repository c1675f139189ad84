"""Compiles tools/dev/same.c with the clsort.h of a commit and with that of the working tree, for
same-plans and same-programs, and runs both."""
import argparse
import concurrent.futures
import glob
import hashlib
import os
import subprocess
import sys

FOLDER = "build/same"


def fail(text):
    print(text.rstrip(), file=sys.stderr)
    sys.exit(2)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def words(about, cases):
    """The words of the command line; the working directory is the top folder from then on."""
    p = argparse.ArgumentParser(description=about,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("commit", metavar="COMMIT", help="a commit, or the clsort.h of one")
    p.add_argument("--cases", type=int, default=cases, metavar="N", help="default: %(default)s")
    p.add_argument("--first", type=int, default=1, metavar="SEED", help="seed of the first case")
    p.add_argument("--without", action="append", default=[], metavar="TEXT",
                   help="of same-plans: no case whose description holds this")
    p.add_argument("--new-option", action="append", default=[], metavar="NAME",
                   help="a macro that builds get by -D, and did not get before")
    given = p.parse_args()
    os.environ["SAME_NEW_OPTIONS"] = ",".join(given.new_option)
    given.commit = os.path.abspath(given.commit) if os.path.isfile(given.commit) else given.commit
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    if subprocess.run(["tools/dev/embed", "--check"]).returncode or given.cases < 1:
        fail("the block in clsort.h is not that of kernels.cl, or there are no cases")
    os.makedirs(FOLDER, exist_ok=True)
    return given


def header_of(commit):
    if os.path.isfile(commit):
        return read(commit)
    shown = subprocess.run(["git", "show", commit + ":clsort.h"], capture_output=True)
    if shown.returncode:
        fail(shown.stderr.decode())
    return shown.stdout


def program_with(header):
    """The program with that header, compiled where there is none of the same sources."""
    compiler = os.environ.get("CC", "cc").split() + os.environ.get("CFLAGS", "-O2").split()
    sources = sorted(["tools/dev/same.c", *glob.glob("tests/support/*.h"),
                      *glob.glob("tools/clsort/*.h")])
    hashed = hashlib.sha256(repr(compiler).encode() + header)
    for path in sources:
        hashed.update(read(path))
    path = os.path.abspath(os.path.join(FOLDER, hashed.hexdigest()[:16]))
    if os.path.exists(path):
        return path
    with open(path + ".h", "wb") as f:
        f.write(header)
    made = subprocess.run(compiler + ["-std=c99", "-w", "-pthread", "-DSAME_HEADER=\"%s.h\"" % path,
                                      "tools/dev/same.c", "-o", path + ".new", "-lOpenCL", "-lm"],
                          capture_output=True, text=True)
    if made.returncode:
        fail("tools/dev/same.c does not compile with that clsort.h:\n" + made.stderr[-3000:])
    os.rename(path + ".new", path)
    return path


def programs(commit):
    """The program before and the program after."""
    headers = [header_of(commit), read("clsort.h")]
    different = sorted(set(headers))
    made = dict(zip(different, side_by_side(program_with, different)))
    return [made[header] for header in headers]


def side_by_side(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def lines_of(command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if not line[:1].isdigit()]
        fail("%s ended with %d:\n%s%s" % (" ".join(command), done.returncode, done.stderr,
                                          "\n".join(said[-20:])))
    sys.stderr.write(done.stderr)
    return done.stdout.splitlines()


def run_cases(both, kind, given, *more):
    """The lines of cases before, and those after, piece by piece. Pieces run side by side."""
    step = min(20000, -(-given.cases // 4))
    pieces = [(program, kind, str(given.first + at), str(min(step, given.cases - at)), *more)
              for at in range(0, given.cases, step) for program in both]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = pool.map(lines_of, pieces)
        for before in lines:
            yield before, next(lines)
