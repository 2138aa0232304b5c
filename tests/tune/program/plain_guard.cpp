// tests/tune/program/plain_guard.cpp - each tuning of a program tries its plain nest.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace {

auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = attune::array<"A", float, 24, 40>();
constexpr auto B = attune::array<"B", float, 40, 64>();
constexpr auto C = attune::array<"C", float, 24, 64>();
constexpr auto gemm = attune::nest<"gemm">(C[i][j] = attune::sum(k)(A[i][k] * B[k][j]));

constexpr auto X = attune::array<"X", float, 64, 256>();
constexpr auto m = attune::temporary<"m", float, 64>();
constexpr auto Y = attune::array<"Y", float, 64, 256>();
constexpr auto numbers = attune::nest<"numbers">(
    m[i] = attune::max(k)(X[i][k]), Y[i][j] = attune::select(X[i][j] == X[i][j], m[i], 7.0f));

/// Finds the largest of a row anew for each element of the row: 256 times.
attune::schedule_rule slow_rule()
{
    attune::schedule_rule out;
    out.name = "slow";
    out.applies = [](attune::rule_subject const&) { return true; };
    out.declare = [](attune::rule_subject const&, attune::space_builder& space) {
        space.ordinal("COPIES", {1, 2}, 1);
    };
    out.schedule = [](attune::rule_subject const& of, attune::schedule_choices const&,
                      attune::traced_program& p) {
        auto const path =
            attune::loops_around(p.program, {attune::item_kind::block, of.statements.back()});
        p.apply(attune::schedule_action::compute_at, {of.statements.front(), path.back()});
    };
    return out;
}

} // namespace

TEST_CASE("the plain nest is one configuration, with a text of its own")
{
    attune::kernel_description const made = gemm.kernel().describe();
    attune::chain_of_trees const space(made.space);
    auto const plain = made.space.find_parameter("PLAIN");
    REQUIRE(plain != attune::no_index);
    REQUIRE(attune::detail::declared_guard(made.source).has_value());
    attune::point at;
    for (attune::parameter_description const& p : made.space.parameters)
        at.push_back(*attune::coordinate_of(p, *p.default_text));
    std::string const standard = made.source.generator->text_at(made.space, at);
    at[plain].index = 1;
    CHECK(space.contains(at));
    std::string const text = made.source.generator->text_at(made.space, at);
    CHECK(text != standard);
    CHECK(text.find("_tile") == std::string::npos); // no register tile
    // No other configuration has this value.
    attune::point other = at;
    for (std::size_t p = 0; p < plain; ++p) {
        other[p].index = (at[p].index + 1) % made.space.parameters[p].value_count();
        CHECK((other == at || !space.contains(other)));
        other[p] = at[p];
    }
    CHECK(attune::show(gemm, "PLAIN+=-Ofast -fno-finite-math-only").find("_tile") ==
          std::string::npos);
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
    CHECK(tried[1].ends_with("PLAIN+=-Ofast -fno-finite-math-only"));
}

TEST_CASE("where the plain nest wins, the report says so, and it serves infinities and NaN")
{
    attune::program_options slow;
    slow.rules = {slow_rule()};
    attune::tuning_options options;
    options.limits = {.evaluations = 2, .seconds = 60};
    attune::tuned fast{numbers.kernel(slow), attune::clang_compiler{}, options};
    std::vector<float> in(64 * 256, 1.0f);
    std::vector<float> out(in.size());
    attune::tuning_report const report = fast.tune(in, out);
    CHECK(report.configuration.ends_with("PLAIN+=-Ofast -fno-finite-math-only"));
    CHECK(std::any_of(report.notices.begin(), report.notices.end(), [](std::string const& said) {
        return said.find("is the fastest: the statement with the most operations is that of ") !=
               said.npos;
    }));
    constexpr float infinite = std::numeric_limits<float>::infinity();
    in[3] = std::numeric_limits<float>::quiet_NaN();
    in[256 + 5] = infinite;
    fast(in, out);
    CHECK(out[3] == 7.0f);
    CHECK(out[256] == infinite);
    CHECK(out[2 * 256] == 1.0f);
}
