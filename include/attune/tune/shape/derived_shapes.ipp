// attune/tune/shape/derived_shapes.ipp - finds which lengths depend on which integers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/derived_shapes.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A word of a shape as the product of the sizes with these indices.
struct size_product {
    static constexpr std::size_t most_factors = 3;

    std::array<std::size_t, most_factors> factors{};
    std::size_t count = 0; ///< 0: no such product, the word does not change

    [[nodiscard]] std::int64_t of(std::span<std::int64_t const> sizes) const
    {
        std::int64_t out = 1;
        for (std::size_t i = 0; i < count; ++i)
            out *= sizes[factors[i]];
        return out;
    }
};

/// The distinct sizes of a call, each at least 2, and the words that depend on them.
struct size_relations {
    std::vector<std::int64_t> sizes{};
    std::vector<size_product> words{}; ///< one per word of the shape
};

/// The first product of up to three sizes that is `value`.
[[nodiscard]] inline size_product product_of(std::span<std::int64_t const> sizes,
                                             std::int64_t value)
{
    std::size_t const n = sizes.size();
    for (std::size_t a = 0; a < n; ++a)
        if (sizes[a] == value) return {{a}, 1};
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a; b < n; ++b)
            if (value % sizes[a] == 0 && value / sizes[a] == sizes[b]) return {{a, b}, 2};
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a; b < n; ++b)
            for (std::size_t c = b; c < n; ++c)
                if (value % sizes[a] == 0 && value / sizes[a] % sizes[b] == 0 &&
                    value / sizes[a] / sizes[b] == sizes[c])
                    return {{a, b, c}, 3};
    return {};
}

[[nodiscard]] inline size_relations relations_in(std::span<shape_word const> layout,
                                                 std::span<std::int64_t const> key,
                                                 shape_choice const& choice)
{
    size_relations out;
    auto const add = [&](std::int64_t value) {
        if (value < 2) return;
        if (std::find(out.sizes.begin(), out.sizes.end(), value) == out.sizes.end())
            out.sizes.push_back(value);
    };
    auto const may_change = [&](shape_word const& w) {
        return choice.counts(w.argument) && !choice.is_bound(w.argument);
    };
    for (std::size_t i = 0; i < layout.size(); ++i)
        if (layout[i].part == shape_part::number && may_change(layout[i])) add(key[i]);
    if (out.sizes.empty()) {
        for (std::size_t i = 0; i < layout.size(); ++i)
            if (layout[i].part == shape_part::elements && may_change(layout[i])) add(key[i]);
        if (out.sizes.size() > 1) out.sizes.clear(); // no common length
    }
    out.words.resize(layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i) {
        shape_part const part = layout[i].part;
        bool const is_size = part == shape_part::elements || part == shape_part::number;
        if (is_size && may_change(layout[i])) out.words[i] = product_of(out.sizes, key[i]);
    }
    return out;
}

ATTUNE_INLINE std::vector<std::int64_t> relations_of(std::span<shape_word const> layout,
                                                     std::span<std::int64_t const> key,
                                                     shape_choice const& choice)
{
    size_relations const known = relations_in(layout, key, choice);
    std::vector<std::int64_t> out;
    for (size_product const& p : known.words) {
        out.push_back(static_cast<std::int64_t>(p.count));
        for (std::size_t i = 0; i < p.count; ++i)
            out.push_back(static_cast<std::int64_t>(p.factors[i]));
    }
    return out;
}

ATTUNE_INLINE std::vector<derived_shape> derived_shapes(std::span<shape_word const> layout,
                                                        std::span<std::int64_t const> key,
                                                        shape_choice const& choice,
                                                        std::span<std::int64_t const> divisors)
{
    std::size_t arguments = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (layout[i].part == shape_part::overlaps) {
            if (key[i] != 0) return {};
        } else if (layout[i].part != shape_part::places) {
            arguments = std::max(arguments, layout[i].argument + 1);
        }
    }
    size_relations const known = relations_in(layout, key, choice);
    std::size_t const dimensions = known.sizes.size();
    if (dimensions == 0) return {};

    constexpr std::int64_t most_remainders = 64;
    std::int64_t largest = most_remainders;
    for (std::int64_t const d : divisors)
        if (d <= 2 * most_remainders) largest = std::max(largest, d);
    std::vector<derived_shape> out;
    auto const add = [&](std::span<std::int64_t const> sizes) {
        for (std::size_t i = 0; i < dimensions; ++i)
            if (sizes[i] > known.sizes[i]) return;
        derived_shape made;
        made.sizes.assign(arguments, derived_shape::unchanged);
        made.key.assign(key.begin(), key.end());
        for (std::size_t i = 0; i < layout.size(); ++i) {
            if (known.words[i].count == 0) continue;
            made.key[i] = known.words[i].of(sizes);
            made.sizes[layout[i].argument] = made.key[i];
        }
        out.push_back(std::move(made));
    };

    // Each size takes all numbers below `count` in its own order, by a step without a common factor
    // with `count`.
    std::int64_t const count = 2 * largest + most_remainders;
    std::vector<std::int64_t> steps;
    for (std::int64_t step : {1, 61, 23, 47, 89}) {
        while (std::gcd(step, count) != 1)
            ++step;
        steps.push_back(step);
    }
    // Some kernels fail for very small sizes: those come last.
    std::vector<std::int64_t> sizes(dimensions);
    for (bool const is_tiny : {false, true})
        for (std::int64_t i = 0; i < count; ++i) {
            for (std::size_t d = 0; d < dimensions; ++d)
                sizes[d] = (i * steps[d % steps.size()] + static_cast<std::int64_t>(7 * d)) % count;
            bool const has_tiny = *std::min_element(sizes.begin(), sizes.end()) < 3;
            if (has_tiny == is_tiny) add(sizes);
        }
    // Calls with several sizes on or below divisors at once.
    std::vector<std::int64_t> special{0, 1, 2};
    for (std::int64_t const d : divisors)
        if (d <= 2 * most_remainders)
            special.insert(special.end(), {d - 1, d, d + 1, 2 * d, 2 * d + 1});
    std::sort(special.begin(), special.end());
    special.erase(std::unique(special.begin(), special.end()), special.end());
    constexpr std::size_t most_pairs = 400;
    std::size_t pairs = 0;
    for (std::size_t a = 0; dimensions > 1 && a < special.size(); ++a)
        for (std::size_t b = 0; b < special.size() && pairs < most_pairs; ++b, ++pairs) {
            for (std::size_t d = 0; d < dimensions; ++d)
                sizes[d] = d % 2 == 0 ? special[a] : special[b];
            add(sizes);
        }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
