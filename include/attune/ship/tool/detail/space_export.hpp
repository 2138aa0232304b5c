// attune/ship/tool/detail/space_export.hpp - attune space export and reduce: spaces as files for other tools.
// SPDX-License-Identifier: MIT
// tested by ship/tool/space.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/long_work.hpp>
#include <attune/ship/tool/detail/output_file.hpp>
#include <attune/ship/tool/detail/space_curve.hpp>
#include <attune/ship/tool/detail/space_file.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/syntax_error.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_nni.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/files/write_t1.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/reduced.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

inline constexpr option where_option{"--where", "EXPRESSION",
                                     "reduce: one more constraint; may be repeated"};

/// The format of a space that is written.
[[nodiscard]] inline std::string space_format(words const& given)
{
    std::string const format = given.value("--format").value_or("json");
    for (char const* const known : {"json", "t1", "nni", "smtlib"})
        if (format == known) return format;
    throw words_error("space " + given.plain[0] + ": --format is json, t1, nni or smtlib, not '" +
                      format + "'");
}

/// Writes a space where the words say, and tells what its format has no form for.
/// @param format  of space_format()
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

/// The space with what --where adds.
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

/// The combinations of all values of a space, without its real parameters.
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
    std::optional<held_signals> signals; // from the first count on: before it, Ctrl-C ends at once
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
