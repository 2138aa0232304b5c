# cmake -C cmake/ci.cmake -S . -B build/test : what a merge needs, warnings are errors, assertions are on.
# -O1 without -g: the suite compiles in half the time and still runs the numerical tests quickly.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1" CACHE STRING "")
set(ATTUNE_WERROR ON CACHE BOOL "")
set(ATTUNE_BUILD_TESTS ON CACHE STRING "")
set(ATTUNE_BUILD_EXAMPLES ON CACHE BOOL "")
set(ATTUNE_BUILD_BENCH ON CACHE BOOL "")
set(ATTUNE_TEST_BATCHES ON CACHE BOOL "")
set(ATTUNE_TEST_SCOPE merge CACHE STRING "")
set(ATTUNE_CASE_COMPILER "clang++-19;clang++-18;clang++-17;clang++-16" CACHE STRING "")
set(ATTUNE_FUZZ_OPTIMIZATION -O0 CACHE STRING "")
