// tests/remember/record_line.cpp - a record survives being one line of text.
// SPDX-License-Identifier: MIT
#include <attune/remember/record_line.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <variant>

#include "../laws/record_store.hpp"

namespace {

attune::record read_back(attune::record const& entry)
{
    std::string const line = attune::detail::record_line(entry);
    CHECK(line.find('\n') == std::string::npos);
    attune::detail::line_content const content = attune::detail::read_line(line);
    REQUIRE(std::holds_alternative<attune::record>(content));
    return std::get<attune::record>(content);
}

std::string why_damaged(std::string const& line)
{
    attune::detail::line_content const content = attune::detail::read_line(line);
    REQUIRE(std::holds_alternative<attune::detail::damage>(content));
    return std::get<attune::detail::damage>(content).why;
}

std::string replaced(std::string text, std::string const& from, std::string const& to)
{
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a record is written as this line, which other programs may read")
{
    char const* const expected =
        R"x({"kernel":"sgemm","source":"5f3a","schema":"77c1","compiler":"clang 19 -O3",)x"
        R"x("device":"cpu zen4","inputs":{"N":"1024","M":"512"},)x"
        R"x("configuration":{"TILE_M":"64","ORDER":"(0, 2, 1)"},"best_s":0.1,)x"
        R"x("default_s":0.3333333333333333,"evaluations":60,"failures":7,"seed":1,)x"
        R"x("when":"2025-01-31T12:00:00Z","attune":"0.1.0","interrupted":false})x";
    CHECK(attune::detail::record_line(laws::example_record()) == expected);
    CHECK(attune::detail::header_line() == R"({"attune_store":1})");
}

TEST_CASE("a record reads back equal, also when every text is awkward")
{
    CHECK(read_back(laws::example_record()) == laws::example_record());
    CHECK(read_back(attune::record{}) == attune::record{});

    attune::record entry = laws::example_record();
    entry.key.kernel = "quote \" backslash \\ newline \n return \r tab \t";
    entry.key.source = std::string("zero \0 inside", 13);
    entry.key.schema = "\xe2\x80\xa8 \xf0\x9f\x98\x80 \x7f";
    entry.key.compiler = "not UTF-8: \xff\xfe\x80 \n";
    entry.key.device = "\xc3";
    entry.key.inputs = {{"\xc3\xa4", "\xff"}, {"", ""}, {"bytes", "{}"}};
    entry.configuration = {};
    entry.interrupted = true;
    CHECK(read_back(entry) == entry);
}

TEST_CASE("the roofline is written where it is known, and then needed whole")
{
    attune::record entry = laws::example_record();
    entry.least_s = 1.0 / 3;
    entry.memory_bound = true;
    CHECK(read_back(entry) == entry);
    std::string const line = attune::detail::record_line(entry);
    CHECK(line.ends_with(R"("least_s":0.3333333333333333,"memory_bound":true})"));
    CHECK(why_damaged(replaced(line, "memory_bound", "other")) == "memory_bound is missing");
}

TEST_CASE("that the machine was disturbed is written where it was, and such a record is unfinished")
{
    attune::record entry = laws::example_record();
    CHECK(attune::detail::is_finished(entry));
    CHECK(attune::detail::record_line(entry).find("disturbed") == std::string::npos);
    entry.disturbed = true;
    CHECK(read_back(entry) == entry);
    CHECK(!attune::detail::is_finished(entry));
    std::string const line = attune::detail::record_line(entry);
    CHECK(line.find(R"("interrupted":false,"disturbed":true)") != std::string::npos);
    CHECK(why_damaged(replaced(line, "\"disturbed\":true", "\"disturbed\":1")) ==
          "disturbed is not true or false");
    entry = laws::example_record();
    entry.interrupted = true;
    CHECK(!attune::detail::is_finished(entry));
}

TEST_CASE("the order of parameters is kept")
{
    attune::record entry = laws::example_record();
    entry.configuration = {{"z", "1"}, {"a", "2"}, {"m", "3"}};
    CHECK(read_back(entry).configuration == entry.configuration);
}

TEST_CASE("numbers read back to the last bit, infinities and NaN too")
{
    auto const check = [](double value) {
        attune::record entry = laws::example_record();
        entry.best_s = value;
        entry.default_s = -value;
        attune::record const back = read_back(entry);
        if (std::isnan(value)) {
            CHECK(std::isnan(back.best_s));
            return;
        }
        CHECK(std::bit_cast<std::uint64_t>(back.best_s) == std::bit_cast<std::uint64_t>(value));
        CHECK(std::bit_cast<std::uint64_t>(back.default_s) == std::bit_cast<std::uint64_t>(-value));
    };
    using limits = std::numeric_limits<double>;
    for (double const value : {0.0,
                               1.0,
                               0.1,
                               1.0 / 3.0,
                               1e-9,
                               5e-324,
                               limits::min(),
                               limits::max(),
                               limits::epsilon(),
                               limits::infinity(),
                               limits::quiet_NaN()})
        check(value);
    attune::random_engine engine(31);
    for (int i = 0; i < 3000; ++i)
        check(std::bit_cast<double>(engine()));

    attune::record entry = laws::example_record();
    entry.seed = std::numeric_limits<std::uint64_t>::max();
    entry.evaluations = (std::uint64_t{1} << 53) + 1;
    CHECK(read_back(entry) == entry);
}

TEST_CASE("a line cut anywhere is damaged, and never read as a record")
{
    std::string const line = attune::detail::record_line(laws::example_record());
    for (std::size_t length = 0; length < line.size(); ++length)
        CHECK(std::holds_alternative<attune::detail::damage>(
            attune::detail::read_line(line.substr(0, length))));
    CHECK(why_damaged(line.substr(0, 20)).starts_with("not JSON (byte "));
    CHECK(why_damaged(line + line).starts_with("not JSON (byte "));
}

TEST_CASE("every field is needed, with its own type")
{
    std::string const line = attune::detail::record_line(laws::example_record());
    CHECK(why_damaged(replaced(line, "\"best_s\"", "\"other\"")) == "best_s is missing");
    CHECK(why_damaged(replaced(line, "\"schema\"", "\"other\"")) == "schema is missing");
    CHECK(why_damaged(replaced(line, "0.1,", "\"fast\",")) == "best_s is not a number");
    CHECK(why_damaged(replaced(line, ":60,", ":-60,")) == "evaluations is not a count");
    CHECK(why_damaged(replaced(line, ":60,", ":6.5,")) == "evaluations is not a count");
    CHECK(why_damaged(replaced(line, ":false", ":0")) == "interrupted is not true or false");
    CHECK(why_damaged(replaced(line, "\"sgemm\"", "5")) == "kernel is not a text");
    CHECK(why_damaged(replaced(line, "\"64\"", "64")) == "configuration is not a text");
    CHECK(why_damaged(replaced(line, "\"512\"}", "\"512\"")).starts_with("not JSON"));
    CHECK(why_damaged(replaced(line, "0.1,", "1e999,")) == "a number is out of range");
    CHECK(why_damaged(replaced(line, "\"5f3a\"", R"({"bytes":"0g"})")) ==
          "source has a wrong hexadecimal digit");
    CHECK(why_damaged(replaced(line, "\"5f3a\"", R"({"bytes":"0"})")) == "source has half a byte");
    CHECK(why_damaged("[]") == "not a JSON object");
    CHECK(why_damaged("null") == "not a JSON object");
    CHECK(why_damaged("{}") == "kernel is missing");
    CHECK(why_damaged(std::string(200000, '[')).starts_with("not JSON"));
    CHECK(why_damaged(std::string(100, '\0')).starts_with("not JSON"));
}

TEST_CASE("fields that a later writer added are ignored")
{
    std::string const line = attune::detail::record_line(laws::example_record());
    auto const content = attune::detail::read_line(
        replaced(line, "\"kernel\"", R"("host":{"name":[1,2,null]},"kernel")") + " \r");
    REQUIRE(std::holds_alternative<attune::record>(content));
    CHECK(std::get<attune::record>(content) == laws::example_record());
}

TEST_CASE("a header tells whether its format is known")
{
    auto const header = [](std::string const& line) {
        auto const content = attune::detail::read_line(line);
        REQUIRE(std::holds_alternative<attune::detail::store_header>(content));
        return std::get<attune::detail::store_header>(content);
    };
    CHECK(header(attune::detail::header_line()).known);
    CHECK(header(R"({"made_by":"x","attune_store":1})").known);
    CHECK_FALSE(header(R"({"attune_store":2})").known);
    CHECK(header(R"({"attune_store":2})").format == "2");
    CHECK_FALSE(header(R"({"attune_store":"1"})").known);
    CHECK_FALSE(header(R"({"attune_store":null})").known);
    CHECK_FALSE(header(R"({"attune_store":0})").known);
}

TEST_CASE("what is nested a million deep is damage, or a format that is unknown")
{
    std::string const deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    auto const header = attune::detail::read_line("{\"attune_store\":" + deep + "}");
    REQUIRE(std::holds_alternative<attune::detail::store_header>(header));
    CHECK_FALSE(std::get<attune::detail::store_header>(header).known);
    CHECK(std::get<attune::detail::store_header>(header).format == "unknown");
    CHECK(std::holds_alternative<attune::detail::damage>(
        attune::detail::read_line("{\"kernel\":" + deep + "}")));
}
