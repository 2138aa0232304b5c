// tests/tune/schedule_programs.cpp - scheduled programs, written and compiled, against their statements.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/core/error.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/rewrite.hpp>
#include <attune/space/schedule/trace.hpp>
#include <attune/space/schedule/transform.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../support/nest_examples.hpp"
#include "../support/nest_runner.hpp"

namespace {

/// Cache tiles, a register tile of rows x (vectors of lanes), packed panels.
attune::loop_program tiled_matmul(attune::nest_description const& nest, std::int64_t rows,
                                  std::int64_t columns, std::int64_t lanes, bool packs)
{
    attune::loop_program p = attune::plain_program(nest);
    auto const block = attune::blocks_inside(p, attune::no_index).front();
    auto const path = attune::loops_around(p, {attune::item_kind::block, block});
    auto const i0 = path[0], j0 = path[1], k0 = path[2];
    auto const i1 = attune::split_loop(p, i0, rows * 2);
    auto const i2 = attune::split_loop(p, i1, rows);
    auto const j1 = attune::split_loop(p, j0, columns * 2);
    auto const j2 = attune::split_loop(p, j1, columns);
    auto const j3 = attune::split_loop(p, j2, lanes);
    auto const k1 = attune::split_loop(p, k0, 4);
    attune::reorder_loops(p, {j0, k0, i0, j1, i1, k1, i2, j2, j3});
    attune::cache_write(p, block, i1, true);
    if (packs) {
        attune::cache_read(p, block, 0, i0, attune::copy_form::array, {{0, rows}, {1, 1}, {0, 1}});
        attune::cache_read(p, block, 1, k0, attune::copy_form::axes,
                           {{1, columns}, {0, 1}, {1, 1}});
    }
    attune::unroll(p, i2);
    attune::unroll(p, j2);
    attune::vectorize(p, j3);
    attune::unroll(p, k1, 2);
    return p;
}

} // namespace

TEST_CASE("tiles, packed panels, register tiles and their tails compute the product")
{
    if (!support::has_compiler()) return;
    support::nest_batch batch;
    for (bool const packs : {false, true})
        for (auto const& nest : {support::matmul(13, 37, 11), support::matmul(12, 32, 8, true)}) {
            batch.add(tiled_matmul(nest, 3, 16, 8, packs), nest);
            batch.add(tiled_matmul(nest, 4, 8, 4, packs), nest);
        }
    auto const inputs = support::matmul_of_inputs();
    batch.add(tiled_matmul(inputs, 3, 16, 8, false), inputs, {13, 37, 11});
    batch.add(tiled_matmul(inputs, 3, 16, 8, true), inputs, {13, 37, 11});
    CHECK(batch.run() == "");
}

TEST_CASE("sums by lanes, parts of rows, fused rows and im2col compute what is stated")
{
    if (!support::has_compiler()) return;
    support::nest_batch batch;
    { // softmax: one loop over rows, lanes in all four statements
        auto const nest = support::softmax(5, 19);
        attune::loop_program p = attune::plain_program(nest);
        auto const row = attune::loops_around(p, {attune::item_kind::block, 3}).front();
        for (std::uint32_t const block : {2U, 1U, 0U})
            attune::compute_at(p, block, row);
        for (std::uint32_t const block : {0U, 1U, 2U, 3U}) {
            auto const inner = attune::loops_around(p, {attune::item_kind::block, block}).back();
            attune::vectorize(p, attune::split_loop(p, inner, 8));
        }
        attune::parallelize(p, row);
        batch.add(p, nest);
    }
    { // product with a fused consumer in its register tile
        auto const nest = support::dense_gelu(9, 21, 6);
        attune::loop_program p = attune::plain_program(nest);
        auto const path = attune::loops_around(p, {attune::item_kind::block, 1});
        auto const i1 = attune::split_loop(p, path[0], 4);
        auto const j1 = attune::split_loop(p, path[1], 16);
        auto const j2 = attune::split_loop(p, j1, 8);
        attune::reorder_loops(p, {path[0], path[1], i1, j1, j2});
        attune::compute_at(p, 0, path[1]);
        auto const own = attune::loops_around(p, {attune::item_kind::block, 0});
        auto const pj1 = attune::split_loop(p, own[3], 8);
        attune::reorder_loops(p, {own[4], own[2], own[3], pj1});
        attune::cache_write(p, 0, path[1], true);
        for (auto const loop : {i1, j1, own[2], own[3]})
            attune::unroll(p, loop);
        attune::vectorize(p, j2);
        attune::vectorize(p, pj1);
        batch.add(p, nest);
    }
    for (auto const form : {attune::copy_form::array, attune::copy_form::axes}) {
        auto const nest = support::convolution(7, 3, 10, 3, 2, 1);
        attune::loop_program p = attune::plain_program(nest);
        auto const path = attune::loops_around(p, {attune::item_kind::block, 0});
        auto const w1 = attune::split_loop(p, path[1], 3);
        auto const o1 = attune::split_loop(p, path[2], 8);
        attune::reorder_loops(p, {path[0], path[2], path[1], path[3], path[4], path[5], w1, o1});
        attune::cache_write(p, 0, path[1], true);
        attune::cache_read(p, 0, 0, path[0], form);
        attune::unroll(p, w1);
        attune::vectorize(p, o1);
        batch.add(p, nest);
    }
    { // rfactor, fused parallel loops
        auto const nest = support::matmul(3, 5, 24);
        attune::loop_program p = attune::plain_program(nest);
        auto const path = attune::loops_around(p, {attune::item_kind::block, 0});
        auto const inner = attune::split_loop(p, path[2], 8, attune::split_rest::refused);
        auto const combine = attune::rfactor(p, 0, inner);
        attune::vectorize(p, inner);
        attune::fuse_loops(p, path[0], path[1]);
        attune::parallelize(p, path[0]);
        CHECK(combine == 1);
        batch.add(p, nest);
    }
    CHECK(batch.run() == "");
}

TEST_CASE("a trace is read back and gives the same program")
{
    attune::nest_description const nest = support::matmul(12, 16, 8);
    attune::traced_program p{attune::plain_program(nest), {}};
    auto const block = 0U;
    auto const path = attune::loops_around(p.program, {attune::item_kind::block, block});
    using enum attune::schedule_action;
    auto const inner = p.apply(split, {path[1], 8});
    p.apply(reorder, {path[0], path[1], path[2], inner});
    p.apply(cache_write, {block, path[1], 1});
    p.apply(cache_read, {block, 1, -1, 0, 1, 8, 0, 1, 1, 1});
    p.apply(vectorize, {inner});
    std::string const text = attune::text_of(p.trace);
    CHECK(attune::read_trace(text) == p.trace);
    CHECK(attune::write_program(attune::replay_trace(nest, attune::read_trace(text))) ==
          attune::write_program(p.program));
    CHECK_THROWS_AS((void)attune::read_trace("split 1 x"), attune::error);
    CHECK_THROWS_AS((void)attune::replay_trace(nest, {{split, {9, 2}}}), attune::error);
}

TEST_CASE("what would change the result is refused, and changes nothing")
{
    attune::loop_program p = attune::plain_program(support::matmul(6, 8, 10));
    auto const path = attune::loops_around(p, {attune::item_kind::block, 0});
    std::string const before = attune::write_program(p);
    CHECK_THROWS_AS(attune::parallelize(p, path[2]), attune::error);
    CHECK_THROWS_AS(attune::split_loop(p, path[2], 3, attune::split_rest::refused), attune::error);
    CHECK_THROWS_AS(attune::fuse_loops(p, path[1], path[2]), attune::error);
    CHECK_THROWS_AS(attune::vectorize(p, path[0]), attune::error);
    CHECK_THROWS_AS(attune::cache_read(p, 0, 7, path[0]), attune::error);
    CHECK_THROWS_AS(attune::compute_at(p, 0, path[0]), attune::error);
    CHECK_THROWS_AS(attune::inline_statement(p, 0), attune::error);
    CHECK(attune::write_program(p) == before);
    auto const inner = attune::split_loop(p, path[1], 4);
    CHECK_THROWS_AS(attune::reorder_loops(p, {inner, path[1]}), attune::error);
    attune::loop_program of = attune::plain_program(support::argmax(3, 4));
    auto const loops = attune::loops_around(of, {attune::item_kind::block, 0});
    CHECK_THROWS_AS(attune::reorder_loops(of, {loops[1], loops[0]}), attune::error);
    CHECK_THROWS_AS(attune::rfactor(of, 0, loops[1]), attune::error);
}
