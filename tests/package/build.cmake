# cmake -D consumer=... -P build.cmake : configures, builds and runs one consumer from nothing. The consumer that
# uses find_package gets an installed copy below its own build folder.
cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
    list(JOIN ARGV " " line)
    message("${line}\n${text}")
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "ended with ${result}: ${line}")
    endif()
endfunction()

file(REMOVE_RECURSE "${folder}")
if(consumer MATCHES "find_package$")
    run(${CMAKE_COMMAND} --install "${attune_build}" --prefix "${folder}/prefix")
    set(where "-DCMAKE_PREFIX_PATH=${folder}/prefix")
else()
    set(where "-DATTUNE_SOURCE=${attune_source}")
endif()
# No build type: what is checked is that it builds and links, so it should build fast.
run(${CMAKE_COMMAND} -S "${consumer}" -B "${folder}/build" -G "${generator}" "-DCMAKE_CXX_COMPILER=${compiler}"
    "${where}" "-DHAS_SEARCH=${has_search}" "-DHAS_CLANG=${has_clang}")
run(${CMAKE_COMMAND} --build "${folder}/build")
foreach(program light search clang)
    if(EXISTS "${folder}/build/${program}")
        run("${folder}/build/${program}")
    endif()
endforeach()
