// attune/ship/report/detail/page_sentences.hpp - the sentences of a problem on a page: verdict, label, facts.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/report/detail/markup.hpp>
#include <attune/ship/report/detail/problem_tables.hpp>
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::string counted(std::size_t n, std::string_view one, std::string_view many)
{
    return std::to_string(n) + ' ' + std::string(n == 1 ? one : many);
}

/// "7.51x"
[[nodiscard]] inline std::string ratio_html(double ratio)
{
    return data_html(ratio, formatted("%.2fx", ratio));
}
/// "62 %"
[[nodiscard]] inline std::string share_html(double share)
{
    return data_html(share, formatted("%.0f %%", 100 * share));
}

/// "<b>7.51x</b> faster than the default: 2.07 ms, was 15.6 ms".
[[nodiscard]] inline std::string verdict_sentence(problem_report const& of)
{
    if (of.contestants.empty())
        return of.past.rows.empty()
                   ? "No outcome is known."
                   : "No configuration has worked: all " +
                         counted(of.past.rows.size(), "outcome", "outcomes") + " failed.";
    contestant const& winner = of.contestants.front();
    if (winner.as == contestant::part::fastest)
        return "<b>" + value_html(of, winner.time.value) + "</b> is the " +
               (of.objective.is_seconds ? "fastest" : "best") +
               (of.past.is_open() ? " so far; no tuning has ended."
                                  : " of these outcomes; the store has no winner.");
    contestant const* const known = of.find(contestant::part::standard);
    std::string const times = value_html(of, winner.time.value);
    if (!of.speedup)
        return (of.objective.is_seconds ? "The winner takes " : "The winner has ") + times +
               (known != nullptr ? "; the default: " + value_html(of, known->time.value) : "") +
               '.';
    contestant const& standard = *known;
    if (is_default_best(*of.past.best, standard.values))
        return "<b>" + times + "</b> The default stays: nothing was proven " +
               (of.objective.is_seconds ? "faster." : "better.");
    double const ratio = of.speedup->value;
    // "<b>7.51x</b> faster than the default: 2.07 ms, was 15.6 ms."
    auto const beside = [&](double by, std::string_view than, double other) {
        std::string const words = speed_text(by, of.objective.is_seconds, than);
        std::string const was = ": " + times + ", was " + value_html(of, other) + '.';
        if (words.starts_with("as ")) return "The winner is " + words + was;
        return "<b>" + ratio_html(by < 1 ? 1 / by : by) + "</b>" + words.substr(words.find(' ')) +
               was;
    };
    record const& best = *of.past.best;
    double const gain = of.objective.gain(best.best_s, best.baseline_s);
    return (gain > 0 ? beside(gain, "your own code", best.baseline_s) + ' ' : "") +
           beside(ratio, "the default", standard.time.value);
}

/// Says why the winner's time is not that of the log's first row. Empty: both are the same.
[[nodiscard]] inline std::string scales_sentence(problem_report const& of)
{
    if (!of.past.best || of.ranking.empty()) return {};
    double const first = of.value(of.ranking.front());
    double const won = of.contestants.front().time.value;
    if (of.objective.text(first) == of.objective.text(won)) return {};
    if (of.past.problem.key.compiler == minimize_compiler)
        return "The log has the outcomes of all runs, and the bars have the " +
               of.objective.word() + "s of the last search: --anew measured again. ";
    bool const is_other = !of.has_winner_row() || *of.winner_row != of.ranking.front();
    std::string const word = of.objective.word();
    return "The log has the " + word + "s of the search, taken one after the other, and the bars " +
           "have those of the final, taken in turns: compare within one of them. " +
           (is_other ? "The log's first row, " + value_html(of, first) +
                           ", did not win the final, or did not take part. "
                     : "The winner had " + value_html(of, first) + " in the search. ");
}

/// "Both 95 % intervals allow 7.41x to 7.60x. ..."
[[nodiscard]] inline std::string contest_sentence(problem_report const& of)
{
    std::string out;
    if (of.speedup && of.speedup->low > 0)
        out = "Whiskers are intervals of 95 %. Together they allow a " +
              std::string(of.objective.is_seconds ? "speed-up" : "gain") + " from " +
              ratio_html(of.speedup->low) + " to " + ratio_html(of.speedup->high) + ". ";
    auto const ties = static_cast<std::size_t>(
        std::count_if(of.contestants.begin(), of.contestants.end(),
                      [](contestant const& one) { return one.as == contestant::part::tie; }));
    if (ties > 0)
        out += "The final could not tell the winner from " +
               counted(ties, "other configuration", "other configurations") + "; the " +
               of.objective.word() + " of a tie is that of the search. ";
    return out + scales_sentence(of);
}

[[nodiscard]] inline std::string convergence_sentence(problem_report const& of)
{
    std::string out = counted(of.past.rows.size(), "outcome", "outcomes") + ", of which " +
                      std::to_string(of.ranking.size()) + " have a " + of.objective.word();
    for (std::size_t s = 0; s < failure_stage_count; ++s)
        if (of.failed[s] > 0)
            out += ", " + std::to_string(of.failed[s]) + ' ' +
                   std::string(describe(static_cast<failure_stage>(s)));
    out += ". ";
    if (of.unusable > 0)
        out += counted(of.unusable, of.objective.word() + " is", of.objective.word() + "s are") +
               (of.objective.is_seconds ? " no positive number. " : " not finite. ");
    return out + "The line is the best so far" +
           (of.objective.unit.empty() ? "." : ", in " + html_text(of.objective.unit) + ".");
}

/// The facts by which the page's problems differ, besides the kernel.
struct told_facts {
    bool device = false, compiler = false, source = false, signature = false, store = false;
};

[[nodiscard]] inline told_facts facts_told(std::vector<problem_report const*> const& all)
{
    told_facts out;
    for (problem_report const* const one : all) {
        record_key const& a = one->past.problem.key;
        record_key const& b = all.front()->past.problem.key;
        out.device = out.device || a.device != b.device;
        out.compiler = out.compiler || a.compiler != b.compiler;
        out.source = out.source || a.source != b.source;
        out.signature = out.signature || a.signature != b.signature;
        out.store = out.store || one->store != all.front()->store;
    }
    return out;
}

[[nodiscard]] inline std::string label_of(problem_report const& of, told_facts const& told)
{
    record_key const& key = of.past.problem.key;
    std::string out = text_of_pairs(key.inputs);
    auto const add = [&](std::string const& text) {
        if (!text.empty()) out += (out.empty() ? "" : ", ") + text;
    };
    add(text_of_pairs(key.setting));
    if (told.device) add(key.device);
    if (told.compiler) add(key.compiler);
    if (told.source) add("source " + key.source.substr(0, 8));
    if (told.signature) add("signature " + key.signature.substr(0, 8));
    if (told.store) add(of.store);
    return out.empty() ? "all calls" : out;
}

/// A unique label for each problem. Problems that differ only in parameters or facts get numbers.
[[nodiscard]] inline std::map<problem_report const*, std::string>
labels_of(std::vector<problem_report const*> const& all)
{
    told_facts const told = facts_told(all);
    std::map<problem_report const*, std::string> out;
    std::map<std::string, std::size_t> times;
    for (problem_report const* const one : all) {
        std::string label = label_of(*one, told);
        std::size_t const time = ++times[label];
        if (time > 1) label += " (" + std::to_string(time) + ')';
        out.emplace(one, std::move(label));
    }
    return out;
}

// --- facts -------------------------------------------------------------------------------------

[[nodiscard]] inline std::string fact(std::string_view name, std::string const& text)
{
    if (text.empty()) return {};
    return "<dt>" + std::string(name) + "</dt><dd>" + html_text(text) + "</dd>\n";
}

/// A text about the tuning of the winner.
[[nodiscard]] inline std::string effort_text(record const& of)
{
    std::string out = counted(of.evaluations, "configuration", "configurations") + ", " +
                      std::to_string(of.failures) + " of them failed";
    if (!of.ended.empty()) out += "; ended by: " + of.ended;
    if (of.threads > 1) out += "; " + std::to_string(of.threads) + " threads";
    out += "; seed " + std::to_string(of.seed);
    if (of.interrupted) out += "; interrupted";
    if (of.disturbed) out += "; the machine was disturbed";
    return out;
}

/// The shapes that the winner serves. Empty: the store has no proof.
[[nodiscard]] inline std::string proofs_text(problem_report const& of)
{
    if (of.verified + of.refuted == 0) return {};
    std::string out =
        "the winner was verified for " + counted(of.verified, "shape of calls", "shapes of calls");
    if (of.refuted > 0) out += ", and was wrong for " + std::to_string(of.refuted);
    return out + "; it serves these, and calls whose properties they prove. The default serves "
                 "others";
}

[[nodiscard]] inline std::string facts_list(problem_report const& of)
{
    record_key const& key = of.past.problem.key;
    std::string out = "<dl class=\"facts\">\n" + fact("store", of.store) +
                      fact("device", key.device) + fact("compiler", key.compiler) +
                      fact("inputs", text_of_pairs(key.inputs)) +
                      fact("setting", text_of_pairs(key.setting));
    if (of.past.best) {
        record const& best = *of.past.best;
        out += fact("tuned", best.when + (best.attune.empty() ? "" : " by attune " + best.attune)) +
               fact("effort", effort_text(best)) + fact("serves", proofs_text(of));
    }
    if (of.calls.calls > 0) out += fact("calls", of.calls.text());
    return out + "</dl>\n";
}

} // namespace attune::inline ATTUNE_ABI::detail
