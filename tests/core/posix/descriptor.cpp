// tests/core/posix/descriptor.cpp - a descriptor is closed exactly once.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/descriptor.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <type_traits>
#include <utility>

using attune::detail::descriptor;

namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }
int open_nothing() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

} // namespace

TEST_CASE("a descriptor is closed with its owner")
{
    int number = -1;
    {
        descriptor const owner(open_nothing());
        number = owner.get();
        REQUIRE(owner.is_open());
        CHECK(owner);
        CHECK(is_open(number));
    }
    CHECK_FALSE(is_open(number));
}

TEST_CASE("a descriptor that was moved from holds nothing")
{
    descriptor from(open_nothing());
    int const number = from.get();
    descriptor to(std::move(from));
    CHECK_FALSE(from.is_open()); // NOLINT(bugprone-use-after-move)
    CHECK(to.get() == number);
    descriptor other;
    CHECK_FALSE(other);
    other = std::move(to);
    CHECK(other.get() == number);
    CHECK(is_open(number));
    static_assert(!std::is_copy_constructible_v<descriptor>);
}

TEST_CASE("a file can be closed before its owner ends")
{
    descriptor owner(open_nothing());
    int const number = owner.get();
    owner.close();
    CHECK_FALSE(owner.is_open());
    CHECK_FALSE(is_open(number));
    owner.close(); // nothing left to close
}

TEST_CASE("a process without free descriptors has none")
{
    using attune::detail::has_free_descriptors;
    CHECK(has_free_descriptors(12));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    descriptor const next(open_nothing());
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next.get()) + 3;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    bool const one = has_free_descriptors(1);
    bool const many = has_free_descriptors(12);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(one);
    CHECK(!many);
    CHECK(has_free_descriptors(12));
}
