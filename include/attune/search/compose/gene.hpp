// attune/search/compose/gene.hpp - one parameter of one configuration, as operators see it.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 4.2.2: an operator changes one parameter of the child
// tested by search/compose/operators.cpp
#pragma once

#include <attune/core/assert.hpp>
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

/// One parameter of one configuration, to be read; or several: the elements of an array, the digits
/// of a long permutation, all of a selector (selector_description). Refers to the space, the list
/// of parameters and the configuration, which must outlive it.
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

    /// Whether it is a permutation; an array of two or more elements; a selector; one number, whole
    /// or real.
    [[nodiscard]] bool is_order() const noexcept;
    [[nodiscard]] bool is_array() const noexcept;
    [[nodiscard]] bool is_selector() const noexcept;
    [[nodiscard]] bool is_number() const noexcept;

    // Of the first parameter:
    [[nodiscard]] bool is_real() const noexcept { return parameter().traits().is_interval; }
    [[nodiscard]] coordinate where() const { return (*at_)[index()]; }
    /// The number, or the index of a value that is no number.
    [[nodiscard]] double value() const;
    /// Lowest and highest value() that it may have.
    [[nodiscard]] double low() const;
    [[nodiscard]] double high() const;
    /// Where a number lies: 0 for the lowest, 1 for the highest, along the scale of an interval or
    /// by the places of a table.
    [[nodiscard]] double share() const;
    /// The value in the unit cube, as kind_rules::to_unit. Not for permutations, arrays, selectors.
    [[nodiscard]] std::vector<double> unit() const;
    /// The items of a permutation. @pre is_order()
    [[nodiscard]] item_order order() const;
    /// Whether all its parameters have the same values. @pre other has the same parameters
    [[nodiscard]] bool same_as(gene_view const& other) const;

protected:
    description const* space_;
    std::span<std::uint32_t const> parameters_;
    point const* at_;
};

/// The same, to be changed.
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
    /// The possible number nearest to `wanted`; lower and higher ones are clipped.
    void set_value(double wanted) const;
    /// The number at this share(); clipped.
    void set_share(double wanted) const;
    /// The value nearest to a place in the unit cube. Not for permutations, arrays, selectors.
    void set_unit(std::span<double const> wanted) const;
    /// @param items  each item once  @pre is_order()
    void set_order(order_view items) const;
    /// All its parameters as in `from`, which has the same ones.
    void copy(gene_view const& from) const;
    /// Each of its parameters uniform over its values, whatever constraints say; a selector as
    /// drawn_selection().
    void draw(random_engine& engine) const;

private:
    point* changed_;
};

/// Parents as operators get them: without the first one, whose value the child has.
using other_parents = std::span<gene_view const>;

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/gene.ipp>
#endif
