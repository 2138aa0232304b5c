// tests/space/diagram/guided_walk.cpp : mirrors attune/space/diagram/guided_walk.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/guided_walk.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::guided_walk;
using attune::detail::search_result;
using attune_tests::space_writer;

namespace {

attune::enumeration_limits none()
{
    attune::enumeration_limits limits;
    limits.settings = 1;
    limits.wide_settings = 1;
    return limits;
}

} // namespace

TEST_CASE("walks end on valid settings, and their weights count them without bias")
{
    attune_tests::space_generator generator(77);
    int checked = 0;
    for (int i = 0; i < 200; ++i) {
        attune::description const space = generator.draw();
        auto const parts =
            attune::detail::make_groups(space, attune::detail::conditions_of(space), none());
        if (parts.is_empty || parts.groups.size() != 1) continue;
        std::size_t valid = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            valid += attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        // With visits for diagrams, and without.
        for (std::uint64_t const visits : {std::uint64_t{1'000'000}, std::uint64_t{0}}) {
            CAPTURE(i);
            CAPTURE(visits);
            attune::build_options options;
            options.max_visits = visits;
            guided_walk walk(space, parts.groups[0], parts.domains, options);
            attune::random_engine engine(11);
            attune::point at(space.parameters.size());
            CHECK((walk.search(engine, at) == search_result::found) == (valid > 0));
            if (valid > 0) CHECK(attune_tests::all_hold(space, at));
            constexpr int walks = 800;
            double sum = 0;
            double squares = 0;
            for (int k = 0; k < walks; ++k) {
                auto const log_weight = walk.try_once(engine, at);
                if (!log_weight) continue;
                REQUIRE(attune_tests::all_hold(space, at));
                sum += std::exp(*log_weight);
                squares += std::exp(2 * *log_weight);
            }
            double const mean = sum / walks;
            double const error = std::sqrt(std::max(0.0, squares / walks - mean * mean) / walks);
            CHECK(std::abs(mean - static_cast<double>(valid)) <= 6 * error + 1e-6 * mean + 0.5);
            ++checked;
        }
    }
    CHECK(checked > 40);
}

TEST_CASE("a contradiction is found by steps back")
{
    // Five pairwise different values out of four.
    space_writer w;
    for (char const* name : {"a", "b", "c", "d", "e"})
        w.range(name, 1, 4);
    for (std::uint32_t i = 0; i < 5; ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            w.require(w.join(op::not_equal, w.read(i), w.read(j)), "differ");
    auto const parts = attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out));
    guided_walk walk(w.out, parts.groups[0], parts.domains, {});
    attune::random_engine engine(1);
    attune::point at(5);
    CHECK(walk.search(engine, at) == search_result::none);
    CHECK_FALSE(walk.try_once(engine, at));
    CHECK(walk.visits() == 20);
}
