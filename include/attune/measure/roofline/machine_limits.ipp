// attune/measure/roofline/machine_limits.ipp - measures the limits, and keeps them in files.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/roofline/detail/peaks.hpp>
#include <attune/measure/roofline/machine_limits.hpp>

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <fstream>
#include <locale>
#include <set>
#include <sstream>
#include <unistd.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

/// Appends a line "word numbers device". Creates a missing file, but none at the end of a link. If
/// peaks cannot be written, the next program measures them again.
inline void append_peaks(std::string const& path, char const* word,
                         std::vector<double> const& numbers, std::string const& device)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(12); // a footprint must be read back exactly
    text << word;
    for (double const number : numbers)
        text << ' ' << number;
    text << ' ' << device << '\n';
    std::string const line = text.str();
    quiet_writes const quiet;
    checked_file const to = open_checked(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (to.file.is_open()) static_cast<void>(!::write(to.file.get(), line.data(), line.size()));
}

/// The `count` numbers of each line with this word and device. Skips a damaged line: a number is
/// negative or not below `end`.
[[nodiscard]] inline std::vector<std::vector<double>> peaks_in_file(std::string const& path,
                                                                    char const* word,
                                                                    std::string const& device,
                                                                    std::size_t count, double end)
{
    std::vector<std::vector<double>> out;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream text(line);
        text.imbue(std::locale::classic());
        std::string first, name;
        text >> first;
        std::vector<double> numbers(count);
        bool is_sane = first == word;
        for (double& number : numbers)
            is_sane = is_sane && text >> number && number >= 0 && number < end;
        if (is_sane && std::getline(text >> std::ws, name) && name == device)
            out.push_back(std::move(numbers));
    }
    return out;
}

/// First word of a line in the file. Older lines without it may come from unoptimised builds.
inline constexpr char const* optimised_word = "optimised";

ATTUNE_INLINE void raise_to(machine_limits& limits, machine_limits const& others)
{
    limits.f32_flops = std::max(limits.f32_flops, others.f32_flops);
    limits.f64_flops = std::max(limits.f64_flops, others.f64_flops);
    limits.bytes = std::max(limits.bytes, others.bytes);
}

/// The highest limits in a file for this processor; 0 for missing ones.
[[nodiscard]] inline machine_limits limits_in_file(std::string const& path,
                                                   std::string const& device, unsigned threads,
                                                   double footprint)
{
    machine_limits found{.threads = threads, .footprint = footprint};
    // no processor reaches 10^18 per second
    for (std::vector<double> const& line : peaks_in_file(path, optimised_word, device, 5, 1e18))
        if (line[0] == threads)
            raise_to(found, {.f32_flops = line[2],
                             .f64_flops = line[3],
                             .bytes = line[1] == footprint ? line[4] : 0});
    return found;
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
    if (is_news && out.is_optimised)
        append_peaks(path, optimised_word,
                     {static_cast<double>(out.threads), out.footprint, out.f32_flops, out.f64_flops,
                      out.bytes},
                     device);
    raise_to(out, found);
    if (!is_news) out.is_optimised = true; // all limits are from the file
    return out;
}

/// First word of a line in the file. A change of the measurement changes the word.
inline constexpr char const* core_peaks_word = "core_rates_2";

template <class Loop>
[[nodiscard]] double seconds_of(Loop const& loop)
{
    return quickest_round_s(1, 4, [&](unsigned) { return loop; });
}

/// The rates for vectors V: `Flops<V, adds>(rounds)` and `loads(from, count, passes)`.
template <class T, class V, class Plain, class Mixed, class Loads>
void measure_width(double& flops, double& sums, double* load_bytes, Plain const& plain,
                   Mixed const& mixed, Loads const& loads)
{
    constexpr long rounds = 150'000;
    constexpr double lanes = static_cast<double>(sizeof(V) / sizeof(T));
    double const each_plain = lanes * rounds / seconds_of([&] { plain(rounds); });
    double const each_mixed = lanes * rounds / seconds_of([&] { mixed(rounds); });
    flops = std::max(2 * rate_chains * each_plain, 22 * each_mixed);
    sums = std::max(rate_chains * each_plain, 14 * each_mixed);
    if (load_bytes == nullptr) return;
    constexpr std::size_t bytes = 8192;
    constexpr long passes = 600;
    alignas(64) std::array<std::byte, bytes> const from{};
    *load_bytes = static_cast<double>(bytes) * passes / seconds_of([&] {
                      loads(reinterpret_cast<V const*>(from.data()), bytes / sizeof(V), passes);
                  });
}

#define ATTUNE_MEASURE(NAME, T, V, WHICH, WIDTH, LOADS)                                            \
    measure_width<T, V>(                                                                           \
        out.WHICH##_flops[WIDTH], out.WHICH##_sums[WIDTH], LOADS,                                  \
        [](long rounds) { NAME##_flops<V, false>(rounds); },                                       \
        [](long rounds) { NAME##_flops<V, true>(rounds); },                                        \
        [](V const* from, std::size_t count, long passes) {                                        \
            NAME##_loads<V>(from, count, passes);                                                  \
        })

template <std::size_t Bytes, class T>
using rate_vector = typename vector_of<T, Bytes>::type;

/// Returns true if the loops use the widest vectors of this processor. False for AVX without AVX2
/// and for SVE: no loop measures these, and they exceed the measured rates.
[[nodiscard]] inline bool loops_suit_processor()
{
#if defined(__x86_64__)
    return vector_bytes() >= 32 || !__builtin_cpu_supports("avx");
#elif defined(__aarch64__) && defined(__linux__)
    constexpr unsigned long sve = 1UL << 22; // HWCAP_SVE
    return (getauxval(AT_HWCAP) & sve) == 0;
#elif defined(__aarch64__)
    return true; // no other system runs on processors with SVE yet
#else
    return false;
#endif
}

/// A measurement; another program may disturb the whole of it.
[[nodiscard]] inline core_peaks core_peaks_once()
{
    core_peaks out;
    out.is_optimised = peaks_are_optimised && loops_suit_processor();
    double* const load = out.load_bytes.data();
#if defined(__x86_64__)
    if (vector_bytes() >= 32) {
        ATTUNE_MEASURE(avx2, float, float, f32, 0, &load[0]);
        ATTUNE_MEASURE(avx2, double, double, f64, 0, nullptr);
        using f32x4 = rate_vector<16, float>;
        using f64x2 = rate_vector<16, double>;
        ATTUNE_MEASURE(avx2, float, f32x4, f32, 1, &load[1]);
        ATTUNE_MEASURE(avx2, double, f64x2, f64, 1, nullptr);
        using f32x8 = rate_vector<32, float>;
        using f64x4 = rate_vector<32, double>;
        ATTUNE_MEASURE(avx2, float, f32x8, f32, 2, &load[2]);
        ATTUNE_MEASURE(avx2, double, f64x4, f64, 2, nullptr);
        if (vector_bytes() < 64) return out;
        using f32x16 = rate_vector<64, float>;
        using f64x8 = rate_vector<64, double>;
        ATTUNE_MEASURE(avx512, float, f32x16, f32, 3, &load[3]);
        ATTUNE_MEASURE(avx512, double, f64x8, f64, 3, nullptr);
        return out;
    }
#endif
    using f32x4 = rate_vector<16, float>;
    using f64x2 = rate_vector<16, double>;
    ATTUNE_MEASURE(plain, float, float, f32, 0, &load[0]);
    ATTUNE_MEASURE(plain, double, double, f64, 0, nullptr);
    ATTUNE_MEASURE(plain, float, f32x4, f32, 1, &load[1]);
    ATTUNE_MEASURE(plain, double, f64x2, f64, 1, nullptr);
    return out;
}

#undef ATTUNE_MEASURE

/// An instruction on narrow vectors is at most as slow as the same instruction on wide vectors.
inline void raise_narrow(std::array<double, vector_widths>& rates, double element)
{
    std::array<double, vector_widths> const bytes{element, 16, 32, 64};
    for (std::size_t w = vector_widths - 1; w > 0; --w)
        rates[w - 1] = std::max(rates[w - 1], rates[w] * bytes[w - 1] / bytes[w]);
}

/// The peaks in the order of the file.
template <class Peaks, class Visit>
void for_each_peak(Peaks& peaks, Visit const& visit)
{
    for (auto* list :
         {&peaks.f32_flops, &peaks.f64_flops, &peaks.f32_sums, &peaks.f64_sums, &peaks.load_bytes})
        for (auto& peak : *list)
            visit(peak);
}

[[nodiscard]] inline std::vector<double> numbers_of(core_peaks const& peaks)
{
    std::vector<double> out;
    for_each_peak(peaks, [&](double peak) { out.push_back(peak); });
    return out;
}

ATTUNE_INLINE void raise_to(core_peaks& peaks, core_peaks const& others)
{
    std::vector<double> const higher = numbers_of(others);
    std::size_t i = 0;
    for_each_peak(peaks, [&](double& peak) { peak = std::max(peak, higher[i++]); });
}

ATTUNE_INLINE core_peaks measure_core_peaks()
{
    core_peaks out = core_peaks_once();
    for (int again = 0; again < 4; ++again) // a disturbance is longer than one peak takes
        raise_to(out, core_peaks_once());
    raise_narrow(out.f32_flops, 4);
    raise_narrow(out.f32_sums, 4);
    raise_narrow(out.load_bytes, 4);
    raise_narrow(out.f64_flops, 8);
    raise_narrow(out.f64_sums, 8);
    return out;
}

/// The highest peaks in a file for this processor; all 0 if there are none.
[[nodiscard]] inline core_peaks core_peaks_in_file(std::string const& path,
                                                   std::string const& device)
{
    core_peaks found;
    // no core reaches 10^15 per second
    for (auto const& line : peaks_in_file(path, core_peaks_word, device, 5 * vector_widths, 1e15)) {
        core_peaks known;
        auto next = line.begin();
        for_each_peak(known, [&](double& peak) { peak = *next++; });
        raise_to(found, known);
    }
    return found;
}

ATTUNE_INLINE core_peaks known_core_peaks(std::string const& path, std::string const& device,
                                          bool anew, core_measurement const& measure)
{
    core_peaks const found = core_peaks_in_file(path, device);
    if (found.f32_flops[0] > 0 && !anew) return found;
    core_peaks out = measure();
    bool is_news = false;
    std::vector<double> const before = numbers_of(found);
    std::size_t i = 0;
    // true if a peak exceeds the former one by more than the error of a measurement
    for_each_peak(out, [&](double peak) { is_news = peak > 1.005 * before[i++] || is_news; });
    if (is_news && out.is_optimised) append_peaks(path, core_peaks_word, numbers_of(out), device);
    raise_to(out, found);
    if (!is_news) out.is_optimised = true; // all peaks are from the file
    return out;
}

ATTUNE_INLINE bool cores_are_alike(std::vector<int> const& processors, std::string const& folder)
{
    for (char const* const name : {"cpufreq/cpuinfo_max_freq", "cpu_capacity"}) {
        std::set<std::string> seen; // a processor without the file counts as a separate kind
        for (int const processor : processors) {
            std::ifstream file(folder + "/cpu" + std::to_string(processor) + "/" + name);
            std::string value;
            file >> value;
            seen.insert(value);
        }
        if (seen.size() > 1) return false;
    }
    return !processors.empty();
}

ATTUNE_INLINE char const* name_of(bound_by what) noexcept
{
    switch (what) {
    case bound_by::flops:
        return "flops";
    case bound_by::sums:
        return "sums";
    case bound_by::loads:
        return "loads";
    case bound_by::bytes:
        return "bytes";
    case bound_by::nothing:
        break;
    }
    return "nothing";
}

/// The highest rate of vectors of at most `widest` bytes; narrower ones may be faster.
/// @param element  bytes of one element
[[nodiscard]] inline double rate_up_to(std::array<double, vector_widths> const& rates,
                                       unsigned widest, unsigned element) noexcept
{
    constexpr std::array<unsigned, vector_widths> bytes{0, 16, 32, 64};
    double best = rates[0];
    bool const is_open = widest == 0 || widest > 64;
    for (std::size_t w = 1; w < vector_widths; ++w)
        // a vector of 8 bytes is half of one of 16: at most as fast
        if (is_open || (widest > element && bytes[w - 1] < widest)) best = std::max(best, rates[w]);
    return best;
}

ATTUNE_INLINE least_time least_time_of(core_peaks const& peaks, work const& done, unsigned threads,
                                       double bytes_per_s, double cached) noexcept
{
    least_time out;
    auto const consider = [&](double amount, double rate, bound_by what) {
        double const seconds = amount / rate;
        if (!(amount > 0) || !(rate > 0) || !std::isfinite(seconds) || !(seconds > out.seconds))
            return;
        out = {seconds, what};
    };
    double const cores = std::max(threads, 1U);
    unsigned const element = done.double_precision ? 8 : 4;
    auto const& flops = done.double_precision ? peaks.f64_flops : peaks.f32_flops;
    auto const& sums = done.double_precision ? peaks.f64_sums : peaks.f32_sums;
    consider(done.flops, cores * rate_up_to(flops, 0, element), bound_by::flops);
    consider(done.sums, cores * rate_up_to(sums, done.sum_bytes, element), bound_by::sums);
    consider(done.loads, cores * rate_up_to(peaks.load_bytes, done.load_bytes, element),
             bound_by::loads);
    consider(done.bytes - cached, bytes_per_s, bound_by::bytes);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
