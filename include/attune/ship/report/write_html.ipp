// attune/ship/report/write_html.ipp - draws reports as a page without a network.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/course_charts.hpp>
#include <attune/ship/report/detail/levels.hpp>
#include <attune/ship/report/detail/page_assets.hpp>
#include <attune/ship/report/detail/page_sentences.hpp>
#include <attune/ship/report/detail/problem_tables.hpp>
#include <attune/ship/report/detail/time_charts.hpp>
#include <attune/ship/report/detail/value_charts.hpp>
#include <attune/ship/report/write_html.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr double wide_chart = 920, narrow_chart = 360;

/// Both forms of a chart; a screen shows one.
template <class Chart>
[[nodiscard]] std::string figure(Chart const& chart, std::string const& caption)
{
    return "<figure>\n" + chart(wide_chart, "wide") + chart(narrow_chart, "narrow") +
           "<figcaption>" + caption + "</figcaption></figure>\n";
}

// --- parts of a problem ------------------------------------------------------------------------

/// The lines of an effect chart in figures.
[[nodiscard]] inline std::string effect_table(problem_report const& of,
                                              parameter_effect const& effect,
                                              std::vector<level_group> const& groups)
{
    std::string out =
        "<details class=\"numbers\"><summary>in figures</summary>"
        "<div class=\"scroll\"><table class=\"levels\"><thead><tr><th scope=\"col\">" +
        html_text(effect.name) +
        "</th><th scope=\"col\" class=\"n\">best</th><th scope=\"col\" "
        "class=\"n\">median</th><th scope=\"col\" class=\"n\">outcomes</th>"
        "<th scope=\"col\" class=\"n\">failed</th></tr></thead>\n<tbody>";
    for (level_group const& group : groups) {
        bool const is_timed = !group.times.empty();
        out += "\n<tr><th scope=\"row\">" + html_text(group.text) + "</th>" +
               cell("n", is_timed ? value_html(of, group.times.front()) : "") +
               cell("n", is_timed ? value_html(of, group.median()) : "") +
               cell("n", std::to_string(group.outcomes())) +
               cell("n", group.failed > 0 ? std::to_string(group.failed) + ", " +
                                                data_html(group.lost(), share_text(group.lost()))
                                          : "0") +
               "</tr>";
    }
    return out + "\n</tbody></table></div></details>\n";
}

/// ", in GFLOP/s", where the user named a unit.
[[nodiscard]] inline std::string unit_clause(problem_report const& of)
{
    return of.objective.unit.empty() ? "" : ", in " + html_text(of.objective.unit);
}

[[nodiscard]] inline std::string effects_part(problem_report const& of)
{
    std::string out =
        "<h3>What each parameter does</h3>\n"
        "<p class=\"soft\">For each value: its outcomes (strokes), the best one (dot), the median "
        "(bar), how many outcomes there are, and the share of them that failed (\xe2\x9c\x95). All "
        "axes are the same" +
        unit_clause(of) + "; an outcome that is worse than nearly all stands at the end. " +
        (of.has_winner_row() ? "Bold values are the winner's. "
                             : "Bold values are the best one's. ") +
        "A search tries good values more often, so medians of values that it came back "
        "to are flattered.</p>\n<div class=\"effects\">\n";
    for (std::size_t const p : by_share(of)) {
        parameter_effect const& one = of.parameters[p];
        level_grouping const lines = groups_of(of, p);
        out += "<figure><h4><span>" + html_text(one.name) + "</span><small>explains " +
               share_html(one.share) + "</small></h4>\n" + effect_chart(of, one, lines);
        if (!lines.said.empty()) out += "<figcaption>" + lines.said + "</figcaption>";
        out += effect_table(of, one, lines.groups) + "</figure>\n";
    }
    out += "</div>\n";
    std::string same;
    for (parameter_effect const& one : of.parameters)
        if (one.levels.size() == 1)
            same += (same.empty() ? "" : ", ") + one.name + '=' + one.levels.front().value;
    if (same.empty()) return out;
    return out + "<p class=\"soft\">In all outcomes: " + html_text(same) + ".</p>\n";
}

[[nodiscard]] inline std::string model_part(problem_report const& of)
{
    if (of.course.predicted == 0) return {};
    if (of.course.steps.empty())
        return "<h3>The model</h3>\n<p class=\"soft model\">" + model_sentence(of) + "</p>\n";
    return "<h3>The model</h3>\n" +
           figure([&](double w, std::string_view shape) { return model_chart(of, w, shape); },
                  model_sentence(of)) +
           model_table(of.course);
}

[[nodiscard]] inline std::string parallel_part(problem_report const& of)
{
    std::size_t const drawn = drawn_ranks(of.ranking.size()).size();
    std::string caption = drawn == of.ranking.size()
                              ? "All " + counted(drawn, "configuration", "configurations") +
                                    " with a " + of.objective.word() + ". "
                              : "The best " + std::to_string(fastest_drawn) + " of " +
                                    std::to_string(of.ranking.size()) + " and " +
                                    std::to_string(drawn - fastest_drawn) +
                                    " of the others, evenly by rank. ";
    return "<h3>Configurations</h3>\n" +
           figure([&](double w, std::string_view shape) { return parallel_chart(of, w, shape); },
                  caption + "The best tenth stands out; the thick line and bold values are " +
                      (of.has_winner_row() ? "the winner's." : "the best one's."));
}

[[nodiscard]] inline std::string heat_part(problem_report const& of)
{
    std::vector<std::size_t> const order = by_share(of);
    if (order.size() < 2) return {};
    return "<h3>Two parameters</h3>\n<div class=\"heat-box\">\n<div class=\"tools\" "
           "hidden=\"hidden\">" +
           parameter_select(of, "across", order[0]) + parameter_select(of, "down", order[1]) +
           "</div>\n<div class=\"scroll\">" + heat_table(of, order[0], order[1]) +
           "</div>\n<p class=\"soft\">The best outcome with both values. \xc2\xb7: none was tried; "
           "\xe2\x9c\x95: all failed.</p></div>\n";
}

[[nodiscard]] inline std::string spent_part(problem_report const& of)
{
    if (!of.spent) return {};
    double const sum = of.spent->run_s + of.spent->code_s + of.spent->search_s;
    auto const part = [&](std::string_view key, double s, std::string_view words) {
        std::string const share = sum > 0 && std::isfinite(sum)
                                      ? " (" + data_html(s / sum, share_text(s / sum)) + ")"
                                      : std::string();
        return "<span class=\"key " + std::string(key) + "\"></span>" + time_html(s) + share + ' ' +
               std::string(words);
    };
    return "<h3>Where the time went</h3>\n" +
           figure(
               [&](double w, std::string_view shape) { return spent_chart(*of.spent, w, shape); },
               "The tuning took " + time_html(of.spent->total_s) + ": " +
                   part("part0", of.spent->run_s, "to run and time variants, ") +
                   part("part1", of.spent->code_s, "to compile or to wait for it, ") +
                   part("part2", of.spent->search_s, "to decide what to try next."));
}

[[nodiscard]] inline std::string roof_part(problem_report const& of)
{
    if (!has_roof(of)) return {};
    record const& best = *of.past.best;
    auto const chart = [&](double w, std::string_view shape) {
        return has_work(best) ? roofline_chart(of, w, shape) : roof_strip(of, w, shape);
    };
    return "<h3>Roofline</h3>\n" +
           figure(chart, std::string("At the measured peak of ") +
                             (best.memory_bound ? "the memory bandwidth" : "the arithmetic") +
                             ", a call takes " + time_html(best.least_s) + ". The winner reaches " +
                             share_html(best.least_s / best.best_s) +
                             " of that. Each stroke is an outcome.");
}

[[nodiscard]] inline std::string log_part(problem_report const& of)
{
    bool const is_whole = of.past.rows.size() <= static_log_rows;
    std::string const scales = scales_sentence(of);
    return "<h3>Log</h3>\n" + (scales.empty() ? "" : "<p class=\"soft\">" + scales + "</p>\n") +
           "<div class=\"log\">\n<div class=\"tools\" hidden=\"hidden\">"
           "<label>filter <input type=\"search\" placeholder=\"TILE=64 crashed\"/></label>"
           "<label>show <select><option "
           "value=\"\">all</option><option>measured</option></select></label>"
           "<button type=\"button\" aria-label=\"previous "
           "rows\">\xe2\x80\xb9</button><output></output>"
           "<button type=\"button\" aria-label=\"next rows\">\xe2\x80\xba</button></div>\n" +
           log_table(of) +
           (is_whole ? ""
                     : "<noscript><p class=\"soft\">These are " + std::to_string(static_log_rows) +
                           " of " + std::to_string(of.past.rows.size()) +
                           " outcomes; a script would show the others.</p></noscript>\n"
                           "<p class=\"soft print-only\">On paper: at most " +
                           std::to_string(static_log_rows) + " of " +
                           std::to_string(of.past.rows.size()) + " outcomes.</p>\n") +
           "</div>\n<script type=\"application/json\" class=\"data\">" + log_data(of) +
           "</script>\n";
}

[[nodiscard]] inline std::string problem_body(problem_report const& of)
{
    std::string out = "<p class=\"verdict\">" + verdict_sentence(of) + "</p>\n" + facts_list(of);
    if (!of.contestants.empty()) {
        bool const has_baseline = of.find(contestant::part::baseline) != nullptr;
        bool const has_standard = of.find(contestant::part::standard) != nullptr;
        out += std::string("<h3>Winner") + (has_baseline ? ", your own code" : "") +
               (has_standard ? ", default" : "") + " and ties</h3>\n" +
               figure([&](double w, std::string_view shape) { return contest_chart(of, w, shape); },
                      contest_sentence(of)) +
               contest_table(of);
    }
    if (of.past.best) out += schedule_part(*of.past.best);
    if (of.past.rows.empty())
        return out + "<p class=\"soft\">The store has the winner alone, no outcomes.</p>\n";
    out += "<h3>Convergence</h3>\n" +
           figure([&](double w, std::string_view shape) { return convergence_chart(of, w, shape); },
                  convergence_sentence(of)) +
           spent_part(of) + model_part(of);
    if (!of.varied.empty() && !of.ranking.empty())
        out += effects_part(of) + parallel_part(of) + heat_part(of);
    return out + roof_part(of) + log_part(of);
}

// --- kernels -----------------------------------------------------------------------------------

/// The problems of a kernel side by side, a line each.
[[nodiscard]] inline std::string
sides_part(std::vector<problem_report const*> const& all,
           std::map<problem_report const*, std::string> const& labels)
{
    std::vector<std::string> names; // of all problems, in the order of their first use
    double most = 1;
    bool has_baseline = false;
    for (problem_report const* const one : all) {
        has_baseline = has_baseline || one->find(contestant::part::baseline) != nullptr;
        for (std::string const& name : one->past.problem.parameters)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        if (one->speedup) most = std::fmax(most, one->speedup->value);
    }
    std::string out =
        "<h3>Sizes and devices side by side</h3>\n<div class=\"scroll\"><table "
        "class=\"sides\"><thead><tr><td></td>" +
        std::string(has_baseline ? "<th scope=\"col\">better than your own</th>" : "") +
        "<th scope=\"col\">better than the default</th>"
        "<th scope=\"col\" class=\"n\">winner</th><th scope=\"col\" "
        "class=\"n\">default</th><th scope=\"col\" class=\"n\">outcomes</th>"
        "<th scope=\"col\" class=\"n\">failed</th>" +
        headings(names) + "</tr></thead>\n<tbody>";
    for (problem_report const* const one : all) {
        out += "\n<tr><th scope=\"row\">" + html_text(labels.at(one)) + "</th>";
        contestant const* const baseline = one->find(contestant::part::baseline);
        contestant const* const standard = one->find(contestant::part::standard);
        contestant const* const winner =
            one->contestants.empty() ? nullptr : &one->contestants.front();
        double const gain =
            baseline != nullptr ? one->objective.gain(winner->time.value, baseline->time.value) : 0;
        if (has_baseline) out += cell("", gain > 0 ? ratio_html(gain) : "");
        std::string speed;
        if (one->speedup && std::isfinite(one->speedup->value))
            speed = "<span class=\"meter\"><i style=\"width:" +
                    formatted("%.1f", 100 * one->speedup->value / most) + "%\"></i></span>" +
                    ratio_html(one->speedup->value);
        out += cell("", speed);
        out += cell("n", winner != nullptr ? value_html(*one, winner->time.value) : "");
        out += cell("n", standard != nullptr ? value_html(*one, standard->time.value) : "");
        out += cell("n", std::to_string(one->past.rows.size()));
        out += cell("n", std::to_string(one->failures()));
        std::vector<std::string> const& own = one->past.problem.parameters;
        for (std::string const& name : names) {
            auto const p =
                static_cast<std::size_t>(std::find(own.begin(), own.end(), name) - own.begin());
            bool const has = winner != nullptr && p < winner->values.size();
            out += cell("", has ? html_text(winner->values[p]) : "");
        }
        out += "</tr>";
    }
    return out + "\n</tbody></table></div>\n";
}

using problem_set = std::set<problem_report const*>;

[[nodiscard]] inline problem_set charted_of(std::vector<problem_report> const& all)
{
    std::vector<problem_report const*> order;
    for (problem_report const& one : all)
        order.push_back(&one);
    std::sort(order.begin(), order.end(), [](auto const* a, auto const* b) {
        std::size_t const x = a->past.rows.size(), y = b->past.rows.size();
        return x != y ? x > y : a > b; // the later one of the vector
    });
    problem_set out;
    std::size_t rows = 0;
    for (problem_report const* const one : order) {
        rows += one->past.rows.size();
        if (out.size() == most_charted_problems || (!out.empty() && rows > most_charted_outcomes))
            break;
        out.insert(one);
    }
    return out;
}

[[nodiscard]] inline std::string kernel_part(std::vector<problem_report const*> all,
                                             problem_set const& charted)
{
    if (all.size() == 1 && charted.contains(all.front()))
        return "<section class=\"problem\">\n" + problem_body(*all.front()) + "</section>\n";
    auto const labels = labels_of(all);
    sort_stably(all, [&](auto const* a, auto const* b) {
        return comes_before(labels.at(a), labels.at(b)); // N=64 before N=512
    });
    std::string out = "<p class=\"soft\">" + counted(all.size(), "problem", "problems") + "</p>\n" +
                      sides_part(all, labels);
    problem_report const* largest = nullptr;
    for (problem_report const* const one : all)
        if (charted.contains(one) &&
            (largest == nullptr || one->past.rows.size() > largest->past.rows.size()))
            largest = one;
    for (problem_report const* const one : all) {
        if (!charted.contains(one)) continue;
        out += "<details class=\"problem\"";
        out += one == largest ? " open=\"open\">" : ">";
        out += "<summary>" + html_text(labels.at(one)) + "<small>" +
               counted(one->past.rows.size(), "outcome", "outcomes") + "</small></summary>\n" +
               problem_body(*one) + "</details>\n";
    }
    return out;
}

ATTUNE_INLINE std::string html_page(std::vector<problem_report> const& problems,
                                    std::vector<std::string> const& notices)
{
    std::vector<std::pair<std::string, std::vector<problem_report const*>>> kernels;
    for (problem_report const& one : problems) {
        std::string const& name = one.past.problem.key.kernel;
        auto at = std::find_if(kernels.begin(), kernels.end(),
                               [&](auto const& k) { return k.first == name; });
        if (at == kernels.end()) at = kernels.insert(kernels.end(), {name, {}});
        at->second.push_back(&one);
    }
    bool const is_one = kernels.size() == 1;
    std::string const title =
        is_one ? kernels.front().first : counted(kernels.size(), "kernel", "kernels");
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
                      "<meta name=\"generator\" content=\"attune " +
                      std::string(version) + "\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>" +
                      html_text(title) + " \xe2\x80\x93 attune</title>\n<style>" + page_style +
                      "</style>\n</head>\n<body>\n<p class=\"brand\">attune report</p>\n<h1>" +
                      html_text(title) + "</h1>\n";
    for (std::string const& notice : notices)
        out += "<p class=\"notice\">" + html_text(notice) + "</p>\n";
    problem_set const charted = charted_of(problems);
    if (charted.size() < problems.size())
        out += "<p class=\"soft\">Charts are drawn of the " +
               counted(charted.size(), "problem", "problems") + " with most outcomes.</p>\n";
    for (auto const& [name, all] : kernels)
        out += (is_one ? "" : "<h2>" + html_text(name) + "</h2>\n") + kernel_part(all, charted);
    return out + "<script>" + page_script + "</script>\n</body>\n</html>\n";
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string store_report::html() const
{
    return detail::html_page(problems, notices);
}

ATTUNE_INLINE void store_report::write_html(std::string const& path) const
{
    detail::replace_file(path, html());
}

namespace detail {

ATTUNE_INLINE problem_report report_of(store_content& from, listed_problem const& one)
{
    problem_report out = report_of(from.history(one));
    out.calls = one.calls.coverage;
    if (out.past.best && !out.past.best->code.empty())
        for (proven_shape const& shape : from.proofs(one.problem, out.past.best->code))
            ++(shape.is_right ? out.verified : out.refuted);
    return out;
}

ATTUNE_INLINE store_report report_of(store_content& from, std::string const& name,
                                     std::string const& kernel)
{
    store_report out;
    std::vector<std::string> others;
    for (listed_problem const& one : from.problems()) {
        std::string const& its = one.problem.key.kernel;
        if (kernel.empty() || its == kernel)
            out.problems.push_back(report_of(from, one));
        else if (std::find(others.begin(), others.end(), its) == others.end())
            others.push_back(its);
    }
    if (out.problems.empty() && others.empty())
        throw error("the store is empty", name, "tune a kernel with it first");
    if (out.problems.empty()) {
        std::string names;
        for (std::string const& other : others)
            names += (names.empty() ? "" : ", ") + other;
        throw error("the store knows nothing of the kernel " + kernel, name, "it knows: " + names);
    }
    if (!from.damage().empty()) out.notices.push_back(from.damage());
    return out;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
