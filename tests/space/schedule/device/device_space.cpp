// tests/space/schedule/device/device_space.cpp - what is derived for a GPU, and what is refused.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/device/device_space.hpp>

#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "../../../support/nest_examples.hpp"
#include "../../../support/set_variable.hpp"

namespace {

using attune::element_type;

std::int64_t shared_bytes_of(attune::device_program const& p)
{
    std::int64_t bytes = 0;
    for (attune::device_operand const& operand : p.operands) {
        std::int64_t const across = operand.is_of_rows ? p.block_rows : p.block_columns;
        std::int64_t const elements = p.has_lines_by_depth(operand)
                                          ? p.block_depth * (across + p.padding)
                                          : across * (p.block_depth + p.padding);
        bytes += elements *
                 static_cast<std::int64_t>(attune::detail::element_bytes(p.element_of(operand)));
    }
    return bytes * p.stages;
}

/// Elements of 1 byte and of 8, whose tiles lie behind each other.
attune::nest_description bytes_and_doubles()
{
    attune::nest_description nest = support::with_elements(
        support::matmul(512, 512, 512), element_type::f64, element_type::f64);
    nest.arrays.front().element = element_type::i8;
    return nest;
}

} // namespace

TEST_CASE("products, batched products and convolutions are tiles within what a block may have")
{
    for (auto const& nest :
         {support::matmul(512, 512, 512),
          support::matmul(3, 2, 1),
          support::matmul_of_inputs(),
          support::batched_int8(12, 128, 128, 64),
          support::convolution(56, 64, 64, 3, 1, 1),
          support::dense_gelu(128, 3072, 768),
          bytes_and_doubles(),
          support::with_elements(
              support::matmul(512, 512, 512), element_type::f16, element_type::f16)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(5);
        for (int n = 0; n < 100; ++n) {
            attune::device_program const p = derived.schedule(space.sample(draw));
            REQUIRE(p.form == attune::device_form::tiles);
            CHECK(p.block_rows % p.thread_rows == 0);
            CHECK(p.block_columns % p.thread_columns == 0);
            CHECK(p.threads() % 32 == 0);
            CHECK(p.threads() <= 1024);
            CHECK(shared_bytes_of(p) <= (p.stages > 2 ? 96 : 48) * 1024);
            CHECK(p.thread_rows * p.thread_columns * p.threads() <= 65536);
            for (attune::device_operand const& operand : p.operands)
                CHECK(p.tile_bytes(operand) % 16 == 0);
        }
    }
}

TEST_CASE("tensor cores are a choice where one instruction computes exactly such products")
{
    using enum element_type;
    auto const depth_of = [](attune::nest_description const& nest) {
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(1);
        attune::device_program const p = derived.schedule(space.sample(draw));
        CHECK((derived.describe().find_parameter("TENSOR") != attune::no_index) ==
              (p.tensor_depth > 0));
        return p.tensor_depth;
    };
    auto const product = [](element_type read) {
        return support::with_elements(support::matmul(40, 50, 60), read, f32);
    };
    CHECK(depth_of(product(f16)) == 16);
    CHECK(depth_of(product(bf16)) == 16);
    CHECK(depth_of(support::batched_int8(3, 17, 19, 23)) == 32);
    CHECK(depth_of(support::with_elements(support::convolution(9, 3, 4, 3, 2, 1), f16, f16)) == 16);
    CHECK(depth_of(support::with_elements(support::dense_gelu(20, 36, 24), bf16, bf16)) == 16);
    // float has no instruction of its accuracy, operands of two types none at all.
    CHECK(depth_of(product(f32)) == 0);
    attune::nest_description mixed = product(f16);
    mixed.arrays[1].element = bf16;
    CHECK(depth_of(mixed) == 0);
    // sum(k)(cast<to>(A[i][k]) * B[k][j]), whose conversion keeps each number of A or does not.
    auto const converted = [](attune::nest_description nest, element_type to) {
        nest.nodes.push_back({.code = attune::nest_op::convert, .type = to, .first = 0});
        nest.nodes.push_back(
            {.code = attune::nest_op::convert, .type = nest.nodes[2].type, .first = 3});
        nest.nodes.push_back({.code = attune::nest_op::multiply,
                              .type = nest.nodes[2].type,
                              .first = 4,
                              .second = 1});
        nest.statements.front().value = 5;
        return nest;
    };
    auto const of_bytes = [](element_type read) {
        attune::nest_description nest = support::batched_int8(3, 17, 19, 23);
        nest.arrays[0].element = read;
        return nest;
    };
    for (element_type const to : {f16, f32, f64})
        CHECK(depth_of(converted(product(f16), to)) == 16);
    for (element_type const to : {i8, i32, i64, bf16})
        CHECK(depth_of(converted(product(f16), to)) == 0);
    CHECK(depth_of(converted(product(bf16), f32)) == 16);
    CHECK(depth_of(converted(product(bf16), f16)) == 0);
    for (element_type const to : {i8, i16, i32, i64, f16, bf16, f32, f64})
        CHECK(depth_of(converted(of_bytes(i8), to)) == 32);
    for (element_type const to : {u8, u16})
        CHECK(depth_of(converted(of_bytes(i8), to)) == 0);
    for (element_type const to : {u8, i16, u16, i32, u32, i64, u64, f16, f32})
        CHECK(depth_of(converted(of_bytes(u8), to)) == 32);
    CHECK(depth_of(converted(of_bytes(u8), i8)) == 0);
    // Three factors, the largest product, and a sum in double are something else, too.
    attune::nest_description largest = product(f16);
    largest.statements.front().combine = attune::reduction::maximum;
    CHECK(depth_of(largest) == 0);
    attune::nest_description wide = product(f16);
    wide.nodes.back().type = f64;
    wide.statements.front().accumulator = f64;
    CHECK(depth_of(wide) == 0);
    attune::nest_description cube = product(f16);
    cube.nodes.push_back({.code = attune::nest_op::multiply, .type = f32, .first = 2, .second = 0});
    cube.statements.front().value = 3;
    CHECK(depth_of(cube) == 0);
}

TEST_CASE("a space for devices without tensor cores chooses vectors, padding and buffers")
{
    for (attune::nest_description const& nest :
         {support::batched_int8(3, 64, 64, 64),
          support::with_elements(
              support::matmul(64, 64, 64), element_type::f16, element_type::f32)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest, false);
        attune::description const& d = derived.describe();
        CHECK(d.find_parameter("TENSOR") == attune::no_index);
        for (char const* const name : {"VECTOR", "PADDING", "STAGES"})
            CHECK_FALSE(d.parameters[d.find_parameter(name)].is_conditional());
        attune::chain_of_trees const space(d);
        attune::random_engine draw(5);
        std::set<std::int64_t> vectors, paddings;
        for (int n = 0; n < 100; ++n) {
            attune::device_program const p = derived.schedule(space.sample(draw));
            CHECK_FALSE(p.uses_tensor_cores);
            vectors.insert(p.vector);
            paddings.insert(p.padding);
        }
        CHECK(vectors == std::set<std::int64_t>{1, 2, 4});
        CHECK(paddings == std::set<std::int64_t>{0, 1, 4});
    }
}

TEST_CASE("with tensor cores warps have whole instructions, blocks whole warps, and lines 16 bytes")
{
    for (auto const& nest :
         {support::with_elements(
              support::matmul(512, 512, 512), element_type::f16, element_type::f32),
          support::with_elements(support::matmul(3, 2, 1), element_type::bf16, element_type::bf16),
          support::batched_int8(12, 128, 128, 64),
          support::batched_int8(1, 5, 5, 5)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(5);
        int tensor = 0;
        for (int n = 0; n < 300; ++n) {
            attune::device_program const p = derived.schedule(space.sample(draw));
            if (!p.uses_tensor_cores) continue;
            ++tensor;
            std::int64_t const warp_rows = 8 * p.thread_rows;
            std::int64_t const warp_columns = 4 * p.thread_columns;
            CHECK(warp_rows % 16 == 0);
            CHECK(warp_columns % 16 == 0);
            CHECK(p.block_rows % warp_rows == 0);
            CHECK(p.block_columns % warp_columns == 0);
            CHECK(p.threads() ==
                  32 * (p.block_rows / warp_rows) * (p.block_columns / warp_columns));
            CHECK(p.block_depth % p.tensor_depth == 0);
            for (attune::device_operand const& operand : p.operands) {
                auto const bytes =
                    static_cast<std::int64_t>(attune::detail::element_bytes(p.element_of(operand)));
                CHECK(p.padding * bytes % 16 == 0);
            }
            CHECK(shared_bytes_of(p) <= (p.stages > 2 ? 96 : 48) * 1024);
        }
        CHECK(tensor > 10);
    }
}

TEST_CASE("the defaults are a configuration")
{
    for (auto const& nest :
         {support::matmul(512, 512, 512),
          support::matmul(3, 2, 1),
          support::batched_int8(12, 128, 128, 64),
          support::convolution(56, 64, 64, 3, 1, 1),
          support::convolution(224, 3, 64, 7, 2, 3),
          support::depthwise(28, 28),
          support::softmax(512, 1000),
          support::argmax(4, 9),
          support::with_elements(
              support::matmul(512, 512, 512), element_type::f16, element_type::f16)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::description const& d = derived.describe();
        attune::point at;
        for (attune::parameter_description const& p : d.parameters)
            at.push_back(attune::coordinate_of(p, p.default_text.value()).value());
        CHECK(attune::chain_of_trees(d).contains(at));
    }
}

TEST_CASE("axes of a convolution are rows, columns and depth of a product")
{
    attune::device_program const p =
        attune::device_space(support::convolution(9, 3, 4, 3, 2, 1)).schedule([] {
            attune::device_space const derived(support::convolution(9, 3, 4, 3, 2, 1));
            attune::random_engine draw(1);
            return attune::chain_of_trees(derived.describe()).sample(draw);
        }());
    CHECK(p.depth.size() == 3); // channels, and both axes of the filter
    CHECK(p.rows.size() + p.columns.size() + p.batch.size() ==
          p.nest.statements.front().spatial_count);
    CHECK_FALSE(p.has_exact_depth);
    CHECK(p.operands.size() == 2);
}

TEST_CASE("softmax is computed row by row, depthwise convolutions and vectors element by element")
{
    attune::device_space const rows(support::softmax(5, 67));
    CHECK(rows.describe().find_parameter("LANES") != attune::no_index);
    CHECK(rows.shared_bytes() != attune::no_index);
    // A lane keeps its numbers in registers where these are few.
    attune::device_space const lines(support::softmax(5, 4096));
    attune::chain_of_trees const space(lines.describe());
    attune::random_engine draw(3);
    int kept = 0;
    for (int n = 0; n < 100; ++n) {
        attune::device_program const p = lines.schedule(space.sample(draw));
        CHECK((p.line == 0 || p.line == 4096));
        CHECK((p.line == 0) == (p.lanes < 128));
        CHECK((p.vector == 1 || p.line > 0));
        CHECK(p.lines.size() == (p.line > 0 ? 3 : 0));
        if (p.line > 0) CHECK(p.kept_by_lane() * p.lanes == 4096);
        kept += p.line > 0 ? 1 : 0;
    }
    CHECK(kept > 10);
    CHECK(attune::device_space(support::depthwise(6, 5)).describe().find_parameter("LANES") !=
          attune::no_index);
}

TEST_CASE("statements without a shared axis are several blocks where none reads another's result")
{
    for (auto const& nest : {support::sums_of_both(700, 450), support::shares(90, 500)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        std::uint32_t const blocks = derived.describe().find_parameter("BLOCKS");
        REQUIRE(blocks != attune::no_index);
        CHECK(derived.describe().find_parameter("GROUPS") == attune::no_index);
        attune::random_engine draw(5);
        std::int64_t most = 1;
        for (int n = 0; n < 50; ++n) {
            attune::device_program const p = derived.schedule(space.sample(draw));
            CHECK(p.rows.empty());
            CHECK(p.threads() % 32 == 0);
            CHECK(p.threads() <= 1024);
            most = std::max(most, p.blocks);
        }
        CHECK(most >= 16);
    }
    // A statement that reads what another one wrote in memory waits for all of it: one block.
    attune::nest_description kept = support::shares(90, 500);
    kept.arrays[1].role = attune::nest_role::written;
    CHECK(attune::device_space(kept).describe().find_parameter("BLOCKS") == attune::no_index);
    // So does a number alone.
    support::nest_builder b("total");
    auto const i = b.axis("i", 900);
    auto const x = b.array("x", attune::nest_role::read, {b.of(i)});
    auto const t = b.array("t", attune::nest_role::written, {});
    b.statement(t, {}, {i}, attune::reduction::sum, b.read(x, {b.at(i)}));
    CHECK(attune::device_space(b.out).describe().find_parameter("BLOCKS") == attune::no_index);
}

TEST_CASE("sizes whose rows a block cannot hold are refused with what to do")
{
    // e[i][j] is passed on, and j is an input.
    attune::nest_description nest = support::softmax(5, 67);
    nest.inputs.push_back({"N", attune::element_type::i64});
    nest.axes[1].extent = {0, 0};
    for (attune::nest_array& array : nest.arrays)
        if (array.extents.size() == 2) array.extents[1] = {0, 0};
    attune::device_space const derived(nest);
    auto const space_for = [&](std::int64_t n) {
        return attune::chain_of_trees(attune::bind_inputs(
            derived.describe(), {attune::input_value("N", attune::number::of(n))}));
    };
    CHECK(*space_for(12000).size() > 1);
    std::string const said =
        attune_test::text_thrown_by<attune::error>([&] { static_cast<void>(space_for(13000)); });
    CAPTURE(said);
    CHECK(said.find("bytes of shared memory for what the statements pass on") != said.npos);
    CHECK(said.find("make several programs of the statements") != said.npos);
}

TEST_CASE("what one launch cannot do is refused in a sentence")
{
    attune::nest_description long_doubles = support::matmul(4, 4, 4);
    long_doubles.arrays.front().element = element_type::extended;
    CHECK_THROWS_AS(attune::device_space{long_doubles}, attune::error);

    attune::nest_description strided = support::matmul(4, 4, 4);
    strided.arrays.front().has_row_stride = true;
    CHECK_THROWS_AS(attune::device_space{strided}, attune::error);

    // The column sums of a matrix that a statement makes: no row is enough for them.
    support::nest_builder wide("wide");
    auto const r = wide.axis("r", 200), c = wide.axis("c", 200), k = wide.axis("k", 3);
    auto const a = wide.array("a", attune::nest_role::read, {wide.of(r), wide.of(k)});
    auto const t = wide.array("t", attune::nest_role::temporary, {wide.of(r), wide.of(c)});
    auto const s = wide.array("s", attune::nest_role::written, {wide.of(c)});
    wide.statement(t, {r, c}, {k}, attune::reduction::sum, wide.read(a, {wide.at(r), wide.at(k)}));
    auto const q = wide.axis("q", 200);
    wide.statement(s, {q}, {r, c}, attune::reduction::sum, wide.read(t, {wide.at(r), wide.at(c)}));
    CHECK_THROWS_AS(attune::device_space{wide.out}, attune::error);
}
