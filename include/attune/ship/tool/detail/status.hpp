// attune/ship/tool/detail/status.hpp - attune status: who takes part in a shared study, and what is known.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/study/study_board.hpp>
#include <attune/remember/study/study_file.hpp>
#include <attune/ship/tool/command.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Evaluations in a minute, by the worker's own clock; 0: not known.
[[nodiscard]] inline double rate_of(study_worker const& one)
{
    double const s = one.last_s - one.joined_s;
    return s > 0 ? 60.0 * one.evaluations / s : 0.0;
}

/// What a worker does, as far as the file says it. Whether a silent one lives is not known.
[[nodiscard]] inline std::string state_of_worker(study_board const& board, std::size_t i,
                                                 std::string& at)
{
    study_worker const& one = board.workers()[i];
    auto const claim = std::ranges::find(board.open(), i, &open_claim::worker);
    if (claim != board.open().end()) at = text_of_values(board.header(), claim->values);
    return one.has_left                  ? "left"
           : claim != board.open().end() ? "evaluates"
           : one.is_lost                 ? "lost"
                                         : "idle";
}

[[nodiscard]] inline int run_status(words const& given, console& on)
{
    std::string const path = std::filesystem::absolute(given.plain[0]).string();
    study_board board;
    study_file file(path);
    if (!file.look([&](std::string_view line) { board.take(line); }))
        throw error("the study cannot be read: " + file.why(), path, "name FOLDER/NAME.study");
    if (!board.header() || board.header()->format > study_format)
        throw error(board.header() ? "the study was begun by a newer attune"
                                   : "the file is no study",
                    path, "name FOLDER/NAME.study");

    study_outcome const* best = nullptr;
    double lowest = 0;
    for (study_outcome const& one : board.outcomes()) {
        auto const* const m = std::get_if<measurement>(&one.seen.result);
        if (m == nullptr || (best != nullptr && m->value >= lowest)) continue;
        best = &one;
        lowest = m->value;
    }
    struct of_host {
        std::uint32_t workers = 0, evaluations = 0, failures = 0, lost = 0;
    };
    std::map<std::string, of_host> hosts;
    text_table table{{"WORKER", "STATE", ">OUTCOMES", ">FAILED", ">A MINUTE", ">LOST", "AT"}};
    double rate = 0;
    for (std::size_t i = 0; i < board.workers().size(); ++i) {
        study_worker const& one = board.workers()[i];
        std::uint32_t failed = 0;
        for (std::uint32_t const n : one.failures)
            failed += n;
        std::string at;
        std::string const state = state_of_worker(board, i, at);
        if (!one.has_left && !one.is_lost) rate += rate_of(one);
        of_host& host = hosts[one.host];
        ++host.workers;
        host.evaluations += one.evaluations;
        host.failures += failed;
        host.lost += one.losses;
        table.rows.push_back({printable(one.name), state, std::to_string(one.evaluations),
                              std::to_string(failed), formatted("%.3g", rate_of(one)),
                              std::to_string(one.losses), printable(at)});
    }
    on.out << printable(board.header()->objective) << ": " << board.outcomes().size()
           << " outcomes, " << board.open().size() << " in work, " << formatted("%.3g", rate)
           << " a minute of workers that are there\n";
    if (best != nullptr)
        on.out << "best " << formatted("%.6g", lowest) << " at "
               << printable(text_of_values(board.header(), best->values)) << ", by "
               << printable(board.workers()[best->worker].name)
               << (board.header()->bounds.empty() ? "" : " (its bounds are not looked at)") << '\n';
    for (auto const& [name, host] : hosts)
        on.out << printable(name) << ": " << host.workers << " workers, " << host.evaluations
               << " outcomes, " << host.failures << " failed, " << host.lost << " lost\n";
    table.write(on);
    for (study_worker const& one : board.workers()) {
        if (!one.first_fault.empty())
            on.out << printable(one.name) << ": " << printable(one.first_fault) << '\n';
        if (one.refused > 0)
            on.out << printable(one.name) << ": " << one.refused
                   << " lines were refused: " << printable(one.first_refused) << '\n';
    }
    if (board.damaged_lines() > 0)
        on.err << "attune: status: " << board.damaged_lines() << " damaged lines were skipped\n";
    return board.workers().empty() ? answer_is_no : done;
}

[[nodiscard]] inline command status_command()
{
    return {
        .name = "status",
        .usage = "STUDY",
        .what = "A shared study: workers, rate, best, failures by host.",
        .options = {},
        .more = "  attune status /scratch/me/halo.study\n\n"
                "LOST counts configurations that others took over, because nothing was heard of "
                "the worker.\n"
                "Rates are by the workers' own clocks. Bounds on quantities are not looked at.\n",
        .least = 1,
        .most = 1,
        .run = run_status,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
