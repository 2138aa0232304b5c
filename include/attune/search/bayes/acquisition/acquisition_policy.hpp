// attune/search/bayes/acquisition/acquisition_policy.hpp - exploration that depends on the remaining variance, and several acquisitions that take turns.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-G: round-robin, discounted observation score dos_t = sum
//          o_i 0.9^(t - i); the rules "multi" and "advanced multi". A threshold of 5 is Kernel
//          Tuner's default. Own: the score is divided by the sum of the weights, so that members
//          with different numbers of turns can be compared. Members with equal numbers keep their
//          order
// Source   contextual: Willemsen et al. 2021 Sec. III-F, after Jasrasaria & Pyzer-Knapp 2018:
//          lambda = (v / (m_s / f_best)) / v_s
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/acquisition/acquisition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Keeps the model's state after the initial design and compares later states with it.
class contextual_variance {
public:
    /// The constant factor that works well in most cases according to Sec. III-F; used if the ratio
    /// is undefined.
    static constexpr double usual = 0.01;

    /// @param initial_variance  v_s: mean posterior variance over all configurations not evaluated,
    ///                          after the initial design
    /// @param initial_mean      m_s: mean of the successes at that time, in the objective's unit
    contextual_variance(double initial_variance, double initial_mean) noexcept
        : variance_(initial_variance)
        , mean_(initial_mean)
    {
    }

    /// The present factor; it shrinks with the remaining variance and with the best value.
    /// @param variance  present posterior variance, averaged like `initial_variance`
    /// @param best      lowest value so far, in the unit of `initial_mean`, not of the model: the
    ///                  ratio is only meaningful for positive run times
    /// @return  >= 0; `usual` if a value is not positive or not finite, because the formula divides
    ///          by the initial variance and by a value
    [[nodiscard]] double factor(double variance, double best) const noexcept
    {
        double const improvement = mean_ / best;
        double const lambda = variance / improvement / variance_;
        bool const meaningful = variance >= 0 && variance_ > 0 && mean_ > 0 && best > 0;
        return meaningful && std::isfinite(lambda) ? lambda : usual;
    }

private:
    double variance_;
    double mean_;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Adds contextual_variance::factor() of the open candidates to the exploration of `Rule`.
template <acquisition Rule>
    requires requires(Rule& r) { r.exploration = 0.0; }
class contextual {
public:
    /// @param constant   replaces the factor
    /// @param in_values  true: the exploration is in the unit of the objective, as in Kernel Tuner,
    ///                   so it depends on the unit of time; false: in the unit of the model.
    ///                   Ignored if the model learns logarithms
    explicit contextual(Rule rule = {}, std::optional<double> constant = {}, bool in_values = false)
        : rule_(rule)
        , base_(rule.exploration)
        , constant_(constant)
        , in_values_(in_values)
    {
    }

    void prepare(scored_candidates const& c, search_progress const& so_far)
    {
        rule_.exploration = base_;
        if (c.variance.empty()) return;
        double const unit = in_values_ && so_far.unit > 0 ? so_far.unit : 1;
        rule_.exploration = (base_ + (constant_ ? *constant_ : factor_of(c, so_far))) / unit;
    }
    [[nodiscard]] double score(double mean, double variance, double best) const noexcept
    {
        return rule_.score(mean, variance, best);
    }

private:
    [[nodiscard]] double factor_of(scored_candidates const& c, search_progress const& so_far)
    {
        double sum = 0;
        double open = 0;
        for (std::size_t i = 0; i < c.open.size(); ++i)
            if (c.open[i] != 0) {
                sum += c.variance[i];
                open += 1;
            }
        double const variance = open > 0 ? sum / open : 0;
        if (!context_) context_.emplace(variance, so_far.mean_of_values);
        return context_->factor(variance, so_far.best);
    }

    Rule rule_;
    double base_;
    std::optional<double> constant_;
    bool in_values_;
    std::optional<detail::contextual_variance> context_;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// Members by number, with their scores; inactive members are skipped. multi_acquisition and
/// advanced_multi_acquisition have the rules that drop members.
class acquisition_portfolio {
public:
    /// @param members   number of members, >= 1; turns follow the numbers
    /// @param discount  weight of an observation relative to the next one of the same member, in
    ///                  (0, 1]
    explicit acquisition_portfolio(std::size_t members, double discount = 0.9)
        : members_(members)
        , discount_(discount)
    {
        ATTUNE_ASSERT(members > 0, "a portfolio needs a member");
    }

    [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
    [[nodiscard]] bool is_active(std::size_t member) const { return members_[member].active; }
    [[nodiscard]] std::vector<std::size_t> active() const
    {
        std::vector<std::size_t> out;
        for (std::size_t m = 0; m < members_.size(); ++m)
            if (members_[m].active) out.push_back(m);
        return out;
    }

    /// The member of this turn; the next call returns the next member.
    [[nodiscard]] std::size_t take_turn() noexcept
    {
        while (!members_[turn_].active)
            turn_ = (turn_ + 1) % members_.size();
        std::size_t const out = turn_;
        turn_ = (turn_ + 1) % members_.size();
        return out;
    }

    /// @param value  of the configuration that `member` chose; lower is better
    void observe(std::size_t member, double value)
    {
        entry& e = members_[member];
        e.sum = e.sum * discount_ + value;
        e.weight = e.weight * discount_ + 1;
        ++e.observations;
    }
    [[nodiscard]] std::size_t observations(std::size_t member) const
    {
        return members_[member].observations;
    }
    /// The discounted mean of the values that `member` chose; infinite before the first.
    [[nodiscard]] double score_of(std::size_t member) const
    {
        entry const& e = members_[member];
        return e.observations > 0 ? e.sum / e.weight : std::numeric_limits<double>::infinity();
    }

    /// Drops `member` permanently. @pre another member is active
    void skip(std::size_t member)
    {
        members_[member].active = false;
        ATTUNE_ASSERT(!active().empty(), "the last member of a portfolio stays");
    }

private:
    struct entry {
        bool active = true;
        double sum = 0;
        double weight = 0;
        std::size_t observations = 0;
    };

    std::vector<entry> members_;
    double discount_;
    std::size_t turn_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Round-robin. Of the members that have shared their preferred candidate `skip_threshold` times,
/// the one with the lowest discounted score stays; the others are skipped.
///
/// For every suggestion: pass the best candidate of each active member under one posterior to
/// prefer(), evaluate the candidate of take_turn(), and pass its value to observe().
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

    /// @param value  lower is better; for a failure the median of the successful values
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

/// Round-robin. After every round it compares each discounted score with the mean score. It skips a
/// member that was worse by the required improvement `skip_threshold` times, and restarts the
/// others' counts. A member that was better as often becomes the only one.
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

    /// @param value  lower is better; for a failure the median of the successful values, so that
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

    /// Returns true if `a` has the larger count, or, with the same one, the more extreme score.
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

/// An acquisition of several `Members`; one of them chooses each point. `Portfolio` selects the
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

    /// Records that the selected member chose `p`.
    void chose(point const& p)
    {
        if (!std::exchange(is_chosen_, true)) chooser_[p] = turn_;
    }
    /// @param value  lower is better; for a failure the median of the successful values
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

/// The three rules of Willemsen et al. 2021; drops members that agree with others.
using multi_policy = acquisition_policy<multi_acquisition, expected_improvement_rule,
                                        probability_of_improvement_rule, confidence_bound_rule>;
/// The same; drops bad members, and promotes a good one.
using advanced_multi_policy =
    acquisition_policy<advanced_multi_acquisition, expected_improvement_rule,
                       probability_of_improvement_rule, confidence_bound_rule>;

} // namespace attune::inline ATTUNE_ABI
