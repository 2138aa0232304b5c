// tests/tune/shape/drawn_calls.cpp - drawn calls keep the relations of the call that they are from.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/drawn_calls.hpp>

#include <attune/tune/shape/variant_proof.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <random>
#include <span>
#include <vector>

using namespace attune::detail;
using words = std::vector<std::int64_t>;

namespace {

/// a: m x k, b: k x n, c: m x n, then m, n, k.
std::vector<shape_word> const product{{shape_part::elements, 0}, {shape_part::elements, 1},
                                      {shape_part::elements, 2}, {shape_part::number, 3},
                                      {shape_part::number, 4},   {shape_part::number, 5},
                                      {shape_part::overlaps, 3}, {shape_part::places, 3}};
words product_key(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {m * k, k * n, m * n, m, n, k, 0, 16};
}

/// A product of matrices as a call.
struct product_call {
    explicit product_call(int m, int n, int k)
        : a(static_cast<std::size_t>(m * k), 1.0f)
        , b(static_cast<std::size_t>(k * n), 2.0f)
        , c(static_cast<std::size_t>(m * n), 3.0f)
        , key(product_key(m, n, k))
        , frame(attune::detail::make_call_frame({}, std::span<float const>(a),
                                                std::span<float const>(b), std::span<float>(c), m,
                                                n, k))
        , relations(relations_of(product, key, choice))
    {
        for (size_relations::dependent& one : relations.words)
            one.may_be.resize(1);
    }
    [[nodiscard]] drawn_from draws(words const& divisors) const
    {
        return {product, key, frame, choice, relations, divisors};
    }
    std::vector<float> a, b, c;
    shape_choice choice{};
    words key;
    attune::call_frame frame;
    size_relations relations;
};

} // namespace

TEST_CASE("lengths are the products that they are of the call's integers, in larger calls, too")
{
    product_call const of(60, 50, 40);
    words const divisors{8, 32};
    shape_trust trust(product, divisors, 4);
    auto const made = call_draws(of.draws(divisors), 1).chosen(trust, 1'000);
    REQUIRE(made.size() > 100);
    bool has_larger = false;
    bool has_zero = false;
    for (drawn_call const& d : made) {
        CHECK(words(d.key.begin(), d.key.begin() + 6) ==
              words{d.sizes[3] * d.sizes[5], d.sizes[5] * d.sizes[4], d.sizes[3] * d.sizes[4],
                    d.sizes[3], d.sizes[4], d.sizes[5]});
        CHECK(d.sizes[3] <= 16 * 60);
        has_larger = has_larger || d.sizes[3] > 60;
        has_zero = has_zero || d.sizes[5] == 0;
    }
    CHECK(has_larger);
    CHECK(has_zero);
}

TEST_CASE("what was drawn stands for nearly all calls of up to sixteen times the sizes")
{
    product_call const of(256, 256, 256);
    std::mt19937_64 random(7);
    auto const size = [&] {
        return static_cast<std::int64_t>(
            std::exp2(12.0 * static_cast<double>(random() >> 11) * 0x1p-53));
    };
    // Tied sizes have no formulas of their own yet: these are those of a product.
    size_relations own;
    for (std::size_t i = 0; i < 3; ++i) {
        own.sizes.push_back({256, false});
        own.words.push_back({3 + i, {{.factors = {i}}}});
    }
    own.words.push_back({0, {{.factors = {0, 2}}}});
    own.words.push_back({1, {{.factors = {2, 1}}}});
    own.words.push_back({2, {{.factors = {0, 1}}}});
    int beside = 0;
    for (words const& divisors : {words{64, 16, 128, 4}, words{8, 32}, words{96, 100, 24}}) {
        shape_trust trust(product, divisors, 4);
        trust.add(of.key);
        drawn_from const from{product, of.key, of.frame, of.choice, own, divisors};
        call_draws draws(from, 1);
        auto const made = draws.chosen(trust, 1'000);
        CHECK(made.size() < 700);
        // Of what is proven, calls are drawn in which two sizes of some dozens differ by one.
        for (drawn_call const& one : draws.of_proven(trust, 256)) {
            CHECK(trust.covers(one.key));
            std::int64_t const m = one.key[3], n = one.key[4], k = one.key[5];
            beside += std::min({m, n, k}) >= 16 &&
                              (std::abs(m - n) == 1 || std::abs(m - k) == 1 || std::abs(n - k) == 1)
                          ? 1
                          : 0;
        }
        int covered = 0;
        for (int i = 0; i < 1'000; ++i) {
            words key = product_key(size(), size(), size());
            covered += trust.covers(key) ? 1 : 0;
        }
        CHECK_MESSAGE(covered >= 930, covered);
    }
    CHECK(beside > 0);
}

TEST_CASE("no impossible call is drawn, however large calls may be")
{
    // An unsigned char cannot be 16 * 20; a length of n - k + 1 is negative where k is large.
    std::vector<shape_word> const layout{{shape_part::elements, 0},
                                         {shape_part::number, 1},
                                         {shape_part::number, 2},
                                         {shape_part::places, 1}};
    words const key{81, 100, 20, 0};
    std::vector<float> y(81);
    attune::call_frame const frame = attune::detail::make_call_frame(
        {}, std::span<float>(y), 100, static_cast<unsigned char>(20));
    declared_lengths lengths;
    lengths.of.resize(3);
    lengths.of[0] = [](std::span<std::int64_t const> of) { return of[1] - of[2] + 1; };
    lengths.numbers = [](void const*) { return words{0, 100, 20}; };
    shape_choice const choice{};
    size_relations const relations = relations_of(layout, key, choice, lengths);
    words const divisors{8};
    shape_trust trust(layout, divisors, 4);
    call_draws draws({layout, key, frame, choice, relations, divisors, &lengths}, 1,
                     {.most_work = HUGE_VAL});
    auto const made = draws.chosen(trust, 1'000);
    CHECK(made.size() > 20);
    for (drawn_call const& one : made) {
        CHECK(one.key[0] >= 0);
        CHECK(one.key[2] <= 255);
    }
}

TEST_CASE("each integer is a size by itself, and a length may be several products")
{
    size_relations const tied = relations_of(product, product_key(256, 256, 256), {});
    CHECK(tied.sizes.size() == 3);
    REQUIRE(tied.words.size() == 6);
    CHECK(tied.words[3].may_be.size() == 6); // m m, m n, m k, n n, n k, k k
    size_relations const apart = relations_of(product, product_key(500, 400, 300), {});
    CHECK(apart.words[3].may_be == std::vector<size_formula>{{.factors = {0, 2}}});
    CHECK(relations_of(product, product_key(7, 1, 0), {}).sizes.size() == 1);
}

TEST_CASE("lengths with halos, of rows, and of several values a point are found")
{
    std::vector<shape_word> const one{{shape_part::elements, 0}, {shape_part::number, 1}};
    std::vector<shape_word> const two{
        {shape_part::elements, 0}, {shape_part::number, 1}, {shape_part::number, 2}};
    auto const first_of = [](std::vector<shape_word> const& layout, words const& key) {
        return relations_of(layout, key, {}).words.back().may_be.front();
    };
    CHECK(first_of(one, {1'001, 1'000}) == size_formula{.factors = {0}, .plus = 1});
    CHECK(first_of(one, {3'000, 1'000}) == size_formula{.factors = {0}, .times = 3});
    CHECK(first_of(two, {102 * 202, 100, 200}) == size_formula{.factors = {0, 1}, .beside = 2});
    CHECK(first_of(two, {9 * 102 * 202, 100, 200}) ==
          size_formula{.factors = {0, 1}, .times = 9, .beside = 2});
    auto const nine = relations_of(two, words{9 * 100 * 200, 100, 200}, {}).words.back().may_be;
    CHECK(std::count(nine.begin(), nine.end(), size_formula{.factors = {0, 1}, .times = 9}) == 1);
    CHECK(relations_of(two, words{12'345, 100, 200}, {}).words.size() == 2); // none of them
    for (words const& sizes : {words{5, 7}, words{0, 3}, words{1, 1}})
        CHECK(size_formula{.factors = {0, 1}, .times = 2, .beside = 1, .plus = 3}.of(sizes) ==
              2 * (sizes[0] + 1) * (sizes[1] + 1) + 3);
    CHECK(size_formula{.factors = {0, 0, 0}}.of(words{std::int64_t{1} << 40}) == -1);
    CHECK(size_formula{.factors = {0}, .beside = -2}.of(words{1}) == -1);
}

TEST_CASE("without integers the first length is the size; another is a formula of it, or stays")
{
    std::vector<shape_word> const spans{
        {shape_part::elements, 0}, {shape_part::elements, 1}, {shape_part::places, 2}};
    auto const second = [&](std::int64_t length) {
        auto const found = relations_of(spans, words{1'000, length, 0}, {});
        CHECK(found.sizes.size() == 1);
        return found.words.size() == 2 ? found.words.back().may_be : std::vector<size_formula>{};
    };
    CHECK(second(1'000) == std::vector<size_formula>{{.factors = {0}}});
    CHECK(second(999).front() == size_formula{.factors = {0}, .plus = -1});
    CHECK(second(3'000).front() == size_formula{.factors = {0}, .times = 3});
    CHECK(second(256).empty());
}

TEST_CASE("some drawn calls have all sizes equal, and others two of three")
{
    product_call const of(60, 50, 40);
    shape_trust trust(product, {8}, 4);
    int all = 0;
    int two = 0;
    for (drawn_call const& d : call_draws(of.draws({8}), 1).chosen(trust, 2'000)) {
        bool const first = d.sizes[3] == d.sizes[4];
        bool const second = d.sizes[4] == d.sizes[5];
        (first && second ? all : two) += first || second;
    }
    CHECK(all > 5);
    CHECK(two > 5);
}

TEST_CASE("what is bound stays, what is ignored is no size; nothing is drawn where arrays overlap")
{
    shape_choice choice;
    choice.bound = {false, false, false, true};
    size_relations const bound = relations_of(product, product_key(500, 400, 300), choice);
    CHECK(bound.sizes[0].is_fixed);
    CHECK_FALSE(bound.sizes[1].is_fixed);
    CHECK(bound.words.size() == 6);
    choice.bound.clear();
    choice.ignored = {false, false, false, true, true, true};
    CHECK_FALSE(relations_of(product, product_key(500, 400, 300), choice).can_change());
    auto overlapping = product_key(500, 400, 300);
    overlapping[6] = 77;
    CHECK_FALSE(relations_of(product, overlapping, {}).can_change());
}

TEST_CASE("arrays that are longer or lie elsewhere repeat the original")
{
    std::vector<float> x{1, 2, 3};
    std::vector<float> y{4, 5, 6};
    auto const frame_with = [&](int n) {
        return attune::detail::make_call_frame({}, std::span<float const>(x), std::span<float>(y),
                                               n);
    };
    attune::call_frame frame = frame_with(3);
    frame.resized = [&](std::span<std::int64_t const> sizes) {
        return frame_with(static_cast<int>(sizes[2]));
    };
    sized_arrays memory;
    attune::call_frame const made =
        memory.make(frame, {.sizes = {8, drawn_call::unchanged, 8}, .places = {20, -1}});
    REQUIRE(made.buffers[0].bytes == 8 * sizeof(float));
    CHECK(reinterpret_cast<std::uintptr_t>(made.buffers[0].data) % 64 == 20);
    std::array<float, 8> seen{};
    std::memcpy(seen.data(), made.buffers[0].data, sizeof seen);
    CHECK(seen == std::array<float, 8>{1, 2, 3, 1, 2, 3, 1, 2});
    CHECK(made.buffers[1].data == reinterpret_cast<std::byte*>(y.data()));
    CHECK((*made.elements)[0] == 8);
}
