// tests/ship/baked/code_by_shape.cpp - a table without a lock, asked and filled by several threads.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/code_by_shape.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <thread>
#include <vector>

namespace {

using shapes = attune::detail::code_by_shape<3, int const*>;

shapes::key key_of(std::int64_t i) { return {i, i / 7, -i}; }

} // namespace

TEST_CASE("what was kept is found, and nothing else; a full table keeps what it has")
{
    shapes subject;
    std::vector<int> codes(20'000);
    for (std::int64_t i = 0; i < 20'000; ++i) {
        CHECK_FALSE(subject.find(key_of(i)) != nullptr);
        subject.keep(key_of(i), &codes[static_cast<std::size_t>(i)]);
    }
    int kept = 0;
    for (std::int64_t i = 0; i < 20'000; ++i) {
        int const* const found = subject.find(key_of(i));
        if (found == nullptr) continue;
        ++kept;
        CHECK(found == &codes[static_cast<std::size_t>(i)]);
    }
    CHECK(kept > 3'500);
    CHECK(kept <= 4'096);
}

TEST_CASE("threads that meet the same shapes see whole entries")
{
    shapes subject;
    std::array<int, 500> codes{};
    std::atomic<int> wrong{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round)
                for (std::size_t i = 0; i < codes.size(); ++i) {
                    shapes::key const key = key_of(static_cast<std::int64_t>(i));
                    int const* const found = subject.find(key);
                    if (found == nullptr)
                        subject.keep(key, &codes[i]);
                    else if (found != &codes[i])
                        ++wrong;
                }
        });
    threads.clear();
    CHECK(wrong == 0);
    CHECK(subject.find(key_of(499)) == &codes[499]);
}
