// tests/space/schedule/device/device_space.cpp - what is derived for a GPU, and what is refused.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/device/device_space.hpp>

#include <attune/core/element.hpp>
#include <attune/core/error.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <set>
#include <string>

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
    attune::nest_description nest = support::with_elements(support::matmul(512, 512, 512),
                                                           element_type::f64, element_type::f64);
    nest.arrays.front().element = element_type::i8;
    return nest;
}

attune::device_limits device_of(int architecture, std::int64_t shared_kib)
{
    return {.architecture = architecture,
            .multiprocessors = 132,
            .shared_bytes_opt_in = shared_kib * 1024};
}

attune::point defaults_of(attune::description const& d)
{
    attune::point at;
    for (attune::parameter_description const& p : d.parameters)
        at.push_back(attune::coordinate_of(p, p.default_text.value()).value());
    return at;
}

attune::nest_description product_of_halves(std::int64_t size)
{
    return support::with_elements(support::matmul(size, size, size), element_type::f16,
                                  element_type::f32);
}

} // namespace

TEST_CASE("products, batched products and convolutions are tiles within what a block may have")
{
    for (auto const& nest :
         {support::matmul(512, 512, 512), support::matmul(3, 2, 1), support::matmul_of_inputs(),
          support::batched_int8(12, 128, 128, 64), support::convolution(56, 64, 64, 3, 1, 1),
          support::dense_gelu(128, 3072, 768), bytes_and_doubles(),
          support::with_elements(support::matmul(512, 512, 512), element_type::f16,
                                 element_type::f16)}) {
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
          support::with_elements(support::matmul(64, 64, 64), element_type::f16,
                                 element_type::f32)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest, device_of(75, 64));
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
         {support::with_elements(support::matmul(512, 512, 512), element_type::f16,
                                 element_type::f32),
          support::with_elements(support::matmul(3, 2, 1), element_type::bf16, element_type::bf16),
          support::batched_int8(12, 128, 128, 64), support::batched_int8(1, 5, 5, 5)}) {
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
         {support::matmul(512, 512, 512), support::matmul(3, 2, 1),
          support::batched_int8(12, 128, 128, 64), support::convolution(56, 64, 64, 3, 1, 1),
          support::convolution(224, 3, 64, 7, 2, 3), support::depthwise(28, 28),
          support::softmax(512, 1000), support::argmax(4, 9), product_of_halves(4096),
          support::with_elements(support::matmul(512, 512, 512), element_type::f16,
                                 element_type::f16)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        CHECK(attune::chain_of_trees(derived.describe()).contains(defaults_of(derived.describe())));
        for (int const architecture : {0, 75, 80, 90})
            for (std::int64_t const shared_kib : {16, 48, 64, 96, 99, 163, 227}) {
                CAPTURE(architecture);
                CAPTURE(shared_kib);
                attune::device_space const known(nest, device_of(architecture, shared_kib));
                attune::description const& d = known.describe();
                CHECK(attune::chain_of_trees(d).contains(defaults_of(d)));
            }
    }
}

TEST_CASE("a space takes as much shared memory as its device has, and no more")
{
    for (auto const& nest : {support::matmul(512, 512, 512), product_of_halves(4096),
                             support::batched_int8(12, 512, 512, 512), bytes_and_doubles()}) {
        CAPTURE(nest.name);
        for (std::int64_t const shared_kib : {8, 48, 96, 163, 227}) {
            CAPTURE(shared_kib);
            attune::device_space const derived(nest, device_of(90, shared_kib));
            attune::chain_of_trees const space(derived.describe());
            REQUIRE(derived.shared_bytes() != attune::no_index);
            attune::random_engine draw(5);
            std::int64_t most = 0;
            for (int n = 0; n < 400; ++n) {
                attune::device_program const p = derived.schedule(space.sample(draw));
                most = std::max(most, shared_bytes_of(p));
                CHECK(p.threads() <= 1024);
            }
            CHECK(most <= shared_kib * 1024);
            CHECK(most > shared_kib * 1024 / 2);
        }
        // Any device: asynchronous copies alone go beyond 48 KiB, to 96.
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(5);
        for (int n = 0; n < 400; ++n) {
            attune::device_program const p = derived.schedule(space.sample(draw));
            CHECK(shared_bytes_of(p) <= (p.stages > 2 ? 96 : 48) * 1024);
        }
    }
}

TEST_CASE("a space has the blocks of a product of halves that fit in its device's shared memory")
{
    attune::nest_description const nest = product_of_halves(4096);
    for (std::int64_t const shared_kib : {48, 96, 163, 227}) {
        CAPTURE(shared_kib);
        attune::device_space const derived(nest, device_of(90, shared_kib));
        attune::chain_of_trees const space(derived.describe());
        attune::description const& d = space.describe();
        int beyond_96_kib = 0;
        for (std::int64_t const rows : {64, 128, 256})
            for (std::int64_t const columns : {64, 128, 256})
                for (std::int64_t const deep : {32, 64})
                    for (std::int64_t const stages : {3, 4}) {
                        attune::point at = defaults_of(d);
                        auto const set = [&](char const* name, std::int64_t value) {
                            std::uint32_t const i = d.find_parameter(name);
                            at[i] = attune::coordinate_of(d.parameters[i], std::to_string(value))
                                        .value();
                        };
                        set("BLOCK_ROWS", rows);
                        set("BLOCK_COLUMNS", columns);
                        set("BLOCK_DEPTH", deep);
                        set("STAGES", stages);
                        set("THREAD_ROWS", 8); // a warp has 64 x 64
                        set("THREAD_COLUMNS", 16);
                        std::string const configuration = attune::text_of(d, at);
                        CAPTURE(configuration);
                        // A runs along the depth and B along columns; 8 elements behind each line.
                        std::int64_t const bytes =
                            2 * stages * (rows * (deep + 8) + deep * (columns + 8));
                        // 512 threads of 128 sums have more registers than a multiprocessor.
                        bool const has_registers = rows * columns < 256 * 256;
                        // And a thread brings at most 64 words of each tile.
                        std::int64_t const threads = rows / 64 * (columns / 64) * 32;
                        bool const has_threads = 2 * deep * (rows + columns) <= 64 * 4 * threads;
                        bool const is_valid = space.contains(at);
                        CHECK(is_valid ==
                              (has_registers && has_threads && bytes <= shared_kib * 1024));
                        beyond_96_kib += is_valid && bytes > 96 * 1024 ? 1 : 0;
                    }
        CHECK((beyond_96_kib > 0) == (shared_kib > 96));
    }
}

TEST_CASE("products begin with tensor cores on devices that are known to have them")
{
    struct one {
        attune::nest_description nest;
        bool has_matrices;
    };
    for (one const& of :
         {one{product_of_halves(4096), true}, one{product_of_halves(1024), true},
          one{product_of_halves(3), true}, one{support::batched_int8(12, 128, 128, 64), true},
          one{support::with_elements(support::convolution(56, 64, 64, 3, 1, 1), element_type::bf16,
                                     element_type::bf16),
              true},
          one{support::matmul(512, 512, 512), false}, one{bytes_and_doubles(), false}}) {
        CAPTURE(of.nest.name);
        attune::device_space const any(of.nest);
        attune::device_program const usual = any.schedule(defaults_of(any.describe()));
        CHECK_FALSE(usual.uses_tensor_cores);
        CHECK(usual.stages == 1);
        for (int const architecture : {0, 70, 75, 80, 86, 90, 120}) {
            CAPTURE(architecture);
            attune::device_space const derived(of.nest, device_of(architecture, 99));
            attune::description const& d = derived.describe();
            bool const is_old = architecture > 0 && architecture < 80;
            CHECK((d.find_parameter("TENSOR") != attune::no_index) == (of.has_matrices && !is_old));
            attune::device_program const p = derived.schedule(defaults_of(d));
            CHECK(p.uses_tensor_cores == (of.has_matrices && architecture >= 80));
            CHECK(p.stages == (p.uses_tensor_cores ? 3 : 1));
            if (p.uses_tensor_cores || (is_old && of.has_matrices)) continue;
            CHECK(p.block_rows == usual.block_rows);
            CHECK(p.block_columns == usual.block_columns);
            CHECK(p.block_depth == usual.block_depth);
            CHECK(p.thread_rows == usual.thread_rows);
            CHECK(p.thread_columns == usual.thread_columns);
            CHECK(p.vector == usual.vector);
            CHECK(p.padding == usual.padding);
        }
    }
}

TEST_CASE("the blocks of the default are small where large ones leave multiprocessors without any")
{
    auto const side = [](std::int64_t size) {
        attune::device_space const derived(product_of_halves(size), device_of(90, 227));
        attune::device_program const p = derived.schedule(defaults_of(derived.describe()));
        CHECK(p.block_rows == p.block_columns);
        return p.block_rows;
    };
    CHECK(side(4096) == 128); // 32 x 32 blocks on 132 multiprocessors
    CHECK(side(1536) == 128); // 12 x 12
    CHECK(side(1408) == 64);  // 11 x 11
    // 16 blocks of 128 x 128 in each of the batch.
    auto const side_of_batch = [](std::int64_t batch) {
        attune::device_space const derived(support::batched_int8(batch, 512, 512, 64),
                                           device_of(90, 227));
        return derived.schedule(defaults_of(derived.describe())).block_rows;
    };
    CHECK(side_of_batch(9) == 128);
    CHECK(side_of_batch(8) == 64);
    // Extents that are inputs may be long.
    attune::device_space const of_inputs(
        support::with_elements(support::matmul_of_inputs(), element_type::f16, element_type::f32),
        device_of(90, 227));
    CHECK(of_inputs.schedule(defaults_of(of_inputs.describe())).block_rows == 128);
}

TEST_CASE("rows pass on as much as a block of their device has")
{
    // Of each row e, 67,000 bytes or 200,000, and temporaries of one number.
    auto const is_made = [](std::int64_t columns, std::optional<attune::device_limits> const& on) {
        return attune_test::text_thrown_by<attune::error>([&] {
                   attune::device_space const derived(support::softmax(3, columns), on);
                   CHECK(*attune::chain_of_trees(derived.describe()).size() > 0);
               })
            .empty();
    };
    CHECK_FALSE(is_made(16750, {}));
    CHECK_FALSE(is_made(16750, device_of(75, 64)));
    CHECK(is_made(16750, device_of(80, 99)));
    CHECK_FALSE(is_made(50000, device_of(80, 163)));
    CHECK(is_made(50000, device_of(90, 227)));
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
        REQUIRE(derived.describe().find_parameter("BLOCKS") != attune::no_index);
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
    CHECK(said.find("bytes of shared memory for temporaries") != said.npos);
    CHECK(said.find("divide the statements between several") != said.npos);
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
