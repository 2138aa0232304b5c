// attune/compile/ahead/ahead.hpp - finds kernel functions that were compiled with the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead_list.hpp>
#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A function to look for.
struct wanted_ahead {
    std::string function;              ///< as the program declares it
    function_type type{};              ///< function_type_of<Signature>()
    kernel_source source{};            ///< its text must equal the text that was compiled
    std::vector<std::string> macros{}; ///< parameters with their default values: "TILE=16"
    linked_kernels linked{};           ///< where it is looked for first
};

/// A function, or the reason why there is none.
struct found_ahead {
    void* address = nullptr;
    std::string reason{}; ///< one sentence; empty when this text was not compiled ahead
};

/// Finds the function that attune_add_kernel(target file) compiled from this text, in
/// wanted.linked, then in the program or shared library that contains this attune. Of two, that of
/// source.path. Refused, with the reason, are another type, a `-D` or `-U` of source.flags that is
/// not among the FLAGS of attune_add_kernel, and FLAGS that give a macro of `macros` another value.
[[nodiscard]] found_ahead find_ahead(wanted_ahead const& wanted);

/// PTX of a kernel, or the reason why there is none.
struct found_ptx {
    std::string text{};   ///< PTX; empty: none
    std::string entry{};  ///< the kernel's symbol in it
    int architecture = 0; ///< 75: runs on compute capability 7.5 and later
    std::string reason{}; ///< one sentence; empty when this text was not compiled to PTX
};

/// Finds the PTX of a __global__ function that attune_add_kernel(target file.cu) compiled; the
/// driver compiles PTX without NVRTC. The argument types must be those of `signature` on a device.
/// @param wanted  its `type` is ignored
[[nodiscard]] found_ptx find_ptx(wanted_ahead const& wanted, compile_request const& signature);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/ahead/ahead.ipp>
#endif
