// attune/tune/shape/shape_trust.ipp - computes the properties of shapes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/shape_trust.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE shape_trust::shape_trust(std::vector<shape_word> layout,
                                       std::vector<std::int64_t> divisors, std::uint32_t modulus)
    : properties_(std::move(layout), std::move(divisors), modulus)
{
}

template <class F>
void shape_trust::for_each_size(std::span<std::int64_t const> key, F const& f) const
{
    std::size_t const words = key.size();
    std::vector<std::size_t> own(words);
    own.resize(properties_.sizes(key, own));
    for (std::size_t const one : own)
        f(one, static_cast<double>(key[one]));
    properties_.for_each_product(
        key, [&](std::size_t place, double product) { f(words + place, product); });
}

ATTUNE_INLINE bool shape_trust::covers(std::span<std::int64_t const> key) const
{
    return !excepted_.contains(hash_without_places(key)) && has_proven(key);
}

ATTUNE_INLINE bool shape_trust::has_proven(std::span<std::int64_t const> key) const
{
    if (is_distrusted_ || is_near_slow(key)) return false;
    bool has_larger = false;
    for_each_size(key, [&](std::size_t at, double value) {
        has_larger |= at >= largest_.size() || value > largest_[at];
    });
    return !has_larger &&
           properties_.all_of(key, [&](std::uint64_t p) { return verified_.contains(p); });
}

ATTUNE_INLINE std::size_t shape_trust::news_of(std::span<std::int64_t const> key) const
{
    std::size_t out = 0;
    for_each_size(key, [&](std::size_t at, double value) {
        out += at >= largest_.size() || value > largest_[at] ? 1u : 0u;
    });
    static_cast<void>(properties_.all_of(key, [&](std::uint64_t p) {
        out += verified_.contains(p) ? 0u : 1u;
        return true;
    }));
    return out;
}

ATTUNE_INLINE void shape_trust::add(std::span<std::int64_t const> key)
{
    std::size_t const words = key.size();
    largest_.resize((words + 1) * words, std::numeric_limits<double>::lowest());
    for_each_size(
        key, [&](std::size_t at, double value) { largest_[at] = std::max(largest_[at], value); });
    for (std::uint64_t const p : properties_.of(key))
        verified_.insert(p);
}

ATTUNE_INLINE std::vector<int> shape_trust::octaves_of(std::span<std::int64_t const> key) const
{
    std::vector<int> out(key.size());
    for (std::size_t i = 0; i < key.size(); ++i)
        if (is_size(properties_.layout()[i].part))
            out[i] = static_cast<int>(std::bit_width(magnitude_of(key[i])));
    return out;
}

ATTUNE_INLINE bool shape_trust::is_near_slow(std::span<std::int64_t const> key) const
{
    if (slow_.empty()) return false;
    std::vector<int> const its = octaves_of(key);
    return std::any_of(slow_.begin(), slow_.end(), [&](std::vector<int> const& slow) {
        return std::equal(its.begin(), its.end(), slow.begin(),
                          [](int a, int b) { return std::abs(a - b) <= 2; });
    });
}

ATTUNE_INLINE std::uint64_t
shape_trust::hash_without_places(std::span<std::int64_t const> key) const
{
    std::vector<std::int64_t> without(key.begin(), key.end());
    for (std::size_t i = 0; i < without.size(); ++i)
        if (properties_.layout()[i].part == shape_part::places) without[i] = 0;
    return hash_of_shape(without);
}

ATTUNE_INLINE void shape_trust::except(std::span<std::int64_t const> key)
{
    excepted_.insert(hash_without_places(key));
}

ATTUNE_INLINE void shape_trust::add_slow(std::span<std::int64_t const> key)
{
    constexpr std::size_t most_slow = 16;
    if (!is_near_slow(key)) slow_.push_back(octaves_of(key));
    if (slow_.size() > most_slow) distrust();
}

ATTUNE_INLINE bool shape_trust::wants_recheck() noexcept
{
    return std::has_single_bit(++by_class_);
}

ATTUNE_INLINE std::string text_of_shape(std::span<shape_word const> layout,
                                        std::span<std::int64_t const> key)
{
    constexpr std::array<char const*, 3> units{"slices", "rows", "columns"};
    std::string out;
    std::size_t words = 0; // of this argument before this word
    for (std::size_t i = 0; i < layout.size(); ++i) {
        shape_part const part = layout[i].part;
        words = i > 0 && layout[i].argument == layout[i - 1].argument ? words + 1 : 0;
        if (!is_size(part) && part != shape_part::flag) continue;
        auto const lengths = static_cast<std::size_t>(std::count(
            layout.begin(), layout.end(), shape_word{shape_part::elements, layout[i].argument}));
        if (part == shape_part::flag && lengths > 0) continue; // the places of pointers' targets
        std::string said = "argument " + std::to_string(layout[i].argument);
        if (part == shape_part::elements)
            said += " has " + std::to_string(key[i]) + ' ' +
                    (lengths < 2 ? "elements" : units[3 - lengths + words]);
        else if (lengths > 0)
            said += (words == 3 ? " has a slice stride of " : " has a row stride of ") +
                    std::to_string(key[i]);
        else
            said += " is " + std::to_string(key[i]);
        out += (out.empty() ? "" : ", ") + said;
    }
    return out.empty() ? "this call" : out;
}

} // namespace attune::inline ATTUNE_ABI::detail
