// tests/tune/kernel/kernel_description.cpp - the launch of a kernel as a store keeps it.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/kernel_description.hpp>

#include <attune/core/device_span.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace {

constexpr char const* text =
    "#include <attune/tunable.hpp>\n"
    "__global__ void f(float* x, int n, double scale) {"
    " ATTUNE_TUNABLE(BLOCK, 128); ATTUNE_TUNABLE(MODE, \"fast\"); ATTUNE_TUNABLE(ORDER, {0,1,2});"
    " ATTUNE_TUNABLE(SLACK, 1.5); }\n";

inline constexpr auto n = attune::input<"n", int>();
inline constexpr auto scale = attune::input<"scale", double>();
inline constexpr auto unbound = attune::input<"unbound", int>();
inline constexpr auto block = attune::ordinal<"BLOCK">(attune::values(64, 128));
inline constexpr auto mode = attune::categorical<"MODE">("fast", "slow");
inline constexpr auto order = attune::permutation<"ORDER", 3>();
inline constexpr auto slack = attune::ordinal<"SLACK">(attune::values(1.0, 1.5));

using signature = void(attune::device_span<float>, int, double);

attune::kernel<signature> example()
{
    attune::kernel<signature> out{"f", attune::source_text(text, "f.cu"),
                                  attune::space(block, mode, order, slack)};
    out.bind<1>(n).bind<2>(scale);
    return out;
}

std::optional<attune::detail::launch_facts> facts_of(attune::kernel<signature> const& of)
{
    return attune::detail::launch_facts_of(of.describe(),
                                           attune::detail::with_annotated_defaults(of.describe()));
}

} // namespace

TEST_CASE("formulas are calls of functions over inputs and what they read of a configuration")
{
    auto kernel = example();
    kernel.grid(attune::ceil_div(n, block * 4), attune::select(mode == "fast", 2, block))
        .block(block, order.position(2) + order[1])
        .shared_bytes(
            attune::select(-scale < attune::select(n > 5, 1.5, slack) && mode != "slow", n, 8) /
            unbound);
    auto const facts = facts_of(kernel);
    REQUIRE(facts.has_value());
    CHECK(facts->formulas[0] == "ceil_divide(in[0], multiply(at[0], integer(4)))");
    CHECK(facts->formulas[1] == "select(at[1], integer(2), at[0])");
    CHECK(facts->formulas[2].empty());
    CHECK(facts->formulas[4] == "add(at[2], at[3])");
    CHECK(
        facts->formulas[9] ==
        "divide(select(logical_and(less(negate(in[1]), to_real(select(greater(in[0], "
        "integer(5)), real(0x1.8p+0), at[4]))), logical_not(at[5])), in[0], integer(8)), none())");
    CHECK(facts->reads == std::vector<std::string>{"whole\tBLOCK", "text\tMODE\tfast",
                                                   "place\t2\tORDER", "item\t1\tORDER",
                                                   "real\tSLACK", "text\tMODE\tslow"});
    CHECK(facts->arguments ==
          std::vector<std::string>{"attune::device_span<float>", "int", "double"});
    CHECK(facts->defaults.front() == std::pair<std::string, std::string>{"BLOCK", "128"});
    CHECK_FALSE(facts->is_cooperative);
    attune::detail::call_facts all{.launch = facts};
    CHECK(attune::detail::call_facts_in(facts_texts(all)) == all);
}

TEST_CASE("a kernel of this processor has no launch")
{
    CHECK_FALSE(facts_of(example()).has_value());
    auto cooperative = example();
    cooperative.grid(n).block(1).cooperative();
    CHECK(facts_of(cooperative)->is_cooperative);
}
