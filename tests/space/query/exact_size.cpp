// tests/space/query/exact_size.cpp : mirrors include/attune/space/query/exact_size.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/exact_size.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../space_writer.hpp"

using attune::chain_of_trees;
using attune::exact_integer;
using attune_tests::space_writer;

TEST_CASE("integers number the configurations as at() does")
{
    space_writer w;
    auto const a = w.range("a", 1, 7);
    auto const b = w.range("b", 1, 7);
    w.labels("c", {"x", "y", "z"});
    w.require(w.join(attune::op::less, w.read(a), w.read(b)), "a < b");
    chain_of_trees const chain(w.out);
    REQUIRE(attune::exact_size(chain) == 63); // C(7, 2) * 3
    for (std::uint64_t i = 0; i < 63; ++i) {
        attune::space_index const index = attune::from_integer(chain, i);
        CHECK(chain.at(index) == chain.at(i));
        CHECK(attune::to_integer(chain, index) == i);
    }
}

TEST_CASE("sizes past 128 bits are exact")
{
    space_writer w;
    for (int i = 0; i < 50; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    chain_of_trees const chain(w.out);
    exact_integer const size = attune::exact_size(chain);
    CHECK(size.str() == "1" + std::string(50, '0'));
    CHECK_FALSE(chain.size());
    exact_integer const number = size * 2 / 7;
    CHECK(attune::to_integer(chain, attune::from_integer(chain, number)) == number);
    // In decimal, digit k is the value of parameter k.
    attune::point const p = chain.at(attune::from_integer(chain, exact_integer("123")));
    CHECK(p[49].index == 3);
    CHECK(p[48].index == 2);
    CHECK(p[47].index == 1);
    CHECK(p[0].index == 0);
}

TEST_CASE("leaf counts survive the way there and back")
{
    attune::leaf_count const n = (attune::leaf_count{0x0123456789abcdefULL} << 64) | 0xfedcba98ULL;
    CHECK(attune::detail::from_exact(attune::detail::to_exact(n)) == n);
    CHECK(attune::detail::to_exact(attune::detail::uncountable) == (exact_integer(1) << 128) - 1);
}

TEST_CASE("counts of a value past 128 bits are exact")
{
    space_writer w;
    for (int i = 0; i < 50; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    auto const a = w.range("a", 1, 5);
    auto const b = w.range("b", 1, 5);
    w.require(w.join(attune::op::less, w.read(a), w.read(b)), "a < b");
    chain_of_trees const chain(w.out);
    attune::marginals const counts(chain);
    CHECK_FALSE(counts.configurations(a, 1));
    CHECK(attune::exact_count(chain, counts, a, 1).str() == "3" + std::string(50, '0'));
    CHECK(attune::exact_count(chain, counts, a, 4) == 0);
    CHECK(attune::exact_count(chain, counts, 7, 3).str() == "1" + std::string(50, '0'));
}
