# cmake -D attune_source=... -D attune_build=... -D folder=... -D compiler=... -D nm=... -P ship.cmake :
# the four commands of examples/ship, with an installed attune; then what the release is made of, and that it runs where
# nothing else is.
cmake_minimum_required(VERSION 3.25)

function(run out)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE error)
    list(JOIN ARGN " " line)
    message("${line}\n${text}${error}")
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "ended with ${result}: ${line}")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${folder}")
run(text ${CMAKE_COMMAND} --install "${attune_build}" --prefix "${folder}/attune")
file(COPY "${attune_source}/examples/ship" "${attune_source}/examples/sgemm.kernel.cpp" DESTINATION "${folder}/project")
file(REMOVE "${folder}/project/ship/sgemm.attune")
set(source "${folder}/project/ship")
set(build "${folder}/build")
run(text ${CMAKE_COMMAND} -S "${source}" -B "${build}" "-DCMAKE_PREFIX_PATH=${folder}/attune"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=-O0")
run(text ${CMAKE_COMMAND} --build "${build}" --target tune)
if(NOT EXISTS "${source}/sgemm.attune")
    message(FATAL_ERROR "the tuning left no store")
endif()
run(text ${CMAKE_COMMAND} -S "${source}" -B "${build}" -D RELEASE=ON)
run(text ${CMAKE_COMMAND} --build "${build}")
# Neither the tuner nor the kernel nor the store is there any more.
file(REMOVE_RECURSE "${folder}/attune" "${folder}/project")
run(text "${build}/program")
if(NOT text MATCHES "^c.0. = 512\nTILE_M=[0-9]+ TILE_N=")
    message(FATAL_ERROR "the release prints something else")
endif()
# The call of the tuning is proven; where nothing was faster than the default, that serves.
if(text MATCHES "no shape like this|instructions that this processor")
    message(FATAL_ERROR "the release serves its default")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/alone.cmake")
attune_check_libraries("${build}/program")
attune_check_symbols("${nm}" "${build}/program")
attune_run_alone("${build}/program" "${folder}/root" "^c.0. = 512\n")
