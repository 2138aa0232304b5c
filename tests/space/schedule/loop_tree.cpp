// tests/space/schedule/loop_tree.cpp - what makes programs different, and what does not.
// SPDX-License-Identifier: MIT
//
// tests/tune/program_structure.cpp compares it with the text of programs.
#include <attune/space/schedule/loop_tree.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/metaschedule.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/transform.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <utility>
#include <vector>

#include "../../support/nest_examples.hpp"

namespace {

using attune::loop_program;
using attune::structure_of;

/// Tiles of 4 x 8 of a product of 12 x 32, a register tile, and a copy of B.
loop_program tiled(attune::nest_description const& nest)
{
    loop_program p = attune::plain_program(nest);
    auto const block = attune::blocks_inside(p, attune::no_index).front();
    auto const path = attune::loops_around(p, {attune::item_kind::block, block});
    auto const i1 = attune::split_loop(p, path[0], 4);
    auto const j1 = attune::split_loop(p, path[1], 8);
    attune::reorder_loops(p, {path[1], path[0], path[2], i1, j1});
    attune::cache_write(p, block, path[0], true);
    attune::cache_read(p, block, 1, path[1], attune::copy_form::axes, {});
    return p;
}

} // namespace

TEST_CASE("each decision of a program counts")
{
    loop_program const program = tiled(support::matmul(12, 32, 16));
    std::uint64_t const as_it_is = structure_of(program);
    CHECK(structure_of(tiled(support::matmul(12, 32, 16))) == as_it_is);
    std::vector<std::function<void(loop_program&)>> const changes{
        [](loop_program& p) { p.blocks[0].is_streamed = true; },
        [](loop_program& p) { p.blocks[0].reads.clear(); },
        [](loop_program& p) { p.blocks[0].target = attune::no_index; },
        [](loop_program& p) { p.loops[2].unroll = 4; },
        [](loop_program& p) { p.loops[2].unroll = 8; },
        [](loop_program& p) { p.loops[2].kind = attune::loop_kind::unrolled; },
        [](loop_program& p) { p.loops[1].kind = attune::loop_kind::parallel; },
        [](loop_program& p) { p.loops[4].kind = attune::loop_kind::vectorized; },
        [](loop_program& p) { p.loops[0].over[0].step = 6; },
        [](loop_program& p) { std::swap(p.loops[3].over, p.loops[4].over); },
        [](loop_program& p) { p.buffers[0].is_register = false; },
        [](loop_program& p) { p.buffers[0].element = attune::element_type::f64; },
        [](loop_program& p) { p.buffers[0].loop = 1; },
        [](loop_program& p) { std::swap(p.buffers[1].layout[0], p.buffers[1].layout[1]); },
        [](loop_program& p) { p.buffers[1].coordinates[0].offset = 1; },
        [](loop_program& p) { p.buffers[1].source[0].terms[0].factor = 2; },
        [](loop_program& p) { p.copies[0].kind = attune::copy_kind::load; },
        [](loop_program& p) { p.nest.axes[2].extent.constant = 17; },
        [](loop_program& p) { p.nest.arrays[0].role = attune::nest_role::updated; },
        [](loop_program& p) { p.nest.arrays[0].is_constant = true; },
        [](loop_program& p) { p.nest.accesses[0].is_padded = true; },
        [](loop_program& p) { p.nest.nodes[2].code = attune::nest_op::add; },
        [](loop_program& p) { p.nest.statements[0].combine = attune::reduction::maximum; },
        [](loop_program& p) { p.nest.statements[0].continues = true; },
    };
    std::vector<std::uint64_t> all{as_it_is};
    for (auto const& change : changes) {
        loop_program other = program;
        change(other);
        CAPTURE(all.size());
        std::uint64_t const now = structure_of(other);
        for (std::uint64_t const one : all)
            CHECK(now != one);
        all.push_back(now);
    }
}

TEST_CASE("names and numbers of loops make no difference")
{
    loop_program const program = tiled(support::matmul(12, 32, 16));
    CHECK(structure_of(tiled(support::with_names(support::matmul(12, 32, 16), {"X", "Y", "Z"},
                                                 {"p", "q", "r"}))) == structure_of(program));
    // The same loops, stored elsewhere.
    loop_program moved = program;
    std::uint32_t const last = static_cast<std::uint32_t>(moved.loops.size());
    moved.loops.push_back(moved.loops[0]);
    moved.loops[0] = {};
    for (attune::program_loop& loop : moved.loops)
        for (attune::program_item& item : loop.body)
            if (item == attune::program_item{attune::item_kind::loop, 0}) item.index = last;
    for (attune::program_item& item : moved.body)
        if (item == attune::program_item{attune::item_kind::loop, 0}) item.index = last;
    for (attune::program_buffer& buffer : moved.buffers)
        if (buffer.loop == 0) buffer.loop = last;
    CHECK(structure_of(moved) == structure_of(program));
}

TEST_CASE("loops of one step make no difference, others over the same axis do")
{
    loop_program const plain = attune::plain_program(support::matmul(12, 32, 16));
    for (std::int64_t const whole : {12, 16, 100}) {
        loop_program once = plain;
        (void)attune::split_loop(once, 0, whole);
        CHECK(structure_of(once) == structure_of(plain));
    }
    loop_program twice = plain;
    (void)attune::split_loop(twice, 0, 6);
    CHECK(structure_of(twice) != structure_of(plain));
    // An extent that is an input may be any.
    loop_program const unknown = attune::plain_program(support::matmul_of_inputs());
    loop_program split = unknown;
    (void)attune::split_loop(split, 0, 1 << 20);
    CHECK(structure_of(split) != structure_of(unknown));
}

TEST_CASE("spaces of programs say the structure of each configuration")
{
    attune::processor_shape const shape{.cores = 4};
    for (auto const& nest : {support::matmul(64, 96, 40), support::matmul_of_inputs()}) {
        attune::derived_space const derived(nest, shape);
        attune::chain_of_trees const space(derived.describe());
        attune::random_engine draw(1);
        for (int i = 0; i < 20; ++i) {
            attune::point const at = space.sample(draw);
            CHECK(space.describe().structure(space.describe(), at) ==
                  structure_of(derived.schedule(at).program));
        }
    }
    for (auto const& design : attune::metaschedule_designs(support::matmul(64, 64, 64))) {
        attune::chain_of_trees const space(design.space);
        attune::random_engine draw(1);
        attune::point const at = space.sample(draw);
        CHECK(space.describe().structure(space.describe(), at) ==
              structure_of(design.schedule(at).program));
    }
}
