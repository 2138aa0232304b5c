// attune/search/bayes/start/design.hpp - the first configurations of a search, before there is a model.
// SPDX-License-Identifier: MIT
// tested by search/bayes/start/initial_design.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct design_options {
    /// Successful configurations that complete the design.
    std::size_t working = 10;
    /// The most configurations that are tried, however few succeed.
    std::size_t attempts = 20;
    /// Configurations tried before all others, such as the default.
    std::vector<point> first{};
};

/// Gives the first configurations of a search.
/// - D(space, options, engine): constructed at the first ask().
/// - next(unseen, worked, pending, engine): an unseen configuration, which stays unmarked. Nothing
///   if the design is complete: `worked` successes and `pending` unknown outcomes reach
///   options.working, options.attempts were given, or the space is exhausted. Random choices use
///   only `engine`.
/// tests/laws/design.hpp checks this.
template <class D>
concept design =
    std::constructible_from<D, chain_of_trees const&, design_options, random_engine&> &&
    requires(D d, unseen_points const& unseen, std::size_t count, random_engine& engine) {
        { d.next(unseen, count, count, engine) } -> std::same_as<std::optional<point>>;
    };

} // namespace attune::inline ATTUNE_ABI
