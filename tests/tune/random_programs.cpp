// tests/tune/random_programs.cpp - random programs under random schedules, compiled, against their statements.
// SPDX-License-Identifier: MIT
//
// By hand, some thousand programs, from another seed, with a sanitizer in the written code:
//
//     ATTUNE_TEST_PROGRAMS=5000 ATTUNE_TEST_SEED=1000 ATTUNE_TEST_NEST_FLAGS=-fsanitize=undefined
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/metaschedule.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <vector>

#include "../support/nest_runner.hpp"
#include "../support/random_nest.hpp"
#include "../support/random_schedule.hpp"
#include "../support/rounds.hpp"

namespace {

std::string from_environment(char const* name)
{
    char const* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool has_constant_extents(attune::nest_description const& nest)
{
    return std::all_of(nest.axes.begin(), nest.axes.end(), [](attune::nest_axis const& axis) {
        return axis.extent.input == attune::no_index && axis.extent.constant > 0;
    });
}

/// The program of one seed: random steps, a configuration of the derived space, or of a design of
/// MetaSchedule's, in turns.
attune::traced_program scheduled(attune::nest_description const& nest, std::uint64_t seed)
{
    attune::random_engine draw(seed);
    if (seed % 3 == 0) {
        support::random_scheduler by(nest, seed);
        attune::traced_program made = by.make(24);
        CHECK(by.broken() == "");
        return made;
    }
    if (seed % 6 == 1 && has_constant_extents(nest)) {
        auto const designs = attune::metaschedule_designs(nest, support::small_processor());
        auto const& design = designs[attune::uniform_below(draw, designs.size())];
        attune::chain_of_trees const space(design.space);
        return design.schedule(space.sample(draw));
    }
    attune::derived_space const derived(nest, support::small_processor());
    attune::chain_of_trees const space(derived.describe());
    return derived.schedule(space.sample(draw));
}

/// Programs of every kind of schedule for a compiler; without __bf16, which GCC 12 lacks.
support::nest_batch batch_without_bfloat(std::uint64_t first, std::uint64_t count)
{
    support::nest_batch batch;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        support::random_nest const drawn = support::nest_generator(seed).make();
        bool const has_bfloat =
            std::any_of(drawn.nest.arrays.begin(), drawn.nest.arrays.end(), [](auto const& array) {
                return array.element == attune::element_type::bf16;
            });
        if (has_bfloat) continue;
        attune::traced_program const made = scheduled(drawn.nest, seed);
        batch.add(made.program, drawn.nest, drawn.inputs,
                  "// seed " + std::to_string(seed) + '\n' + attune::text_of(made.trace));
    }
    return batch;
}

} // namespace

TEST_CASE("random programs compute the same by other compilers, and in threads")
{
    std::uint64_t const first = attune_test::number_from("ATTUNE_TEST_SEED", 100000);
    std::uint64_t const count = attune_test::number_from("ATTUNE_TEST_OTHERS", 24);
    support::nest_batch const batch = batch_without_bfloat(first, count);
    int used = 0;
    for (std::string const compiler : {"g++", "clang++-16", "clang++-19"})
        for (std::string const threads : {"", "-fopenmp"}) {
            if (attune::detail::find_program(compiler).empty()) continue;
            if (compiler == "clang++-19" && threads.empty()) continue; // the test below
            CAPTURE(compiler);
            CAPTURE(threads);
            std::vector<std::string> flags{"-O1", "-march=native", "-Wall", "-Werror",
                                           "-Wno-psabi"};
            flags.push_back(threads.empty() ? "-Wno-unknown-pragmas" : threads);
            std::string const wrong = batch.run(flags, compiler);
            bool const has_openmp = wrong.find("libomp") == std::string::npos &&
                                    wrong.find("-lomp") == std::string::npos;
            if (!threads.empty() && !has_openmp) {
                MESSAGE("skipped: " << compiler << " has no OpenMP");
                continue;
            }
            CHECK(wrong == "");
            ++used;
        }
    if (used == 0) MESSAGE("skipped: there is no other C++ compiler");
}

TEST_CASE("random programs under random schedules compute what their statements say")
{
    if (!support::has_compiler()) return;
    std::uint64_t const first = attune_test::number_from("ATTUNE_TEST_SEED", 0);
    std::uint64_t const count = attune_test::number_from("ATTUNE_TEST_PROGRAMS", 60);
    std::vector<std::string> flags{"-O1", "-march=native", "-w"};
    std::istringstream more(from_environment("ATTUNE_TEST_NEST_FLAGS"));
    for (std::string flag; more >> flag;)
        flags.push_back(flag);
    for (std::uint64_t from = first; from < first + count; from += 60) {
        support::nest_batch batch;
        for (std::uint64_t seed = from; seed < std::min(from + 60, first + count); ++seed) {
            support::random_nest const drawn = support::nest_generator(seed).make();
            std::string const label = "// seed " + std::to_string(seed);
            INFO(label);
            attune::traced_program made;
            try {
                made = scheduled(drawn.nest, seed);
            } catch (attune::error const& thrown) {
                CHECK(std::string(thrown.what()) == "");
                continue;
            }
            std::string const trace = attune::text_of(made.trace);
            if (!from_environment("ATTUNE_TEST_SHOW").empty())
                MESSAGE(attune::write_program(made.program, {"", false}));
            CHECK(attune::text_of(attune::read_trace(trace)) == trace);
            CHECK(attune::write_program(attune::replay_trace(drawn.nest, made.trace)) ==
                  attune::write_program(made.program));
            batch.add(made.program, drawn.nest, drawn.inputs, label + '\n' + trace);
        }
        CHECK(batch.run(flags) == "");
    }
}
