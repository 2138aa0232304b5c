// attune/ship/tool/detail/printed_number.hpp - the number in a program's output.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/python_json.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/problems.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <regex>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline std::string_view last_line(std::string_view output)
{
    std::size_t const end = output.find_last_not_of(" \t\r\n");
    if (end == output.npos) return {};
    output = output.substr(0, end + 1);
    return output.substr(output.find_last_of("\r\n") + 1); // npos + 1 is 0
}

/// Returns true if a line ends like 1 234, or 1 234.5: one number with a blank between its
/// thousands, or two.
[[nodiscard]] inline bool may_have_thousands(std::string_view line)
{
    static std::regex const groups("(^|[^0-9.])[1-9][0-9]{0,2} [0-9]{3}([.][0-9]*)?$");
    std::string const end(line.substr(line.size() - std::min<std::size_t>(line.size(), 80)));
    return std::regex_search(end, groups);
}

/// The characters before the last word of a line, such as 5 in t=5.
inline constexpr std::string_view before_word = " \t:=,";

/// Returns true if a line ends in the error of a number, as in 1.5 +/- 0.2.
[[nodiscard]] inline bool ends_in_error(std::string_view line)
{
    std::size_t const begin = line.find_last_of(before_word);
    std::size_t const end = begin == line.npos ? begin : line.find_last_not_of(" \t", begin);
    std::string_view const before = line.substr(0, end == line.npos ? 0 : end + 1);
    std::string_view const last = line.substr(begin + 1); // npos + 1 is 0
    for (std::string_view const sign : {"\u00b1", "+/-", "+-"})
        if (before.ends_with(sign) || last.find(sign) != last.npos) return true;
    return false;
}

/// The number that ends the last line of an output. Empty if the text before it may be a part of
/// the number: 0,98 and 1,234 and 1:00.5 and 1 234 are numbers of another form. Empty for the
/// error of a number.
[[nodiscard]] inline std::optional<double> last_number(std::string_view output)
{
    output = last_line(output);
    std::size_t const begin = output.find_last_of(before_word);
    bool const is_inside = begin != output.npos && begin > 0 &&
                           (output[begin] == ',' || output[begin] == ':') &&
                           output[begin - 1] >= '0' && output[begin - 1] <= '9';
    if (is_inside || may_have_thousands(output) || ends_in_error(output)) return std::nullopt;
    std::string_view last = output.substr(begin + 1); // npos + 1 is 0
    if (last.size() > 1 && last[0] == '+' && last[1] != '-') last.remove_prefix(1);
    return real_in_text(last);
}

/// A number of --pattern: also 0,98, 1 234.5 and [h:]m:ss.
[[nodiscard]] inline std::optional<double> captured_number(std::string text)
{
    static std::regex const groups("[1-9][0-9]{0,2}( [0-9]{3})+([.,][0-9]*)?");
    if (std::regex_match(text, groups)) std::erase(text, ' ');
    std::size_t const comma = text.find(',');
    if (comma != text.npos) {
        std::size_t const digits = text.find_first_not_of("0123456789", comma + 1);
        std::size_t const count = std::min(digits, text.size()) - comma - 1;
        bool const is_decimal = text.find_first_of(",.", comma + 1) == text.npos &&
                                text.substr(0, comma).find('.') == text.npos && count != 3;
        if (!is_decimal) return std::nullopt; // 1,234 is ambiguous
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

/// The source of the number of a run: its output, or its time.
struct measured_number {
    enum class source : std::uint8_t { last_number, wall_time, pattern, json };
    source from = source::last_number;
    std::string text{}; ///< the pattern, or the name of the member
    std::optional<std::regex> pattern{};

    /// The name of this source in a store.
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
    /// Empty if the output has no such number.
    /// @param limit_s  the longest search for the pattern, whose time may grow like 2^length
    /// @param why      receives the reason
    /// Errors  cut_short: a `cuttable` on this thread ended the search
    [[nodiscard]] std::optional<double> read(std::string const& output, double limit_s,
                                             std::string& why) const
    {
        if (from == source::last_number) {
            std::string_view const line = last_line(output);
            why = line.empty() ? "it wrote nothing to standard output"
                  : may_have_thousands(line)
                      ? "its last line ends in one number or in two, and --pattern says which: "
                  : ends_in_error(line) && line.back() >= '0' && line.back() <= '9'
                      ? "its last line ends in a number and its error, and --pattern says which: "
                      : "its last line does not end in a number: ";
            why += first_line(line); // cut to a readable length
            return detail::tool::last_number(output);
        }
        std::optional<std::string> found;
        if (from == source::pattern &&
            !in_child([&] { return last_match(output); }, limit_s, found)) {
            why = "the search for " + name() + " takes longer than " + seconds_text(limit_s) +
                  "; a pattern without a repetition inside of a repetition is faster";
            return std::nullopt;
        }
        if (from == source::json) found = last_member(output);
        why = found ? "what " + name() + " finds is no number: " + *found
                    : "no line has " + name() + "; its last one: " + first_line(last_line(output));
        if (!found) return std::nullopt;
        return from == source::pattern ? captured_number(*found) : real_in_text(*found);
    }

private:
    /// Calls `find` in a child process, which a limit or a signal can end.
    /// @return  false if `limit_s` passed first; the child then lives
    template <class F>
    [[nodiscard]] static bool in_child(F const& find, double limit_s,
                                       std::optional<std::string>& found)
    {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
        descriptor out(ends[0]), in(ends[1]);
        pid_t const child = out ? ::fork() : -1;
        if (child < 0)
            throw error("no process can be started", {}, "see the limits on processes and files");
        if (child == 0) {
            std::optional<std::string> const here = find();
            std::string const told = here ? '=' + *here : "";
            ::_exit(::write(in.get(), told.data(), told.size()) >= 0 ? 0 : 1);
        }
        in.close();
        std::string told;
        double const begun_s = steady_seconds();
        for (std::array<char, 4096> block{};;) {
            cut_here();
            if (steady_seconds() - begun_s > limit_s) return false;
            pollfd waiting{out.get(), POLLIN, 0};
            if (::poll(&waiting, 1, 20) <= 0) continue;
            ssize_t const count = ::read(out.get(), block.data(), block.size());
            if (count > 0) told.append(block.data(), static_cast<std::size_t>(count));
            if (count == 0 || (count < 0 && errno != EINTR)) break;
        }
        ::waitpid(child, nullptr, 0);
        if (!told.empty()) found = told.substr(1);
        return true;
    }
    /// Calls `take` for each line.
    template <class F>
    static void for_each_line(std::string const& output, F const& take)
    {
        constexpr std::size_t longest_line = 4096; // std::regex can search this length
        for (std::size_t at = 0; at < output.size();) {
            std::size_t const end = std::min(output.find('\n', at), output.size());
            take(output.substr(at, std::min(end - at, longest_line)));
            at = end + 1;
        }
    }
    [[nodiscard]] std::optional<std::string> last_match(std::string const& output) const
    {
        std::optional<std::string> found;
        for_each_line(output, [&](std::string const& line) {
            std::smatch match;
            if (std::regex_search(line, match, *pattern)) found = match[1].str();
        });
        return found;
    }
    [[nodiscard]] std::optional<std::string> last_member(std::string const& output) const
    {
        std::optional<std::string> found;
        auto const take = [&](std::string const& part) {
            tool_json const json = tool_json::parse(with_quoted_numbers(part), nullptr, false);
            if (json.is_object() && json.contains(text)) found = json[text].dump();
        };
        for_each_line(output, take);
        if (!found) take(output); // of several lines
        return found;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail::tool
