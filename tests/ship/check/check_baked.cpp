// tests/ship/check/check_baked.cpp - builds of a baked kernel that are right, wrong, or cannot be verified.
// SPDX-License-Identifier: MIT
#include <attune/ship/check/check_baked.hpp>

#include <attune/core/matrix_view.hpp>
#include <attune/ship/bake/build_proofs.hpp>

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

using attune::detail::baked_build;
using attune::detail::baked_check;
using attune::detail::baked_code;
using attune::detail::baked_table;
using attune::detail::baked_variant;
using attune::detail::check_tolerance;
using attune::detail::checked_builds;
using attune::detail::instruction_level;

namespace {

/// Function `Tried` as the only variant of a kernel whose default is `Default`.
template <auto* Default, auto* Tried>
struct example {
    template <auto* Function>
    static baked_code address() noexcept
    {
        return reinterpret_cast<baked_code>(Function);
    }
    baked_build builds[2] = {{instruction_level::x86_64_v4, &address<Tried>},
                             {instruction_level::base, &address<Tried>}};
    static constexpr std::int64_t divisors[] = {8};
    baked_variant variants[1] = {{"TILE=8", builds, divisors}};
    std::vector<attune::detail::shape_word> layout{};
    std::vector<check_tolerance> tolerances{};
    baked_table table{};

    template <class Result, class... Args>
    checked_builds verify(Result (*)(Args...), std::vector<std::int64_t> const& shapes)
    {
        layout = attune::detail::shape_of_call<Args...>::layout();
        table.layout.first = layout.data();
        table.layout.count = layout.size();
        table.fallback = &address<Default>;
        table.variants = variants;
        attune::detail::check_request asked{.table = table, .mark = "m"};
        asked.shapes.first = shapes.data();
        asked.shapes.count = shapes.size();
        asked.tolerances.first = tolerances.data();
        asked.tolerances.count = tolerances.size();
        return attune::detail::checked_builds_in(baked_check<Result(Args...)>(asked).run(), "text",
                                                 "m");
    }
    checked_builds on(std::vector<std::int64_t> const& shapes) { return verify(Default, shapes); }
};

void twice(std::span<float const> x, std::span<float> y, int n)
{
    for (int i = 0; i < n; ++i)
        y[static_cast<std::size_t>(i)] = 2 * x[static_cast<std::size_t>(i)];
}
void twice_in_eights(std::span<float const> x, std::span<float> y, int n)
{
    twice(x, y, n - n % 8); // forgets the rest
}
void twice_by_far(std::span<float const> x, std::span<float> y, int n)
{
    for (int i = 0; i < n; ++i)
        y[static_cast<std::size_t>(i)] = 2.001f * x[static_cast<std::size_t>(i)];
}
void twice_or_crash(std::span<float const> x, std::span<float> y, int n)
{
    if (n > 20) std::abort();
    twice(x, y, n);
}

std::size_t shapes_of(checked_builds const& found)
{
    return found.all.empty() ? 0 : found.all.back().right.size();
}

int sum(attune::matrix_view<int const> a, bool is_negative, unsigned char by)
{
    int out = 0;
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t j = 0; j < a.columns(); ++j)
            out += a(i, j) * by;
    return is_negative ? -out : out;
}
int sum_of_squares_only(attune::matrix_view<int const> a, bool is_negative, unsigned char by)
{
    return a.rows() == a.columns() ? sum(a, is_negative, by) : 0;
}
void rotate(std::span<std::complex<double>, 4> x, double by)
{
    for (auto& one : x)
        one *= std::polar(1.0, by);
}
void by_pointer(float*, int) {}
struct options {
    int a, b;
};
void by_structure(std::span<float>, options) {}

} // namespace

TEST_CASE("code that is right is verified for a shape at several places in memory")
{
    example<&twice, &twice> subject;
    checked_builds const found = subject.on({24, 24, 24, 0, -1});
    REQUIRE_FALSE(found.all.empty());
    CHECK(found.all.back().wrong.empty());
    CHECK(found.all.back().level == "base");
    CHECK(shapes_of(found) == 5); // four times alike, once not
    CHECK(found.all.back().right[0] == std::vector<std::int64_t>{24, 24, 24, 0, 0});
    auto const mine = level_of(attune::detail::words_of_this_processor());
    CHECK(found.all.size() == (mine == instruction_level::x86_64_v4 ? 2u : 1u));
    // What has no new property is not run again; a place that the store tells of is one.
    CHECK(shapes_of(subject.on({24, 24, 24, 0, 0, 24, 24, 24, 0, 0, 24, 24, 24, 0, 4})) == 2);
}

TEST_CASE("code that is wrong for a shape is found, and says where")
{
    example<&twice, &twice_in_eights> subject;
    checked_builds const found = subject.on({24, 24, 24, 0, 0, 27, 27, 27, 0, 0, 40, 40, 40, 0, 0});
    REQUIRE_FALSE(found.all.empty());
    CHECK(shapes_of(found) == 1);
    CHECK(found.all.back().wrong.find("argument 2 is 27") != std::string::npos);
    example<&twice, &twice_or_crash> crashing;
    CHECK(crashing.on({8, 8, 8, 0, 0, 24, 24, 24, 0, 0}).all.back().wrong.find("SIGABRT") !=
          std::string::npos);
}

TEST_CASE("results are compared by the tolerances of the kernel")
{
    example<&twice, &twice_by_far> subject;
    CHECK_FALSE(subject.on({24, 24, 24, 0, 0}).all.back().wrong.empty());
    subject.tolerances = {{1, {0, 1e-2}}};
    CHECK(subject.on({24, 24, 24, 0, 0}).all.back().wrong.empty());
}

TEST_CASE("shapes that say nothing are no proof, and it is said why")
{
    example<&twice_or_crash, &twice> subject;
    // Too small for the number; empty; negative; overlapping; larger than memory.
    std::vector<std::int64_t> shapes;
    for (std::vector<std::int64_t> const& one : {std::vector<std::int64_t>{24, 24, 24, 0, 0},
                                                 {0, 0, 0, 0, 0},
                                                 {-4, 8, 8, 0, 0},
                                                 {8, 8, 8, 77, 0},
                                                 {std::int64_t{1} << 41, 8, 8, 0, 0}})
        shapes.insert(shapes.end(), one.begin(), one.end());
    auto const found = subject.on(shapes);
    CHECK(found.all.empty());
    CHECK(found.said.size() >= 4);
}

TEST_CASE("views, results, numbers and fixed lengths are filled as the shape says")
{
    example<&sum, &sum> right;
    CHECK(shapes_of(right.on({5, 7, 9, 1, 3, -1})) == 4);
    example<&sum, &sum_of_squares_only> wrong;
    auto const found = wrong.on({5, 5, 9, 1, 3, 0, 5, 7, 9, 1, 3, 0});
    CHECK(found.all.back().wrong.find("result") != std::string::npos);
    CHECK(right.on({5, 9, 7, 1, 3, 0}).said.size() == 1); // rows that overlap
    CHECK(right.on({5, 7, 9, 1, 300, 0}).all.empty());    // no unsigned char
    example<&rotate, &rotate> fixed;
    auto const by = attune::detail::real_class(std::bit_cast<std::int64_t>(0.75));
    CHECK(shapes_of(fixed.on({4, by, 0})) == 1);
    CHECK(fixed.on({5, by, 0}).all.empty());
}

TEST_CASE("kernels whose calls cannot be made up are not verified, and it is said why")
{
    example<&by_pointer, &by_pointer> pointer;
    auto const found = pointer.on({24, 0});
    CHECK(found.all.empty());
    REQUIRE(found.said.size() == 1);
    CHECK(found.said[0].find("behind its pointers") != std::string::npos);
    example<&by_structure, &by_structure> structure;
    CHECK(structure.on({24, 1, 0}).said[0].find("structure") != std::string::npos);
}
