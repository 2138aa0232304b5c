// bench/tune/together_recorded.hpp - tasks of a shared budget whose evaluations are look-ups.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/searcher.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <variant>
#include <vector>

#include "../support/recorded.hpp"

namespace bench {

/// One search on one recorded space, which goes on as far as somebody asks. What it finds does not
/// depend on when: schedules share it.
class recorded_search {
public:
    recorded_search(recording const& of, std::uint64_t seed)
        : of_(of)
        , search_(attune::search_with<attune::search::automatic>()(of.space, seed))
    {
        attune::random_engine engine(~seed);
        attune::point start = of.space.sample(engine);
        while (!attune::succeeded(of.at(start)))
            start = of.space.sample(engine);
        tell(start);
    }

    /// Milliseconds of the best after each of `count` evaluations, fewer where nothing is left. The
    /// first is that of the default, a configuration drawn at random that works.
    [[nodiscard]] std::vector<double> const& best(std::size_t count)
    {
        while (best_.size() < count) {
            std::vector<attune::point> const asked = search_.ask(1);
            if (asked.empty()) break;
            tell(asked.front());
        }
        return best_;
    }
    /// What the model expected to gain after so many evaluations, asked after each second one.
    [[nodiscard]] std::optional<double> gain_after(std::size_t count) const
    {
        return gain_.at(count - 1);
    }
    [[nodiscard]] double default_ms() const { return best_.front(); }
    [[nodiscard]] double optimum_ms() const { return of_.best_ms; }

private:
    void tell(attune::point const& at)
    {
        attune::outcome const& result = of_.at(at);
        search_.tell(at, result);
        if (!seen_.insert(at).second) return;
        auto const* const m = std::get_if<attune::measurement>(&result);
        double const before = best_.empty() ? m->value : best_.back();
        best_.push_back(m != nullptr ? std::min(before, m->value) : before);
        gain_.push_back(gain_.empty() ? std::nullopt : gain_.back());
        if (best_.size() % 2 != 0) return;
        gain_.back() = search_.expected_gain();
        if (gain_.back()) gain_.back() = std::clamp(*gain_.back(), 0.0, 1.0);
    }

    recording const& of_;
    attune::any_searcher search_;
    std::unordered_set<attune::point, attune::point_hash> seen_{};
    std::vector<double> best_{};
    std::vector<std::optional<double>> gain_{};
};

/// A part of the whole that such a search makes faster.
class recorded_task final : public attune::detail::budget_task {
public:
    /// @param part  of the whole's time, with the default
    recorded_task(recorded_search& of, double part)
        : of_(of)
        , calls_(part / of.default_ms())
    {
    }

    [[nodiscard]] attune::detail::turn_task so_far() const override
    {
        return {.weight = calls_,
                .best = best_,
                .expected_gain = best_.empty() ? std::nullopt : of_.gain_after(best_.size()),
                .is_over = is_over_};
    }
    [[nodiscard]] std::uint64_t made() const override { return best_.size(); }
    [[nodiscard]] double longest_s() const override { return 0; }
    [[nodiscard]] double final_s() const override { return 0; }
    void step(attune::search_limits const&) override
    {
        std::vector<double> const& known = of_.best(best_.size() + 1);
        is_over_ = known.size() == best_.size();
        if (!is_over_) best_.push_back(known[best_.size()]);
    }
    void rest() override {}
    void finish(double) override {}

    /// Its part of the whole, which is 1 with all defaults.
    [[nodiscard]] double now() const
    {
        return calls_ * (best_.empty() ? of_.default_ms() : best_.back());
    }
    [[nodiscard]] double possible() const { return calls_ * of_.optimum_ms(); }

private:
    recorded_search& of_;
    double calls_;
    std::vector<double> best_{};
    bool is_over_ = false;
};

} // namespace bench
