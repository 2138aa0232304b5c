// attune/tune/minimize_two.hpp - searches for the best trade-offs of a function with two objectives.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/pareto_search.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/progress.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct minimize_two_options {
    pareto_options front{}; ///< goals
    std::uint64_t seed = 0;
    search_factory search{}; ///< proposes configurations: see pareto_search; empty: Bayesian
    std::vector<input_value> inputs{};
    progress_sink progress = default_progress();
    std::string name = "minimize_two"; ///< in messages
};

/// A configuration that no other one dominates, and its values.
template <class Config>
struct trade_off {
    Config config;
    two_values values{};
};

template <class Config>
struct minimize_two_result {
    /// Sorted by the first objective, the best first; empty if every configuration failed.
    std::vector<trade_off<Config>> front;
    std::array<goal, 2> goals{};
    std::uint32_t evaluations = 0;
    failure_counts failures{};
    bool interrupted = false;              ///< see minimize_result
    std::string ended{};                   ///< see minimize_result
    std::optional<chain_of_trees> space{}; ///< the searched space; holds the texts in `front`

    /// The area between the front and `reference`, in the unit and sign of the objectives.
    [[nodiscard]] double hypervolume(two_values const& reference) const
    {
        auto const in_sign = [this](two_values v) {
            for (std::size_t of : {std::size_t{0}, std::size_t{1}})
                if (goals[of] == goal::highest) v[of] = -v[of];
            return v;
        };
        std::vector<two_values> lowest;
        for (trade_off<Config> const& one : front)
            lowest.push_back(in_sign(one.values));
        return attune::hypervolume(lowest, in_sign(reference));
    }
};

namespace detail {

/// A minimize_two_result without the types of the space.
struct found_front {
    std::vector<pareto_member> front;
    std::uint32_t evaluations = 0;
    failure_counts failures{};
    bool interrupted = false;
    std::string ended{};
};

/// The loop of minimize_two().
[[nodiscard]] found_front
minimize_two_of_points(chain_of_trees const& space,
                       std::function<two_outcome(point const&)> const& objective,
                       search_limits const& limits, minimize_two_options const& options);

} // namespace detail

/// Looks for the front: the configurations that are best in one objective among those that are not
/// worse in the other.
///
/// @param typed      the pack of attune::space(...)
/// @param objective  called as objective(config); returns attune::two_values{first, second}, or an
///                   attune::two_outcome if a configuration may fail. Values that are not finite
///                   are a failure. Exceptions end the search and reach the caller.
/// @param limits     evaluations and seconds; patience counts outcomes since the front changed;
///                   target, improvement and expected_gain have no effect, which a notice says. The
///                   search also ends when the space is exhausted. If evaluations or seconds are 0,
///                   only the first configuration is evaluated (the default if every parameter has
///                   one).
/// Errors   attune::error for an empty space or a missing input
/// Example  auto const r = attune::minimize_two(
///              space, [](auto const& c) { return attune::two_values{time(c), bytes(c)}; }, {60});
template <class Pack, class Objective>
[[nodiscard]] minimize_two_result<typename Pack::config_type>
minimize_two(Pack const& typed, Objective&& objective,
             search_limits limits = search_limits::usual(),
             minimize_two_options const& options = {})
{
    using config_type = typename Pack::config_type;
    constexpr bool callable = std::is_invocable_r_v<two_outcome, Objective&, config_type const&>;
    static_assert(callable,
                  "attune: minimize_two(space, objective, limits): the objective must take a "
                  "configuration of the space and return an attune::two_values or an "
                  "attune::two_outcome");
    minimize_two_result<config_type> out;
    if constexpr (callable) {
        chain_of_trees const space = build(typed, options.inputs);
        detail::found_front const found = detail::minimize_two_of_points(
            space,
            [&](point const& at) -> two_outcome {
                return objective(decode(typed, space.describe(), at));
            },
            limits, options);
        for (pareto_member const& one : found.front)
            out.front.push_back({decode(typed, space.describe(), one.where), one.values});
        out.goals = options.front.goals;
        out.evaluations = found.evaluations;
        out.failures = found.failures;
        out.interrupted = found.interrupted;
        out.ended = found.ended;
        out.space = space;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/minimize_two.ipp>
#endif
