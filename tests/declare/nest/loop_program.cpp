// tests/declare/nest/loop_program.cpp - the loops of a program as stated.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/loop_program.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>

#include "../../support/nest_examples.hpp"

TEST_CASE("the plain program has one loop per axis of each statement, spatial ones outside")
{
    attune::loop_program const program = attune::plain_program(support::softmax(3, 5));
    REQUIRE(program.body.size() == 4);
    for (std::uint32_t s = 0; s < 4; ++s) {
        attune::program_loop const& outer = program.loops[program.body[s].index];
        attune::program_loop const& inner = program.loops[outer.body.front().index];
        CHECK(outer.over.front() == attune::loop_range{0, 1});
        CHECK(inner.over.front() == attune::loop_range{1, 1});
        CHECK(inner.body.front() == attune::program_item{attune::item_kind::block, s});
    }
}

TEST_CASE("a description that names what does not exist has no program")
{
    attune::nest_description broken = support::matmul(2, 2, 2);
    broken.accesses.front().at.front().terms.front().axis = 9;
    CHECK_THROWS_AS((void)attune::plain_program(broken), attune::error);
}
