// tests/tune/shape/variant_proof.cpp - which mistakes a variant's proof finds, and what it makes servable.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/variant_proof.hpp>

#include <attune/attune.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <span>
#include <vector>

#include "../../support/sanitized.hpp"

using namespace attune::detail;
using words = std::vector<std::int64_t>;

namespace {

using in = std::span<float const>;
using out = std::span<float>;
using product = void(in, in, out, int, int, int);

void plain(in a, in b, out c, int m, int n, int k)
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l)
                sum +=
                    a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
            c[static_cast<std::size_t>(i * n + j)] = sum;
        }
}

/// The product in blocks of 4 x 8; each part of it can be forgotten.
template <int Forgotten>
void blocked(in a, in b, out c, int m, int n, int k)
{
    int const rows = m / 4 * 4;
    int const columns = n / 8 * 8;
    auto const part = [&](int from_i, int to_i, int from_j, int to_j) {
        for (int i = from_i; i < to_i; ++i)
            for (int j = from_j; j < to_j; ++j) {
                float sum = 0;
                int const depth = Forgotten == 4 ? k / 2 * 2 : k;
                for (int l = 0; l < depth; ++l)
                    sum += a[static_cast<std::size_t>(i * k + l)] *
                           b[static_cast<std::size_t>(l * n + j)];
                c[static_cast<std::size_t>(i * n + j)] = sum;
            }
    };
    if (Forgotten == 5 && m > 1'000) return;
    if (Forgotten == 6 && m > n) return;
    if (Forgotten == 7 && k == 0) return;
    part(0, rows, 0, columns);
    if (Forgotten != 1) part(rows, m, 0, columns);
    if (Forgotten != 2) part(0, rows, columns, n);
    if (Forgotten != 3) part(rows, m, columns, n);
}

/// Adds to c; of the last rows nothing where `Whole` is false.
template <bool Whole>
void added(in a, in b, out c, int m, int n, int k)
{
    for (int i = 0; i < (Whole ? m : m / 4 * 4); ++i)
        for (int l = 0; l < k; ++l)
            for (int j = 0; j < n; ++j)
                c[static_cast<std::size_t>(i * n + j)] +=
                    a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
}

/// One call of m = n = k = 64, and what a proof of `tried` says of it.
struct proven_product {
    explicit proven_product(product* tried, bool declares = false, product* trusted = &plain)
    {
        code.address = reinterpret_cast<void*>(tried);
        right.address = reinterpret_cast<void*>(trusted);
        if (declares)
            kernel.lengths(attune::argument<3> * attune::argument<5>,
                           attune::argument<5> * attune::argument<4>,
                           attune::argument<3> * attune::argument<4>);
        auto const frame_of = [](in x, in y, out z, int m, int n, int k) {
            return make_call_frame({}, x, y, z, m, n, k);
        };
        attune::call_frame frame = frame_of(a, b, c, 64, 64, 64);
        frame.resized = [&, frame_of](std::span<std::int64_t const> s) {
            auto const cut = [](auto all, std::int64_t n) {
                return n < 0 || static_cast<std::size_t>(n) > all.size()
                           ? all
                           : all.first(static_cast<std::size_t>(n));
            };
            auto const number = [](std::int64_t n) { return n < 0 ? 64 : static_cast<int>(n); };
            return frame_of(cut(in(a), s[0]), cut(in(b), s[1]), cut(out(c), s[2]), number(s[3]),
                            number(s[4]), number(s[5]));
        };
        auto const key = shape{attune::detail::shape_choice{}}(a, b, c, 64, 64, 64);
        words const first(key.begin(), key.end());
        trust.add(first);
        proof = prove_variant({kernel.describe(), layout, {}, {}, right, code, divisors, 4}, first,
                              frame, trust, 20);
        for (words const& one : proof.right)
            trust.add(one);
    }
    [[nodiscard]] bool covers(int m, int n, int k) const
    {
        std::vector<float> x(static_cast<std::size_t>(m * k)), y(static_cast<std::size_t>(k * n)),
            z(static_cast<std::size_t>(m * n));
        auto const key = shape{attune::detail::shape_choice{}}(x, y, z, m, n, k);
        words made(key.begin(), key.end());
        return trust.covers(made);
    }

    using shape = shape_of_call<in, in, out, int, int, int>;
    std::vector<shape_word> const layout = shape::layout();
    words const divisors{4, 8};
    attune::kernel<product> kernel{
        "product", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "product.kernel.cpp"),
        attune::space(attune::ordinal<"STEP">(attune::values(1, 2)))};
    std::vector<float> a = std::vector<float>(4096, 1.0f);
    std::vector<float> b = std::vector<float>(4096, 2.0f);
    std::vector<float> c = std::vector<float>(4096, 3.0f);
    attune::callable code, right;
    shape_trust trust{layout, divisors, 4};
    variant_proof proof;
};

} // namespace

TEST_CASE("a right variant serves nearly all sizes after a tuning at three equal ones")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    for (bool const declares : {false, true}) {
        proven_product const of(&blocked<0>, declares);
        CHECK(of.proof.right.size() > 100);
        std::mt19937 random(3);
        auto const size = [&] {
            return static_cast<int>(std::exp2(10.0 * static_cast<double>(random()) * 0x1p-32));
        };
        int covered = 0;
        for (int i = 0; i < 500; ++i)
            covered += of.covers(size(), size(), size()) ? 1 : 0;
        CHECK_MESSAGE(covered > 450, covered);
    }
}

TEST_CASE("no shape that needs a part of the code that was forgotten is served")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    struct mutant {
        product* code;
        bool (*is_wrong)(int m, int n, int k);
    };
    for (mutant const &one : {
             mutant{&blocked<1>, [](int m, int n, int) { return m % 4 != 0 && n >= 8; }},
             mutant{&blocked<2>, [](int m, int n, int) { return n % 8 != 0 && m >= 4; }},
             mutant{&blocked<3>, [](int m, int n, int) { return m % 4 != 0 && n % 8 != 0; }},
             mutant{&blocked<4>, [](int m, int n, int k) { return k % 2 != 0 && m > 0 && n > 0; }},
             mutant{&blocked<5>, [](int m, int n, int) { return m > 1'000 && n > 0; }},
             mutant{&blocked<6>, [](int m, int n, int) { return m > n && n > 0; }},
             mutant{&blocked<7>, [](int m, int n, int k) { return k == 0 && m > 0 && n > 0; }},
         }) {
        proven_product const of(one.code);
        std::mt19937 random(5);
        int wrong = 0;
        for (int i = 0; i < 400; ++i) {
            int const m = static_cast<int>(random() % 70);
            int const n = static_cast<int>(random() % 70);
            int const k = static_cast<int>(random() % 70);
            if (one.is_wrong(m, n, k) && of.covers(m, n, k)) ++wrong;
        }
        CHECK(wrong == 0);
        CHECK_FALSE(of.covers(1'020, 1, 1) == one.is_wrong(1'020, 1, 1));
    }
}

TEST_CASE("a call that changes nothing shows nothing")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    proven_product const right(&added<true>, false, &added<true>);
    CHECK(right.covers(63, 40, 20));
    proven_product const of(&added<false>, false, &added<true>);
    for (int m = 1; m < 70; ++m)
        for (int k : {1, 7, 64})
            if (m % 4 != 0) CHECK_FALSE(of.covers(m, 33, k));
}

namespace {

using copy = void(in, out, int);
void copied(in x, out y, int n)
{
    for (int i = 0; i < n; ++i)
        y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)];
}
/// As if it loaded eight aligned numbers at once.
void copied_aligned(in x, out y, int n)
{
    copied(x, y, n);
    if (n >= 8 && reinterpret_cast<std::uintptr_t>(x.data()) % 32 != 0) y[0] += 1;
}

} // namespace

TEST_CASE("short calls at other addresses do not prove these for long ones")
{
    if (is_skipped(address_sanitized || thread_sanitized, jumps_out_of_handlers)) return;
    using shape = shape_of_call<in, out, int>;
    std::vector<shape_word> const layout = shape::layout();
    attune::kernel<copy> const kernel{
        "copy", attune::source_text("int s = ATTUNE_TUNABLE(STEP, 1);", "copy.kernel.cpp"),
        attune::space(attune::ordinal<"STEP">(attune::values(1, 2)))};
    words const divisors{8};
    alignas(64) static float x[1024];
    alignas(64) static float y[1024];
    auto const frame_of = [](in from, out to, int n) { return make_call_frame({}, from, to, n); };
    attune::call_frame frame = frame_of(x, y, 1024);
    frame.resized = [&](std::span<std::int64_t const> s) {
        auto const count = [](std::int64_t n) {
            return n < 0 ? std::size_t{1024}
                         : std::min(static_cast<std::size_t>(n), std::size_t{1024});
        };
        return frame_of(in(x).first(count(s[0])), out(y).first(count(s[1])),
                        s[2] < 0 ? 1024 : static_cast<int>(s[2]));
    };
    auto const first = shape{attune::detail::shape_choice{}}(in(x), out(y), 1024);
    words const key(first.begin(), first.end());
    for (bool const is_right : {true, false}) {
        attune::callable trusted, tried;
        trusted.address = reinterpret_cast<void*>(&copied);
        tried.address = reinterpret_cast<void*>(is_right ? &copied : &copied_aligned);
        shape_trust trust(layout, divisors);
        trust.add(key);
        variant_proof const proof = prove_variant(
            {kernel.describe(), layout, {}, {}, trusted, tried, divisors}, key, frame, trust, 20);
        for (words const& one : proof.right)
            trust.add(one);
        int covered = 0;
        for (std::int64_t place = 4; place < 64; place += 4)
            for (std::int64_t n : {40, 100, 1'000, 3'000})
                if (place % 32 != 0) {
                    words elsewhere{n, n, n, 0, place};
                    covered += trust.covers(elsewhere) ? 1 : 0;
                }
        CHECK((covered > 0) == is_right);
    }
}
