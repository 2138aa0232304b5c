// attune/search/meta/detail/turn_order.hpp - whom a bandit asks first.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/search/meta/credit_window.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// All techniques, the one with the highest score first, equal ones in random order.
[[nodiscard]] inline std::vector<std::size_t> turn_order(credit_window const& credit,
                                                         std::size_t techniques, double exploration,
                                                         random_engine& engine)
{
    std::vector<std::pair<double, std::size_t>> scored;
    for (std::size_t t = 0; t < techniques; ++t)
        scored.emplace_back(credit.score(t, exploration), t);
    shuffle(std::span(scored), engine);
    sort_stably(scored, [](auto const& a, auto const& b) { return a.first > b.first; });
    std::vector<std::size_t> out;
    for (auto const& [score, t] : scored)
        out.push_back(t);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
