// tests/core/fixed_string.cpp - a string literal as a template argument.
// SPDX-License-Identifier: MIT
#include <attune/core/fixed_string.hpp>

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

template <attune::fixed_string Name>
struct named {
    static constexpr std::string_view name = Name.view();
};

} // namespace

TEST_CASE("a fixed_string carries its characters in a type")
{
    CHECK(named<"TILE_M">::name == "TILE_M");
    CHECK(named<"">::name.empty());
    static_assert(std::is_same_v<named<"a">, named<"a">>);
    static_assert(!std::is_same_v<named<"a">, named<"b">>);
    static_assert(!std::is_same_v<named<"a">, named<"a ">>);
}

TEST_CASE("a fixed_string keeps zero characters inside")
{
    static_assert(attune::fixed_string("a\0b").view().size() == 3);
    CHECK(attune::fixed_string("a\0b").view() == std::string_view("a\0b", 3));
}

TEST_CASE("an identifier is a letter or '_', then letters, digits or '_'")
{
    for (char const* good : {"a", "_", "Z9", "TILE_M", "_0", "x__y"})
        CHECK(attune::detail::is_identifier(good));
    for (char const* bad : {"", "0", "9a", "a b", "a-b", "a.b", "a\n", " a", "\xc3\xa4"})
        CHECK_FALSE(attune::detail::is_identifier(bad));
}

TEST_CASE("every single character is judged as the C standard does")
{
    std::string const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    std::string const digits = "0123456789";
    for (int code = 0; code < 256; ++code) {
        auto const c = static_cast<char>(code);
        bool const letter = letters.find(c) != std::string::npos;
        bool const digit = digits.find(c) != std::string::npos;
        CHECK(attune::detail::is_identifier(std::string(1, c)) == letter);
        CHECK(attune::detail::is_identifier(std::string("a") + c) == (letter || digit));
    }
}

TEST_CASE("all() is true unless one condition is false")
{
    static_assert(attune::detail::all({}));
    static_assert(attune::detail::all({true, true}));
    static_assert(!attune::detail::all({true, false, true}));
    CHECK(attune::detail::all({true}));
    CHECK_FALSE(attune::detail::all({false}));
}
