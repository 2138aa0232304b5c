// bench.tune.inputs : memory and time of calls whose bound inputs never repeat. [--calls N]
// SPDX-License-Identifier: MIT
//
// Each of 1,000,000 calls has another value of its bound input, and so another space: a constraint
// reads the input. miss_policy::lookup_only, because a tuning would hide what is measured; every
// variant is one function of this program, because so would a compiler. The last line has the
// growth of resident memory since before the first call, and microseconds a call of the first and
// the last thousand. The bound: 64 MB, and the last no slower than twice the first.
#include <attune/attune.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../support/arguments.hpp"

namespace {

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto step = attune::ordinal<"STEP">(attune::powers_of_two(1, 64));

using signature = void(std::span<float>, int);
void touch(std::span<float> x, int count) { x[0] += static_cast<float>(count); }

/// Serves a function of this program as every variant.
struct one_function {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&)
    {
        return attune::callable{reinterpret_cast<void*>(&touch), std::make_shared<int>(0), "touch",
                                0.001, identity()};
    }
    [[nodiscard]] std::string identity() const { return "a function of this program"; }
};

double resident_mb()
{
    constexpr double mb = 1 << 20;
    return static_cast<double>(attune::detail::read_memory_use().resident) / mb;
}

int run(int argc, char** argv)
{
    std::size_t calls = 1'000'000;
    bench::read_arguments(argc, argv, {{"--calls", &calls, 1}});
    attune::kernel<signature> kernel{
        "touch", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "touch.kernel.cpp"),
        attune::space(step).where(step <= n)};
    kernel.bind<1>(n);
    attune::tuned tuned{kernel, one_function{},
                        attune::tuning_options{.progress = attune::silent_progress(),
                                               .on_miss = attune::miss_policy::lookup_only}};
    std::vector<float> x(64);
    double const before_mb = resident_mb();
    std::size_t const part = std::min<std::size_t>(calls, 1'000);
    double first_us = 0;
    double last_us = 0;
    double most_mb = 0;
    for (std::size_t made = 0; made < calls; made += part) {
        std::size_t const now = std::min(part, calls - made);
        auto const begun = std::chrono::steady_clock::now();
        for (std::size_t i = made; i < made + now; ++i)
            tuned(x, static_cast<int>(i) + 64);
        std::chrono::duration<double, std::micro> const took =
            std::chrono::steady_clock::now() - begun;
        last_us = took.count() / static_cast<double>(now);
        if (made == 0) first_us = last_us;
        most_mb = std::max(most_mb, resident_mb() - before_mb);
        if (made % 100'000 == 0)
            std::printf("at inputs=%zu megabytes=%.1f call_us=%.1f\n", made, most_mb, last_us);
    }
    std::printf("total inputs=%zu megabytes=%.1f call_us_first=%.1f call_us_last=%.1f\n", calls,
                most_mb, first_us, last_us);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of("bench.tune.inputs", [&] { return run(argc, argv); });
}
