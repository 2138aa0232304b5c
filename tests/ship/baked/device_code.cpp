// tests/ship/baked/device_code.cpp - a formula of a release has the value that it had while tuning.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/device_code.hpp>

#include <attune/declare/expression/operation.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <optional>

namespace formula = attune::detail::formula;
using attune::number;
using attune::op;
using attune::detail::launch_number;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr launch_number values[] = {formula::integer(0),
                                    formula::integer(1),
                                    formula::integer(-1),
                                    formula::integer(7),
                                    formula::integer(-3),
                                    formula::integer(least),
                                    formula::integer(most),
                                    formula::real(0),
                                    formula::real(-2.5),
                                    formula::real(3),
                                    formula::real(1e300),
                                    formula::none(),
                                    formula::integer((std::int64_t{1} << 53) + 1),
                                    formula::real(0x1p53),
                                    formula::real(0x1p63)};

std::optional<number> as_tuned(launch_number const& n)
{
    if (!n.has_value) return {};
    return n.is_real ? number::of(n.real) : number::of(n.whole);
}

using of_two = launch_number (*)(launch_number const&, launch_number const&);
struct twin {
    op code;
    of_two function;
};
constexpr twin twins[] = {{op::add, formula::add},
                          {op::subtract, formula::subtract},
                          {op::multiply, formula::multiply},
                          {op::divide, formula::divide},
                          {op::modulo, formula::modulo},
                          {op::floor_divide, formula::floor_divide},
                          {op::floor_modulo, formula::floor_modulo},
                          {op::ceil_divide, formula::ceil_divide},
                          {op::minimum, formula::minimum},
                          {op::maximum, formula::maximum},
                          {op::less, formula::less},
                          {op::less_equal, formula::less_equal},
                          {op::greater, formula::greater},
                          {op::greater_equal, formula::greater_equal},
                          {op::equal, formula::equal},
                          {op::not_equal, formula::not_equal},
                          {op::logical_and, formula::logical_and},
                          {op::logical_or, formula::logical_or}};

} // namespace

TEST_CASE("each operation has the value of the tuner's, whole, real, too large or none")
{
    using attune::detail::apply_operation;
    auto const give = [](launch_number const& n) { return [&n] { return as_tuned(n); }; };
    int wrong = 0;
    for (launch_number const& a : values) {
        auto const one = [&](op code, launch_number const& got) {
            if (as_tuned(got) != apply_operation(code, false, give(a), give(a), give(a))) ++wrong;
        };
        one(op::negate, formula::negate(a));
        one(op::absolute, formula::absolute(a));
        one(op::logical_not, formula::logical_not(a));
        for (launch_number const& b : values) {
            for (twin const& t : twins)
                if (as_tuned(t.function(a, b)) !=
                    apply_operation(t.code, false, give(a), give(b), give(b))) {
                    ++wrong;
                    MESSAGE("operation " << static_cast<int>(t.code));
                }
            for (launch_number const& c : values) {
                launch_number const chosen = formula::select(a, b, c);
                auto const tuned = [&](bool is_real) {
                    return apply_operation(op::select, is_real, give(a), give(b), give(c));
                };
                if (as_tuned(chosen) != tuned(false)) ++wrong;
                if (as_tuned(formula::to_real(chosen)) != tuned(true)) ++wrong;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("an extent is a whole number, of whatever kind")
{
    using attune::detail::extent_of;
    CHECK(extent_of(formula::integer(12), 0) == 12);
    CHECK(extent_of(formula::real(12), 0) == 12);
    CHECK(extent_of(formula::real(12.5), 0) == 0);
    CHECK(extent_of(formula::real(1e30), -1) == -1);
    CHECK(extent_of(formula::real(std::numeric_limits<double>::quiet_NaN()), -1) == -1);
    CHECK(extent_of(formula::none(), -1) == -1);
}
