// tests/measure/device/device_runs.cpp : mirrors include/attune/measure/device/device_runs.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/device/device_runs.hpp>

#include <attune/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/sanitized.hpp"
#include "scripted_call.hpp"

using attune::failure_stage;
using attune::detail::device_clock;
using attune::detail::device_run_options;
using attune::detail::device_runs;
using attune::detail::launch_graph;
using attune::detail::loaded_variant;
using attune::detail::stopped;
using attune_test::scripted_launch;
using attune_test::variant_named;

namespace {

/// Kernels of these lengths on a scripted device.
struct scripted_field {
    attune_test::scripted_session session{};
    device_clock clock{session.where};
    attune::detail::packed_arguments arguments{{}, {}};
    int prepared = 0;
    double prepare_s = 0.5;

    device_runs of(std::vector<double> const& seconds, device_run_options options = {})
    {
        std::vector<std::shared_ptr<loaded_variant>> loaded;
        for (double const s : seconds) {
            std::string const name = std::to_string(loaded.size());
            session.device.kernels[name] = [s](scripted_launch const&) { return s; };
            loaded.push_back(std::make_shared<loaded_variant>(session.where, variant_named(name)));
        }
        return {session.where,
                clock,
                [this] {
                    ++prepared;
                    session.device.now_s += prepare_s; // on the same stream, but not timed
                },
                std::move(loaded),
                arguments,
                std::move(options)};
    }
};

template <class Function>
attune::failure failure_of(Function const& f)
{
    try {
        f();
    } catch (stopped const& s) {
        return s.why;
    }
    return {failure_stage::compile, "none"};
}

} // namespace

TEST_CASE("a sample is the time of one of several runs, without what prepares them")
{
    scripted_field f;
    device_runs runs = f.of({1e-3});
    CHECK(runs.take(0, 1).seconds == doctest::Approx(1.001e-3));
    CHECK(runs.take(0, 10).seconds == doctest::Approx(1.0001e-3));
    CHECK(f.prepared == 2);
    CHECK(f.session.device.launches == 11);
}

TEST_CASE("as many runs share a sample as make it a hundred times what events cost")
{
    scripted_field f;
    f.session.device.event_cost_s = 2e-6;
    device_runs runs = f.of({1e-3});
    runs.calibrate();
    CHECK(runs.runs_for(1e-3) == 1);
    CHECK(runs.runs_for(1e-5) == doctest::Approx(20).epsilon(0.06)); // times are floats of ms
    f.session.device.event_cost_s = 0;
    runs.calibrate();
    CHECK(runs.runs_for(1e-5) == 5); // half a microsecond is what events resolve
}

TEST_CASE("a graph is captured once for every number of runs, and first replayed uncounted")
{
    scripted_field f;
    device_run_options options{.as_graph = true};
    device_runs runs = f.of({1e-3, 2e-3}, options);
    CHECK(runs.take(0, 4).seconds == doctest::Approx(1e-3).epsilon(0.01));
    CHECK(f.session.device.replays == 2);
    CHECK(f.prepared == 2);
    CHECK(runs.take(0, 4).seconds == doctest::Approx(1e-3).epsilon(0.01));
    CHECK(runs.take(1, 4).seconds == doctest::Approx(2e-3).epsilon(0.01));
    CHECK(runs.take(0, 4).seconds == doctest::Approx(1e-3).epsilon(0.01));
    CHECK(f.session.device.calls["graph_instantiate"] == 2);
    static_cast<void>(runs.take(0, 1));
    CHECK(f.session.device.calls["graph_instantiate"] == 3);
    CHECK(f.session.device.live["executable graph"] == 2);
}

TEST_CASE("a sample on a device whose clock has fallen is disturbed")
{
    scripted_field f;
    attune::detail::cuda::clock_reading now;
    device_run_options options;
    options.reading = [&] { return now; };
    device_runs runs = f.of({1e-3}, options);
    now.mhz = 1900;
    CHECK(!runs.take(0, 1).is_disturbed);
    now.mhz = 1720;
    CHECK(!runs.take(0, 1).is_disturbed);
    now.mhz = 1700;
    CHECK(runs.take(0, 1).is_disturbed);
    now.mhz = 0; // not known
    CHECK(!runs.take(0, 1).is_disturbed);
    now.mhz = 1700;
    device_runs next = f.of({1e-3}, options); // another timing of the same bench
    CHECK(next.take(0, 1).is_disturbed);
}

TEST_CASE("a sample on a device that heat or its supply slows down is disturbed, one at its usual "
          "limit of power is not")
{
    using attune::detail::cuda::clock_reading;
    scripted_field f;
    clock_reading now;
    device_run_options options;
    options.reading = [&] { return now; };
    device_runs runs = f.of({1e-3}, options);
    for (auto const& [mhz, reasons, is_disturbed] :
         std::vector<std::tuple<std::uint32_t, std::uint64_t, bool>>{
             {1900, 0, false},
             {1900, clock_reading::slowdown, true},
             {1900, clock_reading::software_heat, true},
             {1900, clock_reading::hardware_heat, true},
             {1900, clock_reading::power_brake, true},
             {1900, clock_reading::power_cap | clock_reading::set_by_user, false},
             {1200, clock_reading::power_cap, false}, // however low the clock is there
             {1200, clock_reading::power_cap | clock_reading::hardware_heat, true},
             {1200, 0, true}}) { // as low, and nobody says why
        CAPTURE(reasons);
        now = {mhz, 1980, reasons};
        CHECK(runs.take(0, 1).is_disturbed == is_disturbed);
    }
}

TEST_CASE("the device is kept busy, and its caches as a run leaves them, until a sample begins")
{
    scripted_field f;
    device_run_options options;
    std::size_t launched_before_fill = 99;
    options.fill = [&] {
        launched_before_fill = f.session.device.launches;
        f.session.device.now_s += 0.25; // not timed
    };
    CHECK(f.of({1e-3}, options).take(0, 1).seconds == doctest::Approx(1.001e-3));
    CHECK(launched_before_fill == 0);
    CHECK(f.session.device.launches == 1);
    for (bool const as_graph : {false, true}) {
        f.session.device.launches = 0;
        options.as_graph = as_graph;
        options.follows_itself = true;
        device_runs runs = f.of({1e-3}, options);
        CHECK(runs.take(0, 2).seconds == doctest::Approx(1.0005e-3));
        CHECK(f.session.device.launches == (as_graph ? 5 : 3)); // a graph's first replay
    }
}

TEST_CASE("a device is warmed up for 20 ms at first, 2 ms later, by long runs or many short ones")
{
    scripted_field f;
    f.prepare_s = 0;
    f.session.device.event_cost_s = 0;
    device_runs runs = f.of({5.1e-3, 0.52e-3, 1e-6});
    auto const launches_of = [&](std::size_t i) {
        std::size_t const before = f.session.device.launches;
        runs.warm_up(i);
        return f.session.device.launches - before;
    };
    CHECK(launches_of(0) == 4 + 1); // the last one tells how long it takes
    CHECK(launches_of(0) == 1 + 1);
    CHECK(launches_of(1) == 4 + 1);
    CHECK(launches_of(2) >= 400); // of which the host enqueues one in 5 us
    CHECK(launches_of(2) <= 450 + 2);
    CHECK(f.prepared == static_cast<int>(f.session.device.launches));
}

TEST_CASE("a device whose clock can be read is warmed up until it is high, but not for ever")
{
    scripted_field f;
    f.prepare_s = 0;
    f.session.device.event_cost_s = 0;
    attune::detail::cuda::clock_reading now{1000, 2000, 0};
    device_run_options options;
    options.reading = [&] { return now; };
    options.history->highest_mhz = 2000;
    options.history->is_warm = true;
    device_runs runs = f.of({1.01e-3}, options);
    runs.warm_up(0);
    CHECK(f.session.device.launches == 100 + 1);
    f.session.device.launches = 0;
    f.session.device.kernels["0"] = [&](scripted_launch const&) {
        now.mhz += 100;
        return 1.01e-3;
    };
    runs.warm_up(0);
    CHECK(f.session.device.launches == 8 + 1);
}

TEST_CASE("what hangs among many runs is not waited for as long as for each of them")
{
    if (is_skipped(address_sanitized, "what still runs is never freed")) return;
    scripted_field f;
    device_run_options options{.limit_s = 0.02};
    device_runs runs = f.of({1e-6}, options);
    f.session.device.looks_until_done = -1;
    try {
        static_cast<void>(runs.take(0, 1000));
        FAIL("it did not throw");
    } catch (attune::detail::stopped const& s) {
        CHECK(s.why.stage == attune::failure_stage::timeout);
        CHECK(s.why.reason.find("0.02") != std::string::npos);
    }
}

TEST_CASE("who ran last is known when a run fails")
{
    scripted_field f;
    device_runs runs = f.of({1e-3, 2e-3});
    runs.warm_up(0);
    CHECK(runs.latest() == 0);
    CHECK(runs.warm_up_s(0) == doctest::Approx(1.001e-3));
    f.session.device.kernels["1"] = [&](scripted_launch const&) {
        f.session.device.pending = attune::detail::cuda::illegal_address;
        return 0.0;
    };
    CHECK_THROWS_AS(runs.warm_up(1), attune::detail::stopped);
    CHECK(runs.latest() == 1);
}

TEST_CASE("a graph replays what was captured, as often as it was, and captures without running")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    loaded_variant code(s.where, variant_named("k"));
    {
        launch_graph graph(s.where, nullptr, [&] {
            for (int i = 0; i < 3; ++i)
                code.launch(nullptr, nullptr);
        });
        CHECK(s.device.launches == 0);
        CHECK(s.device.live["graph"] == 0);
        graph.replay(nullptr);
        CHECK(s.device.launches == 3);
        graph.replay(nullptr);
        CHECK(s.device.launches == 6);
        CHECK(s.device.live["executable graph"] == 1);
    }
    CHECK(s.device.live["executable graph"] == 0);
}

TEST_CASE("what cannot be captured fails at launch and leaves nothing behind")
{
    for (char const* const name :
         {"stream_begin_capture", "stream_end_capture", "graph_instantiate"}) {
        CAPTURE(name);
        attune_test::scripted_session s;
        s.device.fails = name;
        s.device.fails_with = attune::detail::cuda::invalid_value;
        try {
            launch_graph const graph(s.where, nullptr, [] {});
            FAIL("it did not throw");
        } catch (stopped const& why) {
            CHECK(why.why.stage == failure_stage::launch);
            CHECK(!why.why.reason.empty());
        }
        CHECK(s.device.live["graph"] == 0);
        CHECK(s.device.live["executable graph"] == 0);
    }
}

TEST_CASE("a launch that fails while it is captured ends the capture")
{
    attune_test::scripted_session s;
    CHECK_THROWS_AS(
        launch_graph(s.where, nullptr, []() -> void { throw std::runtime_error("no"); }),
        std::runtime_error);
    CHECK(!s.device.capturing);
    CHECK(s.device.live["graph"] == 0);
}

TEST_CASE("where the driver does not know its cache, a large one is assumed")
{
    attune_test::scripted_session s;
    attune::detail::device_clock clock(s.where);
    s.device.fails = "device_get_attribute";
    attune::detail::l2_flush flush(s.where);
    flush.enqueue(clock);
    CHECK(s.device.flushed_bytes == std::size_t{128} << 20);
}

TEST_CASE("all the work of a filler is put on the stream by one call")
{
    attune_test::scripted_session s;
    {
        attune::detail::device_clock clock(s.where);
        attune::detail::queue_filler filler(s.where, clock);
        CHECK(s.device.calls["set_bytes_async"] == attune::detail::queue_filler::fills);
        CHECK(s.device.used_bytes == attune::detail::queue_filler::bytes);
        filler.enqueue(clock);
        filler.enqueue(clock);
        CHECK(s.device.replays == 2);
        CHECK(s.device.calls["set_bytes_async"] == attune::detail::queue_filler::fills);
    }
    CHECK(s.device.used_bytes == 0);
    CHECK(s.device.live["executable graph"] == 0);
}

TEST_CASE("where there is no room for it, a filler does nothing")
{
    attune_test::scripted_session s;
    s.device.memory_bytes = attune::detail::queue_filler::bytes - 1;
    attune::detail::device_clock clock(s.where);
    attune::detail::queue_filler filler(s.where, clock);
    filler.enqueue(clock);
    CHECK(s.device.replays == 0);
    CHECK(s.device.used_bytes == 0);
}

TEST_CASE("a launch hands over its arguments in their order")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [&](scripted_launch const& l) {
        CHECK(l.at<attune::detail::cuda::device_pointer>(0) == 4096);
        CHECK(l.at<double>(1) == 2.5);
        CHECK(l.at<attune::detail::cuda::device_pointer>(2) == 8192);
        return 0.0;
    };
    std::vector<attune::detail::device_argument> const list{
        attune_test::array_number(1), attune_test::by_value(2.5), attune_test::array_number(0)};
    attune::detail::packed_arguments arguments(list, {8192, 4096});
    CHECK(arguments.size() == 3);
    loaded_variant(s.where, variant_named("k")).launch(nullptr, arguments.all());
    CHECK(s.device.launches == 1);
    CHECK(s.device.live["module"] == 0);
}

TEST_CASE("an error of an earlier kernel that shows at loading is a crash, and ends all work there")
{
    for (char const* const shows_at :
         {"module_load_data", "module_get_function", "function_set_attribute"}) {
        CAPTURE(shows_at);
        attune_test::scripted_session s;
        s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
        attune::device_variant v = variant_named("k");
        v.launch.shared_bytes = 100000;
        s.device.fails = shows_at;
        s.device.fails_with = attune::detail::cuda::invalid_value;
        CHECK(failure_of([&] { loaded_variant(s.where, v); }).stage != failure_stage::crash);
        s.where->require_alive();
        s.device.fails_with = attune::detail::cuda::illegal_address;
        CHECK(failure_of([&] { loaded_variant(s.where, v); }).stage == failure_stage::crash);
        CHECK_THROWS_AS(s.where->require_alive(), attune::error);
        s.device.fails.clear();
    }
}

TEST_CASE("a geometry that no launch can have fails without asking the driver")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    for (std::int64_t const n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32}) {
        attune::device_variant v = variant_named("k");
        v.launch.grid[1] = n;
        attune::failure const f = failure_of([&] { loaded_variant(s.where, v); });
        CHECK(f.stage == failure_stage::launch);
        CHECK(f.reason.find("grid 1x" + std::to_string(n) + "x1") != std::string::npos);
    }
    attune::device_variant v = variant_named("k");
    v.launch.shared_bytes = -1;
    CHECK(failure_of([&] { loaded_variant(s.where, v); }).stage == failure_stage::launch);
}

TEST_CASE("a launch that is refused says why and with what geometry")
{
    attune_test::scripted_session s;
    s.device.kernels["k"] = [](scripted_launch const&) { return 0.0; };
    loaded_variant code(s.where, variant_named("k"));
    s.device.fails = "launch_kernel";
    s.device.fails_with = 701;
    attune::failure f = failure_of([&] { code.launch(nullptr, nullptr); });
    CHECK(f.stage == failure_stage::launch);
    CHECK(f.reason.find("grid 1x1x1, block 1x1x1") != std::string::npos);
    CHECK(f.reason.find("as the script says") != std::string::npos);
    s.device.fails_with = attune::detail::cuda::illegal_address; // of an earlier kernel
    CHECK(failure_of([&] { code.launch(nullptr, nullptr); }).stage == failure_stage::crash);
}
