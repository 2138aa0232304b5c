// attune/search/compose/bases.hpp - bases of techniques: parents, the parameters that change, the member that a child replaces.
// SPDX-License-Identifier: MIT
// tested by search/compose/composed.cpp
// Source   Wu, "DeepTuner", 2015, Table 4.1 (greedy, random_three_parents) and Sec. 3.2; numbers as
//          in OpenTuner (Ansel et al. 2014); differential evolution: Storn & Price 1997. Own: in
//          random_three_parents the child replaces the oldest member if it is not worse, as in
//          OpenTuner and differential evolution, where Table 4.1 replaces it always; F is drawn for
//          each parameter, where OpenTuner draws it once for each child; ga and gga keep separate
//          populations
// Source   Wu, "DeepTuner", 2015, Sec. 4.1: the three functions of a technique base
// Bench    bench/search/tsp.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/compose/order_operators.hpp>
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

/// A hill climber: the child replaces the single member if it is not worse, so the member wanders
/// over configurations of equal value. If another technique found a better configuration, the child
/// starts from that. Without other techniques, and with one operator, this is a plain hill climber.
struct climb {
    static constexpr std::string_view name = "climb";
    static constexpr std::size_t promise = 2;
    double change_rate = 0; ///< chance of each parameter besides the one that always changes

    static void settings(auto& self, auto const& visit) { visit("change_rate", self.change_rate); }
    [[nodiscard]] std::size_t members() const noexcept { return 1; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t,
                                                    random_engine&) const
    {
        population_member const& own = all.members.front();
        point const* const from = all.best_value < own.value ? &all.best : &own.where;
        return {from, from};
    }
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, change_rate, engine);
    }
    void update(population_state& all, std::size_t, valued_point const& child) const
    {
        replace_if_better(all.members.front(), child);
    }
    /// random_move of a permutation, normal_mutation of others
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double>) const
    {
        if (child.is_order())
            random_move{}(child, others, engine);
        else
            normal_mutation{}(child, others, engine);
    }
};

/// The child of the oldest member replaces it if it is not worse. Each of the other three parents
/// is the best configuration with probability `best_rate`, else that member.
struct greedy {
    static constexpr std::string_view name = "greedy";
    static constexpr std::size_t promise = 4;
    double best_rate = 0.5;
    double crossover_rate = 0.1; ///< chance of each parameter besides the one that always changes
    std::size_t population = 10;

    static void settings(auto& self, auto const& visit)
    {
        visit("best_rate", self.best_rate);
        visit("crossover_rate", self.crossover_rate);
        visit("population", self.population);
    }
    [[nodiscard]] std::size_t members() const noexcept { return population; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t turn,
                                                    random_engine& engine) const;
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, crossover_rate, engine);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const
    {
        replace_if_better(all.members[turn], child);
    }
    void by_default(gene child, other_parents, random_engine& engine, std::span<double>) const
    {
        child.draw(engine);
    }
};

/// The oldest member and three random ones, different if there are enough. With probability
/// `information_sharing`, the best configuration replaces one of the three. By default always, as
/// in OpenTuner; Storn & Price's rand/1 never uses the best.
struct random_three_parents {
    static constexpr std::string_view name = "random_three_parents";
    static constexpr std::size_t promise = 4;
    double crossover_rate = 0.9;
    double information_sharing = 1;
    std::size_t population = 30;

    static void settings(auto& self, auto const& visit)
    {
        visit("crossover_rate", self.crossover_rate);
        visit("information_sharing", self.information_sharing);
        visit("population", self.population);
    }
    [[nodiscard]] std::size_t members() const noexcept { return population; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t turn,
                                                    random_engine& engine) const;
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, crossover_rate, engine);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const
    {
        replace_if_better(all.members[turn], child);
    }
    /// set_linear of 1, F, -F with F uniform in [0.5, 1), drawn for each parameter
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double>) const
    {
        set_linear::drawn(engine)(child, others, engine);
    }
};

/// Differential evolution: random_three_parents with its own name.
struct de : random_three_parents {
    static constexpr std::string_view name = "de";
};
/// Differential evolution in which fewer parameters change at once.
struct de_alt : random_three_parents {
    static constexpr std::string_view name = "de_alt";
    constexpr de_alt() noexcept { crossover_rate = 0.2; }
};

/// The best configuration with one parameter drawn anew, and each other one with a probability.
struct uniform_greedy_mutation {
    static constexpr std::string_view name = "uniform_greedy_mutation";
    static constexpr std::size_t promise = 2;
    double mutation_rate = 0.1;

    static void settings(auto& self, auto const& visit)
    {
        visit("mutation_rate", self.mutation_rate);
    }
    [[nodiscard]] std::size_t members() const noexcept { return 1; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t,
                                                    random_engine&) const
    {
        return {&all.best, &all.best};
    }
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, mutation_rate, engine);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const
    {
        replace_if_better(all.members[turn], child);
    }
    void by_default(gene child, other_parents, random_engine& engine, std::span<double>) const
    {
        child.draw(engine);
    }
};

/// The best configuration with parameters moved by a normal number: normal_mutation.
struct normal_greedy_mutation : uniform_greedy_mutation {
    static constexpr std::string_view name = "normal_greedy_mutation";
    double sigma = 0.1; ///< standard deviation, of the range of a number

    static void settings(auto& self, auto const& visit)
    {
        visit("mutation_rate", self.mutation_rate);
        visit("sigma", self.sigma);
    }
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double>) const
    {
        normal_mutation{sigma}(child, others, engine);
    }
};

/// Genetic. Crosses two members, each the better of two random ones: permutations by `crossover`;
/// other parameters take the value of one parent. Then each parameter mutates with probability
/// `mutation_rate`. The child replaces the worst member if it is not worse.
struct ga {
    static constexpr std::string_view name = "ga";
    static constexpr std::size_t promise = 3;
    search::crossover how = search::crossover::ox1;
    double mutation_rate = 0.1;
    std::size_t population = 30;
    double strength = 0.3; ///< of crossovers of permutations

    static void settings(auto& self, auto const& visit)
    {
        visit("crossover", self.how);
        visit("mutation_rate", self.mutation_rate);
        visit("population", self.population);
        visit("strength", self.strength);
    }
    [[nodiscard]] std::size_t members() const noexcept { return population; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t turn,
                                                    random_engine& engine) const;
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine&) const
    {
        return std::vector<bool>(count, true);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const;
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double> memory) const;
    /// Permutations: random_invert, or small changes; other parameters as normal_mutation.
    void afterwards(gene child, random_engine& engine) const;
};

/// Global genetic: the best configuration, with probability `crossover_rate` crossed with a random
/// member; then parameters mutate as in normal_greedy_mutation.
struct gga {
    static constexpr std::string_view name = "gga";
    static constexpr std::size_t promise = 3;
    search::crossover how = search::crossover::ox1;
    double crossover_rate = 0.5;
    double mutation_rate = 0.1;
    std::size_t population = 10;
    double strength = 0.2;

    static void settings(auto& self, auto const& visit)
    {
        visit("crossover", self.how);
        visit("crossover_rate", self.crossover_rate);
        visit("mutation_rate", self.mutation_rate);
        visit("population", self.population);
        visit("strength", self.strength);
    }
    [[nodiscard]] std::size_t members() const noexcept { return population; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t turn,
                                                    random_engine& engine) const;
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine& engine) const
    {
        return one_and_others(count, mutation_rate, engine);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const;
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double> memory) const;
};

/// Particle swarm: the oldest particle is pulled towards the best configuration and its own best
/// one, and always moves. The memory of the genes has the velocities.
struct pso {
    static constexpr std::string_view name = "pso";
    static constexpr std::size_t promise = 3;
    search::crossover how = search::crossover::ox1;
    double inertia = 0.5;   ///< share of the velocity that remains: c
    double pull_best = 0.5; ///< c1
    double pull_own = 0.5;  ///< c2
    std::size_t population = 30;
    double strength = 0.3; ///< of crossovers of permutations

    static void settings(auto& self, auto const& visit)
    {
        visit("crossover", self.how);
        visit("inertia", self.inertia);
        visit("population", self.population);
        visit("pull_best", self.pull_best);
        visit("pull_own", self.pull_own);
        visit("strength", self.strength);
    }
    [[nodiscard]] std::size_t members() const noexcept { return population; }
    [[nodiscard]] std::vector<point const*> parents(population_state const& all, std::size_t turn,
                                                    random_engine&) const
    {
        population_member const& one = all.members[turn];
        return {&one.where, &all.best, &one.best_where};
    }
    [[nodiscard]] std::vector<bool> selected(std::size_t count, random_engine&) const
    {
        return std::vector<bool>(count, true);
    }
    void update(population_state& all, std::size_t turn, valued_point const& child) const;
    /// The swarm operator of the kind.
    void by_default(gene child, other_parents others, random_engine& engine,
                    std::span<double> memory) const;
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/bases.ipp>
#endif
