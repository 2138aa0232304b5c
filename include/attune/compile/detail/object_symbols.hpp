// attune/compile/detail/object_symbols.hpp - symbols that link an object of the Clang module to its loader.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// `void attune_initialize()` in an object runs its static constructors. An object without them
/// does not define it.
inline constexpr char const* initialize_symbol = "attune_initialize";
/// `void attune_finalize()` in an object with thread_local variables runs its static destructors.
/// The system's loader calls it when no thread needs the object any more.
inline constexpr char const* finalize_symbol = "attune_finalize";
/// A pointer in an object: its address names the object to the functions that run destructors.
inline constexpr char const* owner_symbol = "__dso_handle";

} // namespace attune::inline ATTUNE_ABI::detail
