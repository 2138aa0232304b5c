// tests/space/long_range.cpp : a range of ten million values takes part without a table of them
// SPDX-License-Identifier: MIT
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/query/space_report.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::chain_of_trees;
using attune::point;

namespace {

/// x in 1 .. 10^7, y in {3000, 7000}.
attune::description with(std::string const& constraint)
{
    std::string const list = constraint.empty() ? "" : '"' + constraint + '"';
    return attune::bind_inputs(
        attune::read_spaces_json(R"({"params": [{"name": "x", "range": [1, 10000000]},
        {"name": "y", "values": [3000, 7000]}], "constraints": [)" +
                                 list + "]}")
            .front()
            .space);
}

/// Every configuration asked for is where `x(i)`, the i-th value of x, says.
template <class ValueOfX>
void check_numbering(chain_of_trees const& chain, std::uint64_t values, ValueOfX const& x)
{
    REQUIRE(chain.size() == attune::leaf_count{2 * values});
    attune::parameter_description const& parameter = chain.describe().parameters[0];
    CHECK(parameter.integers.empty());
    for (std::uint64_t const i : {std::uint64_t{0}, std::uint64_t{1}, values / 3, values - 1}) {
        point const p = chain.at(2 * i + 1);
        CHECK(parameter.integer_at(p[0].index) == x(i));
        CHECK(p[1].index == 1);
        CHECK(chain.contains(p));
        auto const index = chain.index_of(p);
        REQUIRE(index);
        CHECK(chain.at(*index) == p);
        for (point const& near : chain.neighbours(p))
            CHECK(chain.contains(near));
        std::size_t const steps = 1 + (i > 0 ? 1U : 0U) + (i + 1 < values ? 1U : 0U);
        CHECK(chain.neighbours(p).size() == steps);
        std::vector<point> const near = nearest_valid(chain, p, {.count = 1});
        REQUIRE(near.size() == 1);
        CHECK(near.front()[1] == p[1]);
        std::int64_t const away =
            parameter.integer_at(near.front()[0].index) - parameter.integer_at(p[0].index);
        std::uint64_t const beside = i > 0 ? i - 1 : 1;
        CHECK(std::abs(away) <= std::abs(x(beside) - x(i)));
    }
    attune::random_engine engine(3);
    for (int k = 0; k < 100; ++k)
        CHECK(chain.contains(chain.sample(engine)));
}

} // namespace

TEST_CASE("all of a long range is valid where nothing constrains it")
{
    check_numbering(chain_of_trees(with("")), 10'000'000,
                    [](std::uint64_t i) { return static_cast<std::int64_t>(i) + 1; });
}

TEST_CASE("constraints on a long range leave the values on which they hold")
{
    check_numbering(chain_of_trees(with("x % 1000 == 0")), 10'000,
                    [](std::uint64_t i) { return 1000 * (static_cast<std::int64_t>(i) + 1); });
    check_numbering(chain_of_trees(with("x >= 1000 and 4 * x <= 20000000")), 4'999'001,
                    [](std::uint64_t i) { return static_cast<std::int64_t>(i) + 1000; });
    check_numbering(chain_of_trees(with("x != 7")), 9'999'999,
                    [](std::uint64_t i) { return static_cast<std::int64_t>(i) + (i < 6 ? 1 : 2); });
}

TEST_CASE("a long range is tied to another parameter once its own constraints make it short")
{
    attune::description space = with("x % 1000 == 0 and x % y == 0");
    chain_of_trees const chain(space);
    CHECK(chain.size() == attune::leaf_count{10'000'000 / 3000 + 10'000'000 / 7000});
    CHECK_THROWS_WITH_AS(chain_of_trees(with("x < 0")),
                         doctest::Contains("holds for no configuration\n  where: x < 0"),
                         attune::error);
}

TEST_CASE("a constraint that ties a whole long range to another parameter is past the limits")
{
    attune::build_options options;
    options.max_visits = 1'000'000;
    options.wide = attune::when_wide::refuse;
    CHECK_THROWS_WITH_AS(chain_of_trees(with("x % y == 0"), options),
                         doctest::Contains("tied by x % y == 0"), attune::error);
}

TEST_CASE("a long range is walked, counted, reported and written")
{
    chain_of_trees const chain(with("x > 9999990"));
    std::vector<std::string> seen;
    for (point const& p : attune::configurations(chain))
        seen.push_back(attune::text_of(chain.describe(), p));
    REQUIRE(seen.size() == 20);
    CHECK(seen.front() == "x=9999991 y=3000");
    CHECK(seen.back() == "x=10000000 y=7000");

    chain_of_trees const wide(with("x <= 5000000"));
    attune::configuration_iterator at(wide, {{4'999'998, 1}});
    CHECK(attune::text_of(wide.describe(), *++at) == "x=5000000 y=3000");
    CHECK(attune::text_of(wide.describe(), *++at) == "x=5000000 y=7000");
    CHECK(++at == std::default_sentinel);
    attune::marginals const counts(wide);
    CHECK(counts.configurations(0, 4'999'999) == attune::leaf_count{2});
    CHECK(counts.configurations(0, 5'000'000) == attune::leaf_count{0});
    CHECK(attune::report_on(wide).trees[0].leaves == 5'000'000);

    CHECK(attune::write_space_json({"", wide.describe(), "", ""}).find("[1,10000000]") !=
          std::string::npos);
    CHECK(attune::write_smtlib(wide.describe()).find("(<= 1 |x| 10000000)") != std::string::npos);
}

TEST_CASE("a range follows its input from short to long")
{
    auto const read = attune::read_spaces_json(R"({"inputs": {"N": "integer"},
        "params": [{"name": "x", "range": [0, "N"], "step": 4}]})");
    auto const n = [](std::int64_t v) {
        return std::vector<attune::input_value>{{"N", attune::number::of(v)}};
    };
    auto const bound = [&](std::int64_t v) {
        return attune::bind_inputs(read.front().space, n(v));
    };
    chain_of_trees const few(bound(9));
    CHECK(few.size() == attune::leaf_count{3});
    chain_of_trees const many = few.rebuilt(bound(40'000'000));
    CHECK(many.size() == attune::leaf_count{10'000'001});
    CHECK(many.rebuilt(bound(44'000'000)).size() == attune::leaf_count{11'000'001});
    CHECK(many.rebuilt(bound(7)).size() == attune::leaf_count{2});
    CHECK(attune::write_smtlib(many.describe())
              .find("(and (<= 0 |x| 40000000) (= 0 (mod (- |x| 0) 4)))") != std::string::npos);
}
