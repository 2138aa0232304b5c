// attune/tune/roofline.ipp - rooflines and verdicts by measured peaks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/offer.hpp>
#include <attune/core/posix/stay_loaded.hpp>
#include <attune/core/version.hpp>
#include <attune/search/narrowing_search.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/loop/kernel_roofline.hpp>
#include <attune/tune/roofline.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::unique_ptr<kernel_roof>
measured_roof(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say)
{
    return std::make_unique<kernel_roofline>(problem, options, std::move(say));
}

[[nodiscard]] inline std::unique_ptr<candidate_verdicts>
measured_verdicts(tuning_problem const& problem, tuning_options const& options,
                  time_bounds::sayer say, std::function<double(unsigned threads)> bytes_per_s)
{
    return std::make_unique<candidate_pruning>(
        problem, options, std::move(say), pruning_machine{.bytes_per_s = std::move(bytes_per_s)});
}

[[nodiscard]] inline any_searcher narrowing(search_factory const& make, chain_of_trees const& space,
                                            std::uint64_t seed)
{
    return narrowing_search{make, space, seed};
}

ATTUNE_INLINE void know_time_bounds() noexcept
{
    keep_this_library_loaded();
    static constexpr time_bounds measured{&measured_roof, &measured_verdicts, &narrowing};
    exchange_offer(&measured);
}

} // namespace attune::inline ATTUNE_ABI::detail
