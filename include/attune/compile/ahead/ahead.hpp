// attune/compile/ahead/ahead.hpp - the functions of kernel files that were compiled with the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead_unit.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/source/variant.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What is looked for.
struct wanted_ahead {
    std::string function;              ///< as the program declares it
    function_type type{};              ///< function_type_of<Signature>()
    kernel_source source{};            ///< the text has to be that which was compiled
    std::vector<std::string> macros{}; ///< "TILE=16": parameters with a value, see below
};

/// A function, or why there is none.
struct found_ahead {
    void* address = nullptr;
    std::string reason{}; ///< one sentence; empty when no file of this text was compiled ahead
};

/// The function that attune_add_kernel(target file) compiled into this program from exactly this
/// text. Refused, with the reason: another type; a `-D` or `-U` of source.flags that was not among
/// the FLAGS of attune_add_kernel; FLAGS that define a macro of `macros` to another value.
/// Those of a shared library are seen by code whose attune::tune is linked into the same library.
[[nodiscard]] found_ahead find_ahead(wanted_ahead const& wanted);

/// Code for a device, or why there is none.
struct found_ptx {
    std::string text{};   ///< PTX; empty: none
    std::string entry{};  ///< the kernel's symbol in it
    int architecture = 0; ///< 75: made for compute capability 7.5, runs there and on later ones
    std::string reason{}; ///< one sentence; empty when no file of this text was compiled to PTX
};

/// The same for a __global__ function, which attune_add_kernel(target file.cu) has compiled to PTX:
/// a driver makes code of it without NVRTC. Its types are those that `signature` has on a device.
/// @param wanted  its `type` is not looked at
[[nodiscard]] found_ptx find_ptx(wanted_ahead const& wanted, compile_request const& signature);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/ahead/ahead.ipp>
#endif
