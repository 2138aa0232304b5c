// tests/support/device_arguments.hpp - the arguments of a call, as a bench on a device takes them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/device/device_bench.hpp>

#include <cstddef>
#include <cstring>

namespace attune_test {

template <class T>
[[nodiscard]] attune::detail::device_argument by_value(T value)
{
    attune::detail::device_argument a;
    a.value.resize(sizeof(T));
    std::memcpy(a.value.data(), &value, sizeof(T));
    return a;
}

[[nodiscard]] inline attune::detail::device_argument array_number(std::size_t i)
{
    attune::detail::device_argument a;
    a.buffer = i;
    return a;
}

} // namespace attune_test
