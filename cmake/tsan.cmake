# cmake -C cmake/tsan.cmake -S . -B build/tsan : the thread sanitizer.
# With CXX=clang++-19 it compiles in half the time.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1" CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=thread -fno-omit-frame-pointer" CACHE STRING "")
set(ATTUNE_SANITIZED ON CACHE BOOL "")
set(ATTUNE_THREAD_SANITIZED ON CACHE BOOL "")
set(ATTUNE_WERROR ON CACHE BOOL "")
set(ATTUNE_BUILD_TESTS ON CACHE STRING "")
set(ATTUNE_TEST_BATCHES ON CACHE BOOL "")
set(ATTUNE_BUILD_EXAMPLES OFF CACHE BOOL "")
set(ATTUNE_BUILD_BENCH OFF CACHE BOOL "")
