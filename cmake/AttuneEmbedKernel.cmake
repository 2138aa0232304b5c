# attune_embed_kernel(<target> <file>...) : puts the text of kernel files into a program or shared library.
#
# attune::embedded_source("<file>"), with the name as it is written here, gives it back at run time; the file itself is
# not needed then, but what it includes by quotes is. A changed file is embedded anew by the next build. A static
# library is refused: the linker would drop what nothing refers to; give the program that links it.
#
#   cmake -D name=... -D in=... -D out=... -P AttuneEmbedKernel.cmake    writes the source file for one kernel

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set_property(GLOBAL PROPERTY attune_embed_script "${CMAKE_CURRENT_LIST_FILE}")
    function(attune_embed_kernel target)
        get_target_property(type ${target} TYPE)
        if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY)$")
            message(FATAL_ERROR "attune_embed_kernel: ${target} is a ${type}; kernels are embedded in programs, "
                                "shared, module and object libraries")
        endif()
        get_property(script GLOBAL PROPERTY attune_embed_script)
        foreach(name IN LISTS ARGN)
            get_filename_component(in "${name}" ABSOLUTE)
            if(NOT EXISTS "${in}")
                message(FATAL_ERROR "attune_embed_kernel: there is no file ${in}")
            endif()
            get_target_property(embedded ${target} ATTUNE_EMBEDDED)
            if(name IN_LIST embedded)
                continue()
            endif()
            set_property(TARGET ${target} APPEND PROPERTY ATTUNE_EMBEDDED "${name}")
            string(MAKE_C_IDENTIFIER "${target}_${name}" symbol)
            set(out "${CMAKE_CURRENT_BINARY_DIR}/attune_embedded/${symbol}.cpp")
            add_custom_command(
                OUTPUT "${out}"
                COMMAND ${CMAKE_COMMAND} -D "name=${name}" -D "in=${in}" -D "out=${out}" -P "${script}"
                DEPENDS "${in}" "${script}"
                COMMENT "Embedding ${name}" VERBATIM)
            target_sources(${target} PRIVATE "${out}")
        endforeach()
        target_link_libraries(${target} PRIVATE attune::attune)
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
    "#include <attune/compile/source/embedded.hpp>\n\n"
    "namespace {\n"
    "constexpr unsigned char text[] = {\n    ${bytes}0};\n"
    "constexpr attune::detail::embedded_kernel kernel{\"${name}\", \"${in}\", text, sizeof text - 1};\n"
    "ATTUNE_EMBED(kernel)\n"
    "} // namespace\n")
file(WRITE "${out}" "${code}")
