// attune/tune/capture/replay_report.ipp - a line for each name.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/capture/replay_report.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace attune::inline ATTUNE_ABI::detail {

/// "no": nothing was tuned, and nothing is known.
[[nodiscard]] inline std::string_view word_of(decision how) noexcept
{
    switch (how) {
    case decision::tuned:
        return "tuned";
    case decision::kept_default:
        return "kept_default";
    case decision::remembered:
        return "remembered";
    default:
        return "no";
    }
}

ATTUNE_INLINE std::string replay_report_path()
{
    return environment_variable("ATTUNE_REPLAY_REPORT");
}

ATTUNE_INLINE std::string replay_report_text(tuning_report const& done)
{
    std::string out;
    auto const add = [&out](std::string_view name, std::string const& text) {
        out += std::string(name) + ' ' + in_one_line(text) + '\n';
    };
    add("kernel", done.kernel);
    add("how", std::string(word_of(done.how)));
    add("configuration", done.configuration);
    add("summary", done.summary());
    add("reason", done.reason);
    add("best_s", formatted("%.9g", done.best.value));
    add("default_s", formatted("%.9g", done.default_time.value));
    add("evaluations", std::to_string(done.evaluations));
    return out;
}

ATTUNE_INLINE named_texts replay_report_in(std::string_view text)
{
    named_texts out;
    while (!text.empty()) {
        std::string_view const line = text.substr(0, text.find('\n'));
        std::size_t const blank = line.find(' ');
        if (blank != line.npos) out.emplace_back(line.substr(0, blank), line.substr(blank + 1));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    }
    return out;
}

/// @return  whether it is written
[[nodiscard]] inline bool write_replay_report(std::string const& path,
                                              std::string const& text) noexcept
{
    try {
        replace_file(path, text);
        return true;
    } catch (...) {
        return false;
    }
}

ATTUNE_INLINE void report_replay_and_end(std::string const& path,
                                         tuning_report const& done) noexcept
{
    if (path.empty() || !write_replay_report(path, replay_report_text(done))) return;
    std::fflush(nullptr);
    std::_Exit(0);
}

ATTUNE_INLINE void report_no_replay(std::string const& path, std::string const& why) noexcept
{
    if (!path.empty())
        static_cast<void>(write_replay_report(path, "how no\nreason " + in_one_line(why) + '\n'));
}

} // namespace attune::inline ATTUNE_ABI::detail
