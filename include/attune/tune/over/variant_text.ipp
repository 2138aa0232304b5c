// attune/tune/over/variant_text.ipp - writes and reads the fields, in order.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>
#include <attune/tune/over/variant_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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

ATTUNE_INLINE std::string text_of_identity(process_identity const& one)
{
    message_writer to;
    to.put_text(one.name);
    to.put_text(one.problem);
    to.put_text(one.space);
    to.put(one.facts.size());
    for (auto const& [what, value] : one.facts) {
        to.put_text(what);
        to.put_text(value);
    }
    to.put_text(one.machine);
    return to.take();
}

ATTUNE_INLINE process_identity read_identity(std::string_view text)
{
    message_reader from(text);
    process_identity out;
    out.name = from.get_text();
    out.problem = from.get_text();
    out.space = from.get_text();
    out.facts.resize(from.get_count());
    for (auto& [what, value] : out.facts) {
        what = from.get_text();
        value = from.get_text();
    }
    out.machine = from.get_text();
    if (!from.is_at_end()) throw damaged_message();
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

template <class T>
void put_all(message_writer& to, std::vector<T> const& values)
{
    to.put(values.size());
    for (T const& one : values)
        if constexpr (std::is_same_v<T, std::string>)
            to.put_text(one);
        else
            to.put(one);
}

template <class T>
[[nodiscard]] std::vector<T> get_all(message_reader& from)
{
    std::vector<T> out(from.get_count());
    for (T& one : out)
        if constexpr (std::is_same_v<T, std::string>)
            one = from.get_text();
        else
            one = from.get<T>();
    return out;
}

[[nodiscard]] inline std::string whole_text_of_variant(tried_variant const& tried)
{
    trial const& made = tried.made;
    message_writer to;
    to.put_text(made.code.object_key);
    to.put(made.code.compile_s);
    to.put(made.code.from_cache);
    to.put(made.first_run_s);
    to.put(made.bounded.error);
    put_all(to, made.timing.times);
    put_all(to, made.timing.disturbed);
    to.put(made.timing.runs);
    to.put(made.timing.threads);
    to.put_text(made.timing.clock);
    put_all(to, tried.features);
    return to.take();
}

ATTUNE_INLINE std::string text_of_variant(tried_variant const& tried, std::size_t most_bytes)
{
    std::string out = whole_text_of_variant(tried);
    if (out.size() <= most_bytes) return out;
    tried_variant cut = tried;
    cut.made.timing.times.clear();
    cut.made.timing.disturbed.clear();
    return whole_text_of_variant(cut);
}

ATTUNE_INLINE void read_variant(std::string_view text, tried_variant& to)
{
    message_reader from(text);
    trial& made = to.made;
    made.code.object_key = from.get_text();
    made.code.compile_s = from.get<double>();
    made.code.from_cache = from.get<bool>();
    made.first_run_s = from.get<double>();
    made.bounded.error = from.get<double>();
    made.timing.times = get_all<double>(from);
    made.timing.disturbed = get_all<std::uint32_t>(from);
    made.timing.runs = from.get<std::uint32_t>();
    made.timing.threads = from.get<std::uint32_t>();
    made.timing.clock = from.get_text();
    to.features = get_all<double>(from);
    if (!from.is_at_end()) throw damaged_message();
}

ATTUNE_INLINE std::string text_of_found(found_elsewhere const& found)
{
    tuning_report const& r = found.report;
    message_writer to;
    to.put(found.at.has_value());
    if (found.at) put_point(to, *found.at);
    to.put_text(r.kernel);
    to.put_text(r.compiler);
    to.put(r.how);
    to.put_text(r.reason);
    to.put_text(r.configuration);
    to.put_text(r.default_configuration);
    put_measurement(to, r.best);
    put_measurement(to, r.default_time);
    to.put(r.speedup);
    to.put(r.speedup_low);
    to.put(r.speedup_high);
    put_all(to, r.ties);
    to.put(r.log2_space_size);
    to.put(r.evaluations);
    to.put(r.pruned);
    to.put(r.left_share);
    to.put(r.same_code);
    to.put(r.compiled);
    to.put(r.from_cache);
    to.put(r.failures);
    to.put(r.first_failures.size());
    for (failure const& one : r.first_failures)
        put_failure(to, one);
    to.put_text(r.isolation);
    to.put(r.compile_s);
    to.put(r.elapsed_s);
    to.put(r.code_s);
    to.put(r.search_s);
    to.put(r.interrupted);
    put_all(to, r.notices);
    return to.take();
}

ATTUNE_INLINE found_elsewhere read_found(std::string_view text)
{
    message_reader from(text);
    found_elsewhere out;
    tuning_report& r = out.report;
    if (from.get<bool>()) out.at = get_point(from);
    r.kernel = from.get_text();
    r.compiler = from.get_text();
    r.how = from.get<decision>();
    if (r.how > decision::call_failed) throw damaged_message();
    r.reason = from.get_text();
    r.configuration = from.get_text();
    r.default_configuration = from.get_text();
    r.best = get_measurement(from);
    r.default_time = get_measurement(from);
    r.speedup = from.get<double>();
    r.speedup_low = from.get<double>();
    r.speedup_high = from.get<double>();
    r.ties = get_all<std::string>(from);
    r.log2_space_size = from.get<double>();
    r.evaluations = from.get<std::uint32_t>();
    r.pruned = from.get<std::uint32_t>();
    r.left_share = from.get<double>();
    r.same_code = from.get<std::uint32_t>();
    r.compiled = from.get<std::uint32_t>();
    r.from_cache = from.get<std::uint32_t>();
    r.failures = from.get<failure_counts>();
    std::size_t const failures = from.get_count();
    for (std::size_t i = 0; i < failures; ++i)
        r.first_failures.push_back(get_failure(from));
    r.isolation = from.get_text();
    r.compile_s = from.get<double>();
    r.elapsed_s = from.get<double>();
    r.code_s = from.get<double>();
    r.search_s = from.get<double>();
    r.interrupted = from.get<bool>();
    r.notices = get_all<std::string>(from);
    if (!from.is_at_end()) throw damaged_message();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
