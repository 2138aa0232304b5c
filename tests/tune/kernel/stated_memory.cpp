// tests/tune/kernel/stated_memory.cpp - what a call needs, against what the machine has and what is free.
// SPDX-License-Identifier: MIT
#include <attune/declare/domain.hpp>
#include <attune/declare/pack.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <doctest/doctest.h>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../../support/texts.hpp"

using attune::coordinate;
using attune::detail::memory_objection;
using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(1, 64));
constexpr auto threads = attune::integer<"THREADS">(1, 8);

using kernel = attune::kernel<void(std::span<float>, int)>;

kernel declared(std::function<void(kernel&)> const& declare)
{
    kernel out{"k",
               attune::source_text(
                   "int t = ATTUNE_TUNABLE(TILE, 1), h = ATTUNE_TUNABLE(THREADS, 1);", "k.cpp"),
               attune::space(tile, threads)};
    out.bind<1>(n);
    declare(out);
    return out;
}

attune::chain_of_trees space_of(kernel const& k, std::vector<attune::input_value> const& inputs)
{
    auto const declared = attune::detail::with_annotated_defaults(k.describe());
    return attune::detail::space_of_call(k.describe(), declared, inputs);
}

} // namespace

TEST_CASE(
    "what needs more than the machine has is no configuration, and the rest is counted exactly")
{
    kernel const k = declared([](kernel& of) { of.memory(4 * tile * tile * threads + n); });
    for (std::int64_t const has : {5, 100, 1000, 4096, 20'000, 1'000'000}) {
        int expected = 0;
        for (int t = 1; t <= 64; t *= 2)
            for (int h = 1; h <= 8; ++h)
                expected += 4 * t * t * h + 1 <= has ? 1 : 0;
        CAPTURE(has);
        CHECK(space_of(k, {n(1), attune::machine::memory_bytes(has)}).size() == expected);
    }
    auto const space = space_of(k, {n(1), attune::machine::memory_bytes(100)});
    auto const why = attune::explain(space.describe(), {coordinate{2, 0}, coordinate{1, 0}});
    REQUIRE(why.size() == 1);
    CHECK(why[0].text == "4 * TILE * TILE * THREADS + N <= machine.memory_bytes");
    CHECK(why[0].because == "4 * 4 * 4 * 2 + 1 = 129 <= 100 is false");
    auto const larger = space_of(k, {n(1), attune::machine::memory_bytes(1 << 16)});
    CHECK(attune::explain(larger.describe(), {coordinate{6, 0}, coordinate{7, 0}}).at(0).because ==
          "4 * 64 * 64 * 8 + 1 = 131073 (128 KiB) <= 65536 (64 KiB) is false");
    CHECK(has(error_of([&] { (void)space_of(k, {n(1), attune::machine::memory_bytes(4)}); }),
              "TILE * THREADS + N <= machine.memory_bytes, N=1, machine.memory_bytes=4"));
}

TEST_CASE("without kernel.memory(...) the space has no figure of the machine")
{
    kernel const k = declared([](kernel&) {});
    CHECK(space_of(k, {n(1)}).describe().inputs.size() == 1);
    CHECK(memory_objection(k.describe(), space_of(k, {n(1)}).describe(),
                           {coordinate{6, 0}, coordinate{7, 0}}, 0)
              .empty());
}

TEST_CASE("what needs more than three quarters of the free memory is refused with a sentence")
{
    kernel const k = declared([](kernel& of) { of.memory(1024 * tile * threads); });
    auto const space = space_of(k, {n(1)});
    for (std::uint64_t i = 0; i < 56; ++i) {
        attune::point const at = space.at(i);
        double const needs =
            1024.0 * static_cast<double>(space.describe().parameters[0].integers[at[0].index]) *
            (1 + at[1].index);
        for (double const free : {0.0, 1024.0, 65536.0, 1e9}) {
            std::string const why = memory_objection(k.describe(), space.describe(), at, free);
            CHECK(why.empty() == (needs <= 0.75 * free));
        }
    }
    CHECK(memory_objection(k.describe(), space.describe(), {coordinate{5, 0}, coordinate{2, 0}},
                           100 * 1024) ==
          "it needs 96 KiB, 1024 * TILE * THREADS bytes of kernel.memory(...), and may take 75 KiB "
          "of the free 100 KiB");
    CHECK(memory_objection(k.describe(), space.describe(), space.at(0)).empty()); // 1 KiB is free
}

TEST_CASE("bytes without a value are refused, and a parameter that is not there is an error")
{
    kernel const k = declared([](kernel& of) { of.memory(1000 / (tile - 2)); });
    attune::description const bound = attune::bind_inputs(k.describe().space, {n(1)});
    CHECK(has(memory_objection(k.describe(), bound, {coordinate{1, 0}, coordinate{0, 0}}, 1e9),
              "have no value"));
    constexpr auto other = attune::integer<"OTHER">(1, 8);
    CHECK(has(error_of([&] { (void)declared([&](kernel& of) { of.memory(8 * other); }); }),
              "parameter OTHER"));
}
