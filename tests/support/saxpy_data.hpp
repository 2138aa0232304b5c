// tests/support/saxpy_data.hpp - the arrays of y += a * x, and what calls make of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/device_span.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace attune_test {

/// x = 1, 2, 3, ... and y = 100, so that a call gives 100 + a * x.
struct saxpy_data {
    std::vector<float> x;
    std::vector<float> y;

    explicit saxpy_data(std::size_t n = 100)
        : x(n)
        , y(n, 100.0F)
    {
        for (std::size_t i = 0; i < n; ++i)
            x[i] = static_cast<float>(i + 1);
    }
    saxpy_data(std::vector<float> given_x, std::vector<float> given_y)
        : x(std::move(given_x))
        , y(std::move(given_y))
    {
    }
    /// Exact: all numbers are small integers.
    bool called_times(int times, float a) const
    {
        for (std::size_t i = 0; i < y.size(); ++i)
            if (x[i] != static_cast<float>(i + 1) ||
                y[i] != 100.0F + static_cast<float>(times) * a * x[i])
                return false;
        return true;
    }
    int n() const { return static_cast<int>(x.size()); }
};

using on_host = void(std::span<float const>, std::span<float>, float, int);
using on_device = void(attune::device_span<float const>, attune::device_span<float>, float, int);
using by_pointer = void(float const*, float*, float, int);

} // namespace attune_test
