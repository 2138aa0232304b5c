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

TEST_CASE("the facts of this processor are the same at each call, and not empty")
{
    std::string const facts = attune::detail::processor_facts();
    CHECK_FALSE(facts.empty());
    CHECK(attune::detail::processor_facts() == facts);
}

#if defined(__x86_64__)
TEST_CASE("features are those that the processor tells this process, not those of a file")
{
    // Under an emulator /proc/cpuinfo describes the processor of the host.
    std::string line;
    for (std::string const& one : attune::detail::processor_lines())
        if (one.starts_with("flags")) line = ' ' + std::string(processor_value(one)) + ' ';
    if (line.empty()) return;
    auto const has = [&](char const* name) {
        return line.find(' ' + std::string(name) + ' ') != std::string::npos;
    };
    CHECK(has("avx") == (__builtin_cpu_supports("avx") != 0));
    CHECK(has("avx2") == (__builtin_cpu_supports("avx2") != 0));
    CHECK(has("fma") == (__builtin_cpu_supports("fma") != 0));
    CHECK(has("avx512f") == (__builtin_cpu_supports("avx512f") != 0));
    CHECK(has("sse4_2") == (__builtin_cpu_supports("sse4.2") != 0));
}
#endif
