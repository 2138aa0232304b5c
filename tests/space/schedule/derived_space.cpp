// tests/space/schedule/derived_space.cpp - what the default rules derive.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/derived_space.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/trace.hpp>
#include <attune/space/schedule/transform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/nest_examples.hpp"

namespace {

attune::processor_shape avx512() { return {.vector_bytes = 64, .vector_registers = 32}; }

attune::schedule_choices defaults(attune::description const& space)
{
    attune::schedule_choices out;
    for (auto const& parameter : space.parameters)
        out.all.push_back({parameter.name, *parameter.default_text});
    return out;
}

/// Number of slices that a value of SLICES makes.
std::size_t derived_slices(attune::derived_space const& of, std::string const& label)
{
    attune::schedule_choices chosen = defaults(of.describe());
    chosen.all[of.describe().find_parameter("SLICES")].value = label;
    return of.schedule(chosen).program.slices.size();
}

} // namespace

TEST_CASE("one rule makes register tiles of products, convolutions and depthwise convolutions")
{
    for (auto const& nest :
         {support::matmul(512, 512, 512), support::matmul_of_inputs(),
          support::batched_int8(12, 128, 128, 64), support::convolution(56, 64, 64, 3, 1, 1),
          support::convolution(224, 3, 64, 7, 2, 3), support::depthwise(112, 32),
          support::dense_gelu(128, 3072, 768)}) {
        attune::derived_space const derived(nest, avx512());
        CHECK(derived.rule_names() == std::vector<std::string>{"product"});
        attune::description const& space = derived.describe();
        auto const rows = space.find_parameter("ROWS");
        auto const vectors = space.find_parameter("VECTORS");
        REQUIRE(rows != attune::no_index);
        attune::chain_of_trees const all(space);
        REQUIRE(all.size().has_value());
        attune::random_engine draw(3);
        for (int i = 0; i < 50; ++i) {
            attune::point const at = all.sample(draw);
            auto const r = space.parameters[rows].integer_at(at[rows].index);
            auto const v = space.parameters[vectors].integer_at(at[vectors].index);
            CHECK(r * v + v <= 31); // one register holds the factor
            CHECK(r * v >= 10);
            CHECK(!derived.schedule(at).trace.empty());
        }
        // The defaults are a configuration.
        attune::point first;
        for (auto const& parameter : space.parameters)
            first.push_back(*attune::coordinate_of(parameter, *parameter.default_text));
        CHECK(all.contains(first));
        CHECK(!derived.schedule(defaults(space)).trace.empty());
    }
}

TEST_CASE("statements of rows are fused into one loop over rows")
{
    attune::derived_space const derived(support::softmax(1536, 128), avx512());
    CHECK(derived.rule_names() == std::vector<std::string>{"rows"});
    CHECK(derived.schedule(defaults(derived.describe())).program.body.size() == 1);
}

TEST_CASE("a rule of the user's own stands before the default ones")
{
    attune::schedule_rule own;
    own.name = "own";
    own.applies = [](attune::rule_subject const&) { return true; };
    own.declare = [](attune::rule_subject const& subject, attune::space_builder& space) {
        space.ordinal(subject.prefix + "PART", {2, 4}, 2);
    };
    own.schedule = [](attune::rule_subject const& subject, attune::schedule_choices const& chosen,
                      attune::traced_program& p) {
        auto const loops =
            attune::loops_around(p.program, {attune::item_kind::block, subject.statements.front()});
        p.apply(attune::schedule_action::split, {loops.front(), chosen.number("PART")});
    };
    std::vector<attune::schedule_rule> rules{own};
    attune::derived_space const derived(support::matmul(8, 8, 8), avx512(), rules);
    CHECK(derived.describe().parameters.size() == 1);
    CHECK(attune::text_of(derived.schedule(defaults(derived.describe())).trace) == "split 0 2\n");
    CHECK_THROWS_AS(attune::derived_space(support::matmul(8, 8, 8), avx512(), {}), attune::error);
    CHECK_THROWS_AS((void)derived.schedule(attune::schedule_choices{}), attune::error);
}

TEST_CASE("the space of a product has each configuration that counts once")
{
    for (auto const& nest :
         {support::matmul(12, 40, 130), support::convolution(6, 4, 16, 3, 1, 1)}) {
        attune::derived_space const derived(nest, avx512());
        attune::chain_of_trees const all(derived.describe());
        attune::description const& space = all.describe();
        // Every combination of values that satisfies the constraints, inactive ones at their
        // default.
        std::vector<std::uint32_t> places(space.parameters.size(), 0);
        std::uint64_t count = 0;
        std::uint64_t tried = 0;
        for (bool more = true; more;) {
            attune::point at;
            for (std::uint32_t const place : places)
                at.push_back({place, 0});
            ++tried;
            bool counts = true;
            for (std::size_t p = 0; p < places.size(); ++p)
                counts = counts && (attune::detail::is_active(space, p, at) ||
                                    at[p] == space.parameters[p].active.otherwise);
            if (counts && all.contains(at)) ++count;
            more = false;
            for (std::size_t p = 0; p < places.size() && !more; ++p) {
                more = ++places[p] < space.parameters[p].value_count();
                if (!more) places[p] = 0;
            }
        }
        CHECK(static_cast<std::uint64_t>(all.size().value()) == count);
        CHECK(tried > count);
    }
}

TEST_CASE("two cache tiles never both leave the second cache, and none the third")
{
    attune::processor_shape small = avx512();
    small.l2_bytes = 64 << 10;
    small.l3_bytes = 512 << 10;
    attune::derived_space const derived(support::matmul(1024, 1024, 1024), small);
    attune::description const& space = derived.describe();
    attune::chain_of_trees const all(space);
    attune::chain_of_trees const larger(
        attune::derived_space(support::matmul(1024, 1024, 1024), avx512()).describe());
    CHECK(all.size().value() < larger.size().value());
    attune::random_engine draw(9);
    std::int64_t most = 0;
    for (int i = 0; i < 400; ++i) {
        auto const chosen = choices_of(space, all.sample(draw));
        auto const bytes = [&](std::int64_t unit, std::int64_t tiles) -> std::int64_t {
            return tiles == 1
                       ? 0
                       : 4 * std::min<std::int64_t>(1024, unit * tiles) * chosen.number("DEPTH");
        };
        std::int64_t const rows = bytes(chosen.number("ROWS"), chosen.number("ROW_TILES"));
        std::int64_t const columns =
            bytes(16 * chosen.number("VECTORS"), chosen.number("COLUMN_TILES"));
        CHECK(std::min(rows, columns) <= 2 * small.l2_bytes);
        CHECK(std::max(rows, columns) <= 2 * small.l3_bytes);
        most = std::max({most, rows, columns});
    }
    CHECK(most > small.l2_bytes);
}

TEST_CASE("results larger than the last cache, which nothing reads, may be stored past the caches")
{
    attune::processor_shape small = avx512();
    small.l3_bytes = 64 * 96 * 4; // of 64 rows of 96 floats
    auto const has_stores = [](attune::derived_space const& derived) {
        return derived.describe().find_parameter("STORES") != attune::no_index;
    };
    CHECK(!has_stores(attune::derived_space(support::softmax(64, 96), small)));
    CHECK(!has_stores(attune::derived_space(support::softmax(64, 96), avx512())));
    attune::nest_description read_again = support::softmax(65, 96);
    attune::nest_access again = read_again.statements.back().target;
    read_again.accesses.push_back(again);
    CHECK(!has_stores(attune::derived_space(read_again, small)));

    attune::derived_space const derived(support::softmax(65, 96), small);
    REQUIRE(has_stores(derived));
    attune::description const& space = derived.describe();
    attune::chain_of_trees const all(space);
    std::uint32_t const lanes = space.find_parameter("LANES");
    std::uint32_t const stores = space.find_parameter("STORES");
    int streamed = 0;
    int cached = 0;
    int inactive = 0;
    auto const size = static_cast<std::uint64_t>(*all.size());
    for (std::uint64_t i = 0; i < size; ++i) {
        attune::point const at = all.at(i);
        std::string const text = attune::text_of(space, at);
        bool const wants = text_of(space.parameters[stores], at[stores]) == "streamed";
        bool const has_lanes = space.parameters[lanes].integer_at(at[lanes].index) > 1;
        attune::traced_program const made = derived.schedule(at);
        for (std::size_t block = 0; block < made.program.blocks.size(); ++block)
            CHECK_MESSAGE(made.program.blocks[block].is_streamed ==
                              (wants && has_lanes && block + 1 == made.program.blocks.size()),
                          text);
        CHECK(attune::text_of(attune::read_trace(attune::text_of(made.trace))) ==
              attune::text_of(made.trace));
        attune::loop_program const again_made =
            attune::replay_trace(support::softmax(65, 96), made.trace);
        CHECK(again_made.blocks.back().is_streamed == made.program.blocks.back().is_streamed);
        ++(!has_lanes ? inactive : wants ? streamed : cached);
    }
    CHECK(streamed > 0);
    CHECK(streamed == cached);
    CHECK(inactive == 4); // UNROLL alone
}

TEST_CASE("products of a graph have tiles, rows between them one loop, and slices hold them all")
{
    attune::derived_space const derived(support::attention(8, 128, 64), avx512());
    CHECK(derived.rule_names() == std::vector<std::string>{"product", "rows", "product"});
    attune::description const& space = derived.describe();
    attune::schedule_choices chosen = defaults(space);
    CHECK(chosen.text("SLICES") == "h");
    CHECK(chosen.number("S_ROWS") > 1);
    CHECK(chosen.number("O_ROWS") > 1);
    attune::loop_program const sliced = derived.schedule(chosen).program;
    REQUIRE(sliced.slices.size() == 1);
    // Scores, sums of the rows, and the result: three nests of loops in each slice.
    CHECK(sliced.body.size() == 3);
    CHECK(sliced.nest.arrays[3].extents.front() == attune::nest_extent{1, attune::no_index});
    for (auto const& label : space.parameters[space.find_parameter("SLICES")].labels) {
        chosen.all[space.find_parameter("SLICES")].value = label;
        std::size_t const count = derived.schedule(chosen).program.slices.size();
        CHECK(count == (label == "none" ? 0U : label == "h" ? 1U : 2U));
    }
}

TEST_CASE("a statement whose axes are others of a product's is scheduled beside the product")
{
    // Y = f(T), T[i][j] = sum of A[i][k] B[k][j], all of one extent; Y has any two of these axes.
    for (auto const& [first, second, count] :
         {std::tuple{0U, 1U, 1U}, {1U, 0U, 2U}, {0U, 2U, 2U}, {2U, 1U, 2U}, {1U, 2U, 2U}}) {
        CAPTURE(first);
        CAPTURE(second);
        support::nest_builder b("turned");
        b.out = support::matmul(32, 32, 32);
        b.out.arrays[2].role = attune::nest_role::temporary;
        auto const Y = b.array("Y", attune::nest_role::written, {b.of(first), b.of(second)});
        auto const element = b.read(2, {b.at(first), b.at(second)});
        b.statement(Y, {first, second}, {}, attune::reduction::none,
                    b.op(attune::nest_op::exponential, element));
        attune::derived_space const derived(b.out, avx512());
        CHECK(derived.rule_names().size() == count);
        CHECK(derived.rule_names().front() == "product");
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(5);
        CHECK_NOTHROW(static_cast<void>(derived.schedule(defaults(derived.describe()))));
        for (int n = 0; n < 20; ++n)
            CHECK_NOTHROW(static_cast<void>(derived.schedule(space.sample(draw))));
    }
}

TEST_CASE("a chain of statements that read each other several times has as many nodes as its text")
{
    // z = z z / 4 + c, in its real and its imaginary part, over and over.
    using attune::nest_op;
    auto const chain = [](int steps) {
        support::nest_builder b("chain");
        auto const i = b.axis("i", 64);
        auto const add = [&](std::string name, attune::nest_role role) {
            return b.array(std::move(name), role, {b.of(i)});
        };
        auto const c = b.read(add("c", attune::nest_role::read), {b.at(i)});
        auto const d = b.read(add("d", attune::nest_role::read), {b.at(i)});
        std::uint32_t re = c;
        std::uint32_t im = d;
        for (int n = 0; n < steps; ++n) {
            auto const next = [&](char const* part, std::uint32_t value, std::uint32_t added) {
                auto const array =
                    add(part + std::to_string(n),
                        n + 1 < steps ? attune::nest_role::temporary : attune::nest_role::written);
                b.statement(
                    array, {i}, {}, attune::reduction::none,
                    b.op(nest_op::add, b.op(nest_op::multiply, value, b.number(0.25)), added));
                return b.read(array, {b.at(i)});
            };
            auto const squares = b.op(nest_op::subtract, b.op(nest_op::multiply, re, re),
                                      b.op(nest_op::multiply, im, im));
            auto const product = b.op(nest_op::multiply, re, im);
            std::uint32_t const new_re = next("re", squares, c);
            im = next("im", b.op(nest_op::add, product, product), d);
            re = new_re;
        }
        return b.out;
    };
    std::size_t former = 0;
    for (int const steps : {4, 8, 16, 32}) {
        attune::derived_space const derived(chain(steps), avx512());
        attune::loop_program const made = derived.schedule(defaults(derived.describe())).program;
        CHECK(attune::blocks_inside(made, attune::no_index).size() == 2); // all others are inlined
        for (std::uint32_t const block : attune::blocks_inside(made, attune::no_index)) {
            std::size_t nodes = 0;
            attune::detail::for_each_node(
                made.nest, made.nest.statements[made.blocks[block].statement].value,
                [&nodes](std::uint32_t, attune::nest_node const&) { ++nodes; });
            CHECK(nodes < static_cast<std::size_t>(12 * steps));
        }
        if (former > 0) CHECK(made.nest.nodes.size() < 3 * former); // per step, not per power of 2
        former = made.nest.nodes.size();
    }
}

TEST_CASE("rows alone are not sliced")
{
    // The largest of a row is an argument, so that both statements are groups.
    support::nest_builder b("rows");
    auto const i = b.axis("i", 64), j = b.axis("j", 100);
    auto const X = b.array("X", attune::nest_role::read, {b.of(i), b.of(j)});
    auto const R = b.array("R", attune::nest_role::written, {b.of(i)});
    auto const Y = b.array("Y", attune::nest_role::written, {b.of(i), b.of(j)});
    auto const x = b.read(X, {b.at(i), b.at(j)});
    b.statement(R, {i}, {j}, attune::reduction::maximum, x);
    b.statement(Y, {i, j}, {}, attune::reduction::none,
                b.op(attune::nest_op::subtract, x, b.read(R, {b.at(i)})));
    attune::derived_space const derived(b.out, avx512());
    CHECK(derived.rule_names().size() == 2);
    CHECK(derived.describe().find_parameter("SLICES") == attune::no_index);
}

TEST_CASE("a slice needs each element in one iteration")
{
    auto const refused = [](attune::nest_description nest, std::uint32_t axis, std::int64_t step) {
        attune::loop_program program = attune::plain_program(std::move(nest));
        std::uint64_t const before = attune::structure_of(program);
        try {
            attune::slice_program(program, axis, step);
        } catch (attune::error const&) {
            CHECK(attune::structure_of(program) == before);
            return true;
        }
        return false;
    };
    CHECK_FALSE(refused(support::matmul(12, 40, 130), 0, 4));      // rows
    CHECK(refused(support::matmul(12, 40, 130), 0, 5));            // no divisor
    CHECK(refused(support::matmul(12, 40, 130), 1, 4));            // columns do not lie in a row
    CHECK(refused(support::matmul(12, 40, 130), 2, 1));            // summed over
    CHECK(refused(support::convolution(6, 4, 16, 3, 1, 1), 0, 1)); // windows overlap
    CHECK_FALSE(refused(support::matmul_of_inputs(), 0, 1));
    CHECK(refused(support::matmul_of_inputs(), 0, 2));
}

TEST_CASE("a result that is streamed where nothing is sliced, also has its parameter in slices")
{
    // P is larger than the last cache, and a slice of it is not.
    support::nest_builder b("weights");
    auto const h = b.axis("h", 8), i = b.axis("i", 64), j = b.axis("j", 64), k = b.axis("k", 32);
    using enum attune::nest_role;
    auto const Q = b.array("Q", read, {b.of(h), b.of(i), b.of(k)});
    auto const K = b.array("K", read, {b.of(h), b.of(j), b.of(k)});
    auto const S = b.array("S", temporary, {b.of(h), b.of(i), b.of(j)});
    auto const m = b.array("m", temporary, {b.of(h), b.of(i)});
    auto const P = b.array("P", written, {b.of(h), b.of(i), b.of(j)});
    b.statement(S, {h, i, j}, {k}, attune::reduction::sum,
                b.op(attune::nest_op::multiply, b.read(Q, {b.at(h), b.at(i), b.at(k)}),
                     b.read(K, {b.at(h), b.at(j), b.at(k)})));
    auto const s = b.read(S, {b.at(h), b.at(i), b.at(j)});
    b.statement(m, {h, i}, {j}, attune::reduction::maximum, s);
    b.statement(P, {h, i, j}, {}, attune::reduction::none,
                b.op(attune::nest_op::subtract, s, b.read(m, {b.at(h), b.at(i)})));
    attune::processor_shape processor = avx512();
    processor.l3_bytes = 50'000;
    attune::derived_space const derived(b.out, processor);
    attune::description const& space = derived.describe();
    std::uint32_t const slices = space.find_parameter("SLICES");
    REQUIRE(slices != attune::no_index);
    CHECK(space.find_parameter("P_STORES") != attune::no_index);
    attune::schedule_choices chosen = defaults(space);
    REQUIRE(chosen.number("P_LANES") > 1);
    for (std::string const& label : space.parameters[slices].labels) {
        INFO(label);
        chosen.all[slices].value = label;
        attune::loop_program made;
        CHECK_NOTHROW(made = derived.schedule(chosen).program);
        CHECK(std::any_of(made.blocks.begin(), made.blocks.end(),
                          [](attune::program_block const& of) { return of.is_streamed; }));
    }
}

TEST_CASE("a batch of one, or an axis named none, keeps the slices inside")
{
    // O of h (8) in a batch b of 1: the axis is the outermost one of all arrays.
    attune::nest_description nest = support::attention(8, 128, 64);
    attune::derived_space const of_eight(nest, avx512());
    auto const outer = static_cast<std::uint32_t>(nest.axes.size());
    nest.axes.push_back({"b", {1, attune::no_index}});
    for (attune::nest_array& array : nest.arrays)
        array.extents.insert(array.extents.begin(), {1, attune::no_index});
    for (attune::nest_access& access : nest.accesses)
        access.at.insert(access.at.begin(), {{{outer, 1}}, 0});
    for (attune::nest_statement& statement : nest.statements) {
        statement.target.at.insert(statement.target.at.begin(), {{{outer, 1}}, 0});
        statement.axes.insert(statement.axes.begin(), outer);
        ++statement.spatial_count;
    }
    auto const labels = [](attune::derived_space const& of) {
        attune::description const& space = of.describe();
        std::uint32_t const slices = space.find_parameter("SLICES");
        REQUIRE(slices != attune::no_index);
        return space.parameters[slices].labels;
    };
    CHECK(labels(attune::derived_space(nest, avx512())) == labels(of_eight));
    nest = support::attention(8, 128, 64);
    nest.axes[0].name = "none";
    attune::derived_space const named(nest, avx512());
    CHECK(labels(named)[0] == "none");
    CHECK(labels(named)[1] != "none");
    CHECK(derived_slices(named, labels(named)[0]) == 0);
    CHECK(derived_slices(named, labels(named)[1]) == 1);
}

TEST_CASE("slices run in threads where they are as many as the cores")
{
    attune::processor_shape processor = avx512();
    processor.cores = 16;
    auto const in_threads = [&](std::int64_t heads, std::string const& label) {
        attune::derived_space const derived(support::attention(heads, 256, 64), processor);
        attune::schedule_choices chosen = defaults(derived.describe());
        chosen.all[derived.describe().find_parameter("SLICES")].value = label;
        std::vector<bool> out;
        for (attune::program_slice const& slice : derived.schedule(chosen).program.slices)
            out.push_back(slice.is_parallel);
        return out;
    };
    CHECK(in_threads(16, "h") == std::vector<bool>{true});
    CHECK(in_threads(2, "h") == std::vector<bool>{false});
    CHECK(in_threads(16, "h_i16") == std::vector<bool>{true, false});
    CHECK(in_threads(2, "h_i16") == std::vector<bool>{false, true});
    CHECK(in_threads(2, "h_i64") == std::vector<bool>{false, false});
}

TEST_CASE("a rule of the user's own may be named rows")
{
    // T[i] = sum of A[i][k], y[j] = sum of T[i] * B[i][j]: no shared loop.
    support::nest_builder b("two");
    auto const i = b.axis("i", 24), j = b.axis("j", 40), k = b.axis("k", 8);
    auto const A = b.array("A", attune::nest_role::read, {b.of(i), b.of(k)});
    auto const B = b.array("B", attune::nest_role::read, {b.of(i), b.of(j)});
    auto const T = b.array("T", attune::nest_role::temporary, {b.of(i)});
    auto const y = b.array("y", attune::nest_role::written, {b.of(j)});
    b.statement(T, {i}, {k}, attune::reduction::sum, b.read(A, {b.at(i), b.at(k)}));
    b.statement(
        y, {j}, {i}, attune::reduction::sum,
        b.op(attune::nest_op::multiply, b.read(T, {b.at(i)}), b.read(B, {b.at(i), b.at(j)})));
    attune::schedule_rule own;
    own.name = "rows";
    own.applies = [](attune::rule_subject const&) { return true; };
    own.declare = [](attune::rule_subject const&, attune::space_builder&) {};
    own.schedule = [](attune::rule_subject const&, attune::schedule_choices const&,
                      attune::traced_program&) {};
    CHECK(attune::derived_space(b.out, avx512(), {own}).rule_names().size() == 2);
}
