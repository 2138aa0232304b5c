// attune/ship/tool/detail/prune.hpp - attune prune: makes a store smaller.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/compacted.hpp>
#include <attune/remember/lines/store_lines.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/merge.hpp>
#include <attune/ship/tool/detail/selection.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// "2026-01-31", or longer: as far as it goes it is compared as text.
inline void require_date(std::string const& text)
{
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    bool is_date = text.size() >= 4 && text.size() <= form.size();
    for (std::size_t i = 0; is_date && i < text.size(); ++i)
        is_date = form[i] == '0' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0
                                 : text[i] == form[i];
    // Whole parts alone: a month of one digit would mean all that begin with it.
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
                                "--input, --device or --before"
                              : "prune: --kernel, --input, --device and --before say which "
                                "problems --problems removes; add it");
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
                     "also whole problems, those that the next four options mean"},
                    kernel_option,
                    device_option,
                    input_option,
                    {"--before", "DATE", "those that were tuned last before 2026-01-31"},
                    {"--dry-run", "", "says what would go, and writes nothing", 'n'},
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
