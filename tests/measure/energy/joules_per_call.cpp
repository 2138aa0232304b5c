// tests/measure/energy/joules_per_call.cpp : mirrors include/attune/measure/energy/joules_per_call.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/energy/joules_per_call.hpp>

#include <attune/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "../../support/powercap.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::call_energy;
using attune::energy_counters;
using attune::detail::energy_by;
using attune_test::has;

namespace {

/// A machine that takes `watts` whatever runs, and whose counter is updated every millisecond in
/// steps of 61 uJ. Each look at it takes 20 us.
struct scripted_machine {
    double watts = 40;
    double now_s = 0.0123;
    double stops_at_s = std::numeric_limits<double>::infinity(); ///< then it cannot be read

    [[nodiscard]] double seconds() const { return now_s; }
    [[nodiscard]] double joules()
    {
        now_s += 20e-6;
        if (now_s > stops_at_s) return std::numeric_limits<double>::quiet_NaN();
        double const updated_s = std::floor(now_s * 1000) / 1000;
        return std::floor(updated_s * watts / 61e-6) * 61e-6;
    }
    [[nodiscard]] std::function<void(std::uint64_t)> calls_of(double call_s)
    {
        return
            [this, call_s](std::uint64_t count) { now_s += call_s * static_cast<double>(count); };
    }
};

static_assert(attune::detail::energy_meter<scripted_machine>);
static_assert(attune::detail::energy_meter<attune::detail::machine_energy>);

} // namespace

TEST_CASE("joules of short and long calls are within what is said to be open, and that is narrow")
{
    for (double const call_s : {3e-7, 1e-5, 7.7e-4, 1e-3, 0.013, 0.09, 0.4, 1.7}) {
        scripted_machine machine;
        call_energy const e = energy_by(machine, machine.calls_of(call_s), {}, {.limit_s = 10});
        double const truth = machine.watts * call_s;
        CAPTURE(call_s);
        CHECK(e.half_width <= 0.03);
        CHECK(std::abs(e.joules - truth) <= e.half_width * truth);
        CHECK(static_cast<double>(e.calls) * call_s >= 0.3); // three runs
        CHECK(machine.now_s <= 0.0123 + 10 + 2 * call_s);
    }
}

TEST_CASE("what comes with the calls is taken off, also where it is most of it")
{
    for (double const beside_s : {1e-7, 1e-4, 5e-3}) {
        scripted_machine machine;
        double const call_s = 1e-3;
        call_energy const e = energy_by(machine, machine.calls_of(call_s + beside_s),
                                        machine.calls_of(beside_s), {.limit_s = 100});
        double const truth = machine.watts * call_s;
        CAPTURE(beside_s);
        CHECK(e.half_width <= 0.03);
        CHECK(std::abs(e.joules - truth) <= e.half_width * truth);
    }
}

TEST_CASE("the limit ends it, with how much is open")
{
    scripted_machine machine;
    // One call is longer than the limit: one run, in which a millisecond of ten is open.
    call_energy const once = energy_by(machine, machine.calls_of(0.01), {}, {.limit_s = 0.005});
    CHECK(once.calls == 1);
    CHECK(once.half_width >= 0.1);
    CHECK(std::abs(once.joules - 0.4) <= once.half_width * once.joules);
    // Nothing can be told from what comes with it.
    call_energy const none =
        energy_by(machine, machine.calls_of(0.01), machine.calls_of(0.01), {.limit_s = 1});
    CHECK(none.half_width > 1);
}

TEST_CASE("more calls in a row are made only where they fit into the limit")
{
    scripted_machine machine;
    double const end_s = machine.now_s + 1;
    std::uint64_t most = 0;
    (void)energy_by(machine,
                    [&](std::uint64_t count) {
                        double const takes_s = 0.09 * static_cast<double>(count);
                        if (count > most) CHECK(machine.now_s + takes_s <= end_s);
                        most = std::max(most, count);
                        machine.now_s += takes_s;
                    },
                    {}, {.precision = 1e-9, .limit_s = 1});
    CHECK(most == 4); // 0.09 + 0.18 + 0.36 s, and eight calls take 0.72 s
    CHECK(machine.now_s >= end_s);
}

TEST_CASE("what is done between two runs takes no energy of a call, and no time of the limit")
{
    double const call_s = 7.7e-4;
    scripted_machine alone;
    call_energy const all = energy_by(alone, alone.calls_of(call_s), {}, {.limit_s = 2});
    scripted_machine shared;
    unsigned turns = 0;
    call_energy const e = energy_by(shared, shared.calls_of(call_s), {}, {.limit_s = 2}, [&] {
        ++turns;
        shared.now_s += 5;
    });
    CHECK(turns >= 3);
    CHECK(e.calls == all.calls);
    CHECK(std::abs(e.joules - shared.watts * call_s) <= e.half_width * e.joules);
}

TEST_CASE("a machine whose power changes is said to leave more open")
{
    scripted_machine machine;
    int runs = 0;
    call_energy const e =
        energy_by(machine,
                  [&](std::uint64_t count) {
                      machine.now_s += 0.01 * static_cast<double>(count);
                      if (count > 1)
                          machine.now_s += runs++ % 2 == 0 ? 0.0 : 0.1; // another program's turn
                  },
                  {}, {.limit_s = 2});
    CHECK(e.half_width > 0.1);
}

TEST_CASE("a counter that disappears gives no number")
{
    scripted_machine machine;
    machine.stops_at_s = 0.25;
    call_energy const e = energy_by(machine, machine.calls_of(0.02), {}, {});
    CHECK(std::isnan(e.joules));
}

TEST_CASE("joules_per_call divides what this machine's counters rose by the calls")
{
    support::scratch_directory const folder;
    attune_test::add_zone(folder, "intel-rapl:0", "package-0", 999'000'000, 1'000'000'000);
    attune_test::add_zone(folder, "intel-rapl:0:0", "dram", 0, 1'000'000'000);
    energy_counters const counters = energy_counters::in(folder.path());
    std::uint64_t calls = 0;
    auto const set = [&](char const* zone, std::uint64_t uj) {
        support::write_file(folder.file(std::string(zone) + "/energy_uj"),
                            std::to_string(uj % 1'000'000'000) + "\n");
    };
    auto const call = [&] { // 3 mJ of the package, which begins again, and 1 mJ of the memory
        ++calls;
        set("intel-rapl:0", 999'000'000 + 3000 * calls);
        set("intel-rapl:0:0", 1000 * calls);
    };
    call_energy const e = attune::joules_per_call(counters, call, {.run_s = 0.02});
    CHECK(e.joules == doctest::Approx(4e-3));
    CHECK(e.calls == calls);

    std::string said;
    try {
        (void)attune::joules_per_call(
            counters, [&] { std::filesystem::remove_all(folder.file("intel-rapl:0:0")); });
    } catch (attune::error const& why) {
        said = why.what();
    }
    CHECK(has(said, "cannot be read any more"));
    try {
        (void)attune::joules_per_call(energy_counters::in(folder.file("none")), call);
    } catch (attune::error const& why) {
        said = why.what();
    }
    CHECK(has(said, "this machine reports no energy"));
}
