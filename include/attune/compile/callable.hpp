// attune/compile/callable.hpp - the result of compiling a variant.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <variant>

namespace attune::inline ATTUNE_ABI {

/// The callable of a variant, or why it did not compile or load.
using compile_result = std::variant<callable, failure>;

} // namespace attune::inline ATTUNE_ABI
