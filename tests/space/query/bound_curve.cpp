// tests/space/query/bound_curve.cpp : mirrors include/attune/space/query/bound_curve.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/bound_curve.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../space_generator.hpp"

using attune::bound_curve;
using attune::curve_of;
using attune::limited_quantity;
using attune::number;
using attune::op;
using attune_tests::space_writer;

namespace {

/// The settings at which all constraints hold, with `quantity relation limit` in place of that
/// constraint, or without it.
std::uint64_t count_by_force(attune::description const& space, limited_quantity const& of,
                             std::optional<number> const& limit)
{
    attune::detail::evaluator const read(space);
    std::uint64_t out = 0;
    attune_tests::for_each_setting(space, [&](attune::point const& p) {
        bool valid = true;
        for (std::uint32_t c = 0; c < space.constraints.size(); ++c)
            if (c != of.constraint) valid = valid && read.holds(space.constraints[c], p);
        if (limit) {
            std::optional<number> const v = read.value(of.quantity, p);
            valid =
                valid && v &&
                attune::detail::satisfies(attune::detail::rules_of(of.relation).holds, *v, *limit);
        }
        out += valid ? 1U : 0U;
    });
    return out;
}

} // namespace

TEST_CASE("the network of HPOBench has the shares of its weight bounds, exactly")
{
    // Klein and Hutter 2019: two hidden layers, 9 inputs, 1 output, 62,208 configurations; weights
    // 4 ((9 + 1) u1 + (u1 + 1) u2 + u2 + 1) bytes
    constexpr auto u1 = attune::ordinal<"U1">(attune::values(16, 32, 64, 128, 256, 512));
    constexpr auto u2 = attune::ordinal<"U2">(attune::values(16, 32, 64, 128, 256, 512));
    constexpr auto others = attune::integer<"OTHERS">(1, 1728);
    attune::chain_of_trees const space = attune::build(
        attune::space(u1, u2, others).where(4 * (10 * u1 + (u1 + 1) * u2 + u2 + 1) <= 40 * 1024));
    auto const all = attune::limited_quantities(space.describe());
    REQUIRE(all.size() == 1);
    CHECK(all[0].relation == op::less_equal);
    CHECK(all[0].limit == number::of(std::int64_t{40960}));
    struct known {
        std::int64_t kib;
        double share;
    };
    std::vector<known> const table{{8, 6.0 / 36},   {16, 10.0 / 36},  {40, 19.0 / 36},
                                   {80, 25.0 / 36}, {100, 26.0 / 36}, {160, 30.0 / 36},
                                   {400, 33.0 / 36}};
    std::vector<number> limits;
    for (known const& k : table)
        limits.push_back(number::of(1024 * k.kib));
    bound_curve const curve = curve_of(space.describe(), all[0], limits);
    CHECK(curve.all.exact == attune::exact_integer(62208));
    CHECK(curve.valid.exact == attune::exact_integer(62208 / 36 * 19));
    REQUIRE(curve.steps.size() == 8);
    for (std::size_t i = 0; i < table.size(); ++i) {
        CHECK(curve.steps[i].valid_share == doctest::Approx(table[i].share).epsilon(1e-15));
        double const gain = table[i].share * 36 - 19; // of 17 pairs of widths that are too large
        CHECK(curve.steps[i].regained_share ==
              doctest::Approx(gain > 0 ? gain / 17 : 0).epsilon(1e-15));
    }
    CHECK(curve.steps[7].valid_share == 1);
    CHECK(curve.steps[7].regained_share == 1);
}

TEST_CASE("limits are found on either side, in a conjunction, and beside what is none")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    auto const b = w.range("b", 1, 9);
    auto const sum = w.join(op::add, w.read(a), w.read(b));
    auto const twenty =
        w.join(op::multiply, w.literal(std::int64_t{4}), w.literal(std::int64_t{5}));
    auto const product = w.join(op::multiply, w.read(a), w.read(b));
    auto const upper = w.join(op::greater_equal, twenty, product);
    auto const lower = w.join(op::less, w.literal(std::int64_t{4}), sum);
    w.require(w.join(op::logical_and,
                     w.join(op::logical_and, w.join(op::not_equal, w.read(a), w.read(b)), upper),
                     lower),
              "a != b && 20 >= a * b && 4 < a + b");
    w.require(w.join(op::less_equal, w.read(a), w.read(b)), "a <= b");
    auto const found = attune::limited_quantities(w.out);
    REQUIRE(found.size() == 2);
    CHECK(found[0].quantity == product);
    CHECK(found[0].relation == op::less_equal);
    CHECK(found[0].limit == number::of(std::int64_t{20}));
    CHECK(found[0].is_upper());
    CHECK(found[1].quantity == sum);
    CHECK(found[1].relation == op::greater);
    CHECK_FALSE(found[1].is_upper());

    std::vector<number> const limits{number::of(std::int64_t{1}), number::of(std::int64_t{30}),
                                     number::of(12.5)};
    bound_curve const curve = curve_of(w.out, found[0], limits);
    CHECK(curve.all.exact == attune::exact_integer(81));
    auto const count = [](int most) {
        int out = 0;
        for (int x = 1; x <= 9; ++x)
            for (int y = x + 1; y <= 9; ++y)
                out += x * y <= most && x + y > 4 ? 1 : 0;
        return out;
    };
    CHECK(curve.valid.exact == attune::exact_integer(count(20)));
    CHECK(curve.steps[0].valid.exact == attune::exact_integer(0)); // no setting is left
    CHECK(curve.steps[0].regained_share == 0);
    CHECK(curve.steps[1].valid.exact == attune::exact_integer(count(30)));
    CHECK(curve.steps[1].regained_share ==
          doctest::Approx((count(30) - count(20)) / (81.0 - count(20))));
    CHECK(curve.steps[2].valid.exact == attune::exact_integer(count(12)));
    CHECK(curve.steps[3].valid.exact == attune::exact_integer(count(81)));
}

TEST_CASE("each step counts what brute force counts, conditional parameters included")
{
    attune_tests::space_generator generator(61);
    int tried = 0, limited = 0;
    while (limited < 25) {
        attune::description space =
            tried % 2 == 0 ? generator.draw(300) : generator.draw_conditional();
        attune::detail::settle_conditions(space);
        auto const all = attune::limited_quantities(space);
        ++tried;
        CAPTURE(tried);
        attune::description free = space;
        std::erase_if(free.constraints,
                      [](auto const& c) { return c.settles == attune::no_index; });
        for (limited_quantity const& of : all) {
            if (of.root != space.constraints[of.constraint].root) continue; // a conjunction
            std::vector<number> limits;
            for (std::int64_t const step : {-3, -1, 0, 1, 3})
                limits.push_back(of.limit.is_real ? number::of(of.limit.real + double(step))
                                                  : number::of(of.limit.integer + step));
            bound_curve const curve = curve_of(space, of, limits);
            ++limited;
            REQUIRE(curve.steps.size() == limits.size() + 1);
            CHECK(curve.valid.exact == attune::exact_integer(count_by_force(space, of, of.limit)));
            std::uint64_t const total = count_by_force(free, {.constraint = attune::no_index}, {});
            CHECK(curve.all.exact == attune::exact_integer(total));
            for (std::size_t i = 0; i < curve.steps.size(); ++i) {
                std::uint64_t const expected = count_by_force(space, of, curve.steps[i].limit);
                CHECK(curve.steps[i].valid.exact == attune::exact_integer(expected));
                CHECK(curve.steps[i].valid_share ==
                      doctest::Approx(double(expected) / double(total)));
            }
        }
    }
}
