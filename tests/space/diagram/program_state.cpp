// tests/space/diagram/program_state.cpp : mirrors attune/space/diagram/program_state.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/program_state.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;

TEST_CASE("bounds decide as soon as the values set do, and tests are exact on the last level")
{
    space_writer w;
    w.range("a", 1, 20);
    w.range("b", 1, 20);
    auto const product = w.join(op::multiply, w.read(0), w.read(1));
    w.require(w.join(op::less_equal, product, w.literal(std::int64_t{100})), "a * b <= 100");
    w.require(w.join(op::greater, product, w.literal(std::int64_t{15})), "a * b > 15");
    auto const conditions = attune::detail::conditions_of(w.out);
    std::vector<attune::detail::condition const*> const all{&conditions[0], &conditions[1]};
    std::vector<attune::detail::domain> const domains(2, attune::detail::domain(20));
    std::vector<std::uint32_t> const order{0, 1};
    attune::point const base(2);
    attune::detail::constraint_program program(w.out, domains, order, base, all);
    attune::detail::program_state state(w.out, program, base);
    CHECK(state.constants_hold());
    std::vector<std::uint32_t> allowed(20);
    state.compute(0);
    state.test(0, allowed);
    for (std::uint32_t a = 1; a <= 20; ++a) {
        CHECK(allowed[a - 1] == attune::detail::always_node);
        CHECK_FALSE(state.take(0, a - 1));
        CHECK(state.decide(0) == attune::no_index); // some b are good, some are not
        std::vector<std::uint32_t> below(20);
        state.compute(1);
        state.test(1, below);
        for (std::uint32_t b = 1; b <= 20; ++b)
            CHECK((below[b - 1] == attune::detail::always_node) == (a * b <= 100 && a * b > 15));
    }
}
