// bench.tune.launch : what a call of a tuned kernel costs the host over a bare cuLaunchKernel.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.launch [rounds]
//
// Medians of interleaved batches of 100 launches of an empty kernel, in nanoseconds of processor
// time; after each batch, outside of its time, the device is waited for. Where there is no device,
// the emulated driver of the tests stands in: its cuLaunchKernel costs something else, the
// difference is the same code. Last line `total over_bare_ns=`.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/primary_context.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#ifdef ATTUNE_EMULATED_CUDA
#include "../../tests/support/emulated_compiler.hpp"
#endif

namespace {

inline constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2));
inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto space = attune::space(step).where(step <= n);

constexpr char const* text = "#include <attune/tunable.hpp>\n"
                             "extern \"C\" __global__ void nothing(float* x, int n)\n"
                             "{ if (n < ATTUNE_TUNABLE(STEP, 1)) x[0] = 0; }\n";
using signature = void(attune::device_span<float>, int);
constexpr int batch = 100;

attune::callable must_compile(auto const& compiler, attune::kernel_source const& source,
                              attune::compile_request const& v)
{
    auto result = compiler.compile(source, v);
    if (auto const* why = std::get_if<attune::failure>(&result))
        throw std::runtime_error(why->reason + '\n' + why->log);
    return std::get<attune::callable>(std::move(result));
}

template <class Compiler>
void measure(char const* driver_name, Compiler const& compiler, std::size_t rounds)
{
    attune::cuda_target const& target = compiler.target();
    attune::detail::cuda::primary_context const context{target.driver, target.ordinal};
    attune::detail::cuda::context_scope const here{context};
    attune::kernel_source const source = attune::source_text(text, "nothing.kernel.cu");

    attune::compile_request wanted = attune::variant_of<signature>("nothing");
    wanted.macros.push_back({"STEP", "1"});
    attune::callable const code = must_compile(compiler, source, wanted);
    auto loaded = attune::detail::cuda::loaded_code::load(
        target.driver, *static_cast<attune::device_variant const*>(code.address));
    if (auto const* why = std::get_if<attune::failure>(&loaded))
        throw std::runtime_error(why->reason);
    attune::detail::cuda::function const bare =
        std::get<attune::detail::cuda::loaded_code>(loaded).handle();

    attune::kernel<signature> kernel{"nothing", source, space};
    kernel.template bind<1>(n).grid(1).block(1);
    attune::tuned tuned{
        kernel, compiler, {.limits = {.evaluations = 1}, .progress = attune::silent_progress()}};
    attune::detail::cuda::device_pointer memory = 0;
    attune::detail::cuda::require_success(
        *target.driver, target.driver->memory_allocate(&memory, 256), "cuMemAlloc");
    attune::device_span<float> const x{reinterpret_cast<float*>(memory), 64};
    int count = 64;
    tuned(x, count);

    std::vector<double> const seconds = bench::interleaved_medians(
        {[&] {
             for (int i = 0; i < batch; ++i) {
                 void* arguments[] = {&memory, &count};
                 target.driver->launch_kernel(bare, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                                              nullptr);
             }
         },
         [&] {
             for (int i = 0; i < batch; ++i)
                 tuned(x, count);
         }},
        rounds, [&] { target.driver->context_synchronize(); });
    double const bare_ns = seconds[0] / batch * 1e9;
    double const ours_ns = seconds[1] / batch * 1e9;
    std::printf("launch driver=%s device=\"%s\" bare_ns=%.1f tuned_ns=%.1f\n", driver_name,
                target.limits.name.c_str(), bare_ns, ours_ns);
    std::printf("total over_bare_ns=%.1f\n", ours_ns - bare_ns);
    target.driver->memory_free(memory);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::size_t rounds = 200;
        bench::read_arguments(argc, argv, {{"rounds", &rounds, 1}});
        attune::nvrtc_compiler const compiler;
        std::string const why = compiler.missing();
        if (why.empty()) {
            measure("cuda", compiler, rounds);
            return 0;
        }
        std::printf("launch cuda skipped: %s\n", why.c_str());
#ifdef ATTUNE_EMULATED_CUDA
        measure("emulated", attune_test::emulated_compiler{{.driver = ATTUNE_EMULATED_CUDA}},
                rounds);
#endif
        return 0;
    });
}
