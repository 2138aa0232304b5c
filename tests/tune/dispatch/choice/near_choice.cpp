// tests/tune/dispatch/choice/near_choice.cpp - which configuration related problems speak for.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/choice/near_choice.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/pack.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/space/build_pack.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "../../../support/texts.hpp"

using attune::choice_match;
using attune::record;
using attune::detail::near_choice;
using attune::detail::near_choice_of;
using attune::detail::related_problem;
using attune::detail::stored_problem;
using attune_test::has;

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(1, 64));
constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
constexpr auto space = attune::space(tile, unroll).where(tile * unroll <= 64);

attune::record_key key_for(int n, std::string device = "cpu")
{
    return {.kernel = "k",
            .source = "s",
            .schema = "x",
            .compiler = "c",
            .device = std::move(device),
            .inputs = {{"N", std::to_string(n)}}};
}
record winner_for(int n, std::string tile_text, std::string unroll_text = "1")
{
    return {.key = key_for(n),
            .configuration = {{"TILE", std::move(tile_text)}, {"UNROLL", std::move(unroll_text)}},
            .best_s = 1,
            .default_s = 2,
            .evaluations = 60};
}
stored_problem wanted_for(int n) { return {.key = key_for(n), .parameters = {"TILE", "UNROLL"}}; }

struct answer {
    std::string configuration{};
    near_choice choice{};
};
answer ask(attune::memory_store& store, int n, std::vector<attune::point> const& refused = {})
{
    static attune::chain_of_trees const chain = attune::build(space);
    auto const found = near_choice_of(store.related(wanted_for(n), 5), chain, refused);
    if (!found) return {"none"};
    CHECK(chain.contains(found->at));
    return {attune::text_of(chain.describe(), found->at), *found};
}

/// Of all outcomes in the space, tile 32 with unroll 2 is the best.
void add_rows(attune::memory_store& store, int n)
{
    attune::chain_of_trees const chain = attune::build(space);
    stored_problem problem = wanted_for(n);
    problem.key.device = "another";
    REQUIRE(*chain.size() >= attune::detail::outcomes_of_a_source);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*chain.size()); ++i) {
        attune::point const at = chain.at(i);
        auto const& d = chain.describe();
        std::string const t = attune::text_of(d.parameters[0], at[0]);
        std::string const u = attune::text_of(d.parameters[1], at[1]);
        double const s = std::exp(std::fabs(std::log2(std::stod(t) / 32)) +
                                  std::fabs(std::log2(std::stod(u) / 2)));
        store.note(problem, {.values = {t, u}, .result = attune::measurement::exact(s)});
    }
}

} // namespace

TEST_CASE("with winners alone the nearest one speaks, as brute force over sizes says")
{
    attune::random_engine engine(3);
    for (int trial = 0; trial < 50; ++trial) {
        attune::memory_store store;
        std::map<int, std::string> known;
        std::vector<std::string> const tiles{"8", "16", "32", "64"};
        for (int i = 0; i < 8; ++i) {
            int const n = 1 + static_cast<int>(attune::uniform_below(engine, 4'000));
            known[n] = tiles[attune::uniform_below(engine, tiles.size())];
            store.add(winner_for(n, known[n]));
        }
        int const wanted = 4'001 + static_cast<int>(attune::uniform_below(engine, 100)) -
                           static_cast<int>(attune::uniform_below(engine, 3'900));
        if (known.contains(wanted)) continue;
        auto nearest = known.begin();
        auto const distance = [&](int n) { return std::fabs(std::log(double(n) / wanted)); };
        for (auto one = known.begin(); one != known.end(); ++one)
            if (distance(one->first) < distance(nearest->first)) nearest = one;
        answer const got = ask(store, wanted);
        CHECK(got.configuration == "TILE=" + nearest->second + " UNROLL=1");
        CHECK(got.choice.how == choice_match::near_size);
        CHECK(got.choice.distance == doctest::Approx(distance(nearest->first)));
        CHECK(has(got.choice.why, "N=" + std::to_string(nearest->first) + ", not N="));
    }
}

TEST_CASE("values that the space does not have, or not together, become the nearest valid ones")
{
    attune::memory_store other_values;
    other_values.add(winner_for(512, "30", "3")); // the nearest are 32 and 4, or 2
    CHECK(ask(other_values, 1'024).configuration.starts_with("TILE="));
    attune::memory_store not_together;
    not_together.add(winner_for(512, "64", "4"));
    std::string const moved = ask(not_together, 1'024).configuration;
    CHECK((moved == "TILE=64 UNROLL=1" || moved == "TILE=16 UNROLL=4"));
}

TEST_CASE("what failed here is not chosen: the next nearest speaks, or nobody")
{
    attune::chain_of_trees const chain = attune::build(space);
    attune::memory_store store;
    store.add(winner_for(512, "16"));
    store.add(winner_for(64, "64"));
    std::vector<attune::point> refused;
    for (char const* expected : {"TILE=16 UNROLL=1", "TILE=64 UNROLL=1", "none"}) {
        answer const got = ask(store, 1'024, refused);
        CHECK(got.configuration == expected);
        refused.push_back(got.choice.at);
    }
    attune::memory_store empty;
    CHECK(ask(empty, 1'024).configuration == "none");
}

TEST_CASE("on other devices what is good in all problems with many outcomes speaks")
{
    attune::memory_store store;
    add_rows(store, 512);
    add_rows(store, 4'096);
    record other = winner_for(1'000, "8", "1"); // nearer, but it says nothing of the rest
    other.key.device = "another";
    store.add(other);
    answer const got = ask(store, 1'024);
    CHECK(got.configuration == "TILE=32 UNROLL=2");
    CHECK(got.choice.how == choice_match::near_device);
    CHECK(has(got.choice.why, "best of 2 related problems, the nearest for N=512, not N=1024"));
    // A winner of this device was measured here.
    store.add(winner_for(64, "16", "1"));
    CHECK(ask(store, 1'024).configuration == "TILE=16 UNROLL=1");
}

TEST_CASE("another device is near_device, and farther than any other size on a device of this kind")
{
    attune::memory_store store;
    record far = winner_for(1'024, "64");
    far.key = key_for(1'024, "another");
    store.add(far);
    answer const got = ask(store, 1'024);
    CHECK(got.configuration == "TILE=64 UNROLL=1");
    CHECK(got.choice.how == choice_match::near_device);
    CHECK(got.choice.distance >= 1);
    store.add(winner_for(700, "16"));
    CHECK(ask(store, 1'024).choice.how == choice_match::near_size);
}
