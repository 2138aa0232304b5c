# The two forms of the same headers, defined once for this build tree and for the installed package.
#
#   attune::header_only  ATTUNE_HEADER_ONLY: every definition is inline, nothing of attune's is linked
#   attune::<stage>      the compiled form: one translation unit per stage, compiled once
#
#   stage      unit                           needs                  other stages
#   core       attune/unit/core.hpp           Boost's headers        -
#   space      attune/unit/space.hpp          -                      core
#   files      attune/unit/files.hpp          JSON                   space
#   search     attune/unit/search.hpp         Eigen                  space
#   techniques attune/unit/techniques.hpp     -                      search
#   models     attune/unit/models.hpp         Eigen                  search
#   published  attune/unit/published.hpp      Eigen                  techniques, models
#   compile    attune/unit/compile.hpp        -                      core
#   nvrtc      attune/unit/nvrtc.hpp          -                      compile
#   measure    attune/unit/measure.hpp        -                      core
#   energy     attune/unit/energy.hpp         -                      measure
#   message    attune/unit/message.hpp        JSON                   core
#   remember   attune/unit/remember.hpp       JSON                   core
#   tune       attune/unit/tune*.hpp          -                      search, compile, measure, remember
#   roofline   attune/unit/roofline.hpp       -                      tune
#   lessons    attune/unit/lessons.hpp        -                      models, techniques, tune
#   cuda       attune/unit/cuda*.hpp          -                      nvrtc, message, tune
#   opencl     attune/unit/opencl.hpp         -                      cuda
#   capture    attune/unit/capture.hpp        JSON                   tune
#   many       attune/unit/many*.hpp          JSON                   message, tune
#   objectives attune/unit/objectives.hpp     -                      tune
#   ship       attune/unit/ship.hpp           JSON                   nvrtc, remember
#   clang      attune/unit/clang.hpp          LLVM and Clang         tune; without LLVM, attune::tune alone
#   xgboost    attune/unit/xgboost.hpp        XGBoost                models; never installed, the consumer builds it
#   mpi        attune/unit/mpi.hpp            MPI-3                  many; never installed, the consumer builds it
#   smt        attune/unit/smt.hpp            Z3                     files; the same
#   programs   attune/unit/programs.hpp       -                      roofline
#   networks   attune/unit/networks.hpp       -                      core
#   onnx       attune/unit/onnx.hpp           ONNX and protobuf      networks; as xgboost
#   tasks      attune/unit/tasks.hpp          ONNX and protobuf      onnx, many, programs; as xgboost
#
# core holds core/ and declare/, nvrtc holds cuda/ as well. An installed package may have the libraries; else the consumer's own compiler
# builds those that something links. Needs the target attune::attune.
set(attune_stages core space files search techniques models published compile nvrtc measure energy message remember tune roofline lessons cuda opencl capture many objectives ship)
set(attune_packages_core boost threads)
set(attune_packages_files json)
set(attune_packages_search eigen)
set(attune_packages_models eigen)
set(attune_packages_published eigen)
set(attune_packages_remember json)
set(attune_packages_message json)
set(attune_packages_capture json)
set(attune_packages_many json)
set(attune_packages_ship json)
set(attune_more_units_space space_query)
set(attune_uses_space core)
set(attune_uses_files space)
set(attune_more_units_search search_bayes search_models)
set(attune_uses_search space)
set(attune_more_units_techniques techniques_meta)
set(attune_uses_techniques search)
set(attune_uses_models search)
set(attune_uses_published techniques models)
set(attune_uses_compile core)
set(attune_uses_nvrtc compile)
set(attune_uses_measure core)
set(attune_uses_energy measure)
set(attune_uses_message core)
set(attune_uses_remember core)
set(attune_more_units_tune tune_choice tune_kernel tune_loop tune_serve)
set(attune_uses_tune search compile measure remember)
set(attune_more_units_cuda cuda_measure)
set(attune_uses_cuda nvrtc message tune)
set(attune_uses_opencl cuda)
set(attune_uses_roofline tune)
set(attune_uses_lessons models techniques tune)
set(attune_uses_capture tune)
set(attune_more_units_many many_together)
set(attune_uses_many message tune)
set(attune_uses_objectives tune)
set(attune_uses_ship nvrtc remember)
set(attune_uses_clang tune)
set(attune_packages_clang llvm)
set(attune_uses_xgboost models)
set(attune_packages_xgboost xgboost)
set(attune_uses_mpi many)
set(attune_packages_mpi mpi)
set(attune_uses_smt files)
set(attune_packages_smt z3)
list(APPEND attune_stages programs networks)
set(attune_uses_programs roofline)
set(attune_uses_networks core)
set(attune_uses_onnx networks)
set(attune_packages_onnx onnx)
set(attune_uses_tasks onnx many programs)
set(attune_packages_tasks onnx)

# attune_find_<package>(<reason>) sets <reason> to nothing, or to a clause that says what is missing and where it is had.

function(attune_find_boost reason)
    find_package(Boost CONFIG QUIET GLOBAL)
    if(NOT TARGET Boost::headers)
        find_path(ATTUNE_BOOST_INCLUDE_DIR boost/hana/basic_tuple.hpp)
        mark_as_advanced(ATTUNE_BOOST_INCLUDE_DIR)
        if(ATTUNE_BOOST_INCLUDE_DIR)
            add_library(Boost::headers INTERFACE IMPORTED GLOBAL)
            target_include_directories(Boost::headers INTERFACE "${ATTUNE_BOOST_INCLUDE_DIR}")
        endif()
    endif()
    if(TARGET Boost::headers)
        set(${reason} "" PARENT_SCOPE)
    else()
        set(${reason} "Boost's headers were not found (Debian: libboost-dev)" PARENT_SCOPE)
    endif()
endfunction()

function(attune_find_json reason)
    find_package(nlohmann_json CONFIG QUIET GLOBAL)
    set(${reason} "" PARENT_SCOPE)
    if(NOT TARGET nlohmann_json::nlohmann_json)
        set(${reason} "nlohmann-json was not found (Debian: nlohmann-json3-dev)" PARENT_SCOPE)
    endif()
endfunction()

function(attune_find_eigen reason)
    find_package(Eigen3 CONFIG QUIET GLOBAL)
    set(${reason} "" PARENT_SCOPE)
    if(NOT TARGET Eigen3::Eigen)
        set(${reason} "Eigen 3.4 was not found (Debian: libeigen3-dev)" PARENT_SCOPE)
    endif()
endfunction()

# Gives the target attune_libxgboost.
function(attune_find_xgboost reason)
    find_library(ATTUNE_XGBOOST_LIBRARY xgboost)
    find_path(ATTUNE_XGBOOST_INCLUDE_DIR xgboost/c_api.h)
    mark_as_advanced(ATTUNE_XGBOOST_LIBRARY ATTUNE_XGBOOST_INCLUDE_DIR)
    if(NOT ATTUNE_XGBOOST_LIBRARY OR NOT ATTUNE_XGBOOST_INCLUDE_DIR)
        set(${reason} "libxgboost was not found (Debian: libxgboost-dev)" PARENT_SCOPE)
        return()
    endif()
    set(${reason} "" PARENT_SCOPE)
    set(${reason}_found "${ATTUNE_XGBOOST_LIBRARY}" PARENT_SCOPE)
    if(NOT TARGET attune_libxgboost)
        add_library(attune_libxgboost INTERFACE IMPORTED GLOBAL)
        target_include_directories(attune_libxgboost INTERFACE "${ATTUNE_XGBOOST_INCLUDE_DIR}")
        target_link_libraries(attune_libxgboost INTERFACE "${ATTUNE_XGBOOST_LIBRARY}")
    endif()
endfunction()

function(attune_find_mpi reason)
    set(MPI_CXX_SKIP_MPICXX ON) # the C interface alone
    find_package(MPI 3 QUIET GLOBAL COMPONENTS CXX)
    set(${reason} "" PARENT_SCOPE)
    if(NOT MPI_CXX_FOUND) # the target is made all the same
        set(${reason} "MPI was not found (Debian: libopenmpi-dev or libmpich-dev)" PARENT_SCOPE)
        return()
    endif()
    set(${reason}_found "MPI ${MPI_CXX_VERSION}" PARENT_SCOPE)
endfunction()

# Gives the target attune_libz3.
function(attune_find_z3 reason)
    find_library(ATTUNE_Z3_LIBRARY z3)
    find_path(ATTUNE_Z3_INCLUDE_DIR z3++.h PATH_SUFFIXES z3)
    mark_as_advanced(ATTUNE_Z3_LIBRARY ATTUNE_Z3_INCLUDE_DIR)
    if(NOT ATTUNE_Z3_LIBRARY OR NOT ATTUNE_Z3_INCLUDE_DIR)
        set(${reason} "libz3 was not found (Debian: libz3-dev)" PARENT_SCOPE)
        return()
    endif()
    set(${reason} "" PARENT_SCOPE)
    set(${reason}_found "${ATTUNE_Z3_LIBRARY}" PARENT_SCOPE)
    if(NOT TARGET attune_libz3)
        add_library(attune_libz3 INTERFACE IMPORTED GLOBAL)
        target_include_directories(attune_libz3 INTERFACE "${ATTUNE_Z3_INCLUDE_DIR}")
        target_link_libraries(attune_libz3 INTERFACE "${ATTUNE_Z3_LIBRARY}")
    endif()
endfunction()

# Gives the target attune_libonnx: the messages of ONNX, without its operators.
function(attune_find_onnx reason)
    find_library(ATTUNE_ONNX_LIBRARY onnx_proto)
    find_library(ATTUNE_PROTOBUF_LIBRARY protobuf)
    find_path(ATTUNE_ONNX_INCLUDE_DIR onnx/onnx-ml.pb.h)
    find_path(ATTUNE_PROTOBUF_INCLUDE_DIR google/protobuf/message.h)
    mark_as_advanced(ATTUNE_ONNX_LIBRARY ATTUNE_PROTOBUF_LIBRARY ATTUNE_ONNX_INCLUDE_DIR ATTUNE_PROTOBUF_INCLUDE_DIR)
    if(NOT ATTUNE_ONNX_LIBRARY OR NOT ATTUNE_ONNX_INCLUDE_DIR)
        set(${reason} "libonnx was not found (Debian: libonnx-dev)" PARENT_SCOPE)
        return()
    endif()
    if(NOT ATTUNE_PROTOBUF_LIBRARY OR NOT ATTUNE_PROTOBUF_INCLUDE_DIR)
        set(${reason} "protobuf was not found (Debian: libprotobuf-dev)" PARENT_SCOPE)
        return()
    endif()
    set(${reason} "" PARENT_SCOPE)
    set(${reason}_found "${ATTUNE_ONNX_LIBRARY}" PARENT_SCOPE)
    if(NOT TARGET attune_libonnx)
        add_library(attune_libonnx INTERFACE IMPORTED GLOBAL)
        target_include_directories(attune_libonnx INTERFACE "${ATTUNE_ONNX_INCLUDE_DIR}" "${ATTUNE_PROTOBUF_INCLUDE_DIR}")
        target_compile_definitions(attune_libonnx INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
        target_link_libraries(attune_libonnx INTERFACE "${ATTUNE_ONNX_LIBRARY}" "${ATTUNE_PROTOBUF_LIBRARY}")
    endif()
endfunction()

function(attune_find_threads reason)
    find_package(Threads QUIET GLOBAL)
    set(${reason} "" PARENT_SCOPE)
    if(NOT TARGET Threads::Threads)
        set(${reason} "the system's threads library was not found" PARENT_SCOPE)
    endif()
endfunction()

# Links a library to what a package is. Headers stay out of what an installed library asks of its consumers.
function(attune_link_package library scope package)
    if(package STREQUAL "boost")
        target_link_libraries(${library} ${scope} $<BUILD_INTERFACE:Boost::headers>)
    elseif(package STREQUAL "json")
        target_link_libraries(${library} ${scope} $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
    elseif(package STREQUAL "eigen")
        target_link_libraries(${library} ${scope} $<BUILD_INTERFACE:Eigen3::Eigen>)
    elseif(package STREQUAL "xgboost")
        target_link_libraries(${library} ${scope} attune_libxgboost)
    elseif(package STREQUAL "mpi")
        target_link_libraries(${library} PUBLIC MPI::MPI_CXX) # who has a communicator includes its header
    elseif(package STREQUAL "z3")
        target_link_libraries(${library} ${scope} attune_libz3)
    elseif(package STREQUAL "onnx")
        target_link_libraries(${library} ${scope} attune_libonnx)
    endif()
endfunction()

# Sets <hint> to the package folder of the newest LLVM that has Clang's headers and shared library.
function(attune_newest_llvm hint)
    set(${hint} "" PARENT_SCOPE)
    foreach(name llvm-config-19 llvm-config-18 llvm-config-17 llvm-config-16 llvm-config)
        find_program(tool ${name} NO_CACHE)
        if(tool)
            execute_process(COMMAND ${tool} --includedir OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE)
            execute_process(COMMAND ${tool} --cmakedir OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
            if(EXISTS "${headers}/clang/Frontend/CompilerInstance.h")
                set(${hint} "${folder}" PARENT_SCOPE)
                return()
            endif()
        endif()
        unset(tool)
    endforeach()
endfunction()

# Gives the target attune_llvm: LLVM and Clang as shared libraries. A set LLVM_DIR has the last word.
function(attune_find_llvm reason)
    set(packages "(Debian: llvm-19-dev, libclang-19-dev and libclang-cpp19-dev)")
    set(hint "")
    if(NOT LLVM_DIR)
        attune_newest_llvm(hint)
    endif()
    # LLVM reports every optional library it looks for; one line from us is enough.
    set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
    # Without a version: LLVM's version file refuses `19` when it is 19.1.
    find_package(LLVM CONFIG QUIET GLOBAL HINTS "${hint}")
    if(NOT LLVM_FOUND)
        set(${reason} "no LLVM from 16 to 19 was found ${packages}" PARENT_SCOPE)
        return()
    endif()
    if(LLVM_VERSION_MAJOR LESS 16 OR LLVM_VERSION_MAJOR GREATER 19)
        set(${reason} "LLVM ${LLVM_VERSION} is not one of 16 to 19 ${packages}" PARENT_SCOPE)
        return()
    endif()
    find_file(header clang/Frontend/CompilerInstance.h PATHS ${LLVM_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CACHE)
    find_library(clang_library NAMES clang-cpp libclang-cpp.so.${LLVM_VERSION_MAJOR}
                 libclang-cpp.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}
                 PATHS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH NO_CACHE)
    if(NOT header OR NOT clang_library OR NOT TARGET LLVM)
        set(${reason} "LLVM ${LLVM_VERSION} came without Clang's headers or shared library ${packages}" PARENT_SCOPE)
        return()
    endif()
    set(${reason} "" PARENT_SCOPE)
    set(${reason}_found "LLVM and Clang ${LLVM_VERSION}" PARENT_SCOPE)
    if(TARGET attune_llvm)
        return()
    endif()
    add_library(attune_llvm INTERFACE IMPORTED GLOBAL)
    separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
    target_compile_definitions(attune_llvm INTERFACE ${definitions})
    target_include_directories(attune_llvm INTERFACE ${LLVM_INCLUDE_DIRS})
    target_link_libraries(attune_llvm INTERFACE "${clang_library}" LLVM)
    if(NOT LLVM_ENABLE_RTTI)
        target_compile_options(attune_llvm INTERFACE -fno-rtti)
    endif()
endfunction()

# Sets <reason> to why a stage cannot be built, or to nothing; then <reason>_found may say with what.
function(attune_find_component name reason)
    foreach(other IN LISTS attune_uses_${name})
        attune_find_component(${other} why)
        if(NOT why STREQUAL "")
            set(${reason} "${why}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    foreach(package IN LISTS attune_packages_${name})
        cmake_language(CALL attune_find_${package} why)
        if(NOT why STREQUAL "")
            set(${reason} "${why}" PARENT_SCOPE)
            return()
        endif()
        set(${reason}_found "${why_found}" PARENT_SCOPE)
    endforeach()
    set(${reason} "" PARENT_SCOPE)
endfunction()

# Adds the library <target> of the given kind, with a unit of one line for each of <files>, which it includes.
function(attune_add_unit target kind)
    set(units "")
    foreach(file IN LISTS ARGN)
        get_filename_component(name "${file}" NAME_WE)
        list(APPEND units "${CMAKE_CURRENT_BINARY_DIR}/attune/${target}_unit/${name}.cpp")
        file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/attune/${target}_unit/${name}.cpp" CONTENT "#include <${file}>\n")
    endforeach()
    add_library(${target} ${kind} EXCLUDE_FROM_ALL ${units})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -UATTUNE_OFF) # of a consumer's whole project
    # What a consumer's -O3 does not make faster compiles sooner with less: stages without a hot loop with -O1. The search
    # gains by it (bench.search.engine).
    set(level -O2)
    if(target MATCHES "^attune_(files|compile|nvrtc|energy|message|remember|tune|lessons|cuda|opencl|capture|many|ship|tool|clang_module)$")
        set(level -O1)
    endif()
    if(NOT target MATCHES "^attune_(search|models|published)$")
        target_compile_options(${target} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:${level}>")
    endif()
    # A consumer that names no build type would get a search without optimisation, which costs the first example a third
    # more processor time.
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
        target_compile_options(${target} PRIVATE ${level})
    endif()
    if(kind STREQUAL "STATIC")
        # A plugin exports nothing of its attune: another plugin has one too.
        set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
endfunction()

# Sets <out> to what of the standard library is in the names of a library's functions, as definitions that
# core/version.hpp compares with a consumer's; to nothing where that is not known.
function(attune_standard_library out)
    set(${out} "" PARENT_SCOPE)
    set(flags "${CMAKE_CXX_FLAGS}")
    foreach(config IN LISTS CMAKE_CONFIGURATION_TYPES)
        string(TOUPPER "${config}" config)
        if(CMAKE_CXX_FLAGS_${config} MATCHES "_GLIBCXX_")
            return()
        endif()
    endforeach()
    string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
    if(config)
        string(APPEND flags " ${CMAKE_CXX_FLAGS_${config}}")
    endif()
    separate_arguments(flags NATIVE_COMMAND "${flags}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/attune/standard_library.cpp")
    file(WRITE "${unit}" "#include <version>\n#ifndef _GLIBCXX_DEBUG\n#define _GLIBCXX_DEBUG 0\n#else\n#undef _GLIBCXX_DEBUG\n"
                         "#define _GLIBCXX_DEBUG 1\n#endif\nabi _GLIBCXX_USE_CXX11_ABI debug _GLIBCXX_DEBUG\n")
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${CMAKE_CXX_COMPILER_ARG1} ${flags} -std=c++20 -E -P "${unit}"
                    OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "abi ([01]) debug ([01])")
        set(${out} "ATTUNE_LIBRARY_CXX11_ABI=${CMAKE_MATCH_1}" "ATTUNE_LIBRARY_DEBUG=${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
endfunction()

# attune_add_component(<stage> | clang | xgboost | mpi | smt | onnx | tasks): call it only after its attune_find_... found all.
function(attune_add_component name)
    if(TARGET attune::${name})
        return()
    endif()
    foreach(other IN LISTS attune_uses_${name})
        attune_add_component(${other})
    endforeach()
    if(name STREQUAL "clang")
        # Opened at run time with local symbols, so that a program may hold a second LLVM.
        attune_add_unit(attune_clang_module MODULE attune/unit/clang.hpp)
        set_target_properties(attune_clang_module PROPERTIES PREFIX lib OUTPUT_NAME attune_clang
                                                             LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
        target_link_libraries(attune_clang_module PRIVATE attune::attune attune_llvm)
        # The module is a program too, its own compile server. Without the start file variants are compiled in the host.
        set(target "")
        if(CMAKE_CXX_COMPILER_TARGET AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
            set(target "--target=${CMAKE_CXX_COMPILER_TARGET}")
        endif()
        execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${target} -print-file-name=Scrt1.o OUTPUT_VARIABLE start_file
                        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(EXISTS "${start_file}")
            target_link_options(attune_clang_module PRIVATE "${start_file}" -Wl,-e,_start)
        endif()
        add_library(attune_clang INTERFACE)
        # The module is found by the run path of whatever links this: no path of it is compiled in.
        target_link_libraries(attune_clang INTERFACE attune::tune
                              "$<BUILD_INTERFACE:-Wl,-rpath,$<TARGET_FILE_DIR:attune_clang_module>>")
        add_dependencies(attune_clang attune_clang_module)
    else()
        list(TRANSFORM attune_more_units_${name} REPLACE "(.+)" "attune/unit/\\1.hpp" OUTPUT_VARIABLE more)
        attune_add_unit(attune_${name} STATIC attune/unit/${name}.hpp ${more})
        set_target_properties(attune_${name} PROPERTIES EXPORT_NAME ${name})
        target_link_libraries(attune_${name} PUBLIC attune::attune)
        foreach(other IN LISTS attune_uses_${name})
            target_link_libraries(attune_${name} PUBLIC attune::${other})
        endforeach()
        foreach(package IN LISTS attune_packages_${name})
            attune_link_package(attune_${name} PRIVATE ${package})
        endforeach()
        if(name STREQUAL "core")
            target_link_libraries(attune_core PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
            attune_standard_library(modes)
            # Definitions of the directory, which may come later, may be other ones: then nothing is compared.
            string(CONCAT own "$<FILTER:$<TARGET_PROPERTY:attune_core,COMPILE_DEFINITIONS>;"
                              "$<TARGET_PROPERTY:attune_core,COMPILE_OPTIONS>,INCLUDE,_GLIBCXX_>")
            foreach(mode IN LISTS modes)
                target_compile_definitions(attune_core INTERFACE "$<INSTALL_INTERFACE:${mode}>"
                                           "$<BUILD_INTERFACE:$<$<STREQUAL:${own},>:${mode}>>")
            endforeach()
        endif()
    endif()
    add_library(attune::${name} ALIAS attune_${name})
endfunction()

# attune::all: each part that there is.
function(attune_add_all)
    if(TARGET attune::all)
        return()
    endif()
    add_library(attune_all INTERFACE)
    foreach(part IN LISTS attune_stages ITEMS clang xgboost mpi smt onnx tasks)
        if(TARGET attune::${part})
            target_link_libraries(attune_all INTERFACE attune::${part})
        endif()
    endforeach()
    if(TARGET Eigen3::Eigen) # searches with policies of one's own are templates
        attune_link_package(attune_all INTERFACE eigen)
    endif()
    add_library(attune::all ALIAS attune_all)
endfunction()

# attune::clang where <reason> keeps the module from being built: clang_compiler then spawns `c++`, and says so.
function(attune_add_clang_without_module reason)
    if(NOT TARGET attune::clang)
        add_library(attune_clang INTERFACE)
        target_link_libraries(attune_clang INTERFACE attune::tune)
        add_library(attune::clang ALIAS attune_clang)
        message(STATUS "attune::clang: without the in-process Clang compiler, because ${reason}; "
                       "variants are compiled by `c++`")
    endif()
endfunction()

# attune::header_only, with the packages that are found: a program pays for those that the headers it includes need.
function(attune_add_header_only)
    if(TARGET attune::header_only)
        return()
    endif()
    add_library(attune_header_only INTERFACE)
    target_compile_definitions(attune_header_only INTERFACE ATTUNE_HEADER_ONLY)
    target_link_libraries(attune_header_only INTERFACE attune::attune ${CMAKE_DL_LIBS})
    foreach(package boost threads json eigen)
        cmake_language(CALL attune_find_${package} why)
        if(why STREQUAL "")
            attune_link_package(attune_header_only INTERFACE ${package})
            if(package STREQUAL "threads")
                target_link_libraries(attune_header_only INTERFACE Threads::Threads)
            endif()
        endif()
    endforeach()
    add_library(attune::header_only ALIAS attune_header_only)
endfunction()
