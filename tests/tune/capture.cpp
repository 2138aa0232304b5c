// tests/tune/capture.cpp - a program that includes this header obeys ATTUNE_CAPTURE and ATTUNE_REPLAY; another says that it does not.
// SPDX-License-Identifier: MIT
#include <attune/tune/capture.hpp>

#include <attune/core/offer.hpp>
#include <attune/tune/dispatch/call_watch.hpp>
#include <attune/tune/dispatch/mode.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/set_variable.hpp"
#include "../support/texts.hpp"

using attune::detail::complaints_of_variables;
using attune_test::has;

namespace {

/// Made before main(), and before the first case of this file.
bool const is_watched_from_the_start =
    attune::detail::offer_of_program<attune::detail::call_watch>() != nullptr;

} // namespace

TEST_CASE("a program that includes capture.hpp captures calls from its first static object on")
{
    CHECK(is_watched_from_the_start);
    attune_test::set_variable const capture("ATTUNE_CAPTURE", "sgemm:64MiB");
    attune_test::set_variable const replay("ATTUNE_REPLAY", "none.capture");
    CHECK(complaints_of_variables().empty());
}

TEST_CASE("a program without capture.hpp says once for each variable what it lacks")
{
    auto const* const before = attune::detail::exchange_offer<attune::detail::call_watch>(nullptr);
    std::vector<std::string> said;
    {
        attune_test::set_variable const capture("ATTUNE_CAPTURE", "sgemm:64MiB");
        said = complaints_of_variables();
    }
    bool const is_silent = complaints_of_variables().empty();
    attune::detail::exchange_offer(before);
    CHECK(is_silent);
    REQUIRE(said.size() == 1);
    CHECK(has(said[0], "ATTUNE_CAPTURE is set"));
    CHECK(has(said[0], "<attune/tune/capture.hpp>"));
    CHECK(has(said[0], "attune::capture"));
}
