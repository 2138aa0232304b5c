# examples/NN_name.cpp is built, run, and its output is compared with the comment at its end:
#
#   // prints:
#   // best tile = # after # evaluations     `#` stands for a number, `*` for any text within the line
#   // or: no tile is better *               what that line may be instead
#   // ...                                   any number of further lines
#
# What depends on the machine's speed and on what else runs there is written so that it matches whatever they are:
# a summary may end with `; the machine was disturbed`, and the default may be the fastest.
#
# One that cannot run here prints `skipped: <why>` and ends with 0; then the test is skipped, for that reason.
#
#   attune_add_example(<file> LINK <libraries>...)      the program, and its ctest where testing is on
#   cmake -D example=... -D program=... -D folder=... -P ...   that test

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(attune_example_script "${CMAKE_CURRENT_LIST_FILE}")
    function(attune_add_example file)
        cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
        get_filename_component(name "${file}" NAME_WE)
        add_executable(${name} "${file}")
        target_link_libraries(${name} PRIVATE ${arg_LINK})
        if(ATTUNE_BUILD_TESTS)
            add_test(NAME example.${name}
                     COMMAND ${CMAKE_COMMAND} -D "example=${file}" -D "program=$<TARGET_FILE:${name}>"
                             -D "folder=${CMAKE_CURRENT_BINARY_DIR}/run/${name}" -P "${attune_example_script}")
            # Alone on the machine, because examples time kernels.
            set_tests_properties(example.${name} PROPERTIES LABELS "example;jit" RUN_SERIAL ON TIMEOUT 300
                                 SKIP_REGULAR_EXPRESSION "^skipped: "
                                 ENVIRONMENT "ATTUNE_CACHE=$<TARGET_FILE_DIR:${name}>/cache")
        endif()
    endfunction()
    return()
endif()

cmake_minimum_required(VERSION 3.25)

# Sets <out> to the lines of <text>. Brackets, semicolons and backslashes would upset CMake's lists and regexes,
# so both sides of the comparison carry control characters in their place.
string(ASCII 1 open)
string(ASCII 2 close)
string(ASCII 3 semicolon)
string(ASCII 4 backslash)
function(split out text)
    string(REPLACE "[" "${open}" text "${text}")
    string(REPLACE "]" "${close}" text "${text}")
    string(REPLACE ";" "${semicolon}" text "${text}")
    string(REPLACE "\\" "${backslash}" text "${text}")
    string(REGEX REPLACE "\n$" "" text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# What it should print: the lines after the last `// prints:`, as regexes; `...` stays itself.
file(READ "${example}" code)
string(FIND "${code}" "\n// prints:\n" begin REVERSE)
if(begin EQUAL -1)
    message(FATAL_ERROR "${example}: must end with a comment `// prints:` and the lines it prints")
endif()
split(all "${code}")
list(LENGTH all length)
if(NOT length LESS 80)
    message(FATAL_ERROR "${example}: ${length} lines; an example has fewer than 80")
endif()
string(SUBSTRING "${code}" ${begin} -1 code)
string(REGEX REPLACE "^\n// prints:\n" "" code "${code}")
set(promise "${code}")
split(comment "${promise}")
set(number "[-+]?[0-9][0-9]*[.]?[0-9]*(e[-+]?[0-9]+)?")
set(want "")
foreach(line IN LISTS comment)
    if(NOT line MATCHES "^//( (.*))?$")
        message(FATAL_ERROR "${example}: after `// prints:` only comment lines may follow, not: ${line}")
    endif()
    set(line "${CMAKE_MATCH_2}")
    if(line STREQUAL "...")
        list(APPEND want "${line}")
        continue()
    endif()
    set(is_other OFF)
    if(line MATCHES "^or: (.*)$")
        set(is_other ON)
        set(line "${CMAKE_MATCH_1}")
    endif()
    string(REGEX REPLACE "([.+?^$(){}|])" "\\\\\\1" line "${line}")
    string(REPLACE "*" ".*" line "${line}")
    string(REPLACE "#" "${number}" line "${line}")
    set(line "^${line}$")
    if(is_other)
        list(POP_BACK want before)
        if(NOT before OR before STREQUAL "...")
            message(FATAL_ERROR "${example}: `or:` must follow the line that it may stand for")
        endif()
        set(line "${before}|${line}")
    endif()
    list(APPEND want "${line}")
endforeach()
list(LENGTH want count)

# Run it in an empty folder, so that nothing is remembered from an earlier run.
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}")
execute_process(COMMAND "${program}" WORKING_DIRECTORY "${folder}"
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
    message("--- stdout\n${output}--- stderr\n${errors}")
    message(FATAL_ERROR "${program} ended with ${result}")
endif()
if(output MATCHES "^skipped: ")
    message("${output}")
    return()
endif()
split(got "${output}")

# `at` holds every place in `want` that the output so far can have reached; `...` may also stand still.
function(pass_ellipses places)
    set(reached "")
    foreach(i IN LISTS ${places})
        list(APPEND reached ${i})
        while(i LESS count)
            list(GET want ${i} line)
            if(NOT line STREQUAL "...")
                break()
            endif()
            math(EXPR i "${i} + 1")
            list(APPEND reached ${i})
        endwhile()
    endforeach()
    list(REMOVE_DUPLICATES reached)
    set(${places} "${reached}" PARENT_SCOPE)
endfunction()

function(fail reason)
    message("expected:\n${promise}\n--- stdout\n${output}--- stderr\n${errors}")
    message(FATAL_ERROR "${example}: ${reason}")
endfunction()

set(at 0)
pass_ellipses(at)
set(n 0)
foreach(line IN LISTS got)
    math(EXPR n "${n} + 1")
    set(next "")
    foreach(i IN LISTS at)
        if(i LESS count)
            list(GET want ${i} pattern)
            if(pattern STREQUAL "...")
                list(APPEND next ${i})
            elseif(line MATCHES "${pattern}")
                math(EXPR i "${i} + 1")
                list(APPEND next ${i})
            endif()
        endif()
    endforeach()
    if(next STREQUAL "")
        fail("line ${n} of the output is not as expected")
    endif()
    list(REMOVE_DUPLICATES next)
    set(at "${next}")
    pass_ellipses(at)
endforeach()
if(NOT count IN_LIST at)
    fail("the output ends after ${n} lines, before all that was expected")
endif()
