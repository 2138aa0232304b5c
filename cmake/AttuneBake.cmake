# attune_bake(<target> [KERNEL <file>] STORE <file> [NAME <kernel>] [ISA <level>...] [FLAGS <flag>...] [SHAPES <shape>...]) and
# attune_bake(<target> KERNEL <file> STORE <file> [NAME <kernel>] SM <architecture>... [UNVERIFIED]) and
# attune_bake(<target> KERNEL <file> STORE <file> [NAME <kernel>] OPENCL) :
# compiles the winners of a store into a program or library, so that it starts tuned, without a tuner or a compiler.
#
# attune::baked<type> kernel{attune::baked_kernel<"name">} calls them (<attune/ship/baked.hpp>). The program links nothing
# of attune's. A changed store or kernel is baked anew by the next build.
#
#   KERNEL  the kernel file as it was tuned: the store knows its text. Without it: a program (attune::nest) or another kernel
#           whose text a function generates; the store has the text of its winners. The default of a program is its plain nest
#   STORE   what attune::store wrote
#   NAME    of the kernel, where the store has several of this file, or several that were generated
#   ISA     instruction sets that variants are compiled for: base (the compiler's, or CMAKE_CXX_FLAGS'), x86-64-v2, x86-64-v3,
#           x86-64-v4; the processor has the highest that it can run, and where it can run none the default. Without it,
#           base x86-64-v3 x86-64-v4 on x86-64; base armv8.2-a+fp16 armv8.2-a+sve on AArch64, which has armv8.1-a and armv9-a,
#           too; base elsewhere, and where CMAKE_CXX_FLAGS name a processor (-march=). No code is for one length of SVE: what was
#           tuned with -msve-vector-bits= is compiled without
#   FLAGS   of the default alone, after -O3: those that a template's arguments need, -DTILE=16
#   SHAPES  calls that the build verifies its own code for, beside the default: KNOWN (those that the store tells of), files
#           with a shape in each line, or shapes: their numbers, "1024 1024 32" of a span, a span and an int
#
#   SM      architectures of NVIDIA's devices, 80 90 100: the winners on devices are baked, not those on processors; a file
#           that has both needs two calls
#   OPENCL  the winners on OpenCL devices are baked: their text, and binaries for those of the devices that the machine of
#           the build has
#   UNVERIFIED  what tuned.predict() found for a device serves there for all shapes, though nobody ran it; else where the store
#           proves it. explain() says that it was predicted
#
# A variant serves shapes that the store proves, and those that the build verified. The store's proofs are of the tuner's
# code, and stand for instruction sets up to that of the tuning; code for a higher one serves what the build verified. A
# variant that the build finds wrong does not serve. <kernel>_..._table.cpp in the build folder says what proves each.
# Arrays get random numbers, which are small and valid indices. Not verified are kernels with a check of their own,
# pointers, arrays of structures and structures by value, code that the building processor lacks the instructions for, and
# builds for another machine: a message says so.
#
# At most 10 variants are compiled for each level, each with its macros and flags, by the compiler of the target; a message
# says with which compiler they were tuned. Their symbols are local to them, as with attune_add_kernel: what a kernel file
# keeps in statics is there once for each variant. Of the target they take its include folders and CMAKE_CXX_FLAGS, not its
# options and definitions: the kernel was tuned without them. The units <kernel>_..._table.cpp and ..._default.cpp are for the
# oldest processor that the program is for; its other files may be for newer ones. A program does not see what is baked into a
# shared library that it links. With Ninja Multi-Config the objects are those of the default configuration.
#
# For devices, NVRTC makes a CUBIN of each winner and of the default for each architecture, and PTX of the default for the
# lowest, when the program is built; no device is needed. Two files hold them and the constants, and nothing is compiled for a
# processor. A device has the CUBIN of its architecture, or that for the next lower minor version; a variant that has none gives way
# to the default, and a device for which there is nothing gets an error: see attune::baked. The first launch opens
# libcuda.so.1; a program without kernels for devices opens nothing. The store's proofs stand for architectures up to that of
# the tuning.
#
# For OpenCL a release has the text of each winner, with the files that it includes, and the driver compiles it at the first
# launch. A device with the name and the driver of a baked binary takes that. A variant serves on devices that the store
# proves it for, the default on all others. The first launch opens libOpenCL.so.1.
#
# Needs attune::ship for the program that writes the sources; where the target is for another machine, ATTUNE_BAKE_PROGRAM
# names one that runs on this one: attune_bake_program, in the build folder of a project for this machine that calls attune_bake.
include("${CMAKE_CURRENT_LIST_DIR}/AttuneAddKernel.cmake")

# The program that writes sources, as a target.
function(attune_add_bake_program)
    if(TARGET attune_bake_program)
        return()
    endif()
    if(ATTUNE_BAKE_PROGRAM)
        get_filename_component(program "${ATTUNE_BAKE_PROGRAM}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
        if(NOT EXISTS "${program}")
            message(FATAL_ERROR "attune_bake: there is no file ${program}, which ATTUNE_BAKE_PROGRAM names")
        endif()
        add_executable(attune_bake_program IMPORTED GLOBAL)
        set_target_properties(attune_bake_program PROPERTIES IMPORTED_LOCATION "${program}")
        return()
    elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
        message(FATAL_ERROR "attune_bake: the target is for another machine; build attune_bake_program for this one, and "
                            "give it as ATTUNE_BAKE_PROGRAM, or set CMAKE_CROSSCOMPILING_EMULATOR")
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

# Sets <stem> to what the names of a kernel's files begin with: the same in each checkout.
function(attune_bake_stem stem target file name kind)
    get_filename_component(short "${file}" NAME_WE)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE relative)
    string(MD5 out "${target}|${name}|${relative}${kind}")
    string(SUBSTRING "${out}" 0 8 out)
    string(MAKE_C_IDENTIFIER "${short}_${name}_${out}" out)
    string(REGEX REPLACE "__+" "_" out "${out}") # two underscores, and one in front, are not for users
    string(REGEX REPLACE "^_" "k" out "${out}")
    if(TARGET attune_baked_${out})
        message(FATAL_ERROR "attune_bake: ${file} is baked into ${target} already")
    endif()
    set(${stem} "${out}" PARENT_SCOPE)
endfunction()

# Adds the constants and the code of a kernel for devices. Further arguments are for the program that bakes.
# kind: SM or OPENCL
function(attune_bake_for_devices target file store name kind)
    attune_add_bake_program()
    attune_bake_stem(stem ${target} "${file}" "${name}" "|${kind}")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/attune_baked")
    set(options ${ARGN})
    if(name)
        list(APPEND options --kernel "${name}")
    endif()
    set(include "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(written "${folder}/${stem}_table.cpp" "${folder}/${stem}_images.cpp")
    add_custom_command(
        OUTPUT ${written}
        COMMAND attune_bake_program --store "${store}" --kernel-file "${file}" --folder "${folder}" --stem "${stem}" ${options}
                "$<$<BOOL:${include}>:--include;$<JOIN:${include},;--include;>>" --depfile "${folder}/${stem}.d"
        DEPENDS "${store}" "${file}" attune_bake_program
        DEPFILE "${folder}/${stem}.d" # the kernel's own headers
        COMMENT "Baking ${store} for devices" COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(attune_baked_${stem} DEPENDS ${written})
    add_dependencies(${target} attune_baked_${stem})
    # What chooses and launches is local to its object, as with kernels for processors.
    set(name attune_baked_${stem}_launch)
    attune_kernel_objects(${name} ${target} "${folder}/${stem}_table.cpp")
    get_filename_component(home "${file}" DIRECTORY) # of the headers that define the types of its arguments
    target_include_directories(${name} PRIVATE "${home}")
    add_dependencies(${name} attune_baked_${stem})
    attune_link_alone(${target} ${name} "${folder}/${name}.o" "${file}" -D baked=ON)
    set_source_files_properties("${folder}/${stem}_images.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE "${folder}/${stem}_images.cpp")
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:attune::attune> ${CMAKE_DL_LIBS})
endfunction()

function(attune_bake target)
    string(CONCAT usage "attune_bake(<target> [KERNEL <file>] STORE <file> [NAME <kernel>] [ISA <level>...] [FLAGS <flag>...] "
                        "[SHAPES <shape>...], or (... KERNEL <file> SM <architecture>... [UNVERIFIED]), or (... KERNEL <file> OPENCL)")
    cmake_parse_arguments(PARSE_ARGV 1 arg "UNVERIFIED;OPENCL" "KERNEL;STORE;NAME" "ISA;FLAGS;SHAPES;SM")
    get_target_property(type ${target} TYPE)
    if(NOT arg_STORE OR arg_UNPARSED_ARGUMENTS OR "KERNEL" IN_LIST arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "attune_bake: ${target}: STORE is needed, nothing else is known: ${usage}")
    elseif((arg_SM OR arg_OPENCL) AND NOT arg_KERNEL)
        message(FATAL_ERROR "attune_bake: ${target}: KERNEL is needed for devices: ${usage}")
    elseif(type MATCHES "^(OBJECT_LIBRARY|INTERFACE_LIBRARY)$")
        message(FATAL_ERROR "attune_bake: ${target} is a ${type}; kernels are baked into programs, and shared, module and "
                            "static libraries")
    elseif(APPLE OR WIN32)
        message(FATAL_ERROR "attune_bake: ${target}: only ELF objects (Linux, BSD) can have symbols of their own here")
    endif()
    get_target_property(home ${target} SOURCE_DIR)
    if(NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR)
        message(FATAL_ERROR "attune_bake: ${target} is a target of ${home}; call attune_bake there")
    endif()
    set(files STORE)
    if(arg_KERNEL)
        list(APPEND files KERNEL)
    endif()
    foreach(file IN LISTS files)
        get_filename_component(arg_${file} "${arg_${file}}" ABSOLUTE)
        if(NOT EXISTS "${arg_${file}}")
            message(FATAL_ERROR "attune_bake: there is no file ${arg_${file}}")
        endif()
    endforeach()
    set(subject "${arg_STORE}") # of programs and other generated kernels the store has the text
    set(options "")
    if(arg_KERNEL)
        set(subject "${arg_KERNEL}")
        list(APPEND options --kernel-file "${arg_KERNEL}")
    endif()
    if("SM" IN_LIST arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "attune_bake: ${target}: SM names no architecture: give some, such as SM 80 90")
    elseif(arg_UNVERIFIED AND NOT arg_SM)
        message(FATAL_ERROR "attune_bake: ${target}: UNVERIFIED is about devices: give their architectures, such as SM 80 90")
    elseif(arg_SM AND arg_OPENCL)
        message(FATAL_ERROR "attune_bake: ${target}: SM and OPENCL are for different devices: call it once for each")
    elseif((arg_SM OR arg_OPENCL) AND (arg_ISA OR arg_FLAGS OR arg_SHAPES))
        message(FATAL_ERROR "attune_bake: ${target}: SM and OPENCL bake for devices; ISA, FLAGS and SHAPES are about processors: "
                            "call it once for each")
    elseif(arg_OPENCL)
        attune_bake_for_devices(${target} "${arg_KERNEL}" "${arg_STORE}" "${arg_NAME}" OPENCL --opencl yes)
        return()
    elseif(arg_SM)
        set(for_devices "")
        if(arg_UNVERIFIED)
            list(APPEND for_devices --unverified yes)
        endif()
        foreach(architecture IN LISTS arg_SM)
            if(NOT architecture MATCHES "^[1-9][0-9]+$")
                message(FATAL_ERROR "attune_bake: ${target}: SM ${architecture} is no architecture: give numbers, such as SM 80 90")
            endif()
            list(APPEND for_devices --sm "${architecture}")
        endforeach()
        attune_bake_for_devices(${target} "${arg_KERNEL}" "${arg_STORE}" "${arg_NAME}" SM ${for_devices})
        return()
    endif()

    set(levels base)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
        list(APPEND levels x86-64-v2 x86-64-v3 x86-64-v4)
        if(NOT arg_ISA AND CMAKE_CXX_FLAGS MATCHES "(^| )-march=") # which is more, or other, than a level
            set(arg_ISA base)
        elseif(NOT arg_ISA)
            set(arg_ISA base x86-64-v3 x86-64-v4)
        endif()
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        list(APPEND levels armv8.1-a armv8.2-a+fp16 armv8.2-a+sve armv9-a)
        if(NOT arg_ISA AND CMAKE_CXX_FLAGS MATCHES "(^| )-m(arch|cpu)=")
            set(arg_ISA base)
        elseif(NOT arg_ISA)
            set(arg_ISA base armv8.2-a+fp16 armv8.2-a+sve)
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

    if("SHAPES" IN_LIST arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "attune_bake: ${target}: SHAPES names none: give KNOWN, files, or shapes")
    elseif(arg_SHAPES AND CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
        message(STATUS "attune_bake: ${subject} is not verified by this build, which is for another machine: its variants "
                       "serve what the store proves")
        set(arg_SHAPES "")
    elseif(arg_SHAPES AND NOT TARGET attune::tune)
        message(FATAL_ERROR "attune_bake: ${target}: SHAPES needs attune::tune: find_package(attune REQUIRED COMPONENTS ship "
                            "tune)")
    endif()

    # As many places for variants as the store has winners; it is read again when it changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_STORE}")
    file(READ "${arg_STORE}" winners)
    string(REGEX MATCHALL "\"(won|configuration)\" *:" winners "${winners}") # whatever the texts between have
    list(LENGTH winners places)
    if(places GREATER 10)
        set(places 10)
    endif()

    attune_add_bake_program()
    attune_bake_stem(stem ${target} "${subject}" "${arg_NAME}" "")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/attune_baked")
    set(written "${stem}_table.cpp" "${stem}_default.cpp" "${stem}_default.flags")
    if(arg_SHAPES)
        set(written "${stem}_unproven.cpp" "${stem}_check.cpp" "${stem}_default.cpp" "${stem}_default.flags")
    endif()
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
    foreach(level IN LISTS arg_ISA)
        list(APPEND options --level "${level}")
    endforeach()
    if(CMAKE_CROSSCOMPILING)
        list(APPEND options --machine "${CMAKE_SYSTEM_PROCESSOR}")
    endif()
    if(arg_NAME)
        list(APPEND options --kernel "${arg_NAME}")
    endif()
    set(shape_files "")
    foreach(shape IN LISTS arg_SHAPES)
        get_filename_component(file "${shape}" ABSOLUTE)
        if(NOT shape STREQUAL "KNOWN" AND EXISTS "${file}" AND NOT IS_DIRECTORY "${file}")
            set(shape "${file}")
            list(APPEND shape_files "${file}")
        endif()
        list(APPEND options --shapes "${shape}")
    endforeach()
    set(include "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(bake attune_bake_program --store "${arg_STORE}" --folder "${folder}" --stem "${stem}" --variants "${places}"
             --compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" ${options})
    set(include "$<$<BOOL:${include}>:--include;$<JOIN:${include},;--include;>>")
    add_custom_command(
        OUTPUT ${written}
        COMMAND ${bake} "${include}" --depfile "${folder}/${stem}.d"
        DEPENDS "${arg_STORE}" ${arg_KERNEL} ${shape_files} attune_bake_program
        DEPFILE "${folder}/${stem}.d" # the kernel's own headers
        COMMENT "Baking ${arg_STORE}" COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(attune_baked_${stem} DEPENDS ${written})
    add_dependencies(${target} attune_baked_${stem})
    set(served ${target})
    if(arg_SHAPES)
        attune_bake_check(${target} "${stem}" "${subject}" ${arg_FLAGS})
        list(APPEND served attune_baked_${stem}_check)
        add_custom_command(
            OUTPUT "${folder}/${stem}_table.cpp"
            COMMAND ${bake} "${include}" --checked "${folder}/${stem}.checked"
            DEPENDS "${folder}/${stem}.checked" "${arg_STORE}" attune_bake_program
            COMMENT "Baking what was verified of ${arg_STORE}" COMMAND_EXPAND_LISTS VERBATIM)
        # The objects of variants are linked by both programs, and made before either.
        add_custom_target(attune_baked_${stem}_proven DEPENDS "${folder}/${stem}_table.cpp")
        add_dependencies(${target} attune_baked_${stem}_proven)
    endif()

    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:attune::attune>)
    target_sources(${target} PRIVATE "${folder}/${stem}_table.cpp")
    set_source_files_properties("${folder}/${stem}_table.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    attune_bake_unit("${served}" "${stem}" default base "${subject}" ${arg_FLAGS})
    if(places GREATER 0)
        foreach(place RANGE ${last})
            foreach(level IN LISTS arg_ISA)
                attune_bake_unit("${served}" "${stem}" ${place} ${level} "${subject}")
            endforeach()
        endforeach()
    endif()
endfunction()

# The program that runs what was baked beside the default, and the file that it writes.
function(attune_bake_check target stem file)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/attune_baked")
    set(name attune_baked_${stem}_check)
    add_executable(${name} EXCLUDE_FROM_ALL "${folder}/${stem}_check.cpp" "${folder}/${stem}_unproven.cpp")
    set_source_files_properties("${folder}/${stem}_check.cpp" PROPERTIES OBJECT_DEPENDS "${folder}/${stem}_default.flags")
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF INTERPROCEDURAL_OPTIMIZATION OFF
                                             RUNTIME_OUTPUT_DIRECTORY "${folder}")
    target_link_libraries(${name} PRIVATE attune::tune)
    target_include_directories(${name} PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    # It runs here: what the release is compiled with is not for it, but for what the kernel's types need.
    target_compile_options(${name} PRIVATE "@${folder}/${stem}_default.flags" ${ARGN} -O2 -fexceptions -frtti -w)
    add_dependencies(${name} attune_baked_${stem})
    add_custom_command(
        OUTPUT "${folder}/${stem}.checked"
        COMMAND ${name} "${folder}/${stem}.checked"
        DEPENDS ${name}
        COMMENT "Verifying ${file}" VERBATIM)
endfunction()

# One unit of those that the program wrote, for the targets that link it.
function(attune_bake_unit targets stem place level file)
    list(GET targets 0 target)
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
    attune_link_alone("${targets}" ${name} "${folder}/${name}.o" "${file}" ${checked})
endfunction()
