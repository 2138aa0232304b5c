# cmake -D program=... -D cpu_program=... -D driver=<scripted libcuda> -D nm=... -D folder=... -D include=... -D sources=<of
#   what attune_bake wrote> -P device.cmake : a release with a kernel for GPUs launches the variant, the geometry and the arguments that it should, on a
# libcuda that writes down what it is asked for.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY "${folder}")
file(COPY_FILE "${driver}" "${folder}/libcuda.so.1")
set(environment "LD_LIBRARY_PATH=${folder}" ATTUNE_TEST_CU_ARGUMENTS=8844)
function(check sm expected)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ATTUNE_TEST_CU_SM=${sm} "${program}"
                    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE error)
    string(REGEX REPLACE "stream [1-9][0-9]*" "stream S" text "${text}")
    if(NOT result EQUAL 0 OR NOT text STREQUAL expected)
        message(FATAL_ERROR "sm_${sm}: ended with ${result}: ${error}\n${text}\n--- expected\n${expected}")
    endif()
endfunction()
set(kernel _ZN6linear4axpyEPKfPffi)
set(arrays "context 0 arguments 0000000000100000,0000000000900000,40000000")
set(at_90 "4096: BLOCK=128 VEC=1 by sm_90, proven by record
65536: BLOCK=256 VEC=4 by sm_90, proven by record
5000: BLOCK=64 VEC=1 by sm_90, the default
load sm_90
launch ${kernel} grid 32x1x1 block 128x1x1 shared 0 stream S ${arrays},00001000
load sm_90
launch ${kernel} grid 64x1x1 block 256x1x1 shared 0 stream 0 ${arrays},00010000
load sm_90
launch ${kernel} grid 79x1x1 block 64x1x1 shared 0 stream 0 ${arrays},00001388
")
check(90 "${at_90}")
# For sm_80 a configuration was predicted for 4096, and the tree has nothing else.
check(86 "4096: BLOCK=512 VEC=2 by sm_80, proven by prediction, predicted
65536: BLOCK=512 VEC=2 by sm_80, proven by prediction, predicted
5000: BLOCK=512 VEC=2 by sm_80, proven by prediction, predicted
load sm_80
launch ${kernel} grid 4x1x1 block 512x1x1 shared 0 stream S ${arrays},00001000
launch ${kernel} grid 64x1x1 block 512x1x1 shared 0 stream 0 ${arrays},00010000
launch ${kernel} grid 5x1x1 block 512x1x1 shared 0 stream 0 ${arrays},00001388
")
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} ATTUNE_TEST_CU_SM=75 "${program}" RESULT_VARIABLE result
                OUTPUT_VARIABLE text ERROR_VARIABLE error)
if(result EQUAL 0 OR NOT error MATCHES "kernel linear::axpy was not launched: the program has no code for this device, Scripted 0 .sm_75.; it was built for sm_90, sm_80, PTX sm_80\n")
    message(FATAL_ERROR "sm_75: ended with ${result}: ${text}${error}")
endif()
# Where there is no driver.
execute_process(COMMAND ldconfig -p OUTPUT_VARIABLE libraries ERROR_QUIET RESULT_VARIABLE failed)
if(NOT libraries MATCHES "libcuda\\.so\\.1")
    execute_process(COMMAND env -i "${program}" launch RESULT_VARIABLE result ERROR_VARIABLE error)
    if(result EQUAL 0 OR NOT error MATCHES "kernel linear::axpy was not launched: there is no CUDA driver: libcuda")
        message(FATAL_ERROR "without a driver it ended with ${result}: ${error}")
    endif()
endif()
# A program with kernels for processors alone opens nothing.
foreach(one "${program}" "${cpu_program}")
    execute_process(COMMAND "${nm}" -C "${one}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "dlopen" opens_${one} "${symbols}")
endforeach()
if(NOT opens_${program} OR opens_${cpu_program})
    message(FATAL_ERROR "dlopen: `${opens_${program}}` with a kernel for devices, `${opens_${cpu_program}}` without")
endif()
# The sources are ISO C++20 without exceptions and run-time type information.
file(GLOB written "${sources}/axpy_*.cpp")
foreach(names "g++-12;g++" "clang++-16;clang++-19;clang++")
    find_program(compiler NAMES ${names} NO_CACHE)
    foreach(source "${CMAKE_CURRENT_LIST_DIR}/device_program.cpp" ${written})
        if(compiler)
            execute_process(COMMAND "${compiler}" -std=c++20 -fsyntax-only -fno-exceptions -fno-rtti -pedantic-errors -Wall -Wextra
                                    -Werror "-I${include}" "${source}" RESULT_VARIABLE result ERROR_VARIABLE error)
            if(NOT result EQUAL 0)
                message(FATAL_ERROR "${compiler}: ${source}: ${error}")
            endif()
        endif()
    endforeach()
    unset(compiler)
endforeach()
# What the tools of CUDA say of the images.
find_program(cuobjdump cuobjdump PATHS /usr/local/cuda/bin)
if(cuobjdump)
    execute_process(COMMAND "${cuobjdump}" -lelf "${program}" OUTPUT_VARIABLE text ERROR_VARIABLE error)
    message("cuobjdump: ${text}${error}")
endif()
