// attune/space/rebind.hpp - the same space for another problem size.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The space of `built` with new values for some inputs; other inputs keep theirs. Trees that read
/// no changed input are shared with `built`, see chain_of_trees::rebuilt.
/// Errors   those of bind_inputs and of chain_of_trees
/// Cost     that of building the other trees
/// Example  auto const larger = attune::rebind(space, {n(8192)});
[[nodiscard]] inline chain_of_trees rebind(chain_of_trees const& built,
                                           std::vector<input_value> const& inputs)
{
    return built.rebuilt(bind_inputs(built.describe(), inputs));
}

} // namespace attune::inline ATTUNE_ABI
