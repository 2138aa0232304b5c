// bench.tune.dispatch : what a call through attune::tuned costs over the plain function pointer.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <benchmark/benchmark.h>
#include <span>
#include <vector>

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
    return {.limits = attune::budget::of_evaluations(1), .progress = attune::silent_progress()};
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
    attune::variant wanted = attune::variant_of<void(std::span<float>, int)>("add");
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
    attune::tuned add{kernel, attune::clang_compiler{}, attune::memory_store{}, one_evaluation()};
    count_calls(state, add);
}
BENCHMARK(tuned_without_inputs);

void tuned_with_one_input(benchmark::State& state)
{
    add_kernel kernel{"add", attune::source_text(text, "add.kernel.cpp"), input_space};
    kernel.bind<1>(n);
    attune::tuned add{kernel, attune::clang_compiler{}, attune::memory_store{}, one_evaluation()};
    count_calls(state, add);
}
BENCHMARK(tuned_with_one_input);

} // namespace

int main(int argc, char** argv) { return bench::run(argc, argv); }
