# cmake -C cmake/asan.cmake -S . -B build/asan : address and undefined-behaviour sanitizers.
# With CXX=clang++-19 it compiles in half the time.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" CACHE STRING "")
set(ATTUNE_SANITIZED ON CACHE BOOL "")
set(ATTUNE_WERROR ON CACHE BOOL "")
set(ATTUNE_BUILD_TESTS ON CACHE STRING "")
set(ATTUNE_TEST_BATCHES ON CACHE BOOL "")
set(ATTUNE_BUILD_EXAMPLES OFF CACHE BOOL "")
set(ATTUNE_BUILD_BENCH OFF CACHE BOOL "")
