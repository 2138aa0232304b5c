// attune/tune/sizes/size_tree.hpp - chooses the tuned size that serves a call, and the size to tune next.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/choice_node.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/session.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Most variants of one kernel whose bound inputs are equal.
inline constexpr std::size_t most_sizes = 8;

/// A tuned size, and the result of its tuning.
struct sized_result {
    std::vector<double> sizes{}; ///< in the same order for all results of a kernel
    point best{};
    std::vector<known_outcome> outcomes{}; ///< including the outcome of `best`
};

/// Returns the seconds of a configuration at a size; empty: not measured, or it failed.
[[nodiscard]] std::optional<double> seconds_at(sized_result const& of, point const& at);

/// A tree over sizes with at most `most_sizes` variants, each the best of a tuned size. If a
/// variant was not measured at a size, regret_table estimates its time there.
class size_tree {
public:
    /// @param results  at least one
    explicit size_tree(std::span<sized_result const> results);

    /// Returns the index of the result whose best serves a call of these sizes.
    /// Cost   a few comparisons
    [[nodiscard]] std::size_t at(std::span<double const> sizes) const;

private:
    std::vector<choice_node> nodes_{};
    std::vector<std::size_t> owner_{}; ///< by choice: the first result with that `best`
};

/// The time at a tuned size of the variant that a tree of the other sizes chooses for it.
struct left_out_size {
    double served_s = 0; ///< seconds of a call with that variant
    double best_s = 0;   ///< seconds of a call with the best of the size's own tuning
};

/// @param which  the result that is left out
/// @return  empty: there is no other result, or the variant was not measured at this size
[[nodiscard]] std::optional<left_out_size> left_out(std::span<sized_result const> results,
                                                    std::size_t which);

/// Calls of one size.
struct sized_calls {
    std::vector<double> sizes{};
    double seconds = 0; ///< seconds of all these calls
};

/// Estimates the seconds that the tuning of one more size would save, if later calls are like those
/// so far. A call loses regret_per_octave for each factor of two to the nearest tuned size.
class size_demand {
public:
    /// @param tuned  the tuned sizes; at least one
    size_demand(std::span<sized_calls const> calls, std::vector<std::vector<double>> tuned);

    /// Returns the seconds that a tuning of this size would save.
    [[nodiscard]] double gain(std::span<double const> sizes) const;
    /// Returns the index of the calls with the largest gain; empty: no size has a gain.
    [[nodiscard]] std::optional<std::size_t> best() const noexcept { return best_; }
    /// Returns the gain of best() in seconds.
    [[nodiscard]] double best_gain_s() const noexcept { return best_gain_s_; }
    /// Returns the seconds of all calls.
    [[nodiscard]] double seconds() const noexcept { return seconds_; }

private:
    /// Calls of similar sizes.
    struct group {
        std::vector<double> sizes{}; ///< the size with most time
        double most_s = 0;           ///< seconds of that size
        std::size_t which = 0;       ///< index of that size
        double seconds = 0;          ///< seconds of the group
        double octaves = 0;          ///< distance to the nearest tuned size
    };
    std::vector<group> groups_{}; ///< the groups with most time
    std::optional<std::size_t> best_{};
    double best_gain_s_ = 0;
    double seconds_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/sizes/size_tree.ipp>
#endif
