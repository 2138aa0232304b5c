// tests/core/posix/processor.cpp - what the system says about the processor.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/processor.hpp>

#include <doctest/doctest.h>
#include <string>

using attune::detail::processor_value;

TEST_CASE("the value of a line stands behind its colon")
{
    CHECK(processor_value("model name\t: Xeon 8: fast") == "Xeon 8: fast");
    CHECK(processor_value("power management:") == "");
    CHECK(processor_value("no colon") == "");
}

TEST_CASE("only the first processor is told of, a field a line")
{
    int first = 0;
    for (std::string const& line : attune::detail::processor_lines()) {
        CHECK_FALSE(line.empty());
        first += line.starts_with("processor") ? 1 : 0;
    }
    CHECK(first <= 1);
}
