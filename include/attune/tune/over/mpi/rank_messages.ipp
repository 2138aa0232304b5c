// attune/tune/over/mpi/rank_messages.ipp - the fields of the messages, in order.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/search/repeat.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
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

template <class T, class Of>
concept same_but_const = std::same_as<std::remove_const_t<T>, Of>;

/// Writes a value to a message, or reads it. One list of fields thus serves both directions.
template <class T>
void field(message_writer& to, T const& value)
{
    if constexpr (std::is_same_v<T, std::string>)
        to.put_text(value);
    else if constexpr (requires { list_fields(to, value); })
        list_fields(to, value);
    else
        to.put(value);
}
template <class T>
void field(message_reader& from, T& value)
{
    if constexpr (std::is_same_v<T, std::string>)
        value = from.get_text();
    else if constexpr (requires { list_fields(from, value); })
        list_fields(from, value);
    else
        value = from.get<T>();
}
inline void field(message_writer& to, failure const& what) { put_failure(to, what); }
inline void field(message_reader& from, failure& what) { what = get_failure(from); }
inline void field(message_writer& to, measurement const& what) { put_measurement(to, what); }
inline void field(message_reader& from, measurement& what) { what = get_measurement(from); }
template <class T>
void field(message_writer& to, std::vector<T> const& all)
{
    to.put(all.size());
    for (T const& one : all)
        field(to, one);
}
template <class T>
void field(message_reader& from, std::vector<T>& all)
{
    all.resize(from.get_count());
    for (T& one : all)
        field(from, one);
}
template <class T>
void field(message_writer& to, std::optional<T> const& value)
{
    to.put(value.has_value());
    if (value) field(to, *value);
}
template <class T>
void field(message_reader& from, std::optional<T>& value)
{
    if (from.get<bool>()) field(from, value.emplace());
}

template <class Message, class... T>
void fields(Message& message, T&... all)
{
    (field(message, all), ...);
}
template <class Message, same_but_const<coordinate> T>
void list_fields(Message& message, T& one)
{
    fields(message, one.index, one.real);
}

template <class T>
[[nodiscard]] std::string text_of_fields(T const& value)
{
    message_writer to;
    field(to, value);
    return to.take();
}

template <class T>
void read_fields(std::string_view text, T& value)
{
    message_reader from(text);
    field(from, value);
    if (!from.is_at_end()) throw damaged_message();
}

template <class Message, same_but_const<quantity> T>
void list_fields(Message& message, T& one)
{
    fields(message, one.name, one.value);
}

template <class Message, same_but_const<worker_use> T>
void list_fields(Message& message, T& one)
{
    fields(message, one.name, one.evaluations, one.failures, one.first_fault, one.is_left);
}

template <class Message, same_but_const<rank_order> T>
void list_fields(Message& message, T& order)
{
    field(message, order.at);
    if (order.at) return field(message, order.stop_above_s);
    auto& found = order.end.found;
    fields(message, found.best, found.value, found.quantities, found.shortfall, found.evaluations,
           found.failures, found.interrupted, found.ended, order.end.workers, order.problem,
           order.some_left, order.space, order.found);
}

[[nodiscard]] inline std::string whole_text_of_report(rank_report const& report)
{
    message_writer to;
    to.put(rank_message_format);
    fields(to, report.host, report.space, report.problem, report.wants_stop);
    to.put(report.seen.has_value());
    if (report.seen) {
        put_outcome(to, report.seen->seen.result);
        field(to, report.seen->seen.quantities);
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
    fields(from, out.host, out.space, out.problem, out.wants_stop);
    if (from.get<bool>()) {
        evaluation seen{get_outcome(from)};
        field(from, seen.quantities);
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
    field(to, order);
    return to.take();
}

ATTUNE_INLINE rank_order read_order(std::string_view text)
{
    message_reader from(text);
    if (from.get<std::uint32_t>() != rank_message_format) throw damaged_message();
    rank_order out;
    field(from, out);
    if (!from.is_at_end()) throw damaged_message();
    return out;
}

ATTUNE_INLINE process_identity identity_of(record_key const& key, description const& space,
                                           std::string name)
{
    process_identity out{.name = std::move(name), .space = space_of_rank(space)};
    out.facts = {{"kernel", key.kernel},
                 {"compiler", key.compiler},
                 {"source", key.source},
                 {"declaration", key.schema + ' ' + key.signature}};
    for (auto const& [what, value] : key.setting)
        out.facts.emplace_back(what, value);
    out.machine = key.device;
    return out;
}

template <class Message, same_but_const<named_texts::value_type> T>
void list_fields(Message& message, T& one)
{
    fields(message, one.first, one.second);
}

template <class Message, same_but_const<process_identity> T>
void list_fields(Message& message, T& one)
{
    fields(message, one.name, one.problem, one.space, one.facts, one.machine);
}

ATTUNE_INLINE std::string text_of_identity(process_identity const& one)
{
    return text_of_fields(one);
}

ATTUNE_INLINE process_identity read_identity(std::string_view text)
{
    process_identity out;
    read_fields(text, out);
    return out;
}

/// Returns the kernel's first difference from the first process; empty: none.
[[nodiscard]] inline std::string difference_of_kernels(process_identity const& own,
                                                       process_identity const& first)
{
    for (auto const& [what, value] : first.facts) {
        auto const here = std::ranges::find(own.facts, what, &named_texts::value_type::first);
        std::string const text = here == own.facts.end() ? "nothing" : here->second;
        if (text != value)
            return "its " + what + " is not that of " + first.name + ": " + text + ", not " + value;
    }
    return own.facts.size() == first.facts.size() ? difference_of_spaces(own.space, first.space)
                                                  : "its options are not those of " + first.name;
}

/// Returns a line for each machine, with its processes.
[[nodiscard]] inline std::string table_of_machines(std::vector<process_identity> const& all)
{
    constexpr std::size_t most_named = 8;
    std::vector<std::pair<std::string, std::vector<std::string>>> machines;
    for (process_identity const& one : all) {
        auto at = std::ranges::find(machines, one.machine,
                                    &std::pair<std::string, std::vector<std::string>>::first);
        if (at == machines.end()) at = machines.insert(at, {one.machine, {}});
        at->second.push_back(one.name);
    }
    std::string out;
    for (auto const& [machine, names] : machines) {
        out += (out.empty() ? "" : "\n         ") + machine + ": ";
        for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
            out += (i == 0 ? "" : ", ") + names[i];
        if (names.size() > most_named)
            out += " and " + std::to_string(names.size() - most_named) + " more";
    }
    return out;
}

ATTUNE_INLINE void refuse_unlike(std::vector<process_identity> const& all)
{
    for (process_identity const& one : all)
        if (!one.problem.empty())
            throw error("a rank cannot take part in the tuning", one.name + ": " + one.problem, "");
    process_identity const& first = all.front();
    for (process_identity const& one : all)
        if (std::string const why = difference_of_kernels(one, first); !why.empty())
            throw error("a rank cannot take part in the tuning", one.name + ": " + why,
                        "declare the same kernel, with the same inputs, compiler and options, on "
                        "all ranks");
    for (process_identity const& one : all)
        if (one.machine != first.machine)
            throw error("the ranks are on unlike machines, whose times cannot be compared",
                        table_of_machines(all),
                        "tune on the ranks of each machine by themselves: split the communicator "
                        "(MPI_Comm_split)");
}

template <class Message, same_but_const<tried_variant> T>
void list_fields(Message& message, T& tried)
{
    auto& made = tried.made;
    fields(message, made.code.object_key, made.code.compile_s, made.code.from_cache,
           made.first_run_s, made.bounded.error, made.timing.times, made.timing.disturbed,
           made.timing.runs, made.timing.threads, made.timing.clock, tried.features);
}

ATTUNE_INLINE std::string text_of_variant(tried_variant const& tried, std::size_t most_bytes)
{
    std::string out = text_of_fields(tried);
    if (out.size() <= most_bytes) return out;
    tried_variant cut = tried;
    cut.made.timing.times.clear();
    cut.made.timing.disturbed.clear();
    return text_of_fields(cut);
}

ATTUNE_INLINE void read_variant(std::string_view text, tried_variant& to) { read_fields(text, to); }

template <class Message, same_but_const<found_elsewhere> T>
void list_fields(Message& message, T& found)
{
    auto& r = found.report;
    fields(message, found.at, r.kernel, r.compiler, r.how, r.reason, r.configuration,
           r.default_configuration, r.best, r.default_time, r.speedup, r.speedup_low,
           r.speedup_high, r.ties, r.log2_space_size, r.evaluations, r.pruned, r.left_share,
           r.same_code, r.compiled, r.from_cache, r.failures, r.first_failures, r.isolation,
           r.compile_s, r.elapsed_s, r.code_s, r.search_s, r.interrupted, r.notices);
}

ATTUNE_INLINE std::string text_of_found(found_elsewhere const& found)
{
    return text_of_fields(found);
}

ATTUNE_INLINE found_elsewhere read_found(std::string_view text)
{
    found_elsewhere out;
    read_fields(text, out);
    if (out.report.how > decision::call_failed) throw damaged_message();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
