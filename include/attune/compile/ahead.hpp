// attune/compile/ahead.hpp - the functions of kernel files that were compiled with the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What is looked for.
struct wanted_ahead {
    std::string function;              ///< as the program declares it
    char const* type = "";             ///< function_type_text<Signature>()
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

} // namespace attune::inline ATTUNE_ABI
