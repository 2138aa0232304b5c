// attune/ship/report/detail/problem_tables.hpp - tables of a problem: contestants, two parameters, log, schedule.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/generated_code.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/report/detail/markup.hpp>
#include <attune/ship/report/detail/time_charts.hpp>
#include <attune/ship/report/detail/value_charts.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Rows of the log before a script has run.
inline constexpr std::size_t static_log_rows = 100;

/// A number for readers, with the exact number as data.
[[nodiscard]] inline std::string data_html(double exact, std::string const& words)
{
    std::string out = "<data value=\"";
    append_exact(out, exact);
    return out + "\">" + words + "</data>";
}
[[nodiscard]] inline std::string time_html(double s)
{
    return data_html(s, text_of_quantity(s, true));
}
/// A time, or a number of the problem in its unit.
[[nodiscard]] inline std::string value_html(problem_report const& of, double value)
{
    return data_html(value, html_text(of.objective.text(value)));
}

[[nodiscard]] inline std::string interval_html(problem_report const& of, measurement const& m)
{
    return has_interval(m) ? value_html(of, m.low) + " \xe2\x80\x93 " + value_html(of, m.high)
                           : std::string();
}

[[nodiscard]] inline std::string cell(std::string_view style, std::string_view html)
{
    std::string out = "<td";
    if (!style.empty()) out += " class=\"" + std::string(style) + '"';
    out += '>';
    out += html;
    return out += "</td>";
}

[[nodiscard]] inline std::string headings(std::vector<std::string> const& names)
{
    std::string out;
    for (std::string const& name : names)
        out += "<th scope=\"col\">" + html_text(name) + "</th>";
    return out;
}

/// Winner, own code, default and ties, a column each. Values that are not the default's are
/// underlined.
[[nodiscard]] inline std::string contest_table(problem_report const& of)
{
    contestant const* const standard = of.find(contestant::part::standard);
    // @param text  gives a cell of a contestant
    auto const row = [&](std::string const& head, auto const& text) {
        std::string out = "\n<tr><th scope=\"row\">" + html_text(head) + "</th>";
        for (contestant const& one : of.contestants)
            out += text(one);
        return out + "</tr>";
    };
    std::string out = "<div class=\"scroll\"><table class=\"contest\"><thead><tr><td></td>";
    for (contestant const& one : of.contestants)
        out += "<th scope=\"col\">" + std::string(word_of(one.as)) + "</th>";
    out += "</tr></thead>\n<tbody>";
    out += row(of.objective.word(), [&](contestant const& one) {
        return cell("", one.has_time ? value_html(of, one.time.value) : "");
    });
    out += row("95 % interval",
               [&](contestant const& one) { return cell("", interval_html(of, one.time)); });
    out += row("samples", [](contestant const& one) {
        return cell("", one.time.samples > 0 ? std::to_string(one.time.samples) : "");
    });
    for (std::size_t p = 0; p < of.past.problem.parameters.size(); ++p)
        out += row(of.past.problem.parameters[p], [&](contestant const& one) {
            if (one.as == contestant::part::baseline) return cell("", "");
            if (one.values.size() <= p) return cell("soft", "unknown");
            bool const differs = standard != nullptr && standard->values.size() > p &&
                                 standard->values[p] != one.values[p];
            return cell(differs ? "differs" : "", html_text(one.values[p]));
        });
    bool const has_default = standard != nullptr && !standard->values.empty();
    return out + "\n</tbody></table></div>\n<p class=\"soft\">Bold: " +
           (of.past.best ? "the winner" : "the best so far") + ", here and below." +
           (has_default ? " Underlined: not the default's value." : "") + "</p>\n";
}

// --- two parameters ----------------------------------------------------------------------------

struct heat_cell {
    std::size_t measured = 0;
    std::size_t failed = 0;
    double best_s = HUGE_VAL;
};

/// Number of values of each parameter in a heat map, the best ones. The page's script has the same
/// number.
inline constexpr std::size_t most_heat_levels = 32;

/// "TILE"; "TILE (32 fastest of 500)" if only some of its values are drawn.
[[nodiscard]] inline std::string heat_name(parameter_effect const& of)
{
    std::string out = html_text(of.name);
    if (of.levels.size() > most_heat_levels)
        out += " (" + std::to_string(most_heat_levels) + " fastest of " +
               std::to_string(of.levels.size()) + ')';
    return out;
}

/// The place of each value among the drawn ones; none: most_heat_levels.
[[nodiscard]] inline std::vector<std::size_t> heat_places(std::vector<std::size_t> const& drawn,
                                                          std::size_t levels)
{
    std::vector<std::size_t> out(levels, most_heat_levels);
    for (std::size_t i = 0; i < drawn.size(); ++i)
        out[drawn[i]] = i;
    return out;
}

/// The fastest outcome for each pair of values. A script draws other pairs in the same way.
/// @param across, down  parameters
[[nodiscard]] inline std::string heat_table(problem_report const& of, std::size_t across,
                                            std::size_t down)
{
    parameter_effect const& a = of.parameters[across];
    parameter_effect const& b = of.parameters[down];
    std::vector<std::size_t> const columns = drawn_levels(of.objective, a, most_heat_levels);
    std::vector<std::size_t> const lines = drawn_levels(of.objective, b, most_heat_levels);
    std::vector<std::size_t> const column_of = heat_places(columns, a.levels.size());
    std::vector<std::size_t> const line_of = heat_places(lines, b.levels.size());
    std::vector<heat_cell> cells(columns.size() * lines.size());
    for (std::size_t r = 0; r < of.past.rows.size(); ++r) {
        std::size_t const x = column_of[of.levels[r][across]];
        std::size_t const y = line_of[of.levels[r][down]];
        if (x == most_heat_levels || y == most_heat_levels) continue;
        heat_cell& c = cells[y * columns.size() + x];
        if (measurement const* const time = usable_value(of.objective, of.past.rows[r])) {
            if (c.measured++ == 0 || of.objective.is_better(time->value, c.best_s))
                c.best_s = time->value;
        } else if (!succeeded(of.past.rows[r].result))
            ++c.failed;
    }
    double fast_s = HUGE_VAL, slow_s = -HUGE_VAL;
    for (heat_cell const& c : cells)
        if (c.measured > 0) {
            fast_s = std::fmin(fast_s, c.best_s);
            slow_s = std::fmax(slow_s, c.best_s);
        }
    bool const is_flat = !(slow_s > fast_s);
    auto const place = [is_log = fast_s > 0](double v) { return is_log ? std::log(v) : v; };
    if (of.objective.is_higher_better) std::swap(fast_s, slow_s);
    std::string out = "<table class=\"heat\"><thead><tr><th scope=\"col\">" + heat_name(b) +
                      " \\ " + heat_name(a) + "</th>";
    for (std::size_t const l : columns)
        out += "<th scope=\"col\">" + html_text(a.levels[l].value) + "</th>";
    out += "</tr></thead>\n<tbody>";
    for (std::size_t y = 0; y < lines.size(); ++y) {
        out += "\n<tr><th scope=\"row\">" + html_text(b.levels[lines[y]].value) + "</th>";
        for (std::size_t x = 0; x < columns.size(); ++x) {
            heat_cell const& c = cells[y * columns.size() + x];
            std::string const counts = " title=\"" + std::to_string(c.measured) + " measured, " +
                                       std::to_string(c.failed) + " failed\"";
            if (c.measured == 0) {
                out += "<td class=\"none\"" + counts + '>' +
                       (c.failed > 0 ? "\xe2\x9c\x95" : "\xc2\xb7") + "</td>";
                continue;
            }
            double const q =
                is_flat ? 1 : (place(slow_s) - place(c.best_s)) / (place(slow_s) - place(fast_s));
            out += q > 0.5 ? "<td class=\"hot\"" : "<td";
            out += counts + " style=\"--q:" + formatted("%.3f", q) + "\">" +
                   value_html(of, c.best_s) + "</td>";
        }
        out += "</tr>";
    }
    return out + "\n</tbody></table>\n";
}

/// @param chosen  index of the parameter
[[nodiscard]] inline std::string parameter_select(problem_report const& of, std::string_view label,
                                                  std::size_t chosen)
{
    std::string out = "<label>" + std::string(label) + " <select>";
    for (std::size_t p = 0; p < of.parameters.size(); ++p)
        out += "<option value=\"" + std::to_string(p) + '"' +
               (p == chosen ? " selected=\"selected\">" : ">") + html_text(of.parameters[p].name) +
               "</option>";
    return out + "</select></label>";
}

// --- the log -----------------------------------------------------------------------------------

/// All outcomes as data: names, values and reasons once, rows as indices and numbers.
[[nodiscard]] inline std::string log_data(problem_report const& of)
{
    auto const list = [](std::string& to, auto const& all, auto const& text) {
        to += '[';
        for (auto const& one : all) {
            if (to.back() != '[') to += ',';
            to += json_text(text(one));
        }
        to += ']';
    };
    auto const same = [](auto const& text) { return std::string_view(text); };
    std::string out = "{";
    if (!of.objective.is_seconds) out += "\"unit\":" + json_text(of.objective.unit) + ',';
    if (of.objective.is_higher_better) out += "\"higher\":true,";
    out += "\"names\":";
    list(out, of.past.problem.parameters, same);
    out += ",\n\"levels\":[";
    for (std::size_t p = 0; p < of.parameters.size(); ++p) {
        out += p == 0 ? "" : ",\n";
        list(out, of.parameters[p].levels,
             [](level_effect const& l) { return std::string_view(l.value); });
    }
    std::vector<std::string_view> stages;
    for (std::size_t s = 0; s < failure_stage_count; ++s)
        stages.push_back(describe(static_cast<failure_stage>(s)));
    out += "],\n\"stages\":";
    list(out, stages, same);
    std::vector<std::string_view> reasons;
    std::unordered_map<std::string_view, std::size_t> index;
    std::string rows;
    for (std::size_t r = 0; r < of.past.rows.size(); ++r) {
        rows += r == 0 ? "[" : ",\n[";
        for (std::uint32_t const level : of.levels[r])
            rows += std::to_string(level) + ',';
        outcome const& result = of.past.rows[r].result;
        if (auto const* const m = std::get_if<measurement>(&result)) {
            for (double const s : {m->value, m->low, m->high}) {
                append_exact(rows, s);
                rows += ',';
            }
            rows += std::to_string(m->samples);
        } else {
            failure const& why = std::get<failure>(result);
            auto const [at, is_new] = index.try_emplace(why.reason, reasons.size());
            if (is_new) reasons.push_back(why.reason);
            rows += std::to_string(static_cast<std::size_t>(why.stage)) + ',' +
                    std::to_string(at->second);
        }
        rows += ']';
    }
    out += ",\n\"reasons\":";
    list(out, reasons, same);
    return out + ",\n\"rows\":[" + rows + "]}";
}

/// The fastest outcomes, then failures in their order. A script shows the others.
[[nodiscard]] inline std::string log_table(problem_report const& of)
{
    std::vector<std::string> const& names = of.past.problem.parameters;
    std::vector<std::size_t> shown = of.ranking;
    shown.resize(std::min(shown.size(), static_log_rows));
    for (std::size_t r = 0; r < of.past.rows.size() && shown.size() < static_log_rows; ++r)
        if (usable_value(of.objective, of.past.rows[r]) == nullptr) shown.push_back(r);
    std::string out = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\" class=\"n\">#</th>"
                      "<th scope=\"col\" class=\"n\">" +
                      of.objective.word() +
                      "</th><th scope=\"col\" class=\"n\">95 % interval</th><th scope=\"col\" "
                      "class=\"n\">samples</th>" +
                      headings(names) + "<th scope=\"col\">what failed</th></tr></thead>\n<tbody>";
    for (std::size_t const r : shown) {
        tried_row const& row = of.past.rows[r];
        out += "\n<tr>" + cell("n", std::to_string(r + 1));
        auto const* const m = std::get_if<measurement>(&row.result);
        auto const* const why = std::get_if<failure>(&row.result);
        if (m != nullptr)
            out += cell("n", usable_value(of.objective, row) != nullptr ? value_html(of, m->value)
                                                                        : "") +
                   cell("n", interval_html(of, *m)) + cell("n", std::to_string(m->samples));
        else
            out += "<td class=\"failed-word\" colspan=\"3\">" + std::string(describe(why->stage)) +
                   "</td>";
        for (std::size_t p = 0; p < names.size(); ++p)
            out += cell("", html_text(of.parameters[p].levels[of.levels[r][p]].value));
        out += cell("why", why != nullptr ? html_text(why->reason) : "") + "</tr>";
    }
    return out + "\n</tbody></table></div>\n";
}

/// The index of the first level that holds so many bytes; the number of levels: only memory does.
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

/// A cell with bytes and their level, with a colour for the distance from the processor.
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

/// Empty if the winner is no schedule of a program.
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
