// attune/measure/device/worker/worker_protocol.ipp - encodes and decodes structures member by member.
// SPDX-License-Identifier: MIT
//
// Structured bindings name all members: a new member without code here does not compile.
#pragma once

#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/device/worker/detail/member_values.hpp>
#include <attune/measure/device/worker/worker_protocol.hpp>
#include <attune/measure/message/message_values.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::worker {

ATTUNE_INLINE std::string protocol_mark(std::string_view version,
                                        std::span<std::size_t const> sizes)
{
    content_hash mark;
    mark.add(version);
    for (std::size_t const one : sizes)
        mark.add(std::to_string(one));
    return mark.hex();
}

ATTUNE_INLINE void put(message_writer& to, device_code const& what)
{
    auto const& [image, entry, architecture, resources, ptx] = what;
    static_cast<void>(ptx); // it never runs
    to.put_text(image);
    to.put_text(entry);
    to.put(architecture);
    put_value(to, resources);
}

ATTUNE_INLINE device_code get_code(message_reader& from)
{
    device_code out;
    out.image = from.get_text();
    out.entry = from.get_text();
    out.architecture = from.get<int>();
    get_value(from, out.resources);
    return out;
}

ATTUNE_INLINE void put(message_writer& to, device_variant const& what)
{
    auto const& [code, launch] = what;
    put(to, code);
    put_value(to, launch);
}

ATTUNE_INLINE device_variant get_variant(message_reader& from)
{
    device_variant out;
    out.code = get_code(from);
    get_value(from, out.launch);
    return out;
}

ATTUNE_INLINE void put(message_writer& to, device_bench_options const& what)
{
    auto const& [cache, precision, limit_s, as_graph, compares, perturb, repeats, comparison] =
        what;
    to.put(cache);
    to.put(precision);
    to.put(limit_s);
    to.put(as_graph);
    to.put(compares);
    to.put(perturb);
    to.put(repeats);
    put(to, comparison);
}

ATTUNE_INLINE device_bench_options get_options(message_reader& from)
{
    device_bench_options out;
    out.cache = get_enum(from, cache_state::cold);
    out.precision = from.get<double>();
    out.timing_limit_s = from.get<double>();
    out.as_graph = from.get<bool>();
    out.compare_results = from.get<bool>();
    out.perturb = from.get<bool>();
    out.repeat_default = from.get<bool>();
    out.comparison = get_code(from);
    return out;
}

/// The mark of this attune. The other end differs if the program's file was replaced.
[[nodiscard]] inline std::string own_mark()
{
    constexpr std::size_t sizes[] = {
        sizeof(sent_region),     sizeof(device_buffer), sizeof(code_resources),
        sizeof(launch_geometry), sizeof(cache_state),   sizeof(failure_stage),
        sizeof(measurement),     sizeof(message_kind),  sizeof(std::size_t)};
    return protocol_mark(version, sizes);
}

ATTUNE_INLINE void put(message_writer& to, beginning const& what)
{
    auto const& [driver_path, bus, options, may_copy, regions, region_of, offset_of, call] = what;
    to.put_text(own_mark());
    to.put_text(driver_path);
    to.put_text(bus);
    put(to, options);
    to.put(may_copy);
    put_list(to, regions);
    put_list(to, region_of);
    put_list(to, offset_of);
    auto const& [ordinal, buffers, arguments] = call;
    to.put(ordinal);
    put_list(to, buffers);
    to.put(arguments.size());
    for (device_argument const& one : arguments) {
        auto const& [index, value] = one;
        to.put(index);
        to.put_text({reinterpret_cast<char const*>(value.data()), value.size()});
    }
}

ATTUNE_INLINE beginning get_beginning(message_reader& from)
{
    if (from.get_text() != own_mark())
        throw error("the worker process is of another attune than the program that has started it",
                    "the program's file",
                    "start the program anew: its file was replaced while it ran");
    beginning out;
    out.driver_path = from.get_text();
    out.bus = from.get_text();
    out.options = get_options(from);
    out.may_copy = from.get<bool>();
    out.regions = get_list<sent_region>(from);
    out.region_of = get_list<std::size_t>(from);
    out.offset_of = get_list<std::size_t>(from);
    out.call.ordinal = from.get<int>();
    out.call.buffers = get_list<device_buffer>(from);
    out.call.arguments.resize(from.get_count());
    for (device_argument& one : out.call.arguments) {
        one.buffer = from.get<std::size_t>();
        std::string const value = from.get_text();
        one.value.resize(value.size());
        if (!value.empty()) std::memcpy(one.value.data(), value.data(), value.size());
    }
    for (device_buffer const& one : out.call.buffers) {
        if (!is_sound(one.where) || one.where.gaps.rows != 0) throw damaged_message();
    }
    for (device_argument const& one : out.call.arguments)
        if (one.buffer != device_argument::by_value && one.buffer >= out.call.buffers.size())
            throw damaged_message();
    std::size_t const arrays = out.call.buffers.size();
    if (out.region_of.size() != arrays || out.offset_of.size() != arrays) throw damaged_message();
    for (std::size_t i = 0; i < arrays; ++i)
        if (out.region_of[i] >= out.regions.size() ||
            out.offset_of[i] > out.regions[out.region_of[i]].bytes ||
            out.call.buffers[i].where.bytes >
                out.regions[out.region_of[i]].bytes - out.offset_of[i])
            throw damaged_message();
    return out;
}

ATTUNE_INLINE void put(message_writer& to, first_run_result const& what)
{
    to.put(what.index());
    if (auto const* const seconds = std::get_if<double>(&what))
        to.put(*seconds);
    else
        put_failure(to, std::get<failure>(what));
}

ATTUNE_INLINE first_run_result get_first_run_result(message_reader& from)
{
    if (from.get<std::size_t>() == 0) return from.get<double>();
    return get_failure(from);
}

ATTUNE_INLINE void put(message_writer& to, timing_record const& what)
{
    auto const& [times, disturbed, runs, threads, clock] = what;
    put_list(to, times);
    put_list(to, disturbed);
    to.put(runs);
    to.put(threads);
    to.put_text(clock);
}

ATTUNE_INLINE timing_record get_timing(message_reader& from)
{
    timing_record out;
    out.times = get_list<double>(from);
    out.disturbed = get_list<std::uint32_t>(from);
    out.runs = from.get<std::uint32_t>();
    out.threads = from.get<std::uint32_t>();
    out.clock = from.get_text();
    bool const are_numbers =
        std::none_of(out.times.begin(), out.times.end(), [](double t) { return std::isnan(t); });
    // Indices must be strictly ascending.
    bool const are_places = std::adjacent_find(out.disturbed.begin(), out.disturbed.end(),
                                               std::greater_equal<>()) == out.disturbed.end() &&
                            (out.disturbed.empty() || out.disturbed.back() < out.times.size());
    if (!are_numbers || !are_places) throw damaged_message();
    return out;
}

ATTUNE_INLINE void put(message_writer& to, std::variant<round_times, std::size_t> const& what)
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

ATTUNE_INLINE std::variant<round_times, std::size_t> get_comparison(message_reader& from)
{
    if (from.get<std::size_t>() != 0) return from.get<std::size_t>();
    round_times out(from.get_count());
    for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t left = from.get_count(); left > 0; --left)
            out.add(i, from.get_number());
    return out;
}

ATTUNE_INLINE void put_thrown(message_writer& to, std::exception_ptr const& thrown)
{
    // dynamic_cast would need run-time type information.
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

ATTUNE_INLINE error get_thrown(message_reader& from)
{
    std::string const what = from.get_text();
    std::string const where = from.get_text();
    return {what, where, from.get_text()};
}

ATTUNE_INLINE void put_arrays(message& to, message_writer& text,
                              std::span<std::vector<std::byte> const> arrays)
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

ATTUNE_INLINE std::vector<std::vector<std::byte>> get_arrays(message& from, message_reader& text)
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

} // namespace attune::inline ATTUNE_ABI::detail::worker
