// attune/search/published/kernel_tuner_bo.hpp - Kernel Tuner's Bayesian optimization as published.
// SPDX-License-Identifier: MIT
// Source   Willemsen, van Nieuwpoort, van Werkhoven, "Bayesian Optimization for auto-tuning GPU
//          kernels", 2021: Sec. III-B (fixed length scale), III-D (normalised discrete space,
//          failures ignored), III-E (Latin hypercube), III-F (contextual variance), III-G (multi,
//          advanced multi). Numbers that are not in the paper are those of its program: length
//          scale 1.5 and skip threshold 5
// Bench    bench/search/replay.cpp, bench/search/ablation.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/searcher.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::published {

struct kernel_tuner_options {
    enum class acquisition : std::uint8_t {
        expected_improvement,
        probability_of_improvement,
        lower_confidence_bound,
        multi,          ///< the three in turn; members that agree with others are skipped
        advanced_multi, ///< the three in turn; the worst is skipped, the best promoted
    };
    /// The two covariances that Sec. III-B finds suitable.
    enum class covariance : std::uint8_t {
        matern32, ///< length scale 1.5
        matern52, ///< length scale 0.75: ours, the paper says "below 1"
    };

    acquisition choose = acquisition::advanced_multi;
    covariance kernel = covariance::matern32;
    std::size_t initial_samples = 20;    ///< successful ones; uniform ones replace failures
    bool latin_hypercube = true;         ///< else all are uniform
    std::size_t skip_threshold = 5;      ///< number of times before a member is skipped or promoted
    double discount = 0.9;               ///< of older values of a member
    double required_improvement = 0.05;  ///< distance from the mean score, as a share of it
    std::optional<double> exploration{}; ///< lambda; nothing: contextual variance
    /// True, as published: lambda of the first two acquisitions has the unit of the values. Its
    /// effect depends on the unit of time (seconds in attune). False: in units of the values'
    /// deviation.
    bool exploration_in_values = true;
};

/// Kernel Tuner's search. The only effect of a failure is that the configuration is not repeated.
/// Values are not logarithms. The values of a parameter are one step apart.
///
/// Deviations: an acquisition receives all outcomes before its turn. Values are standardised again
/// after every third outcome, a round of the three. Spaces of more than 200,000 configurations are
/// sampled.
/// Example   options.search = attune::published::kernel_tuner_bo();
[[nodiscard]] search_factory kernel_tuner_bo(kernel_tuner_options const& options = {});

} // namespace attune::inline ATTUNE_ABI::published

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/published/kernel_tuner_bo.ipp>
#endif
