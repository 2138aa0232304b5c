// tests/tune/dispatch/background/call_copies.cpp : mirrors include/attune/tune/dispatch/background/call_copies.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/background/call_copies.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "../../../support/sanitized.hpp"

using attune::detail::call_copies;
using attune::detail::call_copy;

namespace {

attune::call_frame frame_over(std::span<double> x)
{
    return attune::detail::make_call_frame<std::span<double>>({}, x);
}

} // namespace

TEST_CASE("copies have room for so many bytes, and give them back with the last owner")
{
    std::vector<double> x(2'000);
    call_copies const copies(24'000);
    {
        call_copy const first = copies.make(frame_over(x));
        CHECK(first.call != nullptr);
        call_copy const second = copies.make(frame_over(x));
        CHECK(second.call == nullptr);
        CHECK(second.refusal.empty()); // there may be room later
    }
    CHECK(copies.make(frame_over(x)).call != nullptr);
    std::vector<double> more(10'000);
    CHECK(!copies.make(frame_over(more)).refusal.empty());
}

TEST_CASE("a copy that cannot be made takes no room")
{
    if (is_skipped(address_sanitized || thread_sanitized, "such an allocation ends the program"))
        return;
    constexpr std::size_t more_than_any_machine_has = std::size_t{1} << 50;
    std::vector<double> x(1000);
    call_copies const copies(more_than_any_machine_has + 4096);
    for (int i = 0; i < 2; ++i) {
        call_copy const none =
            copies.make(frame_over({x.data(), more_than_any_machine_has / sizeof(double)}));
        CHECK(none.call == nullptr);
        CHECK(!none.refusal.empty());
        CHECK(copies.make(frame_over(x)).call != nullptr);
    }
}
