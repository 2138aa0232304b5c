// 25 - techniques: searches made of parts, a bandit among them, and advice from earlier gains.
// Shows attune::search::composed, parse_technique, auc_bandit_of and recommended. Needs no
// compiler. Takes a second.
#include <attune/attune.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/auc_bandit.hpp>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace search = attune::search;

inline constexpr auto tour = attune::permutation<"TOUR", 16>();
inline constexpr auto space = attune::space(tour);

// The way around 16 cities on a circle; the shortest goes from each to the next and is 3.12 long.
static double length(auto const& config)
{
    auto const& order = config[tour];
    double sum = 0;
    for (unsigned i = 0; i < order.size(); ++i)
        sum += std::abs(std::sin(3.14159265358979 * (order[i] - order[(i + 1) % 16]) / 16));
    return sum;
}

// A base and an operator per kind of parameters, as types, ...
using swapping =
    search::composed<search::greedy, search::operators<search::permutation<search::random_swap>>>;

static double best_by(attune::search_factory strategy)
{
    auto const found = attune::minimize(
        space, [](auto const& config) { return length(config); }, {.evaluations = 1500},
        {.seed = 1, .search = std::move(strategy), .progress = attune::silent_progress()});
    return found.value;
}

int main()
{
    std::printf("composed     %.2f\n", best_by(attune::search_with<swapping>()));

    // ... or as a name, which makes the same search again, from a file for example.
    search::technique const moving =
        search::parse_technique("random_three_parents permutation;random_move");
    std::printf("by name      %.2f\n", best_by(moving.make));

    // A bandit asks the technique that found new bests lately, and tells all techniques each
    // outcome.
    std::vector<search::technique> const both = {moving,
                                                 {"swapping", attune::search_with<swapping>()}};
    std::printf("bandit       %.2f\n", best_by(search::auc_bandit_of(both).make));

    // A new search begins with the five techniques that gained most in earlier searches. A tuning
    // keeps these gains:
    // options.search = attune::recommended_search("kernels.techniques");
    search::technique_history past;
    past.add({.label = "tours of last week",
              .structure = search::structure_of(attune::lower(space)),
              .uses = {{moving.name, 1000, 45}, {"random", 1000, 7}}});
    std::printf("recommended  %.2f\n", best_by(search::recommended(past, {.from_history = 1})));
    for (search::technique_advice const& one :
         search::recommend_start(past, search::structure_of(attune::lower(space)), 1))
        std::printf("because of %.3f new bests per request in '%s', at a distance of %.0f\n",
                    one.affinity, one.problem.c_str(), one.distance.value());
}
// prints:
// composed     3.12
// by name      3.12
// bandit       3.12
// recommended  3.12
// because of 0.045 new bests per request in 'tours of last week', at a distance of 0
