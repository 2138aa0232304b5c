// tests/remember/problem/call_facts.cpp - what a store keeps of calls is read back as it was.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/call_facts.hpp>

#include <attune/remember/problem/matching.hpp>

#include <doctest/doctest.h>

using attune::detail::call_facts;
using attune::detail::call_facts_in;
using attune::detail::shape_part;

TEST_CASE("facts of calls are the same after a way through texts")
{
    call_facts const all{
        .layout = {{shape_part::elements, 0},
                   {shape_part::number, 3},
                   {shape_part::flag, 4},
                   {shape_part::real, 5},
                   {shape_part::bytes, 6},
                   {shape_part::overlaps, 13},
                   {shape_part::places, 10},
                   {shape_part::places, 3}},
        .inputs = {{"N", 3}, {"odd:name", 5}},
        .ignored = {4, 0},
        .any_shape = true,
        .any_alignment = true,
        .flags = {"FLAGS", "MORE"},
        .compilers = {"CXX"},
        .source_flags = {"-DA=1 2", "-I/x y"},
        .own_names = {"TILE", "CUT"},
        .tolerances = {{2, {1e-4, 0.1}}, {3, attune::any_value}, {0, {0, 1.0 / 3}}},
        .is_checked = true,
        .is_generated = true,
        .rules = -77,
        .launch = attune::detail::launch_facts{
            .arguments = {"attune::device_span<float const>", "int"},
            .declarations = "#include \"a b.hpp\"\n",
            .formulas = {"ceil_divide(in[0], at[0])", "", "", "at[0]"},
            .reads = {"whole BLOCK", "item 2 TILE"},
            .is_cooperative = true,
            .defaults = {{"BLOCK", "128"}, {"FLAGS", "-DX=1 "}, {"EMPTY", ""}}}};
    CHECK(call_facts_in(facts_texts(all)) == all);
    CHECK(call_facts_in(facts_texts(call_facts{})) == call_facts{});
    // 0.4 wrote the same text where one word had the places of all arrays and their overlaps.
    auto const texts = facts_texts(all);
    CHECK(*attune::detail::value_of(texts, "call") ==
          "elements:0 number:3 flag:4 real:5 bytes:6 places:13");
    auto const choice = shape_choice_of(all);
    CHECK(choice.any_shape);
    CHECK(choice.any_alignment);
    CHECK(choice.is_bound(3));
    CHECK_FALSE(choice.is_bound(4));
    CHECK(choice.ignored[4]);
}

TEST_CASE("facts of an older release, and damaged ones, are none")
{
    CHECK_FALSE(call_facts_in({{"isa", "x86-64-v4"}}).has_value());
    for (char const* const call : {"elements", "elements:", "length:0", "elements:-1", "number:9x"})
        CHECK_FALSE(call_facts_in({{"call", call}}).has_value());
    CHECK_FALSE(call_facts_in({{"call", ""}, {"inputs", "N"}}).has_value());
    CHECK_FALSE(call_facts_in({{"call", ""}, {"ignored", "99999999999"}}).has_value());
    for (char const* const within : {"2", "2:", "2:1", "2:1:", "2:-1:0", "2:1:nan", "x:any"})
        CHECK_FALSE(call_facts_in({{"call", ""}, {"tolerances", within}}).has_value());
    CHECK_FALSE(call_facts_in({{"call", ""}, {"rules", "x"}}).has_value());
    for (char const* const launch : {"", "1;1", ";;;;;;;;;;"})
        CHECK_FALSE(call_facts_in({{"call", ""}, {"launch", launch}}).has_value());
    CHECK(call_facts_in({{"call", ""}, {"launch", ";;;;;;;;;"}}).has_value());
    CHECK_FALSE(call_facts_in({{"call", ""}, {"launch", ";;;;;;;;;"}, {"launch_defaults", "A"}}));
}
