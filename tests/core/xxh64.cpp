// tests/core/xxh64.cpp : mirrors include/attune/core/xxh64.hpp
// SPDX-License-Identifier: MIT
#include <attune/core/xxh64.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

using attune::detail::xxh64_of;

TEST_CASE("hashes are those that xxHash's own tests state")
{
    // The text of its sanity test, and the second seed.
    std::string text;
    std::uint64_t next = 2654435761u;
    for (int i = 0; i < 222; ++i, next *= 11400714785074694797u)
        text += static_cast<char>(next >> 56);
    struct known_hash {
        std::size_t length;
        std::uint64_t without_seed, with_seed;
    };
    for (known_hash const& one : {known_hash{0, 0xef46db3751d8e999u, 0xac75fda2929b17efu},
                                  known_hash{1, 0xe934a84adb052768u, 0x5014607643a9b4c3u},
                                  known_hash{4, 0x9136a0dca57457eeu, 0xcaab286bd8e9fdb5u},
                                  known_hash{14, 0x8282dcc4994e35c8u, 0xc3bd6bf63deb6df0u},
                                  known_hash{222, 0xb641ae8cb691c174u, 0x20cb8ab7ae10c14au}}) {
        std::string_view const beginning = std::string_view(text).substr(0, one.length);
        CHECK(xxh64_of(beginning) == one.without_seed);
        CHECK(xxh64_of(beginning, 2654435761u) == one.with_seed);
    }
    CHECK(xxh64_of("abc") == 0x44bc2cf5ad770999u);
}

TEST_CASE("each changed bit changes the hash, wherever the text begins")
{
    std::string text(100, 'x');
    std::uint64_t const whole = xxh64_of(text);
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        std::string changed = text;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        CHECK(xxh64_of(changed) != whole);
        CHECK(xxh64_of(text, xxh64_of(changed)) != xxh64_of(text, whole));
    }
    for (std::size_t before = 1; before < 9; ++before)
        CHECK(xxh64_of(std::string_view(std::string(before, ' ') + text).substr(before)) == whole);
}
