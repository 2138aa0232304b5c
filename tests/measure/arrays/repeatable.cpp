// tests/measure/arrays/repeatable.cpp : mirrors include/attune/measure/arrays/repeatable.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/repeatable.hpp>

#include <array>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

using attune::detail::as_buffer;
using attune::detail::is_repeatable;

namespace {

struct data {
    std::vector<double> in{1, 2, 3};
    std::vector<double> out{9, 9, 9};
    std::array<attune::buffer, 2> buffers{as_buffer(std::span<double const>(in), 0),
                                          as_buffer(std::span<double>(out), 1)};
};

} // namespace

TEST_CASE("a kernel that only writes its output may be repeated")
{
    data d;
    int runs = 0;
    CHECK(is_repeatable(d.buffers, [&] {
        ++runs;
        for (std::size_t i = 0; i < d.in.size(); ++i)
            d.out[i] = 2 * d.in[i];
    }));
    CHECK(runs == 2);
    CHECK(d.out == std::vector<double>{2, 4, 6});
    // So may one that computes no number: the bytes are compared.
    CHECK(is_repeatable(d.buffers, [&] { d.out[0] = std::numeric_limits<double>::quiet_NaN(); }));
}

TEST_CASE("a kernel that updates its data may not, not even in one element")
{
    data d;
    CHECK_FALSE(is_repeatable(d.buffers, [&] { d.out[2] += d.in[0]; }));
    CHECK_FALSE(is_repeatable(d.buffers, [&] { d.out[0] = -d.out[0]; }));
}

TEST_CASE("without writable buffers every kernel may be repeated; exceptions come out")
{
    data d;
    CHECK(is_repeatable({}, [] {}));
    CHECK(is_repeatable(std::span(d.buffers).first(1), [] {}));
    CHECK_THROWS_AS(static_cast<void>(is_repeatable(d.buffers, [] { throw std::range_error(""); })),
                    std::range_error);
}
