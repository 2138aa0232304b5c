// attune/compile/detail/object_symbols.hpp - what an object of the Clang module defines for its loader.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// In an object: `void attune_initialize()` runs its static constructors. An object without static
/// constructors does not have it.
inline constexpr char const* initialize_symbol = "attune_initialize";
/// In an object: a pointer, which the loader sets to the list of the destructors to run when the
/// object is unloaded.
inline constexpr char const* owner_symbol = "__dso_handle";

} // namespace attune::inline ATTUNE_ABI::detail
