# ATTUNE_CASE_COMPILER: a Clang that compiles what only tests and measures, in a build by GCC: in 0.64 of GCC 12's time at
# -O1, in 0.45 at -O0. Libraries, headers, examples and packages stay the build's own compiler's, and the two kinds of
# object code are linked: a merge sees both compilers.
#
#   attune_compile_cases(<target> [<options>...])        compiles it so where ATTUNE_CASE_COMPILER is set
#   attune_precompile_cases(<name> <level> <headers>...) parses the headers once, for units of this level of optimisation
#   attune_use_precompiled(<target> <name> <sources>...) these units of a target that it compiles begin with them
#   attune_link_first(<target> <libraries>...)           the functions of these libraries stay optimised in the target
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

# Clang reads of a precompiled header what a unit needs, so that one with all of attune serves all units. Not GCC's: that
# would save half a second of each unit, and GCC 12 then warns of the bounds of strings inside the standard library.
function(attune_precompile_cases name level)
    if(NOT attune_case_compiler MATCHES "clang")
        return()
    endif()
    set(folder "${PROJECT_BINARY_DIR}/precompiled")
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \\1\n" OUTPUT_VARIABLE lines)
    string(CONCAT content ${lines})
    file(CONFIGURE OUTPUT "${folder}/${name}.hpp" CONTENT "#pragma once\n${content}")
    string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${${flags}}")
    list(APPEND flags ${CMAKE_CXX20_EXTENSION_COMPILE_OPTION} ${level} "-I${PROJECT_SOURCE_DIR}/include")
    foreach(library Boost::headers Eigen3::Eigen nlohmann_json::nlohmann_json)
        if(TARGET ${library})
            get_target_property(folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
            list(APPEND all ${folders})
        endif()
    endforeach()
    list(APPEND all "${ATTUNE_DOCTEST_INCLUDE_DIR}")
    list(REMOVE_DUPLICATES all)
    foreach(path IN LISTS all)
        # Not /usr/include, which a compiler knows and must not see before its own headers.
        if(IS_DIRECTORY "${path}" AND NOT path MATCHES "^/usr/include/?$")
            list(APPEND flags -isystem "${path}")
        endif()
    endforeach()
    set(made "${folder}/${name}.pch")
    add_custom_command(OUTPUT "${made}" DEPFILE "${made}.d" VERBATIM
                       COMMAND "${attune_case_compiler}" ${flags} -fpch-instantiate-templates -Xclang -fno-pch-timestamp
                               -x c++-header "${folder}/${name}.hpp" -o "${made}" -MD -MF "${made}.d" -MT "${made}"
                       COMMENT "Precompiling ${name}.hpp with ${attune_case_compiler}")
    add_custom_target(precompiled_${name} DEPENDS "${made}")
endfunction()
function(attune_use_precompiled target name)
    if(ARGN AND TARGET precompiled_${name})
        add_dependencies(${target} precompiled_${name})
        set(made "${PROJECT_BINARY_DIR}/precompiled/${name}.pch")
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -include-pch "${made}")
        set_property(SOURCE ${ARGN} APPEND PROPERTY OBJECT_DEPENDS "${made}")
    endif()
endfunction()

# What an unoptimised case instantiates of a library's headers is also in the library, optimised. The linker takes the first
# definition that it meets: so these libraries, and those that they link, come before the cases.
function(attune_link_first target)
    set(found "")
    set(next ${ARGN})
    while(NOT next STREQUAL "")
        list(POP_FRONT next library)
        if(NOT TARGET "${library}")
            continue()
        endif()
        get_target_property(type ${library} TYPE)
        get_target_property(name ${library} ALIASED_TARGET)
        if(NOT name)
            set(name ${library})
        endif()
        if(NOT type STREQUAL "STATIC_LIBRARY" OR NOT name MATCHES "^attune_" OR name IN_LIST found)
            continue()
        endif()
        list(APPEND found ${name})
        get_target_property(used ${name} INTERFACE_LINK_LIBRARIES)
        if(used)
            list(APPEND next ${used})
        endif()
    endwhile()
    list(TRANSFORM found REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
    list(JOIN files "," files)
    if(files)
        target_link_options(${target} PRIVATE "LINKER:--whole-archive,${files},--no-whole-archive")
    endif()
endfunction()
