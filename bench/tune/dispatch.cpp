// bench.tune.dispatch : what a call through attune::tuned costs over the plain function pointer.
// SPDX-License-Identifier: MIT
//
// A line for each: without and with bound inputs; 1, 8 and 1,000 shapes in turn, of a kernel with
// an array and three integers, and the raw pointer on the same arguments in turn. The last line is
// the worst of what these have over the raw pointer.
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

struct calls {
    std::vector<float> x = std::vector<float>(64); // elsewhere it would be of another shape
    std::vector<std::array<int, 3>> turns;

    /// Calls `f` with these in turn.
    void time(benchmark::State& state, auto& f)
    {
        auto turn = turns.begin();
        auto const end = turns.end();
        std::span<float> const same = x;
        for (auto _ : state) {
            auto const& [a, b, c] = *turn;
            f(same, a, b, c);
            if (++turn == end) turn = turns.begin();
        }
    }
};

void add_shapes(int count)
{
    auto const all = std::make_shared<calls>();
    std::mt19937 random(3);
    for (int i = 0; i < count; ++i)
        all->turns.push_back(
            {static_cast<int>(random() % 5'000), static_cast<int>(random() % 5'000), i});
    attune::kernel<touch_signature> const kernel{
        "touch", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "touch.kernel.cpp"),
        plain_space};
    auto const tuned = std::make_shared<attune::tuned<touch_signature, one_function>>(
        kernel, one_function{}, one_evaluation());
    for (int round = 0; round < 3; ++round) // a shape is known for good when it was met twice
        for (auto const& [a, b, c] : all->turns)
            (*tuned)(all->x, a, b, c);
    std::string const at = '/' + std::to_string(count);
    benchmark::RegisterBenchmark(("raw_shapes" + at).c_str(), [=](benchmark::State& state) {
        touch_signature* const volatile hidden = &touch;
        touch_signature* const raw = hidden;
        all->time(state, raw);
    });
    benchmark::RegisterBenchmark(("tuned_shapes" + at).c_str(),
                                 [=](benchmark::State& state) { all->time(state, *tuned); });
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        bench::read_flags(argc, argv, {});
        for (int const shapes : {1, 8, 1'000})
            add_shapes(shapes);
        auto const seconds = bench::run();
        if (seconds.empty()) return 0;
        double worst_s = 0;
        for (std::string const shapes : {"1", "8", "1000"})
            worst_s = std::max(worst_s, seconds.at("tuned_shapes/" + shapes) -
                                            seconds.at("raw_shapes/" + shapes));
        std::printf("total over_raw_ns=%.2f\n", 1e9 * worst_s);
        return 0;
    });
}
