# cmake -C cmake/dev.cmake -S . -B build/dev : what a developer wants; assertions are on.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON CACHE BOOL "")
set(ATTUNE_BUILD_TESTS ON CACHE STRING "")
set(ATTUNE_WERROR ON CACHE BOOL "")
