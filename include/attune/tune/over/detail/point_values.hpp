// attune/tune/over/detail/point_values.hpp - a configuration as values of a message.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/message/message_values.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

inline void put_point(message_writer& to, point const& at)
{
    to.put(at.size());
    for (coordinate const& c : at) {
        to.put(c.index);
        to.put(c.real);
    }
}

[[nodiscard]] inline point get_point(message_reader& from)
{
    point out(from.get_count());
    for (coordinate& c : out) {
        c.index = from.get<std::uint32_t>();
        c.real = from.get<double>();
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
