// tests/space/schedule/program_features.cpp - features beside loops that are run, one iteration after the other.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/program_features.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/feature_row.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/metaschedule.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/transform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "../../support/nest_examples.hpp"

namespace {

/// What the iterations of a block do to its arrays; extents are constants.
class iterations {
public:
    explicit iterations(attune::loop_program const& program)
        : program_(program)
        , at_(program.nest.axes.size(), 0)
    {
        std::vector<std::int64_t> left;
        for (auto const& axis : program.nest.axes)
            left.push_back(axis.extent.constant);
        run(program.body, left);
    }

    struct array_use {
        std::set<std::int64_t> elements;
        std::set<std::int64_t> lines;
    };
    struct block_use {
        std::int64_t trips = 0;
        std::map<std::uint32_t, array_use> arrays;
    };
    std::map<std::uint32_t, block_use> blocks;

private:
    void run(std::vector<attune::program_item> const& items, std::vector<std::int64_t> const& left)
    {
        for (auto const item : items) {
            if (item.kind == attune::item_kind::loop)
                run_loop(program_.loops[item.index], 0, left, left);
            if (item.kind == attune::item_kind::block) run_block(item.index);
        }
    }
    void run_loop(attune::program_loop const& loop, std::size_t which,
                  std::vector<std::int64_t> const& outer, std::vector<std::int64_t> inner)
    {
        if (which == loop.over.size()) {
            run(loop.body, inner);
            return;
        }
        auto const [axis, step] = loop.over[which];
        std::int64_t const begin = at_[axis];
        for (std::int64_t v = 0; v < outer[axis]; v += step) {
            at_[axis] = begin + v;
            inner[axis] = std::min(step, outer[axis] - v);
            run_loop(loop, which + 1, outer, inner);
        }
        at_[axis] = begin;
    }
    void touch(block_use& use, attune::nest_access const& access)
    {
        auto const& array = program_.nest.arrays[access.array];
        std::int64_t position = 0;
        for (std::size_t d = 0; d < access.at.size(); ++d) {
            std::int64_t index = access.at[d].offset;
            for (auto const& term : access.at[d].terms)
                index += term.factor * at_[term.axis];
            if (index < 0 || index >= array.extents[d].constant) return;
            position = position * array.extents[d].constant + index;
        }
        use.arrays[access.array].elements.insert(position);
        use.arrays[access.array].lines.insert(position / 16);
    }
    void run_block(std::uint32_t block)
    {
        block_use& use = blocks[block];
        ++use.trips;
        auto const& statement = program_.nest.statements[program_.blocks[block].statement];
        touch(use, statement.target);
        for (std::uint32_t const a : attune::detail::accesses_of(program_.nest, statement))
            touch(use, program_.nest.accesses[a]);
    }

    attune::loop_program const& program_;
    std::vector<std::int64_t> at_;
};

std::size_t column(std::string const& name)
{
    static std::vector<std::string> const names = attune::program_feature_names();
    auto const found = std::find(names.begin(), names.end(), name);
    REQUIRE_MESSAGE(found != names.end(), name);
    return static_cast<std::size_t>(found - names.begin());
}

double scaled(double x) { return std::log2(x + 1); }

/// The column of all accesses of a row, ascending.
std::vector<double> of_accesses(std::span<double const> row, std::string const& what, std::size_t n)
{
    std::vector<double> out;
    for (std::size_t a = 0; a < n; ++a)
        out.push_back(row[column("access" + std::to_string(a) + "_" + what)]);
    std::sort(out.begin(), out.end());
    return out;
}

/// Trips, elements and lines of a program of one block without buffers.
void check_touches(attune::loop_program const& program)
{
    iterations const run(program);
    attune::program_rows const rows = attune::features_of(program);
    REQUIRE(rows.count() == 1);
    auto const& use = run.blocks.begin()->second;
    auto const row = rows.row(0);
    CHECK(row[column("trips")] == doctest::Approx(scaled(static_cast<double>(use.trips))));
    std::vector<double> bytes;
    std::vector<double> lines;
    for (auto const& [array, touched] : use.arrays) {
        bytes.push_back(scaled(4.0 * static_cast<double>(touched.elements.size())));
        lines.push_back(scaled(static_cast<double>(touched.lines.size())));
    }
    std::sort(bytes.begin(), bytes.end());
    std::sort(lines.begin(), lines.end());
    auto const said_bytes = of_accesses(row, "unique_bytes", bytes.size());
    auto const said_lines = of_accesses(row, "unique_lines", lines.size());
    for (std::size_t a = 0; a < bytes.size(); ++a) {
        CHECK(said_bytes[a] == doctest::Approx(bytes[a]));
        CHECK(said_lines[a] == doctest::Approx(lines[a]));
    }
}

attune::loop_program tiled(attune::nest_description const& nest, std::int64_t rows,
                           std::int64_t columns)
{
    attune::loop_program p = attune::plain_program(nest);
    auto const block = attune::blocks_inside(p, attune::no_index).front();
    auto const path = attune::loops_around(p, {attune::item_kind::block, block});
    auto const i1 = attune::split_loop(p, path[0], rows);
    auto const j1 = attune::split_loop(p, path[1], columns);
    attune::reorder_loops(p, {path[1], path[0], path[2], i1, j1});
    return p;
}

attune::chain_of_trees space_of(attune::derived_space const& derived)
{
    return attune::chain_of_trees(derived.describe());
}

} // namespace

TEST_CASE("trips, bytes and lines are those of the iterations")
{
    check_touches(attune::plain_program(support::matmul(12, 32, 16)));
    check_touches(tiled(support::matmul(13, 32, 7), 5, 10));
    check_touches(tiled(support::matmul(16, 48, 16), 3, 16));
    check_touches(attune::plain_program(support::convolution(8, 4, 16, 3, 1, 1)));
    check_touches(attune::plain_program(support::convolution(9, 3, 16, 3, 2, 1)));
    check_touches(attune::plain_program(support::depthwise(6, 16)));
}

TEST_CASE("loops touch by one access what their iterations touch, at every level")
{
    // Indices f a + g b over small ranges, exact sets against values_of_terms().
    for (std::int64_t f = 1; f <= 4; ++f)
        for (std::int64_t g = 1; g <= 4; ++g)
            for (std::int64_t a = 1; a <= 4; ++a)
                for (std::int64_t b = 1; b <= 4; ++b) {
                    std::set<std::int64_t> values;
                    for (std::int64_t x = 0; x < a; ++x)
                        for (std::int64_t y = 0; y < b; ++y)
                            values.insert(f * x + g * y);
                    std::vector<attune::detail::site_term> const terms{{f, 0}, {g, 1}};
                    std::vector<std::int64_t> const counts{a, b};
                    auto const said = attune::detail::values_of_terms(terms, counts);
                    CHECK(said.span == *values.rbegin() + 1);
                    auto const exact = static_cast<std::int64_t>(values.size());
                    CHECK(said.count >= exact);
                    bool const is_unit =
                        f == 1 || g == 1 || a == 1 || b == 1 || f % g == 0 || g % f == 0;
                    if (is_unit) CHECK(said.count == exact);
                }
}

TEST_CASE("operations, vectors, unrolled loops and reuse of a register tile")
{
    attune::loop_program p = tiled(support::matmul(12, 32, 16), 4, 8);
    auto const block = attune::blocks_inside(p, attune::no_index).front();
    auto const path = attune::loops_around(p, {attune::item_kind::block, block});
    attune::cache_write(p, block, path[1], true);
    attune::unroll(p, path[3]);
    attune::vectorize(p, path[4]);
    attune::processor_shape avx2;
    attune::program_rows const rows = attune::features_of(p, avx2);
    REQUIRE(rows.count() == 3); // begin, the product, store
    double const trips = 12 * 32 * 16;
    auto const row = rows.row(1);
    CHECK(row[column("real_multiply_add")] == doctest::Approx(scaled(trips)));
    CHECK(row[column("real_multiply")] == 0);
    CHECK(row[column("vector_length")] == doctest::Approx(scaled(8)));
    CHECK(row[column("vector_inner_spatial")] == 1);
    CHECK(row[column("unrolled_product")] == doctest::Approx(scaled(4)));
    CHECK(row[column("parallel_nowhere")] == 1);
    CHECK(row[column("vector_trips")] == doctest::Approx(scaled(trips / 8)));
    CHECK(row[column("in_registers")] == 1);
    CHECK(row[column("allocated_bytes")] == doctest::Approx(scaled(4 * 8 * 4)));
    CHECK(row[column("allocated_bytes_of_all")] == doctest::Approx(scaled(12 * 32 * 4)));
    CHECK(row[column("registers")] == doctest::Approx(std::log2(4.0 / 16)));
    CHECK(row[column("tails")] == 0);
    // The tile stays while the depth runs: 16 times, 32 iterations apart.
    CHECK(row[column("access0_read_write")] + row[column("access1_read_write")] +
              row[column("access2_read_write")] ==
          1);
    for (std::size_t a = 0; a < 3; ++a) {
        std::string const one = "access" + std::to_string(a) + "_";
        if (row[column(one + "read_write")] != 1) continue;
        CHECK(row[column(one + "reused_by_loop")] == 1);
        CHECK(row[column(one + "reuse_count")] == doctest::Approx(scaled(16)));
        CHECK(row[column(one + "reuse_distance")] == doctest::Approx(scaled(32)));
        CHECK(row[column(one + "stride")] == doctest::Approx(scaled(1)));
    }
    auto const store = rows.row(2);
    CHECK(store[column("is_store")] == 1);
    CHECK(store[column("trips")] == doctest::Approx(scaled(12 * 32)));
    CHECK(store[column("real_multiply_add")] == 0);
    CHECK(store[column("vector_length")] == doctest::Approx(scaled(8)));
}

TEST_CASE("packed panels are stored once per element, and read without a stride")
{
    attune::loop_program p = tiled(support::matmul(12, 32, 16), 4, 8);
    auto const block = attune::blocks_inside(p, attune::no_index).front();
    auto const path = attune::loops_around(p, {attune::item_kind::block, block});
    attune::cache_read(p, block, 1, path[0], attune::copy_form::axes);
    attune::program_rows const rows = attune::features_of(p);
    REQUIRE(rows.count() == 2);
    CHECK(rows.row(0)[column("is_load")] == 1);
    CHECK(rows.row(0)[column("trips")] == doctest::Approx(scaled(16 * 32)));
    CHECK(rows.row(0)[column("allocated_bytes")] == doctest::Approx(scaled(4 * 16 * 8)));
    CHECK(rows.row(1)[column("is_block")] == 1);
}

TEST_CASE("tails count what they do: a split of 13 by 5 has 13 iterations, not 15")
{
    auto const row = attune::features_of(tiled(support::matmul(13, 32, 7), 5, 10));
    CHECK(row.row(0)[column("tails")] == doctest::Approx(std::log2(15.0 * 40 / (13.0 * 32))));
}

TEST_CASE("every configuration of a program's space has rows of one width, all finite")
{
    std::size_t const width = attune::program_feature_names().size();
    for (auto const& nest :
         {support::matmul(64, 96, 40), support::matmul_of_inputs(),
          support::convolution(14, 16, 32, 3, 1, 1), support::dense_gelu(32, 64, 48),
          support::softmax(48, 64), support::argmax(16, 32)}) {
        attune::derived_space const derived(nest);
        attune::chain_of_trees const space = space_of(derived);
        attune::random_engine draw(1);
        std::set<std::vector<double>> different;
        for (int i = 0; i < 40; ++i) {
            attune::point const at = space.sample(draw);
            attune::program_rows const rows = space.describe().rows(space.describe(), at);
            CHECK(rows.width == width);
            CHECK(rows.count() >= 1);
            CHECK(std::all_of(rows.values.begin(), rows.values.end(),
                              [](double v) { return std::isfinite(v); }));
            CHECK(rows == attune::features_of(derived.schedule(at).program));
            different.insert(rows.values);
        }
        if (space.size().value_or(1000) >= 1000) CHECK(different.size() > 10);
    }
}

TEST_CASE("extents by inputs count as the description says, and as 1024 where it says nothing")
{
    auto const nest = support::matmul_of_inputs();
    attune::loop_program const p = attune::plain_program(nest);
    std::vector<std::int64_t> const given{12, 32, 16};
    auto const rows = attune::features_of(p, attune::this_processor(), given);
    CHECK(rows.row(0)[column("trips")] == doctest::Approx(scaled(12 * 32 * 16)));
    auto const unknown = attune::features_of(p);
    CHECK(unknown.row(0)[column("trips")] == doctest::Approx(scaled(std::pow(1024.0, 3))));
    attune::description in;
    for (std::size_t i = 0; i < nest.inputs.size(); ++i)
        in.inputs.push_back(
            {nest.inputs[i].name, attune::value_kind::integer, attune::number::of(given[i])});
    CHECK(attune::inputs_of_nest(nest, in) == given);
    CHECK(attune::inputs_of_nest(nest, {}) == std::vector<std::int64_t>(nest.inputs.size(), 0));
}

TEST_CASE("designs of MetaSchedule have rows too")
{
    for (auto const& design : attune::metaschedule_designs(support::matmul(64, 64, 64))) {
        attune::chain_of_trees const space(design.space);
        attune::random_engine draw(1);
        attune::point const at = space.sample(draw);
        CHECK(space.describe().rows(space.describe(), at) ==
              attune::features_of(design.schedule(at).program));
    }
}

TEST_CASE("names of features differ")
{
    auto const names = attune::program_feature_names();
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("rows of a program in slices are those of all its slices")
{
    attune::loop_program const whole = attune::plain_program(support::matmul(12, 40, 130));
    attune::loop_program cut = whole;
    attune::slice_program(cut, 0, 3, true);
    attune::program_rows const of_whole = attune::features_of(whole);
    attune::program_rows const of_slices = attune::features_of(cut);
    REQUIRE(of_slices.count() == of_whole.count());
    auto const row = of_slices.row(0);
    for (std::string const name : {"trips", "real_multiply_add", "allocated_bytes"}) {
        INFO(name);
        CHECK(row[column(name)] == of_whole.row(0)[column(name)]);
    }
    for (char const* const what : {"bytes", "unique_bytes", "unique_lines"})
        CHECK(of_accesses(row, what, 3) == of_accesses(of_whole.row(0), what, 3));
    CHECK(row[column("parallel_product")] == doctest::Approx(scaled(4)));
    CHECK(row[column("loops")] == doctest::Approx(scaled(4)));
}
