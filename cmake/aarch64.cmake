# cmake -C cmake/aarch64.cmake -S . -B build/aarch64 : what CI builds, for AArch64, on another machine; tests run in QEMU.
# CI itself runs only tests/aarch64/smoke.cmake; cmake/matrix.sh uses this file, and no whole run of its legs is on record.
# CXX is aarch64-linux-gnu-g++, or a clang++. Debian: g++-aarch64-linux-gnu and qemu-user. In the environment, or else found:
#   ATTUNE_ARM_ROOT  a folder with Debian's arm64 packages, such as LLVM's, that cmake/matrix.sh unpacked
include("${CMAKE_CURRENT_LIST_DIR}/ci.cmake")
set(CMAKE_SYSTEM_NAME Linux CACHE STRING "")
set(CMAKE_SYSTEM_PROCESSOR aarch64 CACHE STRING "")
foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu CACHE STRING "")
endforeach()
foreach(tool LINKER=ld NM=nm AR=ar RANLIB=ranlib OBJCOPY=objcopy OBJDUMP=objdump STRIP=strip) # Clang's are not for all of it
    string(REGEX MATCH "(.*)=(.*)" tool "${tool}")
    set(CMAKE_${CMAKE_MATCH_1} "/usr/bin/aarch64-linux-gnu-${CMAKE_MATCH_2}" CACHE FILEPATH "")
endforeach()
set(CMAKE_CXX_FLAGS_DEBUG "-O0" CACHE STRING "" FORCE)
set(ATTUNE_CASE_COMPILER "" CACHE STRING "" FORCE) # one compiler: the cases of the other have a leg of their own
set(root "$ENV{ATTUNE_ARM_ROOT}")
if(NOT root)
    set(root /usr/aarch64-linux-gnu)
endif()
set(CMAKE_FIND_ROOT_PATH "${root};/usr/aarch64-linux-gnu" CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER CACHE STRING "")
# Not qemu-aarch64 -L: it shows a program that folder in the place of /, so that a walk along a path ends there.
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64" CACHE STRING "")
set(libraries "/usr/aarch64-linux-gnu/lib:${root}/usr/lib/aarch64-linux-gnu")
set(flags "-Wl,--disable-new-dtags,-rpath,${libraries}")
set(CMAKE_EXE_LINKER_FLAGS "${flags},--dynamic-linker=/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1" CACHE STRING "")
set(CMAKE_MODULE_LINKER_FLAGS "${flags}" CACHE STRING "")
set(CMAKE_SHARED_LINKER_FLAGS "${flags}" CACHE STRING "")
set(ATTUNE_WITH_MPI OFF CACHE STRING "") # mpicxx is that of the building machine
if(EXISTS "${root}/usr/lib/llvm-19/lib/cmake/llvm")
    set(LLVM_DIR "${root}/usr/lib/llvm-19/lib/cmake/llvm" CACHE PATH "")
endif()
