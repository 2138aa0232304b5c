// tests/space/conditions/clauses.cpp : mirrors attune/space/conditions/clauses.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/clauses.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

std::string const params = R"({"params": [{"name": "A", "values": [1, 2, 4, 8, 16]},
    {"name": "B", "values": [false, true]}, {"name": "C", "range": [-2, 3]},
    {"name": "M", "values": ["x", "y", "z"]}], "constraints": [)";
constexpr std::size_t combinations = 5 * 2 * 6 * 3;

std::string quoted(std::vector<std::string> const& constraints)
{
    std::string out;
    for (std::string const& c : constraints)
        out += (out.empty() ? "'" : ", '") + c + '\'';
    for (char& c : out)
        if (c == '\'') c = '"';
    return out;
}

attune::description space_of(std::string const& head, std::vector<std::string> const& constraints)
{
    return attune::bind_inputs(
        attune::read_spaces_json(head + quoted(constraints) + "]}").front().space);
}

std::size_t count_of(attune::description const& space)
{
    return static_cast<std::size_t>(attune::chain_of_trees(space).size().value());
}

/// Tests each configuration by the evaluator.
std::size_t counted_one_by_one(attune::description const& space)
{
    attune::detail::evaluator const read(space);
    attune::point at(space.parameters.size());
    std::size_t out = 0;
    for (std::size_t i = 0; i < combinations; ++i) {
        std::size_t rest = i;
        for (std::size_t p = 0; p < at.size(); ++p) {
            at[p].index = static_cast<std::uint32_t>(rest % space.parameters[p].value_count());
            rest /= space.parameters[p].value_count();
        }
        bool holds = true;
        for (auto const& c : space.constraints)
            holds = holds && read.holds(c, at);
        out += holds ? 1 : 0;
    }
    return out;
}

/// How many settings of parameters with equally many values satisfy all constraints.
std::size_t brute_force(attune::description const& space)
{
    std::size_t const count = space.parameters.size();
    std::size_t const values = space.parameters[0].value_count();
    std::size_t settings = 1, right = 0;
    for (std::size_t p = 0; p < count; ++p)
        settings *= values;
    attune::detail::evaluator const read(space);
    attune::point at(count);
    for (std::size_t i = 0; i < settings; ++i) {
        for (std::size_t p = 0, rest = i; p < count; ++p, rest /= values)
            at[p].index = static_cast<std::uint32_t>(rest % values);
        right += std::all_of(space.constraints.begin(), space.constraints.end(),
                             [&](auto const& c) { return read.holds(c, at); });
    }
    return right;
}

} // namespace

TEST_CASE("many forbidden configurations leave the others, apart, in one `and` and in one `or`")
{
    std::string const head = R"({"params": [{"name": "A", "values": [0, 1, 2, 3, 4, 5, 6, 7]},
        {"name": "B", "values": [0, 1, 2, 3, 4, 5, 6, 7]},
        {"name": "C", "values": [0, 1, 2, 3, 4, 5, 6, 7]},
        {"name": "D", "values": [0, 1, 2, 3, 4, 5, 6, 7]}], "constraints": [)";
    attune::random_engine engine(3);
    std::set<std::string> some;
    while (some.size() < 800) {
        std::string one;
        for (char const* const name : {"A", "B", "C", "D"})
            one += (one.empty() ? "" : " and ") + std::string(name) +
                   " == " + std::to_string(attune::uniform_below(engine, 8));
        some.insert(one);
    }
    std::vector<std::string> apart;
    std::string all, any;
    for (std::string const& one : some) {
        apart.push_back("not (" + one + ")");
        all += (all.empty() ? "" : " and ") + apart.back();
        any += (any.empty() ? "(" : " or (") + one + ')';
    }
    CHECK(count_of(space_of(head, apart)) == 4096 - 800);
    CHECK(count_of(space_of(head, {all})) == 4096 - 800);
    CHECK(count_of(space_of(head, {"not (" + any + ")"})) == 4096 - 800);
    CHECK(count_of(space_of(head, {any})) == 800);
    // An operation on several parameters stands beside them.
    apart.push_back("A + B <= 9");
    std::size_t right = 0;
    for (int i = 0; i < 4096; ++i) {
        int const v[] = {i % 8, i / 8 % 8, i / 64 % 8, i / 512};
        std::string one;
        for (int k = 0; k < 4; ++k)
            one +=
                (k == 0 ? "" : " and ") + std::string(1, "ABCD"[k]) + " == " + std::to_string(v[k]);
        right += v[0] + v[1] <= 9 && !some.contains(one) ? 1 : 0;
    }
    CHECK(count_of(space_of(head, apart)) == right);
}

TEST_CASE("x != i and x in a list, many times")
{
    std::vector<std::string> unequal;
    std::string list;
    for (int i = 0; i < 5000; ++i) {
        unequal.push_back("x != " + std::to_string(2 * i));
        list += (i == 0 ? "" : ", ") + std::to_string(3 * i);
    }
    std::string const head = R"({"params": [{"name": "x", "range": [1, 10000]}], "constraints": [)";
    CHECK(count_of(space_of(head, unequal)) == 5001); // 10000 is none of them
    CHECK(count_of(space_of(head, {"x in [" + list + "]"})) == 3333);
    CHECK(count_of(space_of(head, {"x not in [" + list + "]"})) == 10000 - 3333);
}

TEST_CASE("clauses of any terms of one parameter mean what the evaluator says")
{
    char const* const terms[] = {"A == 4",    "A != 8",    "A > 2",    "A % 4 == 0",
                                 "B",         "not B",     "C == -1",  "C != 3",
                                 "C * C > 3", "M == 'x'",  "M != 'y'", "C in [0, 2]",
                                 "3 == C",    "A / C > 1", "A == 3.0", "2 < C < 3"};
    attune::random_engine engine(7);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> constraints;
        bool const in_one = round % 2 == 1;
        for (int c = 0; c < 24; ++c) {
            std::string one;
            for (std::uint64_t k = attune::uniform_below(engine, 3) + 2; k-- > 0;) {
                std::size_t const most = round % 4 < 2 ? std::size(terms) - 3 : std::size(terms);
                std::string term = terms[attune::uniform_below(engine, most)];
                for (std::size_t at; (at = term.find('\'')) != term.npos;)
                    term.replace(at, 1, "\\\"");
                one += (one.empty() ? "(" : " and ") + term;
            }
            one += ')';
            if (in_one)
                constraints.assign(1, constraints.empty() ? one : constraints[0] + " or " + one);
            else
                constraints.push_back("not " + one);
        }
        attune::description const space = space_of(params, constraints);
        std::size_t const right = counted_one_by_one(space);
        INFO(quoted(constraints));
        if (right > 0) CHECK(count_of(space) == right);
    }
}

TEST_CASE("comparisons with integers on thousands of values remove what an evaluator removes")
{
    std::string unsorted, doubled, reals;
    for (int i = 0; i < 5'000; ++i) {
        unsorted += (i == 0 ? "" : ",") + std::to_string(i * 7 % 5'000);
        doubled += (i == 0 ? "" : ",") + std::to_string(2 * i - 300);
        reals += (i == 0 ? "" : ",") + std::to_string(i) + ".5";
    }
    for (std::string const& values :
         {std::string(R"("range": [-20, 9000], "step": 2)"),
          std::string(R"("range": [1, 3000000])"), "\"values\": [" + unsorted + ']',
          "\"values\": [" + doubled + ']', "\"values\": [" + reals + ']'}) {
        std::string const head =
            R"({"params": [{"name": "x", )" + values + R"(}], "constraints": [)";
        for (std::vector<std::string> const& constraints : std::vector<std::vector<std::string>>{
                 {"x != 8"},
                 {"x != 8", "x != 10", "9 != x", "x != 100000000"},
                 {"x == 12 or x == 13 or 14 == x"},
                 {"x in [10, 20, 20, 5001]"},
                 {"not (x == 14 or x == 16)", "x < 4000"},
                 {"x != 8 and (x == 10 or x == 8 or x == 12)"},
                 {"x == 10 or not x == 10"},
                 {"x != 10 or x != 12"}}) {
            attune::description const space = space_of(head, constraints);
            attune::detail::evaluator const read(space);
            std::uint64_t wanted = 0;
            attune::point at(1);
            std::vector<std::uint32_t> valid;
            for (std::uint32_t i = 0; i < space.parameters[0].value_count(); ++i) {
                at[0].index = i;
                bool holds = true;
                for (auto const& c : space.constraints)
                    holds = holds && read.holds(c, at);
                if (holds && wanted++ % 997 == 0) valid.push_back(i);
            }
            CAPTURE(constraints[0]);
            if (wanted == 0) continue;
            attune::chain_of_trees const chain(space);
            CHECK(chain.size().value() == wanted);
            for (std::uint32_t const i : valid)
                CHECK(chain.contains(attune::point{{i, 0}}));
        }
    }
}

TEST_CASE(
    "conjunctions inside a disjunction, ranges and sums against many constants, by brute force")
{
    char const* const terms[] = {"A == 4",
                                 "A >= 4",
                                 "C < 1",
                                 "(A == 2 and C > 0)",
                                 "not (C == 1 or A == 8)",
                                 "M == 'x'",
                                 "M in ['y', 'z']",
                                 "(B or C >= 2)",
                                 "2 <= A <= 8"};
    attune::random_engine engine(19);
    std::size_t met = 0;
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> constraints;
        for (int c = 0; c < 20; ++c) {
            std::string one;
            for (std::uint64_t k = attune::uniform_below(engine, 4) + 1; k-- > 0;)
                one += (one.empty()  ? ""
                        : k % 2 == 0 ? " or "
                                     : " and ") +
                       std::string(terms[attune::uniform_below(engine, std::size(terms))]);
            if (attune::uniform_below(engine, 3) == 0)
                constraints.push_back("not (" + one + ")");
            else if (round % 3 == 0)
                constraints.push_back(one + " or C == 2 or C == -1 or M == 'y'");
        }
        std::string sums;
        for (int k = 0; k < 12; ++k)
            sums += (k == 0 ? "" : ", ") + std::to_string(attune::uniform_below(engine, 24));
        constraints.push_back(round % 2 == 0 ? "A + C not in [" + sums + "]"
                                             : "A * C in [" + sums + "] or B");
        for (int k = 0; k < 10; ++k)
            constraints.push_back("A * C + C != " +
                                  std::to_string(attune::uniform_below(engine, 60)));
        for (std::string& c : constraints)
            for (std::size_t at; (at = c.find('\'')) != c.npos;)
                c.replace(at, 1, "\\\"");
        attune::description const space = space_of(params, constraints);
        std::size_t const right = counted_one_by_one(space);
        INFO(quoted(constraints));
        if (right == 0) continue;
        ++met;
        CHECK(count_of(space) == right);
    }
    CHECK(met > 10);
}

TEST_CASE("x % k != 1 for a thousand k leaves what a sieve leaves")
{
    constexpr std::uint32_t last = 1'000'000;
    std::vector<std::string> apart;
    std::vector<bool> is_valid(last + 1, true);
    for (std::uint32_t k = 2; k < 1002; ++k) {
        apart.push_back("x % " + std::to_string(k) + " != 1");
        for (std::uint32_t x = 1; x <= last; x += k)
            is_valid[x] = false;
    }
    std::size_t const right =
        static_cast<std::size_t>(std::count(is_valid.begin() + 1, is_valid.end(), true));
    std::string const head =
        R"({"params": [{"name": "x", "range": [1, 1000000]}], "constraints": [)";
    CHECK(count_of(space_of(head, apart)) == right);
}

TEST_CASE("many forbidden combinations, each of other parameters, by brute force")
{
    attune::random_engine engine(23);
    auto const below = [&](std::uint64_t end) { return attune::uniform_below(engine, end); };
    for (std::size_t const values : {2U, 3U, 4U}) {
        std::size_t const count = values == 2 ? 14 : 24 / values;
        std::string head = R"({"params": [)";
        for (std::size_t p = 0; p < count; ++p) {
            head += (p == 0 ? "" : ", ") + std::string(R"({"name": "P)") + std::to_string(p) +
                    R"(", "range": [1, )" + std::to_string(values) + "]}";
        }
        std::vector<std::string> constraints;
        while (constraints.size() < 100) {
            std::string one;
            bool forbids_ones = true; // a configuration that stays valid
            for (std::size_t p = below(3); p < count; p += 1 + below(4)) {
                std::size_t const value = 1 + below(values);
                forbids_ones = forbids_ones && value == 1;
                one += (one.empty() ? "not (P" : " and P") + std::to_string(p) +
                       (below(5) == 0 ? " >= " : " == ") + std::to_string(value);
            }
            if (!forbids_ones) constraints.push_back(one + ')');
        }
        constraints.push_back("P0 + P1 + P2 <= " + std::to_string(2 * values + 1));
        attune::description const space = space_of(head + R"(], "constraints": [)", constraints);
        std::size_t const right = brute_force(space);
        CAPTURE(values);
        REQUIRE(right > 0);
        CHECK(count_of(space) == right);
    }
}

namespace {

/// A space of parameters `P0`, `P1`, ..., and its conditions as a group has them.
struct listed_conditions {
    attune::description space;
    std::vector<attune::detail::domain> domains{};
    std::vector<attune::detail::condition> conditions{};

    explicit listed_conditions(attune::description of)
        : space(std::move(of))
    {
        for (auto const& p : space.parameters)
            domains.emplace_back(p.value_count());
        conditions = attune::detail::conditions_of(space);
        attune::detail::join_alike(conditions);
    }
    std::uint64_t join() { return attune::detail::join_dense(space, conditions, domains); }
};

std::string head_of(std::size_t count, std::size_t values, std::string const& first = "")
{
    std::string out = R"({"params": [)" + first;
    for (std::size_t p = 0; p < count; ++p)
        out += (out.ends_with('[') ? "" : ", ") + std::string(R"({"name": "P)") +
               std::to_string(p) + R"(", "range": [1, )" + std::to_string(values) + "]}";
    return out + R"(], "constraints": [)";
}

/// `count` constraints, each of 2 to 4 of the parameters [first, end); half of them without `not`.
std::vector<std::string> forbidden_of(attune::random_engine& engine, std::size_t count,
                                      std::size_t first, std::size_t end, std::size_t values)
{
    auto const below = [&](std::uint64_t limit) { return attune::uniform_below(engine, limit); };
    std::set<std::string> out;
    while (out.size() < count) {
        std::set<std::uint64_t> read;
        for (std::uint64_t k = 2 + (below(9) + 5) / 6; read.size() < k;)
            read.insert(first + below(end - first));
        bool const is_apart = below(2) == 0;
        std::string one;
        for (std::uint64_t const p : read)
            one += (one.empty() ? "P"
                    : is_apart  ? " or P"
                                : " and P") +
                   std::to_string(p) + (is_apart ? " != " : " == ") +
                   std::to_string(1 + below(values));
        out.insert(is_apart ? one : "not (" + one + ")");
    }
    return {out.begin(), out.end()};
}

} // namespace

TEST_CASE("conditions are joined only if their join can be read as clauses")
{
    attune::random_engine engine(31);
    for (std::size_t const pairs : {2U, 6U, 8U, 10U}) {
        std::vector<std::string> constraints = forbidden_of(engine, 70, 0, 8, 3);
        std::string any;
        for (std::size_t k = 0; k < pairs; ++k)
            any += (k == 0 ? "(P" : " or (P") + std::to_string(k % 8) +
                   " == " + std::to_string(1 + k % 3) + " and P" +
                   std::to_string((k + 1 + k / 8) % 8) + " == " + std::to_string(1 + k / 2 % 3) +
                   ")";
        constraints.push_back(any);
        listed_conditions listed(space_of(head_of(8, 3), constraints));
        std::size_t const before = listed.conditions.size();
        listed.join();
        CAPTURE(pairs);
        CHECK(listed.conditions.size() == (pairs < 7 ? 1 : 2));
        CHECK(listed.conditions.size() < before);
        attune::detail::clause_reader reader(listed.space, listed.domains);
        for (auto const& c : listed.conditions)
            CHECK(reader.read(c));
        std::size_t const right = brute_force(listed.space);
        CHECK(right > 0);
        CHECK(count_of(listed.space) == right);
    }
}

TEST_CASE("independent parameters stay in separate groups, however many conditions each group has")
{
    attune::random_engine engine(37);
    std::vector<std::string> constraints = forbidden_of(engine, 150, 0, 5, 4);
    for (std::string const& one : forbidden_of(engine, 150, 5, 10, 4))
        constraints.push_back(one);
    attune::description const space = space_of(head_of(10, 4), constraints);
    auto const made = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    REQUIRE(made.groups.size() == 2);
    CHECK(made.groups[0].parameters == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
    CHECK(made.groups[0].conditions.size() == 1);
    CHECK(made.groups[1].parameters == std::vector<std::uint32_t>{5, 6, 7, 8, 9});
    CHECK(made.groups[1].conditions.size() == 1);
    std::size_t const right = brute_force(space);
    CHECK(right > 0);
    CHECK(count_of(space) == right);
}

TEST_CASE("conditions that are not joined cost no value of a long range")
{
    std::string const x = R"({"name": "x", "range": [1, 4000]})";
    auto const rest = [](std::size_t k) { return "x*x % " + std::to_string(k + 5) + " != 3"; };
    std::vector<std::string> sparse, dense;
    for (std::size_t p = 0; p < 64; ++p)
        sparse.push_back(rest(p) + " or P" + std::to_string(p) + " == 1");
    for (std::size_t p = 0; p < 12; ++p)
        for (std::size_t q = 0; q < p; ++q)
            dense.push_back(rest(p) + " or P" + std::to_string(p) + " == 1 or P" +
                            std::to_string(q) + " == 2");
    listed_conditions far(space_of(head_of(64, 2, x), sparse));
    CHECK(far.join() == 0);
    CHECK(far.conditions.size() == 64);
    listed_conditions near(space_of(head_of(12, 2, x), dense));
    CHECK(near.join() <= near.conditions.size());
    CHECK(near.conditions.size() == 66);
    // A term of few values is read at each of them.
    listed_conditions few(space_of(head_of(12, 2, R"({"name": "x", "range": [1, 40]})"), dense));
    std::uint64_t const read = few.join();
    CHECK(read > 0);
    CHECK(read <= 66 * 40);
    CHECK(few.conditions.size() == 1);
}
