// attune/search/bayes/start/child_wise.hpp - a biased sampler that draws children of tree nodes uniformly.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 4.2 describes it as the method of ATF (Rasch et al.). Kept for comparison:
//          chain_of_trees::sample() is uniform over leaves.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/steps.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Draws one setting of the parameters of `from` into `out`: each child of a node equally likely.
/// @param out  one coordinate per parameter of the space
inline void place_child_wise(tree const& from, random_engine& engine, std::span<coordinate> out)
{
    if (from.node_count() == 0) {
        from.place(uniform_leaf(engine, from.leaves()), out);
        return;
    }
    std::uint32_t node = static_cast<std::uint32_t>(from.node_count() - 1); // the root is last
    for (std::uint32_t const parameter : from.parameters()) {
        std::size_t const child = uniform_below(engine, from.values(node).size());
        out[parameter].index = from.values(node)[child];
        node = from.children(node)[child];
    }
}

/// A valid configuration, drawn child by child in every tree; real parameters uniform on their
/// scale. If constraints over real parameters refuse 1000 draws, a uniform sample instead.
/// Cost    one random number per parameter and draw
[[nodiscard]] inline point sample_child_wise(chain_of_trees const& space, random_engine& engine)
{
    description const& declared = space.describe();
    for (int attempt = 0; attempt < 1000; ++attempt) {
        point out(declared.parameters.size());
        for (std::size_t t = 0; t < space.tree_count(); ++t)
            place_child_wise(space.tree_at(t), engine, out);
        for (std::size_t p = 0; p < out.size(); ++p)
            if (declared.parameters[p].traits().is_interval)
                out[p].real = scale_value(declared.parameters[p], uniform_unit(engine));
        if (!space.has_real_parameters()) return out;
        out = space.settled(std::move(out));
        if (space.contains(out)) return out;
    }
    return space.sample(engine);
}

} // namespace attune::inline ATTUNE_ABI::detail
