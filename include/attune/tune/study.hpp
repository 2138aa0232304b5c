// attune/tune/study.hpp - searches for the best configuration of a plain function in many processes, without MPI.
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
#include <attune/tune/study/study_search.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The result of a study; evaluations, failures, best and space are those of the whole study.
template <class Config>
struct study_result : minimize_result<Config> {
    /// The work of each worker, in the order of joining; a worker that joined twice is listed
    /// twice.
    std::vector<worker_use> workers;
    std::string worker; ///< name of this worker: "node7:4711", host and process
};

/// Looks for the configuration with the lowest objective, like minimize(), together with all
/// processes that call it for the same study. A process may join at any time. The processes need
/// only a common file system with locks. Each process searches by itself and reads the evaluations
/// and results of the others; no configuration is evaluated twice. A process may end or be killed
/// at any moment: its results stay, and another process evaluates its unfinished configuration
/// after options.lease_s of silence. A lone process proposes the same configurations as minimize().
/// A later call continues from the known results, also after all processes ended.
///
/// The objective runs on a separate thread, which ends before this function returns. An exception
/// or NaN is a failure; the sink gets it with the name of the worker.
///
/// @param of         the place of the study
/// @param typed      the pack of attune::space(...), the same in all processes
/// @param objective  called as objective(config), as for minimize()
/// Errors   attune::error: errors of minimize(); options out of their ranges; at the beginning the
///          study cannot be written; it is of another space, name, inputs or bounds; it was
///          replaced
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
