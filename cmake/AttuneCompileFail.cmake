# tests/compile_fail/<what>.cpp: wrong declarations get one readable sentence.
#   line 1   // expect-error: <regex>
#   line 2   // flags: <flags>             of the compiler, after its own; such a line may be missing
# The file compiles as written; with ATTUNE_EXPECT_FAIL defined it must not, the text must match the regex,
# and there must be exactly one error. The twin keeps a test from failing for the wrong reason; a merge leaves it to the text.
#
#   attune_add_compile_fail_tests(<folder>)       one ctest for each file
#   cmake -D file=... -D "compile=..." -D twin=ON -P ...     that test

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_minimum_required(VERSION 3.25)
    file(STRINGS "${file}" lines LIMIT_COUNT 2)
    list(GET lines 0 line)
    string(REGEX REPLACE "^// expect-error: (.*)$" "\\1" want "${line}")
    if(want STREQUAL line)
        message(FATAL_ERROR "${file}: line 1 must be `// expect-error: <regex>`")
    endif()
    list(GET lines 1 flags)
    if(flags MATCHES "^// flags: (.*)$")
        separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_1}")
        list(APPEND compile ${flags})
    endif()
    # The compilers quote names in the user's language otherwise.
    set(ENV{LC_ALL} C)
    function(refuse reason)
        message("${text}")
        message(FATAL_ERROR "${file}: ${reason}")
    endfunction()
    if(twin)
        execute_process(COMMAND ${compile} "${file}" RESULT_VARIABLE failed ERROR_VARIABLE text OUTPUT_VARIABLE text)
        if(failed)
            refuse("must compile as written, without ATTUNE_EXPECT_FAIL")
        endif()
    endif()
    execute_process(COMMAND ${compile} -DATTUNE_EXPECT_FAIL "${file}"
                    RESULT_VARIABLE failed ERROR_VARIABLE text OUTPUT_VARIABLE text)
    if(NOT failed)
        refuse("compiles with ATTUNE_EXPECT_FAIL; expected an error that matches: ${want}")
    elseif(NOT text MATCHES "${want}")
        refuse("no error matches: ${want}")
    endif()
    string(REGEX MATCHALL ": (fatal )?error: " errors "${text}")
    list(LENGTH errors count)
    if(NOT count EQUAL 1)
        refuse("${count} errors instead of one")
    endif()
    return()
endif()

set(attune_compile_fail_script "${CMAKE_CURRENT_LIST_FILE}")
function(attune_add_compile_fail_tests folder)
    file(GLOB files CONFIGURE_DEPENDS "${folder}/*.cpp")
    # -idirafter: a system folder given with -isystem would come before its own #include_next.
    set(compile "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only "-I${PROJECT_SOURCE_DIR}/include")
    set(folders "$<TARGET_PROPERTY:Boost::headers,INTERFACE_INCLUDE_DIRECTORIES>")
    list(APPEND compile "-idirafter$<JOIN:${folders},;-idirafter>")
    # GCC takes a precompiled header from the folder that comes first, instead of parsing attune twice for each of these.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        set(header attune/attune.hpp)
        set(precompiled "${CMAKE_CURRENT_BINARY_DIR}/precompiled/${header}.gch")
        set(precompile ${compile})
        list(REMOVE_ITEM precompile -fsyntax-only)
        get_filename_component(beside "${precompiled}" DIRECTORY)
        file(MAKE_DIRECTORY "${beside}")
        add_custom_command(OUTPUT "${precompiled}" DEPFILE "${precompiled}.d" VERBATIM COMMAND_EXPAND_LISTS
                           COMMAND ${precompile} -w -x c++-header "${PROJECT_SOURCE_DIR}/include/${header}"
                                   -o "${precompiled}" -MD -MF "${precompiled}.d" -MT "${precompiled}")
        add_custom_target(compile_fail_header ALL DEPENDS "${precompiled}")
        list(APPEND compile "-I${CMAKE_CURRENT_BINARY_DIR}/precompiled")
        list(REMOVE_ITEM compile "-I${PROJECT_SOURCE_DIR}/include")
        list(APPEND compile "-I${PROJECT_SOURCE_DIR}/include")
    endif()
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME_WE)
        add_test(NAME compile_fail.${name}
                 COMMAND ${CMAKE_COMMAND} -D "file=${file}" -D "compile=${compile}" -D "twin=${attune_all}" -P "${attune_compile_fail_script}")
        set_tests_properties(compile_fail.${name} PROPERTIES LABELS compile_fail)
    endforeach()
endfunction()
