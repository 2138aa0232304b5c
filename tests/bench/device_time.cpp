// tests/bench/device_time.cpp : mirrors bench/support/device_time.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <vector>

#include "../../bench/support/device_time.hpp"

namespace {

/// A device whose clock is a number; events note what it shows.
struct scripted_device {
    double now_ms = 0;
    std::vector<double> events_ms{};
};
scripted_device device;

std::size_t number_of(attune::detail::cuda::event e)
{
    return reinterpret_cast<std::size_t>(e) - 1;
}

attune::detail::cuda::driver scripted_driver()
{
    device = {};
    attune::detail::cuda::driver d{};
    d.event_create = [](attune::detail::cuda::event* out, unsigned) {
        device.events_ms.push_back(0);
        *out = reinterpret_cast<attune::detail::cuda::event>(device.events_ms.size());
        return 0;
    };
    d.event_destroy = [](attune::detail::cuda::event) { return 0; };
    d.event_record = [](attune::detail::cuda::event e, attune::detail::cuda::stream) {
        device.events_ms[number_of(e)] = device.now_ms;
        return 0;
    };
    d.stream_synchronize = [](attune::detail::cuda::stream) { return 0; };
    d.event_elapsed_ms = [](float* out, attune::detail::cuda::event begin,
                            attune::detail::cuda::event end) {
        *out = static_cast<float>(device.events_ms[number_of(end)] -
                                  device.events_ms[number_of(begin)]);
        return 0;
    };
    return d;
}

} // namespace

TEST_CASE("batches last a few milliseconds, also when the first call loads the code")
{
    attune::detail::cuda::driver const driver = scripted_driver();
    int calls = 0;
    auto const seconds = bench::device_seconds(driver, [&] {
        device.now_ms += calls++ == 0 ? 300 : 0.05;
        return true;
    });
    REQUIRE(seconds);
    CHECK(*seconds == doctest::Approx(5e-5));
    // 20 batches of 5 ms are 2000 calls; few more to warm up.
    CHECK(calls >= 20 * 99);
    CHECK(calls <= 20 * 101 + 100);
}

TEST_CASE("long work is timed alone, short work not more than 1000 times in a row")
{
    attune::detail::cuda::driver const driver = scripted_driver();
    int calls = 0;
    auto const work = [&](double ms) {
        calls = 0;
        return bench::device_seconds(driver, [&calls, ms] {
            ++calls;
            device.now_ms += ms;
            return true;
        });
    };
    CHECK(work(40).value() == doctest::Approx(0.04));
    CHECK(calls <= 20 + 100);
    device.now_ms = 0;
    CHECK(work(1e-5).value() == doctest::Approx(1e-8).epsilon(0.01));
    CHECK(calls <= 20 * 1000 + 100);
}

TEST_CASE("work that fails has no time")
{
    attune::detail::cuda::driver const driver = scripted_driver();
    int calls = 0;
    CHECK_FALSE(bench::device_seconds(driver, [&] {
        ++calls;
        return false;
    }));
    CHECK(calls == 1);
}
