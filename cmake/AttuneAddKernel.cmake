# attune_add_kernel(<target> <file> [CUDA] [NAME <function>...] [FLAGS <flag>...]) : compiles a kernel file into a program
# or shared library with its defaults, and embeds its text as attune_embed_kernel does.
#
# attune::tuned then calls that function where no variant can be compiled, for example where there is no compiler; the
# program needs no code for it. It is found by the text of the kernel's source (attune::embedded_source, or
# attune::source_file of the unchanged file), its name and its type.
#
#   NAME    functions as attune::kernel names them: sgemm, linear::sgemm, or a template, "sgemm<TILE>" with
#           FLAGS -DTILE=16 for its default; without it, all functions that the file defines, templates left out
#   FLAGS   after -O3 and the target's own: those of the kernel's source belong here
#
# All symbols of the file become local to it: two kernel files may define functions and templates of the same names, also
# in object libraries of one program (which need the Ninja or Makefile generators for it).
#
# A CUDA kernel, a file *.cu or any file after the word CUDA, is compiled to PTX as well where nvcc is found (by then
# ATTUNE_NVCC names it): a driver that is not older than that nvcc makes code of it without NVRTC. A *.cu has no function
# for this processor. nvcc gets the FLAGS of a *.cu, of other files those that begin with -D, -U and -I.
# ATTUNE_CUDA_ARCHITECTURE is the least one that it runs on, compute_75 unless given.
#
#   cmake -D step=names ... -P AttuneAddKernel.cmake    steps of the build; also `alone` and `ptx`

# Writes <unit>: the kernel's own text, then a list of the functions <names> in it. Left alone when nothing changed.
function(attune_kernel_unit unit in names flags)
    list(TRANSFORM flags REPLACE "([\"\\])" "\\\\\\1")
    list(TRANSFORM flags APPEND "\\n")
    string(REPLACE ";" "" flags "${flags}")
    string(CONCAT code
        "#include <attune/compile/ahead/ahead_unit.hpp>\n\n"
        "#include \"${in}\"\n"
        "#line 1 \"attune_add_kernel of ${in}\"\n"
        "namespace {\n")
    set(number 0)
    foreach(name IN LISTS names)
        string(APPEND code
            "constexpr attune::detail::function_ahead attune_ahead_${number} =\n"
            "    attune::detail::describe_ahead<&::${name}>(\"${name}\", \"${in}\", \"${flags}\");\n"
            "ATTUNE_LIST_AHEAD(attune_ahead_${number})\n")
        math(EXPR number "${number} + 1")
    endforeach()
    string(APPEND code "} // namespace\n")
    set(old "")
    if(EXISTS "${unit}")
        file(READ "${unit}" old)
    endif()
    if(NOT old STREQUAL code)
        file(WRITE "${unit}" "${code}")
    endif()
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
    include("${CMAKE_CURRENT_LIST_DIR}/AttuneEmbedKernel.cmake")
    set_property(GLOBAL PROPERTY attune_kernel_script "${CMAKE_CURRENT_LIST_FILE}")

    # A library of objects with what a unit of the kernel's takes from the target.
    function(attune_kernel_objects name target unit)
        add_library(${name} OBJECT "${unit}")
        set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF
                                                 UNITY_BUILD OFF)
        target_link_libraries(${name} PRIVATE attune::attune)
        target_include_directories(${name} PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
        # GCC's unique symbols cannot be made local.
        target_compile_options(${name} PRIVATE ${ARGN} -fno-lto $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    endfunction()

    # Adds the PTX of a kernel file to the target: <stem>.cu is compiled to <stem>.ptx and listed by <stem>_ptx.cpp.
    function(attune_kernel_ptx target file stem names flags)
        find_program(ATTUNE_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
        mark_as_advanced(ATTUNE_NVCC)
        if(NOT ATTUNE_NVCC)
            message(STATUS "attune_add_kernel: ${file} is not in ${target} as PTX, because nvcc was not found")
            return()
        endif()
        set(ATTUNE_CUDA_ARCHITECTURE compute_75 CACHE STRING "the least that embedded PTX runs on")
        mark_as_advanced(ATTUNE_CUDA_ARCHITECTURE)
        get_property(script GLOBAL PROPERTY attune_kernel_script)
        get_filename_component(in "${file}" ABSOLUTE)
        if(NOT file MATCHES "\\.cu$")
            list(FILTER flags INCLUDE REGEX "^-[DUI]")
        endif()
        set(unit "${stem}.cu")
        set(code "#include \"${in}\"\nnamespace {\n")
        set(number 0)
        foreach(name IN LISTS names) # a template is compiled where its address is taken
            string(APPEND code "[[maybe_unused]] auto const attune_kept_${number} = &::${name};\n")
            math(EXPR number "${number} + 1")
        endforeach()
        file(CONFIGURE OUTPUT "${unit}" CONTENT "${code}} // namespace\n" @ONLY)
        add_custom_command(
            OUTPUT "${stem}.ptx"
            COMMAND "${ATTUNE_NVCC}" -ptx -std=c++20 -O3 "-arch=${ATTUNE_CUDA_ARCHITECTURE}" ${flags}
                    "-I$<JOIN:$<TARGET_PROPERTY:attune::attune,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
                    -MD -MF "${stem}.ptx.d" "${unit}" -o "${stem}.ptx"
            DEPENDS "${in}" "${unit}" DEPFILE "${stem}.ptx.d"
            COMMENT "Compiling ${file} to PTX" COMMAND_EXPAND_LISTS VERBATIM)
        add_custom_command(
            OUTPUT "${stem}_ptx.cpp"
            COMMAND ${CMAKE_COMMAND} -D step=ptx -D "in=${in}" -D "out=${stem}_ptx.cpp" -D "ptx=${stem}.ptx"
                    -D "names=${names}" -D "flags=${flags}" -P "${script}"
            DEPENDS "${stem}.ptx" "${script}"
            COMMENT "Embedding the PTX of ${file}" VERBATIM)
        set_source_files_properties("${stem}_ptx.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
        target_sources(${target} PRIVATE "${stem}_ptx.cpp")
    endfunction()

    # Links the one unit of a library of objects, made by attune_kernel_objects, into targets with its symbols local to it.
    # Further arguments go to the step `alone`.
    function(attune_link_alone targets name object file)
        get_property(script GLOBAL PROPERTY attune_kernel_script)
        add_custom_command(
            OUTPUT "${object}"
            COMMAND ${CMAKE_COMMAND} -D step=alone -D "linker=${CMAKE_LINKER}" -D "objcopy=${CMAKE_OBJCOPY}"
                    -D "in=$<TARGET_OBJECTS:${name}>" -D "out=${object}" ${ARGN} -P "${script}"
            DEPENDS "$<TARGET_OBJECTS:${name}>" "${script}"
            COMMENT "Adding kernel ${file}" VERBATIM)
        set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        foreach(target IN LISTS targets)
            add_dependencies(${target} ${name})
            target_sources(${target} PRIVATE "${object}")
        endforeach()
    endfunction()

    # An object library takes no object that is ready: what compiles its files makes the symbols of a kernel's unit local.
    function(attune_compile_alone target)
        get_property(script GLOBAL PROPERTY attune_kernel_script)
        set(launcher "${CMAKE_BINARY_DIR}/attune/compile_alone.sh")
        file(CONFIGURE OUTPUT "${launcher}" @ONLY CONTENT [[
# compile_alone.sh <command>... : compiles one file; the symbols of a unit that attune_add_kernel wrote become local.
"$@" || exit
unit=
object=
while [ $# -gt 0 ]; do
    case $1 in
    -o) object=$2 ;;
    attune_kernels/attune_kernel_*.cpp | */attune_kernels/attune_kernel_*.cpp) unit=$1 ;;
    esac
    shift
done
[ -z "$unit" ] || [ -z "$object" ] && exit
"@CMAKE_COMMAND@" -D step=alone -D "linker=@CMAKE_LINKER@" -D "objcopy=@CMAKE_OBJCOPY@" -D "in=$object" \
    -D "out=$object.alone" -P "@script@" && mv "$object.alone" "$object"
]])
        get_target_property(others ${target} CXX_COMPILER_LAUNCHER)
        if(NOT others)
            set(others "")
        endif()
        if(NOT launcher IN_LIST others)
            list(PREPEND others sh "${launcher}")
            set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${others}")
        endif()
    endfunction()

    function(attune_add_kernel target)
        cmake_parse_arguments(PARSE_ARGV 1 arg "CUDA" "" "NAME;FLAGS")
        if(NOT arg_UNPARSED_ARGUMENTS)
            message(FATAL_ERROR "attune_add_kernel: ${target} is given no kernel file: "
                                "attune_add_kernel(<target> <file> [CUDA] [NAME <function>...] [FLAGS <flag>...])")
        endif()
        attune_embed_kernel(${target} ${arg_UNPARSED_ARGUMENTS})
        get_property(script GLOBAL PROPERTY attune_kernel_script)
        get_target_property(type ${target} TYPE)
        foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
            get_filename_component(in "${file}" ABSOLUTE)
            string(MAKE_C_IDENTIFIER "attune_kernel_${target}_${file}" name)
            if(TARGET ${name})
                message(FATAL_ERROR "attune_add_kernel: ${file} was added to ${target} already; give all its "
                                    "functions in one call: NAME f g")
            endif()
            set(folder "${CMAKE_CURRENT_BINARY_DIR}/attune_kernels")
            if(arg_CUDA OR file MATCHES "\\.cu$")
                attune_kernel_ptx(${target} "${file}" "${folder}/${name}" "${arg_NAME}" "${arg_FLAGS}")
            endif()
            if(file MATCHES "\\.cu$")
                continue()
            endif()
            set(unit "${folder}/${name}.cpp")
            if(arg_NAME)
                attune_kernel_unit("${unit}" "${in}" "${arg_NAME}" "${arg_FLAGS}")
            else()
                # The names are read from the object file of the kernel alone.
                set(alone "${folder}/${name}_alone.cpp")
                attune_kernel_unit("${alone}" "${in}" "" "${arg_FLAGS}")
                attune_kernel_objects(${name}_alone ${target} "${alone}" ${arg_FLAGS} -O0 -w
                                      $<$<CXX_COMPILER_ID:GNU>:-fkeep-static-functions>)
                add_custom_command(
                    OUTPUT "${unit}"
                    COMMAND ${CMAKE_COMMAND} -D step=names -D "nm=${CMAKE_NM}" -D "in=${in}" -D "out=${unit}"
                            -D "flags=${arg_FLAGS}" -D "object=$<TARGET_OBJECTS:${name}_alone>" -P "${script}"
                    DEPENDS "$<TARGET_OBJECTS:${name}_alone>" "${script}"
                    COMMENT "Reading the functions of ${file}" VERBATIM)
            endif()
            if(type STREQUAL "OBJECT_LIBRARY")
                if(NOT arg_NAME)
                    add_dependencies(${target} ${name}_alone)
                endif()
                target_sources(${target} PRIVATE "${unit}")
                set_property(SOURCE "${unit}" APPEND PROPERTY COMPILE_OPTIONS -O3 ${arg_FLAGS} -fno-lto
                                                              $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
                set_source_files_properties("${unit}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
                attune_compile_alone(${target})
                continue()
            endif()
            attune_kernel_objects(${name} ${target} "${unit}" -O3 ${arg_FLAGS})
            if(NOT arg_NAME)
                add_dependencies(${name} ${name}_alone)
            endif()
            attune_link_alone(${target} ${name} "${folder}/${name}.o" "${file}")
        endforeach()
    endfunction()
    return()
endif()

cmake_minimum_required(VERSION 3.25)
if(step STREQUAL "names")
    # Functions with a name of their own: no templates, operators, constructors or overloads.
    execute_process(COMMAND "${nm}" --defined-only --demangle "${object}"
                    RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE error)
    if(failed)
        message(FATAL_ERROR "attune_add_kernel: the functions of ${in} cannot be read: ${error}\n"
                            "Give their names: attune_add_kernel(<target> <file> NAME <function>...)")
    endif()
    string(REGEX REPLACE "[][;\\\\]" "@" text "${text}")
    string(REPLACE "(anonymous namespace)::" "" text "${text}")
    string(REGEX MATCHALL "(^|\n)[0-9a-f]* *[Tt] [^\n]*" lines "${text}")
    set(names "")
    set(overloaded "")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^\n?[0-9a-f]* *[Tt] ([^(]*).*$" "\\1" name "${line}")
        # Among what is skipped: what a sanitizer or an optimiser adds, asan.module_ctor and f.cold.
        if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$")
            continue()
        endif()
        if(name MATCHES "(^|::)([A-Za-z0-9_]+)::([A-Za-z0-9_]+)$" AND CMAKE_MATCH_2 STREQUAL CMAKE_MATCH_3)
            continue()
        endif()
        if(name IN_LIST names)
            list(APPEND overloaded "${name}")
        endif()
        list(APPEND names "${name}")
    endforeach()
    if(overloaded)
        list(REMOVE_ITEM names ${overloaded})
    endif()
    list(REMOVE_DUPLICATES names)
    if(NOT names)
        message(FATAL_ERROR "attune_add_kernel: ${in} defines no function that has a name of its own (no template, "
                            "no overload, not inline)\nName it: attune_add_kernel(<target> <file> NAME <function>)")
    endif()
    attune_kernel_unit("${out}" "${in}" "${names}" "${flags}")
    file(TOUCH_NOCREATE "${out}")
    return()
endif()

if(step STREQUAL "ptx")
    # Each entry with its name and types as C++ writes them: "void lin::scale<16>(float const*, int)".
    file(READ "${ptx}" text)
    string(REGEX MATCHALL "[.]entry [A-Za-z0-9_$]+" entries "${text}")
    list(TRANSFORM entries REPLACE "^[.]entry " "")
    list(TRANSFORM flags REPLACE "([\"\\])" "\\\\\\1")
    list(TRANSFORM flags APPEND "\\n")
    string(REPLACE ";" "" flags "${flags}")
    find_program(filter c++filt)
    set(listed "")
    set(number 0)
    foreach(entry IN LISTS entries)
        set(written "${entry}")
        if(filter)
            execute_process(COMMAND "${filter}" "${entry}" OUTPUT_VARIABLE written OUTPUT_STRIP_TRAILING_WHITESPACE)
        endif()
        set(types "?")
        set(plain "${written}")
        if(written MATCHES "^(void )?([A-Za-z0-9_:]+)(<.*>)?\\((.*)\\)$")
            set(plain "${CMAKE_MATCH_2}")
            set(types "${CMAKE_MATCH_4}")
        endif()
        set(as "")
        foreach(name IN LISTS names)
            string(REGEX REPLACE "<.*$" "" start "${name}")
            if(start STREQUAL plain)
                list(APPEND as "${name}")
            endif()
        endforeach()
        if(NOT names AND NOT written MATCHES "<")
            set(as "${plain}")
        endif()
        list(LENGTH as count)
        if(count EQUAL 1)
            string(APPEND listed
                "constexpr attune::detail::device_ahead attune_ptx_${number}{\n"
                "    \"${as}\", \"${entry}\", \"${types}\", \"${in}\", \"${flags}\", text};\n"
                "ATTUNE_LIST_PTX(attune_ptx_${number})\n")
            math(EXPR number "${number} + 1")
        endif()
    endforeach()
    if(number EQUAL 0)
        message(FATAL_ERROR "attune_add_kernel: ${in} defines no __global__ function that could be listed; it has: "
                            "${entries}\nName it: attune_add_kernel(<target> <file> NAME <function>)")
    endif()
    file(READ "${ptx}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
    string(CONCAT code
        "#include <attune/compile/ahead/ahead_unit.hpp>\n\n"
        "namespace {\n"
        "constexpr unsigned char text[] = {\n    ${bytes}0};\n"
        "${listed}} // namespace\n")
    file(WRITE "${out}" "${code}")
    return()
endif()

# step=alone: no symbol of the kernel's meets one of the program's, but for those that stand for types, those of attune_bake,
# and the one by which Clang's address sanitizer lists the globals of a program once. Groups (inline functions, templates) are
# dissolved first: the linker would otherwise keep one of two groups of the same name, also where macros or instruction sets
# made them differ.
if(DEFINED nm) # nothing may run before the program asks the processor
    execute_process(COMMAND "${nm}" "${in}" OUTPUT_VARIABLE text RESULT_VARIABLE failed ERROR_VARIABLE error)
    if(NOT failed)
        execute_process(COMMAND "${objdump}" -h "${in}" OUTPUT_VARIABLE sections RESULT_VARIABLE failed ERROR_VARIABLE error)
    endif()
    if(failed)
        message(FATAL_ERROR "attune_bake: what ${file} does before main() cannot be seen: ${error}\n"
                            "nm and objdump are needed (Debian: binutils)")
    endif()
    # Constructors of objects, functions that are constructors, and functions that choose among others when they are linked.
    if(text MATCHES "_GLOBAL__sub_I_" OR text MATCHES " i [^\n]*\n" OR
       sections MATCHES " \\.(init_array|preinit_array|ctors)")
        message(FATAL_ERROR "attune_bake: ${file} initialises objects when the program starts, before it is known which "
                            "instructions the processor has\nMake them constexpr or constinit, and leave out <iostream>")
    endif()
endif()
find_program(bfd ld.bfd)
foreach(tool IN ITEMS "${linker}" "${bfd}")
    if(tool)
        execute_process(COMMAND "${tool}" -r --force-group-allocation -o "${out}" "${in}"
                        RESULT_VARIABLE failed ERROR_VARIABLE error)
        if(failed EQUAL 0 AND objcopy)
            execute_process(COMMAND "${objcopy}" --wildcard "--keep-global-symbol=*attune_type_tag*"
                                    "--keep-global-symbol=*attune_baked_*" "--keep-global-symbol=*baked_table_of*"
                                    --keep-global-symbol=___asan_globals_registered
                                    "--weaken-symbol=*attune_type_tag*" "${out}"
                            RESULT_VARIABLE failed ERROR_VARIABLE error)
        endif()
        if(failed EQUAL 0 AND (objcopy OR NOT baked))
            return()
        endif()
    endif()
endforeach()
if(baked)
    message(FATAL_ERROR "attune_bake: the symbols of ${in} cannot be made local: ${error}\n"
                        "Functions for a newer processor could then take the place of the program's own; ld.bfd and objcopy "
                        "are needed (Debian: binutils)")
endif()
message("attune_add_kernel: the symbols of ${in} stay global, because neither `${linker}` nor ld.bfd made them local: "
        "${error}")
file(COPY_FILE "${in}" "${out}")
