# attune_bake(<target> KERNEL <file> STORE <file> [NAME <kernel>] [ISA <level>...] [FLAGS <flag>...]) : compiles the winners
# of a store into a program or library, so that it starts tuned, without a tuner or a compiler.
#
# attune::baked<type> kernel{attune::baked_kernel<"name">} calls them (<attune/ship/baked.hpp>). The program links nothing
# of attune's. A changed store or kernel is baked anew by the next build.
#
#   KERNEL  the kernel file as it was tuned: the store knows its text
#   STORE   what attune::store wrote
#   NAME    of the kernel, where the store has several of this file
#   ISA     instruction sets that variants are compiled for: base (what the target is compiled for), x86-64-v2, x86-64-v3,
#           x86-64-v4; the processor has the highest that it can run, and where it can run none the default. Without it,
#           base x86-64-v3 x86-64-v4 on x86-64, else base
#   FLAGS   of the default alone, after -O3: those that a template's arguments need, -DTILE=16
#
# At most 10 variants are compiled for each level, each with its macros and flags, by the compiler of the target; a message
# says with which compiler they were tuned. Their symbols are local to them, as with attune_add_kernel.
#
# Needs attune::ship for the program that writes the sources; where the target is for another machine, ATTUNE_BAKE_PROGRAM
# names one that runs on this one.
include("${CMAKE_CURRENT_LIST_DIR}/AttuneAddKernel.cmake")

# The program that writes sources, as a target.
function(attune_add_bake_program)
    if(TARGET attune_bake_program)
        return()
    endif()
    if(ATTUNE_BAKE_PROGRAM)
        add_executable(attune_bake_program IMPORTED GLOBAL)
        set_target_properties(attune_bake_program PROPERTIES IMPORTED_LOCATION "${ATTUNE_BAKE_PROGRAM}")
        return()
    elseif(CMAKE_CROSSCOMPILING)
        message(FATAL_ERROR "attune_bake: the target is for another machine; build attune_bake_program for this one, and "
                            "give it as ATTUNE_BAKE_PROGRAM")
    elseif(NOT TARGET attune::ship)
        message(FATAL_ERROR "attune_bake: attune::ship is needed: find_package(attune REQUIRED COMPONENTS ship), and "
                            "nlohmann-json (Debian: nlohmann-json3-dev)")
    endif()
    set(unit "${CMAKE_BINARY_DIR}/attune/attune_bake_program.cpp")
    file(CONFIGURE OUTPUT "${unit}" @ONLY CONTENT [[
#include <attune/ship/bake.hpp>

#include <cstddef>
#include <span>

int main(int count, char** arguments)
{
    return attune::detail::bake_main(
        std::span<char const* const>(arguments, static_cast<std::size_t>(count)).subspan(1));
}
]])
    add_executable(attune_bake_program EXCLUDE_FROM_ALL "${unit}")
    target_link_libraries(attune_bake_program PRIVATE attune::ship)
    # It runs here: what the release is compiled with is not for it.
    set_target_properties(attune_bake_program PROPERTIES COMPILE_OPTIONS "-fexceptions;-frtti")
endfunction()

function(attune_bake target)
    set(usage "attune_bake(<target> KERNEL <file> STORE <file> [NAME <kernel>] [ISA <level>...] [FLAGS <flag>...])")
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "KERNEL;STORE;NAME" "ISA;FLAGS")
    get_target_property(type ${target} TYPE)
    if(NOT arg_KERNEL OR NOT arg_STORE OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "attune_bake: ${target}: KERNEL and STORE are needed, nothing else is known: ${usage}")
    elseif(type MATCHES "^(OBJECT_LIBRARY|INTERFACE_LIBRARY)$")
        message(FATAL_ERROR "attune_bake: ${target} is a ${type}; kernels are baked into programs, and shared, module and "
                            "static libraries")
    endif()
    foreach(file KERNEL STORE)
        get_filename_component(arg_${file} "${arg_${file}}" ABSOLUTE)
        if(NOT EXISTS "${arg_${file}}")
            message(FATAL_ERROR "attune_bake: there is no file ${arg_${file}}")
        endif()
    endforeach()
    set(levels base)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        list(APPEND levels x86-64-v2 x86-64-v3 x86-64-v4)
        if(NOT arg_ISA)
            set(arg_ISA base x86-64-v3 x86-64-v4)
        endif()
    elseif(NOT arg_ISA)
        set(arg_ISA base)
    endif()
    foreach(level IN LISTS arg_ISA)
        if(NOT level IN_LIST levels)
            list(JOIN levels ", " known)
            message(FATAL_ERROR "attune_bake: ${target}: there is no instruction set ${level} on ${CMAKE_SYSTEM_PROCESSOR}; "
                                "there are ${known}")
        endif()
    endforeach()

    # As many places for variants as the store has winners; it is read again when it changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_STORE}")
    file(STRINGS "${arg_STORE}" winners REGEX "\"(won|configuration)\" *:")
    list(LENGTH winners places)
    if(places GREATER 10)
        set(places 10)
    endif()

    attune_add_bake_program()
    string(MAKE_C_IDENTIFIER "${target}_${arg_NAME}_${arg_KERNEL}" stem)
    string(MD5 stem "${stem}")
    string(SUBSTRING "${stem}" 0 8 stem)
    get_filename_component(short "${arg_KERNEL}" NAME_WE)
    string(MAKE_C_IDENTIFIER "${short}_${arg_NAME}_${stem}" stem)
    if(TARGET attune_baked_${stem})
        message(FATAL_ERROR "attune_bake: ${arg_KERNEL} is baked into ${target} already")
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/attune_baked")
    set(written "${stem}_table.cpp" "${stem}_default.cpp" "${stem}_default.flags")
    set(last -1)
    math(EXPR last "${places} - 1")
    if(places GREATER 0)
        foreach(place RANGE ${last})
            list(APPEND written "${stem}_${place}.flags")
            foreach(level IN LISTS arg_ISA)
                list(APPEND written "${stem}_${place}_${level}.cpp")
            endforeach()
        endforeach()
    endif()
    list(TRANSFORM written PREPEND "${folder}/")
    set(options "")
    foreach(level IN LISTS arg_ISA)
        list(APPEND options --level "${level}")
    endforeach()
    if(CMAKE_CROSSCOMPILING)
        list(APPEND options --machine "${CMAKE_SYSTEM_PROCESSOR}")
    endif()
    if(arg_NAME)
        list(APPEND options --kernel "${arg_NAME}")
    endif()
    set(include "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    add_custom_command(
        OUTPUT ${written}
        COMMAND attune_bake_program --store "${arg_STORE}" --kernel-file "${arg_KERNEL}" --folder "${folder}"
                --stem "${stem}" --depfile "${folder}/${stem}.d" --variants "${places}" --compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
                ${options} "$<$<BOOL:${include}>:--include;$<JOIN:${include},;--include;>>"
        DEPENDS "${arg_STORE}" "${arg_KERNEL}" attune_bake_program
        DEPFILE "${folder}/${stem}.d" # the kernel's own headers
        COMMENT "Baking ${arg_STORE}" COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(attune_baked_${stem} DEPENDS ${written})
    add_dependencies(${target} attune_baked_${stem})

    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:attune::attune>)
    target_sources(${target} PRIVATE "${folder}/${stem}_table.cpp")
    set_source_files_properties("${folder}/${stem}_table.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    attune_bake_unit(${target} "${stem}" default base "${arg_KERNEL}" ${arg_FLAGS})
    if(places GREATER 0)
        foreach(place RANGE ${last})
            foreach(level IN LISTS arg_ISA)
                attune_bake_unit(${target} "${stem}" ${place} ${level} "${arg_KERNEL}")
            endforeach()
        endforeach()
    endif()
endfunction()

# One unit of those that the program wrote.
function(attune_bake_unit target stem place level file)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/attune_baked")
    set(name "attune_baked_${stem}_${place}_${level}")
    set(unit "${folder}/${stem}_${place}_${level}.cpp")
    set(machine "-march=${level}")
    set(checked -D baked=ON -D "nm=${CMAKE_NM}" -D "objdump=${CMAKE_OBJDUMP}" -D "file=${file}")
    if(place STREQUAL "default")
        set(unit "${folder}/${stem}_default.cpp")
    endif()
    if(level STREQUAL "base")
        set(machine "")
        set(checked -D baked=ON)
    endif()
    attune_kernel_objects(${name} ${target} "${unit}" -O3 "@${folder}/${stem}_${place}.flags" ${machine} ${ARGN})
    set_source_files_properties("${unit}" PROPERTIES OBJECT_DEPENDS "${folder}/${stem}_${place}.flags")
    add_dependencies(${name} attune_baked_${stem})
    attune_link_alone(${target} ${name} "${folder}/${name}.o" "${file}" ${checked})
endfunction()
