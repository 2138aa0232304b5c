# attune_add_header_test(<target> LINK <libraries>...): every header stands alone.
#   one unit per header   the header alone, twice       -> a missing include, a missing guard
#   one unit for all      third party first, poison,    -> our own use of a name that C, termios or
#                         then every header                Windows headers define as a macro
#   one program of all    linked                        -> a definition that is not inline
# Poison, not #define: renaming a name consistently would still compile. The poison speaks of a file and a line,
# so one unit serves all headers, and Eigen and Hana are parsed once.
function(attune_add_header_test target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
    file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}/include" CONFIGURE_DEPENDS
         "${PROJECT_SOURCE_DIR}/include/attune/*.hpp")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/headers")
    set(all "#include <Eigen/Core>\n#include <boost/hana.hpp>\n#include <boost/multiprecision/cpp_int.hpp>\n"
            "#include <complex>\n#include <regex>\n#pragma GCC poison I B0 small interface\n")
    set(units "")
    foreach(header IN LISTS headers)
        string(MAKE_C_IDENTIFIER "${header}" name)
        file(CONFIGURE OUTPUT "${folder}/${name}.cpp" CONTENT "#include <${header}>\n#include <${header}>\n")
        list(APPEND units "${folder}/${name}.cpp")
        list(APPEND all "#include <${header}>\n")
    endforeach()
    string(CONCAT all ${all} "int main() {}\n")
    file(CONFIGURE OUTPUT "${folder}/main.cpp" CONTENT "${all}")
    add_executable(${target} ${units} "${folder}/main.cpp")
    target_link_libraries(${target} PRIVATE ${arg_LINK})
    set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS -O0)
endfunction()
