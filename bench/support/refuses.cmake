# cmake -D program=PATH -D "refused=WORDS|WORDS..." -P refuses.cmake : each of these command lines ends the program with 2,
# one line that names the program on stderr and nothing on stdout; a program that dies of a signal has no number.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" lines "${refused}")
set(problems 0)
list(REMOVE_ITEM lines "")
foreach(line IN LISTS lines)
    separate_arguments(words UNIX_COMMAND "${line}")
    execute_process(COMMAND "${program}" ${words} TIMEOUT 20
                    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE said)
    if(NOT result STREQUAL "2" OR NOT output STREQUAL "" OR NOT said MATCHES "^[^\n]*bench\\.[^\n]*: [^\n]+\n$")
        message("${program} ${line}\n  ended with: ${result}\n  stdout: ${output}\n  stderr: ${said}")
        math(EXPR problems "${problems} + 1")
    endif()
endforeach()
if(problems GREATER 0)
    message(FATAL_ERROR "${problems} wrong command lines were not refused")
endif()
