// attune/tune/sizes/size_tree.ipp - grows the tree, and sums the time of similar sizes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/choice_tree.hpp>
#include <attune/tune/sizes/size_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the latest outcome of a configuration at a size; null: it was not tried.
[[nodiscard]] inline outcome const* outcome_at(sized_result const& of, point const& at)
{
    auto const found = std::find_if(of.outcomes.rbegin(), of.outcomes.rend(),
                                    [&](known_outcome const& one) { return one.at == at; });
    return found != of.outcomes.rend() ? &found->result : nullptr;
}

ATTUNE_INLINE std::optional<double> seconds_at(sized_result const& of, point const& at)
{
    outcome const* const known = outcome_at(of, at);
    auto const* const m = known != nullptr ? std::get_if<measurement>(known) : nullptr;
    return m != nullptr ? std::optional(m->value) : std::nullopt;
}

ATTUNE_INLINE size_tree::size_tree(std::span<sized_result const> results)
{
    for (std::size_t i = 0; i < results.size(); ++i)
        if (std::none_of(owner_.begin(), owner_.end(), [&](std::size_t before) {
                return results[before].best == results[i].best;
            }))
            owner_.push_back(i);
    // The default is a choice only if it is the best of a size: make it slow as
    // tree_point::default_s.
    constexpr double never = 1e6;
    std::vector<tree_point> points;
    for (sized_result const& of : results) {
        tree_point p{.inputs = of.sizes,
                     .is_usable = std::vector<bool>(owner_.size(), true),
                     .default_s = never * seconds_at(of, of.best).value_or(1.0)};
        for (std::size_t const owner : owner_) {
            outcome const* const known = outcome_at(of, results[owner].best);
            p.seconds.push_back(seconds_at(of, results[owner].best));
            p.has_failed.push_back(known != nullptr && !succeeded(*known));
        }
        points.push_back(std::move(p));
    }
    regret_table const regret(points);
    std::vector<std::size_t> all(points.size());
    std::iota(all.begin(), all.end(), 0);
    nodes_ = grow_tree(points, regret, choose_variants(regret, most_sizes), all);
}

ATTUNE_INLINE std::size_t size_tree::at(std::span<double const> sizes) const
{
    std::int32_t const choice = choice_in(nodes_.data(), [&](std::size_t i) { return sizes[i]; });
    return choice == choice_node::none ? 0 : owner_[static_cast<std::size_t>(choice)];
}

ATTUNE_INLINE std::optional<left_out_size> left_out(std::span<sized_result const> results,
                                                    std::size_t which)
{
    std::vector<sized_result> others(results.begin(), results.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(which));
    if (others.empty()) return {};
    sized_result const& of = results[which];
    std::optional<double> const served_s =
        seconds_at(of, others[size_tree(others).at(of.sizes)].best);
    std::optional<double> const best_s = seconds_at(of, of.best);
    if (!served_s || !best_s) return {};
    return left_out_size{*served_s, *best_s};
}

/// Most octaves that count: the expected loss of a call does not grow further.
inline constexpr double most_octaves = 5;
/// Most groups of calls to compare, the ones with most time.
inline constexpr std::size_t most_groups = 256;

ATTUNE_INLINE size_demand::size_demand(std::span<sized_calls const> calls,
                                       std::vector<std::vector<double>> tuned)
{
    std::map<std::vector<int>, group> all;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        sized_calls const& one = calls[i];
        seconds_ += one.seconds;
        std::vector<int> place;
        for (double const size : one.sizes)
            place.push_back(static_cast<int>(std::lround(std::log2(1 + std::fabs(size)))));
        group& of = all[std::move(place)];
        of.seconds += one.seconds;
        if (!of.sizes.empty() && one.seconds <= of.most_s) continue;
        of.sizes = one.sizes;
        of.most_s = one.seconds;
        of.which = i;
    }
    for (auto& [place, of] : all)
        groups_.push_back(std::move(of));
    sort_stably(groups_, [](group const& a, group const& b) { return a.seconds > b.seconds; });
    groups_.resize(std::min(groups_.size(), most_groups));
    for (group& of : groups_) {
        of.octaves = most_octaves;
        for (std::vector<double> const& one : tuned)
            of.octaves = std::min(of.octaves, octaves_between(of.sizes, one));
    }
    for (group const& of : groups_)
        if (double const here = gain(of.sizes); here > best_gain_s_) {
            best_gain_s_ = here;
            best_ = of.which;
        }
}

ATTUNE_INLINE double size_demand::gain(std::span<double const> sizes) const
{
    double out = 0;
    for (group const& of : groups_)
        out += of.seconds * regret_per_octave *
               std::max(0.0, of.octaves - octaves_between(of.sizes, sizes));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
