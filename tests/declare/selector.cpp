// tests/declare/selector.cpp : mirrors include/attune/declare/selector.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/declare/selector.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/build_pack.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "every_point.hpp"

using attune::description;
using attune::point;

namespace {

constexpr auto ways = attune::ordinal<"WAYS">(attune::values(2, 4, 8)).with_default(4);
constexpr auto bits = attune::ordinal<"BITS">(attune::values(4, 8));
constexpr auto prefetch = attune::boolean<"PREFETCH">();
constexpr auto sort = attune::selector<"SORT", 3>(
    attune::values(10, 20, 40), attune::algorithm("insertion"), attune::algorithm("merge", ways),
    attune::algorithm("radix", bits, prefetch));
constexpr auto quiet = attune::boolean<"QUIET">();
constexpr auto both = attune::space(sort, quiet);
constexpr auto count = attune::integer<"COUNT">(0, 3);
constexpr auto given = attune::array_of<3>(attune::integer<"GIVEN">(1, 4));

/// The algorithm for a size and what it is run with; -1 for a parameter that is not its own.
using act = std::tuple<std::string, int, int, int>;

template <class Config>
act act_of(Config const& config, int size)
{
    auto const chosen = sort.choose(config, size);
    if (chosen.algorithm == "merge") return {"merge", chosen[ways], -1, -1};
    if (chosen.algorithm == "radix") return {"radix", -1, chosen[bits], chosen[prefetch] ? 1 : 0};
    return {std::string(chosen.algorithm), -1, -1, -1};
}

/// Binomial coefficient.
std::uint64_t ways_to_take(std::uint64_t of, std::uint64_t taken)
{
    return taken == 0 ? 1 : ways_to_take(of - 1, taken - 1) * of / taken;
}

} // namespace

TEST_CASE("a selector has as many configurations as there are ways to run sizes")
{
    // Of a acts and m cut-offs, r ranges: C(m, r - 1) places of cut-offs, a acts for the first
    // range, a - 1 for each other one.
    std::uint64_t const acts = 1 + 3 + 2 * 2;
    std::uint64_t expected = 0;
    std::uint64_t others = 1;
    for (std::uint64_t ranges = 1; ranges <= 3; ++ranges, others *= acts - 1)
        expected += ways_to_take(3, ranges - 1) * acts * others;
    auto const chain = attune::build(both);
    REQUIRE(chain.is_exact());
    CHECK(*chain.size() == 2 * expected);

    // The configurations of the tree are those that the cut-offs and acts tell apart.
    std::set<std::vector<act>> seen;
    for (std::uint64_t i = 0; i < 2 * expected; ++i) {
        auto const config = attune::decode(both, chain.describe(), chain.at(i));
        if (config[quiet]) continue;
        std::vector<act> runs;
        for (int const size : {0, 9, 10, 19, 20, 39, 40, 1000})
            runs.push_back(act_of(config, size));
        CHECK(seen.insert(runs).second);
        for (std::size_t k = 0; k < runs.size(); k += 2) // sizes between the same cut-offs
            CHECK(runs[k] == runs[k + 1]);
    }
    CHECK(seen.size() == expected);
}

TEST_CASE("what is valid agrees with enumeration")
{
    constexpr auto two = attune::selector<"RUN", 2>(attune::values(1, 2), attune::algorithm("a"),
                                                    attune::algorithm("b", bits));
    auto const chain = attune::build(attune::space(two));
    description const& d = chain.describe();
    std::size_t valid = 0;
    for (point const& p : attune_tests::every_point(d)) {
        // RUN_RANGES, RUN_CUT[0], RUN[0], RUN[1], BITS[0], BITS[1]
        auto const at = [&](std::size_t i) { return p[i].index; };
        bool const is_one = at(0) == 0;
        bool good = !is_one || (at(1) == 0 && at(3) == 0);           // inactive: at the first value
        good = good && (at(2) == 1 || at(4) == 0);                   // BITS[0] counts for b
        good = good && (at(3) == 1 || at(5) == 0);                   // and so does BITS[1]
        good = good && (is_one || at(2) != at(3) || at(4) != at(5)); // neighbours differ
        CHECK(chain.contains(p) == good);
        valid += good ? 1 : 0;
    }
    CHECK(*chain.size() == valid);
}

TEST_CASE("configurations of a selector are read back from their texts")
{
    auto const chain = attune::build(both);
    description const& d = chain.describe();
    for (std::uint64_t i = 0; i < *chain.size(); i += 7) {
        point const p = chain.at(i);
        point again(p.size());
        for (attune::detail::named_value const& v : attune::detail::named_values(d))
            REQUIRE(attune::detail::set_value(d, v, again, attune::detail::text_at(d, v, p)));
        CHECK(again == p);
    }
}

TEST_CASE("the default of a selector names algorithms and cut-offs")
{
    constexpr auto with = sort.with_default({"insertion", "radix"}, {20});
    description const d = attune::build(attune::space(with)).describe();
    point p(d.parameters.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        p[i] = attune::detail::default_of(d.parameters[i]);
    attune::detail::settle(d, p);
    CHECK(attune::text_of(d, p) == "SORT_RANGES=2 SORT_CUT={20, 20} SORT={insertion, radix, radix} "
                                   "WAYS=(inactive) BITS={4, 4, 4} PREFETCH={false, false, false}");
    auto const config = attune::decode(attune::space(with), d, p);
    CHECK(with.choose(config, 19).algorithm == "insertion");
    CHECK(with.choose(config, 20).algorithm == "radix");
    CHECK(with.choose(config, 20).range == 1);
    CHECK(with.choose(config, std::size_t{20}).range == 1);

    constexpr auto alone = sort.with_default("merge");
    description const one = attune::build(attune::space(alone)).describe();
    CHECK(one.parameters[0].default_text == "1");
    CHECK(one.parameters[3].default_text == "merge");
    CHECK_THROWS_AS((void)sort.with_default({"merge", "radix"}, {21}), attune::declaration_error);
    CHECK_THROWS_AS((void)sort.with_default({"merge", "radix", "insertion"}, {20, 20}),
                    attune::declaration_error);
    CHECK_THROWS_AS((void)sort.with_default("bubble"), attune::declaration_error);
}

TEST_CASE("cut-offs and sizes are whole or real, and characters count as numbers")
{
    constexpr auto whole = attune::selector<"W", 2>(
        attune::values(10, 20), attune::algorithm("few"), attune::algorithm("many"));
    constexpr auto real = attune::selector<"X", 2>(
        attune::values(0.5, 2.5), attune::algorithm("few"), attune::algorithm("many"));
    constexpr auto with = attune::space(whole.with_default({"few", "many"}, {10}),
                                        real.with_default({"few", "many"}, {2.5}));
    description const d = attune::build(with).describe();
    point p(d.parameters.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        p[i] = attune::detail::default_of(d.parameters[i]);
    attune::detail::settle(d, p);
    auto const config = attune::decode(with, d, p);
    CHECK(whole.choose(config, 9.75).algorithm == "few");
    CHECK(whole.choose(config, 10.0F).algorithm == "many");
    CHECK(whole.choose(config, char{9}).algorithm == "few");
    CHECK(whole.choose(config, char8_t{10}).algorithm == "many");
    CHECK(whole.choose(config, true).algorithm == "few");
    CHECK(whole.choose(config, std::int64_t{-1}).algorithm == "few");
    CHECK(whole.choose(config, ~std::uint64_t{0}).algorithm == "many");
    CHECK(real.choose(config, 2).algorithm == "few");
    CHECK(real.choose(config, std::size_t{3}).algorithm == "many");
    CHECK(real.choose(config, 2.4375).algorithm == "few");
    CHECK(real.choose(config, 2.5).algorithm == "many");
}

TEST_CASE("a space with selectors says where they are, and takes more constraints")
{
    constexpr auto n = attune::input<"LARGEST", int>();
    constexpr auto search = attune::selector<"FIND", 2>(
        attune::powers_of_two(1, n), attune::algorithm("linear"), attune::algorithm("binary"));
    constexpr auto space =
        attune::space(quiet, search, sort).where(sort[ways][0] != 8, search.ranges == 2);
    auto const chain = attune::build(space, {n(8)});
    description const& d = chain.describe();
    REQUIRE(d.selectors.size() == 2);
    CHECK(d.selectors[0].first == 1);
    CHECK(d.selectors[0].ranges == 2);
    CHECK(d.selectors[0].parameters == 0);
    CHECK(d.selectors[1].first == 1 + d.selectors[0].count());
    CHECK(d.selectors[1].parameters == 3);
    attune::selector_description const& s = d.selectors[1];
    CHECK(d.parameters[s.first].name == "SORT_RANGES");
    CHECK(d.parameters[s.cut(1)].name == "SORT_CUT[1]");
    CHECK(d.parameters[s.algorithm(2)].name == "SORT[2]");
    CHECK(d.parameters[s.parameter(0, 0)].name == "WAYS[0]");
    CHECK(d.parameters[s.parameter(2, 2)].name == "PREFETCH[2]");
    CHECK(s.first + s.count() == d.parameters.size());
    CHECK(d.selector_at(s.first) == &s);
    CHECK(d.selector_at(s.first + 1) == nullptr);
    // Four cut-offs, two orders of two algorithms; the first range of the other selector is not run
    // by 8 ways: 7 acts instead of 8.
    CHECK(*chain.size() == 2 * (4 * 2) * (7 + 3 * 7 * 7 + 3 * 7 * 7 * 7));
}

TEST_CASE("elements of an array may count under conditions of their own")
{
    constexpr auto each = [](std::size_t i) { return count > static_cast<int>(i); };
    auto const chain = attune::build(attune::space(count, given.active_if_each(each)));
    CHECK(*chain.size() == 1 + 4 + 16 + 64);
    CHECK(chain.describe().parameters[2].active.text == "COUNT > 1");
    // Together with one for all of them, before or behind.
    CHECK(*attune::build(attune::space(count, quiet, given.active_if(quiet).active_if_each(each)))
               .size() == 4 + (1 + 4 + 16 + 64));
    CHECK(*attune::build(attune::space(count, quiet, given.active_if_each(each).active_if(quiet)))
               .size() == 4 + (1 + 4 + 16 + 64));
    constexpr auto even = [](std::size_t i) { return count != 2 * static_cast<int>(i); };
    CHECK(*attune::build(attune::space(count, given.active_if_each(each).active_if_each(even)))
               .size() == 1 + 4 + 4 + 64); // of COUNT == 2 element 1 does not count
    // Spaces that differ in the condition of an element have other schemas.
    constexpr auto late = [](std::size_t i) { return count > (i == 2 ? 0 : static_cast<int>(i)); };
    CHECK(attune::detail::schema_text(
              attune::lower(attune::space(count, given.active_if_each(each)))) !=
          attune::detail::schema_text(
              attune::lower(attune::space(count, given.active_if_each(late)))));
}
