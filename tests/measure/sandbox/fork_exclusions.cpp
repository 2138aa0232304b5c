// tests/measure/sandbox/fork_exclusions.cpp : memory without which a child runs, of include/attune/measure/sandbox/child_process.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <variant>
#include <vector>

#include "../../support/sanitized.hpp"

using attune::detail::address_range;
using attune::detail::memory_to_leave_out;
using attune::detail::sandboxed_run;
using attune::detail::sandboxed_run_options;

namespace {

/// Resident memory of its own mapping, in small pages.
class ballast {
public:
    explicit ballast(std::size_t bytes)
        : bytes_(bytes)
        , memory_(static_cast<char*>(
              ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
        ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);
        std::memset(memory_, 7, bytes_);
    }
    ~ballast() { ::munmap(memory_, bytes_); }
    ballast(ballast const&) = delete;
    ballast& operator=(ballast const&) = delete;

    char* data() const { return memory_; }
    address_range range() const
    {
        auto const first = reinterpret_cast<std::uintptr_t>(memory_);
        return {first, first + bytes_};
    }

private:
    std::size_t bytes_;
    char* memory_;
};

bool covers(std::vector<address_range> const& ranges, std::uintptr_t address)
{
    for (address_range const& r : ranges)
        if (r.contains(address)) return true;
    return false;
}

} // namespace

#if defined(__linux__)

TEST_CASE("nothing is left out where a sanitizer watches, whose shadow memory a child needs")
{
    ballast const much(3 * attune::detail::least_left_out_bytes);
    bool const is_sanitized = address_sanitized || thread_sanitized;
    CHECK(attune::detail::has_sanitizer() == is_sanitized);
    CHECK(memory_to_leave_out({}).empty() == is_sanitized);
    CHECK(attune::detail::large_memory_to_leave_out({}).empty() == is_sanitized);
}

TEST_CASE("a large mapping may be left out, but for what is kept")
{
    if (address_sanitized || thread_sanitized) return;
    ballast const much(3 * attune::detail::least_left_out_bytes);
    std::uintptr_t const first = much.range().first;
    auto const all = memory_to_leave_out({});
    CHECK(covers(all, first));
    CHECK(covers(all, much.range().last - 1));
    address_range const kept{first + 10'000, first + 20'001};
    auto const rest = memory_to_leave_out({&kept, 1});
    CHECK(covers(rest, first));
    CHECK(covers(rest, first + 20'480));
    for (std::uintptr_t const page : {8192U, 12'288U, 16'384U})
        CHECK_FALSE(covers(rest, first + page));
    int const on_the_stack = 0;
    CHECK_FALSE(covers(all, reinterpret_cast<std::uintptr_t>(&on_the_stack)));
}

TEST_CASE("what the program has left out itself is not touched")
{
    ballast const its_own(2 * attune::detail::least_left_out_bytes);
    auto const bytes = its_own.range().last - its_own.range().first;
    REQUIRE(::madvise(its_own.data(), bytes, MADV_DONTFORK) == 0);
    CHECK_FALSE(covers(memory_to_leave_out({}), its_own.range().first));
}

TEST_CASE("by size alone more is left out, and what is kept is kept there too")
{
    if (address_sanitized || thread_sanitized) return;
    ballast const much(2 * attune::detail::least_left_out_bytes);
    std::uintptr_t const first = much.range().first;
    address_range const kept{first + 4096, first + 8192};
    auto const all = attune::detail::large_memory_to_leave_out({&kept, 1});
    CHECK(covers(all, first));
    CHECK_FALSE(covers(all, first + 4096));
    CHECK(covers(all, first + 8192));
    int const on_the_stack = 0;
    CHECK_FALSE(covers(all, reinterpret_cast<std::uintptr_t>(&on_the_stack)));
}

TEST_CASE("a child that does not need the memory runs without it")
{
    ballast const much(attune::detail::least_left_out_bytes);
    address_range const without = much.range();
    sandboxed_run_options options{.without = {&without, 1}};
    bool missed = false;
    options.missed = [&] { missed = true; };
    CHECK(std::holds_alternative<double>(sandboxed_run([] {}, {}, nullptr, options)));
    CHECK_FALSE(missed);
}

TEST_CASE("a child that does need it is tried again with it")
{
    ballast const much(attune::detail::least_left_out_bytes);
    address_range const without = much.range();
    sandboxed_run_options options{.without = {&without, 1}};
    int missed = 0;
    options.missed = [&] { ++missed; };
    char* const target = much.data() + 12345;
    auto const end = sandboxed_run(
        [&] {
            if (*target != 7) throw "it is gone";
        },
        {}, nullptr, options);
    CHECK(std::holds_alternative<double>(end));
    CHECK(missed == 1);
    // Afterwards every fork has it again.
    CHECK(std::holds_alternative<double>(sandboxed_run(
        [&] {
            if (*target != 7) throw "it is gone";
        },
        {}, nullptr)));
    // A crash elsewhere is a crash.
    auto const crash =
        sandboxed_run([] { *static_cast<int volatile*>(nullptr) = 1; }, {}, nullptr, options);
    CHECK(std::holds_alternative<attune::failure>(crash));
    CHECK(missed == 1);
}

#endif
