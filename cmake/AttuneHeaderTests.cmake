# attune_add_header_test(<target> LINK <libraries>...)     every header stands alone
# attune_header_only_unit(<out> <sources>...)              a unit of all headers in the header-only form, and of these sources
#   its own test           includes it first            -> a missing include; house.headerhastest says that it does
#   a unit of all headers  third party first, poison,   -> our own use of a name that C, termios or Windows headers
#                          then every header, twice        define as a macro; a missing guard
#   two of them            in opposite order, linked    -> a definition that is not inline; not at a merge
#   one of them            in the header-only form      -> a name that two stages define, each in its own files
# Poison, not #define: renaming a name consistently would still compile. The poison speaks of a file and a line,
# so one unit serves all headers, and Eigen and Hana are parsed once.
function(attune_list_headers out)
    file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/include/attune/*.hpp")
    list(FILTER headers EXCLUDE REGEX "/(detail|unit)/")
    list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
    set(${out} "${headers}" PARENT_SCOPE)
endfunction()

function(attune_add_header_test target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
    attune_list_headers(forwards)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/headers")
    set(begin "#include <Eigen/Core>\n#include <boost/hana.hpp>\n#include <boost/multiprecision/cpp_int.hpp>\n"
              "#include <complex>\n#include <regex>\n#pragma GCC poison I B0 small interface\n")
    set(backwards ${forwards})
    list(REVERSE backwards)
    string(CONCAT all ${begin} ${forwards} ${forwards} "int main() {}\n")
    file(CONFIGURE OUTPUT "${folder}/forwards.cpp" CONTENT "${all}")
    string(CONCAT all ${begin} ${backwards})
    file(CONFIGURE OUTPUT "${folder}/backwards.cpp" CONTENT "${all}")
    add_executable(${target} "${folder}/forwards.cpp")
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS -O0)
    if(ATTUNE_TEST_SCOPE STREQUAL "merge") # tests_<stage> link units that include the same headers
        attune_compile_cases(${target})
    else()
        target_sources(${target} PRIVATE "${folder}/backwards.cpp")
    endif()
endfunction()

function(attune_header_only_unit out)
    attune_list_headers(before)
    set(after ${before})
    # The names that stand for attune's under ATTUNE_OFF: sources that say attune::kernel are ambiguous behind them.
    list(FILTER before EXCLUDE REGEX "attune/off/")
    list(FILTER after INCLUDE REGEX "attune/off/")
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE sources)
    string(CONCAT all ${before} ${sources} ${after})
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/headers/header_only.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${all}")
    set(${out} "${unit}" PARENT_SCOPE)
endfunction()
