// attune/compile/callable.hpp - what becomes of compiling a variant.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <variant>

namespace attune::inline ATTUNE_ABI {

/// A variant that does not compile or load is a value for the search, not an exception.
using compile_result = std::variant<callable, failure>;

} // namespace attune::inline ATTUNE_ABI
