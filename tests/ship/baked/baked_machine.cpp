// tests/ship/baked/baked_machine.cpp - a table without a lock, asked and filled by several threads.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked/baked_machine.hpp>

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

TEST_CASE(
    "what was kept is found, and nothing else; of a full table the latest are found elsewhere")
{
    shapes subject;
    std::vector<int> codes(20'000);
    for (std::int64_t i = 0; i < 20'000; ++i) {
        CHECK_FALSE(subject.find(key_of(i)) != nullptr);
        CHECK_FALSE(subject.find_late(key_of(i)) != nullptr);
        int* const code = &codes[static_cast<std::size_t>(i)];
        subject.keep(key_of(i), code);
        int const* const found = subject.find(key_of(i));
        CHECK((found != nullptr ? found : subject.find_late(key_of(i))) == code);
    }
    int kept = 0;
    int late = 0;
    for (std::int64_t i = 0; i < 20'000; ++i) {
        int const* found = subject.find(key_of(i));
        kept += found != nullptr ? 1 : 0;
        if (found == nullptr) {
            found = subject.find_late(key_of(i));
            late += found != nullptr ? 1 : 0;
        }
        if (found != nullptr) CHECK(found == &codes[static_cast<std::size_t>(i)]);
    }
    CHECK(kept > 3'500);
    CHECK(kept <= 4'096);
    CHECK(late > 800);
    CHECK(late <= 1'024);
}

TEST_CASE("threads that take each other's places see whole entries")
{
    shapes subject;
    for (std::int64_t i = 0; i < 10'000; ++i) // nothing else fits
        subject.keep(key_of(-1 - i), nullptr);
    std::vector<int> codes(3'000);
    std::atomic<int> wrong{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < 5; ++round)
                for (std::size_t i = 0; i < codes.size(); ++i) {
                    shapes::key const key = key_of(static_cast<std::int64_t>(i));
                    int const* const found = subject.find_late(key);
                    if (found == nullptr)
                        subject.keep(key, &codes[i]);
                    else if (found != &codes[i])
                        ++wrong;
                }
        });
    threads.clear();
    CHECK(wrong == 0);
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
