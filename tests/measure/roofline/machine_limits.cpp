// tests/measure/roofline/machine_limits.cpp - what one core can do at most, and the times that follow.
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline/machine_limits.hpp>

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "../../support/scratch_directory.hpp"

using attune::work;
using attune::detail::bound_by;
using attune::detail::core_peaks;
using attune::detail::least_time;
using attune::detail::least_time_of;

namespace {

/// Wider vectors do more, but for loads of 64 bytes, as on a processor that splits them.
core_peaks script()
{
    return {.f32_flops = {10, 40, 80, 160},
            .f64_flops = {10, 20, 40, 80},
            .f32_sums = {5, 20, 40, 80},
            .f64_sums = {5, 10, 20, 40},
            .load_bytes = {8, 32, 64, 60}};
}

double seconds(work const& done, unsigned threads = 1)
{
    return least_time_of(script(), done, threads, 0, 0).seconds;
}

constexpr double infinite = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("the least time is that of the longest of flops, sums, loads and bytes")
{
    auto const by = [](work const& done) { return least_time_of(script(), done, 1, 10, 100); };
    CHECK(by({.flops = 1600}).seconds == 10);
    CHECK(by({.flops = 1600}).by == bound_by::flops);
    CHECK(by({.flops = 1600, .sums = 1600}).seconds == 20);
    CHECK(by({.flops = 1600, .sums = 1600}).by == bound_by::sums);
    CHECK(by({.flops = 1600, .sums = 800, .loads = 1920}).seconds == 30);
    CHECK(by({.flops = 1600, .sums = 800, .loads = 1920}).by == bound_by::loads);
    // of 500 bytes the caches keep 100
    CHECK(by({.flops = 1600, .bytes = 500, .loads = 1920}).seconds == 40);
    CHECK(by({.flops = 1600, .bytes = 500}).by == bound_by::bytes);
    CHECK(by({.bytes = 100}).seconds == 0);
    CHECK(by({}).by == bound_by::nothing);
    CHECK(std::string(name_of(by({.sums = 1}).by)) == "sums");
}

TEST_CASE("only sums and loads are limited by the width of vectors, and narrower ones may be used")
{
    CHECK(seconds({.flops = 160, .sum_bytes = 4, .load_bytes = 4}) == 1);
    CHECK(seconds({.sums = 80, .sum_bytes = 4, .load_bytes = 64}) == 16);
    CHECK(seconds({.sums = 80, .sum_bytes = 8}) == 4); // half a vector of 16 bytes, at most
    CHECK(seconds({.sums = 80, .sum_bytes = 16}) == 4);
    CHECK(seconds({.sums = 80, .sum_bytes = 32}) == 2);
    CHECK(seconds({.sums = 80, .sum_bytes = 64, .load_bytes = 4}) == 1);
    CHECK(seconds({.sums = 80}) == 1);
    CHECK(seconds({.sums = 80, .sum_bytes = 1U << 31}) == 1);
    CHECK(seconds({.double_precision = true, .sums = 80, .sum_bytes = 8}) == 16);
    CHECK(seconds({.double_precision = true, .sums = 80, .sum_bytes = 16}) == 8);
    CHECK(seconds({.loads = 640}) == 10); // vectors of 32 bytes load faster than those of 64
    CHECK(seconds({.sum_bytes = 64, .loads = 640, .load_bytes = 4}) == 80);
    CHECK(seconds({.loads = 640, .load_bytes = 16}) == 20);
}

TEST_CASE("more work never takes less time, more threads and wider vectors never more")
{
    std::vector<double> const amounts{0, 1e-300, 1, 1e3, 1e9, 1e300};
    for (double const more : amounts)
        for (double const less : amounts) {
            if (less > more) continue;
            CHECK(seconds({.flops = less}) <= seconds({.flops = more}));
            CHECK(seconds({.sums = less, .loads = 7}) <= seconds({.sums = more, .loads = 7}));
            CHECK(seconds({.loads = less}) <= seconds({.loads = more}));
        }
    for (unsigned width = 1; width < 80; ++width)
        for (unsigned threads = 1; threads < 4; ++threads) {
            work const at{.sums = 1e6, .sum_bytes = width, .loads = 1e5, .load_bytes = width};
            work wider = at;
            ++wider.sum_bytes;
            CHECK(seconds(wider, threads) <= seconds(at, threads));
            ++wider.load_bytes;
            CHECK(seconds(wider, threads) <= seconds(at, threads));
            CHECK(seconds(at, threads + 1) <= seconds(at, threads));
        }
    CHECK(seconds({.flops = 1600}, 2) == 5); // as much as two cores can do at most
    CHECK(seconds({.flops = 1600}, 0) == 10);
}

TEST_CASE("numbers that are none bound nothing, and neither do peaks that are not known")
{
    for (double const odd : {-1.0, 0.0, infinite, -infinite, std::nan("")}) {
        CAPTURE(odd);
        CHECK(seconds({.flops = odd, .bytes = odd, .sums = odd, .loads = odd}) == 0);
        CHECK(seconds({.flops = 160, .sums = odd}) == 1); // the rest counts
        core_peaks peaks;
        peaks.f32_flops.fill(odd);
        peaks.f32_sums.fill(odd);
        peaks.load_bytes.fill(odd);
        least_time const least =
            least_time_of(peaks, {.flops = 1, .bytes = 1, .sums = 1, .loads = 1}, 1, odd, 0);
        CHECK(least.seconds == 0);
    }
    double const most = std::numeric_limits<double>::max();
    core_peaks slow;
    slow.f32_flops.fill(1e-300);
    CHECK(least_time_of(slow, {.flops = most}, 1, 0, 0).seconds == 0); // past all numbers
    double const denormal = std::numeric_limits<double>::denorm_min();
    CHECK(seconds({.flops = denormal}) >= 0);
}

TEST_CASE("this core does more with wide vectors, and a sum is no slower than a product with it")
{
    core_peaks const here = attune::detail::measure_core_peaks();
    for (auto const& [flops, sums, element] : {std::tuple{here.f32_flops, here.f32_sums, 4.0},
                                               std::tuple{here.f64_flops, here.f64_sums, 8.0}}) {
        std::array<double, 4> const bytes{element, 16, 32, 64};
        for (std::size_t w = 0; w < 4; ++w) {
            CHECK(std::isfinite(flops[w]));
            CHECK(sums[w] <= flops[w]);
            CHECK(2 * sums[w] >= 0.99 * flops[w]);
            // instruction for instruction a narrow vector is as fast as a wide one
            if (w > 0) CHECK(flops[w - 1] * bytes[w] >= 0.999 * flops[w] * bytes[w - 1]);
        }
        CHECK(flops[0] > 1e6);
    }
    CHECK(here.load_bytes[0] > 1e6);
    CHECK(here.load_bytes[1] > 0);
}

TEST_CASE("cores are alike where their highest frequencies and capacities are equal")
{
    support::scratch_directory const directory;
    auto const write = [&](int processor, std::string const& name, std::string const& value) {
        std::filesystem::path const file =
            directory.file("cpu" + std::to_string(processor) + "/" + name);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << value << '\n';
    };
    auto const alike = [&](std::vector<int> const& processors) {
        return attune::detail::cores_are_alike(processors, directory.file("."));
    };
    CHECK(alike({0, 1})); // the system says nothing
    CHECK(!alike({}));
    for (int const p : {0, 1, 2, 3})
        write(p, "cpufreq/cpuinfo_max_freq", p == 3 ? "2400000" : "3800000");
    CHECK(alike({0, 1, 2}));
    CHECK(!alike({0, 1, 2, 3}));
    CHECK(alike({3}));
    CHECK(!alike({0, 4})); // one is unknown
    for (int const p : {0, 1, 2})
        write(p, "cpu_capacity", p == 1 ? "1024" : "446");
    CHECK(alike({0, 2}));
    CHECK(!alike({0, 1}));
}

TEST_CASE("peaks are measured once for a processor, and the file keeps the highest")
{
    auto const [directory, path] = support::scratch_file("core_peaks");
    core_peaks next = script();
    int measured = 0;
    auto const measure = [&] {
        ++measured;
        return next;
    };
    auto const known = [&](std::string const& device, bool anew) {
        return attune::detail::known_core_peaks(path, device, anew, measure);
    };
    CHECK(known("a processor", false).f32_flops == script().f32_flops);
    CHECK(known("a processor", false).load_bytes == script().load_bytes);
    CHECK(measured == 1);
    CHECK(known("another", false).f64_sums == script().f64_sums);
    CHECK(measured == 2);
    next.f32_flops[3] = 200;
    next.f32_flops[0] = 1; // disturbed
    CHECK(known("a processor", true).f32_flops == std::array<double, 4>{10, 40, 80, 200});
    CHECK(known("a processor", false).f32_flops == std::array<double, 4>{10, 40, 80, 200});
    CHECK(measured == 3);
    next.f32_flops[3] = 1000;
    next.is_optimised = false; // slowed code says nothing about the processor
    CHECK(!known("a processor", true).is_optimised);
    CHECK(known("a processor", false).f32_flops[3] == 200);
    std::ofstream(path, std::ios::app)
        << "core_rates_2 1e30 nonsense\ncore_rates_2 9e14 a processor\n";
    CHECK(known("a processor", false).f32_flops[3] == 200);
}
