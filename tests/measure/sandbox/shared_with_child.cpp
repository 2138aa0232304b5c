// tests/measure/sandbox/shared_with_child.cpp - what a child writes, its parent reads.
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/shared_with_child.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <new>
#include <sys/wait.h>
#include <unistd.h>

using namespace attune::detail;

namespace {

template <class F>
void in_child(F const& f)
{
    pid_t const id = fork();
    REQUIRE(id >= 0);
    if (id == 0) {
        f();
        _exit(0);
    }
    REQUIRE(waitpid(id, nullptr, 0) == id);
}

} // namespace

TEST_CASE("what a forked child writes is seen, and only there")
{
    shared_with_child<int> const shared;
    int own = 0;
    in_child([&] {
        shared.get() = 7;
        own = 7;
    });
    CHECK(shared.get() == 7);
    CHECK(own == 0);
}

TEST_CASE("shared bytes begin as zeros and cover all that was asked for")
{
    for (std::size_t const size : {0u, 1u, 4095u, 4096u, 100'000u}) {
        shared_pages const shared{size};
        REQUIRE(shared.bytes().size() == size);
        auto const all = [&](std::byte what) {
            return std::all_of(shared.bytes().begin(), shared.bytes().end(),
                               [&](std::byte b) { return b == what; });
        };
        CHECK(all(std::byte{0}));
        in_child([&] { std::fill(shared.bytes().begin(), shared.bytes().end(), std::byte{9}); });
        CHECK((size == 0 || all(std::byte{9})));
    }
}

TEST_CASE("more memory than there are addresses is bad_alloc")
{
    CHECK_THROWS_AS(shared_pages(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
}
