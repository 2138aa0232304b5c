// attune/measure/cuda/worker/detail/worker_answers.hpp - what a worker says, member by member.
// SPDX-License-Identifier: MIT
//
// As in worker_protocol.ipp, a member that is forgotten does not compile
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/detail/worker_lists.hpp>
#include <attune/measure/cuda/worker/worker_protocol.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace attune::inline ATTUNE_ABI::worker {

ATTUNE_INLINE void put(writer& to, failure const& what)
{
    auto const& [stage, reason, log] = what;
    to.put(stage);
    to.put_text(reason);
    to.put_text(log);
}

ATTUNE_INLINE failure get_failure(reader& from)
{
    failure out;
    out.stage = from.get<failure_stage>();
    if (static_cast<std::size_t>(out.stage) >= failure_stage_count) throw damaged_message();
    out.reason = from.get_text();
    out.log = from.get_text();
    return out;
}

ATTUNE_INLINE void put(writer& to, probation_result const& what)
{
    to.put(what.index());
    if (auto const* const seconds = std::get_if<double>(&what))
        to.put(*seconds);
    else
        put(to, std::get<failure>(what));
}

ATTUNE_INLINE probation_result get_probation(reader& from)
{
    if (from.get<std::size_t>() == 0) return from.get<double>();
    return get_failure(from);
}

ATTUNE_INLINE void put(writer& to, outcome const& what)
{
    to.put(what.index());
    if (auto const* const measured = std::get_if<measurement>(&what))
        to.put(*measured);
    else
        put(to, std::get<failure>(what));
}

ATTUNE_INLINE outcome get_outcome(reader& from)
{
    if (from.get<std::size_t>() == 0) return from.get<measurement>();
    return get_failure(from);
}

ATTUNE_INLINE void put(writer& to, timing_record const& what)
{
    auto const& [times, disturbed, runs, threads, clock] = what;
    detail::put_list(to, times);
    detail::put_list(to, disturbed);
    to.put(runs);
    to.put(threads);
    to.put_text(clock);
}

ATTUNE_INLINE timing_record get_timing(reader& from)
{
    timing_record out;
    out.times = detail::get_list<double>(from);
    out.disturbed = detail::get_list<std::uint32_t>(from);
    out.runs = from.get<std::uint32_t>();
    out.threads = from.get<std::uint32_t>();
    out.clock = from.get_text();
    bool const are_numbers =
        std::none_of(out.times.begin(), out.times.end(), [](double t) { return std::isnan(t); });
    // In ascending order, each once.
    bool const are_places =
        std::adjacent_find(out.disturbed.begin(), out.disturbed.end(), std::greater_equal<>()) ==
            out.disturbed.end() &&
        (out.disturbed.empty() || out.disturbed.back() < out.times.size());
    if (!are_numbers || !are_places) throw damaged_message();
    return out;
}

ATTUNE_INLINE void put(writer& to, std::variant<round_times, std::size_t> const& what)
{
    to.put(what.index());
    if (auto const* const failed = std::get_if<std::size_t>(&what)) {
        to.put(*failed);
        return;
    }
    auto const& times = std::get<round_times>(what);
    to.put(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        to.put(times.seconds(i).size());
        for (double const seconds : times.seconds(i))
            to.put(seconds);
    }
}

ATTUNE_INLINE std::variant<round_times, std::size_t> get_comparison(reader& from)
{
    if (from.get<std::size_t>() != 0) return from.get<std::size_t>();
    round_times out(from.get_count());
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t left = from.get_count(); left > 0; --left)
            out.add(i, from.get_number());
    return out;
}

ATTUNE_INLINE void put_thrown(writer& to, std::exception_ptr const& thrown)
{
    // Not by dynamic_cast, which a program without run-time type information does not have.
    try {
        std::rethrow_exception(thrown);
    } catch (error const& known) {
        to.put_text(known.what_alone());
        to.put_text(known.where());
        to.put_text(known.next());
    } catch (std::exception const& other) {
        to.put_text(other.what());
        to.put_text({});
        to.put_text({});
    }
}

ATTUNE_INLINE error get_thrown(reader& from)
{
    std::string const what = from.get_text();
    std::string const where = from.get_text();
    return {what, where, from.get_text()};
}

ATTUNE_INLINE void
put_arrays(message& to, writer& text, std::span<std::vector<std::byte> const> arrays)
{
    std::size_t all = 0;
    text.put(arrays.size());
    for (std::vector<std::byte> const& one : arrays) {
        text.put(one.size());
        all += one.size();
    }
    to.bulk_bytes = all;
    if (all == 0) return;
    shared_memory memory(all);
    std::byte* at = memory.data();
    for (std::vector<std::byte> const& one : arrays)
        at = std::copy(one.begin(), one.end(), at);
    to.bulk = memory.take_file();
}

ATTUNE_INLINE std::vector<std::vector<std::byte>> get_arrays(message& from, reader& text)
{
    shared_memory memory;
    if (from.bulk.is_open())
        memory = shared_memory(std::move(from.bulk), static_cast<std::size_t>(from.bulk_bytes));
    std::vector<std::vector<std::byte>> out(text.get_count());
    std::size_t at = 0;
    for (std::vector<std::byte>& one : out) {
        auto const bytes = text.get<std::size_t>();
        if (bytes > memory.size() - at) throw damaged_message();
        one.assign(memory.data() + at, memory.data() + at + bytes);
        at += bytes;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::worker
