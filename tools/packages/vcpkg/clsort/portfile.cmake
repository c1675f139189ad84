# An overlay port: it builds the sources that it lies in.
#
#   vcpkg install clsort --editable --overlay-ports=clsort/tools/packages/vcpkg
#
# vcpkg knows packages that it built before by the files of this folder, in which clsort.h is not:
# without --editable it would take an older one.
#
# In a registry, vcpkg_from_github or the like sets SOURCE_PATH instead.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}/tools/cmake")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/clsort)
# It has moved to share/clsort, and reads the version from the header.
vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/clsort/clsort-config-version.cmake"
    "/../../../include/" "/../../include/")
vcpkg_copy_pdbs()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/cmake")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/clsort")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
