// attune/search/history.hpp - the outcomes of a search, and its pending points.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A point and its outcome. If `worked`, all numbers are valid; if `exceeded`, only `value`.
struct observation {
    point where;
    bool worked = false;
    double value = 0;
    double low = 0; ///< lower end of the measurement's interval
    double high = 0;
    /// True for a success with a quantity beyond its bound. `value` is NaN if not measured.
    bool exceeded = false;

    /// Returns true if the point failed, but not because of a bound.
    [[nodiscard]] bool failed() const noexcept { return !worked && !exceeded; }
    /// Returns true if the value is known.
    [[nodiscard]] bool is_measured() const noexcept
    {
        return worked || (exceeded && std::isfinite(value));
    }
};

/// Outcomes by point. A measurement that is not finite counts as a failure.
class search_history {
public:
    /// Adds `p` of ask() to the pending points.
    void wait_for(point const& p) { pending_.push_back(p); }

    /// Adds an outcome. A second outcome of a point replaces the first, and keeps its index.
    /// @param beyond  for a failure because of a bound: the value, NaN if not measured
    /// @return  the index of the observation, and true if it is new
    std::pair<std::size_t, bool> tell(point const& p, outcome const& result,
                                      std::optional<double> beyond = {})
    {
        std::erase(pending_, p);
        observation seen{p};
        if (beyond) seen = {p, false, *beyond, *beyond, *beyond, true};
        if (auto const* const m = std::get_if<measurement>(&result);
            m != nullptr && std::isfinite(m->value))
            seen = {p, true, m->value, m->low, m->high};
        auto const [place, is_new] = index_.try_emplace(p, told_.size());
        std::size_t const i = place->second;
        if (is_new)
            told_.push_back(std::move(seen));
        else
            std::swap(told_[i], seen); // `seen` is the old outcome
        if (told_[i].worked) ++worked_;
        if (told_[i].exceeded) ++exceeded_;
        if (!is_new && seen.worked) --worked_;
        if (!is_new && seen.exceeded) --exceeded_;
        if (told_[i].worked && (!best_ || told_[i].value < told_[*best_].value))
            best_ = i;
        else if (best_ == i)
            find_best();
        return {i, is_new};
    }

    [[nodiscard]] std::vector<observation> const& told() const noexcept { return told_; }
    [[nodiscard]] std::vector<point> const& pending() const noexcept { return pending_; }
    [[nodiscard]] std::size_t worked() const noexcept { return worked_; }
    /// Number of observations beyond a bound.
    [[nodiscard]] std::size_t exceeded() const noexcept { return exceeded_; }
    /// Number of observations that failed for another reason.
    [[nodiscard]] std::size_t failed() const noexcept { return told_.size() - worked_ - exceeded_; }
    /// Share of failures among the latest `count` observations; 0 without observations.
    [[nodiscard]] double failures_of_last(std::size_t count) const
    {
        std::size_t const n = std::min(count, told_.size());
        auto const failed = std::count_if(told_.end() - static_cast<std::ptrdiff_t>(n), told_.end(),
                                          [](observation const& o) { return o.failed(); });
        return n == 0 ? 0.0 : static_cast<double>(failed) / static_cast<double>(n);
    }
    /// The first of the lowest values; null before the first success.
    [[nodiscard]] observation const* best() const noexcept
    {
        return best_ ? &told_[*best_] : nullptr;
    }

    /// Indices of the lowest values, at most `count`, best first; of equal ones the earlier first.
    [[nodiscard]] std::vector<std::size_t> best_places(std::size_t count) const
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < told_.size(); ++i)
            if (told_[i].worked) order.push_back(i);
        std::size_t const n = std::min(count, order.size());
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n),
                          order.end(), [&](std::size_t a, std::size_t b) {
                              double const x = told_[a].value;
                              double const y = told_[b].value;
                              return x != y ? x < y : a < b;
                          });
        order.resize(n);
        return order;
    }

private:
    void find_best()
    {
        best_.reset();
        if (std::vector<std::size_t> const first = best_places(1); !first.empty())
            best_ = first.front();
    }

    std::vector<observation> told_;
    std::unordered_map<point, std::size_t, point_hash> index_;
    std::vector<point> pending_;
    std::size_t worked_ = 0;
    std::size_t exceeded_ = 0;
    std::optional<std::size_t> best_;
};

} // namespace attune::inline ATTUNE_ABI
