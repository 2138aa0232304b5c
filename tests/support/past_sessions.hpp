// tests/support/past_sessions.hpp : sessions of other searches, made of a function
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace past_sessions {

/// `count` draws of `space` and what `f` gives for them: a number, or nothing for a failure.
template <class F>
attune::past_session of(attune::chain_of_trees const& space, std::size_t count, std::uint64_t seed,
                        F const& f, double weight = 1)
{
    attune::past_session out;
    out.name = "session " + std::to_string(seed);
    out.weight = weight;
    std::vector<attune::detail::named_value> const values =
        attune::detail::named_values(space.describe());
    for (attune::detail::named_value const& v : values)
        out.parameters.emplace_back(v.name);
    attune::random_engine engine(seed);
    for (std::size_t i = 0; i < count; ++i) {
        attune::point const at = space.sample(engine);
        attune::past_outcome row;
        for (attune::detail::named_value const& v : values)
            row.values.push_back(attune::detail::text_at(space.describe(), v, at));
        row.value = f(at);
        out.outcomes.push_back(std::move(row));
    }
    return out;
}

} // namespace past_sessions
