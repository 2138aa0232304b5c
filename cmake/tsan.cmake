# cmake -C cmake/tsan.cmake -S . -B build/tsan : the thread sanitizer.
# Code that attune compiles at run time is not instrumented: run `ctest -LE "jit|package"`.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g" CACHE STRING "")
set(CMAKE_CXX_FLAGS "-fsanitize=thread -fno-omit-frame-pointer" CACHE STRING "")
set(ATTUNE_WERROR ON CACHE BOOL "")
set(ATTUNE_BUILD_BENCH OFF CACHE BOOL "")
