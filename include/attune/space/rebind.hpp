// attune/space/rebind.hpp - the same space for another problem size.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The space of `built` with new values for some inputs; the others keep theirs. Trees that read
/// none of those that changed are shared with `built`, see chain_of_trees::rebuilt.
/// Errors   those of bind_inputs and of chain_of_trees
/// Cost     what building the other trees costs
/// Example  auto const larger = attune::rebind(space, {n(8192)});
[[nodiscard]] inline chain_of_trees rebind(chain_of_trees const& built,
                                           std::vector<input_value> const& inputs)
{
    return built.rebuilt(bind_inputs(built.describe(), inputs));
}

} // namespace attune::inline ATTUNE_ABI
