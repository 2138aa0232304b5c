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
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "../../support/powercap.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::call_energy;
using attune::energy_counters;
using attune::detail::energy_by;
using attune_test::add_zone;
using attune_test::has;
using support::write_file;

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

/// What a server with two packages shows.
void make_server(support::scratch_directory const& folder)
{
    add_zone(folder, "intel-rapl:0", "package-0", 1'000'000, 10'000'000);
    add_zone(folder, "intel-rapl:0:0", "core", 900'000, 10'000'000);
    add_zone(folder, "intel-rapl:0:1", "dram", 500'000, 8'000'000);
    add_zone(folder, "intel-rapl:1", "package-1", 9'000'000, 10'000'000);
    add_zone(folder, "intel-rapl:1:0", "dram", 7'999'000, 8'000'000);
    add_zone(folder, "intel-rapl:2", "psys", 77, 10'000'000);
    add_zone(folder, "intel-rapl-mmio:0", "package-0", 1'000'000, 10'000'000);
    write_file(folder.file("intel-rapl"), "the control type");
}

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
    std::string said = attune_test::error_of([&] {
        (void)attune::joules_per_call(
            counters, [&] { std::filesystem::remove_all(folder.file("intel-rapl:0:0")); });
    });
    CHECK(has(said, "cannot be read any more"));
    try {
        (void)attune::joules_per_call(energy_counters::in(folder.file("none")), call);
    } catch (attune::error const& why) {
        said = why.what();
    }
    CHECK(has(said, "this machine reports no energy"));
}

TEST_CASE("packages and their memory count once, and nothing inside or around them")
{
    support::scratch_directory const folder;
    make_server(folder);
    energy_counters const all = energy_counters::in(folder.path());
    CHECK(all.why_none().empty());
    CHECK(all.text() == "package-0, dram, package-1, dram");
    CHECK(all.read() == std::vector<std::uint64_t>{1'000'000, 500'000, 9'000'000, 7'999'000});
}

TEST_CASE("joules are the sum of what the counters rose, also where they began again")
{
    support::scratch_directory const folder;
    make_server(folder);
    energy_counters const all = energy_counters::in(folder.path());
    std::vector<std::uint64_t> const before = all.read();
    write_file(folder.file("intel-rapl:0/energy_uj"), "1250000\n");  // 0.25 J
    write_file(folder.file("intel-rapl:0:1/energy_uj"), "500000\n"); // nothing
    write_file(folder.file("intel-rapl:1/energy_uj"), "500000\n");   // 1 J to its end, and 0.5 J
    write_file(folder.file("intel-rapl:1:0/energy_uj"), "9000\n");   // 1 mJ and 9 mJ
    std::vector<std::uint64_t> const after = all.read();
    CHECK(all.joules_between(before, after) == doctest::Approx(0.25 + 1.5 + 0.01));
    CHECK(all.joules_between(before, before) == 0);
    CHECK(std::isnan(all.joules_between({}, after)));
    CHECK(std::isnan(all.joules_between(before, {})));
    CHECK(std::isnan(energy_counters{}.joules_between({}, {})));
}

TEST_CASE("a counter that falls without a known end says nothing")
{
    support::scratch_directory const folder;
    add_zone(folder, "intel-rapl:0", "package-0", 500, 0);
    std::filesystem::remove(folder.file("intel-rapl:0/max_energy_range_uj"));
    energy_counters const one = energy_counters::in(folder.path());
    REQUIRE(one.why_none().empty());
    std::vector<std::uint64_t> const high{500};
    std::vector<std::uint64_t> const low{400};
    CHECK(one.joules_between(low, high) == doctest::Approx(1e-4));
    CHECK(std::isnan(one.joules_between(high, low)));
}

TEST_CASE("a machine without counters says so")
{
    auto const [folder, missing] = support::scratch_file("powercap");
    CHECK(has(energy_counters::in(missing).why_none(),
              "this machine reports no energy (no " + missing + "/intel-rapl:* with a package)"));
    // The memory alone is not the machine, nor is a package in another view.
    add_zone(folder, "intel-rapl:0:1", "dram", 1, 100);
    add_zone(folder, "intel-rapl-mmio:0", "package-0", 1, 100);
    energy_counters const none = energy_counters::in(folder.path());
    CHECK(has(none.why_none(), "this machine reports no energy"));
    CHECK(none.read().empty());
    CHECK(none.text().empty());
    CHECK(has(energy_counters{}.why_none(), "no energy"));
}

TEST_CASE("a counter that is no number is named")
{
    support::scratch_directory const folder;
    make_server(folder);
    for (char const* text : {"", "many\n", "-4\n", "12 joules\n"}) {
        write_file(folder.file("intel-rapl:1/energy_uj"), text);
        CHECK(energy_counters::in(folder.path()).why_none() ==
              "this machine reports no energy (" + folder.file("intel-rapl:1/energy_uj") +
                  " cannot be read)");
    }
}

TEST_CASE("counters for root alone are named with what to do")
{
    support::scratch_directory const folder;
    make_server(folder);
    ::chmod(folder.path().c_str(), 0755);
    ::chmod(folder.file("intel-rapl:0/energy_uj").c_str(), 0000);
    bool const is_root = ::geteuid() == 0;
    if (is_root) REQUIRE(::seteuid(65534) == 0);
    energy_counters const none = energy_counters::in(folder.path());
    if (is_root) REQUIRE(::seteuid(0) == 0);
    CHECK(has(none.why_none(), folder.file("intel-rapl:0/energy_uj") + ": permission denied"));
    CHECK(has(none.why_none(), "chmod a+r " + folder.path() + "/intel-rapl:*/energy_uj"));
    CHECK(none.counters().empty());
}

TEST_CASE("a counter that disappears is noticed")
{
    support::scratch_directory const folder;
    make_server(folder);
    energy_counters const all = energy_counters::in(folder.path());
    REQUIRE(all.read().size() == 4);
    std::filesystem::remove_all(folder.file("intel-rapl:1"));
    CHECK(all.read().empty());
}
