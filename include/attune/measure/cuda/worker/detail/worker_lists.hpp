// attune/measure/cuda/worker/detail/worker_lists.hpp - lists of plain values in a message.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::worker::detail {

/// A list: its length, then its values.
template <class T>
void put_list(writer& to, std::vector<T> const& what)
{
    to.put(what.size());
    for (T const& one : what)
        to.put(one);
}

/// Errors   damaged_message
template <class T>
[[nodiscard]] std::vector<T> get_list(reader& from)
{
    std::vector<T> out(from.get_count());
    for (T& one : out)
        one = from.get<T>();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::worker::detail
