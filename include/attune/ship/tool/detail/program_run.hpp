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
