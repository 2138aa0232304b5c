// tests/search/transfer/past_text.cpp : mirrors include/attune/search/transfer/past_text.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/past_text.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

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
