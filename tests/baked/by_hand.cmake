# cmake -D attune=<program> -D compiler=... -D include=... -D folder=... -P by_hand.cmake : without CMake's attune_bake: `attune
# bake`, the script that it wrote, and a program that links what the script made.
cmake_minimum_required(VERSION 3.25)
find_program(linker ld.bfd)
find_program(objcopy objcopy)
if(NOT linker OR NOT objcopy)
    message("skipped: ld.bfd and objcopy are needed (Debian: binutils)")
    return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
file(REMOVE_RECURSE "${folder}")
run(text "${attune}" bake "${CMAKE_CURRENT_LIST_DIR}/scale.attune" "${CMAKE_CURRENT_LIST_DIR}/scale.kernel.cpp" -o "${folder}")
run(text ${CMAKE_COMMAND} -E env "CXX=${compiler}" "CXXFLAGS=-I${include}" sh "${folder}/scale_kernel.sh")
run(text "${compiler}" -std=c++20 "-I${include}" "${CMAKE_CURRENT_LIST_DIR}/verified.cpp" "${folder}/libscale_kernel.a"
    -o "${folder}/program")
run(text "${folder}/program")
# The store proves both steps for x86-64-v2, which is no reason to serve code for AVX2.
if(NOT text MATCHES "^skipped: |^64: STEP=8 by base, proven by record\n4096: STEP=16 by base, proven by record\n")
    message(FATAL_ERROR "the release prints something else: ${text}")
endif()
