// tests/measure/message/message_values.cpp : mirrors include/attune/measure/message/message_values.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/message/message_values.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <variant>

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::outcome;
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

namespace {

outcome there_and_back(outcome const& what)
{
    message_writer to;
    attune::detail::put_outcome(to, what);
    std::string const text = to.take();
    // Whatever is cut off is missed.
    for (std::size_t length = 0; length < text.size(); ++length) {
        std::string const part = text.substr(0, length);
        message_reader from(part);
        CHECK_THROWS_AS((void)attune::detail::get_outcome(from), damaged_message);
    }
    message_reader from(text);
    outcome out = attune::detail::get_outcome(from);
    CHECK(from.is_at_end());
    return out;
}

} // namespace

TEST_CASE("failures and measurements arrive")
{
    failure const why{failure_stage::verify, "argument 2, element 17", "a log\nof two lines"};
    auto const failed = std::get<failure>(there_and_back(why));
    CHECK(failed.stage == why.stage);
    CHECK(failed.reason == why.reason);
    CHECK(failed.log == why.log);
    auto const measured = std::get<measurement>(there_and_back(measurement{3, 2, 4, 12}));
    CHECK(measured.value == 3);
    CHECK(measured.low == 2);
    CHECK(measured.high == 4);
    CHECK(measured.samples == 12);
}

TEST_CASE("an outcome that is neither, and a stage that does not exist, are damaged")
{
    message_writer to;
    to.put(std::size_t{2}); // neither
    attune::detail::put_failure(to, {failure_stage::crash, "", ""});
    to.put(std::size_t{1});
    to.put(static_cast<failure_stage>(attune::detail::failure_stage_count));
    to.put_text("");
    to.put_text("");
    std::string const text = to.take();
    message_reader from(text);
    CHECK_THROWS_AS((void)attune::detail::get_outcome(from), damaged_message);
    (void)attune::detail::get_failure(from);
    CHECK_THROWS_AS((void)attune::detail::get_outcome(from), damaged_message);
}
