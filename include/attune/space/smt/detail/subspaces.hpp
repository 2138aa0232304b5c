// attune/space/smt/detail/subspaces.hpp - divides the Cartesian product of a space, for several workers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The indices from `begin` to before `end` of a parameter's values; {0, 0} for a real parameter.
struct values_range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    [[nodiscard]] std::uint32_t size() const noexcept { return end - begin; }
};

/// A part of the Cartesian product: a range per parameter.
using subspace = std::vector<values_range>;

[[nodiscard]] inline double settings_inside(subspace const& s) noexcept
{
    double out = 1;
    for (values_range const& r : s)
        out *= std::max(r.size(), 1U);
    return out;
}

[[nodiscard]] inline subspace whole_space(description const& space)
{
    subspace out;
    for (parameter_description const& p : space.parameters)
        out.push_back({0, p.value_count()});
    return out;
}

/// Hands out disjoint subspaces that together are the whole. Made when asked for: there may be
/// more of them than memory.
class subspace_queue {
public:
    /// @param undivided  the parameter that is divided last; no_index: the one of most values
    /// @param largest    settings per subspace; 0: as many subspaces as workers, or somewhat fewer
    subspace_queue(description const& space, std::uint32_t undivided, std::uint64_t largest,
                   unsigned workers)
        : open_{whole_space(space)}
    {
        subspace const& whole = open_.front();
        for (std::uint32_t p = 0; p < whole.size(); ++p)
            if (whole[p].size() > 1) order_.push_back(p);
        auto const last = undivided != no_index
                              ? std::find(order_.begin(), order_.end(), undivided)
                              : std::max_element(order_.begin(), order_.end(),
                                                 [&](std::uint32_t a, std::uint32_t b) {
                                                     return whole[a].size() < whole[b].size();
                                                 });
        if (last != order_.end()) std::rotate(last, last + 1, order_.end());
        largest_ = static_cast<double>(largest);
        if (largest != 0) return;
        // Whole values of the first parameter that has enough of them, at least.
        double rest = settings_inside(whole);
        largest_ = std::ceil(rest / workers);
        for (std::uint32_t const p : order_) {
            rest /= whole[p].size();
            if (whole[p].size() < workers) continue;
            largest_ = std::max(largest_, rest * std::ceil(whole[p].size() * 1.0 / workers));
            break;
        }
    }

    /// The next one, to any thread; nothing behind the last.
    [[nodiscard]] std::optional<subspace> next()
    {
        std::lock_guard const lock(mutex_);
        while (!open_.empty()) {
            subspace at = std::move(open_.back());
            open_.pop_back();
            if (settings_inside(at) <= largest_ || !divide(at)) return at;
        }
        return {};
    }

private:
    /// Puts the parts of `at` in its place; false if it has one setting.
    bool divide(subspace const& at)
    {
        auto const found = std::find_if(order_.begin(), order_.end(),
                                        [&](std::uint32_t p) { return at[p].size() > 1; });
        if (found == order_.end()) return false;
        values_range const all = at[*found];
        double const rest = settings_inside(at) / all.size();
        auto const per_part =
            static_cast<std::uint32_t>(std::clamp(largest_ / rest, 1.0, all.size() - 1.0));
        constexpr std::uint32_t most = 1024; // parts that are too large are divided again
        std::uint32_t const parts = std::min(most, (all.size() + per_part - 1) / per_part);
        for (std::uint32_t k = parts; k-- > 0;) { // the first one on top
            subspace part = at;
            part[*found] = {all.begin + share(all.size(), k, parts),
                            all.begin + share(all.size(), k + 1, parts)};
            open_.push_back(std::move(part));
        }
        return true;
    }
    [[nodiscard]] static std::uint32_t share(std::uint32_t size, std::uint32_t k,
                                             std::uint32_t parts) noexcept
    {
        return static_cast<std::uint32_t>(std::uint64_t{size} * k / parts);
    }

    std::vector<std::uint32_t> order_; // of division
    double largest_ = 0;
    std::mutex mutex_;
    std::vector<subspace> open_; // a stack
};

} // namespace attune::inline ATTUNE_ABI::detail
