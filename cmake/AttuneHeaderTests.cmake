# attune_add_header_test(<target> LINK <libraries>...): every header stands alone.
#   its own test           includes it first            -> a missing include; house.headerhastest says that it does
#   a unit of all headers  third party first, poison,   -> our own use of a name that C, termios or Windows headers
#                          then every header, twice        define as a macro; a missing guard
#   two of them            in opposite order, linked    -> a definition that is not inline
#   one of them            in the header-only form      -> a name that two stages define, each in its own files
# Poison, not #define: renaming a name consistently would still compile. The poison speaks of a file and a line,
# so one unit serves all headers, and Eigen and Hana are parsed once.
function(attune_add_header_test target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
    file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/include/attune/*.hpp")
    list(FILTER headers EXCLUDE REGEX "/(detail|unit)/")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/headers")
    set(begin "#include <Eigen/Core>\n#include <boost/hana.hpp>\n#include <boost/multiprecision/cpp_int.hpp>\n"
              "#include <complex>\n#include <regex>\n#pragma GCC poison I B0 small interface\n")
    list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE forwards)
    set(backwards ${forwards})
    list(REVERSE backwards)
    string(CONCAT all ${begin} ${forwards} ${forwards} "int main() {}\n")
    file(CONFIGURE OUTPUT "${folder}/forwards.cpp" CONTENT "${all}")
    string(CONCAT all ${begin} ${backwards})
    file(CONFIGURE OUTPUT "${folder}/backwards.cpp" CONTENT "${all}")
    add_executable(${target} "${folder}/forwards.cpp" "${folder}/backwards.cpp")
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS -O0)
    string(CONCAT all ${forwards})
    file(CONFIGURE OUTPUT "${folder}/header_only.cpp" CONTENT "${all}")
    set(compiler ${CMAKE_CXX_COMPILER})
    if(attune_case_compiler)
        set(compiler "${attune_case_compiler}")
    endif()
    set(folders "$<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>")
    add_test(NAME package.all_headers
             COMMAND "${compiler}" -std=c++20 -fsyntax-only -DATTUNE_HEADER_ONLY "-I${PROJECT_SOURCE_DIR}/include"
                     "-isystem$<JOIN:${folders},;-isystem>" "${folder}/header_only.cpp"
             COMMAND_EXPAND_LISTS)
    set_tests_properties(package.all_headers PROPERTIES LABELS package TIMEOUT 300)
endfunction()
