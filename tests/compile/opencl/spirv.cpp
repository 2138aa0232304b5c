// tests/compile/opencl/spirv.cpp : mirrors include/attune/compile/opencl/spirv.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/compile/opencl/spirv.hpp>

#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/opencl/device.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/needs_opencl.hpp"
#include "../../support/spirv_fill.hpp"
#include "../../support/texts.hpp"

using namespace attune::detail;
using attune::detail::opencl::argument_kind;
using attune_test::has;

namespace {

using content = spirv_constant::content;

attune::compile_request request(std::vector<attune::macro_definition> macros)
{
    return attune_test::opencl_request("fill", {"attune::device_span<unsigned>", "unsigned"},
                                       std::move(macros));
}

/// The words that constants_for() sets, and the sentence of a refusal.
std::string set_by(std::vector<attune::macro_definition> macros)
{
    std::string objection;
    std::string out;
    for (opencl_constant const& one : constants_for(*spirv_reader(attune_test::spirv_fill()).read(),
                                                    request(std::move(macros)), objection)) {
        out += std::to_string(one.id) + '=';
        for (char const c : one.bytes)
            out += std::to_string(static_cast<unsigned char>(c)) + ' ';
    }
    return objection + out;
}

} // namespace

TEST_CASE("a module states its kernels, their arguments and its constants")
{
    std::string const text = attune_test::spirv_fill();
    CHECK(is_spirv(text));
    CHECK_FALSE(is_spirv("kernel void f() {}"));
    CHECK_FALSE(is_spirv("abc"));
    std::optional<spirv_module> const module = spirv_reader(text).read();
    REQUIRE(module);
    REQUIRE(module->kernels.size() == 1);
    CHECK(module->kernels[0].name == "fill");
    REQUIRE(module->kernels[0].arguments.size() == 2);
    CHECK(module->kernels[0].arguments[0].kind == argument_kind::array);
    CHECK(module->kernels[0].arguments[0].type == "int32_t*");
    CHECK(module->kernels[0].arguments[1].kind == argument_kind::value);
    REQUIRE(module->constants.size() == 2);
    CHECK(module->constants[0].name == "FACTOR");
    CHECK(module->constants[0].id == 7);
    CHECK(module->constants[0].of == content::integer);
    CHECK(module->constants[0].bytes == 4);
    CHECK(module->constants[1].of == content::truth);
    CHECK(module->constants[1].bytes == 1);
}

TEST_CASE("a damaged module is refused or read as less, at each byte and at each end")
{
    std::string const text = attune_test::spirv_fill();
    for (std::size_t at = 4; at < text.size(); ++at) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        if (auto const got = spirv_reader(damaged).read()) CHECK(got->kernels.size() <= 1);
        static_cast<void>(spirv_reader(text.substr(0, at)).read());
    }
    CHECK_FALSE(spirv_reader(text.substr(0, 4 * 6)).read());
    CHECK_FALSE(spirv_reader(text.substr(0, 8)).read());
}

TEST_CASE("a parameter sets the constant of its name, with the constant's bytes")
{
    CHECK(set_by({{"FACTOR", "258"}}) == "7=2 1 0 0 ");
    CHECK(set_by({{"WIDE", "false"}, {"GROUP", "8"}}) == "8=0 ");
    CHECK(set_by({{"FACTOR", "5u"}, {"WIDE", "true"}}) == "7=5 0 0 0 8=1 ");
    CHECK(has(set_by({{"FACTOR", "many"}}), "FACTOR of 4 bytes that cannot be many"));
    CHECK(has(set_by({{"FACTOR", "4294967296"}}), "cannot be 4294967296"));
    spirv_constant const real{"R", 1, content::real, 4};
    float got = 0;
    std::memcpy(&got, bytes_for(real, "1.5f")->data(), sizeof got);
    CHECK(got == 1.5F);
    CHECK_FALSE(bytes_for(real, "x"));
}

TEST_CASE("a parameter that is no constant of the module is refused, and one without a default")
{
    auto const said = [](auto const& parameter) {
        attune::kernel<void(attune::device_span<unsigned>, unsigned)> const kernel{
            "fill", attune_test::opencl_source(attune_test::spirv_fill(), "fill.spv"),
            attune::space(parameter)};
        return attune_test::error_of(
            [&] { static_cast<void>(with_annotated_defaults(kernel.describe())); });
    };
    constexpr auto factor = attune::ordinal<"FACTOR">(attune::values(7));
    CHECK(said(factor.with_default(7)).empty());
    CHECK(has(said(factor), "a constant of the kernel has no default"));
    CHECK(has(said(attune::ordinal<"FACT">(attune::values(7)).with_default(7)),
              "the space declares a parameter that the kernel file does not use"));
}

TEST_CASE("a kernel in SPIR-V is compiled and run with its constants, or refused with the reason")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    attune::kernel_source const source =
        attune_test::opencl_source(attune_test::spirv_fill(), "fill.spv");
    attune::compile_result const made = compiler.compile(source, request({{"FACTOR", "7"}}));
    if (auto const* const why = std::get_if<attune::failure>(&made)) {
        CHECK(has(why->reason,
                  "kernel 'fill' is SPIR-V, which " + compiler.target().name() + " does not take"));
        MESSAGE("skipped: the platform takes no SPIR-V");
        return;
    }
    attune::compile_result const other = compiler.compile(
        source, attune_test::opencl_request("fill", {"attune::device_span<unsigned>"}));
    CHECK(has(std::get<attune::failure>(other).reason, "but the kernel file defines it as"));

    constexpr unsigned many = 32'768;
    constexpr auto n = attune::input<"N", unsigned>();
    constexpr auto group = attune::ordinal<"GROUP">(attune::values(1, 16, 64));
    constexpr auto factor = attune::ordinal<"FACTOR">(attune::values(7));
    attune::kernel<void(attune::device_span<unsigned>, unsigned)> kernel{
        "fill", source, attune::space(group.with_default(1), factor.with_default(7))};
    kernel.bind<1>(n).grid(attune::ceil_div(n, group)).block(group);
    attune::tuning_options options;
    options.limits = {.evaluations = 3, .seconds = 60};
    options.progress = attune::silent_progress();
    attune::opencl_array<unsigned> y{compiler.target(), many};
    attune::tuned f{kernel, compiler, attune::memory_store{}, options};
    f(y.span(), many);
    std::vector<unsigned> const got = y.to_host();
    CHECK(std::count(got.begin(), got.end(), 7U) == many);
    CHECK(f.report().evaluations == 3);
    for (attune::failure const& one : f.report().first_failures)
        FAIL(one.reason);
}
