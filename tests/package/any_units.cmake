# cmake -D nm=PATH -D objects=PATHS -D own=REGEX -P any_units.cmake : a header-only object shows names of <own> and nothing else that
# a second unit of the program could define as well, so that any number of them can be linked.
cmake_minimum_required(VERSION 3.25)
foreach(object IN LISTS objects)
    execute_process(COMMAND "${nm}" --extern-only --defined-only --demangle "${object}" OUTPUT_VARIABLE has
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" symbols "${has}")
    list(FILTER symbols EXCLUDE REGEX "^[0-9a-f]* [VWvwu] ") # the linker keeps one of those
    list(FILTER symbols EXCLUDE REGEX " [TDBR] (${own})$")
    if(symbols OR NOT has MATCHES " T (${own})")
        list(JOIN symbols "\n" text)
        message(FATAL_ERROR "${object} defines beside ${own}:\n${text}")
    endif()
endforeach()
