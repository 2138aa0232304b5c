// attune/search/compose/base.hpp - chooses parents, the parameters that change, and the member that a child replaces.
// SPDX-License-Identifier: MIT
// tested by search/compose/composed.cpp
// Source   Wu, "DeepTuner", 2015, Sec. 4.1: the three functions of a technique base
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/settings.hpp>
#include <attune/search/local/stepwise.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// A configuration of a population.
struct population_member {
    point where;
    double value = failed_value;
    point best_where; ///< the best configuration of this member
    double best_value = failed_value;
};

/// The input of a base: members, at least one, and the best configuration of the whole search,
/// which another technique may have found.
struct population_state {
    std::vector<population_member> members;
    point best;
    double best_value = failed_value;
};

/// A base. `name` without blanks; `promise`, the least number of parents; and
/// - members(): the size of the population, >= 1, which is random at first
/// - parents(population, turn, engine): at least `promise` configurations of the population or its
///   best; the child starts as the first one. `turn` counts through the members, so that
///   members[turn] is the oldest.
/// - selected(count, engine): marks the parameters of `count` that change
/// - update(population, turn, child): updates the population by the outcome of the child
/// - by_default(child, other parents, engine, memory): the operator of parameters without entry
/// Optionally afterwards(gene, engine), for each parameter of the child; and settings, see
/// settings.hpp.
template <class B>
concept technique_base =
    requires {
        { B::name } -> std::convertible_to<std::string_view>;
        { B::promise } -> std::convertible_to<std::size_t>;
    } && std::copy_constructible<B> && std::default_initializable<B> &&
    requires(B const& b, population_state& all, std::size_t n, random_engine& engine,
             valued_point const& child, gene g, other_parents others, std::span<double> memory) {
        { b.members() } -> std::same_as<std::size_t>;
        { b.parents(std::as_const(all), n, engine) } -> std::same_as<std::vector<point const*>>;
        { b.selected(n, engine) } -> std::same_as<std::vector<bool>>;
        b.update(all, n, child);
        b.by_default(g, others, engine, memory);
    };

namespace detail {

/// Any base.
struct any_base {
    any_base() = default;
    any_base(any_base const&) = delete;
    any_base& operator=(any_base const&) = delete;
    virtual ~any_base() = default;
    /// "root;h1,v1;...".
    [[nodiscard]] virtual std::string text() const = 0;
    [[nodiscard]] virtual std::size_t promise() const = 0;
    [[nodiscard]] virtual std::size_t members() const = 0;
    [[nodiscard]] virtual std::vector<point const*> parents(population_state const&, std::size_t,
                                                            random_engine&) const = 0;
    [[nodiscard]] virtual std::vector<bool> selected(std::size_t, random_engine&) const = 0;
    virtual void update(population_state&, std::size_t, valued_point const&) const = 0;
    virtual void by_default(gene, other_parents, random_engine&, std::span<double>) const = 0;
    virtual void afterwards(gene, random_engine&) const = 0;
};

template <class B>
struct base_model final : any_base {
    explicit base_model(B base)
        : held(std::move(base))
    {
    }
    std::string text() const override { return text_with_settings(held); }
    std::size_t promise() const override { return B::promise; }
    std::size_t members() const override { return held.members(); }
    std::vector<point const*> parents(population_state const& all, std::size_t turn,
                                      random_engine& engine) const override
    {
        return held.parents(all, turn, engine);
    }
    std::vector<bool> selected(std::size_t count, random_engine& engine) const override
    {
        return held.selected(count, engine);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const override
    {
        held.update(all, turn, child);
    }
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double> memory) const override
    {
        held.by_default(child, others, engine, memory);
    }
    void afterwards([[maybe_unused]] gene child,
                    [[maybe_unused]] random_engine& engine) const override
    {
        if constexpr (requires { held.afterwards(child, engine); }) held.afterwards(child, engine);
    }
    B held;
};

/// Copies share the base.
using shared_base = std::shared_ptr<any_base const>;

} // namespace detail

/// Selects one of `count` parameters always, each other one with probability `rate`.
[[nodiscard]] inline std::vector<bool> one_and_others(std::size_t count, double rate,
                                                      random_engine& engine)
{
    std::vector<bool> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = uniform_unit(engine) < rate;
    if (count > 0) out[uniform_below(engine, count)] = true;
    return out;
}

/// The child replaces the member if it is at least as good.
inline void replace_if_better(population_member& member, valued_point const& child)
{
    if (child.value > member.value) return;
    member.where = member.best_where = child.where;
    member.value = member.best_value = child.value;
}

} // namespace attune::inline ATTUNE_ABI::search
