// 24 - a budget: cheap evaluations sort out most configurations, expensive ones compare the rest.
// Shows attune::minimize_with_budget and attune::regularized_evolution.
// Needs no compiler. Takes a second.
#include <attune/attune.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/tune/minimize_with_budget.hpp>

#include <cmath>
#include <cstdio>

inline constexpr auto rate = attune::real<"RATE">(1e-4, 10.0).log_scale();
inline constexpr auto momentum = attune::real<"MOMENTUM">(0.0, 0.99);
inline constexpr auto nesterov = attune::boolean<"NESTEROV">();
inline constexpr auto space = attune::space(rate, momentum, nesterov);

// The logarithm of the loss after `steps` of gradient descent, in a valley that is 100 times as
// steep in one direction. With too high a rate the loss is not finite, which is a failure.
static double loss(auto const& config, double steps)
{
    double at[] = {1, 1};
    double speed[] = {0, 0};
    double const steep[] = {1, 100};
    for (int step = 0; step < static_cast<int>(steps); ++step)
        for (int i = 0; i < 2; ++i) {
            double const ahead = config[nesterov] ? config[momentum] * speed[i] : 0;
            speed[i] = config[momentum] * speed[i] - config[rate] * steep[i] * (at[i] + ahead);
            at[i] += speed[i];
        }
    return std::log10(at[0] * at[0] + 100 * at[1] * at[1]);
}

int main()
{
    // Hyperband: 81 configurations get 3 steps, the best 27 of them 9, and so on; the last one gets
    // 243. Four more brackets begin with fewer configurations and more steps.
    attune::minimize_with_budget_options options;
    options.budgets = {.least_budget = 3, .most_budget = 243};
    options.seed = 5;
    options.progress = attune::silent_progress();
    auto const descend = [](auto const& config, double steps) { return loss(config, steps); };
    auto const found = attune::minimize_with_budget(space, descend, options);
    std::printf("hyperband: 10^%.2f after %u evaluations of %.0f steps together\n", found.value,
                found.evaluations, found.spent);

    // The same with configurations that models propose, one model for each budget.
    options.search = attune::search_with<attune::bayesian_searcher>();
    options.budgets.total_budget = 3000; // steps of all evaluations together
    auto const modelled = attune::minimize_with_budget(space, descend, options);
    std::printf("proposed by a model: 10^%.2f with %.0f steps\n", modelled.value, modelled.spent);

    // Without cheap evaluations: as many evaluations with all steps as cost the same.
    auto const aging = attune::minimize(
        space, [](auto const& config) { return loss(config, 243); },
        attune::search_limits::of_evaluations(static_cast<std::uint64_t>(found.spent / 243)),
        {.seed = 5,
         .search = attune::search_with<attune::regularized_evolution>(
             attune::search::aging_evolution{.population = 8, .sample = 3}),
         .progress = attune::silent_progress()});
    std::printf("regularized evolution: 10^%.2f after %u evaluations\n", aging.value,
                aging.evaluations);
    std::printf("%s\n", found.value < aging.value ? "cheap evaluations paid" : "they did not");
}
// prints:
// hyperband: 10^# after 206 evaluations of 5706 steps together
// proposed by a model: 10^# with # steps
// regularized evolution: 10^# after 23 evaluations
// cheap evaluations paid
