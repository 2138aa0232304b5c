// attune/search/automatic.hpp - the default search: what is best depends on what is found.
// SPDX-License-Identifier: MIT
//
// A Bayesian search alone was best on every recorded kernel up to 220 evaluations; local searches
// beside it cost more than they brought there. They come in where a model cannot help: in long
// runs, where it has said what it knows, and on objectives that it fails to predict.
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

struct automatic_options {
    bayesian_options model{};
    /// From so many outcomes on every second point comes from a local search around the best: a
    /// suggestion then costs half, and what the model overlooks is found. Several hundred outcomes
    /// are what Gaussian processes make use of.
    std::size_t long_run = 500;
    /// The same while the model predicts the outcomes of its last points (at least 20) worse than
    /// their mean does by this factor in squared error.
    double poor_fit = 4.0;
};

/// Bayesian search, helped by neighbourhood descent where that pays.
///
/// - size: up to model.max_pool points are all scored at every step; beyond, a sample and climbs
///   from its best members, whose cost does not depend on the size;
/// - failures: a model of where points fail; nothing worked yet: points unlike those that failed;
/// - budget: the model is asked from the first outcomes on; what long runs change says
///   `long_run`, and model.memory_limit.
class automatic {
public:
    explicit automatic(chain_of_trees space,
                       std::uint64_t seed = 0,
                       automatic_options const& options = {});
    ~automatic();
    automatic(automatic&&) noexcept;
    automatic& operator=(automatic&&) noexcept;

    /// Up to `k` distinct points, fewer when a finite space is nearly exhausted.
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    /// Points that are not in the space are ignored; one told again replaces what was known.
    void tell(point const& p, outcome const& result);
    /// bayesian_searcher::tell_metrics()
    void tell_metrics(point const& p, std::span<double const> numbers);
    /// bayesian_searcher::expected_gain(); nothing while local search takes part.
    [[nodiscard]] std::optional<double> expected_gain();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/automatic.ipp>
#endif
