# cmake -D source=... -D folder=... -D "include=..." -D "warnings=..." -P smoke.cmake : tests of core, space, search, levels and the text of
# programs, cross-compiled for AArch64 without optimisation in one program, and run in QEMU as processors that exist. The
# legs aarch64 and aarch64gcc of cmake/matrix.sh run everything.
cmake_minimum_required(VERSION 3.25)
find_program(gcc aarch64-linux-gnu-g++)
find_program(qemu qemu-aarch64)
if(NOT gcc OR NOT qemu)
    message("skipped: there is no aarch64-linux-gnu-g++ or no qemu-aarch64 (Debian: g++-aarch64-linux-gnu, qemu-user)")
    return()
endif()
set(compiler "${gcc}")
find_program(clang clang++-19)
if(clang) # which compiles this in half the time, with GCC's library
    set(compiler "${clang}" --target=aarch64-linux-gnu)
else()
    list(APPEND warnings -Wno-psabi) # a note on each pair of doubles, that GCC 9 passed it in other registers
endif()
set(files main core/kernel_type core/own_float_environment core/posix/machine_figures core/posix/processor 
    declare/text search/random ship/baked/instruction_level space/tree/tree compile/nest/nest_text)
set(linked -Wl,--dynamic-linker=/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1,-rpath,/usr/aarch64-linux-gnu/lib)
file(MAKE_DIRECTORY "${folder}")
set(objects "")
foreach(file IN LISTS files)
    string(REPLACE "/" "_" object "${file}")
    set(object "${folder}/${object}.o")
    list(APPEND objects "${object}")
    execute_process(COMMAND ${compiler} -std=c++20 -O0 ${warnings} -Werror -DATTUNE_HEADER_ONLY -I "${source}/include" ${include}
                            -c "${source}/tests/${file}.cpp" -o "${object}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${compiler} ${objects} -pthread ${linked} -o "${folder}/smoke" COMMAND_ERROR_IS_FATAL ANY)

# NEON; SVE of 64 bytes; a processor of the first level; pages of 64 KiB.
foreach(machine "-cpu;neoverse-n1" "-cpu;a64fx" "-cpu;cortex-a57" "-cpu;max;-p;65536")
    execute_process(COMMAND "${qemu}" ${machine} "${folder}/smoke" RESULT_VARIABLE result OUTPUT_VARIABLE text
                    ERROR_VARIABLE error)
    list(JOIN machine " " name)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${name}: ended with ${result}: ${text}${error}")
    endif()
    string(REGEX MATCH "test cases:[^\n]*" cases "${text}")
    message("${name}: ${cases}")
endforeach()
