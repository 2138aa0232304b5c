// attune/search/compose/operators.ipp - changes genes by operators.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/selector_operators.hpp>
#include <attune/search/local/moves.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

[[nodiscard]] inline double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

/// An index with probability proportional to its weight. @pre weights >= 0, not all 0
[[nodiscard]] inline std::size_t weighted_index(std::span<double const> weights,
                                                random_engine& engine)
{
    double total = 0;
    for (double const w : weights)
        total += w;
    double left = uniform_unit(engine) * total;
    std::size_t out = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] > 0)) continue;
        out = i;
        if (left < weights[i]) break;
        left -= weights[i];
    }
    return out;
}

/// The child or one of the other parents, by weights.
inline void mix_one(gene child, other_parents others, std::span<double const> weights,
                    random_engine& engine)
{
    std::size_t const from = weighted_index(weights, engine);
    if (from > 0 && from <= others.size()) child.copy(others[from - 1]);
}

/// Length of a section of `strength` of `size` items: at least 1.
[[nodiscard]] inline std::size_t section_length(std::size_t size, double strength)
{
    double const wanted = std::clamp(strength, 0.0, 1.0) * static_cast<double>(size);
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(wanted)), 1, size);
}

/// Copies a random section of `from` to `child`.
inline void copy_section(gene child, gene_view from, double strength, random_engine& engine)
{
    std::size_t const length = section_length(child.size(), strength);
    std::size_t const first = uniform_below(engine, child.size() - length + 1);
    for (std::size_t i = first; i < first + length; ++i)
        child.element(i).copy(from.element(i));
}

/// The number in [0, 1] by reflection at the ends.
[[nodiscard]] inline double reflected(double v)
{
    double const folded = std::abs(std::remainder(v, 2.0)); // distance to the nearest even number
    return std::min(folded, 1.0);
}

} // namespace detail

ATTUNE_INLINE stochastic_mix stochastic_mix::drawn(random_engine& engine)
{
    stochastic_mix out{{0, 0, 0}};
    for (double& w : out.weights)
        w = 0.05 * static_cast<double>(1 + uniform_below(engine, 20));
    return out;
}
ATTUNE_INLINE void stochastic_mix::operator()(gene child, other_parents others,
                                              random_engine& engine) const
{
    detail::mix_one(child, others, weights, engine);
}
ATTUNE_INLINE void swarm::operator()(gene child, other_parents others, random_engine& engine) const
{
    detail::mix_one(child, others, std::array{own, first, second}, engine);
}

ATTUNE_INLINE set_linear set_linear::drawn(random_engine& engine)
{
    double const f = 0.5 + 0.5 * uniform_unit(engine);
    return {1, f, -f};
}
ATTUNE_INLINE void set_linear::operator()(gene child, other_parents others,
                                          random_engine& engine) const
{
    gene_view const& x1 = others[0];
    gene_view const& x2 = others[1];
    gene_view const& x3 = others[2];
    if (child.is_order()) {
        child.set_order(moved_along(x1.order(), x3.order(), x2.order(), std::abs(b), engine));
    } else if (child.is_array()) {
        for (std::size_t i = 0; i < child.size(); ++i) {
            std::array const parts{x1.element(i), x2.element(i), x3.element(i)};
            (*this)(child.element(i), parts, engine);
        }
    } else if (child.is_number()) {
        child.set_share(a * x1.share() + b * x2.share() + c * x3.share());
    } else if (child.parameter().traits().is_factors) {
        std::vector<double> at = x1.unit();
        std::vector<double> const plus = x2.unit();
        std::vector<double> const minus = x3.unit();
        for (std::size_t i = 0; i < at.size(); ++i)
            at[i] = std::clamp(a * at[i] + b * plus[i] + c * minus[i], 0.0, 1.0);
        child.set_unit(at);
    } else {
        bool const moves = !x2.same_as(x3) && uniform_unit(engine) < std::abs(b);
        child.copy(moves ? x2 : x1);
    }
}

ATTUNE_INLINE void normal_mutation::operator()(gene child, other_parents,
                                               random_engine& engine) const
{
    if (child.is_selector()) {
        detail::move_selector(child, engine);
    } else if (child.is_array()) {
        (*this)(child.element(uniform_below(engine, child.size())), {}, engine);
    } else if (child.is_number()) {
        coordinate const before = child.where();
        double const moved =
            detail::reflected(child.share() + sigma * attune::detail::normal_number(engine));
        double const last = child.is_real() ? 0 : child.parameter().value_count() - 1.0;
        child.set_share(moved);
        if (child.is_real() || !(child.where() == before) || last == 0) return;
        // A step shorter than the table's goes to the next number on the same side.
        bool const up = before.index == 0 || (before.index < last && moved > before.index / last);
        child.set({up ? before.index + 1 : before.index - 1, 0});
    } else if (boolean_kind::holds(child)) {
        flip{}(child, {}, engine);
    } else if (child.is_order() && uniform_below(engine, 2) == 0) {
        child.set_order(with_small_changes(child.order(), 0.25, engine));
    } else
        child.draw(engine);
}

ATTUNE_INLINE scale scale::drawn(random_engine& engine)
{
    return {std::exp2(2 * uniform_unit(engine) - 1)};
}
ATTUNE_INLINE void difference::operator()(gene child, other_parents others, random_engine&) const
{
    child.set_value(std::abs(others[1].value() - others[0].value()));
}
ATTUNE_INLINE void sum::operator()(gene child, other_parents others, random_engine&) const
{
    double total = 0;
    for (gene_view const& other : others)
        total += other.value();
    child.set_value(total);
}

ATTUNE_INLINE void number_swarm::operator()(gene child, other_parents others, random_engine& engine,
                                            std::span<double> velocity) const
{
    double const r1 = uniform_unit(engine);
    double const r2 = uniform_unit(engine);
    move(child, others, r1, r2, engine, velocity[0]);
}
ATTUNE_INLINE void number_swarm::move(gene child, other_parents others, double r1, double r2,
                                      random_engine& engine, double& velocity) const
{
    auto const x = [](gene_view const& g) {
        return g.is_real() ? g.value() : static_cast<double>(g.where().index);
    };
    velocity = own * velocity + r1 * first * (x(others[0]) - x(child)) +
               r2 * second * (x(others[1]) - x(child));
    if (child.is_real())
        child.set_value(child.value() + velocity);
    else
        child.set_share(detail::sigmoid(velocity) + sigma * attune::detail::normal_number(engine));
}

ATTUNE_INLINE void boolean_swarm::operator()(gene child, other_parents others,
                                             random_engine& engine,
                                             std::span<double> velocity) const
{
    double const r1 = uniform_unit(engine);
    double const r2 = uniform_unit(engine);
    move(child, others, r1, r2, engine, velocity[0]);
}
ATTUNE_INLINE void boolean_swarm::move(gene child, other_parents others, double r1, double r2,
                                       random_engine& engine, double& velocity) const
{
    velocity = own * velocity + r1 * first * (others[0].value() - child.value()) +
               r2 * second * (others[1].value() - child.value());
    child.set({uniform_unit(engine) < detail::sigmoid(velocity) ? 1U : 0U, 0});
}

ATTUNE_INLINE void array_cross::operator()(gene child, other_parents others,
                                           random_engine& engine) const
{
    child.copy(others[0]);
    detail::copy_section(child, others[1], strength, engine);
}
ATTUNE_INLINE void array_swarm::operator()(gene child, other_parents others,
                                           random_engine& engine) const
{
    if (uniform_unit(engine) < stay) return;
    bool const to_first = uniform_unit(engine) < first;
    detail::copy_section(child, others[to_first ? 0 : 1], strength, engine);
}
ATTUNE_INLINE void array_swarm_parallel::operator()(gene child, other_parents others,
                                                    random_engine& engine,
                                                    std::span<double> velocity) const
{
    double const r1 = uniform_unit(engine);
    double const r2 = uniform_unit(engine);
    for (std::size_t i = 0; i < child.size(); ++i) {
        gene const one = child.element(i);
        std::array const parts{others[0].element(i), others[1].element(i)};
        if (one.is_number())
            number_swarm{own, first, second}.move(one, parts, r1, r2, engine, velocity[i]);
        else if (boolean_kind::holds(one))
            boolean_swarm{own, first, second}.move(one, parts, r1, r2, engine, velocity[i]);
        else
            swarm{own, first, second}(one, parts, engine);
    }
}

} // namespace attune::inline ATTUNE_ABI::search
