// attune/tune/minimize.ipp - a search for the lowest value, evaluated on the caller's thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/own_float_environment.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/minimize.hpp>

#include <cstddef>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// One slot, on which the caller's thread evaluates. Exceptions of the objective reach the caller.
class caller_evaluator final : public slot_evaluator {
public:
    explicit caller_evaluator(std::function<evaluation(point const&)> const& objective)
        : objective_(&objective)
    {
    }
    [[nodiscard]] std::size_t slots() const override { return 1; }
    void submit(std::size_t, point const& at) override { given_ = at; }
    [[nodiscard]] std::vector<slot_event> wait(double) override
    {
        std::vector<slot_event> out;
        out.push_back({.slot = 0});
        if (!given_) return out; // the slot joins
        hosts_float_environment const of_host{hosts_float_environment::flags::kept};
        try {
            out.back().seen = (*objective_)(*given_);
        } catch (cut_short const&) { // given back: its time is over, or Ctrl-C ended it
            out.back().wants_stop = stop_is_requested();
        }
        return out;
    }

private:
    std::function<evaluation(point const&)> const* objective_;
    std::optional<point> given_{};
};

ATTUNE_INLINE found_minimum minimize_points(
    chain_of_trees const& space, std::function<evaluation(point const&)> const& objective,
    search_limits const& limits, minimize_options const& options)
{
    caller_evaluator here(objective);
    return minimize_on_slots(space, here, limits, options, std::numeric_limits<double>::infinity())
        .found;
}

} // namespace attune::inline ATTUNE_ABI::detail
