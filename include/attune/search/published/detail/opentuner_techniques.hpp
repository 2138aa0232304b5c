// attune/search/published/detail/opentuner_techniques.hpp - the four techniques of OpenTuner's default.
// SPDX-License-Identifier: MIT
// Source   the program OpenTuner 0.8.8 (Ansel et al. 2014): DifferentialEvolutionAlt,
//          UniformGreedyMutation, NormalGreedyMutation, RandomNelderMead. Techniques of compose/
//          differ: they propose nothing twice and do not end; their Nelder-Mead moves in the unit
//          cube, while a vertex here is a configuration
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/detail/genome.hpp>
#include <attune/search/compose/operators.hpp>
#include <attune/search/local/stepwise.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

using opentuner_genome = search::detail::genome;

/// A technique whose ask() is empty while it has nothing to propose, or after its end.
class opentuner_technique {
public:
    /// @param begin   starts the algorithm, which must take all arguments besides `trials` by value
    /// @param rounds  rounds without a new configuration before ask() ends
    template <class Begin>
    opentuner_technique(chain_of_trees space, std::uint64_t seed, Begin const& begin, int rounds)
        : state_(std::make_unique<state>(std::move(space), seed, begin, rounds))
    {
    }

    [[nodiscard]] std::vector<point> ask(std::size_t)
    {
        trials& board = state_->board;
        if (std::optional<point> wanted = board.next_of_round()) return {std::move(*wanted)};
        for (int round = 0; round < state_->rounds; ++round) {
            if (!board.round_is_known() || state_->algorithm.is_done()) return {};
            state_->algorithm.resume();
            if (std::optional<point> wanted = board.next_of_round()) return {std::move(*wanted)};
        }
        return {};
    }
    void tell(point const& p, outcome const& result) { state_->board.tell(p, result); }

private:
    struct state {
        template <class Begin>
        state(chain_of_trees space, std::uint64_t seed, Begin const& begin, int most)
            : board(std::move(space), seed)
            , algorithm(begin(board))
            , rounds(most)
        {
        }
        trials board;
        search_process algorithm;
        int rounds;
    };
    std::unique_ptr<state> state_;
};

/// Sets a gene to a + scale (b - c): numbers by their shares, clipped; other values to a, or to a
/// random value if b and c differ.
inline void set_opentuner_linear(search::gene to, search::gene_view a, search::gene_view b,
                                 search::gene_view c, double scale, random_engine& engine)
{
    if (to.is_number()) {
        to.set_share(a.share() + scale * (b.share() - c.share()));
        return;
    }
    to.copy(a);
    if (!b.same_as(c)) to.draw(engine);
}

/// Sets the selected genes of `child` to a + scale (b - c).
inline void set_opentuner_linear(opentuner_genome const& genes, point& child,
                                 std::vector<bool> const& selected, point const& a, point const& b,
                                 point const& c, double scale, random_engine& engine)
{
    for (std::size_t g = 0; g < genes.size(); ++g)
        if (selected[g])
            set_opentuner_linear(genes.of(child, g), genes.of(a, g), genes.of(b, g), genes.of(c, g),
                                 scale, engine);
}

/// A child of one member: x1 + F (x2 - x3) with F uniform in [0.5, 1), of three different
/// configurations among the other members and the best.
/// @param best  null before the first success
[[nodiscard]] inline point opentuner_descendant(opentuner_genome const& genes,
                                                std::vector<point> const& members,
                                                std::size_t whose, point const* best,
                                                double crossover_rate, random_engine& engine)
{
    std::vector<point const*> others;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (i != whose) others.push_back(&members[i]);
    if (best != nullptr) others.push_back(best);
    while (others.size() < 3) // a space of so few configurations
        others.push_back(&members[whose]);
    shuffle(std::span(others), engine);
    double const factor = 0.5 + uniform_unit(engine) / 2;
    point child = members[whose];
    set_opentuner_linear(genes, child, search::one_and_others(genes.size(), crossover_rate, engine),
                         *others[0], *others[1], *others[2], factor, engine);
    return genes.valid(std::move(child), members[whose], engine);
}

[[nodiscard]] inline search_process opentuner_evolution(trials& t)
{
    constexpr std::size_t population = 30;
    constexpr double crossover_rate = 0.2;
    constexpr int most_tries = 5; // to make a child that was not measured
    opentuner_genome const genes(t.space(), {});
    std::vector<point> members = fresh_points(t, population);
    std::vector<double> values = co_await t.evaluate(members);
    for (std::size_t turn = 0;; turn = (turn + 1) % members.size()) {
        point child;
        for (int tries = 0; tries < most_tries; ++tries) {
            point const* const best = t.best() ? &*t.best() : nullptr;
            child = opentuner_descendant(genes, members, turn, best, crossover_rate, t.engine());
            if (!t.has_seen(child)) break;
        }
        double const value = co_await t.evaluate(child);
        if (!(value < values[turn])) continue;
        members[turn] = child;
        values[turn] = value;
    }
}

/// Mutates the best configuration; before the first success, a random one.
/// @param is_normal  genes move by a normal number, else they are drawn anew
[[nodiscard]] inline search_process opentuner_mutation(trials& t, double rate, bool is_normal)
{
    constexpr int most_tries = 10; // to make a child that is not its parent
    opentuner_genome const genes(t.space(), {});
    for (;;) {
        point const parent = t.best() ? *t.best() : t.fresh();
        point child = parent;
        for (int tries = 0; tries < most_tries && child == parent; ++tries) {
            std::vector<bool> const selected =
                search::one_and_others(genes.size(), rate, t.engine());
            for (std::size_t g = 0; g < genes.size(); ++g) {
                search::gene const one = genes.of(child, g);
                if (selected[g] && is_normal)
                    search::normal_mutation{}(one, {}, t.engine());
                else if (selected[g])
                    one.draw(t.engine());
            }
            child = genes.valid(std::move(child), parent, t.engine());
        }
        static_cast<void>(co_await t.evaluate(child));
    }
}

/// Vertices of a simplex, each a configuration with its value.
class opentuner_vertices {
public:
    opentuner_vertices(opentuner_genome const& genes, std::vector<valued_point> all)
        : genes_(&genes)
        , all_(std::move(all))
    {
    }

    [[nodiscard]] std::vector<valued_point> const& all() const noexcept { return all_; }
    [[nodiscard]] valued_point const& best() const { return all_.front(); }
    [[nodiscard]] valued_point const& worst() const { return all_.back(); }
    void replace_worst(valued_point by) { all_.back() = std::move(by); }
    /// The best first, equal ones in their order.
    void sort()
    {
        sort_stably(all_,
                    [](valued_point const& a, valued_point const& b) { return a.value < b.value; });
    }
    /// The mean of all, the worst included; values that are no numbers are those of the best.
    [[nodiscard]] point centre() const
    {
        point out = best().where;
        for (std::size_t g = 0; g < genes_->size(); ++g) {
            search::gene const one = genes_->of(out, g);
            if (!one.is_number()) continue;
            double sum = 0;
            for (valued_point const& v : all_)
                sum += genes_->of(v.where, g).share();
            one.set_share(sum / static_cast<double>(all_.size()));
        }
        return out;
    }
    /// The configuration at from + scale (from - to).
    [[nodiscard]] point along(point const& from, point const& to, double scale,
                              random_engine& engine) const
    {
        point out = from;
        std::vector<bool> const every(genes_->size(), true);
        set_opentuner_linear(*genes_, out, every, from, from, to, scale, engine);
        return genes_->valid(std::move(out), best().where, engine);
    }
    /// All vertices except the best, half as far from it.
    [[nodiscard]] std::vector<point> shrunk(random_engine& engine) const
    {
        std::vector<point> out;
        for (valued_point const& v : std::span(all_).subspan(1))
            out.push_back(along(best().where, v.where, -0.5, engine));
        return out;
    }
    void replace_all_but_best(std::vector<point> const& by, std::vector<double> const& values)
    {
        for (std::size_t i = 0; i < by.size(); ++i)
            all_[i + 1] = {by[i], values[i]};
    }

private:
    opentuner_genome const* genes_;
    std::vector<valued_point> all_;
};

/// Nelder-Mead of OpenTuner. The centre is that of all vertices; the worst vertex is reflected
/// twice as far; the reflection stays if it is better than the second best. Ends after a step
/// without a change, or after 3 n + 1 steps in a row without a new configuration. Ends at once if
/// no parameter is a number.
[[nodiscard]] inline search_process opentuner_simplex(trials& t)
{
    constexpr double reflection = 2;
    constexpr double expansion = 2;
    constexpr double contraction = 0.5;
    opentuner_genome const genes(t.space(), {});
    point const anywhere = t.fresh();
    std::size_t count = 1;
    for (std::size_t g = 0; g < genes.size(); ++g)
        count += genes.of(anywhere, g).is_number() ? 1u : 0u;
    std::vector<point> round = fresh_points(t, count);
    if (count == 1 || round.size() == 1) co_return;
    std::vector<double> values = co_await t.evaluate(round);
    std::vector<valued_point> first;
    for (std::size_t i = 0; i < round.size(); ++i)
        first.push_back({round[i], values[i]});
    opentuner_vertices simplex(genes, std::move(first));
    std::vector<point> before;
    std::size_t vain = 0; // steps without a new configuration
    auto const counted = [&](point const& p) -> point const& {
        vain = t.has_seen(p) ? vain + 1 : 0;
        return p;
    };
    for (;;) {
        std::vector<point> now;
        for (valued_point const& v : simplex.all())
            now.push_back(v.where);
        if (now == before || vain >= 3 * simplex.all().size() + 1) co_return;
        before = now;
        simplex.sort();
        point const centre = simplex.centre();
        valued_point tried{simplex.along(centre, simplex.worst().where, reflection, t.engine())};
        tried.value = co_await t.evaluate(counted(tried.where));
        if (tried.value < simplex.best().value) {
            valued_point far{simplex.along(centre, tried.where, -expansion, t.engine())};
            far.value = co_await t.evaluate(counted(far.where));
            simplex.replace_worst(far.value < tried.value ? far : tried);
        } else if (tried.value < simplex.all()[1].value) {
            simplex.replace_worst(tried);
        } else {
            valued_point const from =
                tried.value <= simplex.worst().value ? tried : simplex.worst();
            valued_point near{simplex.along(centre, from.where, -contraction, t.engine())};
            near.value = co_await t.evaluate(counted(near.where));
            if (near.value <= from.value) {
                simplex.replace_worst(near);
            } else {
                round = simplex.shrunk(t.engine());
                bool const is_known = std::all_of(round.begin(), round.end(),
                                                  [&](point const& p) { return t.has_seen(p); });
                vain = is_known ? vain + 1 : 0;
                values = co_await t.evaluate(round);
                simplex.replace_all_but_best(round, values);
            }
        }
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
