# cmake -D folder=<of what attune_bake wrote> -D out=... -D compiler=... -D include=... -P newer_unit.cmake : a file of the program
# that is compiled for AVX-512, and stands first on the linker's line, gives the choice none of its instructions: on an older
# processor, which QEMU imitates, the program runs as it did.
cmake_minimum_required(VERSION 3.25)
file(GLOB objects "${folder}/attune_baked_matvec_*.o")
file(GLOB table "${folder}/matvec_*_table.cpp")
if(NOT objects OR NOT table)
    message(FATAL_ERROR "attune_bake wrote nothing into ${folder}")
endif()
# No object gives the linker a function or a constant in the place of the program's.
find_program(nm nm REQUIRED)
foreach(object IN LISTS objects)
    execute_process(COMMAND "${nm}" --extern-only --defined-only --format=just-symbols "${object}" OUTPUT_VARIABLE names
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "[^\n]*(attune_baked_|baked_table_of|attune_type_tag)[^\n]*\n" "" names "${names}")
    if(names)
        message(FATAL_ERROR "${object} defines for all: ${names}")
    endif()
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
need_qemu(qemu-x86_64)
file(MAKE_DIRECTORY "${out}")
foreach(optimised -O0 -O3)
    execute_process(COMMAND "${compiler}" -std=c++20 ${optimised} -fno-inline -march=x86-64-v4 -mprefer-vector-width=512
                            "-I${include}" -c "${CMAKE_CURRENT_LIST_DIR}/newer_unit.cpp" -o "${out}/newer.o"
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${compiler}" -std=c++20 -O0 "-I${include}" "${out}/newer.o" "${CMAKE_CURRENT_LIST_DIR}/program.cpp"
                            ${table} ${objects} -o "${out}/program" COMMAND_ERROR_IS_FATAL ANY)
    foreach(cpu qemu64 Nehalem)
        execute_process(COMMAND "${qemu}" -cpu ${cpu} "${out}/program" "" 40 RESULT_VARIABLE result OUTPUT_VARIABLE text
                        ERROR_VARIABLE error)
        if(NOT result EQUAL 0 OR NOT text MATCHES "^48: variant base\nwrong=0 ")
            message(FATAL_ERROR "${optimised}, -cpu ${cpu}: ended with ${result}: ${text}${error}")
        endif()
    endforeach()
endforeach()
