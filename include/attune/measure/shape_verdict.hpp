// attune/measure/shape_verdict.hpp - whether a variant may be used for a call of another shape.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// The result of one run of a variant on copies of a call's arrays. Plain data; see verify_shape()
/// (tested by tune/shape/shape_check.cpp).
struct shape_verdict {
    enum class ending : std::uint8_t {
        right,   ///< the variant's results are those of the trusted code: it may be used
        wrong,   ///< wrong result, crash, hang, exception, or a changed process
        unknown, ///< undecided: the trusted code fails on the copies or takes too long, the variant
                 ///< does where it may make forms of constant arrays, or there is no memory or no
                 ///< child process for the check
    };

    ending how = ending::unknown;
    failure why{};           ///< wrong: of the variant; unknown: mostly of the trusted code
    double elapsed_s = 0;    ///< wall seconds of the whole check
    double runs_s = 0;       ///< of these, seconds inside the trusted code and the variant
    unsigned executions = 0; ///< started runs of the trusted code and of the variant
    double trusted_s = 0;    ///< seconds of the fastest run of the trusted code; 0: not compared
    double tried_s = 0;      ///< seconds of the fastest run of the variant; 0: not compared
    bool is_slower = false;  ///< right, but clearly slower than the trusted code
};

} // namespace attune::inline ATTUNE_ABI
