// attune/tune/study.hpp - searches for the best configuration of a plain function in many processes, without MPI.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A search by any number of processes on machines that share a file system: the file
/// FOLDER/NAME.study. The first process makes the file. The study continues when a process joins it
/// again, and lasts as long as the file.
///
/// A study uses no port. A user who may write the file may write outcomes. A study trusts the
/// permissions of its folder, and gives a notice if another user may write there. The file has
/// values of parameters and outcomes, and no code: each process runs its own objective.
///
/// Values of processes are compared directly. If the objective is a time, a study needs machines of
/// one kind: put the kind into its name.
struct study {
    std::string folder;
    std::string name; ///< letters, digits and "._-"
};

struct study_options {
    /// Evaluations of the whole study, including those of earlier joins; seconds of this process.
    /// The other rules use all outcomes of the study.
    search_limits limits = search_limits::usual();
    /// Seed, searcher, inputs, bounds, progress and name, as for minimize(). Name, inputs, bounds
    /// and space must be the same in all processes. event_log has no effect: the study's file is
    /// the log.
    minimize_options minimize{};
    /// Limit of one evaluation in seconds, more than 0. A longer evaluation is a failure (timeout).
    /// This process evaluates nothing until the objective returns, and drops that result. After
    /// twice the limit it leaves the study ("no worker").
    double most_seconds = std::numeric_limits<double>::infinity();
    /// A process that writes nothing for so many seconds is lost, and another one evaluates its
    /// configuration. A working process writes four times in this time. More than 0.
    double lease_s = 30;
    /// A configuration with which so many processes were lost is a failure (crash). At least 1.
    std::uint32_t most_losses = 2;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

struct minimum_in_study {
    minimum_on_slots end; ///< result, with all workers that ever joined, in that order
    std::string worker{}; ///< name of this worker
};

/// The path of the file of a study, absolute.
/// Errors   attune::error: its name cannot be a file name
[[nodiscard]] std::string path_of_study(study const& of);

/// Takes part in a study until it is over.
/// - Processes communicate only by lines of one file (remember/study): joins, claims and outcomes.
///   Each process reads all lines in their order and searches by itself. The searcher of a process
///   takes all outcomes in that order, from any process.
/// - A process first claims a proposal, under the lock of the file: one process at a time evaluates
///   a configuration. The searcher keeps claims of other processes as pending until their outcomes
///   are known. A lone process thus gets the sequence of minimize() with an equal seed. Several
///   processes get the proposals of one search that is as many proposals ahead.
/// - The objective runs on a separate thread. The caller's thread reads the file ten times a
///   second, also during an evaluation.
/// - A claim expires when its process has been silent for too long (study_board). Processes take
///   over expired claims before they claim new proposals.
/// - While a process cannot write the file, it keeps outcomes, claims nothing, and counts none as
///   lost. A process that waits for outcomes writes as often as one that evaluates, and so finds
///   out that it cannot write.
/// The study is over when it has had its evaluations or has no configuration left, and all claims
/// have outcomes. A rule, the seconds of this process, or Ctrl-C end it here as soon as the
/// evaluation of this process has ended.
/// Errors   attune::error: options out of their ranges; the study cannot be joined: its file cannot
///          be written, is no study, of a newer release, or of another search; the file is replaced
///          during the search; a successful evaluation here without the value of a bounded quantity
[[nodiscard]] minimum_in_study
minimize_in_study(chain_of_trees const& space,
                  std::function<evaluation(point const&)> const& objective, study const& of,
                  study_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

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

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/study.ipp>
#endif
