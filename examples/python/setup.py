"""Builds the package `clsort`: clsort.py as its __init__.py, and the shared library beside it, of
all headers, which lie in the clone, or in a source archive beside this file. CC and CFLAGS are
those of the environment."""

import os
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:   # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURE, MULTI = (os.path.join("tools", name, f"clsort_{name}.h") for name in ("measure", "multi"))
ROOT = HERE if os.path.exists(os.path.join(HERE, "clsort.h")) else os.path.join(HERE, "..", "..")
LIBRARY = {"darwin": "libclsort.dylib", "win32": "clsort.dll"}.get(sys.platform, "libclsort.so.0")


def version():
    with open(os.path.join(ROOT, "clsort.h")) as file:
        return ".".join(re.findall(r"^#define CLSORT_VERSION_\w+ (\d+)$", file.read(), re.M))


class BuildPackage(build_py):
    """Copies the module, and compiles the library with what `make lib` defines. What pip installs
    editable is clsort.py itself, which finds the library of `make lib`."""

    def run(self):
        if getattr(self, "editable_mode", False):
            return
        package = os.path.join(self.build_lib, "clsort")
        os.makedirs(package, exist_ok=True)
        shutil.copyfile(os.path.join(HERE, "clsort.py"), os.path.join(package, "__init__.py"))
        open(os.path.join(package, "py.typed"), "w").close()
        loader = ["-framework", "OpenCL"] if sys.platform == "darwin" else ["-lOpenCL"]
        subprocess.run(
            [*shlex.split(os.environ.get("CC", "cc")), "-O2", "-fPIC", "-shared", "-std=c99",
             *shlex.split(os.environ.get("CFLAGS", "")), "-DCLSORT_IMPLEMENTATION",
             "-DCL_TARGET_OPENCL_VERSION=300", "-I", ROOT, "-include",
             os.path.join(ROOT, MEASURE), "-x", "c",
             os.path.join(ROOT, MULTI), "-x", "none", *loader,
             "-o", os.path.join(package, LIBRARY)], check=True)


class WithHeaders(sdist):
    """The source archive has what the library is compiled from, in the folders of the clone."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in "clsort.h", MEASURE, MULTI, "LICENSE":
            os.makedirs(os.path.dirname(os.path.join(base_dir, name)), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, name), os.path.join(base_dir, name))


class PlatformWheel(bdist_wheel):
    """Any Python 3, but only this kind of machine."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), license="MIT or public domain", py_modules=["clsort"],
      cmdclass={"build_py": BuildPackage, "sdist": WithHeaders, "bdist_wheel": PlatformWheel},
      distclass=WithLibrary)
