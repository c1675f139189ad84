"""clsort for Conan 2, from the sources that this recipe lies in:

    conan create clsort/tools/packages/conan --build=missing

The package has the CMake targets clsort::clsort, the library, and clsort::header, the headers for a
program that defines CLSORT_IMPLEMENTATION itself; and files for pkg-config of the same names.
`loader` says where OpenCL's headers and loader come from: `system`, or `conan`, which takes
opencl-icd-loader of Conan Center.
"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Clsort(ConanFile):
    name = "clsort"
    description = "Sorts on any OpenCL device"
    license = "MIT", "Unlicense"
    topics = "opencl", "sort", "gpu", "header-only"
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False], "fPIC": [True, False], "loader": ["system", "conan"]}
    default_options = {"shared": False, "fPIC": True, "loader": "system"}
    implements = ["auto_shared_fpic"]
    languages = "C"

    @property
    def _sources(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._sources, "clsort.h"))
        self.version = ".".join(re.findall(r"#define CLSORT_VERSION_[A-Z]+ (\d+)", header))

    def export_sources(self):
        for pattern in ("clsort.h", "LICENSE", "tools/cmake/*", "tools/cpp/*.hpp",
                        "tools/measure/*.h", "tools/multi/*.h"):
            copy(self, pattern, self._sources, self.export_sources_folder)

    def requirements(self):
        if self.options.loader == "conan":
            self.requires("opencl-icd-loader/[>=2022.01.04]", transitive_headers=True,
                          transitive_libs=True)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeToolchain(self).generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="tools/cmake")
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share"))   # Conan writes its own

    def package_info(self):
        header = self.cpp_info.components["header"]
        header.set_property("cmake_target_name", "clsort::header")
        header.libdirs = header.bindirs = []
        if self.options.loader == "conan":
            header.requires = ["opencl-icd-loader::opencl-icd-loader"]
        elif self.settings.os == "Macos":
            header.frameworks = ["OpenCL"]
        else:
            header.system_libs = ["OpenCL"]
        library = self.cpp_info.components["clsort"]
        library.set_property("cmake_target_name", "clsort::clsort")
        library.libs = ["clsort"]
        library.requires = ["header"]
