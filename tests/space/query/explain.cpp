// tests/space/query/explain.cpp : mirrors include/attune/space/query/explain.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/explain.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/machine.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;

namespace {

std::string message(attune::description const& space)
{
    try {
        attune::detail::throw_empty(space, {});
    } catch (attune::error const& e) {
        return e.what();
    }
}

bool has(std::string const& text, std::string const& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("only constraints that contradict each other are named")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    auto const b = w.range("b", 1, 9);
    auto const c = w.range("c", 1, 9);
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    w.require(w.join(op::less, w.read(c), w.literal(std::int64_t{5})), "c < 5");
    w.require(w.join(op::less, w.read(b), w.read(c)), "b < c");
    w.require(w.join(op::less, w.read(c), w.read(a)), "c < a");
    CHECK(attune::contradicting_constraints(w.out) == std::vector<std::uint32_t>{0, 2, 3});
    std::string const text = message(w.out);
    CHECK(has(text, "3 constraints contradict each other"));
    CHECK(has(text, "a < b; b < c; c < a"));
    CHECK_FALSE(has(text, "c < 5"));
}

TEST_CASE("one constraint that never holds is named alone")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    w.require(w.join(op::less, w.read(a), w.literal(std::int64_t{5})), "a < 5");
    w.require(w.join(op::greater, w.read(a), w.literal(std::int64_t{9})), "a > 9");
    CHECK(attune::contradicting_constraints(w.out) == std::vector<std::uint32_t>{1});
    CHECK(has(message(w.out), "a > 9"));
    CHECK(has(message(w.out), "holds for no configuration"));
}

TEST_CASE("the set named contradicts itself and no smaller part of it does")
{
    attune_tests::space_generator generator(59);
    int empty = 0;
    while (empty < 60) {
        attune::description const space = generator.draw();
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < space.constraints.size(); ++i)
            all.push_back(i);
        if (attune_tests::any_setting(space, all)) continue;
        ++empty;
        auto const set = attune::contradicting_constraints(space);
        CHECK_FALSE(attune_tests::any_setting(space, set));
        for (std::size_t dropped = 0; dropped < set.size(); ++dropped) {
            auto rest = set;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dropped));
            CHECK(attune_tests::any_setting(space, rest));
        }
    }
}

TEST_CASE("an empty space is told with the values of the inputs that its constraints read")
{
    constexpr auto a = attune::ordinal<"A">(attune::powers_of_two(16, 64));
    constexpr auto n = attune::input<"N", int>();
    auto const pack = attune::space(a).where(8 * a <= attune::machine::l1_bytes, n < 5);
    auto const said = [&](int l1_bytes, int size) {
        return message(attune::bind_inputs(attune::lower(pack),
                                           {attune::machine::l1_bytes(l1_bytes), n(size)}));
    };
    CHECK(has(said(100, 4), "8 * A <= machine.l1_bytes, machine.l1_bytes=100\n"));
    CHECK(has(said(1000, 7), "N < 5, N=7\n"));
}
