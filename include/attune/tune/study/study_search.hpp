// attune/tune/study/study_search.hpp - the loop of one process that takes part in a shared study.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/study/study_options.hpp>

#include <functional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

struct minimum_in_study {
    minimum_on_slots end; ///< of all workers that ever joined, in that order
    std::string worker{}; ///< the name of this one
};

/// The path of the file of a study, absolute.
/// Errors   attune::error: its name is no name of a file
[[nodiscard]] std::string path_of_study(study const& of);

/// Takes part in a study until it is over. The design:
/// - All that processes tell each other are lines of one file (remember/study): who joined, who
///   evaluates what, what came out. Each process reads all lines in their order and searches by
///   itself: its searcher is told all outcomes in that order, whoever evaluated.
/// - What the searcher proposes is claimed first, under the lock of the file: a configuration is
///   evaluated by one process at a time. What another process is at, the searcher keeps as pending
///   and is told when it is known. So equal seeds give one process the sequence of minimize(), and
///   several processes the proposals of one search that is ahead by so many.
/// - The objective runs on a thread of its own. The caller's thread reads the file ten times a
///   second, also during an evaluation.
/// - A claim expires when nothing was heard of its process (study_board); it is taken over before
///   anything new is proposed.
/// - While the file cannot be written, what was evaluated is kept, nothing is claimed, and nobody
///   is taken for lost: a process that waits for others' outcomes writes as often as one that
///   evaluates, and so notices.
/// It is over when the study has had its evaluations or has no configuration left, and what is
/// claimed has its outcome; by a rule, the seconds of this process, or Ctrl-C as soon as its own
/// evaluation has ended.
/// Errors   attune::error: options out of their ranges; the study cannot be joined: its file cannot
///          be written, is no study, of a newer release, or of something else; it is replaced
///          meanwhile; an own evaluation that worked without a quantity that has a bound
[[nodiscard]] minimum_in_study
minimize_in_study(chain_of_trees const& space,
                  std::function<evaluation(point const&)> const& objective, study const& of,
                  study_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/study/study_search.ipp>
#endif
