// tests/measure/arrays/perturb.cpp - of measure/arrays/content.hpp: perturbations.
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/arrays/content.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

using attune::buffer;
using attune::detail::as_buffer;
using attune::detail::hides_idleness;
using attune::detail::overwrites_all;
using attune::detail::perturb;
using attune::detail::snapshot;

namespace {

/// x = 1, 2, 3, ... is read, y is written; what two runs of a kernel over them tell.
struct call {
    std::vector<double> x{1, 2, 3, 4, 5};
    std::vector<double> y{10, 20, 30, 40, 50};
    std::vector<buffer> buffers{as_buffer(std::span<double const>(x), 0),
                                as_buffer(std::span<double>(y), 1)};

    struct answer {
        bool overwrites;
        bool hides;
    };
    answer ask(std::function<void()> const& kernel, bool across = false)
    {
        snapshot const before{buffers};
        kernel();
        snapshot const after{buffers};
        before.restore();
        perturb(buffers, across);
        snapshot const other{buffers};
        kernel();
        snapshot const after_other{buffers};
        return {overwrites_all(buffers, {before, after}, {other, after_other}),
                hides_idleness(buffers, {before, after}, {other, after_other})};
    }
};

template <class T>
void check_every_element_differs(std::vector<T> values)
{
    std::vector<T> const before = values;
    buffer const b = as_buffer(std::span<T>(values), 0);
    perturb({&b, 1});
    for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(i);
        buffer const element = as_buffer(std::span<T>(values).subspan(i, 1), 0);
        std::span<T const> const was(&before[i], 1);
        CHECK(attune::detail::compare(element, std::as_bytes(was)).has_value());
    }
}

} // namespace

TEST_CASE("every element gets a value that no tolerance takes for the old one")
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    check_every_element_differs(std::vector<double>(7, 0.0));
    check_every_element_differs(std::vector<double>{1, -1, 0, 1e-300, 1e300, inf, -inf, nan});
    check_every_element_differs(std::vector<float>{1, -1, 0, 1e30F, -3e38F});
    check_every_element_differs(std::vector<std::int32_t>{0, 1, -1, 2147483647});
    check_every_element_differs(std::vector<std::uint8_t>{0, 1, 255});
    check_every_element_differs(std::vector<std::int64_t>{0, -1});
}

TEST_CASE("a wide tolerance is stepped over")
{
    std::vector<double> values{1, 2, 3};
    std::vector<double> const before = values;
    buffer b = as_buffer(std::span<double>(values), 0);
    b.within = {100, 3};
    perturb({&b, 1});
    auto const found = attune::detail::compare(b, std::as_bytes(std::span<double const>(before)));
    REQUIRE(found.has_value());
    CHECK(found->count == 3);
}

TEST_CASE("the same contents are perturbed in the same way, finite ones to finite ones")
{
    std::vector<double> a{0, 1, -5, 1e308, -1e-3};
    std::vector<double> b = a;
    buffer const first = as_buffer(std::span<double>(a), 0);
    buffer const second = as_buffer(std::span<double>(b), 0);
    perturb({&first, 1});
    perturb({&second, 1});
    CHECK(a == b);
    for (double const value : a)
        CHECK(std::isfinite(value));
}

TEST_CASE("an index stays an index, for every length of the array")
{
    for (int count = 2; count < 12; ++count) {
        std::vector<int> index(static_cast<std::size_t>(count));
        std::iota(index.begin(), index.end(), 0);
        std::vector<int> const before = index;
        buffer const b = as_buffer(std::span<int>(index), 0);
        perturb({&b, 1});
        for (std::size_t i = 0; i < index.size(); ++i) {
            CAPTURE(i);
            CHECK(index[i] != before[i]);
            CHECK(index[i] >= 0);
            CHECK(index[i] < count);
        }
    }
    // The largest rises across zero, so that a result of min that stands there already shows.
    std::vector<int> index{4, 2, 4};
    buffer const b = as_buffer(std::span<int>(index), 0);
    perturb({&b, 1}, true);
    CHECK(index == std::vector<int>{5, 3, 5});
    std::vector<std::uint8_t> flags{0, 1, 1, 0}; // no truth value becomes 2
    buffer const f = as_buffer(std::span<std::uint8_t>(flags), 0);
    perturb({&f, 1}, true);
    CHECK(flags == std::vector<std::uint8_t>{1, 0, 0, 1});
}

TEST_CASE("what is only read stays")
{
    call c;
    perturb(c.buffers);
    CHECK(c.x == std::vector<double>{1, 2, 3, 4, 5});
}

TEST_CASE("a kernel that assigns overwrites, also when it assigns a part")
{
    call c;
    auto const all = c.ask([&] { c.y = c.x; });
    CHECK(all.overwrites);
    auto const part = c.ask([&] { c.y[2] = c.x[0]; });
    CHECK(part.overwrites);
    auto const none = c.ask([] {});
    CHECK(none.overwrites);
    CHECK_FALSE(none.hides);
}

TEST_CASE("a kernel that adds does not overwrite, also where its tolerance hides what was there")
{
    call c;
    c.y = {1, 1, 1, 1, 1};
    c.buffers[1].within = {0, 1e-4};
    for (double& x : c.x)
        x *= 1e6;
    auto const adds = c.ask([&] {
        for (std::size_t i = 0; i < 5; ++i)
            c.y[i] += c.x[i];
    });
    CHECK_FALSE(adds.overwrites);
    c.y = {1, 1, 1, 1, 1};
    CHECK(c.ask([&] { c.y = c.x; }).overwrites);
    std::vector<int> counts{1, 2, 3};
    buffer b = as_buffer(std::span<int>(counts), 0);
    b.within = {5, 0};
    std::span<buffer const> const one(&b, 1);
    snapshot const before{one};
    counts[1] += 100;
    snapshot const after{one};
    before.restore();
    perturb(one);
    snapshot const other{one};
    counts[1] += 100;
    snapshot const after_other{one};
    CHECK_FALSE(overwrites_all(one, {before, after}, {other, after_other}));
}

TEST_CASE("a result that is not the same bits twice still overwrites, within its tolerance")
{
    call c;
    c.buffers[1].within = {0, 1e-4};
    double noise = 1e-7;
    auto const assigns = c.ask([&] {
        noise = -noise;
        for (std::size_t i = 0; i < 5; ++i)
            c.y[i] = c.x[i] * (1 + noise);
    });
    CHECK(assigns.overwrites);
}

TEST_CASE("what is left in a scratch array does not count, but is moved")
{
    call c;
    std::vector<float> scratch{1, 2, 3};
    c.buffers.push_back(as_buffer(std::span<float>(scratch), 2));
    c.buffers[2].within = attune::any_value;
    auto const scribbles = c.ask([&] {
        for (float& s : scratch)
            s += 1;
        c.y = c.x;
    });
    CHECK(scribbles.overwrites);
    CHECK_FALSE(scribbles.hides);
    scratch = {1, 2, 3};
    perturb(c.buffers);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(scratch[i] != static_cast<float>(i + 1));
        CHECK(std::abs(scratch[i]) < 100);
    }
}

TEST_CASE("results of max, min, abs and a clamp that stand there already show in one of two ways")
{
    using kernel = std::function<double(double)>;
    kernel const at_least_zero = [](double y) { return y > 0 ? y : 0; };
    kernel const at_least_five = [](double y) { return y > 5 ? y : 5; };
    kernel const at_most_fifty = [](double y) { return y < 50 ? y : 50; };
    kernel const clamped = [](double y) { return y < -1 ? -1 : y > 60 ? 60 : y; };
    kernel const size = [](double y) { return y < 0 ? -y : y; };
    for (kernel const& f : {at_least_zero, at_least_five, at_most_fifty, clamped, size}) {
        call c;
        auto const in_place = [&] {
            for (double& one : c.y)
                one = f(one);
        };
        in_place();
        std::vector<double> const result = c.y;
        bool shows = false;
        for (bool const across : {false, true}) {
            c.y = result;
            auto const [overwrites, hides] = c.ask(in_place, across);
            CHECK((overwrites || hides)); // so each variant runs from the contents below, too
            c.y = result;
            perturb(c.buffers, across);
            std::vector<double> const idle = c.y;
            in_place();
            shows = shows || idle != c.y;
        }
        CHECK(shows);
    }
}

TEST_CASE("every number crosses zero, or none does")
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> const from{1, -1, 3, 1e-300, 1e308, -5, 2, 7, -1e308};
    for (bool const across : {false, true}) {
        std::vector<double> values = from;
        buffer const b = as_buffer(std::span<double>(values), 0);
        perturb({&b, 1}, across);
        for (std::size_t i = 0; i < from.size(); ++i) {
            CAPTURE(i);
            CHECK(std::isfinite(values[i]));
            CHECK(std::signbit(values[i]) == (std::signbit(from[i]) != across));
        }
    }
    std::vector<double> unset{nan};
    buffer const b = as_buffer(std::span<double>(unset), 0);
    perturb({&b, 1}, true);
    CHECK(std::isfinite(unset[0]));
}

TEST_CASE("a sum of perturbed numbers does not cancel: what is divided by it stays exact")
{
    // All terms have one sign: |error of a sum| < count * epsilon * sum, in any order.
    for (std::size_t const count : {std::size_t{1001}, std::size_t{4096}}) {
        std::vector<float> y(count, 1.0F / static_cast<float>(count));
        for (std::size_t i = 0; i < count; ++i)
            y[i] *= 1 + 0.5F * static_cast<float>(i % 7) / 7;
        buffer const b = as_buffer(std::span<float>(y), 0);
        for (bool const across : {false, true}) {
            perturb({&b, 1}, across);
            double sum = 0;
            double sizes = 0;
            for (float const one : y) {
                sum += static_cast<double>(one);
                sizes += std::abs(static_cast<double>(one));
            }
            CHECK(std::abs(sum) == doctest::Approx(sizes));
        }
    }
}

TEST_CASE_TEMPLATE("a nudge moves all numbers by one share, up or both ways", T, float, double)
{
    constexpr T inf = std::numeric_limits<T>::infinity();
    std::vector<T> from(64, T{3});
    from.insert(from.end(), {-5, 0, inf, -inf});
    for (bool const up : {false, true}) {
        std::vector<T> to = from;
        attune::detail::nudge(as_buffer(std::span<T>(to), 0), 0.125, up);
        std::size_t ups = 0;
        for (std::size_t i = 0; i < 65; ++i) {
            CHECK(std::abs(to[i] - from[i]) == std::abs(from[i]) / 8);
            ups += to[i] > from[i] ? 1 : 0;
        }
        CHECK((up ? ups == 65 : ups > 16 && ups < 48));
        CHECK(std::vector<T>(to.begin() + 65, to.end()) == std::vector<T>{0, inf, -inf});
    }
}

TEST_CASE("idle arrays are those that are written and did not change")
{
    call c;
    std::vector<float> scratch{1, 2};
    std::vector<int> counts{1, 2};
    c.buffers.push_back(as_buffer(std::span<float>(scratch), 2));
    c.buffers[2].within = attune::any_value;
    c.buffers.push_back(as_buffer(std::span<int>(counts), 3));
    snapshot const before{c.buffers};
    CHECK(attune::detail::idle_arrays(c.buffers, {before, before}) ==
          std::vector<bool>{false, true, false, true});
    counts[1] = 3;
    c.y[0] = 11;
    snapshot const after{c.buffers};
    CHECK(attune::detail::idle_arrays(c.buffers, {before, after}) ==
          std::vector<bool>{false, false, false, false});
}

TEST_CASE("a number that is finite after one run alone is lost")
{
    using attune::detail::loses_finite_numbers;
    call c;
    snapshot const usual{c.buffers};
    c.y[4] = std::numeric_limits<double>::quiet_NaN();
    snapshot const other{c.buffers};
    CHECK(loses_finite_numbers(c.buffers, {usual, usual}, {usual, other}));
    CHECK_FALSE(loses_finite_numbers(c.buffers, {usual, other}, {usual, other}));
    CHECK_FALSE(loses_finite_numbers(c.buffers, {usual, other}, {usual, usual}));
    c.buffers[1].within = attune::any_value;
    CHECK_FALSE(loses_finite_numbers(c.buffers, {usual, usual}, {usual, other}));
}

TEST_CASE("a result that depends on contents by less than the tolerance is overwritten")
{
    call c;
    auto const barely = c.ask([&] {
        for (double& value : c.y)
            value = 1 + 1e-14 * value;
    });
    CHECK(barely.overwrites);
}

TEST_CASE("every field of a structure is changed, and no gap between rows")
{
    struct body {
        float x;
        std::int32_t kind;
    };
    std::vector<body> all(6, {1.0F, 4});
    attune::buffer b = attune::detail::as_buffer(std::span(all).first(5), 0);
    b.gaps = {2 * sizeof(body), 2, 3 * sizeof(body)};
    attune::detail::perturb(std::span(&b, 1));
    for (std::size_t i = 0; i < all.size(); ++i) {
        bool const inside = i != 2 && i != 5;
        CHECK((all[i].x != 1.0F) == inside);
        CHECK(all[i].kind == (inside ? 3 : 4));
    }
}
