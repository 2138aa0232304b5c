// tests/measure/energy/energy_counters.cpp : mirrors include/attune/measure/energy/energy_counters.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/energy/energy_counters.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "../../support/powercap.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::energy_counters;
using attune_test::add_zone;
using attune_test::has;
using support::write_file;

namespace {

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
    support::scratch_directory const folder;
    std::string const missing = folder.file("powercap");
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
