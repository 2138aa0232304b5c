// tests/support/past_sessions.hpp : sessions of other searches, made of a function
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace past_sessions {

/// `count` draws of `space` and what `f` gives for them: a number, or nothing for a failure.
template <class F>
attune::past_session of(attune::chain_of_trees const& space,
                        std::size_t count,
                        std::uint64_t seed,
                        F const& f,
                        double weight = 1)
{
    attune::past_session out;
    out.name = "session " + std::to_string(seed);
    out.weight = weight;
    for (attune::parameter_description const& p : space.describe().parameters)
        out.parameters.push_back(p.name);
    attune::random_engine engine(seed);
    for (std::size_t i = 0; i < count; ++i) {
        attune::point const at = space.sample(engine);
        attune::past_outcome row;
        for (std::size_t k = 0; k < at.size(); ++k)
            row.values.push_back(attune::text_of(space.describe().parameters[k], at[k]));
        row.value = f(at);
        out.outcomes.push_back(std::move(row));
    }
    return out;
}

} // namespace past_sessions
