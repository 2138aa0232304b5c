// tests/tune/dispatch/served/served_inputs.cpp - inputs that are kept, and those that are dropped.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/served/served_inputs.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <unistd.h>
#include <vector>

using attune::number;
using attune::detail::inputs_register;
using attune::detail::served_inputs;

namespace {

std::vector<number> of(std::int64_t n) { return {number::of(n), number::of(0.5)}; }

} // namespace

TEST_CASE("equal inputs are the same: also 0 and -0, and two NaNs")
{
    inputs_register all;
    auto const one = all.at(of(1));
    CHECK(all.at(of(1)) == one);
    CHECK(all.at(of(2)) != one);
    CHECK(all.at({number::of(0.0)}) == all.at({number::of(-0.0)}));
    CHECK(all.at({number::of(std::nan("1"))}) == all.at({number::of(-std::nan("2"))}));
    CHECK(all.at({number::of(std::int64_t{1})}) != all.at({number::of(1.0)}));
}

TEST_CASE("inputs that nothing was spent on are dropped, those asked for longest ago first")
{
    inputs_register all{4};
    std::weak_ptr<served_inputs> const first = all.at(of(0));
    std::weak_ptr<served_inputs> const again = all.at(of(1));
    for (int i = 2; i < 100; ++i) {
        static_cast<void>(all.at(of(i)));
        static_cast<void>(all.at(of(1)));
    }
    CHECK(first.expired());
    CHECK(!again.expired());
}

TEST_CASE("inputs with a winner, with a tuning or in use stay")
{
    attune::detail::installed_variant const winner;
    inputs_register all{4};
    std::weak_ptr<served_inputs> const tuned = all.at(of(-1));
    tuned.lock()->winner = &winner;
    std::weak_ptr<served_inputs> const open = all.at(of(-2));
    open.lock()->tuned_apart_in = ::getpid();
    auto const used = all.at(of(-3));
    std::weak_ptr<served_inputs> const idle = all.at(of(-4));
    for (int i = 0; i < 1'000; ++i)
        static_cast<void>(all.at(of(i)));
    CHECK(all.at(of(-1)) == tuned.lock());
    CHECK(all.at(of(-2)) == open.lock());
    CHECK(all.at(of(-3)) == used);
    CHECK(idle.expired());
}
