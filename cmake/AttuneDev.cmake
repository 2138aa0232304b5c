# ATTUNE_TEST_SCOPE: how many of the tests, examples and benches are built and run.
#   merge    what a change can break without a look at it: every test of a file, and one of each kind of what builds on them
#            (a bench, examples, a package, the header-only form, a fuzzer)
#   all      every one
#   release  the packages that build all of attune once more, for minutes, too; and what is drawn at random is drawn as
#            often as tests/support/rounds.hpp says for a release
set(ATTUNE_TEST_SCOPE all CACHE STRING "the tests, examples and benches that are built: merge, all or release")
set_property(CACHE ATTUNE_TEST_SCOPE PROPERTY STRINGS merge all release)
if(NOT ATTUNE_TEST_SCOPE MATCHES "^(merge|all|release)$")
    message(FATAL_ERROR "attune: ATTUNE_TEST_SCOPE is ${ATTUNE_TEST_SCOPE}; it can be merge, all or release.")
endif()

# attune_dev: the warnings that attune's own sources, tests, examples and benchmarks are built with.
# Never linked by a consumer; third-party headers are SYSTEM.
add_library(attune_dev INTERFACE)
set(attune_warnings
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-qual
    -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wundef -Wextra-semi)
target_compile_options(attune_dev INTERFACE
    ${attune_warnings}
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
    # On AArch64 GCC has a note on each pair of doubles, that GCC 9 passed it in other registers.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},aarch64>>:-Wno-psabi>
    $<$<CXX_COMPILER_ID:Clang>:-Wheader-hygiene -Wunused-template>
    # Clang 16 takes a lambda in a static member for a member: its parameters would shadow fields.
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,17>>:-Wno-shadow>
    $<$<BOOL:${ATTUNE_WERROR}>:-Werror>)
# A driver's functions come from dlsym, and their handles have tags of their own: that is no finding.
if(ATTUNE_SANITIZED AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(attune_dev INTERFACE -fno-sanitize=function)
endif()
