// attune/measure/roofline/machine_limits.ipp - measures the peaks of this machine and keeps them in a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/detail/arithmetic_peak.hpp>
#include <attune/measure/roofline/detail/memory_peak.hpp>
#include <attune/measure/roofline/detail/peaks_file.hpp>
#include <attune/measure/roofline/machine_limits.hpp>

#include <algorithm>
#include <fstream>
#include <locale>
#include <sstream>

namespace attune::inline ATTUNE_ABI::detail {

/// First word of a line in the file; older lines without it may come from unoptimised builds.
inline constexpr char const* optimised_word = "optimised";

/// False for values of a damaged file: no processor reaches 10^18 per second.
[[nodiscard]] inline bool is_sane(machine_limits const& known) noexcept
{
    auto const is_rate = [](double v) { return v >= 0 && v < 1e18; };
    return is_rate(known.f32_flops) && is_rate(known.f64_flops) && is_rate(known.bytes) &&
           is_rate(known.footprint);
}

/// The highest limits in a file for this processor; 0 for missing ones.
[[nodiscard]] inline machine_limits limits_in_file(std::string const& path,
                                                   std::string const& device, unsigned threads,
                                                   double footprint)
{
    machine_limits found{.threads = threads, .footprint = footprint};
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        machine_limits known;
        std::istringstream text(line);
        text.imbue(std::locale::classic());
        std::string word, name;
        if (!(text >> word >> known.threads >> known.footprint >> known.f32_flops >>
              known.f64_flops >> known.bytes) ||
            !std::getline(text >> std::ws, name) || word != optimised_word || name != device ||
            known.threads != threads || !is_sane(known))
            continue;
        found.f32_flops = std::max(found.f32_flops, known.f32_flops);
        found.f64_flops = std::max(found.f64_flops, known.f64_flops);
        if (known.footprint == footprint) found.bytes = std::max(found.bytes, known.bytes);
    }
    return found;
}

ATTUNE_INLINE void raise_to(machine_limits& limits, machine_limits const& others)
{
    limits.f32_flops = std::max(limits.f32_flops, others.f32_flops);
    limits.f64_flops = std::max(limits.f64_flops, others.f64_flops);
    limits.bytes = std::max(limits.bytes, others.bytes);
}

ATTUNE_INLINE machine_limits measure_machine(unsigned threads, double footprint)
{
    threads = std::max(threads, 1U);
    machine_limits out;
    out.threads = threads;
    out.f32_flops = flops_per_s<float>(threads);
    out.f64_flops = flops_per_s<double>(threads);
    out.footprint = footprint;
    out.bytes = triad_bytes_per_s(threads, footprint);
    out.is_optimised = peaks_are_optimised;
    return out;
}

ATTUNE_INLINE machine_limits known_machine(std::string const& path, std::string const& device,
                                           unsigned threads, double footprint,
                                           machine_measurement const& measure)
{
    machine_limits const found = limits_in_file(path, device, threads, footprint);
    if (found.f32_flops > 0 && found.f64_flops > 0 && found.bytes > 0) return found;
    return machine_measured_anew(path, device, threads, footprint, measure);
}

ATTUNE_INLINE machine_limits machine_measured_anew(std::string const& path,
                                                   std::string const& device, unsigned threads,
                                                   double footprint,
                                                   machine_measurement const& measure)
{
    machine_limits out = measure(threads, footprint);
    machine_limits const found = limits_in_file(path, device, threads, footprint);
    bool const is_news = out.f32_flops > found.f32_flops || out.f64_flops > found.f64_flops ||
                         out.bytes > found.bytes;
    if (is_news && out.is_optimised) {
        std::ostringstream line;
        line.imbue(std::locale::classic());
        line.precision(12); // a footprint must be read back exactly
        line << optimised_word << ' ' << out.threads << ' ' << out.footprint << ' ' << out.f32_flops
             << ' ' << out.f64_flops << ' ' << out.bytes << ' ' << device << '\n';
        append_peaks(path, line.str());
    }
    raise_to(out, found);
    if (!is_news) out.is_optimised = true; // all limits are from the file
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
