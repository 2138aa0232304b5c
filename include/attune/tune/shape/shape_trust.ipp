// attune/tune/shape/shape_trust.ipp - computes the properties of shapes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE shape_trust::shape_trust(std::vector<shape_word> layout,
                                       std::vector<std::int64_t> divisors,
                                       std::uint32_t modulus)
    : largest_(layout.size(), std::numeric_limits<std::int64_t>::min())
    , properties_(std::move(layout), std::move(divisors), modulus)
{
}

template <class F>
void shape_trust::for_each_product(std::span<std::int64_t const> key, F const& f) const
{
    std::vector<shape_word> const& layout = properties_.layout();
    for (std::size_t i = 0; i < key.size(); ++i)
        for (std::size_t j = i + 1; j < key.size(); ++j)
            if (is_size(layout[i].part) && is_size(layout[j].part))
                f(static_cast<double>(key[i]) * static_cast<double>(key[j]));
}

ATTUNE_INLINE bool shape_trust::covers(std::span<std::int64_t const> key) const
{
    if (is_distrusted_) return false;
    for (std::size_t i = 0; i < key.size(); ++i)
        if (is_size(properties_.layout()[i].part) && key[i] > largest_[i]) return false;
    std::size_t pair = 0;
    bool has_larger = false;
    for_each_product(key, [&](double product) {
        has_larger |= pair >= largest_products_.size() || product > largest_products_[pair];
        ++pair;
    });
    if (has_larger) return false;
    std::vector<std::uint64_t> const all = properties_.of(key);
    return std::all_of(
        all.begin(), all.end(), [&](std::uint64_t p) { return verified_.contains(p); });
}

ATTUNE_INLINE void shape_trust::add(std::span<std::int64_t const> key)
{
    for (std::size_t i = 0; i < key.size(); ++i)
        largest_[i] = std::max(largest_[i], key[i]);
    std::size_t pair = 0;
    for_each_product(key, [&](double product) {
        if (pair == largest_products_.size()) largest_products_.push_back(product);
        largest_products_[pair] = std::max(largest_products_[pair], product);
        ++pair;
    });
    for (std::uint64_t const p : properties_.of(key))
        verified_.insert(p);
}

ATTUNE_INLINE bool shape_trust::wants_recheck() noexcept
{
    return std::has_single_bit(++by_class_);
}

ATTUNE_INLINE std::string text_of_shape(std::span<shape_word const> layout,
                                        std::span<std::int64_t const> key)
{
    std::string out;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        std::string const argument = "argument " + std::to_string(layout[i].argument);
        std::string said;
        if (layout[i].part == shape_part::elements)
            said = argument + " has " + std::to_string(key[i]) + " elements";
        else if (layout[i].part == shape_part::number || layout[i].part == shape_part::flag)
            said = argument + " is " + std::to_string(key[i]);
        if (!said.empty()) out += (out.empty() ? "" : ", ") + said;
    }
    return out.empty() ? "this call" : out;
}

} // namespace attune::inline ATTUNE_ABI::detail
