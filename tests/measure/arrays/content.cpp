// tests/measure/arrays/content.cpp - what belongs to an array, and what is between its rows.
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/content.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

using attune::detail::above;
using attune::detail::as_buffer;
using attune::detail::below;
using attune::detail::fresh_memory;
using attune::detail::is_repeatable;
using attune::detail::large_page;
using attune::detail::snapshot;
using attune::detail::worth_a_large_page;

namespace {

/// 2 slices of 3 rows of 2 ints; rows 4 apart, slices 16.
attune::buffer volume(std::vector<int>& all)
{
    attune::buffer b = attune::detail::as_buffer(std::span(all).first(16 + 8 + 2), 0);
    b.gaps = {2 * sizeof(int), 3, 4 * sizeof(int), 2, 16 * sizeof(int)};
    return b;
}

std::vector<int> as_ints(std::span<std::byte const> bytes)
{
    std::vector<int> out(bytes.size() / sizeof(int));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

struct data {
    std::vector<double> in{1, 2, 3};
    std::vector<double> out{9, 9, 9};
    std::array<attune::buffer, 2> buffers{as_buffer(std::span<double const>(in), 0),
                                          as_buffer(std::span<double>(out), 1)};
};

} // namespace

TEST_CASE("the content is the rows, and setting it leaves the gaps alone")
{
    std::vector<int> all(32);
    std::iota(all.begin(), all.end(), 0);
    attune::buffer const b = volume(all);
    CHECK(attune::detail::content_bytes(b) == 12 * sizeof(int));
    std::vector<std::byte> content = attune::detail::content_of(b);
    CHECK(as_ints(content) == std::vector<int>{0, 1, 4, 5, 8, 9, 16, 17, 20, 21, 24, 25});
    CHECK(attune::detail::holds(b, content));
    std::vector<std::byte> const zeros(content.size());
    CHECK(!attune::detail::holds(b, zeros));
    attune::detail::set_content(b, zeros);
    for (int i : {2, 3, 6, 7, 10, 15, 18, 23, 27, 31})
        CHECK(all[static_cast<std::size_t>(i)] == i);
    CHECK(all[25] == 0);
    CHECK(attune::detail::holds(b, zeros));
}

TEST_CASE("rows are in the memory from the first to the last element, and none overlap")
{
    std::vector<int> all(32);
    attune::buffer const b = volume(all);
    std::byte* end = b.data;
    attune::detail::for_each_row(b, [&](std::byte* first, std::size_t n) {
        CHECK(first >= end);
        end = first + n;
    });
    CHECK(end == b.data + b.bytes);
}

TEST_CASE("a field is taken out of structures and put back")
{
    struct pair {
        int a;
        float b;
    };
    std::vector<pair> all{{1, 1.5F}, {2, 2.5F}, {3, 3.5F}};
    attune::buffer const b = attune::detail::as_buffer(std::span(all), 0);
    REQUIRE(attune::detail::part_count(b) == 2);
    std::vector<std::byte> content = attune::detail::content_of(b);
    std::vector<std::byte> part = attune::detail::take_part(b, 0, content);
    CHECK(as_ints(part) == std::vector<int>{1, 2, 3});
    part[4] = std::byte{9};
    attune::detail::put_part(b, 0, part, content);
    attune::detail::set_content(b, content);
    CHECK(all[1].a == 9);
    CHECK(all[1].b == 2.5F);
    CHECK(attune::detail::part_of(b, 1, part).type == attune::element_type::f32);
}

TEST_CASE("there are as many bytes as asked for, all writable, wherever they come from")
{
    for (std::size_t const bytes : {std::size_t{0}, std::size_t{1}, worth_a_large_page - 1,
                                    worth_a_large_page, large_page, 2 * large_page + 5}) {
        fresh_memory memory(bytes);
        REQUIRE(memory.bytes().size() == bytes);
        if (bytes == 0) continue;
        std::memset(memory.bytes().data(), 1, bytes);
        CHECK(std::as_const(memory).bytes().back() == std::byte{1});
        if (bytes >= worth_a_large_page)
            CHECK(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % large_page == 0);
    }
}

TEST_CASE("it can be given away or copied, and is freed once")
{
    fresh_memory small(16);
    fresh_memory large(large_page);
    std::byte const* const at = large.bytes().data();
    fresh_memory taken(std::move(large));
    CHECK(taken.bytes().data() == at);
    small = std::move(taken);
    CHECK(small.bytes().data() == at);
    CHECK(small.bytes().size() == large_page);
    small.bytes()[7] = std::byte{7};
    fresh_memory const copy = small;
    CHECK(copy.bytes().data() != at);
    CHECK(copy.bytes().size() == large_page);
    CHECK(copy.bytes()[7] == std::byte{7});
}

TEST_CASE("an address has multiples of a large page around it")
{
    CHECK(below(large_page) == large_page);
    CHECK(above(large_page) == large_page);
    CHECK(below(2 * large_page - 1) == large_page);
    CHECK(above(large_page + 1) == 2 * large_page);
    CHECK(below(0) == 0);
}

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
