// attune/ship/tool/detail/show.hpp - attune show, diff, report, watch, status: stores and studies for readers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/study.hpp>
#include <attune/ship/report/watch.hpp>
#include <attune/ship/report/write_html.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/problems.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

[[nodiscard]] inline std::vector<std::string> show_row(listed_problem const& one)
{
    record_key const& key = one.problem.key;
    std::vector<std::string> out{printable(key.kernel), text_of(key.inputs), text_of(key.setting),
                                 printable(key.device)};
    record const* const best = latest_winner(one);
    std::string state = best == nullptr && one.tried == 0 ? "untuned"
                        : best == nullptr && one.is_open  ? "unfinished"
                        : best == nullptr                 ? "no winner"
                        : best->interrupted               ? "interrupted"
                        : best->disturbed                 ? "disturbed"
                        : key.source == foreign_source    ? "imported"
                                                          : "";
    if (best == nullptr && key.source == foreign_source) state = "imported";
    out.push_back(best == nullptr ? "" : objective_of(key).text(best->best_s));
    out.push_back(best == nullptr ? "" : text_of_gain(*best));
    out.push_back(std::to_string(one.tried));
    out.push_back(std::to_string(one.proven));
    out.push_back(best == nullptr ? "" : printable(best->when.substr(0, 10)));
    out.push_back(state);
    out.push_back(best == nullptr ? "" : text_of(best->configuration));
    return out;
}

[[nodiscard]] inline int run_show(words const& given, console& on)
{
    selection const meant = selection_of(given);
    std::uint64_t const most = given.number("--most", 1000);
    if (most == 0) throw words_error("show: --most takes a number from 1 on");
    text_table table{{"KERNEL", "INPUTS", "SETTING", "DEVICE", ">BEST", ">FASTER", ">OUTCOMES",
                      ">SHAPES", "WHEN", "STATE", "CONFIGURATION"}};
    std::vector<std::string> calls;
    std::vector<tool_json> list;
    bool is_cut = false;
    for (std::string const& path : given.plain) {
        store_content store = read_store(path, on);
        // Reads one more than it shows, to find out if that is all.
        auto problems = meant.is_empty() && most < 1'000'000 ? store.problems(most + 1, true)
                                                             : selected(store, meant, true);
        is_cut = is_cut || problems.size() > most;
        if (problems.size() > most)
            problems.erase(problems.begin(), problems.end() - static_cast<std::ptrdiff_t>(most));
        for (listed_problem const& one : problems) {
            if (!given.has("--json")) {
                table.rows.push_back(show_row(one));
                if (one.calls.coverage.calls > 0)
                    calls.push_back(name_of(one.problem) + ": " +
                                    printable(one.calls.coverage.text()));
                continue;
            }
            tool_json json = json_of(one.problem);
            json["outcomes"] = one.tried;
            json["shapes"] = one.proven;
            json["unfinished"] = one.is_open;
            json["calls"] = json_of(one.calls);
            json["best"] =
                latest_winner(one) == nullptr ? tool_json() : json_of(*latest_winner(one));
            json["store"] = path;
            list.push_back(std::move(json));
        }
    }
    if (given.has("--json"))
        write_list(on.out, list);
    else if (!table.rows.empty()) {
        constexpr std::ptrdiff_t setting = 2; // its column
        if (std::all_of(table.rows.begin(), table.rows.end(),
                        [&](auto const& row) { return row[setting] == "-"; })) {
            table.head.erase(table.head.begin() + setting);
            for (auto& row : table.rows)
                row.erase(row.begin() + setting);
        }
        table.write(on);
    }
    if (!calls.empty()) on.out << '\n';
    for (std::string const& line : calls)
        on.out << line << '\n';
    if (is_cut)
        on.err << "attune: show: only the latest " << most << " of each store; --most shows more\n";
    if (!table.rows.empty() || !list.empty()) return done;
    on.err << "attune: show: nothing is known" << (meant.is_empty() ? "" : " of what is meant")
           << '\n';
    return answer_is_no;
}

[[nodiscard]] inline command show_command()
{
    return {
        .name = "show",
        .usage = "STORE... [options]",
        .what = "What stores hold: a line for each problem, that which was tuned last at the end.",
        .options = {kernel_option,
                    device_option,
                    input_option,
                    setting_option,
                    {"--most", "NUMBER", "so many of each store, the latest (1000)"},
                    json_option},
        .more = "  attune show sgemm.attune\n"
                "  attune show *.attune --kernel sgemm --input N=1024\n\n"
                "SHAPES counts the shapes of calls for which a variant was verified, or found "
                "wrong.\n"
                "Behind the table, a line says which share of a problem's calls ran the winner, "
                "and why the\n"
                "rest did not. A program writes it to its store when it ends. Programs that ran at "
                "the same\n"
                "time add up.\n"
                "FASTER is how many times faster the best one is than the default. STATE says "
                "whether a\n"
                "tuning is not over, was interrupted or disturbed, has no winner in the store, or "
                "whether another\n"
                "tuner measured.\n",
        .least = 1,
        .most = 10000,
        .run = run_show,
    };
}

/// Problems with a winner, by their names in a store.
[[nodiscard]] inline std::map<std::string, listed_problem> winners_of(store_content& store,
                                                                      selection const& meant)
{
    std::map<std::string, listed_problem> out;
    for (listed_problem& one : selected(store, meant))
        if (!one.best.empty()) out.emplace(id_of(one.problem), std::move(one));
    return out;
}

[[nodiscard]] inline int run_diff(words const& given, console& on)
{
    selection const meant = selection_of(given);
    store_content first = read_store(given.plain[0], on), second = read_store(given.plain[1], on);
    auto const before = winners_of(first, meant), after = winners_of(second, meant);
    std::vector<tool_json> list;
    std::size_t equal = 0;
    auto const add = [&](char const* how, listed_problem const* a, listed_problem const* b) {
        stored_problem const& problem = (a != nullptr ? a : b)->problem;
        record const* const was = a == nullptr ? nullptr : latest_winner(*a);
        record const* const is = b == nullptr ? nullptr : latest_winner(*b);
        if (given.has("--json")) {
            tool_json json;
            json["difference"] = how;
            json.update(json_of(problem));
            json["first"] = was == nullptr ? tool_json() : json_of(*was);
            json["second"] = is == nullptr ? tool_json() : json_of(*is);
            list.push_back(std::move(json));
            return;
        }
        on.out << painted(on, colour::bold, name_of(problem)) << ": " << how << '\n';
        auto const line = [&](char const* sign, colour as, record const* r) {
            if (r == nullptr) return;
            on.out << painted(on, as,
                              sign + text_of(r->configuration) + ": " +
                                  objective_of(r->key).text(r->best_s))
                   << '\n';
        };
        line("  - ", colour::red, was);
        line("  + ", colour::green, is);
    };
    for (auto const& [id, a] : before) {
        auto const b = after.find(id);
        if (b == after.end()) {
            add("in the first store alone", &a, nullptr);
            continue;
        }
        record const& was = *latest_winner(a);
        record const& is = *latest_winner(b->second);
        if (was.configuration != is.configuration)
            add("another configuration", &a, &b->second);
        else if (was.best_s != is.best_s || was.key.schema != is.key.schema)
            add(was.best_s != is.best_s ? "another time" : "another space", &a, &b->second);
        else
            ++equal;
    }
    for (auto const& [id, b] : after)
        if (!before.contains(id)) add("in the second store alone", nullptr, &b);
    if (given.has("--json")) write_list(on.out, list);
    return equal == before.size() && equal == after.size() ? done : answer_is_no;
}

[[nodiscard]] inline command diff_command()
{
    return {
        .name = "diff",
        .usage = "FIRST SECOND [options]",
        .what = "Which problems have another winner in a second store.",
        .options = {kernel_option, device_option, input_option, setting_option, json_option},
        .more = "It ends with 0 where all winners are equal and with 1 where one is not. Two "
                "problems are the\n"
                "same when kernel, source, compiler, device, inputs, setting and parameters are.\n",
        .least = 2,
        .most = 2,
        .run = run_diff,
    };
}

[[nodiscard]] inline int run_report(words const& given, console& on)
{
    store_report page;
    std::size_t rows = 0;
    for (std::string const& path : given.plain) {
        store_content store = read_store(path, on);
        for (listed_problem const& one : selected(store, selection_of(given))) {
            page.problems.push_back(report_of(store, one));
            if (given.plain.size() > 1) page.problems.back().store = path;
            rows += page.problems.back().past.rows.size();
        }
        if (!store.damage().empty()) page.notices.push_back(store.damage());
    }
    if (page.problems.empty()) {
        on.err << "attune: report: nothing is known of what is meant; attune show lists what is\n";
        return answer_is_no;
    }
    auto const to = given.value("--output");
    if (!to) {
        on.out << page.html();
        return done;
    }
    write_output(*to, page.html());
    on.out << printable(*to) << ": " << rows << " outcomes of " << page.problems.size()
           << (page.problems.size() == 1 ? " problem\n" : " problems\n");
    return done;
}

[[nodiscard]] inline command report_command()
{
    return {
        .name = "report",
        .usage = "STORE... [options]",
        .what = "A page for a browser: winners, every outcome, what each parameter does.",
        .options = {output_option, kernel_option, device_option, input_option, setting_option},
        .more = "  attune report sgemm.attune -o report.html\n"
                "  attune report sgemm.attune --input N=1024 -o report.html\n"
                "  attune report a.attune b.attune -o report.html\n\n"
                "The page is one file and needs no network; it can be printed, and read on a "
                "phone.\n",
        .least = 1,
        .most = 10000,
        .run = run_report,
    };
}

[[nodiscard]] inline std::size_t terminal_columns()
{
    struct ::winsize size{};
    bool const is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : 80;
}

[[nodiscard]] inline int run_watch(words const& given, console& on)
{
    bool const is_once = given.has("--once");
    watch_store(given.plain[0],
                {.write = [&](std::string const& text) { on.out << text << std::flush; },
                 .goes_on = [&] { return !is_once && on.out.good(); },
                 .wait =
                     [](double seconds) {
                         std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                     },
                 .is_terminal = on.has_colours,
                 .columns = terminal_columns,
                 .kernel = given.value("--kernel").value_or(""),
                 .waits_for = !is_once});
    return done;
}

[[nodiscard]] inline command watch_command()
{
    return {
        .name = "watch",
        .usage = "STORE [options]",
        .what = "A running tuning, through the store that it writes to: best so far, failures.",
        .options = {{"--once", "", "what is known now, and no more"}, kernel_option},
        .more =
            "  attune watch sgemm.attune\n\n"
            "A store that is not there yet is waited for, but not with --once. Ctrl-C ends it, not "
            "the tuning.\n",
        .least = 1,
        .most = 1,
        .run = run_watch,
    };
}

/// Evaluations per minute, by the worker's own clock; 0: unknown.
[[nodiscard]] inline double rate_of(study_worker const& one)
{
    double const s = one.last_s - one.joined_s;
    return s > 0 ? 60.0 * one.evaluations / s : 0.0;
}

/// The state of a worker, from the file. A silent worker may be alive or not.
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
                "LOST counts configurations that others took over, because the worker "
                "was silent.\n"
                "Rates are by the workers' own clocks. Bounds on quantities are not looked at.\n",
        .least = 1,
        .most = 1,
        .run = run_status,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
