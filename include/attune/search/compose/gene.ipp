// attune/search/compose/gene.ipp - values of one parameter, read and written.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/kind/kind_rules.hpp>
#include <attune/declare/kind/scale.hpp>
#include <attune/declare/order.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/selection.hpp>
#include <attune/search/local/moves.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

[[nodiscard]] inline double value_of(parameter_description const& parameter, coordinate at)
{
    bool const is_number = parameter.traits().is_interval || parameter.traits().is_ordered;
    return is_number ? number_at(parameter, at).as_real() : static_cast<double>(at.index);
}

/// The index of the number nearest to `wanted`; of two the lower one. The numbers ascend.
[[nodiscard]] inline std::uint32_t nearest_index(parameter_description const& parameter,
                                                 double wanted)
{
    std::uint32_t low = 0;
    std::uint32_t high = parameter.value_count() - 1;
    while (high - low > 1) {
        std::uint32_t const middle = low + (high - low) / 2;
        (value_of(parameter, {middle, 0}) <= wanted ? low : high) = middle;
    }
    double const below = std::abs(wanted - value_of(parameter, {low, 0}));
    double const above = std::abs(wanted - value_of(parameter, {high, 0}));
    return above < below ? high : low;
}

} // namespace detail

ATTUNE_INLINE double gene_view::value() const { return detail::value_of(parameter(), where()); }
ATTUNE_INLINE double gene_view::low() const
{
    return is_real() ? parameter().low : detail::value_of(parameter(), {0, 0});
}
ATTUNE_INLINE double gene_view::high() const
{
    return is_real() ? parameter().high
                     : detail::value_of(parameter(), {parameter().value_count() - 1, 0});
}
ATTUNE_INLINE double gene_view::share() const
{
    if (is_real()) return attune::detail::scale_position(parameter(), where().real);
    std::uint32_t const count = parameter().value_count();
    return count > 1 ? where().index / (count - 1.0) : 0;
}
ATTUNE_INLINE std::vector<double> gene_view::unit() const
{
    auto const& rules = attune::detail::rules_of(parameter().kind);
    std::vector<double> out(rules.unit_width(parameter()), 0);
    rules.to_unit(parameter(), rules.unit_table(parameter()), where(), out);
    return out;
}
ATTUNE_INLINE bool gene_view::is_order() const noexcept
{
    return attune::detail::has_order(*space_, index());
}
ATTUNE_INLINE bool gene_view::is_array() const noexcept
{
    return size() > 1 && !is_order() && !is_selector();
}
ATTUNE_INLINE bool gene_view::is_selector() const noexcept
{
    return size() > 1 && space_->selector_at(index()) != nullptr;
}
ATTUNE_INLINE bool gene_view::is_number() const noexcept
{
    bool const has_number = parameter().traits().is_interval || parameter().traits().is_ordered;
    return has_number && size() == 1 && !is_order();
}
ATTUNE_INLINE item_order gene_view::order() const
{
    return attune::detail::order_of(*space_, index(), *at_);
}
ATTUNE_INLINE bool gene_view::same_as(gene_view const& other) const
{
    return std::all_of(parameters_.begin(), parameters_.end(),
                       [&](std::uint32_t p) { return (*at_)[p] == (*other.at_)[p]; });
}

ATTUNE_INLINE void gene::set_value(double wanted) const
{
    double const inside = wanted >= low() ? std::min(wanted, high()) : low(); // also of NaN
    if (is_real())
        set({0, inside});
    else
        set({detail::nearest_index(parameter(), inside), 0});
}
ATTUNE_INLINE void gene::set_share(double wanted) const
{
    double const inside = std::clamp(wanted, 0.0, 1.0);
    if (is_real())
        set({0, attune::detail::scale_value(parameter(), inside)});
    else
        set({static_cast<std::uint32_t>(std::lround(inside * (parameter().value_count() - 1.0))),
             0});
}
ATTUNE_INLINE void gene::set_unit(std::span<double const> wanted) const
{
    auto const& rules = attune::detail::rules_of(parameter().kind);
    set(rules.from_unit(parameter(), rules.unit_table(parameter()), wanted));
}
ATTUNE_INLINE void gene::set_order(order_view items) const
{
    attune::detail::set_order(*space_, index(), *changed_, items);
}
ATTUNE_INLINE void gene::copy(gene_view const& from) const
{
    for (std::size_t i = 0; i < size(); ++i)
        element(i).set(from.element(i).where());
}
ATTUNE_INLINE void gene::draw(random_engine& engine) const
{
    if (is_selector()) {
        detail::draw_selector(*this, engine);
        return;
    }
    if (!is_order()) {
        for (std::uint32_t const p : parameters_)
            (*changed_)[p] =
                attune::detail::moves::random_coordinate(space_->parameters[p], engine);
        return;
    }
    item_order items(attune::detail::items_of(*space_, index()));
    std::iota(items.begin(), items.end(), std::uint16_t{0});
    shuffle(std::span(items), engine);
    set_order(items);
}

} // namespace attune::inline ATTUNE_ABI::search
