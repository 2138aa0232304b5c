// tests/off/program.cpp - with ATTUNE_OFF a tuned program is its plain nest.
// SPDX-License-Identifier: MIT
#include <attune/off/program.hpp>

#include <attune/core/error.hpp>
#include <attune/tune/program/nest.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace {

constexpr auto n = attune::input<"n", int>();
constexpr auto i = attune::axis<"i">();
constexpr auto x = attune::array<"x", float, n>();
constexpr auto y = attune::array<"y", float, n>();
constexpr auto twice = attune::nest<"scale">(y[i] = x[i] * 2.0f);
constexpr auto thrice = attune::nest<"scale">(y[i] = x[i] * 3.0f).with_arguments(x, y, n);
constexpr auto four = attune::nest<"scale">(y[i] = x[i] * 4.0f).with_arguments(n, y, x);

} // namespace

TEST_CASE("tuned programs are called as plain nests, each with its own numbers")
{
    attune::program_options options;
    options.within = attune::tolerance{.absolute = 1};
    attune::tuned one{twice.kernel(options), attune::clang_compiler{}, attune::store{"none"}};
    attune::tuned other{thrice.kernel(), attune::system_compiler{}};
    attune::tuned last{four.kernel(), attune::system_compiler{}};
    std::vector<float> const from{1, 2, 3};
    std::vector<float> to(3);
    one(from, to, 3);
    CHECK(to == std::vector<float>{2, 4, 6});
    other(from, to, 3);
    CHECK(to == std::vector<float>{3, 6, 9});
    last(3, to, from);
    CHECK(to == std::vector<float>{4, 8, 12});
    CHECK(one.report().how == attune::decision::served_fallback);
    CHECK(attune::show(twice).find("ATTUNE_OFF") != std::string::npos);
    attune::program_options on_device;
    on_device.device = attune::device_limits{.architecture = 90};
    CHECK(attune::show_device(twice, "LANES=1", on_device) == attune::show(twice));
    CHECK_THROWS_WITH_AS(one(from, to, 4), doctest::Contains("the call gives x 3"), attune::error);
}
