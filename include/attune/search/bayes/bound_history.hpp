// attune/search/bayes/bound_history.hpp - what a search was told of quantities that have bounds.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/history.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// How far the quantities of each configuration are beyond their bounds. The first configuration
/// says how many bounds there are.
class bound_history {
public:
    /// @param value   of the objective; NaN where it was not measured
    /// @param excess  one per bound: > 0 beyond it, NaN where unknown. Ignored if the count is not
    ///                that of the first call; one told again replaces the former ones
    void tell(point const& p, double value, std::span<double const> excess)
    {
        if (excess.empty()) return;
        if (histories_.empty()) histories_.resize(excess.size());
        if (excess.size() != histories_.size()) return;
        bool is_beyond = false;
        for (std::size_t i = 0; i < excess.size(); ++i) {
            is_beyond = is_beyond || excess[i] > 0;
            if (std::isfinite(excess[i]))
                histories_[i].tell(p, measurement::exact(excess[i]));
            else if (seen_.contains(p)) // it may replace a number
                histories_[i].tell(p, failure{});
        }
        seen_.insert_or_assign(p, entry{value, is_beyond});
    }

    /// Number of bounds; 0 before the first call.
    [[nodiscard]] std::size_t count() const noexcept { return histories_.size(); }
    /// The excesses over bound `i`, as values.
    [[nodiscard]] search_history const& of(std::size_t i) const { return histories_[i]; }
    /// The objective's value of a configuration that is beyond a bound, NaN where it was not
    /// measured; nothing for the others.
    [[nodiscard]] std::optional<double> value_beyond(point const& p) const
    {
        auto const found = seen_.find(p);
        if (found == seen_.end() || !found->second.is_beyond) return {};
        return found->second.value;
    }

private:
    struct entry {
        double value = 0;
        bool is_beyond = false;
    };

    std::vector<search_history> histories_;
    std::unordered_map<point, entry, point_hash> seen_;
};

} // namespace attune::inline ATTUNE_ABI::detail
