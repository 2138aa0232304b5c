// tests/measure/message/outcome_values.cpp : mirrors include/attune/measure/message/outcome_values.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/measure/message/outcome_values.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <variant>

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::outcome;
using attune::detail::damaged_message;
using attune::detail::message_reader;
using attune::detail::message_writer;

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
