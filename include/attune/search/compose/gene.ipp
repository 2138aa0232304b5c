// attune/search/compose/gene.ipp - values of one parameter, and ranges of a selector, read and written.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/local/moves.hpp>

#include <cmath>
#include <numeric>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

[[nodiscard]] inline double value_of(parameter_description const& parameter, coordinate at)
{
    bool const is_number = parameter.traits().is_interval || parameter.traits().is_ordered;
    return is_number ? number_at(parameter, at).as_real() : static_cast<double>(at.index);
}

/// The index of the number nearest to `wanted`; the lower of two. The numbers ascend.
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
    double const inside = wanted >= low() ? std::min(wanted, high()) : low(); // also for NaN
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

namespace detail {

[[nodiscard]] inline selector_description const& selector_of(gene_view const& of)
{
    return *of.space().selector_at(of.index());
}

/// The place of part `i` of a range's act in the description.
[[nodiscard]] inline std::uint32_t place_of_act(selector_description const& s, std::uint32_t range,
                                                std::size_t i)
{
    return i == 0 ? s.algorithm(range) : s.parameter(static_cast<std::uint32_t>(i - 1), range);
}

/// Puts `act` into range `range` of `at`.
inline void place_act(selector_description const& s, std::uint32_t range, range_act const& act,
                      point& at)
{
    for (std::size_t i = 0; i < act.size(); ++i)
        at[place_of_act(s, range, i)] = act[i];
}

/// `act` with parameters of other algorithms at their one value.
[[nodiscard]] inline range_act settled_act(gene_view const& of, range_act act)
{
    selector_description const& s = selector_of(of);
    point at(of.space().parameters.size());
    place_act(s, 0, act, at);
    for (std::size_t i = 1; i < act.size(); ++i) {
        std::uint32_t const p = place_of_act(s, 0, i);
        if (!attune::detail::is_active(of.space(), p, at))
            act[i] = of.space().parameters[p].active.otherwise;
    }
    return act;
}

/// Removes a random cut-off, with the range above or below it.
inline void drop_cut_off(selection& from, random_engine& engine)
{
    std::size_t const cut = uniform_below(engine, from.cut_offs.size());
    std::size_t const range = cut + uniform_below(engine, 2);
    from.cut_offs.erase(from.cut_offs.begin() + static_cast<std::ptrdiff_t>(cut));
    from.acts.erase(from.acts.begin() + static_cast<std::ptrdiff_t>(range));
}

/// Joins neighbouring ranges that are equal.
inline void join_equal(selection& what)
{
    for (std::size_t i = 0; i < what.cut_offs.size();)
        if (what.acts[i] == what.acts[i + 1]) {
            what.cut_offs.erase(what.cut_offs.begin() + static_cast<std::ptrdiff_t>(i));
            what.acts.erase(what.acts.begin() + static_cast<std::ptrdiff_t>(i));
        } else
            ++i;
}

ATTUNE_INLINE void draw_selector(gene const& to, random_engine& engine)
{
    set_selection(to, drawn_selection(to, engine));
}

} // namespace detail

ATTUNE_INLINE selection selection_of(gene_view const& of)
{
    selector_description const& s = detail::selector_of(of);
    auto const at = [&](std::uint32_t p) { return of.element(p - s.first).where(); };
    selection out;
    for (std::uint32_t range = 0; range <= of.where().index; ++range) {
        if (range > 0) out.cut_offs.push_back(at(s.cut(range - 1)).index);
        range_act act;
        for (std::size_t i = 0; i <= s.parameters; ++i)
            act.push_back(at(detail::place_of_act(s, range, i)));
        out.acts.push_back(std::move(act));
    }
    return out;
}

ATTUNE_INLINE void set_selection(gene const& to, selection const& what)
{
    selector_description const& s = detail::selector_of(to);
    auto const set = [&](std::uint32_t p, coordinate c) { to.element(p - s.first).set(c); };
    set(s.first, {static_cast<std::uint32_t>(what.acts.size() - 1), 0});
    for (std::uint32_t range = 0; range < s.ranges; ++range) {
        bool const is_there = range < what.acts.size();
        auto const otherwise = [&](std::uint32_t p) {
            return to.space().parameters[p].active.otherwise;
        };
        if (range > 0)
            set(s.cut(range - 1),
                is_there ? coordinate{what.cut_offs[range - 1], 0} : otherwise(s.cut(range - 1)));
        for (std::size_t i = 0; i <= s.parameters; ++i) {
            std::uint32_t const p = detail::place_of_act(s, range, i);
            set(p, is_there ? what.acts[range][i] : otherwise(p));
        }
    }
}

ATTUNE_INLINE range_act const& act_at(selection const& of, std::int64_t cut)
{
    std::size_t range = 0;
    while (range < of.cut_offs.size() && of.cut_offs[range] <= cut)
        ++range;
    return of.acts[range];
}

ATTUNE_INLINE selection settled_selection(gene_view const& of, selection what)
{
    for (range_act& act : what.acts)
        act = detail::settled_act(of, std::move(act));
    detail::join_equal(what);
    return what;
}

ATTUNE_INLINE range_act drawn_act(gene_view const& of, random_engine& engine)
{
    selector_description const& s = detail::selector_of(of);
    range_act out;
    for (std::size_t i = 0; i <= s.parameters; ++i)
        out.push_back(attune::detail::moves::random_coordinate(
            of.space().parameters[detail::place_of_act(s, 0, i)], engine));
    return detail::settled_act(of, std::move(out));
}

ATTUNE_INLINE selection drawn_selection(gene_view const& of, random_engine& engine)
{
    selector_description const& s = detail::selector_of(of);
    std::uint32_t const places = of.space().parameters[s.cut(0)].value_count();
    std::uint32_t const most = std::min(s.ranges - 1, places);
    auto const count = static_cast<std::size_t>(uniform_below(engine, most + 1));
    selection out;
    while (out.cut_offs.size() < count) {
        auto const cut = static_cast<std::uint32_t>(uniform_below(engine, places));
        auto const at = std::lower_bound(out.cut_offs.begin(), out.cut_offs.end(), cut);
        if (at == out.cut_offs.end() || *at != cut) out.cut_offs.insert(at, cut);
    }
    for (std::size_t i = 0; i <= count; ++i)
        out.acts.push_back(drawn_act(of, engine));
    detail::join_equal(out);
    return out;
}

ATTUNE_INLINE selection crossed_selection(gene_view const& of, selection const& below,
                                          selection const& from, std::uint32_t cut,
                                          random_engine& engine)
{
    selection out;
    for (std::size_t i = 0; i < below.acts.size(); ++i) {
        if (i > 0 && below.cut_offs[i - 1] >= cut) break;
        if (i > 0) out.cut_offs.push_back(below.cut_offs[i - 1]);
        out.acts.push_back(below.acts[i]);
    }
    out.cut_offs.push_back(cut);
    out.acts.push_back(act_at(from, cut));
    for (std::size_t i = 0; i < from.cut_offs.size(); ++i) {
        if (from.cut_offs[i] <= cut) continue;
        out.cut_offs.push_back(from.cut_offs[i]);
        out.acts.push_back(from.acts[i + 1]);
    }
    detail::join_equal(out);
    while (out.acts.size() > detail::selector_of(of).ranges) {
        detail::drop_cut_off(out, engine);
        detail::join_equal(out);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::search
