# cmake -P cmake/AttuneOffMembers.cmake : the types of include/attune/off have the members of the types that they stand
# for, so that call sites compile with ATTUNE_OFF too, and no others. Members that need the tuner are excepted below.
cmake_minimum_required(VERSION 3.25)
if(NOT root)
    set(root "${CMAKE_CURRENT_LIST_DIR}/..")
endif()
# What a call site cannot say with ATTUNE_OFF: a searcher, a bench, a description, a stream, rules, a processor.
set(excepted tuning_search.strategy tuning_measuring.make_bench kernel.describe tuned.on
             program_options.rules program_options.processor)
# Between headers of off/.
set(added kernel.name kernel.default_function)
# <header in off> <header that it stands for> <types...>
set(pairs
    "options tune/options miss_policy tuning_limits tuning_search tuning_measuring tuning_device tuning_options"
    "options search/search_limits search_limits"
    "options measure/sandbox/isolation trial_limits"
    "options measure/arrays/buffer cache_state"
    "options core/evaluation problem_objective"
    "options measure/sandbox/isolation isolation"
    "options tune/progress progress_event progress"
    "tuned tune/report decision served_shapes shape_failure baseline_comparison tuning_report"
    "tuned remember/call_coverage uncovered_calls call_coverage"
    "tuned tune/known_choice choice_match known_choice"
    "tuned measure/clock/noise machine_noise"
    "tuned measure/roofline/roofline roofline"
    "kernel measure/roofline/roofline work"
    "kernel tune/kernel kernel"
    "kernel compile/source/source kernel_source"
    "tuned tune/tuned tuned"
    "program tune/program/program_source program_options"
    "tuned tune/together share_report together_report"
    "tuned tune/together_session together_session"
    "options compile/system system_options"
    "options compile/clang clang_options"
    "options compile/cache/object_cache cache_options")

# The names of the members of `type`, in `out`: data, functions, enumerators; not what is private.
function(members_of file type out)
    file(READ "${root}/include/attune/${file}.hpp" text)
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "[][]" "" text "${text}")
    string(REPLACE ";" "|" text "${text}")
    string(REGEX MATCH "\n(struct|class|enum class) ${type}[ <][^|{]*{" head "${text}")
    if(NOT head)
        message(FATAL_ERROR "include/attune/${file}.hpp declares no type ${type}")
    endif()
    string(FIND "${text}" "${head}" at)
    string(LENGTH "${head}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 text)
    if(head MATCHES "enum") # which may end in its line
        string(FIND "${text}" "}|" end)
    else()
        string(FIND "${text}" "\n}|" end)
    endif()
    string(SUBSTRING "${text}" 0 ${end} text)
    string(REGEX REPLACE "\nprivate:.*" "" text "${text}")
    set(names "")
    if(head MATCHES "enum")
        string(REGEX REPLACE "=[^,]*" "" text "${text}")
        string(REGEX MATCHALL "[a-z_0-9]+" names "${text}")
    else()
        string(REGEX REPLACE "\n    (using|friend|static constexpr [^\n(]*[={]) [^|]*" "" text "${text}")
        string(REGEX MATCHALL "\n    [a-z][^\n(|={]* [a-z_0-9]+( =[^|]*|{[^|]*)?[|]" data "${text}")
        foreach(line IN LISTS data)
            string(REGEX REPLACE "( =|{|[|]).*" "" line "${line}")
            string(REGEX MATCH "[a-z_0-9]+$" name "${line}")
            list(APPEND names "${name}")
        endforeach()
        string(REGEX MATCHALL "\n    [^ \n][^\n(={|]*[(]" functions "${text}")
        foreach(line IN LISTS functions)
            string(REGEX MATCH "[ &*][a-z_0-9]+[(]$" name "${line}")
            string(REGEX REPLACE "[ &*(]" "" name "${name}")
            list(APPEND names "${name}")
        endforeach()
    endif()
    list(REMOVE_ITEM names "${type}" operator requires "")
    list(REMOVE_DUPLICATES names)
    set(${out} "${names}" PARENT_SCOPE)
endfunction()

set(problems 0)
set(count 0)
foreach(pair IN LISTS pairs)
    string(REPLACE " " ";" types "${pair}")
    list(POP_FRONT types off home)
    foreach(type IN LISTS types)
        members_of("off/${off}" ${type} ours)
        members_of("${home}" ${type} theirs)
        list(LENGTH theirs length)
        if(length EQUAL 0)
            message(FATAL_ERROR "include/attune/${home}.hpp: no member of ${type} was recognised")
        endif()
        math(EXPR count "${count} + ${length}")
        foreach(name IN LISTS theirs)
            if(NOT name IN_LIST ours AND NOT "${type}.${name}" IN_LIST excepted)
                message("include/attune/off/${off}.hpp: ${type} lacks `${name}` of ${home}.hpp")
                math(EXPR problems "${problems} + 1")
            endif()
        endforeach()
        foreach(name IN LISTS ours)
            if(NOT name IN_LIST theirs AND NOT "${type}.${name}" IN_LIST added)
                message("include/attune/off/${off}.hpp: ${type} has `${name}`, which ${home}.hpp does not have")
                math(EXPR problems "${problems} + 1")
            endif()
            if("${type}.${name}" IN_LIST excepted)
                message("cmake/AttuneOffMembers.cmake: ${type}.${name} is excepted, and there")
                math(EXPR problems "${problems} + 1")
            endif()
        endforeach()
    endforeach()
endforeach()
if(problems GREATER 0)
    message(FATAL_ERROR "off/ differs in ${problems} members")
endif()
message(STATUS "off/ has all of ${count} members, but for ${excepted}")
