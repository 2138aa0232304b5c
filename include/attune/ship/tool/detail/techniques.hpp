// attune/ship/tool/detail/techniques.hpp - attune techniques, attune recommend: gains, and the best choice.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/recommendation.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/past_tunings.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/tune/dispatch/choice/kept_lessons.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Skips damaged lines with a notice.
/// Errors  attune::error: the file is missing, cannot be read, or is another one
[[nodiscard]] inline search::technique_history history_in(std::string const& path, console& on)
{
    std::error_code problem;
    if (!std::filesystem::exists(path, problem))
        throw error("there is no such file", path, "name the file of options.search.techniques");
    kept_techniques kept(path, "", description{});
    search::technique_history out = kept.all();
    if (!kept.problem().empty())
        throw error("gains of techniques cannot be read", path + ": " + kept.problem(),
                    "name the file of options.search.techniques");
    if (std::string const said = kept.damaged().text(path); !said.empty())
        on.err << "attune: " << printable(said) << '\n';
    return out;
}

/// A strategy outside of parse_technique(), but an expression of the program.
struct program_strategy {
    char const* name;
    char const* expression;
    search_factory (*make)();
};
inline constexpr program_strategy program_strategies[] = {
    {search::detail::recommended_name, "attune::search::recommended()",
     [] { return search::recommended(); }},
    {automatic_name, "attune::default_search()", default_search},
};
[[nodiscard]] inline program_strategy const* program_strategy_named(std::string_view name)
{
    for (program_strategy const& one : program_strategies)
        if (name == one.name) return &one;
    return nullptr;
}

/// Errors  attune::error: no strategy has this name
[[nodiscard]] inline search::technique strategy_named(std::string const& name)
{
    if (program_strategy const* const by = program_strategy_named(name)) return {name, by->make()};
    return search::parse_technique(name);
}

/// Adds the gains in the sessions of logs to the file of techniques, for all logs or for none.
/// Skips gains that the file already has.
/// Errors  attune::error: a file cannot be read or written; words_error
[[nodiscard]] inline int upload_logs(words const& given, console& on)
{
    auto const file = given.value("--space-file");
    if (!file)
        throw words_error("--upload needs the space of the logged tunings: --space-file FILE");
    auto const kernel = given.value("--kernel");
    if (!kernel) throw words_error("--upload needs the name of the kernel: --kernel NAME");
    read_space const of = space_of(*file, given, on);
    auto const strategy = given.value("--strategy");
    search::technique const by =
        strategy_named(strategy.value_or(search::detail::recommended_name));
    kept_techniques kept(given.plain[0], *kernel, of.space.describe());
    std::vector<kept_techniques::logged_line> lines;
    std::size_t left = 0;
    for (std::string const& log : given.values("--upload")) {
        salvaged_log const said = salvage_event_log(log);
        for (log_problem const& one : said.problems)
            on.err << "attune: techniques: line " << one.line << " of " << printable(log)
                   << " is left out: " << printable(one.what) << '\n';
        auto const latest = latest_of_each(said.sessions);
        std::vector<std::vector<std::string>> ids(said.sessions.size()); // with those before it
        for (std::size_t i = 0; i < said.sessions.size(); ++i)
            ids[latest[i].value_or(i)].push_back(said.sessions[i].id);
        std::set<std::string> keys; // keys of added lines
        for (std::size_t i = 0; i < said.sessions.size(); ++i) {
            logged_session const& session = said.sessions[i].session;
            if (latest[i]) continue;
            session_gains const one = gains_of(session, of.space, by);
            if (!one.problem.empty()) {
                ++left;
                on.err << "attune: techniques: tuning " << i + 1 << " of " << printable(log)
                       << " is left out: " << printable(one.problem)
                       << (one.is_of_another ? "; give its space, and its search by --strategy\n"
                                             : "\n");
                continue;
            }
            std::string line =
                kept.line_of(one.uses, one.gain, one.is_by_strategy ? by.name : std::string());
            if (line.empty()) continue;
            lines.push_back({std::move(ids[i]), std::move(line)});
            keys.insert(session.key);
        }
        if (keys.size() > 1)
            on.err << "attune: techniques: " << printable(log) << " has tunings of " << keys.size()
                   << " problems; all are added as " << printable(*kernel) << '\n';
    }
    std::size_t const added = lines.empty() ? 0 : kept.add_new(lines);
    if (!kept.problem().empty())
        throw error("gains of techniques cannot be kept", kept.problem(), "name another FILE");
    on.out << "added " << added << (added == 1 ? " tuning" : " tunings");
    if (added < lines.size()) on.out << ", had " << lines.size() - added;
    if (left > 0) on.out << ", left out " << left;
    on.out << '\n';
    return !lines.empty() ? done : answer_is_no;
}

[[nodiscard]] inline int run_techniques(words const& given, console& on)
{
    if (given.has("--upload")) return upload_logs(given, on);
    auto const kernel = given.value("--kernel");
    text_table table{
        {"KERNEL", "PARAMETERS", ">SEARCHES", ">REQUESTS", ">NEW BESTS", ">SHARE", "TECHNIQUE"}};
    std::vector<tool_json> list;
    search::technique_history const past = history_in(given.plain[0], on);
    for (search::representation const& r : past.representations()) {
        if (kernel && r.label != *kernel) continue;
        for (search::technique_use const& use : search::ranked_by_affinity(r)) {
            double const share = *search::search_affinity(use);
            std::string const structure = search::structure_text(r.structure);
            if (given.has("--json")) {
                list.push_back({{"kernel", r.label},
                                {"parameters", structure},
                                {"searches", r.runs},
                                {"technique", use.name},
                                {"requests", use.requests},
                                {"new_bests", use.new_bests},
                                {"affinity", share}});
                continue;
            }
            table.rows.push_back({printable(r.label), structure, std::to_string(r.runs),
                                  std::to_string(use.requests), std::to_string(use.new_bests),
                                  formatted("%.3f", share), printable(use.name)});
        }
    }
    if (given.has("--json"))
        write_list(on.out, list);
    else if (!table.rows.empty())
        table.write(on);
    if (!table.rows.empty() || !list.empty()) return done;
    on.err << "attune: techniques: nothing is known" << (kernel ? " of this kernel" : "") << '\n';
    return answer_is_no;
}

/// The number of starts of a search that follows the advice.
inline constexpr std::size_t recommending_starts = search::recommending_bandit_options{}.starts;

[[nodiscard]] inline int run_recommend(words const& given, console& on)
{
    bool const has_file = given.plain.size() > 1;
    if (!has_file && !given.has("--store"))
        throw words_error("recommend needs the FILE of techniques before SPACE, or --store STORE");
    read_space const wanted = space_of(given.plain.back(), given, on);
    search::technique_history past =
        has_file ? history_in(given.plain[0], on) : search::technique_history{};
    auto const left_out = given.value("--without");
    search::space_structure const structure = search::structure_of(wanted.space.describe());
    auto const gain = search::usual_gain_of(past, structure, left_out ? *left_out : "");
    if (left_out) past = past.without(*left_out);
    std::uint64_t const most = given.number("--most", 5);
    auto const make = search::techniques_by_name();
    auto const advice =
        search::recommend_start(past, structure, static_cast<std::size_t>(most),
                                [&](std::string_view name) { return make(name).has_value(); });
    auto const is_strategy = [&](std::string_view name) {
        return program_strategy_named(name) != nullptr || make(name).has_value();
    };
    auto strategy = search::recommend_strategy(past, structure, is_strategy);
    std::vector<start_advice> starts;
    if (auto const path = given.value("--store")) {
        store_content store = read_store(*path, on);
        if (!strategy)
            strategy = search::recommend_strategy(
                strategies_in(store, wanted.space.describe(), left_out.value_or("")), structure,
                is_strategy);
        constexpr std::size_t sessions = warm_start_options{}.most_sessions;
        starts = recommended_starts(
            wanted.space,
            similar_problems(store, wanted.space.describe(), left_out.value_or(""), sessions),
            recommending_starts);
    }
    std::vector<tool_json> list;
    if (strategy && given.has("--json"))
        list.push_back({{"strategy", strategy->strategy},
                        {"gain", strategy->gain},
                        {"tunings", strategy->tunings},
                        {"rival", strategy->rival},
                        {"rival_gain", strategy->rival_gain},
                        {"rival_tunings", strategy->rival_tunings},
                        {"kernel", strategy->problem},
                        {"distance", strategy->distance}});
    else if (strategy) {
        search::strategy_advice said = *strategy;
        for (std::string* const name : {&said.strategy, &said.rival})
            if (auto const* const by = program_strategy_named(*name)) *name = by->expression;
        on.out << "search by " << printable(search::advice_text(said)) << '\n';
    }
    for (search::technique_advice const& one : advice) {
        if (given.has("--json"))
            list.push_back({{"technique", one.technique},
                            {"affinity", one.affinity},
                            {"kernel", one.problem},
                            {"distance", one.distance.value_or(0)}});
        else
            on.out << printable(search::advice_text(one)) << '\n';
    }
    for (start_advice const& one : starts) {
        if (!given.has("--json")) {
            on.out << printable(start_text(wanted.space.describe(), one)) << '\n';
            continue;
        }
        tool_json start{{"start", json_of(wanted.space.describe(), one.at)},
                        {"problem", one.problem}};
        if (!one.problem.empty()) start["distance"] = one.distance;
        if (one.of_best) start["of_best"] = *one.of_best;
        list.push_back(std::move(start));
    }
    if (given.has("--json"))
        write_list(on.out, list);
    else if (gain)
        on.out << search::usual_gain_text(*gain) << '\n';
    if (strategy || !advice.empty() || !starts.empty()) return done;
    on.err << (has_file
                   ? "attune: recommend: the file has no gains of a technique that this attune "
                     "has\n"
                   : "attune: recommend: nothing is known of a similar problem\n");
    return answer_is_no;
}

[[nodiscard]] inline command techniques_command()
{
    return {
        .name = "techniques",
        .usage = "FILE [options]",
        .what = "What techniques of search gained, by kernel: a line for each, the best first.",
        .options = {kernel_option,
                    {"--upload", "LOG", "add the tunings of this event log first; may be repeated"},
                    {"--space-file", "FILE", "the space of the logged tunings"},
                    {"--strategy", "NAME", "their search, a technique's name (recommended)"},
                    space_option,
                    space_input_option,
                    json_option},
        .more = "  attune techniques kernels.techniques --kernel sgemm\n"
                "  attune techniques kernels.techniques --upload old.log --space-file sgemm.json "
                "--kernel sgemm\n\n"
                "FILE is that of options.search.techniques; its damaged lines are skipped, and "
                "counted. FILE.sums,\nbeside a long one, saves time and may be deleted. SHARE is "
                "new bests per request. PARAMETERS has\n"
                "kind, digits of the number of values, and how many there are: ordinal.2*4.\n"
                "A log is that of options.event_log. Its tunings are repeated by their search, "
                "which\nsays who proposed what; where that is another one by now, the names in the "
                "log do. Left out,\nand reported: lines that cannot be read, tunings that have not "
                "ended. A tuning counts once:\none that is in FILE, by a log or by itself, is not "
                "added again, and gets its strategy if it has\nnone there. A log that was damaged "
                "since it was added counts as another one. All logs are\nadded, or none. FILE is "
                "made where it is missing.\n",
        .least = 1,
        .most = 1,
        .run = run_techniques,
    };
}

[[nodiscard]] inline command recommend_command()
{
    return {
        .name = "recommend",
        .usage = "[FILE] SPACE [options]",
        .what = "Which strategy with which options, techniques and configurations a search of this "
                "space\nshould begin with, why, and what tuning gains.",
        .options = {{"--most", "NUMBER", "so many (5)"},
                    {"--without", "NAME", "as if this kernel had never been tuned"},
                    {"--store", "STORE", "and which configurations, by similar problems in it"},
                    space_option,
                    space_input_option,
                    json_option},
        .more = "  attune recommend kernels.techniques sgemm.json\n"
                "  attune recommend sgemm.json --store kernels.attune\n\n"
                "FILE is that of options.search.techniques; options.search = "
                "attune::recommended_search(FILE)\n"
                "follows the advice on techniques and configurations. Strategies are compared "
                "over all inputs and\ndevices of a kernel: two tunings by each, and medians more "
                "than 5 % apart. FILE has the\nstrategies of its tunings, and of logs added by "
                "attune techniques --upload LOG --strategy NAME;\nwhere they tell nothing apart, "
                "the winners in STORE may, of kernels with the same parameters.\nThe name has the "
                "options: attune::search::parse_technique(NAME) makes it.\nThe last line says what "
                "tunings of the most "
                "similar spaces gained, and with --without NAME\nwhat this kernel gained beside "
                "them.\n",
        .least = 1,
        .most = 2,
        .run = run_recommend,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
