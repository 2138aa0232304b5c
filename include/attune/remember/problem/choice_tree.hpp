// attune/remember/problem/choice_tree.hpp - grows a tree over sizes from the times of several tuned problems.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/choice_node.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Expected loss of a choice for each factor of two from its measurement.
inline constexpr double regret_per_octave = 0.2;

/// Sum over all sizes of |log2 ratio|; 1 for a ratio without a logarithm.
/// @pre  both have the same length
[[nodiscard]] double octaves_between(std::span<double const> a, std::span<double const> b);

/// A tuned problem: its inputs, and the time of a call with each choice.
struct tree_point {
    std::vector<double> inputs{};
    std::vector<std::optional<double>> seconds{}; ///< by choice; empty: not measured here
    std::vector<bool> is_usable{};                ///< by choice: true if the guard lets it serve
    std::vector<bool>
        has_failed{}; ///< by choice: true if it crashed or never ended; the list may be empty
    double default_s = 0;
};

/// The loss of each choice at each point, relative to the best time there.
class regret_table {
public:
    /// The regret of a choice without a measurement at a point is the least sum, over measured
    /// points, of its loss there and .2 for each factor of two between the inputs.
    explicit regret_table(std::span<tree_point const> points);

    /// 0: the best; .1: 10 % slower. A choice that may not serve has the loss of the default, which
    /// runs instead. A failed choice has infinity.
    /// @param choice  choice_node::none: the default
    [[nodiscard]] double at(std::size_t point, std::int32_t choice) const;
    [[nodiscard]] std::size_t points() const noexcept { return of_default_.size(); }
    [[nodiscard]] std::size_t choices() const noexcept { return choices_; }

private:
    std::size_t choices_ = 0;
    std::vector<double> of_default_{};
    std::vector<std::vector<double>> of_{};
};

/// At most `most` choices, selected one by one, with the least total regret over all points.
[[nodiscard]] std::vector<std::int32_t> choose_variants(regret_table const& regret,
                                                        std::size_t most);

/// A tree over the inputs. Each leaf serves its points with the choice of least cost. A node splits
/// the input with the largest gain; among equal gains it takes the widest gap.
/// @param among  choices, besides the default
/// @param which  the points of the tree; at least one
[[nodiscard]] std::vector<choice_node> grow_tree(std::span<tree_point const> points,
                                                 regret_table const& regret,
                                                 std::vector<std::int32_t> const& among,
                                                 std::vector<std::size_t> const& which);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/problem/choice_tree.ipp>
#endif
