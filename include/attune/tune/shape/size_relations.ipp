// attune/tune/shape/size_relations.ipp - finds formulas for lengths.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/size_relations.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::int64_t size_formula::of(std::span<std::int64_t const> sizes) const
{
    constexpr std::int64_t most = std::int64_t{1} << 62;
    std::int64_t out = times;
    for (std::size_t const f : factors) {
        std::int64_t const factor = sizes[f] + beside;
        if (factor < 0 || (factor > 0 && out > most / factor)) return -1;
        out *= factor;
    }
    return out + plus < 0 ? -1 : out + plus;
}

ATTUNE_INLINE bool size_relations::can_change() const
{
    return std::any_of(sizes.begin(), sizes.end(), [](size const& s) { return !s.is_fixed; });
}

inline constexpr std::int64_t most_size = std::int64_t{1} << 40; ///< larger: a seed, a hash

/// Finds the formulas of one length.
class formula_search {
public:
    formula_search(std::vector<std::int64_t> sizes, std::int64_t length)
        : sizes_(std::move(sizes))
        , length_(length)
    {
    }
    [[nodiscard]] std::vector<size_formula> all() &&
    {
        for (std::size_t factors = 1; factors <= most_factors; ++factors)
            add(factors, {.factors = {}});
        for (std::size_t factors = 1; factors <= most_factors; ++factors)
            add(factors, {.factors = {}, .times = any_multiple});
        for (std::int64_t const plus : {1, -1, 2})
            add(1, {.factors = {}, .plus = plus});
        for (std::int64_t beside = 1; beside <= most_beside; ++beside)
            for (std::size_t factors = 2; factors <= most_factors; ++factors)
                for (std::int64_t const sign : {1, -1})
                    add(factors, {.factors = {}, .beside = sign * beside});
        return std::move(found_);
    }

private:
    static constexpr std::size_t most_factors = 3;
    static constexpr std::size_t most_found = 16;
    static constexpr std::int64_t any_multiple = 0; ///< as size_formula::times: what fits
    static constexpr std::int64_t most_multiple = 64;
    static constexpr std::int64_t most_beside = 16;

    /// Adds what `made` is with so many more factors, none before the latest one.
    void add(std::size_t more, size_formula made)
    {
        if (more == 0) return keep(std::move(made));
        std::size_t const from = made.factors.empty() ? 0 : made.factors.back();
        for (std::size_t i = from; i < sizes_.size() && found_.size() < most_found; ++i) {
            size_formula longer = made;
            longer.factors.push_back(i);
            add(more - 1, std::move(longer));
        }
    }
    void keep(size_formula made)
    {
        if (made.times == any_multiple) {
            made.times = 1;
            std::int64_t const one = made.of(sizes_);
            if (one < 1 || length_ % one != 0) return;
            made.times = length_ / one;
            if (made.times < 2 || made.times > most_multiple) return;
        }
        if (made.of(sizes_) == length_) found_.push_back(std::move(made));
    }

    std::vector<std::int64_t> sizes_;
    std::int64_t length_;
    std::vector<size_formula> found_{};
};

ATTUNE_INLINE size_relations relations_of(std::span<shape_word const> layout,
                                          std::span<std::int64_t const> key,
                                          shape_choice const& choice,
                                          declared_lengths const& lengths)
{
    size_relations out;
    auto const is_length = [&](std::size_t i) {
        return layout[i].part == shape_part::elements && choice.counts(layout[i].argument);
    };
    std::vector<std::int64_t> values;
    auto const add_size = [&](std::size_t word) {
        out.words.push_back({word, {{.factors = {out.sizes.size()}}}, false});
        out.sizes.push_back({key[word], choice.is_bound(layout[word].argument)});
        values.push_back(key[word]);
    };
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (layout[i].part == shape_part::overlaps && key[i] != 0) return {};
        if (layout[i].part == shape_part::number && key[i] >= 2 && key[i] <= most_size &&
            choice.counts(layout[i].argument))
            add_size(i);
    }
    if (out.sizes.empty()) {
        for (std::size_t i = 0; i < layout.size(); ++i) {
            if (!is_length(i) || key[i] < 2) continue;
            if (out.sizes.empty())
                add_size(i);
            else if (key[i] == values.front())
                out.words.push_back({i, {{.factors = {0}}}, false});
            else
                return {}; // no common length
        }
        return out;
    }
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (!is_length(i)) continue;
        bool const is_declared = lengths.says(layout[i].argument);
        std::vector<size_formula> found;
        if (!is_declared) found = formula_search(values, key[i]).all();
        if (is_declared || !found.empty()) out.words.push_back({i, std::move(found), is_declared});
    }
    return out;
}

ATTUNE_INLINE std::size_t sizes_among(std::span<shape_word const> layout,
                                      std::span<std::int64_t const> key, shape_choice const& choice)
{
    std::size_t numbers = 0;
    bool has_length = false;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        if (!choice.counts(layout[i].argument)) continue;
        bool const is_large = key[i] >= 2 && key[i] <= most_size;
        if (is_large && layout[i].part == shape_part::number) ++numbers;
        has_length = has_length || (is_large && layout[i].part == shape_part::elements);
    }
    return numbers > 0 ? numbers : std::size_t{has_length};
}

} // namespace attune::inline ATTUNE_ABI::detail
