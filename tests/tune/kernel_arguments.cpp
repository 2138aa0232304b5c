// tests/tune/kernel_arguments.cpp : what a kernel may take and return, from the call to the result
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/error.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace {

/// Variant 0 is right, the others are wrong each in their way.
constexpr char const* source = R"(
#include <attune/matrix_view.hpp>
#include <attune/tunable.hpp>
#include <array>
#include <complex>
#include <span>
constexpr int how = ATTUNE_TUNABLE(HOW, 0);
// Calls of less than a microsecond are not tuned.
void idle() { for (int volatile i = 0; i < 20000; i = i + 1) {} }

struct particle { float x, y; double mass; signed char charge; };
enum class shade : short { dark, light };

void add_to_each(std::span<float* const> all, int n)
{
    idle();
    for (float* const one : all)
        for (int i = 0; i < n; ++i)
            one[i] += how == 1 ? 7 : 1;
    if (how == 2) all[all.size() - 1][n - 1] += 1;
    if (how == 3) all[1][n] = 5;
}
void copy_each(std::span<double const* const> from, std::span<double* const> to, int n)
{
    idle();
    for (std::size_t k = 0; k < to.size(); ++k)
        for (int i = 0; i < n; ++i)
            if (how != 1 || k != 2) to[k][i] = 2 * from[k][i];
}
void move(std::span<particle> all, float step)
{
    idle();
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].x += step;
        all[i].y -= how == 4 ? 2 * step : step;
        if (how == 1 && i == 3) all[i].charge += 1;
        if (how == 2 && i == 4) all[i].mass *= 1.00001;
    }
}
void rotate(std::span<std::complex<float>> z, std::complex<float> by, shade s, std::array<float, 2> shift)
{
    idle();
    for (auto& one : z)
        one = one * by + std::complex<float>(shift[0], s == shade::light ? shift[1] : 0);
    if (how == 1) z[1] = std::conj(z[1]);
    if (how == 2) z[2] += 0.01f;
}
void shift_rows(attune::matrix_view<int> m, int by)
{
    idle();
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < (how == 1 ? m.row_stride() : m.columns()); ++j)
            if (i + 1 < m.rows() || j < m.columns()) m(i, j) += by;
    if (how == 2) m(1, 1) += 1;
}
double sum(std::span<double const> x)
{
    idle();
    double out = 0;
    for (std::size_t i = 0; i < x.size() - (how == 1 ? 1 : 0); ++i)
        out += x[i];
    return out + (how == 2 ? 1e-3 : 0);
}
particle heaviest(std::span<particle const> all)
{
    idle();
    particle out = all[0];
    for (particle const& one : all)
        if (one.mass > out.mass) out = one;
    if (how == 1) out.charge = 9;
    return out;
}
)";

struct particle {
    float x, y;
    double mass;
    std::int8_t charge;
};
enum class shade : short { dark, light };

auto hows() { return attune::space(attune::integer<"HOW">(0, 4)); }

attune::tuning_options every_variant()
{
    attune::tuning_options options;
    options.limits = {.evaluations = 5};
    options.search.strategy = attune::search_with<attune::exhaustive_searcher>();
    options.progress = attune::silent_progress();
    options.measuring.precision = 0.5;
    return options;
}

template <class Signature>
attune::kernel<Signature> kernel_of(char const* name)
{
    return {name, attune::source_text(source, "arguments.cpp"), hows()};
}

template <class Signature>
auto tuned_over(attune::kernel<Signature> kernel)
{
    return attune::tuned{std::move(kernel), attune::clang_compiler{}, attune::memory_store{},
                         every_variant()};
}

std::uint64_t refused(attune::tuning_report const& report)
{
    return attune::total(report.failures);
}

} // namespace

template <>
struct attune::kernel_type<particle> {
    static constexpr auto name = "particle";
};

template <>
struct attune::kernel_type<shade> {
    static constexpr auto name = "shade";
};

inline constexpr auto count = attune::input<"N", int>();

TEST_CASE("what is behind an array of pointers is copied, restored and compared")
{
    auto kernel = kernel_of<void(std::span<float* const>, int)>("add_to_each");
    kernel.bind<1>(count).extent<0>(count);
    auto call = tuned_over(kernel);
    std::vector<std::vector<float>> y(5, std::vector<float>(1000, 0.0F));
    std::vector<float*> pointers;
    for (auto& one : y)
        pointers.push_back(one.data());
    call(pointers, 999);
    std::vector<float> right(1000, 1.0F);
    right[999] = 0;
    for (auto const& one : y)
        CHECK(one == right);
    CHECK(refused(call.report()) == 3);
}

TEST_CASE("arrays behind pointers that are only read, shared or missing")
{
    auto kernel =
        kernel_of<void(std::span<double const* const>, std::span<double* const>, int)>("copy_each");
    kernel.bind<2>(count).extent<0>(count).extent<1>(count);
    auto call = tuned_over(kernel);
    std::vector<double> const x{1, 2, 3};
    std::vector<std::vector<double>> y(4, std::vector<double>(3));
    std::vector<double const*> from(4, x.data());
    std::vector<double*> to;
    for (auto& one : y)
        to.push_back(one.data());
    call(from, to, 3);
    for (auto const& one : y)
        CHECK(one == std::vector<double>{2, 4, 6});
    CHECK(refused(call.report()) == 1);

    // Overlapping targets are no reason to give up, and are not copied apart.
    std::vector<double*> const same(4, y[0].data());
    auto again = tuned_over(kernel);
    again(from, same, 3);
    CHECK(y[0] == std::vector<double>{2, 4, 6});
}

TEST_CASE("pointers without an extent are an error before anything is called")
{
    auto const kernel = kernel_of<void(std::span<float* const>, int)>("add_to_each");
    CHECK_THROWS_AS((attune::tuned{kernel, attune::clang_compiler{}, attune::memory_store{}}),
                    attune::error);
}

TEST_CASE("what a kernel returns is compared, and passed on")
{
    std::vector<double> x(1000);
    std::iota(x.begin(), x.end(), 0);
    auto call = tuned_over(kernel_of<double(std::span<double const>)>("sum"));
    CHECK(call(x) == 499500);
    CHECK(refused(call.report()) == 2);
    CHECK(call(x) == 499500);
    auto loose = kernel_of<double(std::span<double const>)>("sum");
    loose.tolerate_result({0.01, 0});
    auto again = tuned_over(loose);
    CHECK(again(x) == doctest::Approx(499500));
    CHECK(refused(again.report()) == 1);
}

TEST_CASE("a check and a reference see what a kernel returns")
{
    std::vector<double> const x{1, 2, 3};
    auto kernel = kernel_of<double(std::span<double const>)>("sum");
    int asked = 0;
    kernel.check([&asked](std::span<double const> in, double got) {
        ++asked;
        return in.size() == 3 && got > 5.9 && got < 6.1;
    });
    auto checked = tuned_over(kernel);
    CHECK(checked(x) == doctest::Approx(6));
    CHECK(asked > 0);
    CHECK(refused(checked.report()) == 1);
    auto other = kernel_of<double(std::span<double const>)>("sum");
    other.reference([](std::span<double const>) { return 7.0; });
    auto refuted = tuned_over(other);
    CHECK_THROWS_AS(refuted(x), attune::error);
}

TEST_CASE("a structure may be returned")
{
    std::vector<particle> const all{{1, 2, 3, 4}, {5, 6, 7, 8}, {0, 0, 1, 0}};
    auto call = tuned_over(kernel_of<particle(std::span<particle const>)>("heaviest"));
    CHECK(call(all).charge == 8);
    CHECK(refused(call.report()) == 1);
}

TEST_CASE("structures are restored whole and compared field by field")
{
    std::vector<particle> all(100);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {static_cast<float>(i), 1, 1e-20 * static_cast<double>(i), 1};
    std::vector<particle> const before = all;
    auto call = tuned_over(kernel_of<void(std::span<particle>, float)>("move"));
    call(all, 0.5F);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].x == before[i].x + 0.5F);
        CHECK(all[i].y == before[i].y - 0.5F);
        CHECK(all[i].mass == before[i].mass);
    }
    CHECK(refused(call.report()) == 3);
}

TEST_CASE("complex numbers, enumerations and arrays by value")
{
    using complex = std::complex<float>;
    std::vector<complex> z{{1, 0}, {0, 1}, {2, 2}};
    auto call = tuned_over(
        kernel_of<void(std::span<complex>, complex, shade, std::array<float, 2>)>("rotate"));
    call(z, complex{0, 1}, shade::light, {10, 20});
    CHECK(z == std::vector<complex>{{10, 21}, {9, 20}, {8, 22}});
    CHECK(refused(call.report()) == 2);
}

TEST_CASE("only the elements of a view belong to it")
{
    std::vector<int> all(4 * 8);
    std::iota(all.begin(), all.end(), 0);
    auto call = tuned_over(kernel_of<void(attune::matrix_view<int>, int)>("shift_rows"));
    call({all.data() + 1, 3, 5, 8}, 100);
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool const inside = i / 8 < 3 && i % 8 >= 1 && i % 8 < 6;
        CHECK(all[i] == static_cast<int>(i) + (inside ? 100 : 0));
    }
    CHECK(refused(call.report()) == 2);
}

TEST_CASE("a view without gaps is an array")
{
    std::vector<int> all(15, 1);
    attune::call_frame const frame =
        attune::detail::make_call_frame<attune::matrix_view<int>, attune::volume_view<int const>>(
            {}, {all.data(), 3, 5}, {all.data(), 3, 1, 4, 5, 5});
    CHECK(frame.buffers[0].gaps.rows == 0);
    CHECK(frame.buffers[0].bytes == 15 * sizeof(int));
    CHECK(frame.buffers[1].gaps.slices == 3);
    CHECK(frame.buffers[1].bytes == 14 * sizeof(int));
}
