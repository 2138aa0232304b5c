// tests/tune/program_structure.cpp - programs have equal structures exactly where their texts are equal.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/write_program.hpp>
#include <attune/core/random.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/metaschedule.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "../support/nest_examples.hpp"
#include "../support/random_schedule.hpp"

namespace {

/// The text of a program. The variables of fused loops, which have the numbers of loops (f3), have
/// those of the order in which they come.
std::string text_of_program(attune::loop_program const& program)
{
    std::string const text = attune::write_program(program, {"", false});
    auto const is_part = [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    std::string out;
    std::map<std::string, std::size_t> number;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_part(text[end]))
            ++end;
        std::string const word = text.substr(at, end - at);
        bool const is_fused = word.size() > 1 && word[0] == 'f' &&
                              word.find_first_not_of("0123456789", 1) == word.npos;
        if (is_fused)
            out += 'f' + std::to_string(number.emplace(word, number.size()).first->second);
        else
            out += word;
        if (end < text.size()) out += text[end];
        at = end + 1;
    }
    return out;
}

/// Programs by their structure and by their text.
struct known_programs {
    std::map<std::uint64_t, std::string> text;
    std::map<std::string, std::uint64_t> structure;
    std::string merged; ///< two different texts of one structure; empty: there are none
    std::string split;  ///< a text of two structures
    std::size_t equal = 0;

    void add(attune::loop_program const& program)
    {
        std::string const written = text_of_program(program);
        std::uint64_t const number = attune::structure_of(program);
        auto const [by_number, is_new] = text.emplace(number, written);
        auto const [by_text, is_new_text] = structure.emplace(written, number);
        if (!is_new && !is_new_text) ++equal;
        if (by_number->second != written) merged = by_number->second + written;
        if (by_text->second != number) split = written;
    }
};

attune::nest_description with_constant(attune::nest_description nest, std::size_t array)
{
    nest.arrays[array].is_constant = true;
    return nest;
}

std::vector<attune::nest_description> examples()
{
    return {support::matmul(64, 96, 40),
            support::matmul(13, 40, 130, true),
            support::matmul(1, 512, 300),
            support::matmul_of_inputs(),
            support::batched_int8(3, 32, 64, 20),
            support::convolution(14, 16, 32, 3, 1, 1),
            support::convolution(9, 3, 16, 3, 2, 1),
            support::convolution(14, 64, 32, 1, 1, 0),
            with_constant(support::matmul(64, 96, 200), 1),
            with_constant(support::convolution(14, 16, 32, 3, 1, 1), 1),
            support::matmul_of_lines(32, 48, 64, false),
            support::matmul_of_lines(32, 48, 64, true),
            support::depthwise(28, 32),
            support::dense_gelu(32, 64, 48),
            support::with_bias_and_relu(support::matmul(32, 64, 48)),
            support::with_bias_and_relu(support::convolution(14, 16, 32, 3, 1, 1)),
            support::softmax(48, 64),
            support::softmax(1 << 13, 1024), // its result is larger than the last cache
            support::sums_of_both(24, 40),
            support::shares(24, 40),
            support::argmax(16, 32)};
}

} // namespace

TEST_CASE("configurations of derived spaces have equal structures exactly where texts are equal")
{
    attune::processor_shape shape;
    shape.cores = 4;
    shape.l3_bytes = 1 << 24;
    std::size_t equal = 0;
    for (bool const is_own : {true, false}) {
        auto const rules = is_own ? attune::default_schedule_rules() : attune::metaschedule_rules();
        for (attune::nest_description const& nest : examples()) {
            if (!is_own && !nest.inputs.empty()) continue; // MetaSchedule's have constants alone
            attune::derived_space const derived(nest, shape, rules);
            attune::chain_of_trees const space(derived.describe());
            attune::random_engine draw(7);
            known_programs known;
            std::string const name = nest.name + (is_own ? "" : ", MetaSchedule's rules");
            for (attune::point const& at : attune::sample_distinct(space, 300, draw))
                known.add(derived.schedule(at).program);
            CAPTURE(name);
            CHECK(known.merged == "");
            CHECK(known.split == "");
            equal += known.equal;
        }
    }
    CHECK(equal > 10); // the law says something: there are equal ones
}

TEST_CASE("random schedules that have equal structures have equal texts")
{
    std::size_t equal = 0;
    for (attune::nest_description const& nest :
         {support::matmul(4, 8, 3), support::matmul_of_inputs(),
          support::convolution(5, 2, 4, 3, 1, 1), support::dense_gelu(3, 8, 5),
          support::softmax(3, 8)}) {
        known_programs known;
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            support::random_scheduler one(nest, seed);
            known.add(one.make(static_cast<int>(2 + seed % 5)).program);
        }
        CAPTURE(nest.name);
        CHECK(known.merged == "");
        equal += known.equal;
    }
    CHECK(equal > 100); // plenty of them are equal
}
