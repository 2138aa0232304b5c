// tests/tune/kernel/launch_declaration.cpp - grid, block and shared memory as formulas of a declaration.
// SPDX-License-Identifier: MIT
#include <attune/tune/kernel/launch_declaration.hpp>

#include <attune/core/error.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "../../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto m = attune::input<"M", int>();
constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(32, 256));
constexpr auto vec = attune::ordinal<"VEC">(attune::values(0, 1, 2));
constexpr auto other = attune::boolean<"OTHER">();
constexpr auto space = attune::space(block_x, vec);

using saxpy =
    attune::kernel<void(attune::device_span<float const>, attune::device_span<float>, float, int)>;

saxpy declared() { return {"saxpy", attune::source_text("", "saxpy.kernel.cu"), space}; }

/// The geometry of `k` where BLOCK_X and VEC stand at these indices.
attune::launch_geometry geometry(attune::kernel_description const& k,
                                 std::vector<attune::input_value> const& inputs,
                                 std::uint32_t block, std::uint32_t width)
{
    return attune::geometry_at(*k.launch, attune::bind_inputs(k.space, inputs),
                               {attune::coordinate{block, 0}, attune::coordinate{width, 0}});
}

} // namespace

TEST_CASE("a kernel that says nothing of its launch has no launch")
{
    CHECK_FALSE(declared().describe().launch);
    CHECK(declared().describe().code_rules.constraints.empty());
    CHECK(declared().describe().extents.empty());
}

TEST_CASE("the geometry is that of the formulas at every configuration")
{
    saxpy k = declared();
    k.bind<3>(n)
        .grid(attune::ceil_div(n, block_x * vec), 2)
        .block(block_x)
        .shared_bytes(4 * block_x * vec);
    for (std::uint32_t b = 0; b < 4; ++b)
        for (std::uint32_t v = 1; v < 3; ++v)
            for (std::int64_t const size : {1, 1000, 1024, 123457}) {
                std::int64_t const threads = 32LL << b;
                std::int64_t const each = threads * v;
                attune::launch_geometry want;
                want.grid = {(size + each - 1) / each, 2, 1};
                want.block = {threads, 1, 1};
                want.shared_bytes = 4 * each;
                CHECK(geometry(k.describe(), {n(static_cast<int>(size))}, b, v) == want);
            }
}

TEST_CASE("clusters and cooperation are part of the geometry")
{
    saxpy k = declared();
    k.grid(8, 4, 2).block(block_x, 2u, 1).cluster(2, 1, vec).cooperative();
    attune::launch_geometry const g = geometry(k.describe(), {}, 1, 2);
    CHECK(g.grid == std::array<std::int64_t, 3>{8, 4, 2});
    CHECK(g.block == std::array<std::int64_t, 3>{64, 2, 1});
    CHECK(g.cluster == std::array<std::int64_t, 3>{2, 1, 2});
    CHECK(g.is_cooperative);
    CHECK(g.shared_bytes == 0);
}

TEST_CASE("what has no value is an extent of 0 and less than no shared memory")
{
    saxpy k = declared();
    k.bind<3>(n).grid(n / vec).block(block_x).shared_bytes(block_x % vec);
    attune::launch_geometry const g = geometry(k.describe(), {n(64)}, 0, 0);
    CHECK(g.grid[0] == 0);
    CHECK(g.shared_bytes == -1);
}

TEST_CASE("an input declared whole may be given as a real number that is whole")
{
    saxpy k = declared();
    k.grid(n).block(block_x);
    auto const grid = [&](double v) {
        return geometry(k.describe(), {{"N", attune::number::of(v)}}, 0, 1).grid[0];
    };
    CHECK(grid(96.0) == 96);
    CHECK(grid(96.5) == 0);
    CHECK(grid(1e300) == 0);
    CHECK(grid(std::numeric_limits<double>::quiet_NaN()) == 0);
}

TEST_CASE("the later of two declarations holds as a whole")
{
    saxpy k = declared();
    k.grid(4, 5, 6).grid(7).block(block_x, 2).block(1);
    attune::launch_geometry const g = geometry(k.describe(), {}, 0, 1);
    CHECK(g.grid == std::array<std::int64_t, 3>{7, 1, 1});
    CHECK(g.block == std::array<std::int64_t, 3>{1, 1, 1});
}

TEST_CASE("the text of a launch changes with each of its formulas")
{
    auto const text = [](auto const& declare) {
        saxpy k = declared();
        declare(k);
        return attune::text_of(*k.describe().launch, k.describe().space);
    };
    std::string const base = text([](saxpy& k) { k.grid(n).block(block_x); });
    CHECK(has(base, "grid N"));
    CHECK(has(base, "block BLOCK_X"));
    CHECK(base == text([](saxpy& k) { k.block(block_x).grid(n); }));
    CHECK(base != text([](saxpy& k) { k.grid(n + 1).block(block_x); }));
    CHECK(base != text([](saxpy& k) { k.grid(1, n).block(block_x); }));
    CHECK(base != text([](saxpy& k) { k.grid(n).block(vec); }));
    CHECK(base != text([](saxpy& k) { k.grid(n).block(block_x).shared_bytes(4); }));
    CHECK(base != text([](saxpy& k) { k.grid(n).block(block_x).cluster(2); }));
    CHECK(base != text([](saxpy& k) { k.grid(n).block(block_x).cooperative(); }));
}

TEST_CASE("a formula of a parameter that the space lacks is refused where it is declared")
{
    std::string const said = error_of([] { declared().grid(n / select(other, 1, 2)); });
    CHECK(has(said, "kernel.grid(...) reads a parameter that is not in the space"));
    CHECK(has(said, "OTHER"));
    CHECK(has(error_of([] { declared().shared_bytes(select(other, 1, 2)); }), "OTHER"));
    CHECK(has(error_of([] { declared().require(attune::registers <= select(other, 1, 2)); }),
              "kernel.require(...)"));
}

TEST_CASE("an input of a rule is an input of the space, and what code takes is none")
{
    saxpy k = declared();
    k.require(attune::registers * block_x <= m, attune::spill_bytes == 0);
    attune::kernel_description const& d = k.describe();
    CHECK(d.space.find_input("M") != attune::no_index);
    CHECK(d.space.find_input("registers") == attune::no_index);
    REQUIRE(d.code_rules.constraints.size() == 2);
    CHECK(d.code_rules.constraints[0].text == "registers * BLOCK_X <= M");
    CHECK(d.code_rules.constraints[1].text == "spill_bytes == 0");
    CHECK(has(error_of([&] { (void)attune::bind_inputs(d.space, {}); }), "input M"));
}

TEST_CASE("an input with the name of what code takes is refused beside a rule")
{
    static constexpr auto mine = attune::input<"registers", int>();
    saxpy k = declared();
    k.grid(mine);
    CHECK(has(error_of([&] { k.require(attune::registers <= 64); }), "rename the input"));
}

TEST_CASE("a feature of code is named as it is written, and its inputs are those of the space")
{
    saxpy k = declared();
    k.features(attune::registers * block_x, attune::occupancy / m);
    attune::kernel_description const& d = k.describe();
    CHECK(d.space.find_input("M") != attune::no_index);
    CHECK(d.code_rules.constraints.empty());
    REQUIRE(d.code_rules.features.size() == 2);
    CHECK(d.code_rules.features[0].text == "registers * BLOCK_X");
    CHECK(d.code_rules.features[1].text == "occupancy / M");
    CHECK(has(error_of([] { declared().features(attune::registers * select(other, 1, 2)); }),
              "kernel.features(...) reads a parameter that is not in the space"));
}

TEST_CASE("raw pointers are found among the arguments")
{
    attune::kernel<void(int, float const*, attune::device_span<float>, double*)> k{
        "k", attune::source_text("", "k.cu"), space};
    REQUIRE(k.describe().extents.size() == 2);
    CHECK(k.describe().extents[0].position == 1);
    CHECK(k.describe().extents[1].position == 3);
    CHECK(k.describe().extents[1].node == attune::no_index);
    k.extent<3>(n * m);
    CHECK(k.describe().extents[0].node == attune::no_index);
    CHECK(k.describe().extents[1].node != attune::no_index);
}
