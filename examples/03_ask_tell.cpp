// 03 - ask and tell: the optimizer alone, over an objective of your own.
// Shows attune::optimizer and attune::minimize. Needs no compiler. Takes a second.
#include <attune/attune.hpp>

#include <cmath>
#include <cstdio>

inline constexpr auto threads =
    attune::ordinal<"THREADS">(attune::powers_of_two(1, 256)).with_default(1);
inline constexpr auto chunk = attune::integer<"CHUNK">(1, 100).with_default(1);
inline constexpr auto pinned = attune::boolean<"PINNED">().with_default(false);
inline constexpr auto space = attune::space(threads, chunk, pinned).where(threads * chunk <= 4096);

// Imitates a measurement: it runs out of memory on one corner, and is best at 32 x 24.
static attune::outcome cost(auto const& config)
{
    double const t = std::log2(config[threads]) - 5;
    double const c = std::log(config[chunk] / 24.0);
    if (config[threads] > 64 && !config[pinned])
        return attune::failure{attune::failure_stage::launch, "out of memory"};
    return attune::measurement::exact(1 + t * t + c * c + (config[pinned] ? 0.0 : 0.5));
}

int main()
{
    // Ask and tell: the loop is yours. It may ask for several configurations and try them at once.
    attune::optimizer optimizer{space, {.seed = 7}};
    int failures = 0;
    for (int step = 0; step < 15; ++step)
        for (auto const& config : optimizer.ask(4)) {
            attune::outcome const result = cost(config);
            failures += attune::succeeded(result) ? 0 : 1;
            optimizer.tell(config, result);
        }
    auto const best = optimizer.best().value();
    std::printf("ask/tell: threads %d, chunk %d, pinned %d costs %.3f; %d of 60 failed\n",
                best[threads], best[chunk], best[pinned], optimizer.best_value().value(), failures);

    // Or minimize() has the loop. Progress goes to stderr; silent_progress() prints nothing.
    auto const result = attune::minimize(space, [](auto const& config) { return cost(config); },
                                         attune::search_limits::of_evaluations(60),
                                         {.seed = 7, .progress = attune::silent_progress()});
    std::printf("minimize: threads %d costs %.3f after %u evaluations\n", (*result.best)[threads],
                result.value, result.evaluations);
}
// prints:
// ask/tell: threads 32, chunk #, pinned 1 costs #; # of 60 failed
// minimize: threads 32 costs # after 60 evaluations
