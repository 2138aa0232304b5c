// tests/tune/kernel/code_rules.cpp - conditions on compiled code, checked before it is launched.
// SPDX-License-Identifier: MIT
#include <attune/declare/domain.hpp>
#include <attune/declare/pack.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/kernel.hpp>
#include <attune/tune/kernel/compile_point.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/texts.hpp"

using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(32, 1024));
constexpr auto kind = attune::categorical<"KIND">("plain", "wide");
constexpr auto space = attune::space(block_x, kind);

using kernel = attune::kernel<void(attune::device_span<float>, int)>;

/// What broken_rule() says of a kernel declared by `declare`, at BLOCK_X=64, KIND=wide and N=10.
struct trial {
    attune::code_resources code{};
    attune::detail::residency resident{4, 0.375};

    [[nodiscard]] std::string said(std::function<void(kernel&)> const& declare) const
    {
        kernel k{"k", attune::source_text("", "k.cu"), space};
        k.bind<1>(n);
        declare(k);
        auto const bound = attune::bind_inputs(k.describe().space, {n(10)});
        return attune::detail::broken_rule(k.describe(), bound,
                                           {attune::coordinate{1, 0}, attune::coordinate{1, 0}},
                                           attune::detail::numbers_of(code, resident));
    }
};

trial some_code()
{
    trial out;
    out.code.registers = 96;
    out.code.spill_bytes = 16;
    out.code.stack_bytes = 48;
    out.code.static_shared_bytes = 4096;
    return out;
}

/// What is said of this code where the kernel requires that.
std::string said_of(auto const&... rules)
{
    return some_code().said([&](kernel& k) { k.require(rules...); });
}

using host_kernel = attune::kernel<void(std::span<float>, int)>;

/// The same for code of this processor.
std::string said_of_size(host_kernel const& k, attune::code_size const& size)
{
    auto const bound =
        attune::bind_inputs(k.describe().space, {n(10), attune::machine::l1_bytes(512)});
    return attune::detail::broken_rule(k.describe(), bound,
                                       {attune::coordinate{1, 0}, attune::coordinate{1, 0}},
                                       attune::detail::numbers_of(size));
}

} // namespace

TEST_CASE("without rules none is broken, and features are no rules")
{
    CHECK(some_code().said([](kernel&) {}) == "");
    CHECK(some_code().said([](kernel& k) { k.features(attune::registers <= 64); }) == "");
}

TEST_CASE("a rule reads each quantity of the code exactly")
{
    auto const holds = [](auto const& rule) {
        return some_code().said([&](kernel& k) { k.require(rule); }).empty();
    };
    CHECK(holds(attune::registers <= 96));
    CHECK_FALSE(holds(attune::registers < 96));
    CHECK(holds(attune::spill_bytes == 16));
    CHECK(holds(attune::stack_bytes == 48));
    CHECK(holds(attune::static_shared_bytes == 4096));
    CHECK(holds(attune::occupancy >= 0.375));
    CHECK_FALSE(holds(attune::occupancy > 0.375));
}

TEST_CASE("a broken rule is told with the numbers that it read")
{
    CHECK(said_of(attune::registers <= 64) == "registers <= 64 does not hold: registers = 96");
    CHECK(said_of(attune::occupancy >= 0.5) == "occupancy >= 0.5 does not hold: occupancy = 0.375");
}

TEST_CASE("a rule reads parameters and inputs of the configuration too")
{
    CHECK(said_of(attune::registers * block_x <= 6144) == "");
    CHECK(said_of(attune::registers * block_x + n <= 6144, attune::spill_bytes == 0) ==
          "registers * BLOCK_X + N <= 6144 does not hold: registers = 96, N = 10, BLOCK_X = 64");
    CHECK(said_of(kind == "plain" || attune::registers <= 64) ==
          "KIND == \"plain\" || registers <= 64 does not hold: registers = 96, KIND = wide");
    CHECK(said_of(kind == "wide" || attune::registers <= 64) == "");
}

TEST_CASE("the first broken rule is told, in order of declaration")
{
    std::string const said = some_code().said([](kernel& k) {
        k.require(attune::registers <= 128).require(attune::spill_bytes == 0);
        k.require(attune::stack_bytes == 0);
    });
    CHECK(said == "spill_bytes == 0 does not hold: spill_bytes = 16");
}

TEST_CASE("a rule without a value does not hold")
{
    CHECK(said_of(attune::registers / (n - 10) <= 64) ==
          "registers / (N - 10) <= 64 has no value: registers = 96, N = 10");
}

TEST_CASE("the features of code are its numbers, in order of declaration")
{
    auto const features = [](std::function<void(kernel&)> const& declare) {
        kernel k{"k", attune::source_text("", "k.cu"), space};
        k.bind<1>(n);
        declare(k);
        trial const t = some_code();
        return attune::detail::code_metrics_at(k.describe(),
                                               attune::bind_inputs(k.describe().space, {n(10)}),
                                               {attune::coordinate{1, 0}, attune::coordinate{1, 0}},
                                               attune::detail::numbers_of(t.code, t.resident));
    };
    CHECK(features([](kernel& k) { k.require(attune::registers <= 64); }).empty());
    CHECK(features([](kernel& k) {
              k.features(attune::registers, attune::spill_bytes > 0, attune::occupancy);
              k.require(attune::registers <= 64);
              k.features(attune::registers * block_x + n, attune::stack_bytes == 0);
          }) == std::vector<double>{96, 1, 0.375, 96 * 64 + 10, 0});
    std::vector<double> const none =
        features([](kernel& k) { k.features(attune::registers / (n - 10)); });
    REQUIRE(none.size() == 1);
    CHECK(std::isnan(none.front()));
}

TEST_CASE("on this processor a rule reads the size of code and the largest frame")
{
    host_kernel k{"k", attune::source_text("", "k.cpp"), space};
    k.bind<1>(n).require(attune::code_bytes <= 100 * block_x,
                         attune::stack_bytes <= attune::machine::l1_bytes);
    auto const said = [&](attune::code_size const& size) { return said_of_size(k, size); };
    CHECK(said({6400, 512}) == "");
    CHECK(said({6401, 512}) ==
          "code_bytes <= 100 * BLOCK_X does not hold: code_bytes = 6401, BLOCK_X = 64");
    CHECK(said({6400, 513}) ==
          "stack_bytes <= machine.l1_bytes does not hold: stack_bytes = 513, machine.l1_bytes = "
          "512");
    CHECK(said({6400, {}}) ==
          "stack_bytes <= machine.l1_bytes has no value: stack_bytes = not known, "
          "machine.l1_bytes = 512");
    CHECK(said({{}, 1}).find("code_bytes = not known") != std::string::npos);
}

TEST_CASE("on this processor a rule reads stores for want of registers and vector instructions")
{
    host_kernel k{"k", attune::source_text("", "k.cpp"), space};
    k.bind<1>(n).require(attune::spills == 0, attune::vector_instructions > 0);
    auto const said = [&](attune::code_size const& size) { return said_of_size(k, size); };
    CHECK(said({{}, {}, 0, 1}) == "");
    CHECK(said({{}, {}, 3, 1}) == "spills == 0 does not hold: spills = 3");
    CHECK(said({{}, {}, 0, 0}) == "vector_instructions > 0 does not hold: vector_instructions = 0");
    CHECK(said({6400, 512, {}, 1}) == "spills == 0 has no value: spills = not known");
}

TEST_CASE("a quantity that a compiler does not give is an error that names it")
{
    using names = std::vector<std::string_view>;
    auto const said = [](auto const& rule, names const* given) {
        kernel k{"k", attune::source_text("", "k.cu"), space};
        k.require(rule);
        return attune_test::error_of(
            [&] { attune::detail::require_quantities(k.describe(), given); });
    };
    names const both{"code_bytes", "stack_bytes"};
    names const one{"code_bytes"};
    names const none;
    CHECK(said(attune::code_bytes <= 4096, &both) == "");
    CHECK(said(attune::stack_bytes + attune::code_bytes <= 4096, &both) == "");
    CHECK(said(attune::code_bytes <= 4096, &one) == "");
    CHECK(has(said(attune::stack_bytes <= 4096, &one), "stack_bytes in stack_bytes <= 4096"));
    CHECK(has(said(attune::code_bytes <= 4096, &none), "code_bytes"));
    CHECK(has(said(attune::registers <= 64, &both), "registers"));
    CHECK(said(attune::registers <= 64, nullptr) == "");
    CHECK(said(attune::stack_bytes <= 64, nullptr) == "");
    CHECK(has(said(attune::code_bytes <= 64, nullptr), "for a device"));
    CHECK(has(said(attune::spills == 0, &both), "spills in spills == 0"));
    CHECK(has(said(attune::vector_instructions > 0, &both), "vector_instructions in"));
    CHECK(has(said(attune::spills == 0, nullptr), "for a device"));
    CHECK(has(said(attune::vector_instructions > 0, nullptr), "for a device"));
    names const all{"code_bytes", "stack_bytes", "spills", "vector_instructions"};
    CHECK(said(attune::spills == 0 && attune::vector_instructions > 0, &all) == "");
}
