# cmake -C cmake/asan.cmake -S . -B build/asan : address and undefined-behaviour sanitizers.
# Code that attune compiles at run time is not instrumented: run `ctest -LE "jit|package"`.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" CACHE STRING "")
set(ATTUNE_WERROR ON CACHE BOOL "")
set(ATTUNE_BUILD_BENCH OFF CACHE BOOL "")
