// attune/ship/tool/detail/program_run.hpp - runs a program with a configuration, and reads the number that it prints.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
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
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <poll.h>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

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

/// Returns true for a number such as 1e400, which no double has.
[[nodiscard]] inline bool is_out_of_range(std::string_view text)
{
    double value = 0;
    char const* const last = text.data() + text.size();
    auto const [end, problem] = std::from_chars(text.data(), last, value);
    return problem == std::errc::result_out_of_range && end == last;
}

/// A number of --pattern: also 0,98, 1 234.5, 12,345.6, 1.234,5 and [h:]m:ss.
/// @param why  receives the reason
[[nodiscard]] inline std::optional<double> captured_number(std::string text, std::string& why)
{
    static std::regex const ambiguous("[+-]?[1-9][0-9]{0,2},[0-9]{3}");
    // Thousands with blanks; with commas, a point or two commas; with points, a comma or two
    // points.
    static std::regex const blanks("[+-]?[1-9][0-9]{0,2}( [0-9]{3})+([.,][0-9]*)?");
    static std::regex const commas("[+-]?[1-9][0-9]{0,2}((,[0-9]{3})+[.][0-9]*|(,[0-9]{3}){2,})");
    static std::regex const points("[+-]?[1-9][0-9]{0,2}(([.][0-9]{3})+,[0-9]*|([.][0-9]{3}){2,})");
    constexpr std::size_t longest = 400; // a regular expression needs stack for each sign
    if (text.size() > longest) {
        why = text.substr(0, longest) + "... is no number";
        return std::nullopt;
    }
    if (text.find(" or ") != text.npos) {
        why = "its number may be " + text + ": let the pattern match what stands before it";
        return std::nullopt;
    }
    why = text +
          (is_out_of_range(text) ? " is too large or too small for a double" : " is no number");
    if (std::size_t const comma = text.find(','); std::regex_match(text, ambiguous)) {
        why = text + " may be " + std::string(text).replace(comma, 1, ".") + " or " +
              std::string(text).erase(comma, 1) + ": print it without a comma";
        return std::nullopt;
    }
    for (auto const& [form, sign] : {std::pair{&blanks, ' '}, {&commas, ','}, {&points, '.'}})
        if (std::regex_match(text, *form)) std::erase(text, sign);
    if (std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == text.npos)
        text[text.find(',')] = '.';
    if (text.starts_with('+') && !text.starts_with("+-")) text.erase(0, 1);
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

/// The longer number in whose end a capture of a pattern lies: 1 234, 1,234 and 1.234 of 234; 1:02
/// and 1m02 of 02, but not 0:02. Empty if there is none.
[[nodiscard]] inline std::string longer_number(std::string_view line, std::size_t from,
                                               std::size_t to)
{
    static std::regex const form("(?:^|[^0-9A-Za-z.,:'_])([0-9]+[.,][0-9]+"
                                 "|[1-9][0-9]{0,2}(?:(?:[ ,.'_]|\xc2\xa0|\xe2\x80\xaf)[0-9]{3})+"
                                 "(?:[.,][0-9]+)?|(?:[0-9]+:)?[0-9]+(?::[0-5]|m[0-5]?)[0-9]"
                                 "(?:[.][0-9]*)?)$");
    constexpr std::size_t longest = 64;
    std::size_t const begin = to - std::min(to, longest);
    std::string const text(line.substr(begin, to - begin));
    std::smatch match;
    if (!std::regex_search(text, match, form)) return {};
    std::size_t const first = begin + static_cast<std::size_t>(match.position(1));
    bool const has_none_before = // no minutes and hours
        line.substr(first, std::max(from, first) - first).find_first_not_of("0:m") == line.npos;
    return has_none_before ? std::string() : match[1].str();
}

/// Returns the whole number of which a capture of a pattern has a part: ([0-9.]+) takes 9.5 of
/// 9.5e-05, 1 of 1,234.5 and of 1:02, and 8 of -8. Of 234 in 1 234, "234 or 1 234".
/// @param from, to    the capture in the line
/// @param begins, ends  true if the match begins, or ends, with the capture
[[nodiscard]] inline std::string whole_number(std::string_view line, std::size_t from,
                                              std::size_t to, bool begins, bool ends)
{
    auto const at = [&](std::size_t i) { return i < line.size() ? line[i] : ' '; };
    auto const is_digit = [&](std::size_t i) { return at(i) >= '0' && at(i) <= '9'; };
    auto const is_one_of = [](char c, std::string_view all) { return all.find(c) != all.npos; };
    if (ends && to > from && is_digit(to - 1)) {
        while (is_digit(to) || (is_one_of(at(to), ".,:") && is_digit(to + 1)))
            ++to;
        std::size_t const sign = is_one_of(at(to + 1), "+-") ? 2 : 1;
        if (is_one_of(at(to), "eE") && is_digit(to + sign))
            for (to += sign; is_digit(to);)
                ++to;
    }
    if (begins && from > 0 && line[from - 1] == '-' && is_digit(from) &&
        (from == 1 || is_one_of(line[from - 2], " \t:=,([")))
        --from;
    if (begins && from > 0)
        if (std::string const more = longer_number(line, from, to); !more.empty())
            return std::string(line.substr(from, to - from)) + " or " + more;
    return std::string(line.substr(from, to - from));
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
    /// @param limit_s  the longest search: that for a pattern may take a time like 2^length
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
                  : is_out_of_range(line.substr(line.find_last_of(before_word) + 1))
                      ? "its number is too large or too small for a double: "
                      : "its last line does not end in a number: ";
            why += first_line(line); // cut to a readable length
            return detail::tool::last_number(output);
        }
        std::optional<std::string> found;
        if (from == source::json) {
            found = last_member(output, limit_s, why);
            if (!found) return std::nullopt;
            auto const value = real_in_text(*found);
            why = *found + " is no number";
            return value;
        }
        std::optional<int> const ended =
            in_child([&] { return last_match(output); }, limit_s, found);
        if (!ended)
            why = "the search for " + name() + " takes longer than " + seconds_text(limit_s) +
                  "; a pattern without a repetition inside of a repetition is faster";
        else if (*ended != 0)
            why = "a line is too long for " + name() + "; print the number in a line of its own";
        else if (!found)
            why = "no line has " + name() + "; its last one: " + first_line(last_line(output));
        return found ? captured_number(*found, why) : std::nullopt;
    }

private:
    /// Calls `find` in a child process, which a limit, a signal or a full stack can end.
    /// @return  its exit status; -1 if it crashed; empty if `limit_s` passed first
    template <class F>
    [[nodiscard]] static std::optional<int> in_child(F const& find, double limit_s,
                                                     std::optional<std::string>& found)
    {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
        descriptor out(ends[0]), in(ends[1]);
        pid_t const child = out ? ::fork() : -1;
        if (child < 0)
            throw error("no process can be started", {}, "see the limits on processes and files");
        if (child == 0) {
            constexpr ::rlim_t most_stack = ::rlim_t{64} << 20U;
            ::rlimit const no_core{}, stack{most_stack, most_stack};
            ::setrlimit(RLIMIT_CORE, &no_core);
            ::setrlimit(RLIMIT_STACK, &stack);
            ::signal(SIGSEGV, SIG_DFL);
            try {
                std::optional<std::string> const here = find();
                std::string const told = here ? '=' + *here : "";
                ::_exit(::write(in.get(), told.data(), told.size()) >= 0 ? 0 : 1);
            } catch (...) { // no memory
                ::_exit(1);
            }
        }
        in.close();
        std::string told;
        double const begun_s = steady_seconds();
        for (std::array<char, 4096> block{};;) {
            cut_here();
            if (steady_seconds() - begun_s > limit_s) return std::nullopt;
            pollfd waiting{out.get(), POLLIN, 0};
            if (::poll(&waiting, 1, 20) <= 0) continue;
            ssize_t const count = ::read(out.get(), block.data(), block.size());
            if (count > 0) told.append(block.data(), static_cast<std::size_t>(count));
            if (count == 0 || (count < 0 && errno != EINTR)) break;
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (!told.empty()) found = told.substr(1);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    /// The text in the parentheses at the last match, in the last line that has a match. A match
    /// without text does not count. A line ends in \n or \r.
    [[nodiscard]] std::optional<std::string> last_match(std::string const& output) const
    {
        std::optional<std::string> found;
        for (std::size_t end = output.size(); !found && end > 0;) {
            std::size_t const begin = output.find_last_of("\r\n", end - 1) + 1; // npos + 1 is 0
            std::string const line = output.substr(begin, end - begin);
            for (std::sregex_iterator at(line.begin(), line.end(), *pattern), none; at != none;
                 ++at)
                if (std::smatch const& match = *at; match[1].length() > 0) {
                    auto const first = static_cast<std::size_t>(match.position(1));
                    found = whole_number(
                        line, first, first + static_cast<std::size_t>(match.length(1)),
                        match[1].first == match[0].first, match[1].second == match[0].second);
                }
            end = begin == 0 ? 0 : begin - 1;
        }
        return found;
    }
    /// The member of the last JSON object that has it. An object begins a line, or follows another.
    /// @param why  receives the reason: there is none, or an object behind it cannot be read
    [[nodiscard]] std::optional<std::string> last_member(std::string const& output, double limit_s,
                                                         std::string& why) const
    {
        std::optional<std::string> found;
        double const begun_s = steady_seconds();
        why = "no line has " + name() + "; its last one: " + first_line(last_line(output));
        for (std::size_t at = 0; (at = behind_blanks(output, at)) < output.size();) {
            cut_here();
            if (steady_seconds() - begun_s > limit_s) { // many objects without an end
                why = "the search for " + name() + " takes longer than " + seconds_text(limit_s);
                return std::nullopt;
            }
            std::size_t const next = behind_blanks(output, at + 1);
            if (output[at] == '{' &&
                (next == output.size() || output[next] == '"' || output[next] == '}')) {
                std::size_t const end = end_of_value(output, at);
                std::string const part = output.substr(at, end - at);
                auto const read = read_foreign_json<tool_json>(part);
                if (read.value.is_object()) {
                    if (read.value.contains(text)) found = read.value[text].dump();
                    at = end;
                    continue;
                }
                found.reset();
                why = "its last JSON cannot be read: " + first_line(part) + ", " + read.problem;
            }
            at = std::min(output.find('\n', at), output.size());
        }
        return found;
    }
};

/// While an object lives, a process whose parent has ended becomes a child of this process. The
/// destructor ends the processes that a run has left, also those in other process groups, such as a
/// program that timeout(1) has started.
class left_processes {
public:
    left_processes()
        : before_(children())
    {
        ::prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_, 0UL, 0UL, 0UL);
        ::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
    }
    ~left_processes()
    {
        end_all();
        ::prctl(PR_SET_CHILD_SUBREAPER, static_cast<unsigned long>(was_reaper_), 0UL, 0UL, 0UL);
    }
    left_processes(left_processes const&) = delete;
    left_processes& operator=(left_processes const&) = delete;

    /// Spares processes in sessions of their own: a server that the next run may use.
    void spare_services() noexcept { spares_services_ = true; }

private:
    using sessions = std::map<pid_t, pid_t>; ///< by process

    void end_all() noexcept
    try {
        for (int tries = 0; tries < 200; ++tries) { // an ended process leaves children
            sessions const now = children();
            bool is_done = true;
            for (auto const& [id, session] : now) {
                if (before_.contains(id) || (spares_services_ && session != ::getsid(0))) continue;
                is_done = false;
                ::kill(id, SIGKILL);
                ::waitpid(id, nullptr, WNOHANG);
            }
            if (is_done) return;
            ::usleep(1'000);
        }
    } catch (std::exception const&) { // no memory: the processes stay
    }

    [[nodiscard]] static sessions children()
    {
        sessions out;
        siginfo_t about{};
        if (::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD)
            return out;
        std::error_code no;
        for (std::filesystem::directory_iterator at("/proc", no), end; !no && at != end;
             at.increment(no)) {
            std::string const name = at->path().filename().string();
            if (name.find_first_not_of("0123456789") != name.npos) continue;
            std::ifstream in(at->path() / "stat");
            std::string const stat(std::istreambuf_iterator<char>(in), {});
            std::size_t const behind_name = stat.rfind(')');
            if (behind_name == stat.npos) continue; // it has ended
            std::istringstream fields(stat.substr(behind_name + 1));
            std::string state;
            pid_t parent = 0, group = 0, session = 0;
            fields >> state >> parent >> group >> session;
            if (parent == ::getpid()) out.emplace(static_cast<pid_t>(std::stol(name)), session);
        }
        return out;
    }

    sessions before_;
    bool spares_services_ = false;
    int was_reaper_ = 0;
};

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
