// tests/space/query/configuration_range.cpp : mirrors include/attune/space/query/configuration_range.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/configuration_range.hpp>

#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../support/texts.hpp"
#include "../space_generator.hpp"

using attune::chain_of_trees;
using attune::configuration_range;
using attune::configurations;
using attune::leaf_count;
using attune::op;
using attune::part_of;
using attune::point;
using attune::whole_range;
using attune_tests::space_writer;

namespace {

/// The configurations of all parts, one part after the other, are those of brute force, each once,
/// and follow each other in the order of their numbers.
void check_parts(attune::description const& space)
{
    chain_of_trees const chain(space);
    std::vector<point> const valid = attune_tests::valid_settings(chain.describe());
    attune_tests::point_set const expected(valid.begin(), valid.end());
    configuration_range const all = whole_range(chain);
    REQUIRE(all == configuration_range{0, valid.size()});
    for (std::uint64_t const parts : {1U, 2U, 3U, 7U, 16U, 1000U}) {
        std::vector<point> listed;
        std::size_t shortest = valid.size(), longest = 0;
        for (std::uint64_t part = 1; part <= parts; ++part) {
            std::size_t const before = listed.size();
            for (point const& p : configurations(chain, part_of(all, part, parts)))
                listed.push_back(p);
            shortest = std::min(shortest, listed.size() - before);
            longest = std::max(longest, listed.size() - before);
        }
        CHECK(longest - shortest <= 1);
        REQUIRE(listed.size() == valid.size());
        CHECK(attune_tests::point_set(listed.begin(), listed.end()) == expected);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < listed.size(); ++i)
            wrong += listed[i] != chain.at(std::uint64_t{i}) ? 1U : 0U;
        CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE("the parts of a space, one after the other, are its valid configurations in order")
{
    attune_tests::space_generator generator(41);
    for (int tried = 0; tried < 60;) {
        attune::description const space = generator.draw(400);
        if (attune_tests::valid_settings(space).empty()) continue;
        CAPTURE(tried);
        check_parts(space);
        ++tried;
    }
}

TEST_CASE("the same where some parameters are conditional")
{
    attune_tests::space_generator generator(42);
    for (int tried = 0; tried < 40;) {
        attune::description space = generator.draw_conditional();
        attune::detail::settle_conditions(space);
        if (attune_tests::valid_settings(space).empty()) continue;
        CAPTURE(tried);
        check_parts(space);
        ++tried;
    }
}

TEST_CASE("parts of a range follow each other without a gap")
{
    configuration_range const whole{5, 22};
    CHECK(part_of(whole, 1, 3) == configuration_range{5, 11});
    CHECK(part_of(whole, 2, 3) == configuration_range{11, 17});
    CHECK(part_of(whole, 3, 3) == configuration_range{17, 22});
    CHECK(part_of(whole, 18, 20).is_empty());
    CHECK(part_of({7, 7}, 1, 2).is_empty());
    for (std::uint64_t const part : {0U, 4U}) // of processes that count from 0
        CHECK_THROWS_AS((void)part_of(whole, part, 3), attune::error);
    CHECK_THROWS_AS((void)part_of(whole, 0, 0), attune::error);
    // 2^127 + 3 numbers, which do not fit 128 bits once they are multiplied by a part
    leaf_count const many = (leaf_count{1} << 127U) + 3;
    leaf_count last = 0;
    for (std::uint64_t part = 1; part <= 1'000'003; ++part) {
        configuration_range const one = part_of({0, many}, part, 1'000'003);
        if (one.first != last) FAIL("a gap before part " << part);
        last = one.last;
    }
    CHECK(last == many);
}

TEST_CASE("a range begins anywhere in a space whose numbers need more than 64 bits")
{
    space_writer w;
    for (int i = 0; i < 6; ++i) {
        auto const a = w.range("a" + std::to_string(i), 1, 100);
        auto const b = w.range("b" + std::to_string(i), 1, 100);
        auto const c = w.range("c" + std::to_string(i), 1, 100);
        w.require(w.join(op::less_equal, w.read(a), w.read(b)), "a <= b");
        w.require(w.join(op::less_equal, w.read(b), w.read(c)), "b <= c");
    }
    chain_of_trees const chain(w.out);
    configuration_range const all = whole_range(chain); // (100 * 101 * 102 / 6)^6
    REQUIRE(attune::detail::to_exact(all.last) == attune::exact_size(chain));
    attune::exact_integer number = attune::exact_size(chain) * 2 / 3;
    leaf_count const first = attune::detail::from_exact(number);
    int seen = 0;
    for (point const& p : configurations(chain, configuration_range{first, first + 300})) {
        CHECK(p == chain.at(attune::from_integer(chain, number++)));
        ++seen;
    }
    CHECK(seen == 300);
    seen = 0;
    for (point const& p : configurations(chain, configuration_range{all.last - 2, all.last}))
        seen += p.empty() ? 0 : 1;
    CHECK(seen == 2);
}

TEST_CASE("a space of 2^128 configurations or more has no numbers")
{
    space_writer w;
    for (int i = 0; i < 129; ++i)
        w.boolean("b" + std::to_string(i));
    CHECK(attune_test::has(
        attune_test::error_of([&] { static_cast<void>(whole_range(chain_of_trees(w.out))); }),
        "2^128 configurations or more"));
}
