// attune/ship/tool/detail/minimize.hpp - attune minimize: the best arguments of any program.
// SPDX-License-Identifier: MIT
// Source   BaCO (Hellsten et al. 2023): the compiler toolchain as a black box that prints a number
#pragma once

#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/ship/detail/cpp_text.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/program_problem.hpp>
#include <attune/ship/tool/detail/program_run.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/minimize.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// While an object lives, SIGTERM and SIGHUP end the search like Ctrl-C.
class stopping_signals {
public:
    stopping_signals()
    {
        came = 0;
        for (std::size_t i = 0; i < signals.size(); ++i) {
            struct ::sigaction ours{};
            ours.sa_handler = take;
            ::sigaction(signals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &ours, nullptr); // nohup
        }
    }
    ~stopping_signals()
    {
        for (std::size_t i = 0; i < signals.size(); ++i)
            ::sigaction(signals[i], &before_[i], nullptr);
    }
    stopping_signals(stopping_signals const&) = delete;
    stopping_signals& operator=(stopping_signals const&) = delete;

    /// The signal that came; 0: none.
    [[nodiscard]] static int one() noexcept { return came; }

private:
    static constexpr std::array<int, 2> signals{SIGTERM, SIGHUP};
    static inline std::atomic<int> came{0};
    static void take(int signal)
    {
        came = signal;
        request_stop(true);
    }
    std::array<struct ::sigaction, 2> before_{};
};

/// The source of the number of a run, by the options.
/// Errors  words_error: several are named, or the pattern is invalid
[[nodiscard]] inline measured_number measured_by(words const& given)
{
    measured_number out;
    bool const by_member = given.plain.size() > 1;
    if (given.has("--wall-time") + given.has("--pattern") + by_member > 1)
        throw words_error("minimize: name one of --wall-time, --pattern and --json NAME");
    if (given.has("--wall-time")) out.from = measured_number::source::wall_time;
    if (by_member) {
        if (!given.has("--json"))
            throw words_error("minimize: '" + given.plain[1] + "' is too much");
        out.from = measured_number::source::json;
        out.text = given.plain[1];
    }
    if (auto const pattern = given.value("--pattern")) {
        out.from = measured_number::source::pattern;
        out.text = *pattern;
        try {
            out.pattern.emplace(*pattern);
        } catch (std::regex_error const&) {
        }
        if (!out.pattern || out.pattern->mark_count() != 1)
            throw words_error("minimize: --pattern takes a regular expression with one pair of "
                              "parentheses around the number, not '" +
                              *pattern + "'");
    }
    return out;
}

/// The default, in which a parameter without one has its first value. Empty if a constraint forbids
/// it, or a real parameter has no default.
[[nodiscard]] inline std::optional<point> standard_of(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters) {
        if (!p.default_text && p.traits().is_interval) return {};
        out.push_back(p.default_text ? coordinate_of(p, *p.default_text).value_or(coordinate{})
                                     : coordinate{});
    }
    settle(space.describe(), out);
    if (!space.violations(out).empty()) return {};
    return out;
}

[[nodiscard]] inline int run_minimize(words const& given, console& on)
{
    if (given.behind.empty())
        throw words_error(
            "minimize: name the program behind --, as in: attune minimize space.json -- "
            "./run {TILE_M}");
    read_space const read = space_of(given.plain[0], given, on);
    description const& space = read.space.describe();
    command_template const program{given.behind};
    program.check(space);
    std::string const& name = program.text[0];
    if (name.find('{') == name.npos && find_program(name).empty()) {
        std::error_code none;
        if (std::filesystem::is_regular_file(name, none))
            throw error("this file may not be executed", name, "see chmod +x, or name its shell");
        throw error("there is no such program", name, "name a path, or one on PATH");
    }
    if (std::string const word = program.doubtful_braces(space); !word.empty())
        on.err << "attune: minimize: {} becomes all parameters as JSON in " << printable(word)
               << "; write {{}} for these braces themselves\n";
    run_options how;
    how.limit_s = given.real("--timeout", usual_limit_s);
    if (!(how.limit_s > 0))
        throw words_error("minimize: --timeout takes seconds above 0; no run ends in 0 s");
    how.measured = measured_by(given);
    how.is_higher_better = given.has("--maximize");
    how.unit = given.value("--unit").value_or("");
    if (!how.unit.empty() && how.measured.from == measured_number::source::wall_time)
        throw words_error("minimize: --wall-time is in seconds, and --unit is for what is printed");
    double const sign = how.is_higher_better ? -1.0 : 1.0; // the search minimises
    double const begun_s = steady_seconds();
    how.environment = given.values("--environment");
    how.repeats = given.number("--repeat", 1);
    for (char const* const option : {"--repeat", "--evaluations"})
        if (given.number(option, 1) == 0)
            throw words_error("minimize: " + std::string(option) + " takes a number from 1 on");
    search_limits limits = search_limits::usual();
    limits.evaluations =
        given.number("--evaluations", given.has("--seconds") ? search_limits::any_number : 60);
    limits.seconds = given.real("--seconds", search_limits::any_time);
    minimize_options options;
    options.seed = given.number("--seed", 0);
    options.search = search_of(given);
    options.name = read.name;
    options.progress = on.is_live ? terminal_progress() : silent_progress();

    // Does not repeat earlier runs.
    std::optional<store> kept;
    std::string const path = given.value("--store").value_or("");
    auto const paths = path.empty() ? std::set<std::string>() : paths_inside(space, program);
    auto const inside = files_at(paths, path);
    stored_problem problem = problem_of_program(read, program, how, inside);
    // A run that writes a file inside a word, as make does: only its time says if it was changed.
    stored_problem of_writer = problem_of_program(read, program, how, {});
    std::string const state = state_of(inside);
    std::map<value_texts, outcome> known;
    if (given.has("--store")) {
        kept.emplace(path);
        auto const take = [&](stored_problem const& from) {
            for (tried_row const& row : kept->recall(from).rows) {
                auto const* const m = std::get_if<measurement>(&row.result);
                auto const at = detail::point_of(from.parameters, row.values, read.space);
                if (at && (m == nullptr || m->samples >= how.repeats))
                    known.insert_or_assign(values_of(space, *at), row.result);
            }
            return known.size();
        };
        std::string const newer = newer_file(inside, path);
        auto const old = problem_of_0_4(of_writer, program);
        bool has_old = !kept->recall(old.value_or(of_writer)).rows.empty(); // reads the store
        for (std::string const& notice : kept->notices()) {
            if (notice.find("damaged record") == notice.npos)
                throw error("the store cannot be used: " + notice, path, "name another one");
            on.err << "attune: minimize: " << printable(notice) << "; attune prune removes it\n";
        }
        std::size_t const changes = changes_of(path, of_writer);
        stored_problem const latest = after_changes(of_writer, changes);
        bool const is_writer = !kept->recall(latest).rows.empty();
        has_old = has_old || is_writer;
        bool const is_changed = !newer.empty() && has_old;
        if (is_changed && !given.has("--anew"))
            on.err << "attune: minimize: " << printable(newer) << " is newer than "
                   << printable(path) << ", whose outcomes are not taken\n";
        of_writer = is_changed ? after_changes(of_writer, changes + 1) : latest;
        stored_problem const by_content = problem;
        if (is_writer) problem = of_writer; // an earlier run has written one of its files
        if (!given.has("--anew") && newer.empty()) {
            if (std::size_t const count = old ? take(*old) : 0; count > 0)
                on.err << "attune: minimize: " << count
                       << " outcomes are of attune 0.4, which kept "
                       << "no hash of the program's file; --anew measures them again\n";
            take(of_writer);
        }
        if (!given.has("--anew")) take(by_content);
        if (known.empty() && !is_changed && !given.has("--anew"))
            tell_others(path, problem, old, on);
        if (!known.empty())
            on.err << "attune: minimize: " << printable(path) << " has "
                   << count_text(known.size(), "outcome")
                   << " of this program; files that the program itself reads are not compared; "
                      "--anew measures anew\n";
    }
    std::size_t runs = 0;
    std::size_t without_number = 0;
    std::string first_failed;
    std::optional<measurement> best;
    std::optional<measurement> standard;
    std::optional<point> const standard_point = standard_of(read.space);
    auto const objective = [&](point const& at) -> outcome {
        value_texts const values = values_of(space, at);
        auto const before = known.find(values);
        outcome result;
        if (before != known.end()) {
            result = before->second;
        } else {
            double const left_s = limits.seconds - (steady_seconds() - begun_s);
            if (!(left_s > 0)) throw cut_short{}; // starts no program
            ++runs;
            cuttable const here(left_s);
            result = run_program(program.filled(space, at), how);
            if (kept && problem.key != of_writer.key && state_of(files_at(paths, path)) != state)
                problem = of_writer;
            if (kept) kept->note(problem, {values, result, ""});
            known.insert_or_assign(values, result);
        }
        if (auto const* const why = std::get_if<failure>(&result)) {
            if (why->reason.starts_with(no_number)) ++without_number;
            if (first_failed.empty()) first_failed = text_of(space, at) + ": " + why->reason;
        }
        if (auto const* const m = std::get_if<measurement>(&result)) {
            if (at == standard_point) standard = *m;
            if (!best || sign * m->value < sign * best->value) best = *m;
            if (how.is_higher_better) return measurement{-m->value, -m->high, -m->low, m->samples};
        }
        return result;
    };
    stopping_signals const signals;
    search_limits left = limits; // reading the file and the store took time
    left.seconds = std::max(0.0, left.seconds - (steady_seconds() - begun_s));
    found_minimum found = minimize_points(read.space, objective, left, options);
    for (auto const& [values, result] : known) { // the search may not have met the best of before
        auto const* const m = std::get_if<measurement>(&result);
        if (m == nullptr || (best && sign * m->value >= sign * best->value)) continue;
        found.best = detail::point_of(problem.parameters, values, read.space);
        found.value = sign * m->value;
        best = *m;
    }
    if (kept && found.best && best) {
        record r;
        r.key = problem.key;
        r.key.schema = content_hash().add(schema_text(space)).hex();
        value_texts const values = values_of(space, *found.best);
        for (std::size_t i = 0; i < values.size(); ++i)
            r.configuration.emplace_back(problem.parameters[i], values[i]);
        r.best_s = best->value;
        auto const interval = [](measurement const& m) {
            return m.low < m.high ? time_interval{m.low, m.high, m.samples}
                                  : time_interval{0, 0, m.samples};
        };
        r.best_interval = interval(*best);
        if (standard) {
            r.default_s = standard->value;
            r.default_interval = interval(*standard);
        }
        r.evaluations = found.evaluations;
        r.failures = total(found.failures);
        r.seed = options.seed;
        r.when = text_of_now();
        r.attune = version;
        r.interrupted = found.interrupted;
        r.ended = found.ended;
        r.asked = {limits.evaluations, limits.seconds};
        // A search with an outcome of the winner of before has judged it.
        if (auto const before = kept->find(r.key);
            before.how <= record_match::unverified && before.best->best_s != r.best_s &&
            known.contains(detail::values_of(before.best->configuration)))
            r.replaces.push_back(detail::values_of(before.best->configuration));
        kept->add(r);
        for (std::string const& notice : kept->notices())
            on.err << "attune: minimize: " << printable(notice) << '\n';
    }
    if (given.has("--json") && how.measured.from != measured_number::source::json) {
        tool_json json;
        json["best"] = found.best ? json_of(space, *found.best) : tool_json();
        json["value"] = found.best ? tool_json(sign * found.value) : tool_json();
        if (!how.unit.empty()) json["unit"] = how.unit;
        json["evaluations"] = found.evaluations;
        json["runs"] = runs;
        json["failures"] = total(found.failures);
        if (!first_failed.empty()) json["first_failure"] = first_failed;
        json["interrupted"] = found.interrupted;
        on.out << line_of(json) << '\n';
    } else if (found.best) {
        std::string line;
        for (std::string const& word : program.filled(space, *found.best))
            line += (line.empty() ? "" : " ") + quoted_for_shell(word);
        on.out << formatted("%.9g", sign * found.value)
               << (how.unit.empty() ? "" : " " + printable(how.unit)) << ": "
               << printable(attune::text_of(space, *found.best)) << '\n'
               << printable(line) << '\n';
    }
    auto counted = found.failures;
    counted[static_cast<std::size_t>(failure_stage::crash)] -=
        static_cast<std::uint32_t>(without_number);
    std::string failures = describe(counted);
    if (without_number > 0)
        failures += (failures.empty() ? "" : ", ") + std::to_string(without_number) +
                    " printed no number that can be read";
    on.err << "attune: minimize: " << count_text(found.evaluations, "evaluation") << ", "
           << count_text(runs, "run")
           << (how.repeats > 1 ? ", each " + std::to_string(how.repeats) + " times" : "")
           << (failures.empty() ? "" : ", " + failures) << '\n';
    if (!first_failed.empty())
        on.err << "attune: minimize: the first failure: " << printable(first_failed) << '\n';
    if (!found.best)
        on.err << (found.evaluations > 0 ? "attune: minimize: no configuration worked\n"
                                         : "attune: minimize: no run has ended\n");
    if (signals.one() != 0) return 128 + signals.one(); // like a shell
    return found.interrupted ? interrupted : found.best ? done : answer_is_no;
}

[[nodiscard]] inline command minimize_command()
{
    return {
        .name = "minimize",
        .usage = "SPACE.json [options] -- PROGRAM {NAME}...",
        .what = "Searches the arguments with which any program prints the lowest number.",
        .options = {space_option,
                    space_input_option,
                    {"--evaluations", "NUMBER", "so many configurations at most (60)"},
                    {"--seconds", "NUMBER", "so long at most; then without a limit of evaluations"},
                    {"--timeout", "NUMBER",
                     "seconds of one run (60); one that takes longer failed"},
                    {"--repeat", "NUMBER",
                     "runs each so often; the median counts, of 6 with an interval (1)"},
                    {"--wall-time", "", "the run's own seconds count, not what it prints"},
                    {"--pattern", "REGEX", "the number is what its parentheses find last"},
                    {"--maximize", "", "the highest number is best"},
                    {"--unit", "NAME", "of the number, such as GFLOP/s, for those who look at it"},
                    {"--store", "FILE",
                     "keeps outcomes there; what it has of this program is not run again"},
                    {"--environment", "NAME",
                     "--store keeps apart values of this variable; may be repeated"},
                    {"--anew", "", "runs again what --store has"},
                    search_option,
                    seed_option,
                    json_option},
        .more =
            "  attune minimize space.json -- ./run {TILE_M} {TILE_N}\n"
            "  attune minimize space.json --store run.attune --wall-time -- sh -c 'make "
            "T={TILE} && ./a.out'\n\n"
            "{NAME} becomes the value of a parameter or input, {} all parameters as JSON; {{ and "
            "}} are braces,\n"
            "and ${i} of a shell stays. The last line that the program writes to standard "
            "output has to end in\n"
            "a number; 1,5, 1 234 and 1:30 are none: --pattern reads them. --json NAME reads that "
            "member of JSON\n"
            "that it writes. The lowest number is best. A run that ends with another status than "
            "0, by a signal, or too "
            "late has failed, and\n"
            "the search learns from that. Ctrl-C, SIGTERM, SIGHUP and --seconds end the "
            "running program, which\n"
            "does not count. What a run has left ends with it, but for a process in a session of "
            "its "
            "own, such\n"
            "as a server. SPACE.json is a space of attune's own form, T1 or NNI's. It ends with 1 "
            "where no\n"
            "configuration worked.\n",
        .least = 1,
        .most = 2, // --json NAME
        .run = run_minimize,
        .takes_program = true,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
