# cmake -D nm=PATH -D module=PATH -D objects=PATHS -P one_definition.cmake : the module with Eigen's product shows one
# function and has none of the loader's unique symbols; the objects of the program that opens it have nothing of Eigen.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${nm}" --dynamic --defined-only "${module}" OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*(Eigen| u )[^\n]*" unwanted "${shown}")
if(unwanted OR NOT shown MATCHES " T attune_bench_product")
    message(FATAL_ERROR "${module} shows:\n${shown}")
endif()
foreach(object IN LISTS objects)
    execute_process(COMMAND "${nm}" --defined-only "${object}" OUTPUT_VARIABLE has COMMAND_ERROR_IS_FATAL ANY)
    if(has MATCHES "[^\n]*5Eigen[^\n]*")
        message(FATAL_ERROR "${object} has a body of Eigen's: ${CMAKE_MATCH_0}")
    endif()
endforeach()
