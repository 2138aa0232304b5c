# cmake -C cmake/install.cmake -S . -B build : what is installed, without tests, examples and benchmarks.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(ATTUNE_BUILD_TESTS OFF CACHE STRING "")
set(ATTUNE_BUILD_EXAMPLES OFF CACHE BOOL "")
set(ATTUNE_BUILD_BENCH OFF CACHE BOOL "")
