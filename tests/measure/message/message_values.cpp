// tests/measure/message/message_values.cpp : mirrors include/attune/measure/message/message_values.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/message/message_values.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>

using attune::detail::damaged_message;
using attune::detail::message_reader;
using attune::detail::message_writer;

TEST_CASE("values are taken in the order in which they were put")
{
    message_writer to;
    to.put(3);
    to.put_text("two");
    to.put_text("");
    to.put(std::array<double, 2>{0.5, -1.0});
    std::string const text = to.take();
    message_reader from(text);
    CHECK(from.get<int>() == 3);
    CHECK(from.get_text() == "two");
    CHECK(from.get_text().empty());
    CHECK(from.get<std::array<double, 2>>() == std::array{0.5, -1.0});
    CHECK(from.is_at_end());
}

TEST_CASE("a text that ends too soon is damaged, wherever it ends")
{
    message_writer to;
    to.put(std::uint64_t{7});
    to.put_text("seven");
    std::string const whole = to.take();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::string const part = whole.substr(0, length);
        message_reader from(part);
        CHECK_THROWS_AS(
            {
                (void)from.get<std::uint64_t>();
                (void)from.get_text();
            },
            damaged_message);
    }
}

TEST_CASE("a count that cannot be is damaged, and takes no memory")
{
    message_writer to;
    to.put(std::size_t{1} << 62);
    to.put(1);
    std::string const text = to.take();
    message_reader from(text);
    CHECK_THROWS_AS((void)from.get_count(), damaged_message);
}

TEST_CASE("numbers arrive whole, also those at the ends of their range, and in their own type only")
{
    constexpr double endless = std::numeric_limits<double>::infinity();
    message_writer to;
    to.put(std::numeric_limits<std::int64_t>::min());
    to.put(std::numeric_limits<std::uint64_t>::max());
    to.put(endless);
    to.put(1.0 / 3);
    to.put(std::numeric_limits<double>::quiet_NaN());
    to.put(true);
    std::string const text = to.take();
    message_reader from(text);
    CHECK(from.get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
    CHECK(from.get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
    CHECK(from.get<double>() == endless);
    CHECK(from.get<double>() == 1.0 / 3);
    CHECK_THROWS_AS((void)from.get_number(), damaged_message);
    CHECK(from.get<bool>());
    message_reader again(text);
    CHECK_THROWS_AS((void)again.get<std::uint64_t>(), damaged_message); // it is negative
    CHECK_THROWS_AS((void)again.get<std::int64_t>(), damaged_message);  // it is too large
    CHECK_THROWS_AS((void)again.get<bool>(), damaged_message);
}

TEST_CASE("a message of nothing but beginnings is damaged, however long it is")
{
    for (char const begin : {'\x81', '\x9f', '\x5f', '\x7f', '\xa1', '\xc1', '\xd8'}) {
        std::string const text(1 << 20, begin);
        message_reader from(text);
        CHECK_THROWS_AS((void)from.get<int>(), damaged_message);
        std::string const inside = std::string("\x82\x01") + text;
        message_reader second(inside);
        CHECK_THROWS_AS((void)second.get<int>(), damaged_message);
    }
}
