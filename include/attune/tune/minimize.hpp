// attune/tune/minimize.hpp - searches the best configuration of a plain function, without compiler or kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/run_state.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct minimize_options {
    std::uint64_t seed = 0;
    search_factory search = default_search();
    std::vector<input_value> inputs{};
    progress_sink progress = default_progress();
    std::string name = "minimize"; ///< in messages
};

template <class Config>
struct minimize_result {
    std::optional<Config> best; ///< nothing when every configuration failed
    double value = 0;           ///< the objective at `best`
    std::uint32_t evaluations = 0;
    failure_counts failures{};
    /// Ctrl-C ended the search; the program's own handler for SIGINT does not run.
    bool interrupted = false;
    std::optional<chain_of_trees> space{}; ///< the searched space; holds the texts in `best`
};

/// Looks for the configuration with the lowest objective.
///
/// @param typed      the pack of attune::space(...)
/// @param objective  called as objective(config); returns a number, or an attune::outcome if a
///                   configuration may fail. Its exceptions end the search and reach the caller.
/// @param limits     The search also ends when the space is exhausted; without limits, {}, only
///                   then. If evaluations or seconds are 0, only the first configuration is
///                   evaluated (the default if every parameter has one), and the sink is told so.
/// Errors   attune::error for an empty space or a missing input
/// Example  auto const r = attune::minimize(space, [](auto const& c) { return cost(c[x]); }, {50});
template <class Pack, class Objective>
[[nodiscard]] minimize_result<typename Pack::config_type>
minimize(Pack const& typed,
         Objective&& objective,
         search_limits limits = search_limits::usual(),
         minimize_options options = {})
{
    using config_type = typename Pack::config_type;
    constexpr bool callable = std::is_invocable_v<Objective&, config_type const&>;
    static_assert(callable,
                  "attune: minimize(space, objective, limits): the objective must take a "
                  "configuration of the space and return a number or an attune::outcome");
    minimize_result<config_type> out;
    if constexpr (callable) {
        search_limits good_enough = limits; // the first evaluation does not ask what it costs
        good_enough.evaluations = search_limits::any_number;
        good_enough.seconds = search_limits::any_time;
        optimizer<Pack> search{typed,
                               {.seed = options.seed,
                                .search = options.search,
                                .inputs = options.inputs,
                                .times = false,
                                .limits = good_enough}};
        std::uint32_t possible = std::numeric_limits<std::uint32_t>::max();
        if (auto const size = search.space().size();
            size && *size < possible && !search.space().has_real_parameters())
            possible = static_cast<std::uint32_t>(*size);
        detail::run_state board{options.name, limits, possible, options.progress};
        board.set_unit_is_seconds(false);
        detail::interrupt_guard const interrupt{detail::interrupt_guard::afterwards::caller_knows};
        auto const as_outcome = [](auto const& returned) -> outcome {
            if constexpr (std::is_convertible_v<decltype(returned), double>)
                return outcome_of(static_cast<double>(returned));
            else {
                // A NaN in a measurement is a failure, like a NaN returned as a number.
                outcome const checked = returned;
                auto const* const m = std::get_if<measurement>(&checked);
                return m != nullptr && m->value != m->value ? outcome_of(m->value) : checked;
            }
        };
        while ((board.evaluations() == 0 || board.budget_left()) && !interrupt.requested()) {
            std::optional<config_type> const next = search.ask();
            if (!next) break;
            outcome const result = as_outcome(objective(*next));
            search.tell(*next, result);
            point const at = encode(typed, search.space().describe(), *next).value_or(point{});
            board.add(at, result, text_of(search.space().describe(), at));
        }
        out.space = search.space();
        out.best = search.best();
        out.value = search.best_value().value_or(0);
        out.evaluations = board.evaluations();
        out.failures = board.failures();
        out.interrupted = interrupt.requested();
        board.announce(
            progress_event::finished,
            !detail::wants_tuning(limits) ? "nothing was searched: the budget is zero"
            : out.best                    ? "best " + text_of_quantity(out.value, false) + " at " +
                             text_of(search.space().describe(), board.best()->first) + " after " +
                             std::to_string(out.evaluations) + " evaluations"
                       : "every configuration failed: " + describe(out.failures) +
                             (board.first_failures().empty()
                                  ? ""
                                  : "; the first said: " + board.first_failures().front().reason));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
