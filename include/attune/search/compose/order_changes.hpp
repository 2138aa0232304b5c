// attune/search/compose/order_changes.hpp - mutations and crossovers of orders of items.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Table 4.5; PMX: Goldberg & Lingle 1985; CX: Oliver, Smith & Holland
//          1987; OX1 after Davis 1985, OX3 after Deep & Adane 2011, both filled from the first
//          place on, as the thesis keeps "the order of the remaining elements". Own: shifted()
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// An order of n items: each of 0 .. n - 1 once; element i is the item at place i.
using item_order = std::vector<std::uint16_t>;
/// An item_order as an argument.
using order_view = std::span<std::uint16_t const>;

namespace detail {

/// The place of each item.
[[nodiscard]] inline item_order places_of(order_view order)
{
    item_order out(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        out[order[i]] = static_cast<std::uint16_t>(i);
    return out;
}

/// The items of `order` that are not in `section`, in the order of `order`.
[[nodiscard]] inline item_order without_items(order_view order, order_view section)
{
    std::vector<bool> is_taken(order.size());
    for (std::uint16_t const item : section)
        is_taken[item] = true;
    item_order out;
    out.reserve(order.size());
    for (std::uint16_t const item : order)
        if (!is_taken[item]) out.push_back(item);
    return out;
}

} // namespace detail

/// `order` after each item, from the first place on, was swapped with the next one with probability
/// `chance`. An item may move several places.
[[nodiscard]] inline item_order with_small_changes(order_view order, double chance,
                                                   random_engine& engine)
{
    item_order out(order.begin(), order.end());
    for (std::size_t i = 1; i < out.size(); ++i)
        if (uniform_unit(engine) < chance) std::swap(out[i - 1], out[i]);
    return out;
}

/// `order` with the items at places `i` and `j` swapped.
[[nodiscard]] inline item_order swapped(order_view order, std::size_t i, std::size_t j)
{
    item_order out(order.begin(), order.end());
    std::swap(out[i], out[j]);
    return out;
}

/// `order` with `count` items from place `first` on reversed. @pre first + count <= order.size()
[[nodiscard]] inline item_order inverted(order_view order, std::size_t first, std::size_t count)
{
    ATTUNE_ASSERT(first + count <= order.size(), "a section lies inside the order");
    item_order out(order.begin(), order.end());
    auto const from = out.begin() + static_cast<std::ptrdiff_t>(first);
    std::reverse(from, from + static_cast<std::ptrdiff_t>(count));
    return out;
}

/// `order`, from which `count` items from place `first` on move to place `to` of the rest.
/// @pre first + count <= order.size(), to <= order.size() - count
[[nodiscard]] inline item_order shifted(order_view order, std::size_t first, std::size_t count,
                                        std::size_t to)
{
    ATTUNE_ASSERT(first + count <= order.size(), "a section lies inside the order");
    ATTUNE_ASSERT(to + count <= order.size(), "the rest of the order has such a place");
    order_view const section = order.subspan(first, count);
    item_order out = detail::without_items(order, section);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(to), section.begin(), section.end());
    return out;
}

/// PX: the first `cut` items of `a` in the order in which `b` has them, then the rest of `a`.
/// @pre  a and b have the same size, cut <= a.size()
[[nodiscard]] inline item_order cross_px(order_view a, order_view b, std::size_t cut)
{
    item_order const place = detail::places_of(b);
    item_order out(a.begin(), a.end());
    std::sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(cut),
              [&](std::uint16_t one, std::uint16_t other) { return place[one] < place[other]; });
    return out;
}

/// PMX: `a` with `count` places from `first` on as in `b`; a displaced item of `a` goes to the
/// place of the item that displaces it.
/// @pre  a and b have the same size, first + count <= a.size()
[[nodiscard]] inline item_order cross_pmx(order_view a, order_view b, std::size_t first,
                                          std::size_t count)
{
    item_order out(a.begin(), a.end());
    item_order place = detail::places_of(a);
    for (std::size_t i = first; i < first + count; ++i) {
        std::uint16_t const leaves = out[i];
        std::size_t const from = place[b[i]];
        std::swap(out[i], out[from]);
        place[leaves] = static_cast<std::uint16_t>(from);
        place[b[i]] = static_cast<std::uint16_t>(i);
    }
    return out;
}

/// CX: `a` with the places of one cycle as in `b`. The cycle begins at `start`; after a place comes
/// the place at which `a` has the item that `b` put there.
/// @pre  a and b have the same size, start < a.size()
[[nodiscard]] inline item_order cross_cx(order_view a, order_view b, std::size_t start)
{
    item_order const place = detail::places_of(a);
    item_order out(a.begin(), a.end());
    std::size_t i = start;
    do {
        out[i] = b[i];
        i = place[b[i]];
    } while (i != start);
    return out;
}

/// OX3: `count` items of `b` from its place `from` on, put at place `to`; the other items around
/// them in the order of `a`.
/// @pre  a and b have the same size n; from + count <= n, to + count <= n
[[nodiscard]] inline item_order cross_ox3(order_view a, order_view b, std::size_t to,
                                          std::size_t from, std::size_t count)
{
    ATTUNE_ASSERT(from + count <= b.size() && to + count <= a.size(), "sections lie inside orders");
    order_view const section = b.subspan(from, count);
    item_order out = detail::without_items(a, section);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(to), section.begin(), section.end());
    return out;
}

/// OX1: cross_ox3() with the section of `b` at its own place.
[[nodiscard]] inline item_order cross_ox1(order_view a, order_view b, std::size_t first,
                                          std::size_t count)
{
    return cross_ox3(a, b, first, first, count);
}

/// `a` with `share` of the change from `from` to `to`: the analogue of a + share (to - from). For
/// each swap of two places that brings `from` closer to `to`, it swaps these places of `a` with
/// probability `share`.
/// Source   own
/// @pre  the three have the same size
[[nodiscard]] inline item_order moved_along(order_view a, order_view from, order_view to,
                                            double share, random_engine& engine)
{
    item_order out(a.begin(), a.end());
    item_order now(from.begin(), from.end());
    item_order place = detail::places_of(from);
    for (std::size_t i = 0; i < now.size(); ++i) {
        std::size_t const j = place[to[i]];
        if (i == j) continue;
        place[now[i]] = static_cast<std::uint16_t>(j);
        std::swap(now[i], now[j]);
        if (uniform_unit(engine) < share) std::swap(out[i], out[j]);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
