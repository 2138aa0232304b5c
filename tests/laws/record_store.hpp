// tests/laws/record_store.hpp - what holds for every record store.
// SPDX-License-Identifier: MIT
//
// A subject is default-constructible, starts empty, and gives its store by get().
//   TEST_CASE_TEMPLATE_INVOKE(record_store_laws, my_subject);
//   TEST_CASE_TEMPLATE_INVOKE(near_match_laws, my_subject);   // when it answers near matches too
//   TEST_CASE_TEMPLATE_INVOKE(row_laws, my_subject);          // when it keeps more than winners
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
    attune::record_key key{pick("k", 2), pick("s", 2), pick("p", 2),
                           pick("c", 2), pick("d", 2), {}};
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
        for (auto const member : {&attune::record_key::kernel, &attune::record_key::source,
                                  &attune::record_key::schema}) {
            attune::record_key key = laws::example_key();
            key.*member += "x";
            CHECK(store.find(key).how == attune::record_match::none);
            CHECK_FALSE(store.find(key).best.has_value());
        }
    }
    SUBCASE("what was timed in another way is another problem, and a record that does not say is "
            "of the default way")
    {
        attune::record_key with_two = laws::example_key();
        with_two.setting = {{"threads", "2"}};
        store.add(laws::example_record());
        CHECK(store.find(with_two).how != attune::record_match::exact);
        store.add(laws::example_record(with_two, 2));
        attune::record_key with_four = with_two;
        with_four.setting[0].second = "4";
        CHECK(store.find(with_four).how != attune::record_match::exact);
        REQUIRE(store.find(with_two).best.has_value());
        CHECK(store.find(with_two).best->seed == 2);
        REQUIRE(store.find(laws::example_key()).best.has_value());
        CHECK(store.find(laws::example_key()).how == attune::record_match::exact);
        CHECK(store.find(laws::example_key()).best->seed == 1);
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
            auto const same = std::find_if(added.rbegin(), added.rend(),
                                           [&](auto const& r) { return r.key == key; });
            CHECK((same != added.rend()) == (got.how == attune::record_match::exact));
            if (same != added.rend()) CHECK(*got.best == *same);
            added.push_back(laws::example_record(laws::random_key(engine), i));
            store.add(added.back());
        }
        CHECK(store.notices().empty());
    }
}

TEST_CASE_TEMPLATE_DEFINE(
    "a record store with near matches gives the nearest, of equals the latest", Subject,
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

TEST_CASE_TEMPLATE_DEFINE("a record store that keeps rows keeps these laws", Subject, row_laws)
{
    using namespace attune::detail;
    Subject subject;
    auto& store = subject.get();
    static_assert(keeps_rows<std::remove_reference_t<decltype(store)>>);
    stored_problem const problem = problem_of(laws::example_record());
    auto const row = [](char const* tile, double seconds) {
        return tried_row{
            {tile, "(0, 2, 1)"}, attune::measurement{seconds, seconds / 2, seconds * 2, 14}, "c0"};
    };
    auto const seconds_of = [](tried_row const& r) {
        auto const* m = std::get_if<attune::measurement>(&r.result);
        return m == nullptr ? -1.0 : m->value;
    };
    auto const other_size = [&](char const* n) {
        stored_problem out = problem;
        out.key.inputs[0].second = n;
        return out;
    };

    SUBCASE("an empty one knows nothing")
    {
        problem_history const none = store.recall(problem);
        CHECK(none.problem == problem);
        CHECK(none.rows.empty());
        CHECK_FALSE(none.best.has_value());
        CHECK(store.related(problem, 9).empty());
        CHECK(store.proofs(problem, "c0").empty());
        CHECK(store.claim(laws::example_key(), 0.0).may_tune());
    }
    SUBCASE("rows before the end of a tuning are not open, whether its winner is kept or not")
    {
        store.note(problem, row("8", 0.5));
        CHECK(store.recall(problem).open == 0);
        store.end(problem);
        store.note(problem, row("16", 0.4));
        CHECK(store.recall(problem).rows.size() == 2);
        CHECK(store.recall(problem).open == 1);
        store.add(laws::example_record());
        CHECK(store.recall(problem).open == 2);
        CHECK(store.notices().empty());
    }
    SUBCASE("more effort wins over later, and a final over both")
    {
        attune::record hard = laws::example_record(laws::example_key(), 1);
        attune::record easy = laws::example_record(laws::example_key(), 2);
        easy.evaluations = 5;
        store.add(hard);
        store.add(easy);
        CHECK(store.find(laws::example_key()).best->seed == 1);
        attune::record final = easy;
        final.seed = 3;
        final.replaces = {attune::detail::values_of(hard.configuration)};
        store.add(final);
        CHECK(store.find(laws::example_key()).best->seed == 3);
        attune::record cut = hard;
        cut.seed = 4;
        cut.evaluations = 1'000;
        cut.interrupted = true;
        store.add(cut);
        CHECK(store.find(laws::example_key()).best->seed == 3);
    }
    SUBCASE("rows come back in the order they were told, with what they say")
    {
        store.note(problem, row("64", 2.0));
        store.note(problem, {{"512", "(0, 2, 1)"},
                             attune::failure{attune::failure_stage::crash, "SIGSEGV", "a log"},
                             "c1"});
        store.note(problem, row("8", 1.0));
        problem_history const known = store.recall(problem);
        CHECK(known.problem == problem);
        CHECK_FALSE(known.best.has_value());
        CHECK(known.open == 0);
        REQUIRE(known.rows.size() == 3);
        CHECK(known.rows[0].values == attune::value_texts{"64", "(0, 2, 1)"});
        auto const& m = std::get<attune::measurement>(known.rows[0].result);
        CHECK(m.value == 2.0);
        CHECK(m.low == 1.0);
        CHECK(m.high == 4.0);
        CHECK(m.samples == 14);
        CHECK(known.rows[0].code == "c0");
        auto const& f = std::get<attune::failure>(known.rows[1].result);
        CHECK(f.stage == attune::failure_stage::crash);
        CHECK(f.reason == "SIGSEGV");
        CHECK(seconds_of(known.rows[2]) == 1.0);
        CHECK(store.notices().empty());
    }
    SUBCASE("rows before the end of a tuning are known, those behind it are one to be resumed")
    {
        store.note(problem, row("1", 1.0));
        store.note(problem, row("2", 2.0));
        CHECK(store.recall(problem).open == 0);
        store.add(laws::example_record());
        CHECK(store.recall(problem).open == 2);
        CHECK(*store.recall(problem).best == laws::example_record());
        store.note(problem, row("4", 4.0));
        CHECK(store.recall(problem).rows.size() == 3);
        CHECK(store.recall(problem).open == 2);
        attune::record cut = laws::example_record();
        cut.interrupted = true;
        store.add(cut);
        CHECK(store.recall(problem).open == 2);
    }
    SUBCASE("a value more keeps all rows; the winner is no answer any more, but a rival")
    {
        store.note(problem, row("64", 2.0));
        store.add(laws::example_record());
        attune::record_key wider = laws::example_key();
        wider.schema = "another list of values";
        CHECK(store.find(wider).how == attune::record_match::none);
        stored_problem again = problem;
        problem_history const known = store.recall(again);
        CHECK(known.rows.size() == 1);
        REQUIRE(known.best.has_value());
        CHECK(known.best->key.schema == laws::example_key().schema);
    }
    SUBCASE("another way of measuring, another parameter or function is another problem")
    {
        store.note(problem, row("64", 2.0));
        store.add(laws::example_record());
        attune::record_key cold = laws::example_key();
        cold.setting = {{"cache", "cold"}};
        CHECK(store.find(cold).how == attune::record_match::none);
        std::vector<stored_problem> others(3, problem);
        others[0].key.setting = cold.setting;
        others[1].parameters.push_back("UNROLL");
        others[2].key.signature = "9a";
        for (stored_problem const& other : others) {
            // What is not known of the signature may be any.
            bool const may_be_same = &other == &others[2];
            CHECK(store.recall(other).rows.size() == (may_be_same ? 1 : 0));
            auto const near = store.related(other, 9);
            REQUIRE(near.size() == 1);
            CHECK((near[0].how.how == problem_difference::none) == may_be_same);
            CHECK(near[0].past.rows.size() == 1);
        }
    }
    SUBCASE("related problems come nearest first, with rows, winner and a sentence")
    {
        store.note(other_size("4096"), row("1", 1.0));
        store.note(other_size("2048"), row("2", 2.0));
        stored_problem elsewhere = other_size("1024");
        elsewhere.key.device = "cpu zen5";
        store.note(elsewhere, row("3", 3.0));
        stored_problem edited = problem;
        edited.key.source = "edited";
        store.note(edited, row("4", 4.0));
        attune::record won = laws::example_record(edited.key);
        won.key.schema = "77c1";
        store.add(won);
        stored_problem foreign = problem;
        foreign.key.kernel = "another";
        store.note(foreign, row("5", 5.0));

        auto const near = store.related(problem, 9);
        REQUIRE(near.size() == 4);
        CHECK(near[0].how.how == problem_difference::code);
        CHECK(near[0].how.why == "another version of the source");
        REQUIRE(near[0].past.best.has_value());
        CHECK(*near[0].past.best == won);
        CHECK(near[1].how.how == problem_difference::size);
        CHECK(near[1].how.why == "for N=2048, not N=1024");
        CHECK(near[1].how.distance == doctest::Approx(std::log(2.0)));
        CHECK(seconds_of(near[1].past.rows.at(0)) == 2.0);
        CHECK(near[2].how.why == "for N=4096, not N=1024");
        CHECK(near[3].how.how == problem_difference::device);
        CHECK(near[3].how.why == "on cpu zen5");
        auto const nearest = store.related(problem, 2);
        REQUIRE(nearest.size() == 2);
        CHECK(nearest[1].how.why == near[1].how.why);
    }
    SUBCASE("what a code has proven is known for every size and source, on the same device")
    {
        proven_shape const right{"c0", {513, 64, 0}, true}, wrong{"c0", {-1}, false};
        store.prove(problem, right);
        store.prove(problem, {"c1", {7}, true});
        store.prove(other_size("4096"), wrong);
        stored_problem edited = other_size("9");
        edited.key.source = edited.key.compiler = "edited";
        CHECK(store.proofs(edited, "c0") == std::vector<proven_shape>{right, wrong});
        CHECK(store.proofs(edited, "c2").empty());
        CHECK(store.proofs(edited, "").empty());
        edited.key.device = "another";
        CHECK(store.proofs(edited, "c0").empty());
        CHECK(store.find(laws::example_key()).how == attune::record_match::none);
    }
}
