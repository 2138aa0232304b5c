// attune/tune/sizes/size_tree.hpp - which of several tuned sizes serves a call, and which size to tune next.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shape/choice_node.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/session_memory.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Most variants of one kernel whose bound inputs are equal.
inline constexpr std::size_t most_sizes = 8;

/// A tuned size, and what its tuning found.
struct sized_result {
    std::vector<double> sizes{}; ///< in the same order for all results of a kernel
    point best{};
    std::vector<known_outcome> outcomes{}; ///< with that of `best`
};

/// Seconds of a configuration at a size; empty: it was not measured there, or failed.
[[nodiscard]] std::optional<double> seconds_at(sized_result const& of, point const& at);

/// A tree over sizes with at most `most_sizes` variants, each the best of a tuned size. A size for
/// which a variant was not measured counts as in regret_table.
class size_tree {
public:
    /// @param results  at least one
    explicit size_tree(std::span<sized_result const> results);

    /// Returns the index of the result whose best serves a call of these sizes.
    /// Cost   a few comparisons
    [[nodiscard]] std::size_t at(std::span<double const> sizes) const;

private:
    std::vector<choice_node> nodes_{};
    std::vector<std::size_t> owner_{}; ///< by choice: the first result with that best
};

/// The time of a tuned size with the variant that a tree of the other sizes gives it.
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
    double seconds = 0; ///< in all of them
};

/// The seconds that a tuning of one more size is expected to save, in calls like those so far: a
/// call is expected to lose regret_per_octave for each factor of two from the nearest tuned size.
class size_demand {
public:
    /// @param tuned  the tuned sizes; at least one
    size_demand(std::span<sized_calls const> calls, std::vector<std::vector<double>> tuned);

    [[nodiscard]] double gain(std::span<double const> sizes) const;
    /// Index of the call with the largest gain; empty: there is none.
    [[nodiscard]] std::optional<std::size_t> best() const noexcept { return best_; }
    /// Gain of best().
    [[nodiscard]] double best_gain_s() const noexcept { return best_gain_s_; }
    /// Seconds in all calls.
    [[nodiscard]] double seconds() const noexcept { return seconds_; }

private:
    /// Calls of similar sizes.
    struct group {
        std::vector<double> sizes{}; ///< of the call with most time
        double most_s = 0;           ///< seconds of that call
        std::size_t which = 0;       ///< index of that call
        double seconds = 0;          ///< in all of them
        double octaves = 0;          ///< to the nearest tuned size
    };
    std::vector<group> groups_{}; ///< those with most time
    std::optional<std::size_t> best_{};
    double best_gain_s_ = 0;
    double seconds_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/sizes/size_tree.ipp>
#endif
