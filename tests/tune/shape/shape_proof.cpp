// tests/tune/shape/shape_proof.cpp - which of many calls a variant is right for.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/shape_proof.hpp>

#include <attune/attune.hpp>

#include <cstddef>
#include <cstdlib>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "../../support/accumulate.hpp"
#include "../../support/sanitized.hpp"

namespace {

using out = std::span<int>;

void fill(out y, int value)
{
    for (int& v : y)
        v = value;
}
/// Wrong for lengths that 3 divides, deadly for 40 and 41, endless for 50.
void moody(out y, int value)
{
    if (y.size() == 40 || y.size() == 41) std::abort();
    while (y.size() == 50)
        asm volatile("");
    fill(y, value);
    if (y.size() % 3 == 0 && !y.empty()) y.back() = 0;
}
/// The default may be as bad: then there is nothing to compare with.
void moody_default(out y, int value)
{
    if (y.size() < 2) std::abort();
    fill(y, value);
}

attune::detail::shape_proof prove(void (*trusted)(out, int), void (*tried)(out, int),
                                  double limit_s = 5)
{
    static attune::kernel<void(out, int)> const kernel{
        "fill", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "fill.kernel.cpp"),
        attune::space(attune::ordinal<"STEP">(attune::values(1, 2)))};
    static std::vector<int> data(64, 7);
    attune::callable one;
    one.address = reinterpret_cast<void*>(trusted);
    attune::callable other;
    other.address = reinterpret_cast<void*>(tried);
    auto const frame_at = [](std::size_t i) {
        return attune::detail::make_call_frame<out, int>({}, out(data.data(), i), 3);
    };
    attune::detail::shape_proof const proof =
        attune::detail::prove_shapes(kernel.describe(), 60, frame_at, one, other, limit_s);
    for (int const v : data)
        CHECK(v == 7); // whatever ran, it ran on copies
    return proof;
}

} // namespace

TEST_CASE("calls that crash or hang prove nothing, those before and behind them do")
{
    attune::detail::shape_proof const proof = prove(&fill, &moody);
    REQUIRE(proof.is_right.size() == 60);
    for (std::size_t i = 0; i < 60; ++i) {
        bool const is_deadly = i == 40 || i == 41 || i == 50;
        CHECK(proof.is_right[i] == (!is_deadly && (i % 3 != 0 || i == 0)));
    }
}

TEST_CASE("where the trusted code does not work there is no proof")
{
    attune::detail::shape_proof const proof = prove(&moody_default, &fill);
    CHECK_FALSE(proof.is_right[0]);
    CHECK_FALSE(proof.is_right[1]);
    for (std::size_t i = 2; i < 60; ++i)
        CHECK(proof.is_right[i]);
}

TEST_CASE("what is not reached within the limit is not right")
{
    attune::detail::shape_proof const proof = prove(&fill, &fill, 0);
    for (bool const right : proof.is_right)
        CHECK_FALSE(right);
}
