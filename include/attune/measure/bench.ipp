// attune/measure/bench.ipp - verify() by establish() and first_run().
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <exception>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE shape_verdict bench::verify(callable const& trusted, callable const& tried,
                                          double limit_s)
{
    system_clocks const clocks;
    double const begun_s = clocks.wall_s();
    shape_verdict out;
    try {
        first_run_result const known = establish(trusted, limit_s);
        out.executions = 2; // at most; first_run() adds two
        if (auto const* const failed = std::get_if<failure>(&known)) {
            out.why = *failed;
        } else {
            first_run_result const end =
                first_run(tried, detail::first_run_limit_s(std::get<double>(known)));
            out.executions = 4;
            out.runs_s = std::get<double>(known);
            out.how = shape_verdict::ending::right;
            if (auto const* const wrong = std::get_if<failure>(&end)) {
                out.how = shape_verdict::ending::wrong;
                out.why = *wrong;
            }
        }
    } catch (std::exception const& thrown) {
        out.how = shape_verdict::ending::unknown;
        out.why = {failure_stage::launch, detail::first_line(thrown.what()), thrown.what()};
    }
    out.elapsed_s = clocks.wall_s() - begun_s;
    return out;
}

} // namespace attune::inline ATTUNE_ABI
