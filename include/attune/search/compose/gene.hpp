// attune/search/compose/gene.hpp - one parameter of one configuration, for operators; selectors as ranges; changes of orders.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 4.2.2: an operator changes one parameter of the child; the
//          selector is that of Sec. 4.2.1, its ranges are own
// Source   orders: Wu, "DeepTuner", 2015, Table 4.5; PMX: Goldberg & Lingle 1985; CX: Oliver, Smith
//          & Holland 1987; OX1 after Davis 1985, OX3 after Deep & Adane 2011, both filled from the
//          first place on, as the thesis keeps "the order of the remaining elements". Own:
//          shifted()
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

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

/// One parameter of one configuration, for reading. It may also be several parameters: the elements
/// of an array, the digits of a long permutation, all of a selector (selector_description). Refers
/// to the space, the list of parameters and the configuration, which must outlive it.
class gene_view {
public:
    /// @param space       bound
    /// @param parameters  indices of parameters; at least one
    /// @param at          one coordinate per parameter, inside all tables and intervals
    gene_view(description const& space, std::span<std::uint32_t const> parameters,
              point const& at) noexcept
        : space_(&space)
        , parameters_(parameters)
        , at_(&at)
    {
    }

    /// Number of parameters: 1 except for arrays, long permutations and selectors.
    [[nodiscard]] std::size_t size() const noexcept { return parameters_.size(); }
    [[nodiscard]] description const& space() const noexcept { return *space_; }
    [[nodiscard]] std::uint32_t index() const noexcept { return parameters_.front(); }
    [[nodiscard]] parameter_description const& parameter() const noexcept
    {
        return space_->parameters[index()];
    }
    /// One element of an array.
    [[nodiscard]] gene_view element(std::size_t i) const
    {
        return {*space_, parameters_.subspan(i, 1), *at_};
    }

    /// Returns true for a permutation; is_array: an array of two or more elements; is_selector: a
    /// selector; is_number: one number, whole or real.
    [[nodiscard]] bool is_order() const noexcept;
    [[nodiscard]] bool is_array() const noexcept;
    [[nodiscard]] bool is_selector() const noexcept;
    [[nodiscard]] bool is_number() const noexcept;

    // These read the first parameter:
    [[nodiscard]] bool is_real() const noexcept { return parameter().traits().is_interval; }
    [[nodiscard]] coordinate where() const { return (*at_)[index()]; }
    /// The number; for other values, the index.
    [[nodiscard]] double value() const;
    /// The lowest possible value(), then the highest.
    [[nodiscard]] double low() const;
    [[nodiscard]] double high() const;
    /// Position of a number: 0 for the lowest, 1 for the highest, on the scale of an interval or by
    /// the places of a table.
    [[nodiscard]] double share() const;
    /// The value in the unit cube, as kind_rules::to_unit. Not for permutations, arrays, selectors.
    [[nodiscard]] std::vector<double> unit() const;
    /// The items of a permutation. @pre is_order()
    [[nodiscard]] item_order order() const;
    /// Returns true if all parameters have the same values. @pre other has the same parameters
    [[nodiscard]] bool same_as(gene_view const& other) const;

protected:
    description const* space_;
    std::span<std::uint32_t const> parameters_;
    point const* at_;
};

/// A gene for changes.
class gene : public gene_view {
public:
    gene(description const& space, std::span<std::uint32_t const> parameters, point& at) noexcept
        : gene_view(space, parameters, at)
        , changed_(&at)
    {
    }
    [[nodiscard]] gene element(std::size_t i) const
    {
        return {*space_, parameters_.subspan(i, 1), *changed_};
    }

    /// @param to  inside the table or interval of the first parameter
    void set(coordinate to) const { (*changed_)[index()] = to; }
    /// Sets the possible number nearest to `wanted`; lower and higher ones are clipped.
    void set_value(double wanted) const;
    /// Sets the number at this share(), clipped.
    void set_share(double wanted) const;
    /// Sets the value nearest to a place in the unit cube. Not for permutations, arrays, selectors.
    void set_unit(std::span<double const> wanted) const;
    /// @param items  each item once  @pre is_order()
    void set_order(order_view items) const;
    /// Sets all parameters as in `from`, which has the same ones.
    void copy(gene_view const& from) const;
    /// Draws each parameter uniformly over its values, without regard to constraints; a selector as
    /// drawn_selection().
    void draw(random_engine& engine) const;

private:
    point* changed_;
};

/// The parents without the first one, whose value the child already has.
using other_parents = std::span<gene_view const>;

/// The act of a range: the algorithm, then each parameter of all algorithms.
using range_act = std::vector<coordinate>;

/// The ranges of a selector, from the smallest sizes on. Functions here return settled selections:
/// cut-offs ascend, neighbouring ranges differ, and parameters of other algorithms have their one
/// value.
struct selection {
    std::vector<std::uint32_t> cut_offs; ///< places in the table of cut-offs, one per range after
                                         ///< the first
    std::vector<range_act> acts;         ///< one act per range; at least one

    [[nodiscard]] friend bool operator==(selection const&, selection const&) = default;
};

/// The selector of a valid configuration. @pre of.is_selector()
[[nodiscard]] selection selection_of(gene_view const& of);

/// Puts `what` into a configuration. @pre to.is_selector(); `what` is settled and has no more
/// ranges than the selector
void set_selection(gene const& to, selection const& what);

/// The act for sizes from the cut-off at place `cut` to the next one; -1: for sizes below all.
[[nodiscard]] range_act const& act_at(selection const& of, std::int64_t cut);

/// `what` with inactive parameters at their one value, and equal ranges joined.
/// @param of  the selector, for its conditions
[[nodiscard]] selection settled_selection(gene_view const& of, selection what);

/// A random act: the algorithm and each of its parameters uniform.
[[nodiscard]] range_act drawn_act(gene_view const& of, random_engine& engine);

/// A random selector: the number of ranges is uniform, then the cut-offs, then the acts. Equal
/// ranges are joined.
[[nodiscard]] selection drawn_selection(gene_view const& of, random_engine& engine);

/// `below` for sizes under the cut-off at place `cut`, `from` for other sizes. If the ranges are
/// too many, random cut-offs are removed, each with the range above or below it.
/// @param of  the selector, for its limits
[[nodiscard]] selection crossed_selection(gene_view const& of, selection const& below,
                                          selection const& from, std::uint32_t cut,
                                          random_engine& engine);

namespace detail {

/// Makes a selector random.
void draw_selector(gene const& to, random_engine& engine);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/gene.ipp>
#endif
