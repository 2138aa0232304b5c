// attune/tune/pipeline/variants_ahead.ipp - by cores, threads of the kernel, and malloc().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/thread_use.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/pipeline/variants_ahead.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::size_t automatic_ahead(tuning_problem const& problem)
{
    if (allowed_cores() < 2) return 0;
    return may_use_threads(problem.kernel.source, problem.compiler.identity()) ? 0 : 1;
}

ATTUNE_INLINE variants_ahead variants_ahead_of(tuning_problem const& problem,
                                               tuning_options const& options, std::size_t at_once)
{
    if (problem.kernel.most_joules > 0) return {}; // a compiler's energy would count
    std::size_t const wanted =
        options.compile_ahead ? *options.compile_ahead : automatic_ahead(problem) * at_once;
    bool const may_fork = problem.device == nullptr &&
                          options.measuring.protect != isolation::none &&
                          options.measuring.protect != isolation::guard;
    if (wanted == 0 || !may_fork) return {wanted};
    std::string const allocator = foreign_allocator();
    if (allocator.empty()) return {wanted};
    return {0,
            "nothing is compiled ahead: malloc() is that of " + allocator +
                ", and a compiler at work on another thread could keep a forked child from using "
                "it"};
}

} // namespace attune::inline ATTUNE_ABI::detail
