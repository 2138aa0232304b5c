// tests/declare/every_point.hpp - the points of a bound description, counted like an odometer, or at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune_tests {

/// Every point of a space without real parameters; the last parameter turns fastest.
inline std::vector<attune::point> every_point(attune::description const& space)
{
    std::vector<attune::point> out{{}};
    for (attune::parameter_description const& p : space.parameters) {
        std::vector<attune::point> longer;
        for (attune::point const& prefix : out)
            for (std::uint32_t i = 0; i < p.value_count(); ++i) {
                longer.push_back(prefix);
                longer.back().push_back({i, 0});
            }
        out = longer;
    }
    return out;
}

/// A point at random, valid or not.
inline attune::point any_point(attune::description const& space, attune::random_engine& engine)
{
    attune::point out(space.parameters.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (space.parameters[i].traits().is_interval)
            out[i].real = attune::uniform_unit(engine);
        else
            out[i].index = static_cast<std::uint32_t>(
                attune::uniform_below(engine, space.parameters[i].value_count()));
    return out;
}

} // namespace attune_tests
