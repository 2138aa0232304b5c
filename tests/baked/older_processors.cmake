# cmake -D program=... -D compiler=... -D folder=... -P older_processors.cmake : on processors that QEMU imitates, the released
# program has the code for what they say of themselves. QEMU refuses instructions that they do not have, as they would.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
need_qemu(qemu-x86_64)

# The judge is fit: an instruction of AVX2 ends a program there.
file(MAKE_DIRECTORY "${folder}")
file(WRITE "${folder}/judge.cpp" "int main() { __asm__ volatile(\"vpaddd %ymm0, %ymm0, %ymm0\"); }\n")
execute_process(COMMAND "${compiler}" "${folder}/judge.cpp" -o "${folder}/judge" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${qemu}" -cpu max "${folder}/judge" RESULT_VARIABLE result ERROR_VARIABLE error)
if(NOT result EQUAL 0)
    message("skipped: this qemu-x86_64 has no AVX2: ${error}")
    return()
endif()
foreach(cpu qemu64 max,-avx,-avx2)
    execute_process(COMMAND "${qemu}" -cpu ${cpu} "${folder}/judge" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
        message("skipped: this qemu-x86_64 runs AVX2 for -cpu ${cpu}")
        return()
    endif()
endforeach()

# Which instructions serve 48, by processor and by what is not to be exceeded. x86-64-v2 is not among what was compiled.
function(check cpu most expected)
    execute_process(COMMAND "${qemu}" -cpu ${cpu} "${program}" "${most}" 40 RESULT_VARIABLE result OUTPUT_VARIABLE text
                    ERROR_VARIABLE error)
    if(NOT result EQUAL 0 OR NOT text MATCHES "^48: variant ${expected}\nwrong=0 ")
        message(FATAL_ERROR "-cpu ${cpu}, at most `${most}`: ended with ${result}, expected ${expected}: ${text}${error}")
    endif()
endfunction()
check(qemu64 "" base)
check(qemu64 x86-64-v4 base)
check(Nehalem "" base)
check(Haswell "" x86-64-v3)
check(Haswell x86-64-v2 base)
check(max "" x86-64-v3)
# One bit of a level is missing, or the system keeps no wide registers.
foreach(without avx2 fma bmi2 movbe abm xsave popcnt)
    check(max,-${without} "" base)
endforeach()
