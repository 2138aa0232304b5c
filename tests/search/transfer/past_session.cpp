// tests/search/transfer/past_session.cpp : mirrors include/attune/search/transfer/past_session.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/past_session.hpp>

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/automatic.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/schedule/derived_space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../support/search_spaces.hpp"

using attune::past_session;
using attune::detail::read_past;
using attune::detail::text_of_past;

namespace {

past_session const session{"for N=512, 3:4",
                           {"TILE", "a:b", ""},
                           {{{"{2, 8}", "1:\n\t", ""}, 0.1 + 0.2},
                            {{}, std::nullopt},
                            {{"7"}, std::numeric_limits<double>::denorm_min()}},
                           1.0 / 3};

} // namespace

TEST_CASE("a session reads back as it was, every number bit for bit")
{
    std::optional<past_session> const again = read_past(text_of_past(session));
    REQUIRE(again);
    CHECK(again->name == session.name);
    CHECK(again->weight == session.weight);
    CHECK(again->parameters == session.parameters);
    REQUIRE(again->outcomes.size() == session.outcomes.size());
    for (std::size_t i = 0; i < session.outcomes.size(); ++i) {
        CHECK(again->outcomes[i].values == session.outcomes[i].values);
        CHECK(again->outcomes[i].value == session.outcomes[i].value);
    }
    CHECK(again->has_level);
    past_session order = session;
    order.has_level = false;
    CHECK(text_of_past(order) != text_of_past(session));
    std::optional<past_session> const ordered = read_past(text_of_past(order));
    REQUIRE(ordered);
    CHECK_FALSE(ordered->has_level);
    CHECK(ordered->weight == session.weight);
    CHECK(text_of_past(*read_past(text_of_past({}))) == text_of_past({}));
}

TEST_CASE("a text that is cut or changed is no session, or another one")
{
    std::string const whole = text_of_past(session);
    std::size_t sessions = 0;
    for (std::size_t n = 0; n < whole.size(); ++n)
        if (read_past(whole.substr(0, n))) ++sessions;
    // After the parameters, and after each of the first two outcomes.
    CHECK(sessions == 3);
    for (std::string const text : {"", ":", "x:", "1:", "-1:a", "1:a1:x1:0", "1:a1:11:9", "1:a1:1",
                                   "99999999999999999999:a", "1:a1:120:99999999999999999999"})
        CHECK_FALSE(read_past(text));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = '9';
        if (auto const read = read_past(damaged)) CHECK(read->outcomes.size() <= whole.size());
    }
}

namespace {

using attune::coordinate;

/// Six parameters of eight values each; the least value is 1, at `optimum` in each.
double value_at(std::span<coordinate const> p, std::uint32_t optimum)
{
    double sum = 0;
    for (coordinate const& c : p) {
        double const from = static_cast<double>(c.index) - optimum;
        sum += from * from;
    }
    return std::exp(sum / 40);
}

attune::chain_of_trees space_with(std::function<double(std::span<coordinate const>)> expected)
{
    attune::space_builder space;
    for (char const* const name : {"A", "B", "C", "D", "E", "F"})
        space.ordinal(name, {1, 2, 4, 8, 16, 32, 64, 128}, 1);
    if (expected) space.expect(std::move(expected));
    return attune::chain_of_trees(space.made());
}

/// The best of so many evaluations.
double found(attune::chain_of_trees const& space, std::size_t evaluations, std::uint64_t seed)
{
    attune::search::automatic search(space, seed);
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < evaluations; ++i)
        for (attune::point const& p : search.ask(1)) {
            double const value = value_at(p, 5);
            best = std::min(best, value);
            search.tell(p, attune::measurement::exact(value));
        }
    return best;
}

} // namespace

TEST_CASE("the session of an expectation has random configurations and a way to better ones")
{
    auto const space = space_with([](std::span<coordinate const> p) { return value_at(p, 2); });
    attune::past_session const expected = attune::detail::session_of_expectation(space);
    CHECK(expected.parameters.size() == 6);
    CHECK(expected.outcomes.size() > 1000);
    double least = std::numeric_limits<double>::infinity();
    for (auto const& outcome : expected.outcomes) {
        REQUIRE(outcome.value.has_value());
        least = std::min(least, *outcome.value);
    }
    CHECK(least == 1); // the way ends at the optimum
}

TEST_CASE("a right expectation finds in three evaluations what a search without it does not in ten")
{
    auto const right =
        space_with([](std::span<coordinate const> p) { return 7 * value_at(p, 5) + 0.1; });
    auto const none = space_with({});
    double with = 0;
    double without = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        with += found(right, 3, seed) / 5;
        without += found(none, 10, seed) / 5;
    }
    CHECK(with < without);
    CHECK(with < 1.2);
}

TEST_CASE("a wrong expectation is believed until outcomes contradict it")
{
    auto const wrong = space_with([](std::span<coordinate const> p) { return 1 / value_at(p, 5); });
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        CHECK(found(wrong, 60, seed) < 1.2);
}

TEST_CASE("the expectations of a program's parts add up")
{
    attune::space_builder space;
    space.ordinal("A", {1, 2, 4}, 1);
    space.expect([](std::span<coordinate const> p) { return 1.0 + p[0].index; });
    space.expect([](std::span<coordinate const> p) { return 10.0 * p[0].index; });
    attune::description const made = space.made();
    std::vector<coordinate> at(1);
    at[0].index = 2;
    CHECK(made.expected(at) == 23);
}

using attune::past_session;
using attune::point;
using attune::detail::nearest_value;
using attune::detail::translate;
using attune::detail::translated_session;

namespace {

/// All points of `space`, the value of each its number.
past_session everything(attune::chain_of_trees const& space)
{
    past_session out;
    for (attune::parameter_description const& p : space.describe().parameters)
        out.parameters.push_back(p.name);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*space.size()); ++i) {
        attune::past_outcome row;
        point const at = space.at(i);
        for (std::size_t k = 0; k < at.size(); ++k)
            row.values.push_back(attune::text_of(space.describe().parameters[k], at[k]));
        if (i % 5 != 4) row.value = static_cast<double>(i);
        out.outcomes.push_back(row);
    }
    return out;
}

} // namespace

TEST_CASE("in the same space every configuration is translated to itself")
{
    for (attune::chain_of_trees const& space :
         {search_spaces::constrained(), search_spaces::grid(7), search_spaces::single()}) {
        translated_session const t = translate(space, everything(space));
        REQUIRE(t.where.size() == static_cast<std::size_t>(*space.size()));
        for (std::uint64_t i = 0; i < t.where.size(); ++i) {
            CHECK(t.where[i] == space.at(i));
            CHECK(t.value[i].has_value() == (i % 5 != 4));
            if (t.value[i]) CHECK(*t.value[i] == static_cast<double>(i));
        }
    }
}

TEST_CASE("a number that is not among the values becomes the one with the nearest ratio")
{
    attune::parameter_description const p = search_spaces::ordinal("TILE", {8, 16, 32, 64});
    auto const value = [&](std::string const& text) {
        return p.integers[nearest_value(p, text).first.index];
    };
    CHECK(value("16") == 16);
    CHECK(nearest_value(p, "16").second == 0);
    CHECK(value("20") == 16); // log2 of 20 / 16 is 0.32, of 32 / 20 0.68
    CHECK(value("24") == 32); // 0.58 and 0.42: by difference it would be a tie
    CHECK(nearest_value(p, "24").second == doctest::Approx(std::log2(32.0 / 24)));
    CHECK(value("1000000") == 64);
    CHECK(value("1") == 8);
    CHECK(value("48u") == 64);
    CHECK(value("11.9") == 16);
}

TEST_CASE("numbers that are not positive are compared by their difference")
{
    attune::parameter_description p = search_spaces::ordinal("SHIFT", {-4, 0, 8});
    CHECK(nearest_value(p, "-1").first.index == 1);
    CHECK(nearest_value(p, "-3").first.index == 0);
    CHECK(nearest_value(p, "-3").second == 1);
}

TEST_CASE("an interval takes the number that is nearest inside")
{
    attune::parameter_description const p = search_spaces::real("u", 0.5, 2);
    CHECK(nearest_value(p, "1.25").first.real == 1.25);
    CHECK(nearest_value(p, "8.0").first.real == 2);
    CHECK(nearest_value(p, "8.0").second == doctest::Approx(2)); // twice doubled
    CHECK(nearest_value(p, "-1.0").first.real == 0.5);
}

TEST_CASE("a tile becomes the one with the nearest factors")
{
    attune::parameter_description const p = search_spaces::tile("T", 16, 2);
    auto const text = [&](std::string const& from) {
        return attune::text_of(p, nearest_value(p, from).first);
    };
    CHECK(text("{2, 8}") == "{2, 8}");
    CHECK(text("{3, 5}") == "{4, 4}"); // 0.42 + 0.32; {2, 8}: 0.58 + 0.68
    CHECK(text("{4, 8}") == "{2, 8}"); // {4, 4} is one doubling away as well: the first of equals
    CHECK(text("{1, 64}") == "{1, 16}");
    CHECK(nearest_value(p, "{1, 2, 8}").second == 1); // another number of factors
}

TEST_CASE("what cannot be compared becomes the default, else the first value")
{
    attune::parameter_description p = search_spaces::categorical("order", {"row", "column"});
    CHECK(nearest_value(p, "column").first.index == 1);
    CHECK(nearest_value(p, "diagonal").first.index == 0);
    p.default_text = "column";
    CHECK(nearest_value(p, "diagonal").first.index == 1);
    CHECK(nearest_value(p, "diagonal").second == 1);
    attune::parameter_description const q = search_spaces::ordinal("TILE", {8, 16});
    CHECK(nearest_value(q, "many").first.index == 0);
    CHECK(nearest_value(q, "").first.index == 0);
    CHECK(nearest_value(q, "nan").first.index == 0);
}

TEST_CASE("parameters are found by name; new ones stand at their default, old ones are passed over")
{
    attune::description d;
    d.parameters = {search_spaces::ordinal("a", {1, 2, 4}),
                    search_spaces::ordinal("new", {3, 5, 7}),
                    search_spaces::ordinal("b", {10, 20})};
    d.parameters[1].default_text = "5";
    attune::chain_of_trees const space(d);
    past_session const s{"old", {"b", "gone", "a"}, {{{"20", "99", "4"}, 1.5}}};
    translated_session const t = translate(space, s);
    REQUIRE(t.where.size() == 1);
    CHECK(attune::text_of(d, t.where[0]) == "a=4 new=5 b=20");
    CHECK(t.value[0] == 1.5);
}

TEST_CASE("a configuration that breaks a constraint becomes the nearest valid one")
{
    attune::chain_of_trees const space = search_spaces::constrained(); // a + b <= 4
    past_session const s{"", {"a", "b", "c"}, {{{"2", "4", "y"}, 1.0}}};
    translated_session const t = translate(space, s);
    REQUIRE(t.where.size() == 1);
    CHECK(space.contains(t.where[0]));
    CHECK(t.where[0][2].index == 1);
    // One parameter has changed, not two.
    CHECK((t.where[0][0].index == 2) + (t.where[0][1].index == 4) == 1);
}

TEST_CASE("of outcomes at one configuration the nearest counts, and of equally near ones the best")
{
    attune::chain_of_trees const space = search_spaces::space_of(
        {search_spaces::ordinal("a", {8, 64}), search_spaces::ordinal("b", {1, 2})});
    std::vector<std::string> const names{"a", "b", "c"};
    auto const value = [&](std::vector<attune::past_outcome> outcomes) {
        translated_session const t = translate(space, {"", names, std::move(outcomes)});
        REQUIRE(t.where.size() == 1);
        return t.value[0];
    };
    CHECK(value({{{"9", "1", "0"}, 1.0}, {{"8", "1", "0"}, 2.0}, {{"10", "1", "0"}, 0.5}}) == 2.0);
    CHECK(value({{{"8", "1", "0"}, 3.0}, {{"8", "1", "1"}, 2.0}, {{"8", "1", "2"}, 2.5}}) == 2.0);
    CHECK(value({{{"8", "1", "0"}, {}}, {{"8", "1", "1"}, 2.0}, {{"8", "1", "2"}, {}}}) == 2.0);
    CHECK_FALSE(value({{{"9", "1", "0"}, 2.0}, {{"8", "1", "0"}, {}}}).has_value());
    CHECK_FALSE(value({{{"8", "1", "0"}, std::nan("")}}).has_value());
}

TEST_CASE("rows that are too short and sessions without rows do no harm")
{
    attune::chain_of_trees const space = search_spaces::grid(4);
    CHECK(translate(space, {}).where.empty());
    translated_session const t = translate(space, {"", {"x", "y"}, {{{"3"}, 1.0}, {{}, 2.0}}});
    REQUIRE(t.where.size() == 2);
    CHECK(t.where[0] == point{{3, 0}, {0, 0}});
    CHECK(t.where[1] == point{{0, 0}, {0, 0}});
}

TEST_CASE("the value of an inactive parameter is passed over")
{
    constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
    constexpr auto width = attune::ordinal<"WIDTH">(attune::values(1, 2, 4));
    attune::chain_of_trees const chain =
        attune::build(attune::space(design, width.active_if(design == "packed")));
    attune::past_session past;
    past.parameters = {"DESIGN", "WIDTH"};
    past.outcomes = {{{"plain", "4"}, 2.0}, {{"plain", "77"}, 3.0}, {{"packed", "4"}, 1.0}};
    attune::detail::translated_session const made = attune::detail::translate(chain, past);
    REQUIRE(made.where.size() == 2);
    CHECK(made.where[0] == attune::point{{0, 0}, {0, 0}});
    CHECK(made.value[0] == 2.0);
    CHECK(made.where[1] == attune::point{{1, 0}, {2, 0}});
}

TEST_CASE("arrays and long orders are translated as values")
{
    constexpr auto cut = attune::array_of<2>(attune::integer<"CUT">(1, 8));
    constexpr auto order = attune::permutation<"ORDER", 13>();
    attune::chain_of_trees const space =
        attune::build(attune::space(cut.with_default({3, 3}), order));
    std::string const items = "{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}";
    past_session past;
    past.parameters = {"ORDER", "CUT"};
    for (auto const& [o, c, value] :
         {std::tuple{items.c_str(), "{2, 7}", 1.0}, std::tuple{"{0, 1}", "{9, 1}", 2.0},
          std::tuple{items.c_str(), "{1, 2, 3}", 3.0}})
        past.outcomes.push_back({{o, c}, value});
    translated_session const t = translate(space, past);
    REQUIRE(t.where.size() == 3);
    std::vector<std::string> texts;
    for (point const& p : t.where)
        texts.push_back(attune::text_of(space.describe(), p));
    CHECK(texts[0] == "CUT={2, 7} ORDER=" + items);
    // The nearest elements; the first order for one that is none.
    CHECK(texts[1] == "CUT={8, 1} ORDER={0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}");
    CHECK(texts[2] == "CUT={3, 3} ORDER=" + items); // another number of elements
}
