// attune/search/transfer/expectation.ipp - the definitions of expectation.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/transfer/expectation.hpp>
#include <attune/space/query/sample_distinct.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE past_session session_of_values(chain_of_trees const& space,
                                             std::function<double(point const&)> const& value_of)
{
    constexpr std::size_t draws = 1000;
    constexpr int moves = 24;
    description const& d = space.describe();
    past_session out;
    std::vector<named_value> const values = named_values(d);
    for (named_value const& v : values)
        out.parameters.emplace_back(v.name);
    std::optional<double> least;
    point best;
    auto const take = [&](point const& p) {
        double const value = value_of(p);
        if (!std::isfinite(value)) return;
        past_outcome one;
        for (named_value const& v : values)
            one.values.push_back(text_at(d, v, p));
        one.value = value;
        out.outcomes.push_back(std::move(one));
        if (least && value >= *least) return;
        least = value;
        best = p;
    };
    random_engine engine(1);
    for (point const& p : sample_distinct(space, draws, engine))
        take(p);
    for (int move = 0; move < moves && least; ++move) {
        double const before = *least;
        point const from = best;
        for (point const& p : space.neighbours(from))
            take(p);
        if (*least >= before) break;
    }
    return out;
}

ATTUNE_INLINE past_session session_of_expectation(chain_of_trees const& space)
{
    constexpr double beside_records = 0.25; // measured sessions know more
    past_session out =
        session_of_values(space, [&](point const& p) { return space.describe().expected(p); });
    out.name = "expectation";
    out.weight = beside_records;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
