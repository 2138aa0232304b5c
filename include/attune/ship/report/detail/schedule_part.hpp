// attune/ship/report/detail/schedule_part.hpp - the chosen schedule of a program: its code, and where its loops sit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/generated_code.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/report/detail/html_text.hpp>
#include <attune/ship/report/detail/problem_tables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The index of the first level that holds so many bytes; their number: memory alone does.
[[nodiscard]] inline std::size_t level_for(std::int64_t bytes, generated_code const& code)
{
    std::size_t out = 0;
    while (out < code.levels.size() && bytes > code.levels[out].second)
        ++out;
    return out;
}

[[nodiscard]] inline std::string level_name(std::size_t level, generated_code const& code)
{
    return level < code.levels.size() ? code.levels[level].first : "memory";
}

/// A cell with bytes and their level, whose colour says how near it is.
[[nodiscard]] inline std::string level_cell(std::int64_t bytes, generated_code const& code)
{
    std::size_t const level = level_for(bytes, code);
    return cell("n level level" + std::to_string(std::min<std::size_t>(level, 4)),
                text_of_bytes(static_cast<double>(bytes)) + " <small>" +
                    html_text(level_name(level, code)) + "</small>");
}

[[nodiscard]] inline std::string loops_table(generated_code const& code)
{
    std::vector<std::string> names; // in the order in which loops meet them
    for (placed_loop const& loop : code.loops)
        for (auto const& [name, bytes] : loop.bytes)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    std::string out = "<div class=\"scroll\"><table class=\"loops\"><thead><tr>"
                      "<th scope=\"col\">loop</th><th scope=\"col\" class=\"n\">times</th>"
                      "<th scope=\"col\">how</th>";
    for (std::string const& name : names)
        out += "<th scope=\"col\" class=\"n\">" + html_text(name) + "</th>";
    out += "<th scope=\"col\" class=\"n\">together</th></tr></thead>\n<tbody>";
    for (placed_loop const& loop : code.loops) {
        std::string indent;
        for (std::uint32_t i = 0; i < std::min(loop.depth, 32u); ++i)
            indent += "\xc2\xa0\xc2\xa0";
        out += "\n<tr><th scope=\"row\">" + indent + html_text(loop.name) + "</th>" +
               cell("n", loop.times > 0 ? std::to_string(loop.times) : "") +
               cell(loop.how == "serial" ? "soft" : "", html_text(loop.how));
        std::int64_t together = 0;
        for (std::string const& name : names) {
            auto const at = std::find_if(loop.bytes.begin(), loop.bytes.end(),
                                         [&](auto const& one) { return one.first == name; });
            out += at == loop.bytes.end() ? cell("n", "") : level_cell(at->second, code);
            if (at != loop.bytes.end()) together += at->second;
        }
        out += (loop.bytes.empty() ? cell("n", "") : level_cell(together, code)) + "</tr>";
    }
    return out + "\n</tbody></table></div>\n";
}

[[nodiscard]] inline std::string code_box(std::string const& title, std::string const& code)
{
    return "<figure><figcaption>" + title + "</figcaption><pre tabindex=\"0\"><code>" +
           html_text(code) + "</code></pre></figure>\n";
}

/// Nothing where the winner is no schedule of a program.
[[nodiscard]] inline std::string schedule_part(record const& best)
{
    generated_code const& code = best.generated;
    if (code.loops.empty()) return {};
    std::string out = "<h3>The schedule</h3>\n<div class=\"codes\">\n" +
                      code_box("The plain nest", code.fallback) +
                      code_box("The schedule that won", code.text) + "</div>\n";
    if (!code.shared.empty())
        out += "<details class=\"prelude\"><summary class=\"soft\">What both begin with</summary>"
               "<pre tabindex=\"0\"><code>" +
               html_text(code.shared) + "</code></pre></details>\n";
    out += "<h3>Where the loops sit</h3>\n<p class=\"soft\">Bytes that all iterations of a loop "
           "touch together, and the first level that holds them:";
    for (auto const& [level, bytes] : code.levels)
        out += ' ' + html_text(level) + ' ' + text_of_bytes(static_cast<double>(bytes)) + ',';
    return out + " memory. Names that are no array of the program are copies.</p>\n" +
           loops_table(code);
}

} // namespace attune::inline ATTUNE_ABI::detail
