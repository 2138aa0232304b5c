// tests/laws/record_store.hpp - what holds for every record store.
// SPDX-License-Identifier: MIT
//
// A subject is default-constructible, starts empty, and gives its store by get().
//   TEST_CASE_TEMPLATE_INVOKE(record_store_laws, my_subject);
//   TEST_CASE_TEMPLATE_INVOKE(near_match_laws, my_subject);   // when it answers near matches too
#pragma once

#include <attune/core/random.hpp>
#include <attune/remember/record.hpp>
#include <attune/remember/record_store.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laws {

inline attune::record_key example_key()
{
    return {"sgemm", "5f3a", "77c1", "clang 19 -O3", "cpu zen4", {{"N", "1024"}, {"M", "512"}}};
}

inline attune::record example_record(attune::record_key key = example_key(), std::uint64_t seed = 1)
{
    attune::record entry;
    entry.key = std::move(key);
    entry.configuration = {{"TILE_M", "64"}, {"ORDER", "(0, 2, 1)"}};
    entry.best_s = 0.1;
    entry.default_s = 1.0 / 3.0;
    entry.evaluations = 60;
    entry.failures = 7;
    entry.seed = seed;
    entry.when = "2025-01-31T12:00:00Z";
    entry.attune = "0.1.0";
    return entry;
}

/// A key with few values each, so that random keys meet in every way.
inline attune::record_key random_key(attune::random_engine& engine)
{
    auto const pick = [&](char const* name, std::uint64_t of) {
        return name + std::to_string(attune::uniform_below(engine, of));
    };
    attune::record_key key{
        pick("k", 2), pick("s", 2), pick("p", 2), pick("c", 2), pick("d", 2), {}};
    char const* const sizes[] = {"64", "100", "1000", "4096"};
    key.inputs.emplace_back("N", sizes[attune::uniform_below(engine, 4)]);
    key.inputs.emplace_back("layout", attune::uniform_below(engine, 2) == 0 ? "row" : "column");
    return key;
}

/// The rules of matching in the words of record.hpp, on the keys random_key() makes; written a
/// second time, without looking at how the library does it. Smaller is better; empty: no match.
inline std::optional<std::pair<attune::record_match, double>>
reference_fit(attune::record_key const& have, attune::record_key const& want)
{
    if (have == want) return std::pair{attune::record_match::exact, 0.0};
    attune::record_key same_inputs = have;
    same_inputs.inputs = want.inputs;
    if (same_inputs == want && have.inputs[1] == want.inputs[1])
        return std::pair{attune::record_match::other_size,
                         std::abs(std::log(std::stod(have.inputs[0].second) /
                                           std::stod(want.inputs[0].second)))};
    attune::record_key same_place = have;
    same_place.compiler = want.compiler;
    same_place.device = want.device;
    if (!(same_place == want)) return std::nullopt;
    double const weight = have.device == want.device       ? 0.0
                          : have.compiler == want.compiler ? 1.0
                                                           : 2.0;
    return std::pair{attune::record_match::other_device, weight};
}

} // namespace laws

TEST_CASE_TEMPLATE_DEFINE("a record store keeps these laws", Subject, record_store_laws)
{
    Subject subject;
    auto& store = subject.get();
    static_assert(attune::record_store<std::remove_reference_t<decltype(store)>>);

    SUBCASE("an empty store finds nothing and has nothing to say")
    {
        attune::lookup_result const got = store.find(laws::example_key());
        CHECK_FALSE(got.best.has_value());
        CHECK(got.how == attune::record_match::none);
        CHECK(store.notices().empty());
    }
    SUBCASE("what was added is found, equal in every field")
    {
        attune::record entry = laws::example_record();
        entry.interrupted = true;
        entry.seed = ~std::uint64_t{0};
        store.add(entry);
        attune::lookup_result const got = store.find(entry.key);
        CHECK(got.how == attune::record_match::exact);
        REQUIRE(got.best.has_value());
        CHECK(*got.best == entry);
        CHECK(store.notices().empty());
    }
    SUBCASE("the latest of a key wins, also when it is slower")
    {
        store.add(laws::example_record(laws::example_key(), 1));
        attune::record slower = laws::example_record(laws::example_key(), 2);
        slower.best_s = 9.0;
        store.add(slower);
        REQUIRE(store.find(laws::example_key()).best.has_value());
        CHECK(*store.find(laws::example_key()).best == slower);
    }
    SUBCASE("another kernel, source or schema never fits")
    {
        store.add(laws::example_record());
        for (auto const member : {&attune::record_key::kernel,
                                  &attune::record_key::source,
                                  &attune::record_key::schema}) {
            attune::record_key key = laws::example_key();
            key.*member += "x";
            CHECK(store.find(key).how == attune::record_match::none);
            CHECK_FALSE(store.find(key).best.has_value());
        }
    }
    SUBCASE("no answer is better in name than in fact, and an exact match is never missed")
    {
        attune::random_engine engine(23);
        std::vector<attune::record> added;
        for (std::uint64_t i = 0; i < 150; ++i) {
            attune::record_key const key = laws::random_key(engine);
            attune::lookup_result const got = store.find(key);
            REQUIRE(got.best.has_value() == (got.how != attune::record_match::none));
            if (got.best) {
                auto const fit = laws::reference_fit(got.best->key, key);
                REQUIRE(fit.has_value());
                CHECK(fit->first == got.how);
                CHECK(std::find(added.begin(), added.end(), *got.best) != added.end());
            }
            auto const same = std::find_if(
                added.rbegin(), added.rend(), [&](auto const& r) { return r.key == key; });
            CHECK((same != added.rend()) == (got.how == attune::record_match::exact));
            if (same != added.rend()) CHECK(*got.best == *same);
            added.push_back(laws::example_record(laws::random_key(engine), i));
            store.add(added.back());
        }
        CHECK(store.notices().empty());
    }
}

TEST_CASE_TEMPLATE_DEFINE(
    "a record store with near matches gives the nearest, of equals the latest",
    Subject,
    near_match_laws)
{
    Subject subject;
    auto& store = subject.get();
    attune::random_engine engine(29);
    std::vector<attune::record> added;
    int near = 0;
    for (std::uint64_t i = 0; i < 120; ++i) {
        added.push_back(laws::example_record(laws::random_key(engine), i));
        store.add(added.back());
        attune::record_key const key = laws::random_key(engine);
        attune::record const* expected = nullptr;
        std::pair<attune::record_match, double> best{attune::record_match::none, 0.0};
        for (attune::record const& entry : added) {
            auto const fit = laws::reference_fit(entry.key, key);
            if (!fit) continue;
            bool const better = fit->first < best.first ||
                                (fit->first == best.first && fit->second < best.second + 1e-12);
            if (!better) continue;
            best = *fit;
            expected = &entry;
        }
        attune::lookup_result const got = store.find(key);
        CHECK(got.how == best.first);
        REQUIRE(got.best.has_value() == (expected != nullptr));
        if (expected != nullptr) CHECK(*got.best == *expected);
        near += got.how == attune::record_match::other_size ||
                got.how == attune::record_match::other_device;
    }
    CHECK(near > 10); // or the law was not put to the test
}
