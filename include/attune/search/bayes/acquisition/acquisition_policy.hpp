// attune/search/bayes/acquisition/acquisition_policy.hpp - several acquisitions that take turns.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-G
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>
#include <attune/search/bayes/acquisition/advanced_multi.hpp>
#include <attune/search/bayes/acquisition/multi.hpp>
#include <attune/search/bayes/choice.hpp>

#include <cstddef>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// An acquisition of several `Members`, one of which chooses each point. `Portfolio` selects the
/// member, and drops members by the values of their choices: multi_acquisition or
/// advanced_multi_acquisition.
template <class Portfolio, acquisition... Members>
class acquisition_policy {
public:
    acquisition_policy()
        : acquisition_policy(Members()...)
    {
    }
    explicit acquisition_policy(Members... members)
        requires(sizeof...(Members) > 0)
        : members_(std::move(members)...)
        , portfolio_(sizeof...(Members))
    {
    }
    explicit acquisition_policy(Portfolio portfolio, Members... members)
        requires(sizeof...(Members) > 0)
        : members_(std::move(members)...)
        , portfolio_(std::move(portfolio))
    {
        ATTUNE_ASSERT(portfolio_.portfolio().size() == sizeof...(Members),
                      "a portfolio for as many members");
    }

    /// Selects the member for the next choice.
    void prepare(scored_candidates const& candidates, search_progress const& so_far)
    {
        std::apply(
            [&](Members&... each) {
                auto const one = [&](auto& member) {
                    if constexpr (requires { member.prepare(candidates, so_far); })
                        member.prepare(candidates, so_far);
                };
                (one(each), ...);
            },
            members_);
        if constexpr (requires(std::vector<std::size_t> rows) { portfolio_.prefer(rows); }) {
            std::vector<std::size_t> preferred;
            for (std::size_t const member : portfolio_.portfolio().active()) {
                turn_ = member;
                std::vector<detail::scored_row> const rows =
                    detail::best_rows(candidates, 1, *this);
                if (rows.empty()) return; // no candidate is open
                preferred.push_back(rows.front().row);
            }
            portfolio_.prefer(preferred);
        }
        turn_ = portfolio_.take_turn();
        is_chosen_ = false;
    }

    /// The score by the selected member.
    [[nodiscard]] double score(double mean, double variance, double best) const
    {
        double out = 0;
        std::size_t member = 0;
        std::apply(
            [&](Members const&... each) {
                ((member++ == turn_ ? void(out = each.score(mean, variance, best)) : void()), ...);
            },
            members_);
        return out;
    }

    /// Notes that the selected member chose `p`.
    void chose(point const& p)
    {
        if (!std::exchange(is_chosen_, true)) chooser_[p] = turn_;
    }
    /// @param value  lower is better; for a failure the median of the values that worked
    void observe(point const& p, double value)
    {
        auto const by = chooser_.find(p);
        if (by == chooser_.end()) return;
        portfolio_.observe(by->second, value);
        chooser_.erase(by);
    }

private:
    std::tuple<Members...> members_;
    Portfolio portfolio_;
    std::size_t turn_ = 0;
    bool is_chosen_ = true; ///< since the last prepare()
    std::unordered_map<point, std::size_t, point_hash> chooser_;
};

/// The three rules of Willemsen et al. 2021, dropping members that agree with others, ...
using multi_policy = acquisition_policy<multi_acquisition, expected_improvement_rule,
                                        probability_of_improvement_rule, confidence_bound_rule>;
/// ... or dropping bad members and promoting a good one.
using advanced_multi_policy =
    acquisition_policy<advanced_multi_acquisition, expected_improvement_rule,
                       probability_of_improvement_rule, confidence_bound_rule>;

} // namespace attune::inline ATTUNE_ABI
