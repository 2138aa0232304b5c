// tests/baked/device_record.cpp - `baked_device_record FILE [opencl]` writes the stores that the tests bake.
// SPDX-License-Identifier: MIT
//
// As a tuner would. Of axpy.kernel.cu: on a device of sm_90 one configuration won for 4096
// elements, another for 65536; a third was predicted for sm_80. Of axpy.kernel.cl: one
// configuration won on an OpenCL device.
#include <attune/compile/source/source.hpp>
#include <attune/core/device_span.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/tune/dispatch/choice/session_record.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

inline constexpr auto n = attune::input<"N", int>();
inline constexpr auto block = attune::ordinal<"BLOCK">(attune::values(64, 128, 256, 512));
inline constexpr auto vec = attune::ordinal<"VEC">(attune::values(1, 2, 4));

using attune::detail::call_facts;

int main(int count, char** arguments)
try {
    using signature =
        void(attune::device_span<float const>, attune::device_span<float>, float, int);
    bool const is_opencl = count > 2;
    attune::kernel<signature> kernel{
        is_opencl ? "axpy" : "linear::axpy",
        attune::source_file(is_opencl ? "axpy.kernel.cl" : "axpy.kernel.cu"),
        attune::space(block, vec)};
    kernel.bind<3>(n).grid(attune::ceil_div(n, block * vec)).block(block);
    attune::named_texts const facts = attune::detail::facts_of_calls(
        kernel.describe(), attune::detail::with_annotated_defaults(kernel.describe()),
        attune::detail::shape_of_call<attune::device_span<float const>, attune::device_span<float>,
                                      float, int>::layout());
    std::string const two =
        std::to_string(attune::detail::real_class(attune::detail::bits_of_real(2.0)));
    attune::memory_store store;
    auto const add = [&](std::string const& device, std::string const& size,
                         std::string const& threads, std::string const& elements) {
        bool const is_measured = device.find("predicted") == std::string::npos;
        attune::record one;
        one.key = {.kernel = kernel.describe().name,
                   .source = attune::detail::source_fingerprint(kernel.describe().source),
                   .schema = "s",
                   .compiler = is_opencl ? "opencl OpenCL 2.0, gfx906, driver 3581.0 -cl-mad-enable"
                                         : "nvrtc 13.0 sm_90 --std=c++20 --fmad=false",
                   .device = device,
                   .inputs = {{"N", size}},
                   .signature = "f"};
        one.configuration = {{"BLOCK", threads}, {"VEC", elements}};
        one.best_s = 1;
        one.default_s = 2;
        if (is_measured) one.shape = size + ' ' + size + ' ' + two + ' ' + size + " 0 0";
        one.code = "code of " + threads;
        one.evaluations = 2;
        one.when = "2026-11-23T12:00:00Z";
        attune::detail::stored_problem problem = attune::detail::problem_of(one);
        problem.facts = attune::detail::facts_of_device(device);
        problem.facts.insert(problem.facts.end(), facts.begin(), facts.end());
        store.note(problem,
                   {.values = attune::detail::values_of(one.configuration), .code = one.code});
        if (!is_measured) // what else was predicted there
            for (auto const& [others, of_each] : {std::pair{"128", "1"}, std::pair{"256", "4"}})
                store.note(problem, {.values = {others, of_each},
                                     .result = attune::measurement::exact(1.8),
                                     .code = std::string("code of ") + others});
        store.add(one);
    };
    if (is_opencl) {
        add("OpenCL gfx906 (AMD)", "4096", "128", "1");
    } else {
        add("NVIDIA H100 80GB HBM3 (sm_90)", "4096", "128", "1");
        add("NVIDIA H100 80GB HBM3 (sm_90)", "65536", "256", "4");
        add("sm_80, predicted", "4096", "512", "2");
    }
    attune::detail::replace_file(count > 1 ? arguments[1] : "axpy.attune", store.text());
} catch (std::exception const& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
