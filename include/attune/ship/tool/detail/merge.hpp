// attune/ship/tool/detail/merge.hpp - attune merge, attune prune: stores combined, or made smaller.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/files.hpp>
#include <attune/ship/tool/detail/problems.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <ostream>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// "12 problems, 12 winners, 340 outcomes, 3 shapes".
[[nodiscard]] inline std::string text_of(line_counts const& counts)
{
    std::string out;
    auto const add = [&](std::size_t count, char const* one, char const* many) {
        if (count > 0)
            out += (out.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? one : many);
    };
    add(counts.problems, " problem", " problems");
    add(counts.winners, " winner", " winners");
    add(counts.outcomes, " outcome", " outcomes");
    add(counts.shapes, " shape", " shapes");
    add(counts.calls, " line of calls", " lines of calls");
    add(counts.others, " line of a later release", " lines of a later release");
    add(counts.repeated, " repeated line", " repeated lines");
    add(counts.damaged, " damaged line", " damaged lines");
    return out.empty() ? "nothing" : out;
}

/// Adds the store that will be replaced.
/// Errors  attune::error: it has damaged lines, which would be lost
inline void add_undamaged(store_lines& to, std::string const& text, std::string const& path)
{
    std::size_t const before = to.removed().damaged;
    to.add(text, path);
    std::size_t const lost = to.removed().damaged - before;
    if (lost > 0)
        throw error(
            std::to_string(lost) +
                (lost == 1 ? " damaged line would be lost" : " damaged lines would be lost"),
            path, "attune prune removes them, attune merge " + path + " -o NEW leaves them there");
}

[[nodiscard]] inline int run_merge(words const& given, console& on)
{
    auto const to = given.value("--output");
    bool is_in_place = false;
    store_lines all;
    for (std::string const& path : given.plain) {
        if (to && is_same_file(*to, path))
            is_in_place = true; // read below, under its lock
        else
            all.add(store_content::of_file(path).text(), path);
    }
    if (is_in_place) {
        rewrite_store(*to, [&](std::string const& now) {
            add_undamaged(all, now, *to);
            return all.text();
        });
    } else if (to) {
        create_output(*to, all.text(),
                      "name it among the stores, to merge into it, or choose another name");
    } else {
        on.out << all.text();
    }
    if (to) on.out << printable(*to) << ": " << text_of(all.kept()) << '\n';
    if (all.removed().repeated + all.removed().damaged > 0)
        on.err << "attune: merge: left out " << text_of(all.removed()) << '\n';
    return done;
}

[[nodiscard]] inline command merge_command()
{
    return {
        .name = "merge",
        .usage = "STORE... [options]",
        .what = "Several stores as one, in which nothing is lost; their order does not matter.",
        .options = {output_option},
        .more =
            "  attune merge a.attune b.attune -o all.attune\n"
            "  attune merge own.attune from-night.attune -o own.attune\n\n"
            "Without --output the merged store is written to standard output. An output that "
            "exists must\n"
            "be one of the stores; it is replaced under its lock, so programs may go on "
            "writing to it.\n"
            "Of equal lines one is kept; damaged lines are left out, and a store that has some is "
            "not replaced.\n",
        .least = 1,
        .most = 10000,
        .run = run_merge,
    };
}

/// "2026-01-31", or longer: compared as text, over its length.
inline void require_date(std::string const& text)
{
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    bool is_date = text.size() >= 4 && text.size() <= form.size();
    for (std::size_t i = 0; is_date && i < text.size(); ++i)
        is_date = form[i] == '0' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0
                                 : text[i] == form[i];
    // Accepts whole parts only: a month of one digit would match all months that begin with it.
    constexpr std::array<std::size_t, 7> ends{4, 7, 10, 13, 16, 19, 20};
    is_date = is_date && std::find(ends.begin(), ends.end(), text.size()) != ends.end();
    auto const is_in = [&](std::size_t at, char const* low, char const* high) {
        return text.size() <= at || (text.substr(at, 2) >= low && text.substr(at, 2) <= high);
    };
    is_date = is_date && is_in(5, "01", "12") && is_in(8, "01", "31") && is_in(11, "00", "23") &&
              is_in(14, "00", "59") && is_in(17, "00", "60");
    if (!is_date) throw words_error("--before takes a date such as 2026-01-31, not '" + text + "'");
}

[[nodiscard]] inline int run_prune(words const& given, console& on)
{
    std::string const& path = given.plain[0];
    selection const meant = selection_of(given);
    auto const before = given.value("--before");
    if (before) require_date(*before);
    bool const is_all = given.has("--problems");
    if (is_all != (before || !meant.is_empty()))
        throw words_error(is_all
                              ? "prune: --problems removes whole problems; say which by --kernel, "
                                "--input, --setting, --device or --before"
                              : "prune: --kernel, --input, --setting, --device and --before say "
                                "which problems --problems removes; add it");
    store_lines lines;
    auto const prune = [&](std::string const& now) {
        lines.add(now, path);
        lines.remove_superseded();
        if (is_all)
            lines.remove_problems([&](stored_problem const& problem, std::string const& when) {
                return meant.fits(problem) && (!before || (!when.empty() && when < *before));
            });
        if (given.has("--outcomes")) lines.remove_outcomes();
        return compacted(lines.text());
    };
    std::size_t bytes = 0, left = 0;
    if (given.has("--dry-run") || given.has("--output")) {
        std::string const now = store_content::of_file(path).text();
        std::string const text = prune(now);
        bytes = now.size();
        left = text.size();
        if (auto const to = given.value("--output"); to && !given.has("--dry-run"))
            create_output(*to, text, "choose another name");
    } else {
        rewrite_store(path, [&](std::string const& now) {
            std::string text = prune(now);
            bytes = now.size();
            left = text.size();
            return text;
        });
    }
    on.out << (given.has("--dry-run") ? "would remove " : "removed ") << text_of(lines.removed())
           << "; " << text_of(lines.kept()) << " left: " << bytes << " bytes become " << left
           << '\n';
    return done;
}

[[nodiscard]] inline command prune_command()
{
    return {
        .name = "prune",
        .usage = "STORE [options]",
        .what = "Makes a store smaller: removes damaged and repeated lines and winners that others "
                "beat.",
        .options = {{"--outcomes", "", "also all outcomes; winners and verified shapes stay"},
                    {"--problems", "",
                     "also whole problems, those that the next five options mean"},
                    kernel_option,
                    device_option,
                    input_option,
                    setting_option,
                    {"--before", "DATE", "those that were tuned last before 2026-01-31"},
                    {"--dry-run", "", "lists what it would remove, and writes nothing", 'n'},
                    output_option},
        .more = "  attune prune sgemm.attune --outcomes -o ship.attune\n"
                "  attune prune sgemm.attune --problems --device EPYC --before 2026-01-01\n\n"
                "Without --output the store itself is replaced, under its lock. What is left "
                "answers as before.\n",
        .least = 1,
        .most = 1,
        .run = run_prune,
    };
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
