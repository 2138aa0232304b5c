// attune/measure/roofline.ipp - the peaks of this machine, measured and kept.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/arithmetic_peak.ipp>
#include <attune/measure/roofline.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

namespace attune {

namespace detail {

/// Runs `body(i)` on `threads` threads at once. @return wall seconds of all of them
inline double seconds_of_all(unsigned threads, std::function<void(unsigned)> const& body)
{
    auto const start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
        others.emplace_back(body, i);
    body(0);
    for (std::thread& t : others)
        t.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The largest of a few measurements: disturbances only ever make a machine look slower.
inline double best_rate(int rounds, double amount, std::function<double()> const& seconds)
{
    double best = 0;
    for (int i = 0; i < rounds; ++i)
        best = std::max(best, amount / seconds());
    return best;
}

/// a = b + 3 c, far beyond the caches: reads b and c, writes a (which is read first, unseen).
[[nodiscard]] inline double triad_bytes_per_s(unsigned threads)
{
    constexpr std::size_t count = std::size_t{8} << 20; // doubles: 64 MiB per array
    struct arrays {
        std::vector<double> a = std::vector<double>(count);
        std::vector<double> b = std::vector<double>(count, 1.0);
        std::vector<double> c = std::vector<double>(count, 2.0);
    };
    std::vector<arrays> of_thread(threads);
    double const moved = static_cast<double>(threads) * 3.0 * sizeof(double) * count;
    return best_rate(5, moved, [&] {
        return seconds_of_all(threads, [&](unsigned t) {
            double* const a = of_thread[t].a.data();
            double const* const b = of_thread[t].b.data();
            double const* const c = of_thread[t].c.data();
            for (std::size_t i = 0; i < count; ++i)
                a[i] = b[i] + 3.0 * c[i];
            asm volatile("" : : "r"(a) : "memory");
        });
    });
}

template <class T>
[[nodiscard]] double flops_per_s(unsigned threads)
{
    constexpr long rounds = 2'000'000;
    double const flops = static_cast<double>(threads) * static_cast<double>(rounds) *
                         static_cast<double>(flops_per_round<T>());
    return best_rate(5, flops, [&] {
        return seconds_of_all(threads, [](unsigned) { multiply_add<T>(rounds); });
    });
}

} // namespace detail

std::string text_of(roofline const& where)
{
    char text[80];
    std::snprintf(text,
                  sizeof text,
                  "%.2f of the roofline (%s bound)",
                  where.fraction,
                  where.memory_bound ? "memory" : "compute");
    return text;
}

machine_limits measure_machine(unsigned threads)
{
    threads = std::max(threads, 1U);
    machine_limits out;
    out.threads = threads;
    out.f32_flops = detail::flops_per_s<float>(threads);
    out.f64_flops = detail::flops_per_s<double>(threads);
    out.bytes = detail::triad_bytes_per_s(threads);
    return out;
}

machine_limits known_machine(std::string const& path, std::string const& device, unsigned threads)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        machine_limits known;
        std::istringstream text(line);
        std::string name;
        if (text >> known.threads >> known.f32_flops >> known.f64_flops >> known.bytes &&
            std::getline(text >> std::ws, name) && name == device && known.threads == threads &&
            known.f32_flops > 0 && known.f64_flops > 0 && known.bytes > 0)
            return known;
    }
    machine_limits const fresh = measure_machine(threads);
    std::ostringstream line;
    line << fresh.threads << ' ' << fresh.f32_flops << ' ' << fresh.f64_flops << ' ' << fresh.bytes
         << ' ' << device << '\n';
    std::ofstream(path, std::ios::app) << line.str();
    return fresh;
}

} // namespace attune
