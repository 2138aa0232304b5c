// tests/tune/program/plain_guard.cpp - each tuning of a program tries its plain nest.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

namespace {

auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = attune::array<"A", float, 24, 40>();
constexpr auto B = attune::array<"B", float, 40, 64>();
constexpr auto C = attune::array<"C", float, 24, 64>();
constexpr auto gemm = attune::nest<"gemm">(C[i][j] = attune::sum(k)(A[i][k] * B[k][j]));

} // namespace

TEST_CASE("the plain nest is one configuration, with a text of its own")
{
    attune::kernel_description const made = gemm.kernel().describe();
    attune::chain_of_trees const space(made.space);
    auto const plain = made.space.find_parameter("PLAIN");
    REQUIRE(plain != attune::no_index);
    REQUIRE(made.source.guard.has_value());
    attune::point at;
    for (attune::parameter_description const& p : made.space.parameters)
        at.push_back(*attune::coordinate_of(p, *p.default_text));
    std::string const standard = made.source.generate(made.space, at);
    at[plain].index = 1;
    CHECK(space.contains(at));
    std::string const text = made.source.generate(made.space, at);
    CHECK(text != standard);
    CHECK(text.find("_tile") == std::string::npos); // no register tile
    // No other configuration has this value.
    attune::point other = at;
    for (std::size_t p = 0; p < plain; ++p) {
        other[p].index = (at[p].index + 1) % made.space.parameters[p].value_count();
        CHECK((other == at || !space.contains(other)));
        other[p] = at[p];
    }
    CHECK(attune::show(gemm, "PLAIN+=-Ofast").find("_tile") == std::string::npos);
}

TEST_CASE("a tuning tries the plain nest after the default, and before the search")
{
    std::vector<float> const a(24 * 40, 1.0f), b(40 * 64, 2.0f);
    std::vector<float> c(24 * 64);
    std::vector<std::string> tried;
    attune::tuning_options options;
    options.limits = {.evaluations = 3, .seconds = 60};
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated) tried.push_back(p.text);
    };
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, options};
    fast(a, b, c);
    CHECK(c[0] == 80.0f);
    REQUIRE(tried.size() >= 2);
    CHECK(tried[0].ends_with("PLAIN+="));
    CHECK(tried[1].ends_with("PLAIN+=-Ofast"));
}
