// attune/ship/bake/dispatch_tree.hpp - few variants for many sizes, and a tree that chooses among them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_table.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One problem that was tuned: its inputs, and how long a call takes with each choice.
struct tree_point {
    std::vector<double> inputs{};
    std::vector<std::optional<double>> seconds{}; ///< by choice; nothing: not measured here
    std::vector<bool> is_usable{};                ///< by choice: the guard lets it serve
    std::vector<bool> has_failed{}; ///< by choice: it crashed or never ended; none if empty
    double default_s = 0;
};

/// What choices cost at each point, as parts of the best time there.
class regret_table {
public:
    /// A choice that was not measured at a point is expected to lose what it loses at the nearest
    /// point where it was, and .2 for each factor of two between the inputs.
    explicit regret_table(std::span<tree_point const> points);

    /// 0: the best; .1: 10 % slower. Of what may not serve that of the default, which runs then;
    /// infinity of what failed there.
    /// @param choice  baked_node::none: the default
    [[nodiscard]] double at(std::size_t point, std::int32_t choice) const;
    [[nodiscard]] std::size_t points() const noexcept { return of_default_.size(); }
    [[nodiscard]] std::size_t choices() const noexcept { return choices_; }

private:
    std::size_t choices_ = 0;
    std::vector<double> of_default_{};
    std::vector<std::vector<double>> of_{};
};

/// At most `most` choices, chosen one by one, that leave the least regret over all points.
[[nodiscard]] std::vector<std::int32_t> choose_variants(regret_table const& regret,
                                                        std::size_t most);

/// A tree over the inputs, as baked_table.hpp has it: each leaf serves its points with what costs
/// them least; a node splits one input where that helps most, of equal ones at the widest gap.
/// @param among  choices, besides the default
/// @param which  the points of the tree; one at least
[[nodiscard]] std::vector<baked_node> grow_tree(std::span<tree_point const> points,
                                                regret_table const& regret,
                                                std::vector<std::int32_t> const& among,
                                                std::vector<std::size_t> const& which);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/dispatch_tree.ipp>
#endif
