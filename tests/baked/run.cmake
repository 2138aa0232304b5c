# What the scripts of this folder share.

# run(<variable for what it prints> <command>...): the command ends with 0.
function(run out)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE error)
    if(NOT result EQUAL 0)
        list(JOIN ARGN " " line)
        message(FATAL_ERROR "ended with ${result}: ${line}\n${text}${error}")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Sets qemu, or skips the script.
macro(need_qemu name)
    find_program(qemu ${name})
    if(NOT qemu)
        message("skipped: there is no ${name} (Debian: qemu-user)")
        return()
    endif()
endmacro()
