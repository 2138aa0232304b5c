# cmake -P cmake/AttuneLayers.cmake : which folder of include/attune may include what; names the long files.
# An .ipp holds the definitions of the .hpp of its name: that header and one unit (attune/unit/) include it, nothing else does.
# A function that it defines with ATTUNE_INLINE is named by that header.
# What is in a folder detail/ is seen by the stage of that folder alone. A file of the core includes none of the outer ring.
cmake_minimum_required(VERSION 3.25)
if(NOT root)
    set(root "${CMAKE_CURRENT_LIST_DIR}/..")
endif()
set(include "${root}/include")

# folder -> the folders of attune it may include. `top` is include/attune/*.hpp itself.
set(sees_core core)
set(sees_declare core declare)
set(sees_space core declare space)
set(sees_search core declare space search)
set(sees_cuda core cuda)
set(sees_opencl core cuda opencl)
set(sees_compile core declare cuda opencl compile)
set(sees_measure core cuda measure)
set(sees_remember core declare remember)
set(sees_tune core declare space search cuda opencl compile measure remember tune)
# What doors include in files with ATTUNE_OFF; of compile/ the list of functions in the program.
set(sees_off core declare compile off)
# What released programs include sees core alone; the tool, and what verifies baked code, see everything.
set(sees_ship core declare cuda compile remember ship)
set(sees_ship_baked core ship_baked)
set(sees_ship_check ${sees_tune} ship_baked ship_check)
set(sees_ship_tool ${sees_tune} ship ship_tool)
set(sees_top ${sees_tune} top)
set(sees_all ${sees_tune} top ship ship_baked) # attune_all.hpp
set(sees_unit ${sees_tune} ship ship_tool unit) # one translation unit of the compiled form each

# Two rings. The core is what a first tune on this processor uses. Everything else is the outer ring: a header that a user
# includes and a target that he links. A core file includes no file of the outer ring.
set(outer_ring
    cuda/ measure/device/ tune/device/cuda/ compile/nvrtc compile/cuda_compiler # GPUs
    opencl/ tune/device/opencl/ compile/opencl                                  # OpenCL
    declare/nest/ space/schedule/ compile/nest/ tune/program/                   # programs
    declare/model/                                                              # networks, ONNX
    space/files/ space/smt/                                                     # files of spaces, Z3
    search/techniques search/models search/compose/ search/meta/recommend search/meta/space_structure search/meta/technique_h
    search/local/annealing search/local/populations search/local/unit_embedding
    tune/recommended                                                            # techniques and their history
    search/published/ search/two_level/ search/cost/ search/transfer/other_programs remember/files/sample_file core/xxh64
    search/pareto_search tune/minimize_two search/hyperband tune/minimize_with_budget
    tune/capture remember/files/captured_call                                  # recorded calls
    tune/together                                                               # one budget for many kernels
    tune/model/                                                                 # the tasks of a model
    tune/over/ tune/minimize_over tune/tune_over tune/study remember/study measure/message/ # many machines
    tune/minimize_recorded remember/files/t4                                    # recordings
    tune/roofline tune/loop/candidate_pruning search/narrowing_search space/query/setting_list
    measure/roofline/machine_limits measure/roofline/detail/                    # times beside the limits of the machine
    measure/energy[/.]                                                          # joules
    tune/objective                                                              # objectives of kernels
    tune/lessons tune/dispatch/choice/kept_                                     # what other tunings gained
    ship/)
list(JOIN outer_ring "|" outer_ring)
set(outer_ring "^(${outer_ring})")

# third party -> the files, as a regex over the path below attune/, that may include it
set(where_boost "^(declare|space|search|tune)/")
set(where_Eigen "^search/(two_level/detail/|bayes/(gp/|model/|surrogate|basic_bayesian)|transfer/(source_model|warm_)|[^/]*\\.ipp$)")
set(where_nlohmann "^(remember|ship|ship/report|ship/tool|space/files|measure/device/worker|measure/message)/([^/]*\\.ipp$|detail/)")
set(where_xgboost "^search/cost/xgboost_trees\\.ipp$")
set(where_z3 "^space/smt/detail/z3_session\\.hpp$")
set(where_onnx "^declare/model/onnx/detail/onnx_file\\.hpp$")
set(where_llvm "^compile/clang/detail/(address_facts|files|frontend|headers|linking|loader|module|module_facts|optimiser_watch|server_process|state_facts|worker_process)\\.hpp$") # of the Clang module
set(where_clang "${where_llvm}")

# tune/ outside tune/device/ names no CUDA: what it may see of it holds no type of the driver's,
# and a backend is seen through device_target.hpp.
set(backend "^tune/device/(cuda|opencl)/")

# 0.1 s or more of every user's compile time each, or a gate to them: only in .ipp
set(heavy chrono condition_variable filesystem format fstream future iomanip iostream istream mutex ostream
    random regex shared_mutex sstream thread)
set(long 300)

set(problems 0)
set(in_units "")
macro(problem text)
    math(EXPR problems "${problems} + 1")
    message("${file}:${number}: ${text}\n    ${line}")
endmacro()

file(GLOB_RECURSE files RELATIVE "${include}/attune" "${include}/attune/*.hpp" "${include}/attune/*.ipp")
foreach(file IN LISTS files)
    set(folder top)
    if(file MATCHES "^([a-z]+)/")
        set(folder "${CMAKE_MATCH_1}")
    endif()
    if(file STREQUAL "attune_all.hpp")
        set(folder all)
    endif()
    set(stage "${folder}")
    if(file MATCHES "^ship/(baked|check|tool)[/.]")
        set(folder "ship_${CMAKE_MATCH_1}")
    endif()
    if(NOT DEFINED sees_${folder})
        set(number 1)
        set(line "")
        problem("the folder ${folder}/ is no stage; a new one needs a row in AttuneLayers.cmake")
        continue()
    endif()
    file(READ "${include}/attune/${file}" text)
    # Brackets and semicolons would upset CMake's lists; no include line has them.
    string(REGEX REPLACE "[][;\\\\]" " " text "${text}")
    if(file MATCHES "\\.ipp$")
        string(REGEX REPLACE "\\.ipp$" ".hpp" header "${file}")
        file(READ "${include}/attune/${header}" declared)
        string(REGEX MATCHALL "\nATTUNE_INLINE [^{(]*[A-Za-z0-9_]\\(" defined "${text}")
        foreach(line IN LISTS defined)
            string(REGEX MATCH "(([A-Za-z0-9_]+)::)?[A-Za-z0-9_~]+\\($" line "${line}")
            string(REGEX REPLACE "(::.*)?\\($" "" name "${line}")
            if(NOT declared MATCHES "(^|[^A-Za-z0-9_])${name}([^A-Za-z0-9_]|$)")
                set(number 1)
                problem("${header} does not name it, so that a unit with that header alone does not link")
            endif()
        endforeach()
    endif()
    string(REGEX REPLACE "\n$" "" text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    set(number 0)
    foreach(line IN LISTS lines)
        math(EXPR number "${number} + 1")
        if(line MATCHES "^[^/]*std::(stable_sort|inplace_merge|stable_partition)\\(")
            problem("Clang warns of it in a user's unit with libstdc++ 12; detail::sort_stably() of core/sort_stably.hpp")
        endif()
        if(line MATCHES "(^|[^a-z_])(std::|::)?(secure_)?getenv\\(" AND NOT file STREQUAL "core/environment.ipp")
            problem("environment variables are read by environment_variable() of core/environment.hpp alone")
        endif()
        if(folder STREQUAL "tune" AND NOT file MATCHES "${backend}" AND NOT line MATCHES "^[ \t]*(//|#[ \t]*include)")
            if(line MATCHES "(^|[^a-z_])(cuda::|cuda_[a-z]|CU[a-z]|device_(variant|code|call|bench)([^a-z_]|$))")
                problem("tune/ names CUDA types in tune/device/cuda/ only: ask device_target")
            endif()
        endif()
        if(line MATCHES "^[ \t]*#[ \t]*include[ \t]*\"")
            problem("attune's headers are included as <attune/...>, everything else with angle brackets")
        elseif(line MATCHES "^[ \t]*#[ \t]*include[ \t]*<([^>]+)>")
            set(what "${CMAKE_MATCH_1}")
            string(REGEX REPLACE "^attune/" "" inner "${what}")
            if(NOT inner STREQUAL what AND inner MATCHES "${outer_ring}" AND NOT file MATCHES "${outer_ring}"
               AND NOT folder MATCHES "^(off|unit|all)$")
                problem("a core file includes no file of the outer ring; the core owns a seam, the outer file uses it")
            endif()
            if(what MATCHES "^attune/(.*)$" AND CMAKE_MATCH_1 MATCHES "${where_llvm}"
               AND NOT file MATCHES "${where_llvm}" AND NOT file STREQUAL "unit/clang.hpp")
                problem("it parses LLVM's headers; only the module's own parts may include it")
            elseif(what MATCHES "^attune/(.*)\\.ipp$")
                if(file STREQUAL "unit/clang.hpp") # a library of its own, which links no other
                elseif(folder STREQUAL "unit")
                    list(APPEND in_units "${CMAKE_MATCH_1}.ipp")
                elseif(NOT file STREQUAL "${CMAKE_MATCH_1}.hpp")
                    problem("an .ipp is included by its own header and its unit alone; include the .hpp")
                endif()
            elseif(what MATCHES "^attune/(cuda|opencl|measure/device|compile/nvrtc|compile/opencl|compile/(cuda|opencl)_compiler|tune/device/(cuda|opencl))[/.]" AND folder STREQUAL "tune"
                   AND NOT file MATCHES "${backend}")
                problem("tune/ includes CUDA and OpenCL in tune/device/ only: ask device_target")
            elseif(what MATCHES "^attune/([a-z]+)/.*detail/" AND NOT CMAKE_MATCH_1 STREQUAL stage
                   AND NOT folder STREQUAL "unit" AND NOT CMAKE_MATCH_1 STREQUAL "core")
                problem("what is in detail/ is seen by its own stage alone")
            elseif(what MATCHES "^attune/([^/]+)/")
                set(other "${CMAKE_MATCH_1}")
                if(what MATCHES "^attune/ship/(baked|check|tool)[/.]" AND NOT folder STREQUAL "ship")
                    set(other "ship_${CMAKE_MATCH_1}")
                endif()
                if(NOT other IN_LIST sees_${folder} AND NOT what MATCHES "^attune/off/(tuned|program).hpp$"
                   AND NOT file MATCHES "^compile/(cuda|opencl)_compiler.hpp$") # its function is of attune::cuda or attune::opencl
                    problem("${folder}/ may not include ${other}/")
                elseif(folder STREQUAL "off" AND other STREQUAL "compile" AND NOT what MATCHES "/ahead/ahead_unit\\.hpp$")
                    problem("off/ has nothing of the tuner")
                endif()
            elseif(what MATCHES "^attune/")
                if(NOT folder MATCHES "^(top|all)$")
                    problem("a stage may not include a header of the top folder")
                endif()
            elseif(what MATCHES "^boost/hana(/(map|set|string))?\\.hpp$")
                problem("too heavy to parse; use hana's small single headers")
            elseif(what MATCHES "^boost/multiprecision" AND NOT file STREQUAL "space/query/exact_size.hpp")
                problem("Boost.Multiprecision belongs in space/query/exact_size.hpp alone")
            elseif(what MATCHES "^z3(_[a-z0-9]+|\\+\\+)?\\.h$" AND NOT file MATCHES "${where_z3}")
                problem("z3 may not be included here, only where ${where_z3} matches")
            elseif(what MATCHES "^sys/")
                if(NOT file MATCHES "\\.ipp$|/detail/")
                    problem("system headers belong in .ipp and detail/")
                endif()
            elseif(what MATCHES "^([^/]+)/")
                set(library "${CMAKE_MATCH_1}")
                if(NOT DEFINED where_${library})
                    problem("${library} is no dependency of attune; a new one needs a row in AttuneLayers.cmake")
                elseif(NOT file MATCHES "${where_${library}}")
                    problem("${library} may not be included here, only where ${where_${library}} matches")
                endif()
            elseif(file MATCHES "\\.hpp$" AND NOT file MATCHES "/detail/")
                if(what IN_LIST heavy)
                    problem("<${what}> is too heavy for a header; move what needs it to the .ipp")
                elseif(what MATCHES "\\.h$" AND NOT (what MATCHES "^(cpuid|dlfcn)\\.h$" AND folder STREQUAL "ship_baked"))
                    problem("<${what}>: C and system headers belong in .ipp, C++ ones are <c...>")
                endif()
            endif()
        endif()
    endforeach()
    if(number GREATER long)
        message(STATUS "${file}: ${number} lines; is it one idea?")
    endif()
endforeach()
set(number 1)
foreach(file IN LISTS files)
    if(file MATCHES "^(.*)\\.ipp$")
        set(line "")
        set(header "${CMAKE_MATCH_1}.hpp")
        if(NOT EXISTS "${include}/attune/${header}")
            problem("there is no ${header}; a private header is detail/<name>.hpp")
            continue()
        endif()
        set(units ${in_units})
        list(FILTER units INCLUDE REGEX "^${file}$")
        list(LENGTH units times)
        if(NOT times EQUAL 1)
            problem("${times} units include it, not one; its stage's file in attune/unit/ does")
        endif()
        file(STRINGS "${include}/attune/${header}" own REGEX "^#include <attune/${file}>$")
        if(NOT own)
            problem("${header} does not include it under ATTUNE_HEADER_ONLY")
        endif()
    endif()
endforeach()
# Each file of a user parses what attune.hpp includes; bench.core.include_cost compares it with Eigen.
set(heavy_for_all algorithm iterator map memory_resource numeric set)
set(queue attune.hpp)
set(seen "")
set(number 1)
while(queue)
    list(POP_FRONT queue file)
    if(file IN_LIST seen)
        continue()
    endif()
    list(APPEND seen "${file}")
    file(STRINGS "${include}/attune/${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*<[^>]+>")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^[^<]*<([^>]+)>.*$" "\\1" what "${line}")
        if(what MATCHES "^attune/off/") # in place of the rest, where ATTUNE_OFF is defined
            continue()
        elseif(what MATCHES "^attune/(.*\\.hpp)$")
            list(APPEND queue "${CMAKE_MATCH_1}")
        elseif(what IN_LIST heavy_for_all)
            problem("attune.hpp includes this header, and <${what}> is too heavy for all who include attune.hpp")
        endif()
    endforeach()
endwhile()
list(LENGTH files count)
if(count EQUAL 0)
    message(FATAL_ERROR "no headers found in ${include}/attune")
elseif(problems GREATER 0)
    message(FATAL_ERROR "${problems} problem(s) in ${count} headers")
endif()
message(STATUS "${count} headers include only what their folder may")
