// attune/search/meta/credit_window.hpp - which of several techniques found new bests lately.
// SPDX-License-Identifier: MIT
// Source   Fialho, Da Costa, Schoenauer, Sebag, "Analyzing bandit-based adaptive operator selection
//          mechanisms", 2010 (area under the curve); Wu, "DeepTuner", 2015, Sec. 3.2.1. Own: log2
//          of the present number of events, where the thesis leaves the base open
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The last events of several techniques: each is one use of one technique, which found a new best
/// or did not.
class credit_window {
public:
    /// @param window  most events that are kept; >= 1
    credit_window(std::size_t techniques, std::size_t window)
        : credits_(techniques)
        , events_(window)
    {
        ATTUNE_ASSERT(window > 0, "a window keeps at least one event");
    }

    /// One technique more, without uses: its number is the largest.
    void add_technique() { credits_.emplace_back(); }

    /// Adds an event; the oldest leaves a full window.
    /// Cost     O(1)
    void push(std::size_t technique, bool is_best)
    {
        if (count_ == events_.size())
            forget(events_[next_]);
        else
            ++count_;
        credit& of = credits_[technique];
        ++of.uses;
        if (is_best) {
            of.area += of.uses;
            ++of.bests;
        }
        events_[next_] = {static_cast<std::uint32_t>(technique), is_best};
        next_ = next_ + 1 < events_.size() ? next_ + 1 : 0;
    }

    /// Events in the window, and uses of one technique among them.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t uses(std::size_t technique) const { return credits_[technique].uses; }

    /// 2 / (n (n + 1)) times the sum of the numbers i of those of the n uses, counted from the
    /// oldest, that found a new best: in [0, 1]; late ones count most. 0 without uses.
    /// Cost     O(1)
    [[nodiscard]] double area(std::size_t technique) const
    {
        credit const& of = credits_[technique];
        if (of.uses == 0) return 0;
        double const n = static_cast<double>(of.uses);
        return 2 * static_cast<double>(of.area) / (n * (n + 1));
    }

    /// area + exploration * sqrt(2 log2(events) / uses); infinite without uses.
    /// Cost     O(1)
    [[nodiscard]] double score(std::size_t technique, double exploration) const
    {
        std::size_t const used = uses(technique);
        if (used == 0) return std::numeric_limits<double>::infinity();
        double const events = static_cast<double>(count_);
        return area(technique) +
               exploration * std::sqrt(2 * std::log2(events) / static_cast<double>(used));
    }

private:
    struct event {
        std::uint32_t technique = 0;
        bool is_best = false;
    };
    struct credit {
        std::uint64_t uses = 0;
        std::uint64_t bests = 0;
        std::uint64_t area = 0; ///< sum of the numbers of the uses that were new bests
    };

    /// Every later use of the same technique moves one place down.
    void forget(event const& oldest)
    {
        credit& of = credits_[oldest.technique];
        --of.uses;
        of.area -= of.bests;
        if (oldest.is_best) --of.bests;
    }

    std::vector<credit> credits_;
    std::vector<event> events_; ///< a ring
    std::size_t next_ = 0;
    std::size_t count_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
