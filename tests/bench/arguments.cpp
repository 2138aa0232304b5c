// tests/bench/arguments.cpp : mirrors bench/support/arguments.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../bench/support/arguments.hpp"

namespace {

struct given {
    std::string name = "all";
    std::size_t count = 7;
    std::uint32_t limit = 60;
    int device = -1;
    bool table = false;

    /// @return  the error; empty: none
    std::string read(std::vector<std::string> words)
    {
        words.insert(words.begin(), "bench.x");
        std::vector<char*> text;
        for (std::string& word : words)
            text.push_back(word.data());
        try {
            bench::read_arguments(static_cast<int>(text.size()), text.data(),
                                  {{"--name", &name},
                                   {"limit", &limit, 1},
                                   {"--table", &table},
                                   {"--device", &device},
                                   {"count", &count}});
        } catch (std::runtime_error const& why) {
            return why.what();
        }
        return {};
    }
};

} // namespace

TEST_CASE("what is not given keeps its value")
{
    given g;
    CHECK(g.read({}) == "");
    CHECK(g.name == "all");
    CHECK(g.count == 7);
    CHECK(g.limit == 60);
    CHECK(g.device == -1);
    CHECK_FALSE(g.table);
}

TEST_CASE("arguments with dashes have any order, those without are read in theirs")
{
    given g;
    CHECK(g.read({"--table", "20", "--device", "3", "5", "--name", "x"}) == "");
    CHECK(g.name == "x");
    CHECK(g.limit == 20);
    CHECK(g.count == 5);
    CHECK(g.device == 3);
    CHECK(g.table);
}

TEST_CASE("words without dashes go to a list, from its place on")
{
    std::string first;
    std::vector<std::string> words;
    bool table = false;
    std::vector<std::string> given{"bench.x", "1", "a", "--table", "b"};
    std::vector<char*> text;
    for (std::string& word : given)
        text.push_back(word.data());
    bench::read_arguments(static_cast<int>(text.size()), text.data(),
                          {{"first", &first}, {"word", &words}, {"--table", &table}});
    CHECK(first == "1");
    CHECK(words == std::vector<std::string>{"a", "b"});
    CHECK(table);
}

TEST_CASE("a value may look like anything but its absence")
{
    given g;
    CHECK(g.read({"--name", "--table"}) == "");
    CHECK(g.name == "--table");
    CHECK(g.read({"--name"}) == "--name needs a value");
    CHECK(g.read({"--device"}) == "--device needs a value");
}

TEST_CASE("a number that is none, or too small, is refused and nothing is stored")
{
    given g;
    std::string const small = "limit takes a whole number of at least 1, not '";
    for (char const* const wrong : {"x", "0", "", "-1", "+1", "1x", " 1", "1.5"})
        CHECK(g.read({wrong}) == small + wrong + "'");
    CHECK(g.limit == 60);
    CHECK(g.read({"--device", "x"}) == "--device takes a whole number of at least 0, not 'x'");
    CHECK(g.device == -1);
}

TEST_CASE("a number that does not fit is refused, not cut off")
{
    given g;
    CHECK(g.read({"4294967295"}) == "");
    CHECK(g.limit == 4294967295U);
    CHECK(g.read({"4294967296"}) == "limit takes at most 4294967295, not '4294967296'");
    CHECK(g.read({"--device", "2147483648"}) ==
          "--device takes at most 2147483647, not '2147483648'");
    CHECK(g.read({"1", "18446744073709551615"}) == "");
    CHECK(g.count == 18446744073709551615U);
    CHECK(g.read({"1", "99999999999999999999"}) ==
          "count takes at most 18446744073709551615, not '99999999999999999999'");
}

TEST_CASE("an argument that is not known is refused with those that are")
{
    given g;
    std::string const all =
        ": no such argument; it takes --name TEXT, limit, --table, --device NUMBER, count";
    CHECK(g.read({"--names", "x"}) == "--names" + all);
    CHECK(g.read({"1", "2", "3"}) == "3" + all);
    char program[] = "bench.x";
    char word[] = "x";
    char* text[] = {program, word};
    CHECK_THROWS_WITH_AS(bench::read_arguments(2, text, {}), "x: no such argument; it takes none",
                         std::runtime_error);
}

TEST_CASE("main() returns what the program returns, or 2 when it throws")
{
    CHECK(bench::exit_code_of("bench.x", [] { return 0; }) == 0);
    CHECK(bench::exit_code_of("bench.x", [] { return 1; }) == 1);
    CHECK(bench::exit_code_of("bench.x", []() -> int { throw std::runtime_error("as meant"); }) ==
          2);
}
