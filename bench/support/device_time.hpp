// bench/support/device_time.hpp - how long work on a device takes, by the device's own events.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/cuda/driver.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "median.hpp"

namespace bench {

/// Median seconds of one `work`, which is put on the default stream of the current context: of 20
/// batches that last a few milliseconds each, so that neither the way to the device nor an idle
/// clock shows. Nothing when it fails.
[[nodiscard]] inline std::optional<double>
device_seconds(attune::detail::cuda::driver const& driver, std::function<bool()> const& work)
{
    constexpr int batches = 20;
    constexpr double batch_s = 5e-3;
    constexpr int warm_ups = 20;
    constexpr int most_runs = 1000;
    attune::detail::cuda::event begin = nullptr;
    attune::detail::cuda::event end = nullptr;
    driver.event_create(&begin, 0);
    driver.event_create(&end, 0);
    auto const seconds_of = [&](int runs) -> std::optional<double> {
        driver.event_record(begin, nullptr);
        bool worked = true;
        for (int i = 0; i < runs && worked; ++i)
            worked = work();
        driver.event_record(end, nullptr);
        float ms = 0;
        if (!worked || driver.stream_synchronize(nullptr) != 0 ||
            driver.event_elapsed_ms(&ms, begin, end) != 0)
            return {};
        return static_cast<double>(ms) * 1e-3 / runs;
    };
    std::vector<double> seconds;
    // The first call may load the library's code for it, which takes longer than many batches: what
    // says how many calls a batch needs comes after that.
    std::optional<double> const cold = seconds_of(warm_ups);
    if (std::optional<double> const warm = cold ? seconds_of(warm_ups) : cold) {
        double const wanted = batch_s / std::max(*warm, 1e-9);
        int const runs = static_cast<int>(std::clamp(wanted, 1.0, double{most_runs}));
        for (int i = 0; i < batches; ++i)
            if (std::optional<double> const s = seconds_of(runs)) seconds.push_back(*s);
    }
    driver.event_destroy(begin);
    driver.event_destroy(end);
    if (seconds.empty()) return {};
    return median(std::move(seconds));
}

} // namespace bench
