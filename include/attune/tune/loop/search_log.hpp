// attune/tune/loop/search_log.hpp - the event log of a search of a plain function, from which it goes on.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/minimize_options.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Logs what an optimizer is asked, and told: repeating these calls gives its state again, see
/// search/repeat.hpp. The session in the file has no end, so that a search with higher limits goes
/// on, too.
class search_log {
public:
    /// Without options.event_log it logs nothing.
    search_log(chain_of_trees const& space, minimize_options const& options);

    /// An optimizer that has been asked and told what is in the log. Where it proposes other
    /// configurations than the log has (another searcher, another version of attune), or the log is
    /// damaged, a new session begins, in which it observes all outcomes that can be read.
    /// @param make  a new optimizer of the constructor's space and options
    [[nodiscard]] optimizer_core continued(std::function<optimizer_core()> const& make);

    /// What was told before, in that order.
    [[nodiscard]] std::vector<std::pair<point, evaluation>> const& past() const noexcept
    {
        return past_;
    }
    /// What was asked before, and not told, in that order.
    [[nodiscard]] std::vector<point> const& open() const noexcept { return open_; }

    /// Appends the calls since the last time.
    void write(optimizer_core const& search);
    /// Sentences on problems since the last call.
    [[nodiscard]] std::vector<std::string> notices();

private:
    event_log log_;
    std::size_t written_ = 0; ///< calls
    std::vector<std::pair<point, evaluation>> past_{};
    std::vector<point> open_{};
    std::vector<std::string> notices_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/search_log.ipp>
#endif
