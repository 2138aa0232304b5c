// attune/space/tree/wide_tree.ipp - random walks through conditions.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/space/conditions/conditions.hpp>
#include <attune/space/tree/build.hpp>
#include <attune/space/tree/wide_tree.hpp>

#include <mutex>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct wide_tree::state {
    description space; // a copy: a rebuilt chain may share this tree
    parameter_group group;
    std::vector<domain> domains;
    guided_walk walk;
    std::mutex busy; // a walk changes its levels
    bool is_empty = false;
    double log_leaves = 0;
    double relative_error = 0;
    double log_usual = 0; // weight below which nine of ten walks stay

    state(description const& from, parameter_group const& all, std::vector<domain> const& left,
          build_options const& options)
        : space(from)
        , group(all)
        , domains(left)
        , walk(space, group, domains, options)
    {
        random_engine engine(1);
        std::uint64_t const fit = options.max_visits / 16 / (walk.visits() + 1);
        std::size_t const walks =
            static_cast<std::size_t>(std::clamp<std::uint64_t>(fit, 64, 4096));
        point at(space.parameters.size());
        std::vector<double> met;
        for (std::size_t i = 0; i < walks; ++i)
            if (auto const log_weight = walk.try_once(engine, at)) met.push_back(*log_weight);
        if (met.empty()) {
            search(engine, at);
            return;
        }
        std::sort(met.begin(), met.end());
        log_usual = met[met.size() * 9 / 10];
        double const highest = met.back();
        double sum = 0;
        double squares = 0;
        for (double const log_weight : met) {
            double const weight = std::exp(log_weight - highest);
            sum += weight;
            squares += weight * weight;
        }
        double const n = static_cast<double>(walks);
        double const mean = sum / n;
        double const variance = std::max(0.0, squares / n - mean * mean) / (n - 1);
        log_leaves = highest + std::log(mean);
        relative_error = std::sqrt(variance) / mean;
    }

    /// Searches for a leaf, if no walk has reached one.
    void search(random_engine& engine, point& at)
    {
        switch (walk.search(engine, at)) {
        case search_result::found:
            relative_error = 1; // the estimate is the one setting found
            return;
        case search_result::none:
            is_empty = true;
            return;
        case search_result::spent:
            too_wide(space, group, "no valid setting of a wide group of parameters is found");
        }
    }
};

ATTUNE_INLINE wide_tree::wide_tree(description const& space, parameter_group const& group,
                                   std::vector<domain> const& domains, build_options const& options)
    : shared_(std::make_shared<state>(space, group, domains, options))
{
}

ATTUNE_INLINE bool wide_tree::is_empty() const noexcept { return shared_->is_empty; }

ATTUNE_INLINE std::span<std::uint32_t const> wide_tree::parameters() const noexcept
{
    return shared_->walk.order();
}

ATTUNE_INLINE double wide_tree::log2_leaves() const noexcept
{
    return shared_->log_leaves / std::log(2.0);
}

ATTUNE_INLINE double wide_tree::relative_error() const noexcept { return shared_->relative_error; }

ATTUNE_INLINE void wide_tree::draw(random_engine& engine, std::span<coordinate> at) const
{
    // Accepts a walk with probability min(1, weight / usual weight), so that settings are more
    // equally likely.
    constexpr int most_walks = 24;
    std::scoped_lock const lock(shared_->busy);
    point kept(shared_->space.parameters.size());
    point tried = kept;
    bool has_one = false;
    for (int i = 0; i < most_walks; ++i) {
        auto const log_weight = shared_->walk.try_once(engine, tried);
        if (!log_weight) continue;
        std::swap(kept, tried);
        has_one = true;
        if (std::log(uniform_unit(engine)) <= *log_weight - shared_->log_usual) break;
    }
    if (!has_one && shared_->walk.search(engine, kept) != search_result::found)
        too_wide(shared_->space, shared_->group,
                 "no valid setting of a wide group of parameters is found");
    for (std::uint32_t const p : shared_->walk.order())
        at[p] = kept[p];
}

} // namespace attune::inline ATTUNE_ABI::detail
