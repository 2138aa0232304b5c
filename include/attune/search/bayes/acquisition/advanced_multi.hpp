// attune/search/bayes/acquisition/advanced_multi.hpp - a portfolio that drops bad members and promotes a good one.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-G, "advanced multi"; a threshold of 5 is Kernel Tuner's
//          default
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/acquisition/portfolio.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Round-robin. After every round each discounted score is compared with the mean score. A member
/// that was worse by the required improvement `skip_threshold` times is skipped, and the others'
/// counts restart; a member that was better as often becomes the only one.
class advanced_multi_acquisition {
public:
    struct rules {
        std::size_t skip_threshold = 5;
        double required_improvement = 0.05; ///< as a share of the mean score
        double discount = 0.9;
    };

    explicit advanced_multi_acquisition(std::size_t members = 3)
        : advanced_multi_acquisition(members, rules{})
    {
    }
    advanced_multi_acquisition(std::size_t members, rules const& given)
        : portfolio_(members, given.discount)
        , rules_(given)
        , judged_(portfolio_.size(), 0)
        , worse_(portfolio_.size(), 0)
        , better_(portfolio_.size(), 0)
    {
    }

    [[nodiscard]] detail::acquisition_portfolio const& portfolio() const noexcept
    {
        return portfolio_;
    }
    [[nodiscard]] std::size_t take_turn() noexcept { return portfolio_.take_turn(); }

    /// @param value  lower is better; for a failure the median of the values that worked, so that
    ///               failures do not decide
    void observe(std::size_t member, double value)
    {
        portfolio_.observe(member, value);
        std::vector<std::size_t> const members = portfolio_.active();
        bool const round_over = std::all_of(members.begin(), members.end(), [this](std::size_t m) {
            return portfolio_.observations(m) > judged_[m];
        });
        if (!round_over || members.size() < 2) return;
        for (std::size_t const m : members)
            judged_[m] = portfolio_.observations(m);
        judge(members);
    }

private:
    void judge(std::vector<std::size_t> const& members)
    {
        double mean = 0;
        for (std::size_t const m : members)
            mean += portfolio_.score_of(m) / static_cast<double>(members.size());
        double const margin = rules_.required_improvement * std::abs(mean);
        std::size_t worst = members.front();
        std::size_t best = members.front();
        for (std::size_t const m : members) {
            double const excess = portfolio_.score_of(m) - mean;
            if (excess > margin) ++worse_[m];
            if (excess < -margin) ++better_[m];
            if (before(worse_, m, worst, portfolio_.score_of(m) > portfolio_.score_of(worst)))
                worst = m;
            if (before(better_, m, best, portfolio_.score_of(m) < portfolio_.score_of(best)))
                best = m;
        }
        if (better_[best] >= rules_.skip_threshold) {
            for (std::size_t const m : members)
                if (m != best) portfolio_.skip(m);
        } else if (worse_[worst] >= rules_.skip_threshold) {
            portfolio_.skip(worst);
            std::fill(worse_.begin(), worse_.end(), 0);
            std::fill(better_.begin(), better_.end(), 0);
        }
    }

    /// Whether `a` has the larger count, or, with the same one, the more extreme score.
    [[nodiscard]] static bool before(std::vector<std::size_t> const& count, std::size_t a,
                                     std::size_t b, bool more_extreme)
    {
        return count[a] != count[b] ? count[a] > count[b] : more_extreme;
    }

    detail::acquisition_portfolio portfolio_;
    rules rules_;
    std::vector<std::size_t> judged_; // member -> its observations when last judged
    std::vector<std::size_t> worse_;
    std::vector<std::size_t> better_;
};

} // namespace attune::inline ATTUNE_ABI
