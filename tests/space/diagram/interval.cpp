// tests/space/diagram/interval.cpp : mirrors attune/space/diagram/interval.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/interval.hpp>

#include <doctest/doctest.h>
#include <optional>

#include "../../support/binary_operations.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::interval;
using attune::detail::outlook;

namespace {

outlook look(op code, outlook const& a, outlook const& b, bool real = false)
{
    bool const compares = code >= op::less && code <= op::not_equal;
    return attune::detail::look_ahead(code, a, b, {}, real && !compares, real);
}

std::optional<attune::number> compute(op code, std::int64_t x, std::int64_t y)
{
    if (code >= op::less && code <= op::not_equal)
        return attune::number::of(std::int64_t{attune::detail::satisfies(
            attune::detail::rules_of(code).holds, attune::number::of(x), attune::number::of(y))});
    return attune::detail::compute(attune::detail::rules_of(code), attune::number::of(x),
                                   attune::number::of(y));
}

} // namespace

TEST_CASE("no integer result lies outside its bounds, none is missing unannounced")
{
    int wrong = 0;
    for (op const code : attune_tests::number_operations)
        for (int a = -4; a <= 4; ++a)
            for (int b = a; b <= 4; ++b)
                for (int c = -4; c <= 4; ++c)
                    for (int d = c; d <= 4; ++d) {
                        outlook const all = look(code, {{double(a), double(b)}, false, true},
                                                 {{double(c), double(d)}, false, true});
                        for (int x = a; x <= b; ++x)
                            for (int y = c; y <= d; ++y) {
                                auto const v = compute(code, x, y);
                                if (!v) wrong += !all.may_fail;
                                if (v) wrong += !all.may_succeed || !all.range.has(v->as_real());
                            }
                    }
    CHECK(wrong == 0);
}

TEST_CASE("real results stay inside their bounds")
{
    int wrong = 0;
    for (op const code : attune_tests::number_operations)
        for (double const a : {-2.5, -0.1, 0.3})
            for (double const b : {0.4, 3.0})
                for (double const c : {-1.5, 0.1})
                    for (double const d : {0.2, 2.0}) {
                        outlook const all = look(code, {{a, b}}, {{c, d}}, true);
                        for (double const x : {a, (a + b) / 2, b})
                            for (double const y : {c, (c + d) / 2, d}) {
                                if (code >= op::less) continue;
                                auto const v = attune::detail::compute(
                                    attune::detail::rules_of(code), attune::number::of(x),
                                    attune::number::of(y));
                                wrong += !v || !all.range.has(v->as_real());
                            }
                    }
    CHECK(wrong == 0);
}

TEST_CASE("what may overflow may fail, and what has no bounds decides nothing")
{
    double const big = 4e18;
    outlook const wide{attune::detail::settled(-big, big, false), false, true};
    CHECK_FALSE(wide.range.is_bounded());
    outlook const one{{1, 1}, false, true};
    CHECK(look(op::add, wide, one).may_fail);
    CHECK(look(op::floor_divide, wide, one).may_fail);
    CHECK(look(op::less, wide, one).range == interval{0, 1});
    CHECK(look(op::less, {interval{}}, one, true).range == interval{0, 1});
    CHECK(attune::detail::settled(1, 1e301, true) == interval{});
}

TEST_CASE("a division by what is surely zero never succeeds")
{
    outlook const any{{1, 9}, false, true};
    outlook const zero{{0, 0}, false, true};
    CHECK_FALSE(look(op::modulo, any, zero).may_succeed);
    CHECK(look(op::modulo, any, {{0, 1}, false, true}).may_fail);
    CHECK(look(op::modulo, any, {{0, 1}, false, true}).may_succeed);
    CHECK_FALSE(look(op::modulo, any, {{1, 2}, false, true}).may_fail);
}

TEST_CASE("&& and || do not look at what C++ would not evaluate")
{
    outlook const no{{0, 0}, false, true};
    outlook const yes{{1, 1}, false, true};
    outlook const never{{}, true, false};
    CHECK(look(op::logical_and, no, never) == outlook{{0, 0}, false, true});
    CHECK(look(op::logical_or, yes, never) == outlook{{1, 1}, false, true});
    CHECK_FALSE(look(op::logical_and, yes, never).may_succeed);
    CHECK_FALSE(look(op::logical_and, never, no).may_succeed);
    outlook const either{{0, 1}, false, true};
    CHECK(look(op::logical_or, either, never).is_true() == false);
    CHECK(look(op::logical_or, either, never).may_fail);
}
