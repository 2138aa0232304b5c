// attune/tune/report.ipp - a tuning in one line.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/progress.ipp>
#include <attune/tune/report.hpp>

namespace attune::inline ATTUNE_ABI {

std::string summary(tuning_report const& report)
{
    auto const time = [&](measurement const& m) {
        return text_of_quantity(m.value, !report.predicted);
    };
    std::string const roof = report.roofline ? "; " + text_of(*report.roofline) : "";
    std::string out;
    switch (report.how) {
    case decision::remembered:
        return "remembered " + report.configuration + " (" + time(report.best) +
               " per call when it was tuned)" + roof + "; nothing to tune";
    case decision::kept_default:
        out = "keeps the default " + report.configuration + ", " + time(report.default_time) +
              ": nothing was proven faster";
        break;
    case decision::tuned:
        out = detail::formatted("%.2fx faster than the default: ", report.speedup) +
              time(report.best) + ", was " + time(report.default_time) + "; " +
              report.configuration;
        break;
    }
    out += roof;
    if (!report.ties.empty()) {
        out += "; as good as " + report.ties.front();
        if (std::size_t const others = report.ties.size() - 1; others > 0)
            out += " and " + std::to_string(others) + (others == 1 ? " other" : " others");
    }
    out += "; " + std::to_string(report.evaluations) + " evaluations in " +
           text_of_quantity(report.elapsed_s, true);
    std::string const failures = describe(report.failures);
    if (!failures.empty()) out += ", " + failures;
    if (report.predicted) out += "; predicted, not measured";
    if (report.interrupted) out += "; interrupted";
    return out;
}

} // namespace attune::inline ATTUNE_ABI
