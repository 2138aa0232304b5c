// tests/cuda/code.cpp : mirrors include/attune/cuda/code.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>

#include <doctest/doctest.h>
#include <type_traits>

TEST_CASE("code of which nothing is known takes nothing and is for no architecture")
{
    attune::device_variant const none;
    CHECK(none.code.image.empty());
    CHECK(none.code.architecture == 0);
    CHECK(none.code.resources == attune::code_resources{});
    CHECK(none.launch == attune::launch_geometry{});
}

TEST_CASE("resources are equal when every number is")
{
    attune::code_resources const r{32, 0, 16, 1024, 380, 256};
    std::int64_t attune::code_resources::* const members[] = {
        &attune::code_resources::registers,      &attune::code_resources::spill_bytes,
        &attune::code_resources::stack_bytes,    &attune::code_resources::static_shared_bytes,
        &attune::code_resources::constant_bytes, &attune::code_resources::most_threads,
    };
    static_assert(sizeof r == sizeof members / sizeof *members * sizeof(std::int64_t));
    for (auto const member : members) {
        attune::code_resources other = r;
        CHECK(other == r);
        ++(other.*member);
        CHECK(other != r);
    }
}

TEST_CASE("a variant is plain data: it can be copied to where it is needed")
{
    static_assert(std::is_copy_constructible_v<attune::device_variant>);
    static_assert(std::is_nothrow_move_constructible_v<attune::device_variant>);
}
