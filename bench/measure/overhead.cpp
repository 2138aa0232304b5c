// bench.measure.overhead : what protecting the program costs per variant of a 5 ms kernel (200 MB resident).
// SPDX-License-Identifier: MIT
//
// Per variant and in total: wall seconds of a bare loop and of the same timing with protection, and
// their ratio. cpu_ratio is that of the CPU seconds of this process and its children: beside other
// programs it tells more, but it leaves out what is waited for. The bare loop begins with a run
// that warms up and counts for nothing; with --frugal it counts where it would count with
// protection.
#include <attune/attune.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/loop/trial.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"

namespace {

using signature = void(std::span<float const>, std::span<float>);
constexpr std::size_t variants = 13;
constexpr std::size_t resident_bytes = std::size_t{200} << 20;
constexpr std::size_t elements = std::size_t{1} << 18; // 1 MiB in, 1 MiB out

double seconds(clockid_t clock)
{
    std::timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU seconds of this process, and of its children that have ended.
double cpu_seconds()
{
    ::rusage ended{};
    ::getrusage(RUSAGE_CHILDREN, &ended);
    auto const s = [](timeval const& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(CLOCK_PROCESS_CPUTIME_ID) + s(ended.ru_utime) + s(ended.ru_stime);
}

/// About 5 ms; each variant a little faster than the one before.
template <std::size_t Variant>
void smooth(std::span<float const> x, std::span<float> y)
{
    constexpr int steps = 30;
    for (std::size_t i = 0; i < y.size(); ++i) {
        float value = x[i];
        for (int step = 0; step < steps; ++step) {
            value = 0.5F * value + 1.0F;
            asm volatile("" : "+x"(value));
        }
        y[i] = value;
    }
    for (std::size_t idle = 0; idle < 20'000 * (variants - Variant); ++idle)
        asm volatile("");
}

template <std::size_t... Variants>
std::array<signature*, variants> all_variants(std::index_sequence<Variants...>)
{
    return {smooth<Variants>...};
}

/// Gives out the functions above.
struct ready_made {
    std::array<signature*, variants> functions = all_variants(std::make_index_sequence<variants>{});

    attune::compile_result compile(attune::kernel_source const&,
                                   attune::compile_request const& v) const
    {
        std::size_t const chosen = std::stoul(v.macros.front().value);
        return attune::callable{reinterpret_cast<void*>(functions[chosen]), {}, {}, 0, "ready"};
    }
    static std::string identity() { return "ready"; }
};

/// Memory that the program holds and the kernel does not touch.
std::vector<char*> occupy()
{
    void* const memory =
        ::mmap(nullptr, resident_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    ::madvise(memory, resident_bytes, MADV_NOHUGEPAGE);
    std::memset(memory, 1, resident_bytes);
    return {static_cast<char*>(memory)};
}

/// About 20 ns, times `Length`.
template <int Length>
void idle_for(std::span<float const>, std::span<float>)
{
    for (int i = 0; i < 60 * Length; ++i)
        asm volatile("");
}

/// Kernels far shorter than what their runs are wrapped in: seconds of one by a loop of bare calls,
/// by the timer as it is, and by the timer that takes the wrapping off.
void print_short_kernels(attune::detail::signal_guard& guard)
{
    std::vector<float> x(16);
    std::vector<float> y(16);
    auto const frame =
        attune::detail::make_call_frame<std::span<float const>, std::span<float>>({}, x, y);
    std::vector<std::byte*> const addresses{frame.buffers[0].data, frame.buffers[1].data};
    void* entry = nullptr;
    std::function<void()> const bare = [&] { frame.call(entry, addresses); };
    std::function<void()> const wrapped = [&] { guard.call(bare); };
    std::function<void()> const idle = [&] {
        void* const kept = entry;
        entry = frame.idle;
        guard.call(bare);
        entry = kept;
    };
    for (signature* const f : {idle_for<1>, idle_for<2>, idle_for<4>, idle_for<16>}) {
        constexpr int repeats = 200'000;
        double const begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < repeats; ++i)
            f(x, y);
        double const bare_s = (seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s) / repeats;
        entry = reinterpret_cast<void*>(f);
        attune::adaptive_timer_options how;
        how.is_repeatable = [] { return true; };
        double const as_it_is_s = attune::adaptive_timer{how}.time({}, wrapped).value;
        how.idle = idle;
        double const alone_s = attune::adaptive_timer{how}.time({}, wrapped).value;
        std::printf("short bare_ns=%.1f wrapped_ns=%.1f taken_off_ns=%.1f\n", 1e9 * bare_s,
                    1e9 * as_it_is_s, 1e9 * alone_s);
    }
}

/// @param is_frugal  the bare loop counts its warm-up runs
int measure(bool is_frugal)
{
    std::vector<char*> const ballast = occupy();
    std::vector<float> x(elements, 0.5F);
    std::vector<float> y(elements);
    auto const space = attune::space(attune::integer<"VARIANT">(0, static_cast<int>(variants) - 1));
    attune::kernel<signature> const kernel{
        "smooth",
        attune::source_text("constexpr int v = ATTUNE_TUNABLE(VARIANT, 0);\n", "smooth.kernel.cpp"),
        space};
    auto const frame =
        attune::detail::make_call_frame<std::span<float const>, std::span<float>>({}, x, y);
    attune::chain_of_trees const configurations = attune::build(space);
    ready_made compiler;
    attune::detail::any_compiler const any = attune::detail::make_any_compiler(compiler);
    attune::tuning_problem const problem{kernel.describe(), configurations, configurations.at(0),
                                         any, frame};
    attune::tuning_options options;
    options.limits = {.seconds = 600};
    options.progress = attune::silent_progress();

    attune::detail::trial_runner runner{problem, options};
    attune::detail::variant_timing bare{problem.frame.buffers,
                                        attune::detail::bench_options_of(options)};
    if (is_frugal) bare.count_warm_ups();
    attune::detail::snapshot const original{problem.frame.buffers};
    std::vector<std::byte*> addresses;
    for (attune::buffer const& b : problem.frame.buffers)
        addresses.push_back(b.data);
    auto const compile = [&](std::size_t i) {
        return any.compile(problem.kernel.source,
                           attune::detail::make_variant(problem.kernel, configurations.describe(),
                                                        configurations.at(i)));
    };
    attune::detail::trial const first = runner.establish_reference(compile(0));
    double const default_s = std::get<attune::measurement>(first.result).value;

    // Wall seconds, without and with protection, by turns, each variant racing against the default
    // as in a tuning; all rounds together, because how long a race takes is a matter of chance.
    constexpr int rounds = 8;
    auto const time_bare = [&](attune::compile_result const& code) {
        return bare.time([&] { original.restore(); },
                         [&] { frame.call(std::get<attune::callable>(code).address, addresses); },
                         default_s);
    };
    auto const time_protected = [&](attune::compile_result const& code) {
        attune::detail::trial const t = runner.run(code, default_s);
        if (auto const* why = std::get_if<attune::failure>(&t.result)) {
            std::printf("failed reason=\"%s\"\n", why->reason.c_str());
            std::exit(1);
        }
        return std::get<attune::measurement>(t.result);
    };
    double total_bare_s = 0;
    double total_protected_s = 0;
    double bare_cpu_s = 0;
    double protected_cpu_s = 0;
    for (std::size_t i = 1; i < variants; ++i) {
        attune::compile_result const code = compile(i);
        double bare_s = 0;
        double protected_s = 0;
        std::uint32_t bare_samples = 0;
        std::uint32_t protected_samples = 0;
        for (int round = 0; round < rounds; ++round) {
            double const begin_s = seconds(CLOCK_MONOTONIC);
            double const begin_cpu_s = cpu_seconds();
            bare_samples += time_bare(code).samples;
            double const middle_s = seconds(CLOCK_MONOTONIC);
            double const middle_cpu_s = cpu_seconds();
            protected_samples += time_protected(code).samples;
            bare_s += middle_s - begin_s;
            protected_s += seconds(CLOCK_MONOTONIC) - middle_s;
            bare_cpu_s += middle_cpu_s - begin_cpu_s;
            protected_cpu_s += cpu_seconds() - middle_cpu_s;
        }
        std::printf(
            "variant_%zu bare_ms=%.2f protected_ms=%.2f bare_samples=%u protected_samples=%u\n", i,
            1e3 / rounds * bare_s, 1e3 / rounds * protected_s, bare_samples, protected_samples);
        total_bare_s += bare_s;
        total_protected_s += protected_s;
    }
    // Arming and disarming the guard, alone.
    constexpr int calls = 100'000;
    attune::detail::signal_guard guard{10};
    std::function<void()> const nothing = [] {};
    double begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < calls; ++i)
        guard.call(nothing);
    std::printf("guard call_ns=%.1f\n", 1e9 / calls * (seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s));
    print_short_kernels(guard);
    std::printf("kernel ms=%.3f\n", 1e3 * default_s);
    std::printf("isolation text=\"%s\" resident_mb=%zu\n", runner.protection().c_str(),
                attune::detail::observe_process().small_page_bytes >> 20);
    std::printf("total variants=%zu bare_s=%.3f protected_s=%.3f ratio=%.3f cpu_ratio=%.3f\n",
                variants - 1, total_bare_s, total_protected_s, total_protected_s / total_bare_s,
                protected_cpu_s / bare_cpu_s);
    return ballast.front()[0] == 1 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        bool is_frugal = false;
        bench::read_arguments(argc, argv, {{"--frugal", &is_frugal}});
        return measure(is_frugal);
    });
}
