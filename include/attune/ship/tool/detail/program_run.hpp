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
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A word of a program, in parts: text that stays, and what braces name.
struct word_part {
    std::string text{};
    bool is_name = false; ///< "" names the whole configuration
};

/// `{{` and `}}` are braces, and so is `${...}` of a shell; a brace that names nothing stays.
[[nodiscard]] inline std::vector<word_part> parts_of(std::string_view word)
{
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    std::vector<word_part> out{{}};
    std::size_t doubled = 0; // {{ that no }} has closed
    for (std::size_t i = 0; i < word.size(); ++i) {
        std::string_view const rest = word.substr(i);
        std::size_t const end = rest.find_first_not_of(letters, 1);
        bool const is_pair = rest[0] == '{' && end != rest.npos && rest[end] == '}';
        if (rest.starts_with("{{")) {
            ++doubled;
            out.back().text += '{';
            ++i;
        } else if (doubled > 0 && rest.starts_with("}}")) {
            --doubled;
            out.back().text += '}';
            ++i;
        } else if (is_pair && i > 0 && word[i - 1] == '$') {
            out.back().text += rest.substr(0, end + 1);
            i += end;
        } else if (is_pair) {
            out.push_back({std::string(rest.substr(1, end - 1)), true});
            out.push_back({});
            i += end;
        } else {
            out.back().text += rest[0];
        }
    }
    return out;
}

/// A command line with the names of parameters and inputs in braces.
struct command_template {
    std::vector<std::string> text{};

    /// The words for one configuration; "{}" is the configuration as JSON.
    [[nodiscard]] std::vector<std::string> filled(description const& space, point const& at) const
    {
        std::vector<std::string> out;
        for (std::string const& word : text) {
            std::string& made = out.emplace_back();
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name)
                    made += part.text;
                else if (part.text.empty())
                    made += line_of(json_of(space, at));
                else if (auto const v = find_value(space, part.text))
                    made += text_at(space, *v, at);
                else
                    made += input_text(space, part.text);
            }
        }
        return out;
    }

    /// Errors  words_error: a parameter that no word has; a name in braces that is no parameter's
    void check(description const& space) const
    {
        std::vector<std::string_view> names;
        for (named_value const& v : named_values(space))
            names.push_back(v.name);
        std::set<std::string> used;
        for (std::string const& word : text)
            for (word_part const& part : parts_of(word)) {
                if (!part.is_name) continue;
                used.insert(part.text);
                if (part.text.empty() || find_value(space, part.text) ||
                    space.find_input(part.text) != no_index)
                    continue;
                std::string const near = nearest_word(part.text, names);
                throw words_error("minimize: the space has no parameter " + part.text +
                                  (near.empty() ? "" : "; did you mean {" + near + "}?") +
                                  "; write {{" + part.text + "}} for these braces themselves");
            }
        for (std::string_view const name : names)
            if (!used.contains("") && !used.contains(std::string(name)))
                throw words_error("minimize: the program is not told " + std::string(name) +
                                  "; write {" + std::string(name) +
                                  "} in one of its words, or {} for all as JSON");
    }

private:
    [[nodiscard]] static std::string input_text(description const& space, std::string const& name)
    {
        number const value = space.inputs[space.find_input(name)].value.value();
        return value.is_real ? formatted("%.17g", value.real) : std::to_string(value.integer);
    }
};

[[nodiscard]] inline std::string_view last_line(std::string_view output)
{
    std::size_t const end = output.find_last_not_of(" \t\r\n");
    if (end == output.npos) return {};
    output = output.substr(0, end + 1);
    return output.substr(output.find_last_of("\r\n") + 1); // npos + 1 is 0
}

/// The number that ends the last line of an output. None where digits and a comma or colon stand
/// before it: 0,98 and 1,234 and 1:00.5 are numbers of another form.
[[nodiscard]] inline std::optional<double> last_number(std::string_view output)
{
    output = last_line(output);
    std::size_t const begin = output.find_last_of(" \t:=,");
    if (begin == output.npos) return real_in_text(output);
    bool const is_inside = (output[begin] == ',' || output[begin] == ':') && begin > 0 &&
                           output[begin - 1] >= '0' && output[begin - 1] <= '9';
    return is_inside ? std::nullopt : real_in_text(output.substr(begin + 1));
}

/// A number of --pattern: also 0,98 and [h:]m:ss.
[[nodiscard]] inline std::optional<double> captured_number(std::string text)
{
    std::size_t const comma = text.find(',');
    if (comma != text.npos) {
        std::size_t const digits = text.find_first_not_of("0123456789", comma + 1);
        std::size_t const count = std::min(digits, text.size()) - comma - 1;
        bool const is_decimal = text.find_first_of(",.", comma + 1) == text.npos &&
                                text.substr(0, comma).find('.') == text.npos && count != 3;
        if (!is_decimal) return std::nullopt; // 1,234 may be both
        text[comma] = '.';
    }
    double out = 0;
    std::size_t parts = 1;
    for (std::size_t colon; (colon = text.find(':')) != text.npos; text.erase(0, colon + 1)) {
        std::string const part = text.substr(0, colon);
        if (++parts > 3 || part.empty() || part.find_first_not_of("0123456789") != part.npos)
            return std::nullopt;
        out = 60 * (out + *real_in_text(part));
    }
    auto const rest = real_in_text(text);
    if (!rest || (parts > 1 && !(*rest >= 0 && *rest < 60))) return std::nullopt;
    return out + *rest;
}

[[nodiscard]] inline std::string first_line(std::string_view text)
{
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return "";
    return std::string(
        text.substr(first, std::min(text.find('\n', first) - first, std::size_t{200})));
}

/// Where the number of a run comes from: its output, or its time.
struct measured_number {
    enum class source : std::uint8_t { last_number, wall_time, pattern, json };
    source from = source::last_number;
    std::string text{}; ///< the pattern, or the name of the member
    std::optional<std::regex> pattern{};

    /// How a store calls it.
    [[nodiscard]] std::string name() const
    {
        switch (from) {
        case source::last_number:
            return "last number";
        case source::wall_time:
            return "wall time";
        case source::pattern:
            return "pattern " + text;
        case source::json:
            return "member " + text;
        }
        return "";
    }
    /// Nothing: the output has no such number.  @param why  set then
    [[nodiscard]] std::optional<double> read(std::string const& output, std::string& why) const
    {
        constexpr std::size_t longest_line = 4096; // of what std::regex can search
        if (from == source::last_number) {
            why = "its last line does not end in a number: " +
                  first_line(last_line(output)); // cut to a readable length
            return detail::tool::last_number(output);
        }
        std::optional<std::string> found;
        for (std::size_t at = 0; at < output.size();) {
            std::size_t const end = std::min(output.find('\n', at), output.size());
            std::string const line = output.substr(at, std::min(end - at, longest_line));
            at = end + 1;
            std::smatch match;
            if (from == source::pattern) {
                if (std::regex_search(line, match, *pattern)) found = match[1].str();
                continue;
            }
            tool_json const json = tool_json::parse(line, nullptr, false);
            if (json.is_object() && json.contains(text)) found = json[text].dump();
        }
        if (!found && from == source::json) { // of several lines
            tool_json const json = tool_json::parse(output, nullptr, false);
            if (json.is_object() && json.contains(text)) found = json[text].dump();
        }
        why = found ? "what " + name() + " finds is no number: " + *found
                    : "no line has " + name() + "; its last one: " + first_line(last_line(output));
        if (!found) return std::nullopt;
        return from == source::pattern ? captured_number(*found) : real_in_text(*found);
    }
};

inline constexpr double usual_limit_s = 60.0;

struct run_options {
    double limit_s = usual_limit_s;
    bool is_higher_better = false;
    std::string unit{}; ///< of what the program prints; empty: not said
    measured_number measured{};
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

/// Begins the reason of a run that ended well and printed no number.
inline constexpr std::string_view no_number = "no number: ";

/// Runs the program once, or several times; the median counts.
/// Errors  cut_short: a `cuttable` on this thread ended it
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
            return failure{failure_stage::crash, std::string(::strsignal(ran.signal)) +
                                                     (said.empty() ? "" : ": " + said)};
        if (ran.exit_status != 0)
            return failure{failure_stage::crash,
                           "ended with " + std::to_string(ran.exit_status) + ": " + said};
        std::string why;
        auto const value = how.measured.from == measured_number::source::wall_time
                               ? std::optional<double>(wall_s)
                               : how.measured.read(ran.output, why);
        if (value && !std::isfinite(*value))
            why = "its number is not finite: " + first_line(last_line(ran.output));
        if (!value || !std::isfinite(*value))
            return failure{failure_stage::crash, std::string(no_number) + why};
        values.push_back(*value);
    }
    return median_with_interval(std::move(values));
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
