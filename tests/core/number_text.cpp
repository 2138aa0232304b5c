// tests/core/number_text.cpp : mirrors include/attune/core/number_text.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/core/number_text.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../support/comma_locale.hpp"

using attune::detail::formatted;
using attune::detail::hexadecimal_text;
using attune::detail::real_in_text;

namespace {

std::vector<double> many_numbers()
{
    using limits = std::numeric_limits<double>;
    std::vector<double> out{0,
                            0.5,
                            1.5,
                            2.5,
                            999.5,
                            0.9995,
                            1e-300,
                            -3.25,
                            1.0 / 3,
                            limits::max(),
                            limits::denorm_min(),
                            limits::infinity(),
                            -limits::infinity()};
    std::mt19937_64 engine(1);
    while (out.size() < 2000) {
        double const v = std::bit_cast<double>(engine());
        if (std::isfinite(v)) out.push_back(v);
    }
    return out;
}

std::string printed(char const* format, double v)
{
    char text[512] = {};
    std::snprintf(text, sizeof text, format, v);
    return text;
}

} // namespace

TEST_CASE("seconds have three digits, measured ones too")
{
    using attune::detail::seconds_text;
    CHECK(seconds_text(0.25) == "0.25 s");
    CHECK(seconds_text(60) == "60 s");
    CHECK(seconds_text(3600) == "3600 s");
    CHECK(seconds_text(86'400.5) == "86400 s");
    CHECK(seconds_text(0.5001454519997424) == "0.5 s");
    CHECK(seconds_text(1.0 / 3) == "0.333 s");
    CHECK(seconds_text(12'345.678) == "12346 s");
}

TEST_CASE("a number is written as printf does it in the C locale")
{
    for (double const v : many_numbers())
        for (char const* const format : {"%.0f", "%.2f s", "at %.3g", "%.6g", "%.17g", "%.0f %%"})
            CHECK(formatted(format, v) == printed(format, v));
}

TEST_CASE("hexadecimal text reads back to the same bits, as strtod reads it")
{
    for (double const v : many_numbers()) {
        std::string const text = hexadecimal_text(v);
        CHECK(std::bit_cast<std::uint64_t>(real_in_text(text).value()) ==
              std::bit_cast<std::uint64_t>(v));
        CHECK(std::strtod(text.c_str(), nullptr) == v);
        // What older versions wrote.
        CHECK(real_in_text(printed("%a", v)).value() == v);
    }
    CHECK(hexadecimal_text(-0.0) == "-0x0p+0");
    CHECK(std::isnan(real_in_text(hexadecimal_text(std::nan(""))).value()));
}

TEST_CASE("a hexadecimal number has as many digits as asked, or more")
{
    using attune::detail::hexadecimal_text;
    CHECK(hexadecimal_text(0, 1) == "0x0");
    CHECK(hexadecimal_text(0, 3) == "0x000");
    CHECK(hexadecimal_text(0x41, 2) == "0x41");
    CHECK(hexadecimal_text(0xd0c, 3) == "0xd0c");
    CHECK(hexadecimal_text(~std::uint64_t{0}, 1) == "0xffffffffffffffff");
}

TEST_CASE("what is no number is none")
{
    for (char const* const text : {"", "-", "--1", "0x", "0x-1p+0", "1,5", "0x1,8p+0", "1 ", " 1",
                                   "+1", "1e999", "0x1p+9999"}) {
        CAPTURE(text);
        CHECK_FALSE(real_in_text(text).has_value());
    }
}

TEST_CASE("a number is the whole text, or there is none")
{
    using attune::detail::parse_number;
    CHECK(parse_number<int>("-17") == -17);
    CHECK(parse_number<double>("2.5e3") == 2500);
    CHECK(parse_number<std::int64_t>("9223372036854775807") == INT64_MAX);
    for (char const* const text :
         {"", " 1", "1 ", "+1", "1,5", "0x10", "one", "9223372036854775808"})
        CHECK_FALSE(parse_number<std::int64_t>(text).has_value());
    CHECK_FALSE(parse_number<std::uint64_t>("-1").has_value());
    CHECK_FALSE(parse_number<double>("1e999").has_value());
}

TEST_CASE("bytes are written in the largest unit that is not above them")
{
    using attune::detail::text_of_bytes;
    CHECK(text_of_bytes(0) == "0 bytes");
    CHECK(text_of_bytes(1023) == "1023 bytes");
    CHECK(text_of_bytes(1024) == "1 KiB");
    CHECK(text_of_bytes(1536) == "1.5 KiB");
    CHECK(text_of_bytes(1023 * 1024) == "1023 KiB");
    CHECK(text_of_bytes(1024 * 1024 - 1) == "1024 KiB");
    CHECK(text_of_bytes(3250176) == "3.1 MiB");
    CHECK(text_of_bytes(12.4 * 0x1p30) == "12.4 GiB");
    CHECK(text_of_bytes(0x1p40) == "1 TiB");
    CHECK(text_of_bytes(5000 * 0x1p50) == "5000 PiB");
}

TEST_CASE("locales with a comma change nothing")
{
    attune_test::comma_streams const streams;
    attune_test::german_locale const german;
    if (!german.lacking().empty()) MESSAGE("skipped in part: " << german.lacking());
    CHECK(formatted("%.2fx", 1.5) == "1.50x");
    CHECK(formatted("%.0f", 1234567.0) == "1234567");
    CHECK(hexadecimal_text(1.5) == "0x1.8p+0");
    CHECK(real_in_text("0x1.8p+0") == 1.5);
    CHECK(real_in_text("1.5") == 1.5);
}

TEST_CASE("one of a thing has no s")
{
    CHECK(attune::detail::count_text(0, "run") == "0 runs");
    CHECK(attune::detail::count_text(1, "run") == "1 run");
    CHECK(attune::detail::count_text(2, "evaluation") == "2 evaluations");
}
