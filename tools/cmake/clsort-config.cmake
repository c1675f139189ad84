# Read by find_package(clsort). It lies in share/cmake/clsort below the prefix; see CMakeLists.txt
# for the targets. CMake has written what they are beside it; make install-lib has not.
include(CMakeFindDependencyMacro)
find_dependency(OpenCL)
include("${CMAKE_CURRENT_LIST_DIR}/clsort-targets.cmake" OPTIONAL RESULT_VARIABLE clsort_exported)
if(clsort_exported)
    return()
endif()
get_filename_component(clsort_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET clsort::header)
    add_library(clsort::header INTERFACE IMPORTED)
    set_target_properties(clsort::header PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${clsort_prefix}/include"
        INTERFACE_LINK_LIBRARIES OpenCL::OpenCL)
endif()

find_library(clsort_LIBRARY clsort NO_DEFAULT_PATH HINTS "${clsort_prefix}/lib"
    "${clsort_prefix}/lib64" "${clsort_prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
mark_as_advanced(clsort_LIBRARY)
if(NOT clsort_LIBRARY)
    set(clsort_FOUND FALSE)
    set(clsort_NOT_FOUND_MESSAGE "there is no library clsort in ${clsort_prefix}")
elseif(NOT TARGET clsort::clsort)
    add_library(clsort::clsort UNKNOWN IMPORTED)
    set_target_properties(clsort::clsort PROPERTIES IMPORTED_LOCATION "${clsort_LIBRARY}"
        INTERFACE_LINK_LIBRARIES clsort::header)
endif()
