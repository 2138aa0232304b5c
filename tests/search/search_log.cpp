// tests/search/search_log.cpp : mirrors include/attune/search/search_log.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/search_log.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/comma_locale.hpp"
#include "../support/search_spaces.hpp"

using attune::failure;
using attune::failure_stage;
using attune::search_log;

namespace {

search_log sample()
{
    search_log log;
    log.seed = 18446744073709551615U;
    log.space = "abc";
    log.calls.push_back(search_log::question{2, {{{3, 0}, {0, 0.1}}, {{1, 0}, {0, -2.5e-300}}}});
    log.calls.push_back(
        search_log::answer{{{3, 0}, {0, 0.1}}, attune::measurement{1.0 / 3, 0.3, 0.4, 17}, true});
    log.calls.push_back(search_log::answer{
        {{1, 0}, {0, 7}}, failure{failure_stage::timeout, "a\nb \\ c\td", "log\n"}, false});
    log.calls.push_back(search_log::question{1, {}});
    return log;
}

} // namespace

TEST_CASE("a log is read as it was written, bit for bit")
{
    std::string const text = attune::text_of(sample());
    search_log const read = attune::parse_search_log(text);
    CHECK(attune::text_of(read) == text);
    CHECK(read.seed == sample().seed);
    CHECK(read.space == "abc");
    REQUIRE(read.calls.size() == 4);
    auto const& q = std::get<search_log::question>(read.calls[0]);
    CHECK(q.count == 2);
    CHECK(q.answered == std::get<search_log::question>(sample().calls[0]).answered);
    auto const& told = std::get<search_log::answer>(read.calls[1]);
    CHECK(told.asked);
    CHECK(std::get<attune::measurement>(told.result).value == 1.0 / 3);
    CHECK(std::get<attune::measurement>(told.result).samples == 17);
    auto const& seen = std::get<search_log::answer>(read.calls[2]);
    CHECK(!seen.asked);
    CHECK(std::get<failure>(seen.result).stage == failure_stage::timeout);
    CHECK(std::get<failure>(seen.result).reason == "a\nb \\ c\td");
    CHECK(std::get<failure>(seen.result).log == "log\n");
}

TEST_CASE("damage is an error that names the line, wherever the text is cut")
{
    std::string const text = attune::text_of(sample());
    for (std::size_t n = 0; n + 1 < text.size(); ++n)
        CHECK_THROWS_AS((void)attune::parse_search_log(text.substr(0, n)), attune::error);
    std::string odd = text;
    odd.replace(odd.find("tell"), 4, "told");
    try {
        (void)attune::parse_search_log(odd);
        FAIL("no error");
    } catch (attune::error const& e) {
        CHECK(std::string(e.what()).find("line 5") != std::string::npos);
    }
}

TEST_CASE("replay makes the calls in order and notices another answer")
{
    search_log const log = sample();
    int asked = 0;
    int told = 0;
    auto const tell = [&](search_log::answer const&) { ++told; };
    attune::replay(
        log,
        [&](std::size_t) {
            return std::get<search_log::question>(log.calls[asked++ == 0 ? 0 : 3]).answered;
        },
        tell);
    CHECK(asked == 2);
    CHECK(told == 2);
    CHECK_THROWS_AS(attune::replay(
                        log, [](std::size_t) { return std::vector<attune::point>{}; }, tell),
                    attune::error);
}

TEST_CASE("different spaces have different identities")
{
    CHECK(attune::space_identity(search_spaces::grid(4).describe()) ==
          attune::space_identity(search_spaces::grid(4).describe()));
    CHECK(attune::space_identity(search_spaces::grid(4).describe()) !=
          attune::space_identity(search_spaces::grid(5).describe()));
}

TEST_CASE("a log is one text in every locale")
{
    std::string const text = attune::text_of(sample());
    attune_test::comma_streams const streams;
    attune_test::german_locale const german;
    if (!german.lacking().empty()) MESSAGE("skipped in part: " << german.lacking());
    CHECK(attune::text_of(sample()) == text);
    CHECK(attune::text_of(attune::parse_search_log(text)) == text);
}

TEST_CASE("a count that would fill the memory is damage")
{
    std::string text = attune::text_of(sample());
    text.replace(text.find("ask 2"), 5, "ask 99999999999");
    CHECK_THROWS_AS((void)attune::parse_search_log(text), attune::error);
}
