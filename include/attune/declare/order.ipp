// attune/declare/order.ipp - orders from digits and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/order.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace attune::inline ATTUNE_ABI::detail {

/// A set of items 0 .. n - 1 that numbers its members by size; all are members at first.
class ranked_items {
public:
    /// @pre  items <= max_group_parts
    explicit ranked_items(std::size_t items) noexcept
        : top_(std::bit_floor(items))
        , size_(items)
    {
        for (std::size_t i = 1; i <= items; ++i)
            below_[i] = static_cast<std::uint16_t>(i & (~i + 1)); // members in (i - lowbit, i]
    }
    /// Removes an item, and returns how many smaller members there are.
    std::uint32_t take_item(std::size_t item) noexcept
    {
        std::uint32_t smaller = 0;
        for (std::size_t i = item; i > 0; i &= i - 1)
            smaller += below_[i];
        for (std::size_t i = item + 1; i <= size_; i += i & (~i + 1))
            --below_[i];
        return smaller;
    }
    /// Removes and returns the member with `rank` smaller ones.  @pre  there is one
    std::uint16_t take_rank(std::uint32_t rank) noexcept
    {
        std::size_t at = 0;
        for (std::size_t step = top_; step > 0; step /= 2) {
            std::size_t const next = at + step;
            if (next > size_) continue;
            if (below_[next] <= rank) {
                rank -= below_[next];
                at = next;
            } else {
                --below_[next]; // the nodes that have the member are those not walked past
            }
        }
        return static_cast<std::uint16_t>(at);
    }

private:
    std::array<std::uint16_t, max_group_parts + 1> below_{};
    std::size_t top_;
    std::size_t size_;
};

ATTUNE_INLINE std::vector<std::uint32_t> digits_of_order(std::span<std::int64_t const> order)
{
    std::size_t const items = order.size();
    if (items > max_group_parts) return {};
    std::array<bool, max_group_parts> is_taken{};
    ranked_items rest(items);
    std::vector<std::uint32_t> out;
    out.reserve(items);
    for (std::int64_t const item : order) {
        if (item < 0 || item >= static_cast<std::int64_t>(items)) return {};
        auto const place = static_cast<std::size_t>(item);
        if (is_taken[place]) return {};
        is_taken[place] = true;
        out.push_back(rest.take_item(place));
    }
    return out;
}

ATTUNE_INLINE std::vector<std::uint16_t> order_of_digits(std::span<coordinate const> digits,
                                                         std::size_t items)
{
    ATTUNE_ASSERT(items >= 1 && items <= max_group_parts && digits.size() + 1 >= items,
                  "an order of n items has n - 1 digits");
    ranked_items rest(items);
    std::vector<std::uint16_t> out(items);
    for (std::size_t place = 0; place < items; ++place) {
        std::uint32_t const digit = place < digits.size() ? digits[place].index : 0;
        ATTUNE_ASSERT(digit < items - place, "digit k of an order is below n - k");
        out[place] = rest.take_rank(digit);
    }
    return out;
}

ATTUNE_INLINE void write_order(coordinate const* digits, int* order, std::size_t items)
{
    std::vector<std::uint16_t> const made = order_of_digits({digits, items - 1}, items);
    std::copy(made.begin(), made.end(), order);
}

ATTUNE_INLINE bool write_digits(int const* order, coordinate* digits, std::size_t items)
{
    std::vector<std::uint32_t> const made =
        digits_of_order(std::vector<std::int64_t>(order, order + items));
    if (made.empty()) return false;
    for (std::size_t k = 0; k + 1 < items; ++k)
        digits[k] = {made[k], 0};
    return true;
}

/// The group of digits that `parameter` belongs to, if it does.
[[nodiscard]] inline group_description const* digits_with(description const& d,
                                                          std::uint32_t parameter) noexcept
{
    group_description const* const g = d.group_of(parameter);
    return g != nullptr && g->traits().is_order ? g : nullptr;
}

ATTUNE_INLINE bool has_order(description const& d, std::uint32_t parameter) noexcept
{
    return parameter < d.parameters.size() &&
           (d.parameters[parameter].traits().is_order || digits_with(d, parameter) != nullptr);
}

ATTUNE_INLINE std::size_t items_of(description const& d, std::uint32_t parameter) noexcept
{
    group_description const* const g = digits_with(d, parameter);
    return g != nullptr ? g->parts() : d.parameters[parameter].parts;
}

ATTUNE_INLINE std::vector<std::uint16_t> order_of(description const& d, std::uint32_t parameter,
                                                  point const& p)
{
    ATTUNE_ASSERT(has_order(d, parameter), "order_of() reads permutations");
    if (group_description const* const g = digits_with(d, parameter))
        return order_of_digits(std::span(p).subspan(g->first, g->count), g->parts());
    std::array<std::int64_t, max_permutation_items> items{};
    std::span<std::int64_t> const order(items.data(), d.parameters[parameter].parts);
    permutation_at(p[parameter].index, order);
    std::vector<std::uint16_t> out(order.size());
    std::transform(order.begin(), order.end(), out.begin(),
                   [](std::int64_t item) { return static_cast<std::uint16_t>(item); });
    return out;
}

ATTUNE_INLINE void set_order(description const& d, std::uint32_t parameter, point& p,
                             std::span<std::uint16_t const> order)
{
    ATTUNE_ASSERT(has_order(d, parameter), "set_order() writes permutations");
    ATTUNE_ASSERT(order.size() == items_of(d, parameter), "an order has all items of its kind");
    std::vector<std::int64_t> const items(order.begin(), order.end());
    group_description const* const g = digits_with(d, parameter);
    if (g == nullptr) {
        p[parameter] = {permutation_rank(items), 0};
        return;
    }
    std::vector<std::uint32_t> const digits = digits_of_order(items);
    ATTUNE_ASSERT(digits.size() == items.size(), "an order has the items 0 .. n - 1 once each");
    for (std::size_t k = 0; k < g->count; ++k)
        p[g->first + k] = {digits[k], 0};
}

ATTUNE_INLINE std::span<coordinate const> elements_in(description const& d, std::uint32_t parameter,
                                                      point const& p) noexcept
{
    group_description const* const g = d.group_of(parameter);
    ATTUNE_ASSERT(g != nullptr && !g->traits().is_order, "elements_in() reads arrays");
    return std::span(p).subspan(g->first, g->count);
}

ATTUNE_INLINE std::span<coordinate> elements_in(description const& d, std::uint32_t parameter,
                                                point& p) noexcept
{
    group_description const* const g = d.group_of(parameter);
    ATTUNE_ASSERT(g != nullptr && !g->traits().is_order, "elements_in() writes arrays");
    return std::span(p).subspan(g->first, g->count);
}

} // namespace attune::inline ATTUNE_ABI::detail
