// attune/ship/tool/detail/space_export.hpp - attune space export, reduce, count --curve: spaces under other limits.
// SPDX-License-Identifier: MIT
// tested by ship/tool/space.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/long_work.hpp>
#include <attune/ship/tool/detail/problems.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/nni.hpp>
#include <attune/space/files/t1.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/query/bound_curve.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/reduced.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Lines of a library's text, in a form that is safe for a terminal.
[[nodiscard]] inline std::string printable_lines(std::string const& text)
{
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find('\n', begin), text.size());
        out += printable(text.substr(begin, end - begin)) + '\n';
        begin = end + 1;
    }
    return out;
}

/// `limit` times `factor`, whole if `limit` is; empty beyond 64 bits.
[[nodiscard]] inline std::optional<number> scaled(number const& limit, double factor)
{
    if (limit.is_real) return number::of(limit.real * factor);
    double const value = std::floor(static_cast<double>(limit.integer) * factor);
    if (std::abs(value) >= std::ldexp(1.0, 62)) return {};
    return number::of(static_cast<std::int64_t>(value));
}

/// An eighth to eight times a limit above 0, ascending, with itself; for other limits only itself.
[[nodiscard]] inline std::vector<number> limits_around(number const& limit)
{
    if (!(limit.as_real() > 0)) return {limit};
    std::vector<number> out;
    for (double const factor : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        std::optional<number> const next = factor == 1.0 ? limit : scaled(limit, factor);
        if (next && (out.empty() || !(out.back() == *next))) out.push_back(*next);
    }
    return out;
}

/// The numbers of "8192,16384".
[[nodiscard]] inline std::vector<number> limits_in_text(std::string const& text)
{
    std::vector<number> out;
    std::size_t begin = 0;
    for (;;) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        std::string const one = text.substr(begin, end - begin);
        auto const whole = parse_integers(one);
        auto const real = real_in_text(one);
        if (!real) throw words_error("--limits takes numbers with commas, not '" + text + "'");
        out.push_back(whole && whole->size() == 1 ? number::of((*whole)[0]) : number::of(*real));
        if (end == text.size()) return out;
        begin = end + 1;
    }
}

[[nodiscard]] inline std::string text_of(setting_count const& count)
{
    return count.exact ? count.exact->str() : "about 2^" + formatted("%.2f", count.log2);
}

[[nodiscard]] inline std::string percent_text(double share)
{
    return formatted("%.4g %%", 100 * share);
}

/// "<= 4096", or "none".
[[nodiscard]] inline std::string limit_text(bound_curve const& curve, curve_step const& step)
{
    if (!step.limit) return "none";
    return std::string(rules_of(curve.of.relation).sign) + ' ' + text_of_number(*step.limit);
}

[[nodiscard]] inline tool_json json_of(std::string const& constraint, bound_curve const& curve)
{
    tool_json out{{"constraint", constraint},
                  {"relation", std::string(rules_of(curve.of.relation).sign)},
                  {"limit", curve.of.limit.as_real()},
                  {"all", text_of(curve.all)},
                  {"valid", text_of(curve.valid)},
                  {"steps", tool_json::array()}};
    for (curve_step const& step : curve.steps)
        out["steps"].push_back(
            {{"limit", step.limit ? tool_json(step.limit->as_real()) : tool_json()},
             {"valid", text_of(step.valid)},
             {"valid_share", step.valid_share},
             {"regained_share", step.regained_share}});
    return out;
}

/// Writes the curve of each limit of the space. Names the limit with the largest gain if it is
/// loosened by half: twice an upper limit, half of a lower one.
[[nodiscard]] inline int write_curves(read_space const& wanted, words const& given, console& on)
{
    description const& space = wanted.space.describe();
    std::vector<limited_quantity> all = limited_quantities(space);
    if (all.empty()) {
        on.err << "attune: space: no constraint has a limit, as in A * B <= 4096\n";
        return answer_is_no;
    }
    auto const chosen = given.value("--limits");
    if (chosen) all.resize(1);
    work_progress progress(on);
    std::vector<tool_json> list;
    std::string best;
    double most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        limited_quantity const& of = all[i];
        std::vector<number> const limits =
            chosen ? limits_in_text(*chosen) : limits_around(of.limit);
        bound_curve const curve = curve_of(space, of, limits);
        progress.note([&] {
            return std::to_string(i + 1) + " of " + std::to_string(all.size()) + " constraints";
        });
        std::string const text = constraint_text(space, of.constraint);
        std::optional<number> const looser = scaled(of.limit, of.is_upper() ? 2.0 : 0.5);
        for (curve_step const& step : curve.steps)
            if (!chosen && looser && step.limit == looser && step.regained_share > most) {
                most = step.regained_share;
                best = text + ", " + limit_text(curve, step);
            }
        if (given.has("--json")) {
            list.push_back(json_of(text, curve));
            continue;
        }
        on.out << printable(text) << ": " << text_of(curve.valid) << " of " << text_of(curve.all)
               << " are valid\n";
        text_table table{{"limit", ">valid", ">of all", ">of invalid that pass"}, {}};
        for (curve_step const& step : curve.steps)
            table.rows.push_back({limit_text(curve, step), text_of(step.valid),
                                  percent_text(step.valid_share),
                                  percent_text(step.regained_share)});
        table.write(on);
    }
    if (given.has("--json"))
        write_list(on.out, list);
    else if (most > 0 && all.size() > 1)
        on.out << "most is gained by " << printable(best) << ": " << percent_text(most)
               << " of the invalid configurations then pass\n";
    return done;
}

inline constexpr option where_option{"--where", "EXPRESSION",
                                     "reduce: one more constraint; may be repeated"};

[[nodiscard]] inline std::string space_format(words const& given)
{
    std::string const format = given.value("--format").value_or("json");
    for (char const* const known : {"json", "t1", "nni", "smtlib"})
        if (format == known) return format;
    throw words_error("space " + given.plain[0] + ": --format is json, t1, nni or smtlib, not '" +
                      format + "'");
}

/// Writes a space to the place that the words name, and reports parts without a form in the format.
/// @param format  result of space_format()
inline void write_space(named_space const& space, std::string const& format, words const& given,
                        console& on)
{
    std::string text;
    std::vector<std::string> left_out;
    if (format == "json") {
        text = write_space_json(space);
    } else if (format == "t1") {
        text = write_t1(space);
        left_out = left_out_of_t1(space.space);
    } else if (format == "smtlib") {
        text = write_smtlib(space.space);
        left_out = left_out_of_smtlib(space.space);
    } else {
        nni_file made = write_nni(space);
        text = std::move(made.text);
        left_out = std::move(made.left_out);
    }
    for (std::string const& sentence : left_out)
        on.err << printable(sentence) << '\n';
    if (!text.ends_with('\n')) text += '\n';
    if (auto const to = given.value("--output"))
        write_output(*to, text);
    else
        on.out << text;
}

[[nodiscard]] inline int export_space(read_space const& wanted, words const& given, console& on)
{
    write_space({wanted.name, wanted.space.describe(), "", ""}, space_format(given), given, on);
    return done;
}

/// The space with the constraints of --where.
[[nodiscard]] inline chain_of_trees with_constraints(chain_of_trees const& space,
                                                     words const& given)
{
    if (!given.has("--where")) return space;
    description out = space.describe();
    for (std::string const& text : given.values("--where"))
        try {
            out.constraints.push_back(parse_constraint(out, text));
        } catch (syntax_error const& e) {
            throw words_error("--where '" + text + "', column " + std::to_string(e.column()) +
                              ": " + e.problem());
        }
    return chain_of_trees(std::move(out));
}

[[nodiscard]] inline setting_count size_of(chain_of_trees const& space)
{
    setting_count out;
    out.log2 = space.log2_size();
    if (space.is_exact()) out.exact = exact_size(space);
    return out;
}

/// The number of combinations of all values of a space, without its real parameters.
[[nodiscard]] inline std::string text_of_combinations(description const& space)
{
    exact_integer out = 1;
    for (parameter_description const& p : space.parameters)
        if (!p.traits().is_interval) out *= p.value_count();
    return out.str();
}

[[nodiscard]] inline int reduce_space(read_space const& wanted, words const& given, console& on)
{
    std::string const format = space_format(given);
    if (auto const to = given.value("--output")) refuse_store(*to);
    work_progress progress(on);
    std::optional<held_signals> signals; // before the first count, Ctrl-C ends the program at once
    chain_of_trees const chosen = with_constraints(wanted.space, given);
    reduced_space const now = reduced(chosen, {.go_on = [&](std::size_t counted, std::size_t all) {
                                          if (!signals) signals.emplace();
                                          progress.note([&] {
                                              return std::to_string(counted) + " of " +
                                                     std::to_string(all) + " constraints counted";
                                          });
                                          return !signals->have_come();
                                      }});
    if (signals && signals->have_come())
        return end_interrupted(*signals, given.value("--output"), on);
    for (domain_cut const& c : now.cuts)
        on.err << printable(c.name) << ' ' << c.before << " -> " << c.after << " values\n";
    for (std::string const& note : now.notes)
        on.err << printable(note) << '\n';
    for (std::string const& text : now.dropped)
        on.err << "fulfilled by all values left, and dropped: " << printable(text) << '\n';
    on.err << "valid configurations " << text_of(size_of(wanted.space)) << " -> "
           << text_of(size_of(chosen)) << ", combinations "
           << text_of_combinations(wanted.space.describe()) << " -> "
           << text_of_combinations(now.space) << '\n';
    write_space({wanted.name, now.space, "", ""}, format, given, on);
    return done;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
