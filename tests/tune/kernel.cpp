// tests/tune/kernel.cpp - what is declared about a kernel, once its types are gone.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel.hpp>

#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto step = attune::ordinal<"STEP">(attune::powers_of_two(1, 64));
constexpr auto space = attune::space(step).where(n % step == 0);
using scale = void(std::span<float const>, std::span<float>, int);

} // namespace

TEST_CASE("a kernel keeps its name, its source, its signature and its space")
{
    attune::kernel<scale> const k{"ns::scale", attune::source_text("text", "s.cpp"), space};
    attune::kernel_description const& d = k.describe();
    CHECK(d.name == "ns::scale");
    CHECK(d.source.text == "text");
    CHECK(d.source.path == "s.cpp");
    CHECK(d.signature.function == "ns::scale");
    CHECK(d.signature.macros.empty());
    CHECK(attune::detail::signature_text(d.signature) ==
          "void(std::span<float const>, std::span<float>, int)");
    REQUIRE(d.space.parameters.size() == 1);
    CHECK(d.space.parameters[0].name == "STEP");
    CHECK(d.inputs.empty());
}

TEST_CASE("an input is bound to the argument that gives its value")
{
    attune::kernel<scale> k{"scale", attune::source_text("", "s.cpp"), space};
    k.bind<2>(n);
    REQUIRE(k.describe().inputs.size() == 1);
    CHECK(k.describe().inputs[0].input == "N");
    CHECK(k.describe().inputs[0].position == 2);
}

TEST_CASE("a tolerance is kept at the position of its argument")
{
    attune::kernel<scale> k{"scale", attune::source_text("", "s.cpp"), space};
    k.tolerate<1>({0.5, 0.0});
    REQUIRE(k.describe().tolerances.size() == 3);
    CHECK(!k.describe().tolerances[0]);
    REQUIRE(k.describe().tolerances[1]);
    CHECK(k.describe().tolerances[1]->absolute == 0.5);
}

TEST_CASE("a check and a reference are kept, called with the kernel's own types")
{
    using signature = void(std::span<double const>, std::span<double>, int);
    attune::kernel<signature> k{"k", attune::source_text("", "k.kernel.cpp"), space};
    CHECK_FALSE(k.describe().check);
    CHECK_FALSE(k.describe().reference);
    k.check([](std::span<double const>, std::span<double> y, int times) { return y[0] == times; });
    k.reference(
        [](std::span<double const> x, std::span<double> y, int times) { y[0] = x[0] * times; });

    std::vector<double> x{2};
    std::vector<double> y{0};
    std::tuple<std::span<double const>, std::span<double>, int> const arguments{x, y, 3};
    k.describe().reference(&arguments);
    CHECK(y[0] == 6);
    CHECK(k.describe().check(&arguments) == "the kernel's check refused the result");
    y[0] = 3;
    CHECK(k.describe().check(&arguments) == "");
    k.check([](auto, auto, int times) { return "n is " + std::to_string(times); });
    CHECK(k.describe().check(&arguments) == "n is 3");
}

TEST_CASE("a check and a reference see the arrays of a device as spans of the host")
{
    attune::kernel<void(attune::device_span<float const>, float*, int)> k{
        "k", attune::source_text("", "k.cu"), space};
    k.check([](std::span<float const> x, std::span<float> y, int) { return x[0] == y[0]; });
    k.reference([](std::span<float const> x, std::span<float> y, int) { y[0] = x[0]; });
    std::vector<float> const x{3};
    std::vector<float> y{0};
    std::tuple<std::span<float const>, std::span<float>, int> const arguments{x, y, 1};
    CHECK(k.describe().check(&arguments) != "");
    k.describe().reference(&arguments);
    CHECK(y[0] == 3);
    CHECK(k.describe().check(&arguments) == "");
}

TEST_CASE("what is said of a launch is kept beside everything else")
{
    attune::kernel<scale> k{"scale", attune::source_text("", "s.cpp"), space};
    k.bind<2>(n).grid(n / step, 2).block(step).shared_bytes(4 * step).cluster(2).cooperative();
    k.require(attune::registers <= 64);
    attune::kernel_description const& d = k.describe();
    REQUIRE(d.launch);
    CHECK(d.launch->grid[1] != attune::no_index);
    CHECK(d.launch->grid[2] == attune::no_index);
    CHECK(d.launch->is_cooperative);
    CHECK(d.code_rules.constraints.size() == 1);
    CHECK(d.space.constraints.size() == 1);
    CHECK(attune::detail::signature_text(d.signature) ==
          "void(std::span<float const>, std::span<float>, int)");
}
