// tests/measure/roofline/roofline.cpp - the distance to what the machine can do.
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline/roofline.hpp>

#include <attune/measure/roofline/machine_limits.hpp>

#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <system_error>

#include "../../support/comma_locale.hpp"
#include "../../support/sanitized.hpp"
#include "../../support/scratch_directory.hpp"

using attune::detail::known_machine;

namespace {

/// 100 flops and 10 bytes per second.
constexpr attune::detail::machine_limits slow{100, 50, 10, 1};

std::string content(std::string const& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("whichever takes longer, arithmetic or memory, sets the least time")
{
    attune::roofline const compute = attune::detail::roofline_of(slow, {200, 10, false}, 4.0);
    CHECK(compute.least_s == 2.0);
    CHECK(compute.fraction == 0.5);
    CHECK(!compute.memory_bound);
    attune::roofline const memory = attune::detail::roofline_of(slow, {200, 30, false}, 4.0);
    CHECK(memory.least_s == 3.0);
    CHECK(memory.memory_bound);
    CHECK(attune::text_of(memory) == "0.75 of the roofline (memory bound)");
}

TEST_CASE("double precision has its own peak")
{
    CHECK(attune::detail::roofline_of(slow, {200, 10, true}, 4.0).fraction == 1.0);
}

TEST_CASE("this machine is measured, once where the code that measures it is optimised")
{
    std::string const path = "attune_machine_limits.txt";
    std::remove(path.c_str());
    attune::detail::machine_limits const first = known_machine(path, "some processor", 1);
    CHECK(first.f32_flops > 1e8);
    CHECK(first.f64_flops > 1e8);
    CHECK(first.bytes > 1e8);
    CHECK(content(path).empty() == !first.is_optimised);
    if (first.is_optimised) {
        attune::detail::machine_limits const again = known_machine(path, "some processor", 1);
        CHECK(again.bytes == doctest::Approx(first.bytes).epsilon(1e-4));
    }
#ifdef __OPTIMIZE__ // the library and its tests are built alike
    CHECK(first.is_optimised == !(address_sanitized || thread_sanitized));
#elif !defined(ATTUNE_CASES_BY_ANOTHER_COMPILER)
    CHECK(!first.is_optimised);
#endif
    std::remove(path.c_str());
}

TEST_CASE("limits are written to no file that a link would create")
{
    auto const [directory, path] = support::scratch_file("limits");
    std::string const elsewhere = directory.file("elsewhere");
    std::filesystem::create_symlink(elsewhere, path);
    auto const measure = [](unsigned threads, double footprint) {
        return attune::detail::machine_limits{3, 2, 1, threads, footprint};
    };
    CHECK(known_machine(path, "it", 1, 0, measure).f32_flops > 0);
    CHECK(!std::filesystem::exists(elsewhere));
}

TEST_CASE("what slowed code measures is no limit of the machine, and is not kept")
{
    std::string const path = "attune_slowed_limits.txt";
    std::remove(path.c_str());
    int measured = 0;
    bool is_optimised = false;
    auto const measure = [&](unsigned threads, double footprint) {
        ++measured;
        double const slowdown = is_optimised ? 1 : 50;
        return attune::detail::machine_limits{100 / slowdown, 50 / slowdown, 10 / slowdown,
                                              threads,        footprint,     is_optimised};
    };
    auto const known = [&] { return known_machine(path, "it", 2, 4096, measure); };
    CHECK(known().f32_flops == 2);
    CHECK(!known().is_optimised);
    CHECK(measured == 2);
    CHECK(content(path).empty());
    is_optimised = true;
    CHECK(known().f32_flops == 100);
    is_optimised = false; // reads what other builds have measured
    CHECK(known().f32_flops == 100);
    CHECK(known().is_optimised);
    CHECK(measured == 3);
    std::remove(path.c_str());
}

TEST_CASE("lines that do not say that optimised code wrote them are not believed")
{
    std::string const path = "attune_old_limits.txt";
    std::ofstream(path) << "1 0 100 50 10 it\nslowed 1 0 100 50 10 it\n";
    auto const measure = [](unsigned threads, double footprint) {
        return attune::detail::machine_limits{7, 7, 7, threads, footprint};
    };
    CHECK(known_machine(path, "it", 1, 0, measure).f32_flops == 7);
    std::remove(path.c_str());
}

TEST_CASE(
    "measured anew, a machine keeps the higher limits, and the file grows by higher ones only")
{
    std::string const path = "attune_doubted_limits.txt";
    std::string const line = "optimised 1 0 100 50 10 it\n";
    std::ofstream(path) << line;
    attune::detail::machine_limits next{90, 40, 9, 1, 0};
    auto const measure = [&](unsigned, double) { return next; };
    attune::detail::machine_limits found =
        attune::detail::machine_measured_anew(path, "it", 1, 0, measure);
    CHECK(found.f32_flops == 100);
    CHECK(found.bytes == 10);
    CHECK(content(path) == line);
    next.bytes = 30;
    found = attune::detail::machine_measured_anew(path, "it", 1, 0, measure);
    CHECK(found.f32_flops == 100);
    CHECK(found.f64_flops == 50);
    CHECK(found.bytes == 30);
    CHECK(known_machine(path, "it", 1, 0, measure).bytes == 30);
    next = {1, 1, 1, 1, 0, false}; // by slowed code: all limits are those of the file
    CHECK(attune::detail::machine_measured_anew(path, "it", 1, 0, measure).is_optimised);
    next.bytes = 31;
    CHECK(!attune::detail::machine_measured_anew(path, "it", 1, 0, measure).is_optimised);
    CHECK(known_machine(path, "it", 1, 0, measure).bytes == 30);
    std::remove(path.c_str());
}

TEST_CASE("limits of another processor or another number of threads are not taken for this one's")
{
    std::string const path = "attune_other_limits.txt";
    std::ofstream(path) << "optimised 1 0 100 50 10 another processor\n"
                           "optimised 2 0 100 50 10 some processor\n"
                           "optimised 1 4096 100 50 10 some processor\nnonsense\n";
    auto const measure = [](unsigned threads, double footprint) {
        return attune::detail::machine_limits{7, 7, 7, threads, footprint};
    };
    CHECK(known_machine(path, "another processor", 1, 0, measure).bytes == 10);
    CHECK(known_machine(path, "some processor", 1, 4096, measure).bytes == 10);
    CHECK(known_machine(path, "some processor", 1, 0, measure).bytes == 7);
    std::remove(path.c_str());
}

TEST_CASE("of several measurements of one machine the highest counts: others were disturbed")
{
    std::string const path = "attune_several_limits.txt";
    std::ofstream(path) << "optimised 1 0 100 50 10 some processor\n"
                           "optimised 1 4096 90 60 70 some processor\n"
                           "optimised 1 0 20 20 12 some processor\n"
                           "optimised 2 0 999 999 999 some processor\n";
    attune::detail::machine_limits const far = known_machine(path, "some processor", 1);
    CHECK(far.f32_flops == 100);
    CHECK(far.f64_flops == 60);
    CHECK(far.bytes == 12);
    CHECK(known_machine(path, "some processor", 1, 4096).bytes == 70);
    std::remove(path.c_str());
}

TEST_CASE("arrays of a stated size are measured, kept and found again by that size")
{
    std::string const path = "attune_footprint_limits.txt";
    std::remove(path.c_str());
    double const footprint = 98304;
    attune::detail::machine_limits const near = attune::detail::measure_machine(2, footprint);
    CHECK(near.footprint == footprint);
    CHECK(near.threads == 2);
    CHECK(near.bytes > 1e8);
    int measured = 0;
    auto const measure = [&](unsigned threads, double bytes) {
        ++measured;
        return attune::detail::machine_limits{3, 2, 1.0 / 7, threads, bytes};
    };
    for (int times = 0; times < 2; ++times) {
        CHECK(known_machine(path, "it", 2, footprint, measure).bytes == doctest::Approx(1.0 / 7));
        CHECK(known_machine(path, "it", 2, footprint / 3, measure).footprint == footprint / 3);
    }
    CHECK(measured == 2);
    std::remove(path.c_str());
}

TEST_CASE("more threads than the system starts are an error, not the end of the program")
{
    if (is_skipped(address_sanitized || thread_sanitized, "it needs all the address space")) return;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    std::ifstream statm("/proc/self/statm");
    double pages = 0;
    if (!(statm >> pages)) {
        MESSAGE("skipped: the system does not tell how much address space is in use");
        return;
    }
    // Room for some stacks of threads, not for 4000 of at least 16 KiB.
    rlimit tight = before;
    tight.rlim_cur = static_cast<rlim_t>(pages * 4096) + (rlim_t{48} << 20);
    REQUIRE(::setrlimit(RLIMIT_AS, &tight) == 0);
    bool is_error = false;
    try {
        (void)attune::detail::measure_machine(4000);
    } catch (std::system_error const&) {
        is_error = true;
    }
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(is_error);
}

TEST_CASE("a file of limits is one text in every locale")
{
    std::string const path = "attune_german_limits.txt";
    std::string const line = "optimised 1 4096.5 123456.5 50 10 it\n";
    std::remove(path.c_str());
    auto const measure = [&](unsigned threads, double footprint) {
        return attune::detail::machine_limits{123456.5, 50, 10, threads, footprint};
    };
    {
        attune_test::comma_streams const streams;
        attune_test::german_locale const german;
        if (!german.lacking().empty()) MESSAGE("skipped in part: " << german.lacking());
        (void)attune::detail::machine_measured_anew(path, "it", 1, 4096.5, measure);
        CHECK(content(path) == line);
        auto const none = [](unsigned threads, double footprint) {
            return attune::detail::machine_limits{1, 1, 1, threads, footprint};
        };
        CHECK(known_machine(path, "it", 1, 4096.5, none).f32_flops == 123456.5);
        CHECK(text_of(attune::roofline{.fraction = 0.5}).starts_with("0.50 of"));
    }
    std::remove(path.c_str());
}

TEST_CASE("limits that no machine has are not believed")
{
    std::string const path = "attune_mad_limits.txt";
    std::ofstream(path) << "optimised 1 0 1e300 50 10 it\noptimised 1 0 100 -50 10 it\n"
                           "optimised 1 0 inf nan 10 it\noptimised 99999999999999 0 9 9 9 it\n";
    auto const measure = [](unsigned threads, double footprint) {
        return attune::detail::machine_limits{7, 7, 7, threads, footprint};
    };
    CHECK(known_machine(path, "it", 1, 0, measure).f32_flops == 7);
    CHECK(known_machine(path, "it", 1, 0, measure).f64_flops == 7);
    std::remove(path.c_str());
}
