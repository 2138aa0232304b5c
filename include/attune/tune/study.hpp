// attune/tune/study.hpp - searches the best configuration of a plain function in many processes, without MPI.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize.hpp>
#include <attune/tune/study/study_options.hpp>
#include <attune/tune/study/study_search.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Evaluations, failures, best and space are those of the whole study.
template <class Config>
struct study_result : minimize_result<Config> {
    /// What each worker did, in the order in which they joined; one that joined twice, twice.
    std::vector<worker_use> workers;
    std::string worker; ///< the name of this one: "node7:4711", host and process
};

/// Looks for the configuration with the lowest objective, as minimize() does, together with all
/// processes that call it for the same study, whenever they come: they need a common file system
/// with locks, and nothing else. Each searches by itself, and is told what the others evaluate and
/// found; no configuration is evaluated twice. A process may end or be killed at any moment: what
/// it told stays, and what it was at is evaluated by another when nothing was heard of it for
/// options.lease_s. Alone it proposes what minimize() would. Called again, also after all processes
/// ended, it goes on with what is known.
///
/// The objective runs on a thread of its own, which ends before this returns. What it throws, and
/// NaN, is a failure, of which the sink is told with the name of the worker.
///
/// @param of         where the study is
/// @param typed      the pack of attune::space(...), the same in all processes
/// @param objective  called as objective(config), as for minimize()
/// Errors   attune::error: those of minimize(); options out of their ranges; the study cannot be
///          written when this begins, is of another space, name, inputs or bounds, or is replaced
/// Example  auto const r = attune::minimize_over(attune::study{"/scratch/me", "halo"}, space,
///                                               [](auto const& c) { return cost(c[x]); });
template <class Pack, class Objective>
[[nodiscard]] study_result<typename Pack::config_type>
minimize_over(study const& of, Pack const& typed, Objective&& objective,
              study_options const& options = {})
{
    using config_type = typename Pack::config_type;
    constexpr bool callable = std::is_invocable_v<Objective&, config_type const&>;
    static_assert(callable,
                  "attune: minimize_over(study, space, objective, options): the objective must "
                  "take a configuration of the space and return a number, an attune::outcome or "
                  "an attune::evaluation");
    study_result<config_type> out;
    if constexpr (callable) {
        chain_of_trees const space = build(typed, options.minimize.inputs);
        detail::minimum_in_study found = detail::minimize_in_study(
            space,
            [&](point const& at) -> evaluation {
                return detail::objective_evaluation(objective(decode(typed, space.describe(), at)));
            },
            of, options);
        detail::take_minimum(out, found.end.found, typed, space);
        out.workers = std::move(found.end.workers);
        out.worker = std::move(found.worker);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI
