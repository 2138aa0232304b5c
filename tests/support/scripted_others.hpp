// tests/support/scripted_others.hpp - places elsewhere, whose outcomes arrive one after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/loop/trial.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace attune_test {

/// wait() brings the oldest outcome, and does not sleep.
struct scripted_others final : attune::detail::trials_elsewhere {
    using act = std::function<attune::detail::tried_variant(attune::point const&)>;

    /// @param count  of places; 0: there are none, and nothing is tried
    explicit scripted_others(std::size_t count, act what = {})
        : places(count)
        , try_it(std::move(what))
    {
    }
    void begin(attune::measurement const&) override {}
    bool has_place() const override { return places > 0; }
    std::size_t idle() const override { return places - std::min(places, under_way.size()); }
    std::size_t pending() const override { return under_way.size(); }
    void submit(attune::point const& at, double) override
    {
        submitted.push_back(at);
        under_way.push_back(try_it(at));
        most_under_way = std::max(most_under_way, under_way.size());
    }
    std::vector<attune::detail::tried_variant> wait(double seconds) override
    {
        waits_s.push_back(seconds);
        if (while_waiting) while_waiting();
        std::vector<attune::detail::tried_variant> out = std::exchange(unasked, {});
        if (under_way.empty()) return out;
        out.push_back(std::move(under_way.front()));
        under_way.pop_front();
        return out;
    }
    bool wants_stop() const override { return is_stopped; }
    std::vector<std::string> notices() const override { return {}; }

    std::size_t places;
    act try_it;
    std::function<void()> while_waiting{};
    std::vector<attune::point> submitted{};
    std::deque<attune::detail::tried_variant> under_way{};
    std::vector<attune::detail::tried_variant> unasked{}; ///< arrive beside those of submit()
    std::vector<double> waits_s{};
    std::size_t most_under_way = 0;
    bool is_stopped = false;
};

} // namespace attune_test
