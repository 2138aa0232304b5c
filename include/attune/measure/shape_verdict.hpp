// attune/measure/shape_verdict.hpp - whether a variant may serve a call of another shape.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// What one run of a variant on copies of a call's arrays says. Plain data; see verify_shape()
/// (tested by tune/shape_check.cpp).
struct shape_verdict {
    enum class ending : std::uint8_t {
        right,   ///< its results are those of the trusted code: it may be served
        wrong,   ///< wrong result, crash, hang, exception, or something left behind
        unknown, ///< nothing can be said: the trusted code itself fails on the copies, takes too
                 ///< long, or there is no memory or no child process for the check
    };

    ending how = ending::unknown;
    failure why{};           ///< when not right: whose failure it is follows from `how`
    double elapsed_s = 0;    ///< wall seconds of everything
    double runs_s = 0;       ///< of these, inside the trusted code and the variant
    unsigned executions = 0; ///< runs that were begun, of the trusted code and of the variant
};

} // namespace attune::inline ATTUNE_ABI
