// tests/tune/random_graphs.cpp - random graphs of statements in three configurations, compiled, against their statements.
// SPDX-License-Identifier: MIT
//
// By hand, from another seed:  ATTUNE_TEST_PROGRAMS=2000 ATTUNE_TEST_SEED=1000
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../support/nest_runner.hpp"
#include "../support/random_graph.hpp"
#include "../support/rounds.hpp"

TEST_CASE("random graphs of statements compute what their statements say, in any configuration")
{
    if (!support::has_compiler()) return;
    std::uint64_t const first = attune_test::number_from("ATTUNE_TEST_SEED", 0);
    std::uint64_t const count = attune_test::number_from("ATTUNE_TEST_PROGRAMS", 20);
    std::size_t of_several = 0;
    std::size_t in_slices = 0;
    for (std::uint64_t from = first; from < first + count; from += 20) {
        support::nest_batch batch;
        for (std::uint64_t seed = from; seed < std::min(from + 20, first + count); ++seed) {
            support::random_nest const drawn =
                support::graph_generator(seed, 1, 33, seed % 3 == 0).make();
            attune::derived_space const derived(drawn.nest, support::small_processor());
            of_several += derived.rule_names().size() > 1 ? 1U : 0U;
            attune::chain_of_trees const space(derived.describe());
            attune::random_engine draw(seed);
            for (int c = 0; c < 3; ++c) {
                attune::point const at = space.sample(draw);
                std::string const label = "// seed " + std::to_string(seed) + ' ' +
                                          attune::text_of(space.describe(), at) + '\n';
                INFO(label);
                attune::traced_program made;
                try {
                    made = derived.schedule(at);
                } catch (attune::error const& thrown) {
                    CHECK(std::string(thrown.what()) == "");
                    continue;
                }
                in_slices += made.program.slices.empty() ? 0U : 1U;
                CHECK(attune::write_program(attune::replay_trace(drawn.nest, made.trace)) ==
                      attune::write_program(made.program));
                batch.add(made.program, drawn.nest, drawn.inputs, label);
            }
        }
        CHECK(batch.run() == "");
    }
    // The graphs have what is new in them.
    if (count >= 20) {
        CHECK(of_several > count / 4);
        CHECK(in_slices > 0);
    }
}
