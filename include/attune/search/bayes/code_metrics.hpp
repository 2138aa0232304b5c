// attune/search/bayes/code_metrics.hpp - numbers of configurations beside their outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One number per name for each configuration with metrics; NaN where one is missing.
class code_metrics {
public:
    /// @param count  of names
    explicit code_metrics(std::size_t count = 0)
        : count_(count)
    {
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Replaces the numbers of `p`. Non-finite numbers count as missing. Ignored if the count is
    /// wrong or all numbers are missing.
    void set(point const& p, std::span<double const> numbers)
    {
        if (numbers.size() != count_) return;
        std::vector<double> kept(numbers.begin(), numbers.end());
        bool any = false;
        for (double& v : kept) {
            if (!std::isfinite(v)) v = std::nan("");
            any = any || std::isfinite(v);
        }
        if (!any) return;
        auto const [place, is_new] = place_.try_emplace(p, all_.size());
        if (is_new)
            all_.emplace_back(p, std::move(kept));
        else
            all_[place->second].second = std::move(kept);
    }

    /// The numbers of `p`; null: none.
    [[nodiscard]] std::vector<double> const* of(point const& p) const
    {
        auto const found = place_.find(p);
        return found == place_.end() ? nullptr : &all_[found->second].second;
    }
    /// All numbers, in the order in which the configurations were first set.
    [[nodiscard]] std::vector<std::pair<point, std::vector<double>>> const& all() const noexcept
    {
        return all_;
    }

private:
    std::size_t count_;
    std::vector<std::pair<point, std::vector<double>>> all_;
    std::unordered_map<point, std::size_t, point_hash> place_;
};

} // namespace attune::inline ATTUNE_ABI::detail
