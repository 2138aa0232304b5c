// bench.tune.latency : calls of a size that is tuned, while another thread tunes other sizes.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.latency [--evaluations 40] [--quiet 3] [--pause 0] [--ahead 1]
//          [--resident 256] [--sizes 1] [--cached]
//          --pause: microseconds that the calling thread sleeps between two calls
//          --ahead 0: nothing is compiled beside a measurement
//          --resident: MiB of the process in small pages, which the tuning does not need
//          --sizes: so many are tuned meanwhile, one after the other
//          --cached: the variants are compiled already, so that more of them run in a second
// Prints   quiet and busy: median, percentiles and longest call, the share of calls over 1 ms, how
//          often the thread was taken off its processor; the last line has the ratio
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "../support/arguments.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8, 16));
inline constexpr auto block = attune::ordinal<"BLOCK">(attune::values(64, 128, 256, 512, 1024));
inline constexpr auto vector = attune::ordinal<"WIDTH">(attune::values(1, 2, 4, 8, 16));
inline constexpr auto space = attune::space(unroll, block, vector).where(block <= n);

constexpr char const* text = R"(#include <attune/tunable.hpp>
#include <cmath>
#include <span>
void norm(std::span<float const> x, std::span<float> y, int n)
{
    constexpr int block = ATTUNE_TUNABLE(BLOCK, 64);
    for (int begin = 0; begin < n; begin += block) {
        int const end = begin + block < n ? begin + block : n;
#pragma clang loop unroll_count(ATTUNE_TUNABLE(UNROLL, 1)) vectorize_width(ATTUNE_TUNABLE(WIDTH, 4))
        for (int i = begin; i < end; ++i)
            y[i] = std::sqrt(x[i] * x[i] + 1.0f) / (x[i] + 2.0f);
    }
}
)";

struct asked_for {
    std::uint32_t evaluations = 40;
    std::size_t quiet_s = 3;
    std::size_t pause_us = 0;
    std::uint32_t ahead = 1;
    std::size_t resident_mib = 256;
    std::uint32_t sizes = 1;
    bool cached = false;
};

/// What one call took, call by call, and what the system did to the thread meanwhile.
struct call_times {
    std::vector<float> us{};
    long preemptions = 0;

    [[nodiscard]] double at(double share)
    {
        if (us.empty()) return 0;
        auto const place = static_cast<std::ptrdiff_t>(share * static_cast<double>(us.size() - 1));
        std::nth_element(us.begin(), us.begin() + place, us.end());
        return static_cast<double>(us[static_cast<std::size_t>(place)]);
    }
    void print(char const* name)
    {
        auto const slow = std::count_if(us.begin(), us.end(), [](float t) { return t > 1000; });
        std::printf("%s calls=%zu median_us=%.1f p99_us=%.1f p99.9_us=%.1f max_us=%.0f "
                    "over_1ms=%.4f%% preemptions=%ld\n",
                    name, us.size(), at(0.5), at(0.99), at(0.999), at(1),
                    us.empty() ? 0
                               : 100.0 * static_cast<double>(slow) / static_cast<double>(us.size()),
                    preemptions);
    }
};

long preemptions_of_this_thread()
{
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
}

/// Calls in a loop until it is told to stop, on a thread of its own.
template <class Call>
class caller {
public:
    caller(Call call, std::size_t pause_us)
        : thread_([this, call, pause_us] {
            times_.us.reserve(std::size_t{1} << 22);
            std::memset(times_.us.data(), 0, times_.us.capacity() * sizeof(float));
            long const before = preemptions_of_this_thread();
            while (!is_over_.load(std::memory_order_relaxed) &&
                   times_.us.size() < times_.us.capacity()) {
                auto const begin = clock_type::now();
                call();
                times_.us.push_back(
                    std::chrono::duration<float, std::micro>(clock_type::now() - begin).count());
                if (pause_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
            }
            times_.preemptions = preemptions_of_this_thread() - before;
        })
    {
    }
    [[nodiscard]] call_times end()
    {
        is_over_ = true;
        thread_.join();
        return std::move(times_);
    }

private:
    std::atomic<bool> is_over_{false};
    call_times times_{};
    std::thread thread_;
};

/// Memory in small pages that the program holds and no kernel touches.
void occupy(std::size_t mib)
{
    std::size_t const bytes = mib << 20;
    if (bytes == 0) return;
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    ::madvise(memory, bytes, MADV_NOHUGEPAGE);
    std::memset(memory, 1, bytes);
}

int measure(asked_for const& asked)
{
    occupy(asked.resident_mib);
    attune::clang_options compiling;
    attune::detail::temporary_folder const cache;
    compiling.cache.enabled = asked.cached;
    compiling.cache.folder = cache.path();
    attune::tuning_options options;
    options.limits = {.evaluations = asked.evaluations};
    options.progress = attune::silent_progress();
    if (asked.ahead == 0) options.compile_ahead = 0;
    attune::kernel<void(std::span<float const>, std::span<float>, int)> kernel{
        "norm", attune::source_text(text, "norm.kernel.cpp"), space};
    kernel.bind<2>(n);
    attune::tuned norm{kernel, attune::clang_compiler{compiling}, options};

    constexpr int known_size = 1 << 15;
    constexpr int new_size = 1 << 19;
    std::vector<float> x(known_size, 0.5F);
    std::vector<float> y(known_size);
    std::vector<float> new_x(new_size, 0.5F);
    std::vector<float> new_y(new_size);
    norm(x, y, known_size);
    if (asked.cached) norm(new_x, new_y, new_size - 1);
    auto const call = [&] { norm(x, y, known_size); };

    caller before{call, asked.pause_us};
    std::this_thread::sleep_for(std::chrono::seconds(asked.quiet_s));
    call_times quiet = before.end();
    quiet.print("quiet");

    caller meanwhile{call, asked.pause_us};
    auto const begin = clock_type::now();
    for (std::uint32_t i = 0; i < asked.sizes; ++i)
        norm(new_x, new_y, new_size - 64 * static_cast<int>(i));
    double const tuning_s = std::chrono::duration<double>(clock_type::now() - begin).count();
    call_times busy = meanwhile.end();
    busy.print("busy");

    attune::tuning_report const report = norm.report();
    std::printf("tuning s=%.2f evaluations=%u compiled=%u processors=%u isolation=\"%s\"\n",
                tuning_s, report.evaluations, report.compiled, std::thread::hardware_concurrency(),
                report.isolation.c_str());
    double const quiet_us = quiet.at(0.99);
    double const busy_us = busy.at(0.99);
    std::printf("total quiet_p99_us=%.1f busy_p99_us=%.1f ratio=%.1f\n", quiet_us, busy_us,
                busy_us / quiet_us);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        asked_for asked;
        bench::read_arguments(argc, argv,
                              {{"--evaluations", &asked.evaluations, 1},
                               {"--quiet", &asked.quiet_s, 1},
                               {"--pause", &asked.pause_us},
                               {"--ahead", &asked.ahead},
                               {"--resident", &asked.resident_mib},
                               {"--sizes", &asked.sizes, 1},
                               {"--cached", &asked.cached}});
        return measure(asked);
    });
}
