# cmake -D program=... -D nm=... -D root=... -P alone.cmake : the released program needs nothing, has nothing of the tuner, and
# runs where nothing else is.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../package/alone.cmake")
attune_check_libraries("${program}")
attune_check_symbols("${nm}" "${program}")
attune_run_alone("${program}" "${root}" "wrong=0 ")
