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
    for (auto const how : {attune::record_match::exact, attune::record_match::other_size,
                           attune::record_match::other_device, attune::record_match::none})
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

TEST_CASE("more effort stands above less, whatever comes later, unless it was met in a final")
{
    attune::record known{.configuration = {{"TILE", "8"}}, .evaluations = 60};
    attune::record later{.configuration = {{"TILE", "4"}}, .evaluations = 59};
    CHECK_FALSE(attune::detail::supersedes(later, known));
    CHECK(attune::detail::supersedes(known, later));
    later.evaluations = 60;
    CHECK(attune::detail::supersedes(later, known)); // of equals the later
    CHECK(attune::detail::supersedes(known, later));
    later.evaluations = 500;
    later.interrupted = true;
    CHECK_FALSE(attune::detail::supersedes(later, known));
    later.interrupted = false;
    later.disturbed = true;
    CHECK_FALSE(attune::detail::supersedes(later, known));
    known.disturbed = true;
    CHECK(attune::detail::supersedes(later, known));
    later.evaluations = 1;
    later.replaces = {{"2"}, {"8"}};
    CHECK(attune::detail::supersedes(later, known));
}

TEST_CASE("a record is enough where it was tuned as hard as is asked now")
{
    attune::record r{.evaluations = 60, .asked = {60, 60.0}};
    CHECK(attune::detail::is_enough(r, {60, 60.0}));
    CHECK(attune::detail::is_enough(r, {10, 600.0}));
    CHECK_FALSE(attune::detail::is_enough(r, {61, 1.0}));
    r.evaluations = 20; // 60 s were over
    CHECK(attune::detail::is_enough(r, {60, 60.0}));
    CHECK_FALSE(attune::detail::is_enough(r, {60, 120.0}));
    r.ended = "space";
    CHECK(attune::detail::is_enough(r, {1'000, 1e6}));
    r.interrupted = true;
    CHECK_FALSE(attune::detail::is_enough(r, {1, 1.0}));
    attune::record const of_format_1{.evaluations = 5};
    CHECK(attune::detail::is_enough(of_format_1, {60, 60.0}));
    attune::record const found_soon{.evaluations = 9, .ended = "stop rule", .asked = {60, 60.0}};
    CHECK(attune::detail::is_enough(found_soon, {60, 60.0}));
    CHECK_FALSE(attune::detail::is_enough(found_soon, {100, 60.0}));
    attune::record const of_a_part{.evaluations = 9, .ended = "part", .asked = {60, 60.0}};
    CHECK(attune::detail::is_enough(of_a_part, {60, 60.0}));
    CHECK_FALSE(attune::detail::is_enough(of_a_part, {100, 60.0})); // there is more to try
    CHECK_FALSE(attune::detail::is_enough(of_a_part, {60, 100.0}));
}
