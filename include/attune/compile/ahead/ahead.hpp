// attune/compile/ahead/ahead.hpp - finds kernel functions that were compiled with the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct wanted_ahead {
    std::string function;              ///< as the program declares it
    function_type type{};              ///< function_type_of<Signature>()
    kernel_source source{};            ///< its text must equal the text that was compiled
    std::vector<std::string> macros{}; ///< parameters with their default values: "TILE=16"
    linked_kernels linked{};           ///< searched first
};

struct found_ahead {
    void* address = nullptr;
    std::string reason{}; ///< one sentence; empty if this text was not compiled ahead
};

/// Finds the function that attune_add_kernel(target file) compiled from this text. Searches
/// wanted.linked, then the program or shared library that contains this attune; of two functions
/// takes the one from source.path. Refuses another type, and a `-D` or `-U` of source.flags that
/// the FLAGS of attune_add_kernel lack. Refuses FLAGS that give a macro of `macros` another value.
/// `reason` then has the cause.
[[nodiscard]] found_ahead find_ahead(wanted_ahead const& wanted);

/// PTX of a kernel, or the reason why there is none.
struct found_ptx {
    std::string text{};   ///< PTX; empty: none
    std::string entry{};  ///< the kernel's symbol in it
    int architecture = 0; ///< 75: runs on compute capability 7.5 and later
    std::string reason{}; ///< one sentence; empty if this text was not compiled to PTX
};

/// Finds the PTX of a __global__ function that attune_add_kernel(target file.cu) compiled. The
/// driver compiles PTX without NVRTC. The argument types must be those of `signature` on a device.
/// @param wanted  its `type` is ignored
[[nodiscard]] found_ptx find_ptx(wanted_ahead const& wanted, compile_request const& signature);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/ahead/ahead.ipp>
#endif
