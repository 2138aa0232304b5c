// attune/compile/detail/object_symbols.hpp - symbols that link an object of the Clang module to its loader.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// `void attune_initialize()` in an object runs its static constructors. An object without them
/// does not define it.
inline constexpr char const* initialize_symbol = "attune_initialize";
/// A pointer in an object. The loader stores the address of the list of destructors in it.
inline constexpr char const* owner_symbol = "__dso_handle";

} // namespace attune::inline ATTUNE_ABI::detail
