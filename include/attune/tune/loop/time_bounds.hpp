// attune/tune/loop/time_bounds.hpp - bounds of the times of configurations, as an optional part of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/roofline/roofline.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Finds configurations that cannot win. This base has no bounds: all may win. See
/// candidate_pruning.
class candidate_verdicts {
public:
    candidate_verdicts() = default;
    virtual ~candidate_verdicts() = default;
    candidate_verdicts(candidate_verdicts const&) = delete;
    candidate_verdicts& operator=(candidate_verdicts const&) = delete;

    [[nodiscard]] virtual bool is_on() const noexcept { return false; }
    [[nodiscard]] virtual std::optional<double> cannot_win(point const&) { return {}; }
    [[nodiscard]] virtual bool may_win(point const&) { return true; }
    virtual bool measured(point const&, measurement const&) { return false; }
    [[nodiscard]] virtual std::optional<kept_settings> narrower(std::function<bool()> const&)
    {
        return {};
    }
    virtual bool narrowed(std::optional<kept_settings> const&, bool) { return true; }
    virtual void stays_wide() {}
    [[nodiscard]] virtual double left_share() const noexcept { return 1; }
    virtual void note_threads(unsigned) noexcept {}
    virtual void add_pruned(std::size_t) noexcept {}
    virtual void take_back(std::size_t) noexcept {}
    [[nodiscard]] virtual std::size_t pruned() const noexcept { return 0; }
    [[nodiscard]] virtual std::string sentence() const { return {}; }
};

/// The limits of the machine for a kernel. This base has no limits. See kernel_roofline.
class kernel_roof {
public:
    kernel_roof() = default;
    virtual ~kernel_roof() = default;
    kernel_roof(kernel_roof const&) = delete;
    kernel_roof& operator=(kernel_roof const&) = delete;

    virtual void note_threads(unsigned) noexcept {}
    [[nodiscard]] virtual bool will_measure() const { return false; }
    [[nodiscard]] virtual std::optional<roofline> at(point const&, double) { return {}; }
    [[nodiscard]] virtual double most_bytes_per_s(unsigned) { return 0; }
};

/// The offer of the optional part attune::roofline. See offer.hpp. `say` receives sentences for the
/// user. The problem outlives the made objects.
struct time_bounds {
    using sayer = std::function<void(std::string)>;
    std::unique_ptr<kernel_roof> (*roof)(tuning_problem const& problem,
                                         tuning_options const& options, sayer say) = nullptr;
    std::unique_ptr<candidate_verdicts> (*verdicts)(
        tuning_problem const& problem, tuning_options const& options, sayer say,
        std::function<double(unsigned threads)> bytes_per_s) = nullptr;
    /// Makes the search of `make`, with narrow(): see narrowing_search.
    any_searcher (*narrowing)(search_factory const& make, chain_of_trees const& space,
                              std::uint64_t seed) = nullptr;
};

/// Returns the work of one call, as the kernel states it.
/// @pre     the kernel states work
/// Errors   attune::error: the work is negative, zero or not finite
[[nodiscard]] work work_at(tuning_problem const& problem, point const& at);

/// Returns the limits or verdicts of attune::roofline if the program links it; otherwise a base
/// object without bounds.
/// Errors   errors of work_at() for the default configuration, except on a device
[[nodiscard]] std::unique_ptr<kernel_roof>
roof_of(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say);
[[nodiscard]] std::unique_ptr<candidate_verdicts>
verdicts_of(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say,
            std::function<double(unsigned threads)> bytes_per_s);

/// Returns a sentence if the tuning needs attune::roofline and the program lacks it, or if bounds
/// of times do not apply.
[[nodiscard]] std::string missing_bounds(tuning_problem const& problem,
                                         tuning_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/time_bounds.ipp>
#endif
