// bench.tune.dispatch : what a call through attune::tuned costs over the plain function pointer.
// SPDX-License-Identifier: MIT
//
// A line for each: without and with bound inputs; 1, 8 and 1,000 shapes in turn, of a kernel with
// an array and three integers, over the raw pointer on the same arguments in turn, interleaved. The
// last line is the worst of these.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../support/interleaved.hpp"
#include "../support/key_value_reporter.hpp"

namespace {

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2));
inline constexpr auto plain_space = attune::space(step);
inline constexpr auto input_space = attune::space(step).where(step <= n);

constexpr char const* text = "#include <attune/tunable.hpp>\n#include <span>\n"
                             "void add(std::span<float> x, int by) "
                             "{ x[0] += by * ATTUNE_TUNABLE(STEP, 1); }\n";
using add_kernel = attune::kernel<void(std::span<float>, int)>;

attune::tuning_options one_evaluation()
{
    return {.limits = {.evaluations = 1}, .progress = attune::silent_progress()};
}

template <class Function>
void count_calls(benchmark::State& state, Function& add)
{
    std::vector<float> x(1);
    add(x, 1); // the first call tunes and does not count
    for (auto _ : state) {
        add(x, 1);
        benchmark::DoNotOptimize(x.data());
    }
}

void raw_pointer(benchmark::State& state)
{
    attune::clang_compiler compiler;
    attune::compile_request wanted = attune::variant_of<void(std::span<float>, int)>("add");
    wanted.macros.push_back({"STEP", "1"});
    auto const code = std::get<attune::callable>(
        compiler.compile(attune::source_text(text, "add.kernel.cpp"), wanted));
    auto* const add = code.as<void(std::span<float>, int)>();
    count_calls(state, add);
}
BENCHMARK(raw_pointer);

void tuned_without_inputs(benchmark::State& state)
{
    add_kernel const kernel{"add", attune::source_text(text, "add.kernel.cpp"), plain_space};
    attune::tuned add{kernel, attune::clang_compiler{}, one_evaluation()};
    count_calls(state, add);
}
BENCHMARK(tuned_without_inputs);

void tuned_with_one_input(benchmark::State& state)
{
    add_kernel kernel{"add", attune::source_text(text, "add.kernel.cpp"), input_space};
    kernel.bind<1>(n);
    attune::tuned add{kernel, attune::clang_compiler{}, one_evaluation()};
    count_calls(state, add);
}
BENCHMARK(tuned_with_one_input);

using touch_signature = void(std::span<float>, int, int, int);
void touch(std::span<float> x, int a, int b, int c) { x[0] += static_cast<float>(a + b + c); }

/// Serves a function of this program as every variant.
struct one_function {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const&)
    {
        return attune::callable{reinterpret_cast<void*>(&touch), std::make_shared<int>(0), "touch",
                                0.001, identity()};
    }
    [[nodiscard]] std::string identity() const { return "a function of this program"; }
};

/// Nanoseconds of a call over those of the raw pointer, where `shapes` shapes take turns.
double over_raw_ns(std::size_t shapes)
{
    attune::kernel<touch_signature> const kernel{
        "touch", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "touch.kernel.cpp"),
        plain_space};
    attune::tuned tuned{kernel, one_function{}, one_evaluation()};
    std::vector<float> x(64);
    std::vector<std::array<int, 3>> sizes;
    std::mt19937 random(3);
    for (std::size_t i = 0; i < shapes; ++i)
        sizes.push_back({static_cast<int>(random() % 5'000), static_cast<int>(random() % 5'000),
                         static_cast<int>(i)});
    for (int round = 0; round < 3; ++round) // a shape is known for good when it was met twice
        for (auto const& [a, b, c] : sizes)
            tuned(x, a, b, c);
    touch_signature* const volatile hidden = &touch;
    touch_signature* const raw = hidden;
    constexpr std::size_t calls = 100'000;
    auto const all = [&](auto& f) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < calls; ++i) {
            auto const& [a, b, c] = sizes[at];
            f(x, a, b, c);
            at = at + 1 == shapes ? 0 : at + 1;
        }
    };
    auto const medians = bench::interleaved_medians({[&] { all(raw); }, [&] { all(tuned); }}, 31);
    return 1e9 * (medians[1] - medians[0]) / static_cast<double>(calls);
}

} // namespace

int main(int argc, char** argv)
{
    if (int const status = bench::run(argc, argv); status != 0) return status;
    double worst = 0;
    for (std::size_t const shapes : {1u, 8u, 1'000u}) {
        double const ns = over_raw_ns(shapes);
        std::printf("shapes=%zu over_raw_ns=%.2f\n", shapes, ns);
        worst = std::max(worst, ns);
    }
    std::printf("total over_raw_ns=%.2f\n", worst);
    return 0;
}
