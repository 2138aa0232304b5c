// attune/tune/pipeline/variants_ahead.hpp - how many variants are compiled while another is measured.
// SPDX-License-Identifier: MIT
// tested by tune/compile_ahead.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// The default of tuning_options::compile_ahead: 1 if the calling thread may run on two cores and
/// neither the kernel's text and flags nor the compiler's mention threads (OpenMP, TBB,
/// std::thread, ...), which would use those cores; else 0.
[[nodiscard]] std::size_t automatic_ahead(tuning_problem const& problem);

struct variants_ahead {
    std::size_t count = 0;
    std::string
        notice{}; ///< why there are fewer than were asked for; empty: there is nothing to say
};

/// How many variants a tuning compiles while it measures. None where the energy of calls counts;
/// and none where trials run in forked children and malloc() is not the C library's: a thread that
/// compiles could keep a child from using it.
/// @param at_once  variants that are measured at once
[[nodiscard]] variants_ahead variants_ahead_of(tuning_problem const& problem,
                                               tuning_options const& options, std::size_t at_once);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/pipeline/variants_ahead.ipp>
#endif
