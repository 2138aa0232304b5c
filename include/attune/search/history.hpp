// attune/search/history.hpp - what a search was told, and what it still waits for.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One point and what became of it. Without `worked` the numbers mean nothing.
struct observation {
    point where;
    bool worked = false;
    double value = 0;
    double low = 0; ///< of the measurement's interval
    double high = 0;
};

/// Outcomes by point. A measurement that is not finite counts as a failure.
class search_history {
public:
    /// `p` was asked for.
    void wait_for(point const& p) { pending_.push_back(p); }

    /// Takes an outcome in; one told again replaces what was known and keeps its place.
    /// @return  the place of the observation, and whether it is new
    std::pair<std::size_t, bool> tell(point const& p, outcome const& result)
    {
        std::erase(pending_, p);
        observation seen{p};
        if (auto const* const m = std::get_if<measurement>(&result);
            m != nullptr && std::isfinite(m->value))
            seen = {p, true, m->value, m->low, m->high};
        auto const [place, is_new] = index_.try_emplace(p, told_.size());
        std::size_t const i = place->second;
        if (is_new)
            told_.push_back(std::move(seen));
        else
            std::swap(told_[i], seen); // `seen` is what was known
        if (told_[i].worked) ++worked_;
        if (!is_new && seen.worked) --worked_;
        if (told_[i].worked && (!best_ || told_[i].value < told_[*best_].value))
            best_ = i;
        else if (best_ == i)
            find_best();
        return {i, is_new};
    }

    [[nodiscard]] std::vector<observation> const& told() const noexcept { return told_; }
    [[nodiscard]] std::vector<point> const& pending() const noexcept { return pending_; }
    [[nodiscard]] std::size_t worked() const noexcept { return worked_; }
    [[nodiscard]] std::size_t failed() const noexcept { return told_.size() - worked_; }
    /// Share of the latest `count` observations that are failures; 0 before anything was told.
    [[nodiscard]] double failures_of_last(std::size_t count) const
    {
        std::size_t const n = std::min(count, told_.size());
        auto const failed = std::count_if(told_.end() - static_cast<std::ptrdiff_t>(n),
                                          told_.end(),
                                          [](observation const& o) { return !o.worked; });
        return n == 0 ? 0.0 : static_cast<double>(failed) / static_cast<double>(n);
    }
    /// The first of the lowest values; null before anything worked.
    [[nodiscard]] observation const* best() const noexcept
    {
        return best_ ? &told_[*best_] : nullptr;
    }

    /// Places of the lowest values, at most `count`, best first; the first told of equals.
    [[nodiscard]] std::vector<std::size_t> best_places(std::size_t count) const
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < told_.size(); ++i)
            if (told_[i].worked) order.push_back(i);
        std::size_t const n = std::min(count, order.size());
        std::partial_sort(order.begin(),
                          order.begin() + static_cast<std::ptrdiff_t>(n),
                          order.end(),
                          [&](std::size_t a, std::size_t b) {
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
    std::optional<std::size_t> best_;
};

} // namespace attune::inline ATTUNE_ABI
