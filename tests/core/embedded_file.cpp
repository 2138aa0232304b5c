// tests/core/embedded_file.cpp - the files of a list are found by name.
// SPDX-License-Identifier: MIT
#include <attune/core/embedded_file.hpp>

#include <array>
#include <doctest/doctest.h>

using attune::detail::embedded_file;
using attune::detail::embedded_files;

TEST_CASE("a file is found by the name it was given, byte for byte")
{
    constexpr std::array<unsigned char, 3> bytes{'a', 0, 'b'};
    embedded_file const one{"one", "/p/one", bytes.data(), 3};
    embedded_file const two{"two", "/p/two", bytes.data(), 1};
    std::array<embedded_file const*, 2> const all{&one, &two};
    embedded_files const list{{all.data(), all.data() + all.size()}};
    REQUIRE(list.find("two") == &two);
    CHECK(list.find("one")->view() == std::string_view("a\0b", 3));
    CHECK(list.find("three") == nullptr);
    CHECK(list.names() == "there are one, two");
    CHECK(embedded_files{}.names() == "there is none");
    CHECK(embedded_files{}.find("one") == nullptr);
}

TEST_CASE("a file of the same name is another one if it was elsewhere")
{
    constexpr unsigned char byte = 'a';
    embedded_file const one{"k", "/p/k", &byte, 1};
    embedded_file const again{"k", "/p/k", &byte, 1};
    embedded_file const other{"k", "/q/k", &byte, 1};
    std::array<embedded_file const*, 3> const all{&one, &again, &other};
    CHECK(embedded_files{{all.data(), all.data() + 2}}.find_other(one) == nullptr);
    CHECK(embedded_files{{all.data(), all.data() + 3}}.find_other(one) == &other);
    CHECK(embedded_files{{all.data(), all.data() + 3}}.find_other(other) == &one);
}
