# attune_dev: the warnings that attune's own sources, tests, examples and benchmarks are built with.
# Never linked by a consumer; third-party headers are SYSTEM.
add_library(attune_dev INTERFACE)
target_compile_options(attune_dev INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-qual
    -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wundef -Wextra-semi
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
    $<$<CXX_COMPILER_ID:Clang>:-Wheader-hygiene -Wunused-template>
    # Clang 16 takes a lambda in a static member for a member: its parameters would shadow fields.
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,17>>:-Wno-shadow>
    $<$<BOOL:${ATTUNE_WERROR}>:-Werror>)
# A driver's functions come from dlsym, and their handles have tags of their own: that is no finding.
if(ATTUNE_SANITIZED AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(attune_dev INTERFACE -fno-sanitize=function)
endif()
