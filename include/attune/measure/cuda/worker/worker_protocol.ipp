// attune/measure/cuda/worker/worker_protocol.ipp - what a worker is asked, member by member.
// SPDX-License-Identifier: MIT
//
// Structures are taken apart by structured bindings, so that a member that is added to one of them
// and not here does not compile
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/detail/worker_lists.hpp>
#include <attune/measure/cuda/worker/worker_protocol.hpp>

#include <cstring>

namespace attune::inline ATTUNE_ABI::worker {

ATTUNE_INLINE std::string protocol_mark(std::string_view version,
                                        std::span<std::size_t const> sizes)
{
    content_hash mark;
    mark.add(version);
    for (std::size_t const one : sizes)
        mark.add(std::to_string(one));
    return mark.hex();
}

ATTUNE_INLINE void put(writer& to, device_code const& what)
{
    auto const& [image, entry, architecture, resources] = what;
    to.put_text(image);
    to.put_text(entry);
    to.put(architecture);
    to.put(resources);
}

ATTUNE_INLINE device_code get_code(reader& from)
{
    device_code out;
    out.image = from.get_text();
    out.entry = from.get_text();
    out.architecture = from.get<int>();
    out.resources = from.get<code_resources>();
    return out;
}

ATTUNE_INLINE void put(writer& to, device_variant const& what)
{
    auto const& [code, launch] = what;
    put(to, code);
    to.put(launch);
}

ATTUNE_INLINE device_variant get_variant(reader& from)
{
    device_variant out;
    out.code = get_code(from);
    out.launch = from.get<launch_geometry>();
    reader::require_flag(out.launch.is_cooperative);
    return out;
}

ATTUNE_INLINE void put(writer& to, device_bench_options const& what)
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

ATTUNE_INLINE device_bench_options get_options(reader& from)
{
    device_bench_options out;
    out.cache = from.get<cache_state>();
    out.precision = from.get<double>();
    out.timing_limit_s = from.get<double>();
    out.as_graph = from.get<bool>();
    out.compare_results = from.get<bool>();
    out.perturb = from.get<bool>();
    out.repeat_default = from.get<bool>();
    out.comparison = get_code(from);
    return out;
}

namespace detail {

/// Of this attune. The other end's may differ: a file may be replaced under a running program.
[[nodiscard]] inline std::string own_mark()
{
    constexpr std::size_t sizes[] = {sizeof(sent_region),
                                     sizeof(device_buffer),
                                     sizeof(code_resources),
                                     sizeof(launch_geometry),
                                     sizeof(cache_state),
                                     sizeof(failure_stage),
                                     sizeof(measurement),
                                     sizeof(message_kind),
                                     sizeof(std::size_t)};
    return protocol_mark(version, sizes);
}

} // namespace detail

ATTUNE_INLINE void put(writer& to, beginning const& what)
{
    auto const& [driver_path, bus, options, may_copy, regions, region_of, offset_of, call] = what;
    to.put_text(detail::own_mark());
    to.put_text(driver_path);
    to.put_text(bus);
    put(to, options);
    to.put(may_copy);
    detail::put_list(to, regions);
    detail::put_list(to, region_of);
    detail::put_list(to, offset_of);
    auto const& [ordinal, buffers, arguments] = call;
    to.put(ordinal);
    detail::put_list(to, buffers);
    to.put(arguments.size());
    for (device_argument const& one : arguments) {
        auto const& [index, value] = one;
        to.put(index);
        to.put_text({reinterpret_cast<char const*>(value.data()), value.size()});
    }
}

ATTUNE_INLINE beginning get_beginning(reader& from)
{
    if (from.get_text() != detail::own_mark())
        throw error("the worker process is of another attune than the program that has started it",
                    "the program's file",
                    "start the program anew: its file was replaced while it ran");
    beginning out;
    out.driver_path = from.get_text();
    out.bus = from.get_text();
    out.options = get_options(from);
    out.may_copy = from.get<bool>();
    out.regions = detail::get_list<sent_region>(from);
    out.region_of = detail::get_list<std::size_t>(from);
    out.offset_of = detail::get_list<std::size_t>(from);
    out.call.ordinal = from.get<int>();
    out.call.buffers = detail::get_list<device_buffer>(from);
    out.call.arguments.resize(from.get_count());
    for (device_argument& one : out.call.arguments) {
        one.buffer = from.get<std::size_t>();
        std::string const value = from.get_text();
        one.value.resize(value.size());
        if (!value.empty()) std::memcpy(one.value.data(), value.data(), value.size());
    }
    for (sent_region const& one : out.regions)
        reader::require_flag(one.by_handle);
    for (device_buffer const& one : out.call.buffers) {
        reader::require_flag(one.where.writable);
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

} // namespace attune::inline ATTUNE_ABI::worker
