// attune/measure/device/worker/detail/member_values.hpp - structures of a call and its results, member by member.
// SPDX-License-Identifier: MIT
//
// Structured bindings name all members: a new member without code here does not compile.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/device/worker/worker_protocol.hpp>
#include <attune/measure/device/worker/worker_wire.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// An enumerator that is at most `last`.
/// Errors   damaged_message
template <class Enum>
[[nodiscard]] Enum get_enum(message_reader& from, Enum last)
{
    auto const value = from.get<Enum>();
    if (value > last) throw damaged_message();
    return value;
}

inline void put_value(message_writer& to, std::size_t what) { to.put(what); }
inline void put_value(message_writer& to, std::uint32_t what) { to.put(what); }
inline void put_value(message_writer& to, double what) { to.put(what); }
inline void get_value(message_reader& from, std::size_t& into) { into = from.get<std::size_t>(); }
inline void get_value(message_reader& from, std::uint32_t& into)
{
    into = from.get<std::uint32_t>();
}
inline void get_value(message_reader& from, double& into) { into = from.get<double>(); }

inline void put_value(message_writer& to, code_resources const& what)
{
    auto const& [registers, spill, stack, shared, constant, threads] = what;
    to.put(std::array{registers, spill, stack, shared, constant, threads});
}
inline void get_value(message_reader& from, code_resources& into)
{
    auto& [registers, spill, stack, shared, constant, threads] = into;
    for (std::int64_t* const one : {&registers, &spill, &stack, &shared, &constant, &threads})
        *one = from.get<std::int64_t>();
}

inline void put_value(message_writer& to, launch_geometry const& what)
{
    auto const& [grid, block, cluster, shared_bytes, is_cooperative] = what;
    to.put(grid);
    to.put(block);
    to.put(cluster);
    to.put(shared_bytes);
    to.put(is_cooperative);
}
inline void get_value(message_reader& from, launch_geometry& into)
{
    auto& [grid, block, cluster, shared_bytes, is_cooperative] = into;
    for (auto* const one : {&grid, &block, &cluster})
        *one = from.get<std::array<std::int64_t, 3>>();
    shared_bytes = from.get<std::int64_t>();
    is_cooperative = from.get<bool>();
}

inline void put_value(message_writer& to, tolerance const& what)
{
    auto const& [absolute, relative, any] = what;
    to.put(absolute);
    to.put(relative);
    to.put(any);
}
inline void get_value(message_reader& from, tolerance& into)
{
    auto& [absolute, relative, any] = into;
    absolute = from.get<double>();
    relative = from.get<double>();
    any = from.get<bool>();
}

inline void put_value(message_writer& to, element_run const& what)
{
    auto const& [offset, count, type, within] = what;
    to.put(offset);
    to.put(count);
    to.put(type);
    put_value(to, within);
}
inline void get_value(message_reader& from, element_run& into)
{
    auto& [offset, count, type, within] = into;
    offset = from.get<std::uint32_t>();
    count = from.get<std::uint32_t>();
    type = get_enum(from, element_type::extended);
    get_value(from, within);
}

/// The address is not sent: it is valid in the sender only. Arrays with gaps are never sent.
inline void put_value(message_writer& to, device_buffer const& what)
{
    auto const& [where, place] = what;
    auto const& [data, bytes, type, writable, within, argument, gaps, structure, run_count, runs,
                 first_target, target] = where;
    static_cast<void>(data);
    auto const& [row, rows, row_stride, slices, slice_stride] = gaps;
    to.put(bytes);
    to.put(type);
    to.put(writable);
    put_value(to, within);
    to.put(argument);
    to.put(std::array{row, rows, row_stride, slices, slice_stride, structure});
    to.put(run_count);
    for (std::size_t i = 0; i < std::min<std::size_t>(run_count, runs.size()); ++i)
        put_value(to, runs[i]);
    to.put(first_target);
    to.put(target);
    to.put(place);
}
inline void get_value(message_reader& from, device_buffer& into)
{
    auto& [where, place] = into;
    auto& [data, bytes, type, writable, within, argument, gaps, structure, run_count, runs,
           first_target, target] = where;
    data = nullptr;
    auto& [row, rows, row_stride, slices, slice_stride] = gaps;
    bytes = from.get<std::size_t>();
    type = get_enum(from, element_type::extended);
    writable = from.get<bool>();
    get_value(from, within);
    argument = from.get<std::size_t>();
    for (std::size_t* const one : {&row, &rows, &row_stride, &slices, &slice_stride, &structure})
        *one = from.get<std::size_t>();
    run_count = from.get<std::uint32_t>();
    if (run_count > runs.size()) throw damaged_message();
    for (std::size_t i = 0; i < run_count; ++i)
        get_value(from, runs[i]);
    first_target = from.get<std::size_t>();
    target = from.get<std::size_t>();
    place = get_enum(from, memory_place::device);
}

inline void put_value(message_writer& to, sent_region const& what)
{
    auto const& [place, bytes, skew, by_handle, handle, offset] = what;
    to.put(place);
    to.put(bytes);
    to.put(skew);
    to.put(by_handle);
    to.put_text({handle.reserved, sizeof handle.reserved});
    to.put(offset);
}
inline void get_value(message_reader& from, sent_region& into)
{
    auto& [place, bytes, skew, by_handle, handle, offset] = into;
    place = get_enum(from, memory_place::device);
    bytes = from.get<std::size_t>();
    skew = from.get<std::size_t>();
    by_handle = from.get<bool>();
    std::string const text = from.get_text();
    if (text.size() != sizeof handle.reserved) throw damaged_message();
    std::memcpy(handle.reserved, text.data(), text.size());
    offset = from.get<std::size_t>();
}

/// A list as its length and its values.
template <class T>
void put_list(message_writer& to, std::vector<T> const& what)
{
    to.put(what.size());
    for (T const& one : what)
        put_value(to, one);
}

/// Errors   damaged_message
template <class T>
[[nodiscard]] std::vector<T> get_list(message_reader& from)
{
    std::vector<T> out(from.get_count());
    for (T& one : out)
        get_value(from, one);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
