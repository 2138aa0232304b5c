// tests/off/tuned.cpp - with ATTUNE_OFF a tuned kernel is its default, and nothing of attune's is linked.
// SPDX-License-Identifier: MIT
#include <attune/off/tuned.hpp>

#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "call_site.hpp"

namespace {

inline constexpr auto step = attune::ordinal<"STEP">(attune::values(2, 4, 8));
inline constexpr auto stepped = attune::space(step);
using bump_kernel = attune::kernel<void(std::span<int>)>;

} // namespace

TEST_CASE("a call site that is written for the tuner calls the default")
{
    CHECK(call_site::run("off_no_such_store.attune") == "12 20, tuned 0");
    CHECK_FALSE(std::filesystem::exists("off_no_such_store.attune"));
}

TEST_CASE("a kernel that attune_add_kernel compiled is found by name, type and file")
{
    bump_kernel const kernel{"bump", attune::embedded_source("support/ahead.kernel.cpp"), stepped};
    attune::tuned const bump{kernel, attune::clang_compiler{}};
    std::vector<int> x{1, 2};
    bump(x);
    CHECK(x == std::vector<int>{12, 20}); // x * 2 * 4 + 4
    bump_kernel const twin{"bump", attune::source_file("/elsewhere/ahead_twin.kernel.cpp"),
                           stepped};
    attune::tuned const other{twin, attune::system_compiler{}, {.limits = {.evaluations = 7}}};
    std::vector<int> y{1, 2};
    other(y);
    CHECK(y != std::vector<int>{12, 20});
    CHECK(other.report().how == attune::decision::served_fallback);
    CHECK(other.report().summary().find("ATTUNE_OFF") != std::string::npos);
    CHECK(other.explain(y).serves);
}

TEST_CASE("a kernel whose default the program does not contain is refused in a sentence")
{
    bump_kernel kernel{"bump", attune::source_text("void bump(std::span<int>) {}", "b.cpp"),
                       stepped};
    auto const make = [&] { attune::tuned{kernel, attune::system_compiler{}}; };
    CHECK_THROWS_WITH_AS(make(), doctest::Contains("of another file"), attune::error);
    kernel.fallback([](std::span<int> x) { x[0] = 5; });
    attune::tuned const bump{kernel, attune::system_compiler{}};
    std::vector<int> x{1};
    bump(x);
    CHECK(x[0] == 5);
    attune::kernel<void(std::span<float>)> const other{
        "bump", attune::embedded_source("support/ahead.kernel.cpp"), stepped};
    CHECK_THROWS_WITH_AS((attune::tuned{other, attune::system_compiler{}}),
                         doctest::Contains("and the kernel is declared as void"), attune::error);
    attune::kernel<void(std::span<int>)> const unknown{"nobody", attune::source_file("n.cpp"),
                                                       stepped};
    CHECK_THROWS_WITH_AS((attune::tuned{unknown, attune::system_compiler{}}),
                         doctest::Contains("add attune_add_kernel"), attune::error);
}

TEST_CASE("names at the end of paths are compared whole")
{
    using attune::off::detail::equal_names;
    CHECK(equal_names("/a/b/k.cpp", "b/k.cpp") == 2);
    CHECK(equal_names("/a/b/k.cpp", "../c/k.cpp") == 1);
    CHECK(equal_names("/a/b/k.cpp", "xk.cpp") == 0);
    CHECK(equal_names("", "k.cpp") == 0);
}
