// tests/measure/device/scripted_call.hpp - calls of kernels that a scripted device runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/device_session.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "../../support/device_arguments.hpp"
#include "scripted_driver.hpp"

namespace attune_test {

/// f(x, y, n) with n floats in each: x[i] = i + 1 is only read, y[i] = 100. Both are the host's, or
/// lie in a vector that plays the device's memory.
struct scripted_call {
    std::vector<float> x;
    std::vector<float> y;
    attune::detail::device_call call{};

    explicit scripted_call(
        std::size_t n, attune::detail::memory_place place = attune::detail::memory_place::device)
        : x(n)
        , y(n, 100)
    {
        for (std::size_t i = 0; i < n; ++i)
            x[i] = static_cast<float>(i + 1);
        call.buffers = {{attune::detail::as_buffer(std::span<float const>(x), 0), place},
                        {attune::detail::as_buffer(std::span<float>(y), 1), place}};
        call.arguments = {array_number(0), array_number(1), by_value(static_cast<int>(n))};
    }
};

/// A kernel over that call: f(x, y, n).
template <class Function>
[[nodiscard]] scripted_device::kernel over_arrays(Function const& f, double seconds = 1e-3)
{
    return [f, seconds](scripted_launch const& l) {
        f(l.array<float>(0), l.array<float>(1), l.at<int>(2));
        return seconds;
    };
}

inline void doubled(float const* x, float* y, int n)
{
    for (int i = 0; i < n; ++i)
        y[i] = 2 * x[i];
}
inline void added(float const* x, float* y, int n)
{
    for (int i = 0; i < n; ++i)
        y[i] += x[i];
}
inline void unchanged(float const*, float*, int) {}

/// "doubled" and others of its kind that are fast, short, idle, or do not survive.
inline void give_kernels(scripted_device& device)
{
    device.kernels["doubled"] = over_arrays(doubled, 2e-3);
    device.kernels["faster"] = over_arrays(doubled, 1e-3);
    device.kernels["short"] = over_arrays(doubled, 5e-6);
    device.kernels["idle"] = over_arrays(unchanged);
    device.kernels["faults"] = [&device](scripted_launch const&) {
        device.pending = cu::illegal_address;
        return 0.0;
    };
    device.kernels["hangs"] = [&device](scripted_launch const&) {
        device.looks_until_done = -1;
        return 0.0;
    };
}

/// A session on a scripted device, its context current.
struct scripted_session {
    scripted_device device{};
    std::shared_ptr<attune::detail::device_session> where =
        std::make_shared<attune::detail::device_session>(device.driver(), 0);
    attune::detail::cuda::context_scope here{where->context()};
};

} // namespace attune_test
