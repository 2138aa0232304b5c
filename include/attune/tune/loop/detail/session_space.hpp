// attune/tune/loop/detail/session_space.hpp - what of its space a session searches, and what it leaves out.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Acts on what candidate_pruning says: its supply leaves out what cannot win, the search goes on
/// in the part of the space that may win, and what was left out comes back once it may win after
/// all.
class session_space {
public:
    /// From here on `supply` leaves out what cannot win.
    /// @param pruned     before an interruption, some of it evaluated since
    /// @param part       in which the search went on before an interruption; nothing: in all
    /// @param may_go_on  false: there is no time for it any more, see candidate_pruning::narrower()
    /// @pre  `pruning` and `supply` outlive this object
    session_space(candidate_verdicts& pruning, variant_pipeline& supply, std::vector<point> pruned,
                  std::optional<kept_settings> part, std::function<bool()> may_go_on)
        : pruning_(pruning)
        , supply_(supply)
        , may_go_on_(std::move(may_go_on))
        , past_pruned_(std::move(pruned))
        , part_(std::move(part))
    {
        supply_.set_pruning([&pruning](point const& at) { return pruning.cannot_win(at); },
                            may_go_on_);
    }

    /// Counts what was pruned before an interruption; where nothing is pruned now, it is tried.
    /// @param past  all that was told of the search before
    void go_on(std::vector<std::pair<point, outcome>> const& past)
    {
        for (auto const& told : past)
            std::erase(past_pruned_, told.first); // reconsidered, and evaluated
        for (auto const& told : past)
            supply_.note_time(told.second);
        if (pruning_.is_on()) {
            pruning_.add_pruned(past_pruned_.size());
            if (part_ &&
                !pruning_.narrowed(part_, false)) { // the stated work reads other parameters now
                (void)supply_.narrow({});
                part_.reset();
            }
        } else {
            bring_back();
        }
    }

    /// Takes the time of a configuration. What was pruned comes back when it contradicts the stated
    /// work.
    void measured(point const& at, measurement const& time)
    {
        if (pruning_.measured(at, time)) bring_back();
    }

    /// Where much of the space cannot win any more, the search goes on in the rest. Where that
    /// cannot be built, in the whole space: the part so far may lack what may win.
    /// @return  whether the search goes on elsewhere than before
    bool narrow()
    {
        std::optional<kept_settings> part = pruning_.narrower(may_go_on_);
        if (!part) return false;
        std::optional<bool> const is_checked = supply_.narrow(part);
        if (!is_checked) {
            bool const had_part = part_.has_value();
            if (had_part) {
                (void)supply_.narrow({});
                pruning_.narrowed({}, false);
                part_.reset();
            }
            pruning_.stays_wide();
            (void)reconsider();
            return had_part;
        }
        pruning_.narrowed(part, *is_checked);
        part_ = std::move(part);
        (void)reconsider();
        return true;
    }

    /// What was pruned by lower peaks, or fewer threads, than are known now comes next: no search
    /// proposes it again.
    /// @return  whether any does
    bool reconsider()
    {
        std::size_t const count = supply_.reconsider_if(
            [this](point const& at) { return pruning_.may_win(at); }, past_pruned_);
        pruning_.take_back(count);
        return count > 0;
    }

    /// When the search has nothing to propose: what it may go on with by what is known since.
    /// @return  whether there is anything
    [[nodiscard]] bool finds_more()
    {
        bool const is_elsewhere = narrow();
        return reconsider() || is_elsewhere;
    }

    /// Configurations that are left out now.
    [[nodiscard]] std::size_t pruned() const noexcept { return pruning_.pruned(); }

private:
    /// What was pruned comes next, and the search has the whole space again.
    void bring_back()
    {
        supply_.reconsider(std::exchange(past_pruned_, {}));
        if (std::exchange(part_, {})) (void)supply_.narrow({});
    }

    candidate_verdicts& pruning_;
    variant_pipeline& supply_;
    std::function<bool()> may_go_on_;
    std::vector<point> past_pruned_;    ///< before an interruption, not evaluated since
    std::optional<kept_settings> part_; ///< in which the search goes on; nothing: in all
};

} // namespace attune::inline ATTUNE_ABI::detail
