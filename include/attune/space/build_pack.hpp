// attune/space/build_pack.hpp - builds the chain of trees of a typed pack.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

/// All valid configurations of a declared space.
///
/// @param inputs  one value per input that the space reads: {n(4096)}
/// Errors   attune::error: an input without a value, an empty or too wide space (see
///          chain_of_trees)
/// Example  attune::chain_of_trees const all = attune::build(space, {n(4096)});
template <class Pack>
[[nodiscard]] chain_of_trees build(Pack const& typed, std::vector<input_value> const& inputs = {})
{
    return chain_of_trees{attune::bind_inputs(lower(typed), inputs)};
}

} // namespace attune::inline ATTUNE_ABI
