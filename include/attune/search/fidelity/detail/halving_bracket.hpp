// attune/search/fidelity/detail/halving_bracket.hpp - successive halving of a set of configurations.
// SPDX-License-Identifier: MIT
// Source   Jamieson & Talwalkar 2016; the inner loop of Hyperband (Li et al. 2018), Algorithm 1
#pragma once

#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/search/fidelity/hyperband.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// n_i of Algorithm 1: how many of `count` are left after `rungs` of them, at least 1.
[[nodiscard]] inline std::size_t halved(std::size_t count, double eta, std::size_t rungs)
{
    double power = 1;
    for (std::size_t i = 0; i < rungs; ++i)
        power *= eta;
    // One division rounds correctly: exact where eta is whole.
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) / power));
}

/// One bracket: successive halving of the configurations that it is given.
class halving_bracket {
public:
    halving_bracket(std::vector<halving_rung> rungs, std::uint32_t index, double eta,
                    chain_of_trees space)
        : rungs_(std::move(rungs))
        , index_(index)
        , eta_(eta)
        , drawn_(std::move(space))
    {
    }

    /// Whether another configuration is wanted.
    [[nodiscard]] bool has_room() const noexcept
    {
        return rung_ == 0 && !is_closed_ && runs_.size() < rungs_.front().count;
    }
    /// The configurations that it has or had.
    [[nodiscard]] unseen_points& drawn() noexcept { return drawn_; }
    void add(point p) { runs_.push_back({std::move(p)}); }
    /// There is no other configuration.
    void close()
    {
        is_closed_ = true;
        if (told_ == runs_.size()) promote();
    }

    /// The next trial; nothing while outcomes, or configurations, are missing.
    [[nodiscard]] std::optional<fidelity_trial> next() const
    {
        if (given_ == runs_.size()) return {};
        return fidelity_trial{runs_[given_].where, rungs_[rung_].budget, index_,
                              static_cast<std::uint32_t>(rung_)};
    }
    void give() noexcept { ++given_; }

    /// @return  false: the trial is none of those whose outcome is missing
    [[nodiscard]] bool tell(fidelity_trial const& asked, double value)
    {
        if (asked.bracket != index_ || asked.rung != rung_) return false;
        auto const end = runs_.begin() + static_cast<std::ptrdiff_t>(given_);
        auto const one =
            std::find_if(runs_.begin(), end, [&](run const& r) { return r.where == asked.where; });
        if (one == end || one->is_told) return false;
        one->value = value;
        one->is_told = true;
        ++told_;
        if (!has_room() && told_ == runs_.size()) promote();
        return true;
    }
    [[nodiscard]] bool is_over() const noexcept { return rung_ == rungs_.size(); }

private:
    struct run {
        point where;
        double value = std::numeric_limits<double>::infinity();
        bool is_told = false;
    };

    /// Those that go on, best first.
    void promote()
    {
        if (rung_ == 0) began_ = runs_.size();
        sort_stably(runs_, [](run const& a, run const& b) { return a.value < b.value; });
        ++rung_;
        std::size_t const kept = rung_ < rungs_.size() ? halved(began_, eta_, rung_) : 0;
        runs_.resize(std::min(runs_.size(), kept));
        while (!runs_.empty() && std::isinf(runs_.back().value))
            runs_.pop_back();
        if (runs_.empty()) rung_ = rungs_.size();
        for (run& r : runs_)
            r.is_told = false;
        given_ = told_ = 0;
    }

    std::vector<halving_rung> rungs_;
    std::uint32_t index_;
    double eta_;
    unseen_points drawn_;
    std::size_t rung_ = 0;
    std::size_t began_ = 0;  // configurations of the first rung
    std::vector<run> runs_;  // of this rung
    std::size_t given_ = 0;  // of runs_, from the front
    std::size_t told_ = 0;   // of runs_
    bool is_closed_ = false; // the first rung gets no more configurations
};

} // namespace attune::inline ATTUNE_ABI::detail
