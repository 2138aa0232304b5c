// attune/ship/tool/detail/program_run.hpp - runs a program with a configuration, and reads its number.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/left_processes.hpp>
#include <attune/ship/tool/detail/printed_number.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

inline constexpr double usual_limit_s = 60.0;

struct run_options {
    double limit_s = usual_limit_s;
    bool is_higher_better = false;
    std::string unit{}; ///< unit of the program's output; empty: none
    measured_number measured{};
    std::uint64_t repeats = 1;
    std::vector<std::string> environment{}; ///< names of variables on which results depend
};

/// The median, and its interval of 95 %. Fewer than six values have none.
/// Source  order statistics of a binomial: David & Nagaraja 2003, section 7.1
/// @param values  not empty; sorted here
[[nodiscard]] inline measurement median_with_interval(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    std::size_t const n = values.size();
    measurement out =
        measurement::exact(n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2);
    out.samples = static_cast<std::uint32_t>(n);
    // The chance that at most `out_of` values are below the median, on both sides.
    double chance = std::exp2(1.0 - static_cast<double>(n)), sum = chance;
    for (std::size_t beyond = 0; sum <= 0.05; ++beyond) {
        out.low = values[beyond];
        out.high = values[n - 1 - beyond];
        chance *= static_cast<double>(n - beyond) / static_cast<double>(beyond + 1);
        sum += chance;
    }
    return out;
}

/// Begins the reason of a successful run that printed no number.
inline constexpr std::string_view no_number = "no number: ";

/// Runs the program once, or several times for the median.
/// Errors  cut_short: a `cuttable` on this thread ended it
[[nodiscard]] inline outcome run_program(std::vector<std::string> const& arguments,
                                         run_options const& how)
{
    std::vector<double> values;
    for (std::uint64_t i = 0; i < how.repeats; ++i) {
        double const begun = steady_seconds();
        left_processes left; // ends them also if cut_short is thrown
        process_result const ran = run_process(arguments, how.limit_s, {}, output_streams::apart);
        double const wall_s = steady_seconds() - begun;
        std::string said = first_line(ran.errors);
        if (said.empty()) said = first_line(ran.output);
        if (ran.timed_out)
            return failure{failure_stage::timeout, "after " + seconds_text(how.limit_s)};
        if (ran.signal != 0)
            return failure{failure_stage::crash, std::string(::strsignal(ran.signal)) +
                                                     (said.empty() ? "" : ": " + said)};
        left.spare_services();
        if (ran.exit_status != 0)
            return failure{failure_stage::crash, "ended with " + std::to_string(ran.exit_status) +
                                                     (said.empty() ? "" : ": " + said)};
        std::string why;
        auto const value = how.measured.from == measured_number::source::wall_time
                               ? std::optional<double>(wall_s)
                               : how.measured.read(ran.output, how.limit_s, why);
        if (value && !std::isfinite(*value))
            why = "its number is not finite: " + first_line(last_line(ran.output));
        if (!value || !std::isfinite(*value))
            return failure{failure_stage::crash, std::string(no_number) + why};
        values.push_back(*value);
    }
    return median_with_interval(std::move(values));
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
