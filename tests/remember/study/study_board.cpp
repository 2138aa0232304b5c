// tests/remember/study/study_board.cpp - which claims and outcomes count, whatever stands in the file.
// SPDX-License-Identifier: MIT
#include <attune/remember/study/study_board.hpp>

#include <attune/core/random.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/texts.hpp"

using namespace attune::detail;
using attune::value_texts;
using attune_test::has;

namespace {

std::string said(std::string const& by, decltype(study_line::says) says)
{
    return text_of_line(study_line{.worker = by, .when_s = 1, .says = std::move(says)});
}
std::string joins(std::string const& by, double lease_s = 10)
{
    return said(by, study_join{"node-" + by, 7, lease_s});
}
std::string claims(std::string const& by, std::uint64_t number, std::string const& value,
                   std::optional<claim_name> over = {})
{
    return said(by, study_claim{number, {value}, std::move(over)});
}
std::string tells(std::string const& by, std::uint64_t number, std::string const& value,
                  double seen = 1)
{
    return said(by, study_told{number, {value}, attune::measurement::exact(seen), false});
}

/// A board on which a and b have joined.
study_board two()
{
    study_board out([](value_texts const& values, attune::evaluation const*) {
        return values.size() == 1 && values[0].size() == 1 ? "" : "not in the space";
    });
    out.take(joins("a"));
    out.take(joins("b"));
    return out;
}
std::string holder(study_board const& board, std::string const& value)
{
    open_claim const* const found = board.holder_of({value});
    return found == nullptr ? "" : board.workers()[found->worker].id;
}

} // namespace

TEST_CASE("the first claim holds until its outcome, and what others claim meanwhile is nothing")
{
    study_board board = two();
    board.take(claims("a", 1, "x"));
    board.take(claims("b", 1, "x"));
    CHECK(holder(board, "x") == "a");
    board.take(tells("b", 1, "x", 5)); // it never held x
    CHECK(board.outcomes().empty());
    CHECK(board.workers()[1].refused == 1);
    board.take(tells("a", 1, "x", 6));
    REQUIRE(board.outcomes().size() == 1);
    CHECK(std::get<attune::measurement>(board.outcomes()[0].seen.result).value == 6);
    CHECK(board.open().empty());
    board.take(claims("b", 2, "x"));
    CHECK(board.open().empty());
    CHECK(board.has_outcome({"x"}));
}

TEST_CASE("a claim expires by the reader's own time alone, and any line of its worker stops that")
{
    study_board board = two();
    board.take(claims("a", 1, "x"));
    for (int i = 0; i < 9; ++i)
        board.pass(1);
    CHECK(!board.has_expired(board.open()[0]));
    board.take(said("a", study_beat{}));
    for (int i = 0; i < 9; ++i)
        board.pass(1);
    CHECK(!board.has_expired(board.open()[0]));
    board.pass(1);
    CHECK(board.has_expired(board.open()[0]));
    board.hear_all();
    CHECK(!board.has_expired(board.open()[0]));
    // A process that stood still for a day has not watched for a day.
    board.pass(86400);
    board.pass(86400);
    board.pass(86400);
    CHECK(!board.has_expired(board.open()[0]));
}

TEST_CASE("who names the claim takes it over, once; the outcome that is told first counts")
{
    study_board board = two();
    board.take(joins("c"));
    board.take(claims("a", 1, "x"));
    board.take(claims("b", 1, "x", claim_name{"a", 2})); // no such claim
    CHECK(holder(board, "x") == "a");
    board.take(claims("b", 2, "x", claim_name{"a", 1}));
    CHECK(holder(board, "x") == "b");
    board.take(claims("c", 1, "x", claim_name{"a", 1})); // too late
    CHECK(holder(board, "x") == "b");
    CHECK(board.open()[0].lost == std::vector<std::size_t>{0});
    CHECK(board.workers()[0].losses == 1);
    std::vector<std::string> const notices = board.notices();
    REQUIRE(notices.size() == 1);
    CHECK(has(notices[0], "node-a:7 was lost"));
    CHECK(has(notices[0], "node-b:7 takes over"));
    SUBCASE("the lost one comes back first")
    {
        board.take(tells("a", 1, "x", 3));
        board.take(tells("b", 2, "x", 4));
        CHECK(board.workers()[1].late == 1);
    }
    SUBCASE("it comes back last")
    {
        board.take(tells("b", 2, "x", 3));
        board.take(tells("a", 1, "x", 4));
        CHECK(board.workers()[0].late == 1);
    }
    REQUIRE(board.outcomes().size() == 1);
    CHECK(std::get<attune::measurement>(board.outcomes()[0].seen.result).value == 3);
    CHECK(board.open().empty());
}

TEST_CASE("the claims of a worker that leaves are free")
{
    study_board board = two();
    board.take(claims("a", 1, "x"));
    board.take(said("a", study_leave{}));
    CHECK(board.open().empty());
    board.take(claims("b", 1, "x"));
    CHECK(holder(board, "x") == "b");
    CHECK(board.open()[0].lost.empty());
}

TEST_CASE("nonsense changes nothing, and its writer is named once")
{
    study_board board = two();
    auto const only_notice = [&] {
        std::vector<std::string> const all = board.notices();
        return all.size() == 1 ? all[0] : std::to_string(all.size()) + " notices";
    };
    board.take(claims("a", 1, "xyz"));
    CHECK(has(only_notice(), "node-a:7 is refused: not in the space"));
    board.take(claims("a", 2, "xyz"));
    CHECK(only_notice() == "0 notices");
    CHECK(board.workers()[0].refused == 2);

    board.take(claims("b", 1, "x"));
    board.take(tells("b", 1, "x", std::numeric_limits<double>::quiet_NaN()));
    CHECK(has(only_notice(), "node-b:7 is refused: its value is not finite"));
    CHECK(board.open().empty()); // another one evaluates it
    CHECK(board.outcomes().empty());

    board.take(tells("nobody", 1, "x"));
    CHECK(has(only_notice(), "'nobody'"));
    board.take("{\"by\":\"a\"");
    CHECK(has(only_notice(), "damaged"));
    board.take(joins("a"));
    CHECK(board.workers().size() == 2);
    board.take(said("a", study_other{})); // of a later release
    CHECK(board.workers()[0].refused == 3);
}

TEST_CASE("whatever the lines, all readers agree, and each configuration counts once at most")
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        attune::random_engine engine(seed);
        std::vector<std::string> const workers{"a", "b", "c"};
        auto const any = [&](std::uint64_t n) { return attune::uniform_below(engine, n); };
        study_board first = two(), second = two();
        std::vector<std::string> lines{joins("c")};
        // The first outcome of a value that was told under a claim that once held it.
        for (int i = 0; i < 60; ++i) {
            std::string const by = workers[any(3)];
            std::string const value(1, static_cast<char>('p' + any(4)));
            switch (any(5)) {
            case 0:
            case 1:
                lines.push_back(claims(by, any(4), value));
                break;
            case 2:
                lines.push_back(claims(by, any(4), value, claim_name{workers[any(3)], any(4)}));
                break;
            case 3:
                lines.push_back(tells(by, any(4), value, static_cast<double>(i)));
                break;
            default:
                lines.push_back(any(4) == 0 ? said(by, study_leave{}) : said(by, study_beat{}));
            }
        }
        for (std::string const& line : lines) {
            first.take(line);
            first.pass(1); // time decides nothing of what counts
            std::set<value_texts> held;
            for (open_claim const& one : first.open()) {
                CHECK(held.insert(one.values).second);
                CHECK(!first.has_outcome(one.values));
            }
        }
        for (std::string const& line : lines)
            second.take(line);
        std::set<value_texts> told;
        REQUIRE(first.outcomes().size() == second.outcomes().size());
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < first.outcomes().size(); ++i) {
            CHECK(first.outcomes()[i].values == second.outcomes()[i].values);
            CHECK(first.outcomes()[i].worker == second.outcomes()[i].worker);
            CHECK(told.insert(first.outcomes()[i].values).second);
        }
        for (study_worker const& one : first.workers())
            sum += one.evaluations;
        CHECK(sum == first.outcomes().size());
    }
}
