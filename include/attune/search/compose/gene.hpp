// attune/search/compose/gene.hpp - one parameter of one configuration, for operators; selectors as ranges.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 4.2.2: an operator changes one parameter of the child; the
//          selector is that of Sec. 4.2.1, its ranges are own
// tested by search/compose/operators.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/compose/order_changes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

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
