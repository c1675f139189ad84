# Read by find_package(clsort VERSION): the installed header's version. Before 1.0 only the same
# minor version fits.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/clsort.h" PACKAGE_VERSION
    REGEX "^#define CLSORT_VERSION_")
string(REGEX REPLACE "[^;]*_[A-Z]+ ([0-9]+)" "\\1" PACKAGE_VERSION "${PACKAGE_VERSION}")
string(REPLACE ";" "." PACKAGE_VERSION "${PACKAGE_VERSION}")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
    string(REGEX MATCH "^[0-9]+[.][0-9]+" clsort_has "${PACKAGE_VERSION}")
    string(REGEX MATCH "^[0-9]+([.][0-9]+)?" clsort_wanted "${PACKAGE_FIND_VERSION}")
    if(clsort_wanted VERSION_EQUAL clsort_has OR NOT PACKAGE_FIND_VERSION)
        set(PACKAGE_VERSION_COMPATIBLE TRUE)
    endif()
    if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
endif()
