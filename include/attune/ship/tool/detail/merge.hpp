// attune/ship/tool/detail/merge.hpp - attune merge: several stores as one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/output_file.hpp>

#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>

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
    add(counts.others, " line of a later release", " lines of a later release");
    add(counts.repeated, " repeated line", " repeated lines");
    add(counts.damaged, " damaged line", " damaged lines");
    return out.empty() ? "nothing" : out;
}

/// Adds the store that is about to be replaced.
/// Errors  attune::error: it has damaged lines, which would be nowhere then
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

} // namespace attune::inline ATTUNE_ABI::detail::tool
