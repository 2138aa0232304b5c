// tests/measure/roofline.cpp - the distance to what the machine can do.
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline.hpp>

#include <cstdio>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <string>

namespace {

/// 100 flops and 10 bytes per second.
constexpr attune::machine_limits slow{100, 50, 10, 1};

std::string content(std::string const& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("whichever takes longer, arithmetic or memory, sets the least time")
{
    attune::roofline const compute = attune::roofline_of(slow, {200, 10, false}, 4.0);
    CHECK(compute.least_s == 2.0);
    CHECK(compute.fraction == 0.5);
    CHECK(!compute.memory_bound);
    attune::roofline const memory = attune::roofline_of(slow, {200, 30, false}, 4.0);
    CHECK(memory.least_s == 3.0);
    CHECK(memory.memory_bound);
    CHECK(attune::text_of(memory) == "0.75 of the roofline (memory bound)");
}

TEST_CASE("double precision has its own peak")
{
    CHECK(attune::roofline_of(slow, {200, 10, true}, 4.0).fraction == 1.0);
}

TEST_CASE("a machine is measured once, and then read from the file")
{
    std::string const path = "attune_machine_limits.txt";
    std::remove(path.c_str());
    attune::machine_limits const first = attune::known_machine(path, "some processor", 1);
    CHECK(first.f32_flops > 1e8);
    CHECK(first.f64_flops > 1e8);
    CHECK(first.bytes > 1e8);
    std::string const written = content(path);
    attune::machine_limits const again = attune::known_machine(path, "some processor", 1);
    CHECK(content(path) == written);
    CHECK(again.bytes == doctest::Approx(first.bytes).epsilon(1e-4));
    std::remove(path.c_str());
}

TEST_CASE("limits of another processor or another number of threads are not taken for this one's")
{
    std::string const path = "attune_other_limits.txt";
    std::ofstream(path) << "1 100 50 10 another processor\n2 100 50 10 some processor\nnonsense\n";
    CHECK(attune::known_machine(path, "some processor", 1).bytes > 1e8);
    CHECK(attune::known_machine(path, "another processor", 1).bytes == 10);
    std::remove(path.c_str());
}
