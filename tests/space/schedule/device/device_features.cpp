// tests/space/schedule/device/device_features.cpp - features of GPU kernels, counted one by one.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/device/device_features.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/detail/device_axes.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../../support/nest_examples.hpp"

namespace {

using attune::device_program;
using attune::nest_statement;

double column(attune::program_rows const& of, std::size_t row, std::string const& name)
{
    static std::vector<std::string> const names = attune::device_feature_names();
    auto const at = std::find(names.begin(), names.end(), name);
    REQUIRE_MESSAGE(at != names.end(), name);
    return of.row(row)[static_cast<std::size_t>(at - names.begin())];
}
/// What was written as log2(x + 1).
double number(attune::program_rows const& of, std::size_t row, std::string const& name)
{
    return std::exp2(column(of, row, name)) - 1;
}
double ratio(attune::program_rows const& of, std::size_t row, std::string const& name)
{
    return std::exp2(column(of, row, name));
}
doctest::Approx about(auto v) { return doctest::Approx(static_cast<double>(v)).epsilon(1e-9); }

/// A configuration of the program's space at random.
device_program drawn(attune::nest_description const& nest, std::uint64_t seed = 1)
{
    attune::device_space const derived(nest);
    attune::random_engine draw(seed);
    return derived.schedule(attune::chain_of_trees(derived.describe()).sample(draw));
}

std::int64_t bytes_of(device_program const& p, std::uint32_t array)
{
    return static_cast<std::int64_t>(attune::detail::element_bytes(p.nest.arrays[array].element));
}
std::int64_t steps(device_program const& p, std::vector<std::uint32_t> const& axes)
{
    std::int64_t out = 1;
    for (std::uint32_t const axis : axes)
        out *= p.nest.axes[axis].extent.constant;
    return out;
}

struct counted {
    std::int64_t blocks = 0;
    std::int64_t computed = 0;     ///< sums added up, with those beyond the ends
    std::int64_t memory_bytes = 0; ///< fetched into tiles
    std::int64_t tile_bytes = 0;   ///< read from tiles
};

/// Runs the blocks of a product as the written kernel does: every thread of every block, every
/// element of every tile.
counted run_blocks(device_program const& p)
{
    counted out;
    std::int64_t const rows = steps(p, p.rows);
    std::int64_t const columns = steps(p, p.columns);
    std::int64_t const depths = steps(p, p.depth);
    for (std::int64_t batch = 0; batch < steps(p, p.batch); ++batch)
        for (std::int64_t row = 0; row < rows; row += p.block_rows)
            for (std::int64_t column = 0; column < columns; column += p.block_columns) {
                ++out.blocks;
                for (std::int64_t from = 0; from < depths; from += p.block_depth) {
                    for (attune::device_operand const& o : p.operands) {
                        std::int64_t const bytes = bytes_of(p, p.nest.accesses[o.access].array);
                        for (std::int64_t step = 0; step < p.block_depth; ++step)
                            for (std::int64_t place = 0;
                                 place < (o.is_of_rows ? p.block_rows : p.block_columns); ++place)
                                if (from + step < depths && (o.is_of_rows ? row : column) + place <
                                                                (o.is_of_rows ? rows : columns))
                                    out.memory_bytes += bytes;
                    }
                    for (std::int64_t step = 0; step < p.block_depth; ++step) {
                        if (p.has_exact_depth && from + step >= depths) break;
                        // Matrix instructions: a warp reads 8 and 4 lines for each of a thread's.
                        std::int64_t const readers =
                            p.uses_tensor_cores ? p.threads() / 32 : p.threads();
                        for (std::int64_t reader = 0; reader < readers; ++reader)
                            for (attune::device_operand const& o : p.operands)
                                out.tile_bytes +=
                                    bytes_of(p, p.nest.accesses[o.access].array) *
                                    (o.is_of_rows
                                         ? p.thread_rows * (p.uses_tensor_cores ? 8 : 1)
                                         : p.thread_columns * (p.uses_tensor_cores ? 4 : 1));
                        out.computed += p.block_rows * p.block_columns;
                    }
                }
            }
    return out;
}

/// A product in blocks of 64 x 64, of which a thread has 4 x 4.
device_program squares_of_64()
{
    device_program p = drawn(support::matmul(512, 512, 512));
    p.block_rows = p.block_columns = 64;
    p.block_depth = 8;
    p.thread_rows = p.thread_columns = 4;
    p.vector = p.padding = 4;
    return p;
}

/// A configuration in which lanes keep rows of the program.
device_program in_lines(attune::nest_description const& nest)
{
    attune::device_space const derived(nest);
    attune::chain_of_trees const space(derived.describe());
    attune::random_engine draw(1);
    for (int n = 0; n < 100; ++n)
        if (device_program p = derived.schedule(space.sample(draw)); p.line > 0) return p;
    FAIL("no configuration keeps rows");
    return {};
}

/// E[i][a][c] = exp(X[i][a][c]); Y[i][a][c] = E[i][a][c] / sum of E[i]
attune::nest_description shares_of_matrices(std::int64_t count, std::int64_t m, std::int64_t n)
{
    using attune::nest_role;
    support::nest_builder b("matrices");
    auto const i = b.axis("i", count), a = b.axis("a", m), c = b.axis("c", n);
    std::vector<attune::nest_extent> const sizes{b.of(i), b.of(a), b.of(c)};
    std::vector<attune::affine_index> const all{b.at(i), b.at(a), b.at(c)};
    auto const X = b.array("X", nest_role::read, sizes);
    auto const E = b.array("E", nest_role::temporary, sizes);
    auto const total = b.array("total", nest_role::temporary, {b.of(i)});
    auto const Y = b.array("Y", nest_role::written, sizes);
    auto const x = b.op(attune::nest_op::exponential, b.read(X, all));
    b.statement(E, {i, a, c}, {}, attune::reduction::none, x);
    b.statement(total, {i}, {a, c}, attune::reduction::sum, b.read(E, all));
    auto const share = b.op(attune::nest_op::divide, b.read(E, all), b.read(total, {b.at(i)}));
    b.statement(Y, {i, a, c}, {}, attune::reduction::none, share);
    return b.out;
}

struct line_counts {
    std::int64_t memory_bytes = 0;
    std::int64_t computed = 0;    ///< iterations, with those of rows beyond the end
    std::int64_t pack_bytes = 0;  ///< of one load or store of a line
    std::int64_t array_bytes = 0; ///< of that line's array
};

/// Runs rows that are lines as the written kernel does, a result for each statement: each block,
/// pass, group and lane, and each pack that a lane has. All arrays of these programs are lines, or
/// have one number for each row.
std::vector<line_counts> run_lines(device_program const& p)
{
    std::vector<line_counts> out(p.nest.statements.size());
    std::int64_t const all = steps(p, p.rows);
    auto const elements = [&p](std::uint32_t array) {
        std::int64_t count = bytes_of(p, array);
        for (attune::nest_extent const& e : p.nest.arrays[array].extents)
            count *= e.constant;
        return count;
    };
    auto const is_line = [&p](std::uint32_t array) {
        return p.nest.arrays[array].extents.size() > p.rows.size();
    };
    auto const move_line = [&](line_counts& to, std::uint32_t array) {
        to.pack_bytes = p.vector * bytes_of(p, array);
        to.array_bytes = elements(array);
        for (std::int64_t lane = 0; lane < p.lanes; ++lane)
            for (std::int64_t own = 0; own < p.kept_by_lane() / p.vector; ++own)
                if (own * p.lanes + lane < p.line / p.vector) to.memory_bytes += to.pack_bytes;
    };
    for (std::int64_t first = 0; first < all; first += p.groups * p.passes)
        for (std::int64_t row = first; row < first + p.groups * p.passes; ++row) {
            std::set<std::uint32_t> loaded;
            for (std::size_t s = 0; s < out.size(); ++s) {
                nest_statement const& of = p.nest.statements[s];
                out[s].computed += of.axes.size() > p.rows.size() ? p.line : 1;
                for (std::uint32_t const a : attune::detail::accesses_of(p.nest, of)) {
                    std::uint32_t const array = p.nest.accesses[a].array;
                    if (p.nest.arrays[array].role == attune::nest_role::read && is_line(array) &&
                        loaded.insert(array).second)
                        move_line(out[s], array);
                }
                std::uint32_t const target = of.target.array;
                if (row >= all || p.nest.arrays[target].role == attune::nest_role::temporary)
                    continue;
                if (is_line(target))
                    move_line(out[s], target);
                else
                    out[s].memory_bytes += bytes_of(p, target);
            }
        }
    return out;
}

/// What device_space asks of tiles, with the prediction of registers that features have.
bool may_be_launched(device_program const& p)
{
    if (p.block_rows % p.thread_rows != 0 || p.block_columns % p.thread_columns != 0) return false;
    if (p.uses_tensor_cores &&
        (p.thread_rows < 2 || p.thread_columns < 4 || p.block_rows % (8 * p.thread_rows) != 0 ||
         p.block_columns % (4 * p.thread_columns) != 0 || p.block_depth % p.tensor_depth != 0 ||
         p.padding % (p.tensor_depth / 2) != 0))
        return false;
    if (p.threads() < 32 || p.threads() > 1024 || (p.stages > 2 && p.padding % 2 != 0))
        return false;
    std::int64_t shared = 0;
    for (attune::device_operand const& operand : p.operands)
        shared += p.tile_bytes(operand);
    std::int64_t const registers = attune::detail::device_registers(p);
    device_program by_registers = p; // what is on its way is bounded in copies as well
    by_registers.stages = 1;
    by_registers.uses_tensor_cores = false;
    std::int64_t const held = attune::detail::device_registers(by_registers) - 32 -
                              p.thread_rows * p.thread_columns - p.thread_rows - p.thread_columns;
    return shared <= (p.stages > 2 ? 96 : 48) * 1024 && registers <= 240 &&
           registers * p.threads() <= 65536 && held <= 64;
}

/// Calls `visit` for each iteration of a statement.
void each_iteration(device_program const& p, nest_statement const& s,
                    std::function<void(bool is_first_of_sum)> const& visit)
{
    std::vector<std::int64_t> at(s.axes.size(), 0);
    for (;;) {
        visit(std::all_of(at.begin() + s.spatial_count, at.end(), [](auto v) { return v == 0; }));
        std::size_t d = at.size();
        while (d > 0 && ++at[d - 1] == p.nest.axes[s.axes[d - 1]].extent.constant)
            at[--d] = 0;
        if (d == 0) return;
    }
}

} // namespace

TEST_CASE("bytes and operations of products are those of all blocks, threads and elements")
{
    for (auto const& nest :
         {support::matmul(37, 29, 21), support::matmul(64, 32, 16, true),
          support::batched_int8(3, 17, 19, 23),
          support::with_elements(support::matmul_of_lines(40, 36, 70, false),
                                 attune::element_type::f16, attune::element_type::f32),
          support::convolution(9, 3, 20, 3, 2, 1), support::dense_gelu(20, 36, 24)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(11);
        for (int n = 0; n < 12; ++n) {
            device_program const p = derived.schedule(space.sample(draw));
            REQUIRE(p.form == attune::device_form::tiles);
            counted const want = run_blocks(p);
            attune::program_rows const rows = attune::device_features_of(p);
            REQUIRE(rows.count() == p.nest.statements.size());
            nest_statement const& main = p.nest.statements.front();
            std::int64_t trips = 0;
            std::int64_t results = 0;
            each_iteration(p, main, [&](bool is_first_of_sum) {
                ++trips;
                results += is_first_of_sum ? 1 : 0;
            });
            bool const is_kept =
                p.nest.arrays[main.target.array].role != attune::nest_role::temporary;
            std::int64_t const result_bytes =
                is_kept ? results * bytes_of(p, main.target.array) * (main.continues ? 2 : 1) : 0;
            CHECK(number(rows, 0, "blocks") == about(want.blocks));
            CHECK(number(rows, 0, "threads") == about(p.threads()));
            CHECK(number(rows, 0, "trips") == about(trips));
            CHECK(ratio(rows, 0, "tails") ==
                  about(static_cast<double>(want.computed) / static_cast<double>(trips)));
            CHECK(number(rows, 0, "trips_of_a_thread") ==
                  about(static_cast<double>(want.computed) /
                        static_cast<double>(want.blocks * p.threads())));
            CHECK(number(rows, 0, "memory_bytes") == about(want.memory_bytes + result_bytes));
            CHECK(number(rows, 0, "shared_bytes_moved") == about(want.tile_bytes));
            if (nest.name == "matmul") // one multiply-add each time, and no conversion
                CHECK(ratio(rows, 0, "operations_per_memory_byte") ==
                      about(2.0 * static_cast<double>(trips) /
                            static_cast<double>(want.memory_bytes + result_bytes)));
            double of_accesses = 0;
            for (int a = 0; a < 5; ++a)
                of_accesses += number(rows, 0, "access" + std::to_string(a) + "_memory_bytes");
            CHECK(of_accesses == about(want.memory_bytes + result_bytes));
        }
    }
}

TEST_CASE("statements after a product read its result from registers, kept in memory or not")
{
    for (auto const role : {attune::nest_role::temporary, attune::nest_role::written}) {
        attune::nest_description nest = support::dense_gelu(20, 36, 24);
        nest.arrays[2].role = role;
        device_program const p = drawn(nest, 5);
        REQUIRE(p.form == attune::device_form::tiles);
        REQUIRE(p.nest.statements.size() == 2);
        std::int64_t bytes = 0;
        each_iteration(p, p.nest.statements[1], [&](bool) {
            bytes += 4 + 4; // an element of the bias, and one of the result
        });
        attune::program_rows const rows = attune::device_features_of(p);
        CHECK(number(rows, 1, "memory_bytes") == about(bytes));
        CHECK(number(rows, 1, "shared_bytes_moved") == about(0));
        CHECK(number(rows, 1, "access2_memory_bytes") == about(0)); // there are two
    }
}

TEST_CASE("bytes of rows are those of all iterations; what is passed on is in shared memory")
{
    for (auto const& nest : {support::softmax(3, 4100), // too long for the registers of few lanes
                             support::argmax(4, 90), support::sums_of_both(70, 45),
                             support::shares(9, 50), support::depthwise(6, 5)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(3);
        int seen = 0;
        for (int n = 0; n < 40; ++n) {
            device_program const p = derived.schedule(space.sample(draw));
            if (p.form != attune::device_form::rows || p.line > 0) continue;
            ++seen;
            attune::program_rows const rows = attune::device_features_of(p);
            std::int64_t const all_rows = steps(p, p.rows);
            std::int64_t blocks = 0;
            for (std::int64_t row = 0; row < all_rows; row += p.groups * p.passes)
                ++blocks;
            if (p.rows.empty()) blocks = p.blocks;
            for (std::size_t s = 0; s < p.nest.statements.size(); ++s) {
                nest_statement const& of = p.nest.statements[s];
                std::int64_t memory = 0;
                std::int64_t shared = 0;
                auto const touch = [&](std::uint32_t array) {
                    if (p.nest.arrays[array].role != attune::nest_role::temporary) {
                        memory += bytes_of(p, array);
                        return;
                    }
                    for (nest_statement const& writer : p.nest.statements)
                        if (writer.target.array == array && writer.spatial_count > p.rows.size())
                            shared += bytes_of(p, array);
                };
                bool const is_repeated = p.rows.empty() && p.nest.arrays[of.target.array].role ==
                                                               attune::nest_role::temporary;
                for (std::int64_t block = 0; block < (is_repeated ? blocks : 1); ++block)
                    each_iteration(p, of, [&](bool is_first_of_sum) {
                        for (std::uint32_t const a : attune::detail::accesses_of(p.nest, of))
                            touch(p.nest.accesses[a].array);
                        if (!is_first_of_sum) return;
                        touch(of.target.array);
                        if (of.continues) touch(of.target.array);
                    });
                CHECK(number(rows, s, "blocks") == about(blocks));
                CHECK(number(rows, s, "threads") == about(p.lanes * p.groups));
                CHECK(number(rows, s, "memory_bytes") == about(memory));
                CHECK(number(rows, s, "shared_bytes_moved") == about(shared));
            }
        }
        CHECK(seen > 0);
    }
}

TEST_CASE("of rows that are lines each number is loaded and stored once, by packs")
{
    using enum attune::element_type;
    struct lines {
        attune::nest_description nest;
        std::int64_t widest;
    };
    for (lines const& of : {lines{support::softmax(5, 67), 1}, lines{support::softmax(6, 96), 4},
                            lines{support::with_elements(support::softmax(7, 90), f16, f32), 2},
                            lines{support::argmax(4, 64), 4}}) {
        attune::nest_description const& nest = of.nest;
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(3);
        std::int64_t widest = 0;
        for (int n = 0; n < 40; ++n) {
            device_program const p = derived.schedule(space.sample(draw));
            if (p.line == 0) continue;
            widest = std::max(widest, p.vector);
            attune::program_rows const rows = attune::device_features_of(p);
            std::vector<line_counts> const want = run_lines(p);
            for (std::size_t s = 0; s < p.nest.statements.size(); ++s) {
                auto const bytes = static_cast<double>(want[s].memory_bytes);
                CHECK(number(rows, s, "memory_bytes") == about(bytes));
                CHECK(number(rows, s, "shared_bytes_moved") == about(0));
                CHECK(ratio(rows, s, "tails") ==
                      about(static_cast<double>(want[s].computed) / number(rows, s, "trips")));
                for (std::string const access : {"access0_", "access1_", "access2_"})
                    if (std::int64_t const load = want[s].pack_bytes;
                        load > 0 && number(rows, s, access + "memory_bytes") > 0 &&
                        number(rows, s, access + "array_bytes") == about(want[s].array_bytes))
                        CHECK(number(rows, s, access + "load_bytes") == about(load));
            }
        }
        CHECK(widest == of.widest);
    }
}

TEST_CASE("what a lane keeps of rows that are lines, by hand")
{
    device_program p = in_lines(support::softmax(6, 96));
    p.lanes = 8;
    p.groups = 4;
    p.passes = 1;
    p.vector = 4;
    attune::program_rows rows = attune::device_features_of(p);
    CHECK(number(rows, 0, "blocks") == about(2));
    CHECK(number(rows, 0, "kept_by_lane") == about(12));
    CHECK(number(rows, 0, "registers") == about(3 * 12 + 32)); // of X, e and Y
    CHECK(number(rows, 0, "shared_bytes") == about(0));
    CHECK(number(rows, 0, "resident_by_registers") == about(30)); // 65536 / (68 * 32) = 30.1
    CHECK(number(rows, 0, "stages") == about(0));
    p.lanes = 64; // of 24 packs each lane has room for one
    rows = attune::device_features_of(p);
    CHECK(number(rows, 0, "kept_by_lane") == about(4));
    CHECK(number(rows, 0, "registers") == about(3 * 4 + 32));
    CHECK(number(rows, 0, "shared_bytes") == about(512));
    p.line = 0;
    p.lines.clear();
    p.vector = 1;
    rows = attune::device_features_of(p);
    CHECK(number(rows, 0, "kept_by_lane") == about(0));
    CHECK(number(rows, 0, "registers") == about(0)); // not known
    CHECK(number(rows, 0, "shared_bytes") == about(4 * 96 * 4 + 512));
}

TEST_CASE("of a line that begins anywhere, and of an array that is no line, elements are loaded")
{
    // s[i] = sum_j X[i][j]; Y[i][j] = Z[j][i] * s[i], where lines of X have 66 elements
    using attune::nest_role;
    support::nest_builder b("mixed");
    auto const i = b.axis("i", 6), j = b.axis("j", 64);
    auto const X = b.array("X", nest_role::read, {b.of(i), {66, attune::no_index}});
    auto const Z = b.array("Z", nest_role::read, {b.of(j), b.of(i)});
    auto const t = b.array("t", nest_role::temporary, {b.of(i)});
    auto const Y = b.array("Y", nest_role::written, {b.of(i), b.of(j)});
    b.statement(t, {i}, {j}, attune::reduction::sum, b.read(X, {b.at(i), b.at(j)}));
    b.statement(
        Y, {i, j}, {}, attune::reduction::none,
        b.op(attune::nest_op::multiply, b.read(Z, {b.at(j), b.at(i)}), b.read(t, {b.at(i)})));
    device_program p = in_lines(b.out);
    REQUIRE(p.lines.size() == 2); // of X and Y
    p.lanes = 8;
    p.groups = 4;
    p.passes = 1;
    p.vector = 4;
    attune::program_rows const rows = attune::device_features_of(p);
    // Groups compute 8 rows, and store 6.
    CHECK(number(rows, 0, "memory_bytes") == about(8 * 64 * 4));
    CHECK(number(rows, 0, "access0_load_bytes") == about(4));
    CHECK(number(rows, 1, "access0_memory_bytes") == about(8 * 64 * 4));
    CHECK(number(rows, 1, "access0_load_bytes") == about(4));
    CHECK(column(rows, 1, "access1_write") == 1);
    CHECK(number(rows, 1, "access1_memory_bytes") == about(6 * 64 * 4));
    CHECK(number(rows, 1, "access1_load_bytes") == about(16));
}

TEST_CASE("what a block takes of a multiprocessor, by hand")
{
    device_program p = squares_of_64();
    p.stages = 1;
    attune::program_rows rows = attune::device_features_of(p);
    CHECK(number(rows, 0, "threads") == about(256));
    CHECK(number(rows, 0, "blocks") == about(64));
    CHECK(number(rows, 0, "shared_bytes") == about(2 * 8 * (64 + 4) * 4));
    CHECK(number(rows, 0, "access0_line_bytes") == about((64 + 4) * 4));
    CHECK(number(rows, 0, "registers") == about(4 * 4 + 4 + 4 + 8 * (64 + 64) / 256 + 32));
    CHECK(number(rows, 0, "resident_by_threads") == about(8));     // 2048 / 256
    CHECK(number(rows, 0, "resident_by_registers") == about(4));   // 65536 / (60 * 256) = 4.27
    CHECK(number(rows, 0, "resident_by_shared") == about(31));     // 167936 / 5376 = 31.2
    CHECK(ratio(rows, 0, "occupancy") == about(4 * 256 / 2048.0)); // 32 warps of 64
    CHECK(ratio(rows, 0, "waves") == about(64 / (4 * 108.0)));
    CHECK(ratio(rows, 0, "idle_in_waves") == about(4 * 108.0 / 64));
    CHECK(column(rows, 0, "tensor_cores") == 0);
}

TEST_CASE("stages have more tiles in shared memory and on their way, and registers from three on")
{
    device_program p = squares_of_64();
    // Of A, B and C: A runs along the depth, which its tile does not.
    struct wanted {
        std::int64_t stages;
        double shared_bytes, on_the_way, registers, load_of_a;
    };
    constexpr double tiles = 8 * (64 + 4) * 4 * 2;
    constexpr double numbers = 8 * (64 + 64) * 4;
    constexpr double sums = 4 * 4 + 4 + 4 + 32;
    for (wanted const& want :
         {wanted{1, tiles, numbers, sums + 4, 16}, wanted{2, 2 * tiles, numbers, sums + 4, 16},
          wanted{3, 3 * tiles, 2 * numbers, sums, 4}, wanted{4, 4 * tiles, 3 * numbers, sums, 4}}) {
        CAPTURE(want.stages);
        p.stages = want.stages;
        attune::program_rows const rows = attune::device_features_of(p);
        CHECK(number(rows, 0, "stages") == about(want.stages));
        CHECK(column(rows, 0, "asynchronous") == (want.stages > 2 ? 1 : 0));
        CHECK(number(rows, 0, "shared_bytes") == about(want.shared_bytes));
        CHECK(number(rows, 0, "bytes_on_the_way") == about(want.on_the_way));
        CHECK(number(rows, 0, "registers") == about(want.registers));
        CHECK(number(rows, 0, "resident_by_shared") ==
              about(std::floor(164 * 1024 / (want.shared_bytes + 1024))));
        double of_a = 0, of_b = 0, of_result = 0;
        for (std::string const access : {"access0_", "access1_", "access2_"}) {
            double const load = number(rows, 0, access + "load_bytes");
            bool const is_write = column(rows, 0, access + "write") == 1;
            bool const is_of_rows = column(rows, 0, access + "of_rows") == 1;
            CHECK(column(rows, 0, access + "copied") == (want.stages > 2 && !is_write ? 1 : 0));
            (is_write ? of_result : is_of_rows ? of_a : of_b) = load;
        }
        CHECK(of_a == about(want.load_of_a));
        CHECK(of_b == about(16));
        CHECK(of_result == about(16));
    }
    p.block_depth = 32;
    p.nest.axes[2].extent.constant = 64; // two tiles of the depth: one is on its way at most
    CHECK(number(attune::device_features_of(p), 0, "bytes_on_the_way") == about(4 * numbers));
}

TEST_CASE("elements of less than 4 bytes are copied asynchronously in packs of 4 bytes or more")
{
    using enum attune::element_type;
    auto const of_columns = [](attune::element_type element, std::int64_t vector) {
        attune::element_type const sum = element == i8 ? i32 : f32;
        device_program p = drawn(support::with_elements(support::matmul(64, 64, 64), element, sum));
        p.uses_tensor_cores = false;
        p.block_columns = 64;
        p.stages = 3;
        p.padding = 8;
        p.vector = vector;
        attune::program_rows const rows = attune::device_features_of(p);
        for (std::string const access : {"access0_", "access1_", "access2_"})
            if (column(rows, 0, access + "line_bytes") > 0 &&
                column(rows, 0, access + "of_rows") == 0)
                return std::pair{std::round(number(rows, 0, access + "load_bytes")),
                                 column(rows, 0, access + "copied") == 1};
        return std::pair{0.0, false};
    };
    using load = std::pair<double, bool>;
    CHECK(of_columns(f16, 1) == load{2, false});
    CHECK(of_columns(f16, 2) == load{4, true});
    CHECK(of_columns(f16, 8) == load{16, true});
    CHECK(of_columns(i8, 2) == load{1, false});
    CHECK(of_columns(i8, 4) == load{4, true});
    CHECK(of_columns(f32, 1) == load{4, true});
}

TEST_CASE("results are stored, and tiles read, in packs as far as threads have neighbours")
{
    auto const packs = [](attune::nest_description const& nest, std::int64_t columns,
                          std::int64_t padding, bool is_tensor = false) {
        device_program p = drawn(nest);
        p.block_rows = p.block_columns = 64;
        p.block_depth = 16;
        p.thread_rows = 4;
        p.thread_columns = columns;
        p.padding = padding;
        p.uses_tensor_cores = is_tensor;
        attune::program_rows const rows = attune::device_features_of(p);
        std::size_t const last = rows.count() - 1;
        double store = 0;
        for (int a = 0; a < 5; ++a) {
            std::string const access = "access" + std::to_string(a) + '_';
            if (column(rows, last, access + "write") == 1)
                store = number(rows, last, access + "load_bytes");
        }
        double read = 0;
        for (int a = 0; a < 5; ++a) {
            std::string const access = "access" + std::to_string(a) + '_';
            if (column(rows, 0, access + "line_bytes") > 0 &&
                column(rows, 0, access + "of_rows") == 0)
                read = number(rows, 0, access + "tile_load_bytes");
        }
        return std::pair{std::round(store), std::round(read)};
    };
    using both = std::pair<double, double>;
    using enum attune::element_type;
    CHECK(packs(support::matmul(64, 64, 64), 4, 0) == both{16, 16});
    CHECK(packs(support::matmul(64, 64, 64), 8, 4) == both{16, 16});
    CHECK(packs(support::matmul(64, 64, 64), 2, 4) == both{8, 8});
    CHECK(packs(support::matmul(64, 64, 64), 4, 1) == both{4, 4}); // lines begin anywhere
    CHECK(packs(support::matmul(64, 62, 64), 4, 0) == both{8, 16});
    CHECK(packs(support::matmul(64, 63, 64), 4, 0) == both{4, 16});
    CHECK(packs(support::matmul(64, 64, 64, true), 4, 0) == both{4, 16}); // adds to what is there
    CHECK(packs(support::matmul_of_inputs(), 4, 0) == both{4, 16});
    CHECK(packs(support::dense_gelu(64, 64, 64), 4, 0) == both{16, 16});
    attune::nest_description kept = support::dense_gelu(64, 64, 64);
    kept.arrays[2].role = attune::nest_role::written; // two results: no packs
    CHECK(packs(kept, 4, 0) == both{4, 16});
    // A thread has two neighbours of each result of a matrix instruction, which reads lines.
    CHECK(packs(support::with_elements(support::matmul(64, 64, 64), f16, f32), 4, 8, true) ==
          both{8, 16});
    CHECK(packs(support::with_elements(support::matmul(64, 64, 64), f16, f16), 4, 8, true) ==
          both{4, 16});
}

TEST_CASE("blocks, threads and shared memory are those of the launch")
{
    using enum attune::element_type;
    for (auto const& nest :
         {support::matmul(37, 29, 21),
          support::with_elements(support::matmul(64, 64, 64), f16, f32),
          support::batched_int8(3, 17, 19, 23), support::convolution(9, 3, 20, 3, 2, 1),
          support::softmax(50, 67), support::softmax(5, 4096), support::sums_of_both(70, 45),
          support::shares(9, 50), support::depthwise(6, 5), shares_of_matrices(5, 6, 7)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(7);
        for (int n = 0; n < 30; ++n) {
            attune::point const at = space.sample(draw);
            device_program const p = derived.schedule(at);
            auto const launched = [&](std::uint32_t node) {
                if (node == attune::no_index) return 0.0; // no shared memory
                auto const value = attune::detail::evaluator{derived.describe()}.value(node, at);
                REQUIRE(value);
                return value->as_real();
            };
            attune::program_rows const rows = attune::device_features_of(p);
            // Warps of a group exchange numbers in an array of 512 bytes.
            bool const exchanges = p.form == attune::device_form::rows && p.lanes > 32;
            CHECK(number(rows, 0, "blocks") == about(launched(derived.blocks())));
            CHECK(number(rows, 0, "threads") == about(launched(derived.threads())));
            CHECK(number(rows, 0, "shared_bytes") ==
                  about(launched(derived.shared_bytes()) + (exchanges ? 512 : 0)));
        }
    }
}

TEST_CASE(
    "the space has the configurations whose predicted registers a thread and a block may have")
{
    using enum attune::element_type;
    for (auto const& nest : {support::matmul(64, 64, 32),
                             support::with_elements(support::matmul(32, 64, 64), f16, f32)}) {
        attune::device_space const derived(nest);
        attune::chain_of_trees const space(derived.describe());
        bool const has_tensor = derived.describe().find_parameter("TENSOR") != attune::no_index;
        auto const key = [](device_program const& p) {
            return std::vector{p.block_rows,     p.block_columns, p.block_depth, p.thread_rows,
                               p.thread_columns, p.vector,        p.padding,     p.stages};
        };
        std::set<std::vector<std::int64_t>> in_space;
        device_program p;
        for (std::uint64_t i = 0; i < *space.size(); ++i) {
            p = derived.schedule(space.at(i));
            if (p.uses_tensor_cores == has_tensor) in_space.insert(key(p));
        }
        p.uses_tensor_cores = has_tensor;
        std::set<std::vector<std::int64_t>> want;
        std::int64_t const wide = has_tensor ? 8 : 4;
        std::int64_t const rows = nest.axes[0].extent.constant;
        std::int64_t const deep = nest.axes[2].extent.constant;
        for (p.block_rows = 16; p.block_rows <= rows; p.block_rows *= 2)
            for (p.block_columns = 16; p.block_columns <= 64; p.block_columns *= 2)
                for (p.block_depth = 4; p.block_depth <= deep; p.block_depth *= 2)
                    for (p.thread_rows = 1; p.thread_rows <= 16; p.thread_rows *= 2)
                        for (p.thread_columns = 1; p.thread_columns <= 16; p.thread_columns *= 2)
                            for (p.vector = 1; p.vector <= wide; p.vector *= 2)
                                for (std::int64_t const padding : {0, has_tensor ? 8 : 1, 4})
                                    for (p.stages = 1; p.stages <= 4; ++p.stages) {
                                        p.padding = padding;
                                        if (may_be_launched(p)) want.insert(key(p));
                                    }
        CHECK(in_space.size() > 1000);
        CHECK(in_space == want);
    }
}

TEST_CASE("what a block with matrix instructions takes, by hand")
{
    using attune::element_type;
    device_program p = drawn(support::with_elements(support::matmul_of_lines(256, 128, 64, false),
                                                    element_type::f16, element_type::f32));
    p.uses_tensor_cores = true;
    p.block_rows = p.block_columns = 64;
    p.block_depth = 16;
    p.thread_rows = p.thread_columns = 4;
    p.vector = p.padding = 8;
    p.stages = 1;
    attune::program_rows const rows = attune::device_features_of(p);
    CHECK(column(rows, 0, "tensor_cores") == 1);
    CHECK(number(rows, 0, "threads") == about(256)); // 8 warps of 32 x 16 numbers
    CHECK(number(rows, 0, "blocks") == about(4 * 2));
    // Tiles have a line per row or column: 16 steps, and the padding.
    CHECK(number(rows, 0, "shared_bytes") == about(2 * 64 * (16 + 8) * 2));
    // Access 0 is that of the result, which has the most bytes.
    CHECK(number(rows, 0, "access1_line_bytes") == about((16 + 8) * 2));
    CHECK(number(rows, 0, "access1_load_bytes") == about(16));
    CHECK(column(rows, 0, "access1_along_depth") == 1);
    // Sums; fragments of 32 rows and 16 columns; what is on its way, 2 in each word; addresses.
    CHECK(number(rows, 0, "registers") == about(4 * 4 + 8 + 4 + 16 * (64 + 64) / 256 / 2 + 32));
    p.stages = 3; // the next step's fragments are loaded meanwhile, and tiles past registers
    CHECK(number(attune::device_features_of(p), 0, "registers") == about(4 * 4 + 2 * (8 + 4) + 32));
    p.stages = 1;
    p.block_depth = 4; // elements of a load are no more than the steps of a tile
    CHECK(number(attune::device_features_of(p), 0, "access1_load_bytes") == about(8));
}

TEST_CASE("loads are as wide as the sizes allow, constant or given")
{
    auto const bytes_of_load = [](attune::nest_description const& nest,
                                  std::vector<std::int64_t> const& inputs) {
        device_program p = drawn(nest);
        p.vector = 4;
        p.stages = 1;
        attune::program_rows const rows = attune::device_features_of(p, inputs);
        std::multiset<double> out;
        for (int a = 0; a < 5; ++a) {
            std::string const access = "access" + std::to_string(a) + '_';
            if (column(rows, 0, access + "line_bytes") > 0) // an operand, in a tile
                out.insert(std::round(number(rows, 0, access + "load_bytes")));
        }
        return out;
    };
    using both = std::multiset<double>;
    CHECK(bytes_of_load(support::matmul(64, 64, 32), {}) == both{16, 16});
    CHECK(bytes_of_load(support::matmul(64, 64, 30), {}) == both{8, 16});
    CHECK(bytes_of_load(support::matmul(37, 29, 21), {}) == both{4, 4});
    CHECK(bytes_of_load(support::matmul_of_inputs(), {64, 32, 16}) == both{16, 16});
    CHECK(bytes_of_load(support::matmul_of_inputs(), {64, 32, 18}) == both{4, 16});
    CHECK(bytes_of_load(support::matmul_of_inputs(), {}) == both{16, 16}); // 1024 each
}

TEST_CASE("each configuration of a device's space has rows, of equal width for all programs")
{
    std::vector<std::string> const names = attune::device_feature_names();
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    for (auto const& nest :
         {support::matmul_of_inputs(), support::softmax(5, 67),
          support::convolution(9, 3, 20, 3, 2, 1), support::batched_int8(3, 17, 19, 23)}) {
        CAPTURE(nest.name);
        attune::device_space const derived(nest);
        std::vector<attune::input_value> values;
        std::vector<std::int64_t> inputs;
        for (attune::nest_input const& input : nest.inputs) {
            inputs.push_back(40 + static_cast<std::int64_t>(inputs.size()));
            values.emplace_back(input.name, attune::number::of(inputs.back()));
        }
        attune::description const bound = attune::bind_inputs(derived.describe(), values);
        CHECK(bound.row_names == names);
        attune::chain_of_trees const space(bound);
        attune::random_engine draw(9);
        std::set<std::vector<double>> seen;
        for (int n = 0; n < 20; ++n) {
            attune::point const at = space.sample(draw);
            attune::program_rows const rows = bound.rows(bound, at);
            CHECK(rows.width == names.size());
            CHECK(rows == attune::device_features_of(derived.schedule(at), inputs));
            for (double const v : rows.values)
                CHECK(std::isfinite(v));
            seen.insert(rows.values);
        }
        CHECK(seen.size() > 10); // configurations differ in their rows
    }
}
