// attune/ship/tool/detail/program_run.hpp - a program run with one configuration, and the number it prints.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/space_file.hpp>

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

/// A command line with the names of parameters in braces.
struct command_template {
    std::vector<std::string> text{};

    /// The words for one configuration; "{}" is the configuration as JSON.
    [[nodiscard]] std::vector<std::string> filled(description const& space, point const& at) const
    {
        std::vector<std::string> out = text;
        for (std::string& word : out)
            for (std::size_t from = 0; (from = word.find('{', from)) != word.npos;) {
                std::size_t const end = word.find('}', from);
                if (end == word.npos) break;
                std::string const name = word.substr(from + 1, end - from - 1);
                std::optional<named_value> const v = find_value(space, name);
                if (!name.empty() && !v) {
                    ++from;
                    continue;
                }
                std::string const value =
                    name.empty() ? line_of(json_of(space, at)) : text_at(space, *v, at);
                word.replace(from, end + 1 - from, value);
                from += value.size();
            }
        return out;
    }

    /// Errors  words_error: a parameter that no word has; a name in braces that is no parameter's
    void check(description const& space) const
    {
        std::string all;
        for (std::string const& word : text)
            all += word + '\n';
        bool const has_whole = all.find("{}") != all.npos;
        std::vector<std::string_view> names;
        for (named_value const& v : named_values(space))
            names.push_back(v.name);
        for (std::size_t from = 0; (from = all.find('{', from)) != all.npos; ++from) {
            std::size_t const end = all.find_first_not_of(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", from + 1);
            if (end == all.npos || all[end] != '}' || end == from + 1) continue;
            std::string const name = all.substr(from + 1, end - from - 1);
            if (find_value(space, name)) continue;
            std::string const near = nearest_word(name, names);
            throw words_error("minimize: the space has no parameter " + name +
                              (near.empty() ? "" : "; did you mean {" + near + "}?"));
        }
        for (std::string_view const name : names)
            if (std::string const word = '{' + std::string(name) + '}';
                !has_whole && all.find(word) == all.npos)
                throw words_error("minimize: the program is not told " + std::string(name) +
                                  "; write " + word +
                                  " in one of its words, or {} for all as JSON");
    }
};

/// The number that ends the last line of an output.
[[nodiscard]] inline std::optional<double> last_number(std::string_view output)
{
    constexpr std::string_view blanks = " \t\r\n";
    std::size_t const end = output.find_last_not_of(blanks);
    if (end == output.npos) return std::nullopt;
    output = output.substr(0, end + 1);
    std::size_t const begin = output.find_last_of(" \t\r\n:=,");
    return real_in_text(output.substr(begin == output.npos ? 0 : begin + 1));
}

[[nodiscard]] inline std::string first_line(std::string_view text)
{
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return "";
    return std::string(
        text.substr(first, std::min(text.find('\n', first) - first, std::size_t{200})));
}

struct run_options {
    double limit_s = 60.0;
    bool takes_wall_time = false;
    std::uint64_t repeats = 1;
};

/// The median, and the interval that has it in 95 % of cases. Fewer than six values have none.
/// Source  order statistics of a binomial: David & Nagaraja 2003, section 7.1
/// @param values  not empty; sorted here
[[nodiscard]] inline measurement median_with_interval(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    std::size_t const n = values.size();
    measurement out =
        measurement::exact(n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2);
    out.samples = static_cast<std::uint32_t>(n);
    // The chance that at most `out_of` values lie below the median, on both sides.
    double chance = std::exp2(1.0 - static_cast<double>(n)), sum = chance;
    for (std::size_t beyond = 0; sum <= 0.05; ++beyond) {
        out.low = values[beyond];
        out.high = values[n - 1 - beyond];
        chance *= static_cast<double>(n - beyond) / static_cast<double>(beyond + 1);
        sum += chance;
    }
    return out;
}

/// Runs the program once, or several times; the median counts.
[[nodiscard]] inline outcome run_program(std::vector<std::string> const& arguments,
                                         run_options const& how)
{
    std::vector<double> values;
    for (std::uint64_t i = 0; i < how.repeats; ++i) {
        double const begun = steady_seconds();
        process_result const ran = run_process(arguments, how.limit_s, {}, output_streams::apart);
        double const wall_s = steady_seconds() - begun;
        std::string said = first_line(ran.errors);
        if (said.empty()) said = first_line(ran.output);
        if (ran.timed_out)
            return failure{failure_stage::timeout, "after " + seconds_text(how.limit_s)};
        if (ran.signal != 0)
            return failure{failure_stage::crash,
                           std::string(::strsignal(ran.signal)) +
                               (said.empty() ? "" : ": " + said)};
        if (ran.exit_status != 0)
            return failure{failure_stage::crash,
                           "ended with " + std::to_string(ran.exit_status) + ": " + said};
        auto const value =
            how.takes_wall_time ? std::optional<double>(wall_s) : last_number(ran.output);
        if (!value || !std::isfinite(*value))
            return failure{failure_stage::verify,
                           std::string(value ? "its last number is not finite: "
                                             : "its last line does not end in a number: ") +
                               first_line(ran.output)};
        values.push_back(*value);
    }
    return median_with_interval(std::move(values));
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
