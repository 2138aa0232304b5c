// tests/support/gpu_saxpy.hpp - y += a * x on a GPU, in good and in bad variants.
// SPDX-License-Identifier: MIT
//
// A second call changes the result, so that what is not restored shows. The plain variant waits
// some tens of microseconds first, so that the winner is known.
#pragma once

#include <attune/attune.hpp>
#include <attune/cuda/device_array.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/device_compare.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "device_arguments.hpp"
#include "gpu.hpp"
#include "saxpy_data.hpp"

namespace attune_test {

/// What the parameter KIND stands for. All but the first two are quick too, and wrong.
enum gpu_kind : int {
    plain = 0,
    quick = 1,
    doubled = 2,       ///< twice the result
    one_wrong = 3,     ///< 1 is missing in element 500
    not_a_number = 4,  ///< in element 500
    untouched = 5,     ///< writes nothing
    one_past = 6,      ///< element n, too
    one_before = 7,    ///< element -1, too
    writes_input = 8,  ///< element 5 of what is only read
    far_write = 10,    ///< a tebibyte past the array
    far_read = 11,     ///< likewise
    null_write = 12,   ///< to address 8
    misaligned = 13,   ///< a load of eight bytes, from the middle
    trapping = 14,     ///< ends itself
    asserting = 15,    ///< says what is not so
    hanging = 16,      ///< never ends
    bad_jump = 17,     ///< calls what is no function
    shared_far = 18,   ///< writes past the shared memory there can be
    slow_to_fail = 19, ///< right in its first five runs in a context, then wrong
};

inline constexpr char const* gpu_saxpy_text = R"(#include <attune/tunable.hpp>

extern "C" __device__ void
__assertfail(char const* said, char const* file, unsigned line, char const* function, size_t width);

__device__ int runs_begun = 0;

extern "C" __global__ void saxpy(float const* x, float* y, float a, int n)
{
    constexpr int kind = ATTUNE_TUNABLE(KIND, 0); // each is compiled alone
    constexpr int block = ATTUNE_TUNABLE(BLOCK, 64);
    int const i = blockIdx.x * block + threadIdx.x;
    bool const first = i == 0;
    if (kind == 0)
        for (long long const begin = clock64(); clock64() - begin < 60000;) {}
    if (kind == 6 && first) reinterpret_cast<int volatile*>(y)[n] = 0x01020304;
    if (kind == 7 && first) reinterpret_cast<int volatile*>(y)[-1] = 0x01020304;
    if (kind == 8 && first) const_cast<float volatile*>(x)[5] = 77;
    if (kind == 10 && first) *reinterpret_cast<float volatile*>(y + (1ll << 38)) = 1;
    if (kind == 11 && first) y[0] += *reinterpret_cast<float const volatile*>(x + (1ll << 38));
    if (kind == 12 && first) *reinterpret_cast<float volatile*>(8) = 1;
    if (kind == 13 && first)
        y[0] += static_cast<float>(*reinterpret_cast<double const volatile*>(x + 1));
    if (kind == 14 && first) asm volatile("trap;");
    if (kind == 15 && first) __assertfail("x is sorted", "saxpy.cu", 7, "saxpy", 1);
    if (kind == 16)
        while (*const_cast<float const volatile*>(x) < 1e30f) {}
    if (kind == 17 && first) reinterpret_cast<void (*)(float*)>(n * 1000ll + 16)(y);
    if (kind == 18) {
        __shared__ float pool[64];
        pool[threadIdx.x % 64] = a;
        reinterpret_cast<float volatile*>(pool)[first ? 100000 : 0] = a;
    }
    if (kind == 19 && first) atomicAdd(&runs_begun, 1);
    if (i >= n || kind == 5) return;
    float by = kind == 2 ? 2 * a : a;
    if (kind == 19 && *const_cast<int volatile*>(&runs_begun) > 5) by = 3 * a;
    y[i] += by * x[i];
    if (kind == 3 && i == 500) y[i] -= 1;
    if (kind == 4 && i == 500) y[i] = __int_as_float(0x7fc00000);
}
)";

inline constexpr auto saxpy_n = attune::input<"n", int>();
inline constexpr auto saxpy_block = attune::ordinal<"BLOCK">(attune::values(64, 128));

/// The default is the plain one.
template <class Signature, gpu_kind... Kinds>
attune::kernel<Signature> saxpy_kernel(std::string const& text = gpu_saxpy_text)
{
    attune::kernel<Signature> out{
        "saxpy", attune::source_text(text, "saxpy.cu"),
        attune::space(attune::categorical<"KIND">(static_cast<int>(Kinds)...), saxpy_block)};
    out.template bind<3>(saxpy_n).grid(attune::ceil_div(saxpy_n, saxpy_block)).block(saxpy_block);
    return out;
}

/// So many that one in the middle can be wrong.
inline constexpr std::size_t gpu_elements = 1000;

/// The same on device 0.
struct saxpy_arrays {
    attune::device_array<float> x;
    attune::device_array<float> y;

    explicit saxpy_arrays(saxpy_data const& from)
        : x(std::span<float const>{from.x}, 0)
        , y(std::span<float const>{from.y}, 0)
    {
    }
    [[nodiscard]] bool called_times(int times, float a) const
    {
        saxpy_data now;
        now.x = x.to_host();
        now.y = y.to_host();
        return now.called_times(times, a);
    }
};

/// Exhaustive and silent: quick, and the same every time.
inline attune::tuning_options gpu_options()
{
    attune::tuning_options out;
    out.limits = {.evaluations = 100, .seconds = 60};
    out.progress = attune::silent_progress();
    out.search.strategy = attune::search_with<attune::exhaustive_searcher>();
    out.measuring.precision = 0.05;
    out.compile_ahead = 0;
    return out;
}

[[nodiscard]] inline attune::device_code gpu_comparison(gpu const& g)
{
    attune::compile_request v;
    v.function = std::string(attune::detail::device_compare_entry);
    v.result = "void";
    v.arguments = attune::detail::device_compare_arguments();
    return g.compile(std::string(attune::detail::device_compare_text), v).code;
}

/// The kernel without a tuning around it: one bench, one variant after another.
struct saxpy_bench {
    gpu const& g;
    saxpy_data data{gpu_elements};
    std::unique_ptr<attune::detail::device_bench> bench{};

    saxpy_bench(gpu const& on, bool in_worker)
        : g(on)
    {
        attune::detail::device_call call;
        call.buffers = {{attune::detail::as_buffer(std::span<float const>(data.x), 0),
                         attune::detail::memory_place::host},
                        {attune::detail::as_buffer(std::span<float>(data.y), 1),
                         attune::detail::memory_place::host}};
        call.arguments = {array_number(0), array_number(1), by_value(2.0F), by_value(data.n())};
        attune::detail::device_bench_options options;
        options.comparison = gpu_comparison(g);
        bench = in_worker ? attune::detail::make_worker_bench(g.driver, call, options)
                          : attune::detail::make_local_bench(g.driver, call, options);
    }
    [[nodiscard]] attune::device_variant variant(gpu_kind kind) const
    {
        attune::compile_request v =
            gpu_variant("saxpy", {"float const*", "float*", "float", "int"}, 16, 64);
        v.macros = {{"KIND", std::to_string(static_cast<int>(kind))}, {"BLOCK", "64"}};
        return g.compile(gpu_saxpy_text, v);
    }
    /// Why a variant is refused; of one that is not, the reason is "none".
    [[nodiscard]] attune::failure refusal(attune::device_variant const& tried,
                                          double limit_s = 10) const
    {
        attune::first_run_result const end = bench->first_run(tried, limit_s);
        if (auto const* why = std::get_if<attune::failure>(&end)) return *why;
        return {attune::failure_stage::compile, "none"};
    }
    [[nodiscard]] attune::failure refusal(gpu_kind kind, double limit_s = 10) const
    {
        return refusal(variant(kind), limit_s);
    }
};

/// Remembers nothing.
template <class Signature, gpu_kind... Kinds>
[[nodiscard]] auto tuned_here(gpu const& g, attune::tuning_options const& options = gpu_options())
{
    return attune::tuned{saxpy_kernel<Signature, Kinds...>(), g.compiler, attune::memory_store{},
                         options};
}

[[nodiscard]] inline std::uint32_t failed(attune::tuning_report const& report,
                                          attune::failure_stage stage)
{
    return report.failures[static_cast<std::size_t>(stage)];
}

/// Everything there is to say about a tuning that did not end as expected.
[[nodiscard]] inline std::string all_of(attune::tuning_report const& report)
{
    std::string text = report.summary() + "\n  installed " + report.configuration + ", default " +
                       std::to_string(report.default_time.value * 1e6) + " us, best " +
                       std::to_string(report.best.value * 1e6) + " us, " + report.isolation;
    for (attune::failure const& why : report.first_failures)
        text += "\n  " + std::string(describe(why.stage)) + ": " + why.reason + "\n  " + why.log;
    for (std::string const& said : report.notices)
        text += "\n  notice: " + said;
    return text;
}

} // namespace attune_test
