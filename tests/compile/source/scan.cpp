// tests/compile/source/scan.cpp - walks C++ text without being misled by comments and literals.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/scan.hpp>

#include <doctest/doctest.h>

namespace {

std::vector<std::string> words(std::string_view text)
{
    std::vector<std::string> found;
    attune::detail::code_cursor cursor(text);
    while (!cursor.at_end())
        if (attune::detail::code_cursor::is_word(cursor.peek())) {
            std::string const word(cursor.word());
            if (!word.empty()) found.push_back(word);
        } else {
            cursor.step();
        }
    return found;
}

} // namespace

TEST_CASE("comments and literals hold no words")
{
    CHECK(words("a // b\nc /* d\ne */ f") == std::vector<std::string>{"a", "c", "f"});
    CHECK(words("a // b \\\n still b\nc") == std::vector<std::string>{"a", "c"});
    CHECK(words(R"(a "b \" c" d 'e' f)") == std::vector<std::string>{"a", "d", "f"});
    CHECK(words("a R\"x(b \" )\" c)x\" d") == std::vector<std::string>{"a", "d"});
    CHECK(words("1'000'000 b") == std::vector<std::string>{"1'000'000", "b"});
    CHECK(words("/* open to the end").empty());
    CHECK(words("\"open to the end").empty());
}

TEST_CASE("lines are counted through comments and literals")
{
    attune::detail::code_cursor cursor("/* 1\n2 */ \"x\"\n// 3\n\nword");
    while (!attune::detail::code_cursor::is_word(cursor.peek()))
        cursor.step();
    CHECK(cursor.line() == 5);
}

TEST_CASE("only quoted includes at the start of a line count")
{
    CHECK(attune::detail::quoted_includes("#include \"a.hpp\"\n  #  include \"b/c.hpp\" // x\n"
                                          "#include <d>\n// #include \"e.hpp\"\n"
                                          "x #include \"f.hpp\"\n\"\\n#include \\\"g.hpp\\\"\"\n"
                                          "#include \"open\n") ==
          std::vector<std::string>{"a.hpp", "b/c.hpp"});
}
