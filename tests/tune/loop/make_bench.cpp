// tests/tune/loop/make_bench.cpp - which bench a problem gets.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/make_bench.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>

#include "../../support/accumulate.hpp"
#include "../../support/device_saxpy.hpp"
#include "../../support/scripted_device.hpp"

using namespace attune_test;

namespace {

/// A problem of arrays of the host with any compiler, and its bench.
template <class Compiler>
struct problem_with {
    Compiler compiler;
    attune::kernel<on_host> kernel = saxpy_kernel<on_host, plain>();
    saxpy_data data{};
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<float const>, std::span<float>, float, int>(
            {}, data.x, data.y, 2.0F, data.n());
    attune::chain_of_trees space = attune::detail::space_of_call(
        kernel.describe(), attune::detail::with_annotated_defaults(kernel.describe()),
        {{"n", attune::number::of(std::int64_t{100})}});
    attune::tuning_options options = quick_options();

    explicit problem_with(Compiler with)
        : compiler(std::move(with))
    {
    }
    [[nodiscard]] std::string protection(bool predict = false)
    {
        attune::detail::device_finder const find_device =
            attune::detail::make_device_finder(compiler);
        auto const device = find_device ? find_device() : nullptr;
        attune::tuning_problem const problem{
            kernel.describe(), space,  *attune::detail::default_point(space), any, frame,
            device.get(),      predict};
        return attune::detail::make_bench(problem, options)->protection();
    }
};

} // namespace

TEST_CASE("code for this processor is tried here")
{
    problem_with p{accumulate_compiler()};
    p.options.measuring.protect = attune::isolation::guard;
    CHECK(p.protection() == "guard: as asked");
}

TEST_CASE("code for a device is tried on it, in a worker unless this process is asked for")
{
    problem_with p{saxpy_compiler()};
    CHECK(p.protection().starts_with("worker"));
    p.options.measuring.protect = attune::isolation::fork;
    CHECK(p.protection().starts_with("worker"));
    p.options.measuring.protect = attune::isolation::guard;
    CHECK(p.protection() == "in process: as asked");
    p.options.measuring.protect = attune::isolation::none;
    CHECK(p.protection() == "in process: as asked");
}

TEST_CASE("without a device there are predictions, for those who ask, or an error")
{
    problem_with p{scripted_device_compiler{[](attune::compile_request const&) {
        return scripted_device_compiler::answer{attune::code_resources{}};
    }}};
    CHECK(p.protection(true) == "nothing runs: predicted for sm_90");
    CHECK(has(error_of([&] { (void)p.protection(); }), "there is no device to run kernel 'saxpy'"));
}
