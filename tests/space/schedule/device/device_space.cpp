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
#include <string>
#include <vector>

#include "../../../support/nest_examples.hpp"
#include "../../../support/set_variable.hpp"

namespace {

std::int64_t shared_bytes_of(attune::device_program const& p)
{
    std::int64_t line = 0;
    for (attune::device_operand const& operand : p.operands) {
        auto const type = p.nest.arrays[p.nest.accesses[operand.access].array].element;
        line += ((operand.is_of_rows ? p.block_rows : p.block_columns) + p.padding) *
                static_cast<std::int64_t>(attune::detail::element_bytes(type));
    }
    return line * p.block_depth * (p.is_double_buffered ? 2 : 1);
}

} // namespace

TEST_CASE("products, batched products and convolutions are tiles within what a block may have")
{
    for (auto const& nest : {support::matmul(512, 512, 512),
                             support::matmul(3, 2, 1),
                             support::matmul_of_inputs(),
                             support::batched_int8(12, 128, 128, 64),
                             support::convolution(56, 64, 64, 3, 1, 1),
                             support::dense_gelu(128, 3072, 768)}) {
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
            CHECK(shared_bytes_of(p) <= 48 * 1024);
            CHECK(p.thread_rows * p.thread_columns * p.threads() <= 65536);
        }
    }
}

TEST_CASE("the defaults are a configuration")
{
    for (auto const& nest : {support::matmul(512, 512, 512),
                             support::matmul(3, 2, 1),
                             support::batched_int8(12, 128, 128, 64),
                             support::convolution(56, 64, 64, 3, 1, 1),
                             support::convolution(224, 3, 64, 7, 2, 3),
                             support::depthwise(28, 28),
                             support::softmax(512, 1000),
                             support::argmax(4, 9)}) {
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
    support::nest_builder half("half");
    auto const i = half.axis("i", 8);
    auto const x =
        half.array("x", attune::nest_role::read, {half.of(i)}, attune::element_type::f16);
    auto const y = half.array("y", attune::nest_role::written, {half.of(i)});
    half.statement(y, {i}, {}, attune::reduction::none, half.read(x, {half.at(i)}));
    CHECK_THROWS_AS(attune::device_space{half.out}, attune::error);

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
