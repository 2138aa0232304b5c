// attune/tune/minimize.hpp - searches for the best configuration of a plain function, without compiler or kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct minimize_options {
    std::uint64_t seed = 0;
    search_factory search = default_search();
    std::vector<input_value> inputs{};
    progress_sink progress = default_progress();
    std::string name = "minimize"; ///< in messages
    /// Bounds on quantities that the objective measures beside its value. A configuration beyond a
    /// bound is never the best, and counts as a failure.
    std::vector<quantity_bound> bounds{};
    /// A file to which every call of the search is appended, for this search alone; empty: none.
    /// The next call continues the search from the file, after Ctrl-C, after kill -9, or with
    /// higher limits. Known outcomes are not evaluated again; interrupted evaluations come first.
    /// With one worker the sequence is the same as without an interruption. Evaluations and rules
    /// count from the first call, seconds from this one. Another name, seed, space, input or bound
    /// begins a new search. Give another objective another file or name. A file that cannot be
    /// written leads to a notice.
    std::string event_log{};
};

template <class Config>
struct minimize_result {
    std::optional<Config> best;         ///< empty if every configuration failed or broke a bound
    double value = 0;                   ///< the objective at `best`
    std::vector<quantity> quantities{}; ///< of `best`, as the objective returned them
    /// If configurations worked but none kept all bounds: a sentence with the configuration that
    /// comes nearest to the bounds. Otherwise empty.
    std::string shortfall{};
    std::uint32_t evaluations = 0;
    failure_counts failures{};
    /// Ctrl-C ended the search; the program's own handler for SIGINT does not run.
    bool interrupted = false;
    /// Why the search ended: "budget", "space", "stop rule" or "interrupted"; of minimize_over()
    /// also "no worker".
    std::string ended{};
    std::optional<chain_of_trees> space{}; ///< the searched space; holds the texts in `best`
};

namespace detail {

/// Returns the result of an objective, a number or an outcome, as an outcome.
template <class Returned>
[[nodiscard]] outcome objective_outcome(Returned const& returned)
{
    if constexpr (std::is_convertible_v<Returned, double>)
        return outcome_of(static_cast<double>(returned));
    else
        return returned;
}

/// Does the same for objectives that may also measure quantities. A NaN or infinite number stays in
/// the evaluation: the loop reports which configuration returned it.
template <class Returned>
[[nodiscard]] evaluation objective_evaluation(Returned const& returned)
{
    if constexpr (std::is_convertible_v<Returned, double>)
        return evaluation{measurement::exact(static_cast<double>(returned))};
    else
        return returned;
}

/// The result before its configuration is decoded, without the space.
using found_minimum = minimize_result<point>;

/// Copies the found minimum with its configuration, decoded.
template <class Pack>
void take_minimum(minimize_result<typename Pack::config_type>& out, found_minimum const& found,
                  Pack const& typed, chain_of_trees const& space)
{
    if (found.best) out.best = decode(typed, space.describe(), *found.best);
    out.value = found.value;
    out.quantities = found.quantities;
    out.shortfall = found.shortfall;
    out.evaluations = found.evaluations;
    out.failures = found.failures;
    out.interrupted = found.interrupted;
    out.ended = found.ended;
    out.space = space;
}

/// The loop of minimize().  @param objective  may return a measurement that is NaN: a failure
[[nodiscard]] found_minimum
minimize_points(chain_of_trees const& space,
                std::function<evaluation(point const&)> const& objective,
                search_limits const& limits, minimize_options const& options);

} // namespace detail

/// Looks for the configuration with the lowest objective.
///
/// @param typed      the pack of attune::space(...)
/// @param objective  called as objective(config); returns a number, an attune::outcome if a
///                   configuration may fail, or an attune::evaluation with the quantities that
///                   options.bounds bound. Exceptions end the search and reach the caller. The
///                   objective runs in the caller's floating-point environment, the search in its
///                   own.
/// @param limits     The search also ends when the space is exhausted; without limits, {}, only
///                   then. If evaluations or seconds are 0, only the first configuration is
///                   evaluated (the default if every parameter has one), and the sink is notified.
/// @param options    with event_log the search continues from the outcomes of an earlier call
/// Errors   attune::error for an empty space, a missing input, or a successful evaluation without
///          the value of a bounded quantity
/// Example  auto const r = attune::minimize(space, [](auto const& c) { return cost(c[x]); }, {50});
template <class Pack, class Objective>
[[nodiscard]] minimize_result<typename Pack::config_type>
minimize(Pack const& typed, Objective&& objective, search_limits limits = search_limits::usual(),
         minimize_options options = {})
{
    using config_type = typename Pack::config_type;
    constexpr bool callable = std::is_invocable_v<Objective&, config_type const&>;
    static_assert(callable,
                  "attune: minimize(space, objective, limits): the objective must take a "
                  "configuration of the space and return a number, an attune::outcome or an "
                  "attune::evaluation");
    minimize_result<config_type> out;
    if constexpr (callable) {
        chain_of_trees const space = build(typed, options.inputs);
        detail::found_minimum const found = detail::minimize_points(
            space,
            [&](point const& at) -> evaluation {
                config_type const tried = decode(typed, space.describe(), at);
                return detail::objective_evaluation(objective(tried));
            },
            limits, options);
        detail::take_minimum(out, found, typed, space);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/minimize.ipp>
#endif
