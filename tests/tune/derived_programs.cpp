// tests/tune/derived_programs.cpp - configurations of derived spaces, compiled, against their statements.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/metaschedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/nest_examples.hpp"
#include "../support/nest_runner.hpp"
#include "../support/rounds.hpp"

namespace {

/// Of each program.
constexpr int configurations = attune_test::rounds(1, 3);

/// Adds configurations of a program's space, drawn uniformly, to a batch.
void add_random(support::nest_batch& batch, attune::nest_description const& nest,
                std::uint64_t seed, std::vector<std::int64_t> inputs = {})
{
    attune::derived_space const derived(nest, support::small_processor());
    attune::chain_of_trees const space(derived.describe());
    attune::random_engine draw(seed);
    for (int i = 0; i < configurations; ++i) {
        attune::point const at = space.sample(draw);
        attune::traced_program made;
        try {
            made = derived.schedule(at);
        } catch (attune::error const& thrown) {
            FAIL(nest.name << ": " << attune::text_of(derived.describe(), at) << '\n'
                           << thrown.what());
        }
        CHECK(attune::text_of(attune::read_trace(attune::text_of(made.trace))) ==
              attune::text_of(made.trace));
        batch.add(made.program, nest, inputs);
    }
}

} // namespace

TEST_CASE("random configurations of derived spaces compute what their statements say")
{
    if (!support::has_compiler()) return;
    support::nest_batch batch;
    add_random(batch, support::matmul(29, 45, 70), 1);
    add_random(batch, support::matmul(16, 32, 130, true), 2);
    add_random(batch, support::matmul_of_inputs(), 3, {21, 50, 13});
    add_random(batch, support::matmul_of_inputs(), 12, {9, 34, 0}); // sums of nothing are 0
    add_random(batch, support::matmul_of_inputs(), 13, {9, 0, 4});
    add_random(batch, support::batched_int8(2, 9, 21, 10), 4);
    add_random(batch, support::convolution(11, 5, 19, 3, 1, 1), 5);
    add_random(batch, support::convolution(13, 3, 8, 5, 2, 0), 6);
    add_random(batch, support::depthwise(9, 21), 7);
    add_random(batch, support::dense_gelu(17, 40, 9), 8);
    add_random(batch, support::softmax(7, 37), 9);
    add_random(batch, support::argmax(6, 21), 10);
    // Weights that are constant: panels of columns, of rows, whole and with tails.
    auto const with_constant = [](attune::nest_description nest, char const* name) {
        for (attune::nest_array& array : nest.arrays)
            array.is_constant = array.name == name;
        return nest;
    };
    for (std::uint64_t seed = 20; seed < 24; ++seed) {
        add_random(batch, with_constant(support::matmul(29, 45, 70), "B"), seed);
        add_random(batch, with_constant(support::matmul(29, 45, 70), "A"), seed);
        add_random(batch, with_constant(support::matmul_of_inputs(), "B"), seed, {21, 50, 13});
        add_random(batch, with_constant(support::convolution(11, 5, 19, 3, 1, 1), "W"), seed);
        add_random(batch, with_constant(support::dense_gelu(17, 40, 9), "B"), seed);
    }
    CHECK(batch.run() == "");
}

TEST_CASE("random configurations of MetaSchedule's designs compute what their statements say")
{
    if (!support::has_compiler()) return;
    support::nest_batch batch;
    attune::random_engine draw(11);
    for (auto const& nest : {support::matmul(12, 32, 20), support::convolution(8, 4, 8, 3, 1, 1),
                             support::depthwise(6, 8), support::softmax(4, 48)})
        for (auto const& design : attune::metaschedule_designs(nest, support::small_processor())) {
            attune::chain_of_trees const space(design.space);
            batch.add(design.schedule(space.sample(draw)).program, nest);
        }
    CHECK(batch.run() == "");
}

TEST_CASE("a product and its reader in MetaSchedule's designs compute what their statements say")
{
    if (!support::has_compiler()) return;
    using enum attune::element_type;
    auto const half = [](attune::nest_description nest) { // the sum's array rounds: f16, by f32
        nest.arrays[2].element = f16;
        return nest;
    };
    std::vector<attune::nest_description> const nests{
        support::with_bias_and_relu(support::matmul(12, 32, 20)),
        support::dense_gelu(10, 96, 12), // longer than 64 lanes
        support::with_bias_and_relu(support::convolution(8, 4, 8, 3, 1, 1)),
        support::with_bias_and_relu(support::convolution(9, 3, 12, 3, 2, 1)),
        support::with_bias_and_relu(support::depthwise(6, 8)),
        half(support::with_bias_and_relu(support::matmul(12, 16, 8)))};
    support::nest_batch batch;
    attune::random_engine draw(17);
    for (attune::nest_description const& nest : nests)
        for (auto const& design : attune::metaschedule_designs(nest, support::small_processor())) {
            REQUIRE(design.parts.size() == 1);
            CHECK(design.parts.front().reader != attune::no_index);
            attune::chain_of_trees const space(design.space);
            for (int i = 0; i < configurations; ++i) {
                attune::traced_program const made = design.schedule(space.sample(draw));
                batch.add(made.program, nest, {}, text_of(made.trace));
            }
        }
    CHECK(batch.run() == "");
}

TEST_CASE("each place of softmax's statements in MetaSchedule's rules computes the same")
{
    if (!support::has_compiler()) return;
    support::nest_batch batch;
    attune::random_engine draw(23);
    for (std::int64_t const columns : {40, 70}) { // up to 64 are lanes where they are innermost
        attune::nest_description const nest = support::softmax(6, columns);
        attune::processor_shape processor = support::small_processor();
        for (int const cores : {1, 64}) { // with and without parts of sums
            processor.cores = cores;
            attune::derived_space const derived(nest, processor, attune::metaschedule_rules());
            attune::chain_of_trees const space(derived.describe());
            auto const all = static_cast<std::uint64_t>(*space.size());
            std::uint64_t const most = 12;
            for (std::uint64_t i = 0; i < std::min(all, most); ++i) {
                attune::point const at = all <= most ? space.at(i) : space.sample(draw);
                attune::traced_program const made = derived.schedule(at);
                batch.add(made.program, nest, {}, text_of(made.trace));
            }
        }
    }
    CHECK(batch.run() == "");
}

TEST_CASE("a parameter that does not count makes no difference to the code")
{
    std::size_t inactive = 0;
    for (auto const& nest : {support::matmul(96, 80, 200), support::batched_int8(3, 40, 72, 64),
                             support::convolution(20, 16, 32, 3, 1, 1), support::depthwise(24, 32),
                             support::dense_gelu(48, 96, 192)}) {
        attune::derived_space const derived(nest, support::small_processor());
        attune::chain_of_trees const all(derived.describe());
        attune::description const& space = all.describe();
        attune::random_engine draw(7);
        for (int i = 0; i < attune_test::rounds(20, 60); ++i) {
            attune::point const at = all.sample(draw);
            CAPTURE(text_of(space, at));
            std::string const code = write_program(derived.schedule(at).program);
            for (std::size_t p = 0; p < space.parameters.size(); ++p) {
                if (attune::detail::is_active(space, p, at)) continue;
                ++inactive;
                attune::schedule_choices other = choices_of(space, at);
                for (std::string const& label : space.parameters[p].labels) {
                    other.all[p].value = label;
                    CHECK(write_program(derived.schedule(other).program) == code);
                }
            }
        }
    }
    CHECK(inactive > attune_test::rounds(33, 100));
}
