// tests/tune/schedule_corners.cpp - what random programs found: each a small program of its own.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>
#include <attune/core/error.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/metaschedule.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/rewrite.hpp>
#include <attune/space/schedule/transform.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/nest_examples.hpp"
#include "../support/nest_runner.hpp"

namespace {

using attune::nest_op;
using attune::nest_role;

/// Every configuration of a few drawn ones, or nothing where no compiler is.
std::string wrong_of_derived(attune::nest_description const& nest)
{
    if (support::nest_batch::compiler().empty()) return {};
    attune::derived_space const derived(nest, support::small_processor());
    attune::chain_of_trees const space(derived.describe());
    attune::random_engine draw(7);
    support::nest_batch batch;
    for (int i = 0; i < 4; ++i)
        batch.add(derived.schedule(space.sample(draw)).program, nest);
    return batch.run();
}
std::string wrong_of(attune::loop_program const& program, attune::nest_description const& nest)
{
    if (support::nest_batch::compiler().empty()) return {};
    support::nest_batch batch;
    batch.add(program, nest);
    return batch.run();
}

/// to[i] = max_k A[i][k] of i32 numbers, kept in bytes.
attune::nest_description narrow_maximum(std::int64_t m, std::int64_t k)
{
    using enum attune::element_type;
    support::nest_builder b("narrow");
    auto const i = b.axis("i", m), r = b.axis("k", k);
    auto const A = b.array("A", nest_role::read, {b.of(i), b.of(r)}, i8);
    auto const to = b.array("to", nest_role::written, {b.of(i)}, i8);
    auto const x = b.read(A, {b.at(i), b.at(r)}, false, i32);
    b.statement(to, {i}, {r}, attune::reduction::maximum, b.op(nest_op::multiply, x, x, i32), false,
                i32);
    return b.out;
}

/// T[i][j] = 2 A[i][j]; to[i][j] = T[i][j - 1] + T[i][j]
attune::nest_description shifted()
{
    support::nest_builder b("shifted");
    auto const i = b.axis("i", 5), j = b.axis("j", 11);
    auto const A = b.array("A", nest_role::read, {b.of(i), b.of(j)});
    auto const T = b.array("T", nest_role::temporary, {b.of(i), b.of(j)});
    auto const to = b.array("to", nest_role::written, {b.of(i), b.of(j)});
    auto const x = b.read(A, {b.at(i), b.at(j)});
    b.statement(T, {i, j}, {}, attune::reduction::none, b.op(nest_op::exponential, x));
    auto const before = b.read(T, {b.at(i), {{{j, 1}}, -1}}, true);
    b.statement(to, {i, j}, {}, attune::reduction::none,
                b.op(nest_op::add, before, b.read(T, {b.at(i), b.at(j)})));
    return b.out;
}

std::vector<std::uint32_t> path_of(attune::loop_program const& p, std::uint32_t block)
{
    return attune::loops_around(p, {attune::item_kind::block, block});
}

} // namespace

TEST_CASE("threads are given to loops outside of the register tile alone")
{
    // One row of columns: the first loop with more than one step is the depth's.
    support::nest_builder b("column");
    auto const i = b.axis("i", 13), r = b.axis("k", 64);
    auto const A = b.array("A", nest_role::read, {b.of(r), b.of(i)});
    auto const to = b.array("to", nest_role::written, {b.of(i)});
    b.statement(to, {i}, {r}, attune::reduction::maximum, b.read(A, {b.at(r), b.at(i)}));
    CHECK(wrong_of_derived(b.out) == "");
}

TEST_CASE("rows are shared by statements that read each other in the same row alone")
{
    CHECK(wrong_of_derived(shifted()) == "");
}

TEST_CASE("sums that are not finished are not kept in an array that rounds them")
{
    auto const nest = narrow_maximum(6, 9);
    attune::loop_program p = attune::plain_program(nest);
    auto const path = path_of(p, 0);
    attune::reorder_loops(p, {path[1], path[0]});
    CHECK_THROWS_AS((void)attune::write_program(p), attune::error);
    CHECK_THROWS_AS(attune::cache_write(p, 0, path[1], false), attune::error);
    attune::cache_write(p, 0, attune::no_index, false);
    CHECK(wrong_of(p, nest) == "");
    CHECK(wrong_of_derived(nest) == "");
}

TEST_CASE("a wide tile of a narrow array is read as the array rounds it")
{
    using enum attune::element_type;
    support::nest_builder b("narrow_product");
    auto const i = b.axis("i", 9), j = b.axis("j", 21), r = b.axis("k", 40);
    auto const A = b.array("A", nest_role::read, {b.of(i), b.of(r)}, i8);
    auto const B = b.array("B", nest_role::read, {b.of(r), b.of(j)}, i8);
    auto const C = b.array("C", nest_role::temporary, {b.of(i), b.of(j)}, i8);
    auto const D = b.array("D", nest_role::written, {b.of(i), b.of(j)}, i32);
    auto const x = b.read(A, {b.at(i), b.at(r)}, false, i32);
    auto const y = b.read(B, {b.at(r), b.at(j)}, false, i32);
    b.statement(C, {i, j}, {r}, attune::reduction::sum, b.op(nest_op::multiply, x, y, i32), false,
                i32);
    auto const c = b.read(C, {b.at(i), b.at(j)}, false, i32);
    b.statement(D, {i, j}, {}, attune::reduction::none,
                b.op(nest_op::multiply, c, b.number(3, i32), i32));
    CHECK(wrong_of_derived(b.out) == "");
}

TEST_CASE("copies of an axis without steps read nothing")
{
    auto const nest = support::matmul(0, 21, 33);
    attune::loop_program p = attune::plain_program(nest);
    auto const path = path_of(p, 0);
    attune::cache_write(p, 0, path[1], false);
    attune::cache_read(p, 0, 0, attune::no_index, attune::copy_form::axes,
                       {{0, 4}, {1, 1}, {0, 1}});
    CHECK(wrong_of(p, nest) == "");
    CHECK_THROWS_AS((void)attune::rfactor(p, 0, path[2]), attune::error);
}

TEST_CASE("a reduction without steps gives neutral values, tiles or not")
{
    if (support::nest_batch::compiler().empty()) return;
    auto const nest = support::matmul_of_inputs();
    attune::loop_program p = attune::plain_program(nest);
    auto const path = path_of(p, 0);
    auto const i1 = attune::split_loop(p, path[0], 4);
    auto const j1 = attune::split_loop(p, path[1], 8);
    attune::reorder_loops(p, {path[2], path[0], path[1], i1, j1});
    attune::cache_write(p, 0, path[1], true);
    attune::vectorize(p, j1);
    support::nest_batch batch;
    batch.add(p, nest, {9, 21, 0});
    batch.add(p, nest, {9, 21, 3});
    batch.add(p, nest, {0, 21, 3});
    CHECK(batch.run() == "");
}

TEST_CASE("a copy at the beginning follows the statement that computes its array")
{
    auto const nest = shifted();
    attune::loop_program p = attune::plain_program(nest);
    auto const reads = attune::detail::accesses_of(nest, nest.statements[1]);
    attune::cache_read(p, 1, reads.front(), attune::no_index);
    CHECK(wrong_of(p, nest) == "");
    CHECK_THROWS_AS(attune::cache_read(p, 1, reads.back(), 77), attune::error);
}

TEST_CASE("what a copy reads is neither inlined nor moved")
{
    auto const nest = shifted();
    attune::loop_program p = attune::plain_program(nest);
    auto const reads = attune::detail::accesses_of(nest, nest.statements[1]);
    for (std::uint32_t const access : reads)
        if (!nest.accesses[access].is_padded)
            attune::cache_read(p, 1, access, path_of(p, 1).front());
    CHECK_THROWS_AS(attune::compute_at(p, 0, path_of(p, 1).front()), attune::error);
    auto const gelu = support::dense_gelu(4, 8, 3);
    attune::loop_program q = attune::plain_program(gelu);
    auto const c = attune::detail::accesses_of(gelu, gelu.statements[1]).front();
    attune::cache_read(q, 1, c, path_of(q, 1).front());
    CHECK_THROWS_AS(attune::compute_at(q, 0, path_of(q, 1).front()), attune::error);
}

TEST_CASE("loops around the lanes of a sum keep their places, and nothing comes between")
{
    auto const nest = support::matmul(4, 6, 16);
    attune::loop_program p = attune::plain_program(nest);
    auto const path = path_of(p, 0);
    auto const lanes = attune::split_loop(p, path[2], 8);
    attune::vectorize(p, lanes);
    CHECK_THROWS_AS(attune::reorder_loops(p, {path[0], path[2], path[1]}), attune::error);
    CHECK_THROWS_AS(attune::cache_write(p, 0, path[1], false), attune::error);
    CHECK_THROWS_AS((void)attune::rfactor(p, 0, path[2]), attune::error);
    CHECK(wrong_of(p, nest) == "");
    auto const gelu = support::dense_gelu(4, 8, 3);
    attune::loop_program q = attune::plain_program(gelu);
    attune::vectorize(q, path_of(q, 1).back());
    CHECK_THROWS_AS(attune::compute_at(q, 0, path_of(q, 1).back()), attune::error);
}

TEST_CASE("nothing is kept or copied inside a vector loop")
{
    auto const nest = support::matmul(4, 8, 16);
    attune::loop_program p = attune::plain_program(nest);
    auto const path = path_of(p, 0);
    attune::reorder_loops(p, {path[0], path[2], path[1]});
    attune::vectorize(p, path[1]);
    CHECK_THROWS_AS(attune::cache_write(p, 0, path[1], true), attune::error);
    auto const reads = attune::detail::accesses_of(nest, nest.statements[0]);
    CHECK_THROWS_AS(attune::cache_read(p, 0, reads.back(), path[1]), attune::error);
    CHECK(wrong_of(p, nest) == "");
}

TEST_CASE("results are not kept in a buffer where another statement reads their array")
{
    // C[i] = max_k A[i][k]; to[i] = C[i] C[i], both of them results.
    support::nest_builder b("read_too_soon");
    auto const i = b.axis("i", 12), r = b.axis("k", 5);
    auto const A = b.array("A", nest_role::read, {b.of(i), b.of(r)});
    auto const C = b.array("C", nest_role::written, {b.of(i)});
    auto const to = b.array("to", nest_role::written, {b.of(i)});
    b.statement(C, {i}, {r}, attune::reduction::maximum, b.read(A, {b.at(i), b.at(r)}));
    auto const c = b.read(C, {b.at(i)});
    b.statement(to, {i}, {}, attune::reduction::none, b.op(nest_op::multiply, c, c));
    attune::loop_program p = attune::plain_program(b.out);
    std::uint32_t const outer = path_of(p, 1).front();
    attune::split_loop(p, outer, 4);
    attune::compute_at(p, 0, path_of(p, 1).back());
    attune::loop_program inside = p;
    CHECK_THROWS_AS(attune::cache_write(p, 0, outer, true), attune::error);
    CHECK_THROWS_AS(attune::cache_write(p, 0, attune::no_index, true), attune::error);
    CHECK(wrong_of(p, b.out) == "");
    // Where the buffer is stored before it is read, nothing is wrong with it.
    attune::cache_write(inside, 0, path_of(inside, 1).back(), true);
    CHECK(wrong_of(inside, b.out) == "");
}

TEST_CASE("a later statement reads what was computed once in the loop of an earlier one")
{
    // T[i] = max_k A[i][k]; y[i][j] = T[i] B[j]; z[i] = T[i].
    support::nest_builder b("read_later");
    auto const i = b.axis("i", 12), j = b.axis("j", 7), r = b.axis("k", 5);
    auto const A = b.array("A", nest_role::read, {b.of(i), b.of(r)});
    auto const B = b.array("B", nest_role::read, {b.of(j)});
    auto const T = b.array("T", nest_role::temporary, {b.of(i)});
    auto const y = b.array("y", nest_role::written, {b.of(i), b.of(j)});
    auto const z = b.array("z", nest_role::written, {b.of(i)});
    b.statement(T, {i}, {r}, attune::reduction::maximum, b.read(A, {b.at(i), b.at(r)}));
    auto const t = b.read(T, {b.at(i)});
    b.statement(y, {i, j}, {}, attune::reduction::none,
                b.op(nest_op::multiply, t, b.read(B, {b.at(j)})));
    b.statement(z, {i}, {}, attune::reduction::none, t);
    attune::loop_program p = attune::plain_program(b.out);
    CHECK_THROWS_AS(attune::compute_at(p, 0, path_of(p, 2).front()), attune::error); // y is before
    CHECK_THROWS_AS(attune::compute_at(p, 0, path_of(p, 1).back()), attune::error);  // 7 times
    attune::compute_at(p, 0, path_of(p, 1).front());
    CHECK(p.buffers.empty()); // z needs all elements
    CHECK(wrong_of(p, b.out) == "");
}

TEST_CASE("an array may have the name of the function of a slice")
{
    attune::nest_description nest = support::matmul(12, 40, 130);
    nest.arrays.back().name = "variant_0_part"; // see nest_batch::add()
    attune::loop_program p = attune::plain_program(nest);
    attune::slice_program(p, 0, 4);
    CHECK(wrong_of(p, nest) == "");
}

TEST_CASE("lanes of whole numbers are combined around the ends of their type")
{
    if (support::nest_batch::compiler().empty()) return;
    using enum attune::element_type;
    std::vector<std::string> flags{"-O1", "-march=native", "-w"};
    if (support::nest_batch::compiler().starts_with("clang")) // an overflow stops this process
        flags.insert(flags.end(), {"-fsanitize=undefined", "-fsanitize-trap=undefined"});
    for (auto const combine : {attune::reduction::product, attune::reduction::sum}) {
        support::nest_builder b("around");
        auto const i = b.axis("i", 3), k = b.axis("k", 64);
        auto const A = b.array("A", nest_role::read, {b.of(i), b.of(k)}, i32);
        auto const to = b.array("to", nest_role::written, {b.of(i)}, i32);
        auto const x = b.read(A, {b.at(i), b.at(k)}, false, i32);
        auto const large = b.op(nest_op::multiply, x, b.number(0x7ffffff, i32), i32);
        auto const one = b.op(nest_op::add, large, b.number(1, i32), i32);
        b.statement(to, {i}, {k}, combine, b.op(nest_op::absolute, one, attune::no_index, i32),
                    false, i32);
        attune::loop_program p = attune::plain_program(b.out);
        attune::vectorize(p, attune::split_loop(p, path_of(p, 0)[1], 8));
        for (attune::loop_program const& program : {attune::plain_program(b.out), p}) {
            support::nest_batch batch;
            batch.add(program, b.out);
            CHECK(batch.run(flags) == "");
        }
    }
}

TEST_CASE("parts of a whole axis are its steps")
{
    auto const nest = support::matmul(3, 5, 7, true);
    attune::loop_program p = attune::plain_program(nest);
    (void)attune::rfactor(p, 0, path_of(p, 0)[2]);
    CHECK(wrong_of(p, nest) == "");
}

TEST_CASE("MetaSchedule's designs of an array that rounds sums have a write cache")
{
    using enum attune::metaschedule_choice;
    support::nest_builder b("half");
    auto const i = b.axis("i", 8), j = b.axis("j", 8), r = b.axis("k", 8);
    using enum attune::element_type;
    auto const A = b.array("A", nest_role::read, {b.of(i), b.of(r)}, f16);
    auto const B = b.array("B", nest_role::read, {b.of(r), b.of(j)}, f16);
    auto const C = b.array("C", nest_role::written, {b.of(i), b.of(j)}, f16);
    auto const x = b.read(A, {b.at(i), b.at(r)});
    auto const y = b.read(B, {b.at(r), b.at(j)});
    b.statement(C, {i, j}, {r}, attune::reduction::sum, b.op(nest_op::multiply, x, y));
    auto const designs = attune::metaschedule_designs(b.out);
    REQUIRE(designs.size() == 2);
    CHECK(designs[0].parts.front().choice == tiled_cache1);
    CHECK(designs[1].parts.front().choice == tiled_cache2);
    // The first of the largest ones is found in one order alone.
    CHECK(attune::metaschedule_designs(support::argmax(8, 8)).front().parts.front().choice ==
          plain);
}
