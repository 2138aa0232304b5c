// attune/search/bayes/acquisition/multi.hpp - a portfolio that drops members which agree with others.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-G, "multi"; a threshold of 5 is Kernel Tuner's default
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/portfolio.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Round-robin. When members have preferred the same candidate `skip_threshold` times, the one with
/// the lowest discounted score stays and the others are skipped.
///
/// For every suggestion: prefer() gets the best candidate of each active member under the same
/// posterior, the candidate of take_turn() is evaluated, observe() gets its value.
class multi_acquisition {
public:
    explicit multi_acquisition(std::size_t members = 3, std::size_t skip_threshold = 5,
                               double discount = 0.9)
        : portfolio_(members, discount)
        , threshold_(skip_threshold)
        , duplicates_(portfolio_.size(), 0)
    {
    }

    [[nodiscard]] detail::acquisition_portfolio const& portfolio() const noexcept
    {
        return portfolio_;
    }
    [[nodiscard]] std::size_t take_turn() noexcept { return portfolio_.take_turn(); }

    /// @param candidates  preferred candidate of each member of portfolio().active(), in that order
    void prefer(std::span<std::size_t const> candidates)
    {
        std::vector<std::size_t> const members = portfolio_.active();
        ATTUNE_ASSERT(candidates.size() == members.size(), "one candidate per active member");
        std::vector<std::size_t> conflicting;
        for (std::size_t i = 0; i < members.size(); ++i) {
            auto const same = std::count(candidates.begin(), candidates.end(), candidates[i]);
            if (same > 1) ++duplicates_[members[i]];
            if (duplicates_[members[i]] >= threshold_) conflicting.push_back(members[i]);
        }
        if (conflicting.size() > 1) keep_best_of(conflicting);
    }

    /// @param value  lower is better; for a failure the median of the values that worked
    void observe(std::size_t member, double value) { portfolio_.observe(member, value); }

private:
    void keep_best_of(std::span<std::size_t const> members)
    {
        std::size_t best = members.front();
        for (std::size_t const m : members)
            if (portfolio_.score_of(m) < portfolio_.score_of(best)) best = m;
        for (std::size_t const m : members)
            if (m != best) portfolio_.skip(m);
        duplicates_[best] = 0;
    }

    detail::acquisition_portfolio portfolio_;
    std::size_t threshold_;
    std::vector<std::size_t> duplicates_; // member -> its shared preferences
};

} // namespace attune::inline ATTUNE_ABI
