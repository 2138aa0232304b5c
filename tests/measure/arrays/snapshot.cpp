// tests/measure/arrays/snapshot.cpp : mirrors include/attune/measure/arrays/snapshot.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/snapshot.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <span>
#include <vector>

using attune::detail::as_buffer;
using attune::detail::snapshot;

TEST_CASE("restore puts back what was there, as often as it is asked")
{
    std::vector<float> values{1, 2, 3};
    attune::buffer const buffers[] = {as_buffer(std::span(values), 0)};
    snapshot const before(buffers);
    for (int round = 0; round < 3; ++round) {
        std::fill(values.begin(), values.end(), -1.0F);
        before.restore();
        CHECK(values == std::vector<float>{1, 2, 3});
    }
}

TEST_CASE("only writable buffers are copied and restored")
{
    std::vector<int> in{1, 2};
    std::vector<int> out{3, 4};
    attune::buffer const buffers[] = {as_buffer(std::span<int const>(in), 0),
                                      as_buffer(std::span<int>(out), 1)};
    snapshot const before(buffers);
    CHECK(before.size() == 2);
    CHECK(before.saved(0).empty());
    CHECK(before.saved(1).size() == sizeof(int) * 2);
    in = {7, 8};
    out = {9, 9};
    before.restore();
    CHECK(in == std::vector<int>{7, 8});
    CHECK(out == std::vector<int>{3, 4});
}

TEST_CASE("what is saved does not change with the buffer")
{
    std::vector<unsigned char> values{1, 2};
    attune::buffer const buffers[] = {as_buffer(std::span(values), 0)};
    snapshot const before(buffers);
    values = {5, 6};
    CHECK(before.saved(0)[0] == std::byte{1});
    CHECK(before.saved(0)[1] == std::byte{2});
}

TEST_CASE("a snapshot of nothing restores nothing")
{
    std::vector<double> empty;
    attune::buffer const buffers[] = {as_buffer(std::span(empty), 0)};
    snapshot const of_empty(buffers);
    of_empty.restore();
    CHECK(of_empty.saved(0).empty());
    snapshot const of_none(std::span<attune::buffer const>{});
    of_none.restore();
    CHECK(of_none.size() == 0);
}

TEST_CASE("a copy of a snapshot restores the same memory")
{
    std::vector<int> values{1};
    attune::buffer const buffers[] = {as_buffer(std::span(values), 0)};
    snapshot const original(buffers);
    snapshot const copy = original;
    values[0] = 2;
    copy.restore();
    CHECK(values[0] == 1);
}
