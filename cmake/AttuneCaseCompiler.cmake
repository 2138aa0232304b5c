# ATTUNE_CASE_COMPILER: a Clang that compiles what only tests and measures, in a build by GCC: in 0.64 of GCC 12's time at
# -O1, in 0.45 at -O0. Libraries, headers, examples and packages stay the build's own compiler's, and the two kinds of
# object code are linked: a merge sees both compilers.
#
#   attune_compile_cases(<target> [<options>...])    compiles it so where ATTUNE_CASE_COMPILER is set
set(ATTUNE_CASE_COMPILER "" CACHE STRING "names of a Clang, the best first, that compiles tests and benchmarks in a build by GCC")
set(attune_case_compiler "")
if(ATTUNE_CASE_COMPILER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    find_program(ATTUNE_CASE_COMPILER_FOUND NAMES ${ATTUNE_CASE_COMPILER})
    mark_as_advanced(ATTUNE_CASE_COMPILER_FOUND)
    if(ATTUNE_CASE_COMPILER_FOUND)
        set(attune_case_compiler "${ATTUNE_CASE_COMPILER_FOUND}")
        message(STATUS "tests and benchmarks: compiled by ${attune_case_compiler}")
    else()
        message(STATUS "tests and benchmarks: compiled by ${CMAKE_CXX_COMPILER}, as there is none of ${ATTUNE_CASE_COMPILER}")
    endif()
endif()
set(attune_case_launcher sh "${CMAKE_CURRENT_LIST_DIR}/instead.sh" "${CMAKE_CXX_COMPILER}" "${attune_case_compiler}"
    ${CMAKE_CXX_COMPILER_LAUNCHER})

function(attune_compile_cases target)
    if(attune_case_compiler)
        set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${attune_case_launcher}")
        target_compile_options(${target} PRIVATE -Wno-unknown-warning-option ${ARGN})
        target_compile_definitions(${target} PRIVATE ATTUNE_CASES_BY_ANOTHER_COMPILER)
    endif()
endfunction()
