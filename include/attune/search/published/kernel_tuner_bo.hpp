// attune/search/published/kernel_tuner_bo.hpp - Kernel Tuner's Bayesian optimization as published.
// SPDX-License-Identifier: MIT
// Source   Willemsen, van Nieuwpoort, van Werkhoven, "Bayesian Optimization for auto-tuning GPU
//          kernels", 2021: Sec. III-B (fixed length scale), III-D (normalised discrete space,
//          failures ignored), III-E (Latin hypercube), III-F (contextual variance), III-G (multi,
//          advanced multi). Numbers that it does not give are those of its program: length scale
//          1.5 and skip threshold 5
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
        multi,          ///< the three in turn; those that suggest what others do are skipped
        advanced_multi, ///< the three in turn; the worst is skipped, the best promoted
    };
    /// Sec. III-B: the two that it finds suitable.
    enum class covariance : std::uint8_t {
        matern32, ///< length scale 1.5
        matern52, ///< length scale 0.75: ours, the paper says "below 1"
    };

    acquisition choose = acquisition::advanced_multi;
    covariance kernel = covariance::matern32;
    std::size_t initial_samples = 20;    ///< that worked; uniform ones replace failures
    bool latin_hypercube = true;         ///< else all are uniform
    std::size_t skip_threshold = 5;      ///< times, before a member is skipped or promoted
    double discount = 0.9;               ///< of a member's older values
    double required_improvement = 0.05;  ///< share of the mean that "better" and "worse" differ by
    std::optional<double> exploration{}; ///< lambda; nothing: contextual variance
    /// Lambda of the first two acquisitions is subtracted from the best value in the unit of the
    /// values, as published, so that it depends on what times are counted in (seconds where attune
    /// measures). Off: in units of their deviation.
    bool exploration_in_values = true;
};

/// Kernel Tuner's search. Failed configurations are only not repeated; the values' logarithm is not
/// taken; a parameter's values stand one step apart.
///
/// Deviations: every acquisition sees the outcome before its turn. Values are standardised anew
/// after every third outcome, a round of the three. Spaces of more than 200,000 configurations are
/// sampled.
/// Example   options.search = attune::published::kernel_tuner_bo();
[[nodiscard]] search_factory kernel_tuner_bo(kernel_tuner_options const& options = {});

} // namespace attune::inline ATTUNE_ABI::published

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/published/kernel_tuner_bo.ipp>
#endif
