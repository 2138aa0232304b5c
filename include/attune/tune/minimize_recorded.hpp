// attune/tune/minimize_recorded.hpp - a search of a recorded space, without kernel or device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/files/recorded.hpp>
#include <attune/tune/minimize.hpp>

namespace attune::inline ATTUNE_ABI {

/// Looks for the fastest configuration of a recording: simulation mode. The result's configuration
/// is a point of of.space(), its value in milliseconds; describe it by text_of().
///
/// @param limits, options  as for minimize() of a function; inputs are ignored
/// Example   attune::minimize(attune::recorded{"gemm.csv.gz"}, {.evaluations = 220},
///                            {.search = attune::published::baco()});
[[nodiscard]] inline minimize_result<point> minimize(recorded const& of,
                                                     search_limits limits = search_limits::usual(),
                                                     minimize_options options = {})
{
    minimize_result<point> out = detail::minimize_points(of.space(), of, limits, options);
    out.space = of.space();
    return out;
}

} // namespace attune::inline ATTUNE_ABI
