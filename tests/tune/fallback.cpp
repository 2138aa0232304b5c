// tests/tune/fallback.cpp : mirrors include/attune/tune/fallback.hpp, which it includes first
#include <attune/tune/fallback.hpp>

#include <attune/attune.hpp>
#include <attune/compile/embedded.hpp>

#include <doctest/doctest.h>
#include <span>
#include <vector>

namespace {

constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2, 4, 8));
constexpr auto stepped = attune::space(step);
using bump_kernel = attune::kernel<void(std::span<int>)>;

void by_hand(std::span<int> x) { x[0] = 42; }

[[nodiscard]] int result_of(attune::kernel_description const& k)
{
    void* const address = attune::fallback_of(k);
    REQUIRE(address != nullptr);
    std::vector<int> x{3};
    reinterpret_cast<void (*)(std::span<int>)>(address)(x);
    return x[0];
}

} // namespace

TEST_CASE("a kernel without a function of its own falls back to what was compiled with the program")
{
    bump_kernel k{"bump", attune::embedded_source("support/ahead.kernel.cpp"), stepped};
    CHECK(result_of(k.describe()) == 3 * 2 * 4 + 4);
    k.fallback(&by_hand);
    CHECK(result_of(k.describe()) == 42);
    k.fallback([](std::span<int> x) { x[0] = 43; });
    CHECK(result_of(k.describe()) == 43);
}

TEST_CASE("a kernel of its own text has no fallback, and one of another type a reason")
{
    bump_kernel const k{"bump", attune::source_text("void bump();", "bump.cpp"), stepped};
    CHECK(attune::fallback_of(k.describe()) == nullptr);
    CHECK(attune::find_fallback(k.describe()).reason.empty());
    attune::kernel<void(std::span<double>)> const other{
        "bump", attune::embedded_source("support/ahead.kernel.cpp"), stepped};
    CHECK(attune::fallback_of(other.describe()) == nullptr);
    CHECK_FALSE(attune::find_fallback(other.describe()).reason.empty());
}

TEST_CASE("a template falls back to the default that both the space and CMake name")
{
    constexpr auto width = attune::ordinal<"WIDTH">(attune::values(1, 8, 16));
    bump_kernel const same{"widen<WIDTH>",
                           attune::embedded_source("support/ahead_template.kernel.cpp"),
                           attune::space(width.with_default(8))};
    CHECK(result_of(same.describe()) == 24);
    bump_kernel const differs{"widen<WIDTH>",
                              attune::embedded_source("support/ahead_template.kernel.cpp"),
                              attune::space(width.with_default(16))};
    CHECK(attune::fallback_of(differs.describe()) == nullptr);
}
