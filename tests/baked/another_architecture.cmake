# cmake -D bake=... -D folder=... -D generator=... -P another_architecture.cmake : the released program, cross-compiled for
# AArch64 with attune_bake, gives the results of its default there.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
need_qemu(qemu-aarch64)
find_program(gcc aarch64-linux-gnu-g++)
if(NOT gcc)
    message("skipped: there is no aarch64-linux-gnu-g++ (Debian: g++-aarch64-linux-gnu)")
    return()
endif()
run(text ${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/cross" -B "${folder}" -G "${generator}" -D CMAKE_SYSTEM_NAME=Linux
    -D CMAKE_SYSTEM_PROCESSOR=aarch64 -D "CMAKE_CXX_COMPILER=${gcc}" -D CMAKE_BUILD_TYPE=
    -D "ATTUNE_BAKE_PROGRAM=${bake}")
run(text ${CMAKE_COMMAND} --build "${folder}")
get_filename_component(prefix "${gcc}" DIRECTORY)
run(text "${qemu}" -L "${prefix}/../aarch64-linux-gnu" "${folder}/program" x86-64-v4 100)
message("${text}")
if(NOT text MATCHES "^48: variant base\nwrong=0 ")
    message(FATAL_ERROR "the release prints something else")
endif()
