// attune/tune/dispatch/served/proof_memory.hpp - shapes for which the same code was verified before.
// SPDX-License-Identifier: MIT
// tested by tune/proven.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <functional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What a store knows of the shapes of one variant, and what it is told of them.
struct proof_memory {
    std::vector<proven_shape> known{};               ///< oldest first; words as in a call's key
    std::function<void(proven_shape const&)> keep{}; ///< empty: nothing is kept
    /// The variant was never right for these inputs: until it was for a shape itself, no class of
    /// shapes counts, and none is served without a check.
    bool is_required = false;
    bool may_be_slower = false; ///< it serves although the default is faster: ATTUNE_FORCE
    std::function<void(failure const&)> refuse{}; ///< called where it is wrong; may be empty
};

} // namespace attune::inline ATTUNE_ABI::detail
