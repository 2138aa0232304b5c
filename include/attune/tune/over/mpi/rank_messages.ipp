// attune/tune/over/mpi/rank_messages.ipp - the fields of the messages, in order.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/table.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/search/repeat.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::uint32_t rank_message_format = 4;

ATTUNE_INLINE std::string space_of_rank(description const& space)
{
    // The schema has the names of inputs, not their values.
    std::string inputs;
    for (auto const& [name, value] : texts_of_inputs(space))
        inputs += '\n' + name + '=' + value;
    return content_hash{}.add(space_identity(space)).add(inputs).hex() + inputs;
}

ATTUNE_INLINE std::string difference_of_spaces(std::string_view own, std::string_view of_rank_0)
{
    auto const next_line = [](std::string_view& text) {
        std::string_view const out = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), out.size() + 1));
        return out;
    };
    if (next_line(own) == next_line(of_rank_0)) return {};
    std::string out = "its space is not that of rank 0";
    while (!own.empty() && !of_rank_0.empty()) {
        std::string_view const here = next_line(own);
        std::string_view const there = next_line(of_rank_0);
        if (here != there)
            return out + ": it has " + std::string(here) + ", rank 0 has " + std::string(there);
    }
    return out;
}

inline void put_quantities(message_writer& to, std::vector<quantity> const& all)
{
    to.put(all.size());
    for (quantity const& one : all) {
        to.put_text(one.name);
        to.put(one.value);
    }
}

[[nodiscard]] inline std::vector<quantity> get_quantities(message_reader& from)
{
    std::vector<quantity> out(from.get_count());
    for (quantity& one : out) {
        one.name = from.get_text();
        one.value = from.get<double>();
    }
    return out;
}

inline void put_end(message_writer& to, minimum_on_slots const& end)
{
    found_minimum const& found = end.found;
    to.put(found.best.has_value());
    if (found.best) put_point(to, *found.best);
    to.put(found.value);
    put_quantities(to, found.quantities);
    to.put_text(found.shortfall);
    to.put(found.evaluations);
    to.put(found.failures);
    to.put(found.interrupted);
    to.put_text(found.ended);
    to.put(end.workers.size());
    for (worker_use const& one : end.workers) {
        to.put_text(one.name);
        to.put(one.evaluations);
        to.put(one.failures);
        to.put_text(one.first_fault);
        to.put(one.is_left);
    }
}

[[nodiscard]] inline minimum_on_slots get_end(message_reader& from)
{
    minimum_on_slots out;
    found_minimum& found = out.found;
    if (from.get<bool>()) found.best = get_point(from);
    found.value = from.get<double>();
    found.quantities = get_quantities(from);
    found.shortfall = from.get_text();
    found.evaluations = from.get<std::uint32_t>();
    found.failures = from.get<failure_counts>();
    found.interrupted = from.get<bool>();
    found.ended = from.get_text();
    out.workers.resize(from.get_count());
    for (worker_use& one : out.workers) {
        one.name = from.get_text();
        one.evaluations = from.get<std::uint32_t>();
        one.failures = from.get<failure_counts>();
        one.first_fault = from.get_text();
        one.is_left = from.get<bool>();
    }
    return out;
}

[[nodiscard]] inline std::string whole_text_of_report(rank_report const& report)
{
    message_writer to;
    to.put(rank_message_format);
    to.put_text(report.host);
    to.put_text(report.space);
    to.put_text(report.problem);
    to.put(report.wants_stop);
    to.put(report.seen.has_value());
    if (report.seen) {
        put_outcome(to, report.seen->seen.result);
        put_quantities(to, report.seen->seen.quantities);
        to.put(report.seen->is_fault);
    }
    to.put_text(report.variant);
    return to.take();
}

ATTUNE_INLINE std::string text_of_report(rank_report const& report)
{
    std::string out = whole_text_of_report(report);
    if (out.size() <= longest_report) return out;
    constexpr std::size_t longest_text = longest_report / 4;
    rank_report cut = report;
    cut.problem = cut.problem.substr(0, longest_text);
    cut.space = cut.space.substr(0, longest_text);
    cut.variant.clear();
    if (cut.seen) {
        if (auto* const why = std::get_if<failure>(&cut.seen->seen.result)) {
            why->reason = why->reason.substr(0, longest_text);
            why->log = why->log.substr(0, longest_text);
        }
        out = whole_text_of_report(cut);
        if (out.size() > longest_report)
            cut.seen = guarded_evaluation{
                failure{failure_stage::crash, "its quantities are longer than a message"}, true};
    }
    return whole_text_of_report(cut);
}

ATTUNE_INLINE rank_report read_report(std::string_view text)
{
    message_reader from(text);
    if (from.get<std::uint32_t>() != rank_message_format) throw damaged_message();
    rank_report out;
    out.host = from.get_text();
    out.space = from.get_text();
    out.problem = from.get_text();
    out.wants_stop = from.get<bool>();
    if (from.get<bool>()) {
        outcome result = get_outcome(from);
        evaluation seen{std::move(result), get_quantities(from)};
        out.seen = guarded_evaluation{std::move(seen), from.get<bool>()};
    }
    out.variant = from.get_text();
    if (!from.is_at_end()) throw damaged_message();
    return out;
}

ATTUNE_INLINE std::string text_of_order(rank_order const& order)
{
    message_writer to;
    to.put(rank_message_format);
    to.put(order.at.has_value());
    if (order.at) {
        put_point(to, *order.at);
        to.put(order.stop_above_s);
    } else {
        put_end(to, order.end);
        to.put_text(order.problem);
        to.put(order.some_left);
        to.put_text(order.space);
        to.put_text(order.found);
    }
    return to.take();
}

ATTUNE_INLINE rank_order read_order(std::string_view text)
{
    message_reader from(text);
    if (from.get<std::uint32_t>() != rank_message_format) throw damaged_message();
    rank_order out;
    if (from.get<bool>()) {
        out.at = get_point(from);
        out.stop_above_s = from.get<double>();
    } else {
        out.end = get_end(from);
        out.problem = from.get_text();
        out.some_left = from.get<bool>();
        out.space = from.get_text();
        out.found = from.get_text();
    }
    if (!from.is_at_end()) throw damaged_message();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
