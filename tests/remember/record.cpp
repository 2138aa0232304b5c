// tests/remember/record.cpp - records are plain values.
// SPDX-License-Identifier: MIT
#include <attune/remember/record.hpp>

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <type_traits>

TEST_CASE("a record is a plain value that compares field by field")
{
    attune::record const one{.key = {.kernel = "k"}, .best_s = 1.5, .seed = 4};
    attune::record other = one;
    CHECK(one == other);
    other.key.inputs.emplace_back("N", "1");
    CHECK_FALSE(one == other);
    other = one;
    other.interrupted = true;
    CHECK_FALSE(one == other);
    static_assert(std::is_nothrow_move_constructible_v<attune::record>);
}

TEST_CASE("nothing found is the default of found")
{
    CHECK_FALSE(attune::lookup_result{}.best.has_value());
    CHECK(attune::lookup_result{}.how == attune::record_match::none);
}

TEST_CASE("matches are ordered from best to none, each with a word of its own")
{
    CHECK(attune::record_match::exact < attune::record_match::other_size);
    CHECK(attune::record_match::other_size < attune::record_match::other_device);
    CHECK(attune::record_match::other_device < attune::record_match::none);
    std::set<std::string> words;
    for (auto const how : {attune::record_match::exact,
                           attune::record_match::other_size,
                           attune::record_match::other_device,
                           attune::record_match::none})
        words.emplace(attune::describe(how));
    CHECK(words == std::set<std::string>{"exact", "other size", "other device", "none"});
}

TEST_CASE("what was not finished, or disturbed, does not take the place of what was finished")
{
    attune::record finished;
    attune::record disturbed;
    disturbed.disturbed = true;
    attune::record interrupted;
    interrupted.interrupted = true;
    for (bool const took_part : {false, true}) {
        CHECK(may_replace(finished, finished, took_part));
        CHECK(may_replace(finished, disturbed, took_part));
        CHECK(may_replace(finished, interrupted, took_part));
        CHECK(may_replace(disturbed, disturbed, took_part));
        CHECK(may_replace(disturbed, interrupted, took_part));
        CHECK(may_replace(interrupted, interrupted, took_part));
        CHECK_FALSE(may_replace(interrupted, finished, took_part));
        CHECK_FALSE(may_replace(interrupted, disturbed, took_part));
    }
    CHECK_FALSE(may_replace(disturbed, finished, false)); // found meanwhile, by another process
    CHECK(may_replace(disturbed, finished, true));
}
