// tests/measure/arrays/fresh_memory.cpp - bytes of its own, in large pages where there are many.
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/fresh_memory.hpp>

#include <cstring>
#include <doctest/doctest.h>
#include <utility>

using attune::detail::above;
using attune::detail::below;
using attune::detail::fresh_memory;
using attune::detail::large_page;
using attune::detail::worth_a_large_page;

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
