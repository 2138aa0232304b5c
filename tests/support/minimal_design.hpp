// tests/support/minimal_design.hpp : only what the concept `design` promises
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/design.hpp>

#include <cstddef>
#include <optional>

/// Random points.
class minimal_design {
public:
    minimal_design(attune::chain_of_trees const&, attune::design_options const& options,
                   attune::random_engine&)
        : options_(options)
    {
    }

    std::optional<attune::point> next(attune::unseen_points const& unseen, std::size_t worked,
                                      std::size_t pending, attune::random_engine& engine)
    {
        if (worked + pending >= options_.working || given_ >= options_.attempts) return {};
        ++given_;
        return unseen.draw(engine);
    }

private:
    attune::design_options options_;
    std::size_t given_ = 0;
};
