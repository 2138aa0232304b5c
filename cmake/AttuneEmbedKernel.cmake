# attune_embed_kernel(<target> <file>...) : puts the text of kernel files into a program or shared library.
# attune_embed_store(<target> <file>...)  : the same of stores, which attune::embedded_store("<file>") gives back.
#
# attune::embedded_source("<file>"), with the name as it is written here, gives a kernel back at run time; the file itself
# is not needed then, but what it includes by quotes is. A changed file is embedded anew by the next build. A static
# library is refused: the linker would drop what nothing refers to; give the program that links it.
#
#   cmake -D list=... -D name=... -D in=... -D out=... -P AttuneEmbedKernel.cmake    writes the source file for one file

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set_property(GLOBAL PROPERTY attune_embed_script "${CMAKE_CURRENT_LIST_FILE}")
    function(attune_embed_files list target)
        string(REGEX REPLACE "^attune_(.*)s$" "\\1" what "${list}") # kernel, store
        get_target_property(type ${target} TYPE)
        if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY)$")
            message(FATAL_ERROR "attune_embed_${what}: ${target} is a ${type}; ${what}s are embedded in programs, "
                                "shared, module and object libraries")
        endif()
        get_property(script GLOBAL PROPERTY attune_embed_script)
        foreach(name IN LISTS ARGN)
            get_filename_component(in "${name}" ABSOLUTE)
            if(NOT EXISTS "${in}")
                message(FATAL_ERROR "attune_embed_${what}: there is no file ${in}")
            endif()
            get_target_property(embedded ${target} ATTUNE_EMBEDDED)
            if("${list} ${name}" IN_LIST embedded)
                continue()
            endif()
            set_property(TARGET ${target} APPEND PROPERTY ATTUNE_EMBEDDED "${list} ${name}")
            string(MAKE_C_IDENTIFIER "${target}_${name}" symbol)
            set(out "${CMAKE_CURRENT_BINARY_DIR}/attune_embedded/${symbol}.cpp")
            add_custom_command(
                OUTPUT "${out}"
                COMMAND ${CMAKE_COMMAND} -D "list=${list}" -D "name=${name}" -D "in=${in}" -D "out=${out}" -P "${script}"
                DEPENDS "${in}" "${script}"
                COMMENT "Embedding ${name}" VERBATIM)
            set_source_files_properties("${out}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
            target_sources(${target} PRIVATE "${out}")
        endforeach()
        target_link_libraries(${target} PRIVATE attune::attune)
    endfunction()
    function(attune_embed_kernel target)
        attune_embed_files(attune_kernels ${target} ${ARGN})
    endfunction()
    function(attune_embed_store target)
        attune_embed_files(attune_stores ${target} ${ARGN})
    endfunction()
    return()
endif()

file(READ "${in}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
foreach(text name in)
    string(REGEX REPLACE "([\"\\])" "\\\\\\1" ${text} "${${text}}")
endforeach()
string(CONCAT code
    "#include <attune/core/embedded_file.hpp>\n\n"
    "namespace {\n"
    "constexpr unsigned char text[] = {\n    ${bytes}0};\n"
    "constexpr attune::detail::embedded_file file{\"${name}\", \"${in}\", text, sizeof text - 1};\n"
    "ATTUNE_EMBED(${list}, file)\n"
    "} // namespace\n")
file(WRITE "${out}" "${code}")
