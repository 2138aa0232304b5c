// attune/tune/report.ipp - a report as one line of text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/report.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE std::string in_one_line(std::string_view text)
{
    constexpr std::string_view prefix = "attune: ";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    std::string out;
    while (!text.empty()) {
        std::size_t const end = text.find('\n');
        std::string_view const line = text.substr(0, end);
        std::size_t const begin = line.find_first_not_of(" \t");
        if (begin != std::string_view::npos) {
            if (!out.empty()) out += "; ";
            out += line.substr(begin);
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    // The parts of an error are aligned: "next:  install one".
    if (std::size_t const at = out.find("next:  "); at != std::string::npos) out.erase(at + 5, 1);
    return out;
}

/// Returns which code serves if nothing was tuned or remembered, and why.
[[nodiscard]] inline std::string untuned_summary(tuning_report const& report)
{
    std::string const reason =
        report.reason.empty() ? std::string{} : ": " + in_one_line(report.reason);
    if (report.how == decision::served_near || report.how == decision::served_forced)
        return "not tuned, " + report.configuration + " serves where it is verified" + reason;
    if (report.how == decision::served_default)
        return "not tuned, the default " +
               (report.configuration.empty() ? std::string("configuration")
                                             : report.configuration) +
               " serves" + reason;
    if (report.how == decision::served_fallback)
        return "not tuned, the function in the program serves" + reason;
    if (report.how == decision::call_failed) return "the call failed" + reason;
    return "nothing yet: no call has ended";
}

/// "faster", also for a prediction, or "better".
[[nodiscard]] inline std::string better_text(tuning_report const& report)
{
    return report.predicted ? "faster" : report.objective.better();
}

[[nodiscard]] inline std::string as_own_text(tuning_report const& report)
{
    return report.objective.is_seconds || report.predicted ? "as fast as your own"
                                                           : "as good as your own";
}

/// "6.40x faster than your own, 14.1x than the default"; only the parts that are true.
[[nodiscard]] inline std::string faster_text(tuning_report const& report)
{
    std::string const times = formatted("%.2fx ", report.speedup);
    std::string const better = better_text(report);
    if (!report.baseline || report.baseline->speedup_high < 1)
        return times + better + " than the default";
    if (report.baseline->speedup_low <= 1)
        return as_own_text(report) + ", " + times + better + " than the default";
    return formatted("%.2fx ", report.baseline->speedup) + better + " than your own, " + times +
           "than the default";
}

ATTUNE_INLINE tuning_report untuned_report(std::string kernel, decision how, std::string reason)
{
    tuning_report out;
    out.kernel = std::move(kernel);
    out.how = how;
    out.reason = std::move(reason);
    return out;
}

} // namespace detail

ATTUNE_INLINE std::string tuning_report::summary() const
{
    detail::own_float_environment const numbers;
    tuning_report const& report = *this;
    auto const time = [&](measurement const& m) { return report.objective.text(m.value); };
    std::string const better = detail::better_text(report);
    std::string const roof = report.roofline ? "; " + text_of(*report.roofline) : "";
    std::string const caches = report.predicted                    ? ""
                               : report.cache == cache_state::warm ? " (warm caches)"
                                                                   : " (cold caches)";
    bool const own_is_faster = report.baseline && report.baseline->speedup_high < 1;
    std::string out;
    if (!report.baseline_differs.empty())
        out =
            "your own code has another result than the default: " + report.baseline_differs + "; ";
    if (own_is_faster)
        out += "your own is " + detail::formatted("%.2fx ", 1 / report.baseline->speedup) + better +
               ", " + time(report.baseline->time) + ": ";
    switch (report.how) {
    case decision::nothing_yet:
    case decision::served_near:
    case decision::served_forced:
    case decision::served_default:
    case decision::served_fallback:
    case decision::call_failed:
        return detail::untuned_summary(report);
    case decision::remembered:
        return "remembered " + report.configuration + " (" + time(report.best) +
               " per call when it was tuned)" + roof + "; nothing to tune";
    case decision::kept_default:
        out += "keeps the default " + report.configuration + ", " + time(report.default_time) +
               caches + ": nothing was proven " + better;
        if (report.baseline && report.baseline->speedup_low > 1)
            out += "; " + detail::formatted("%.2fx ", report.baseline->speedup) + better +
                   " than your own, " + time(report.baseline->time);
        else if (report.baseline && !own_is_faster)
            out += "; " + detail::as_own_text(report);
        break;
    case decision::tuned:
        out += detail::faster_text(report) + ": " + time(report.best) + ", was ";
        if (report.baseline && !own_is_faster) out += time(report.baseline->time) + " and ";
        out += time(report.default_time) + caches + "; " + report.configuration;
        break;
    }
    out += roof;
    if (!report.ties.empty()) {
        out += "; as good as " + report.ties.front();
        if (std::size_t const others = report.ties.size() - 1; others > 0)
            out += " and " + std::to_string(others) + (others == 1 ? " other" : " others");
    }
    out += "; " + attune::detail::count_text(report.evaluations, "evaluation") + " in " +
           text_of_quantity(report.elapsed_s, true);
    if (report.pruned > 0) out += ", " + std::to_string(report.pruned) + " pruned";
    std::string const failed = describe(report.failures);
    if (!failed.empty()) out += ", " + failed;
    if (report.predicted) out += "; predicted, not measured";
    if (report.interrupted) out += "; interrupted";
    if (report.noise.is_disturbed) out += "; the machine was disturbed";
    return out;
}

} // namespace attune::inline ATTUNE_ABI
