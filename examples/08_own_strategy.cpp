// 08 - a strategy of your own: an algorithm that waits for outcomes is a searcher.
// Shows attune::stepwise_searcher, attune::trials and attune::search_with. Needs no compiler. Takes
// a second.
#include <attune/attune.hpp>
#include <attune/search/local/stepwise.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

struct climbing_options {
    std::size_t starts = 8; // random configurations before each climb
};

// Random configurations, then from the best of them to its best neighbour until none is better.
// The search may never end: the caller decides when to stop.
static attune::search_process climb(attune::trials& t, climbing_options options)
{
    for (;;) {
        std::vector<attune::point> round;
        while (round.size() < options.starts)
            round.push_back(t.fresh());
        double value = attune::failed_value; // that of a failure: infinite
        attune::point at = round.front();
        while (!round.empty()) {
            std::vector<double> const values = co_await t.evaluate(round);
            auto const lowest = std::min_element(values.begin(), values.end());
            if (!(*lowest < value)) break;
            value = *lowest;
            at = round[static_cast<std::size_t>(lowest - values.begin())];
            round = t.space().neighbours(at);
        }
    }
}

// A searcher is made from a space, a seed and optional options.
class climbing : public attune::stepwise_searcher {
public:
    climbing(attune::chain_of_trees space, std::uint64_t seed, climbing_options const& options = {})
        : stepwise_searcher(std::move(space), seed,
                            [=](attune::trials& t) { return climb(t, options); })
    {
    }
};
static_assert(attune::searcher<climbing>);

inline constexpr auto threads = attune::ordinal<"THREADS">(attune::powers_of_two(1, 256));
inline constexpr auto chunk = attune::integer<"CHUNK">(1, 100);
inline constexpr auto space = attune::space(threads, chunk).where(threads * chunk <= 4096);

int main()
{
    attune::optimizer_options options;
    options.seed = 7;
    options.search = attune::search_with<climbing>(climbing_options{.starts = 5});
    attune::optimizer optimizer{space, options};
    for (int i = 0; i < 200; ++i)
        if (auto const config = optimizer.ask()) {
            double const t = std::log2((*config)[threads]) - 5;
            double const c = std::log((*config)[chunk] / 24.0);
            optimizer.tell(*config, 1 + t * t + c * c);
        }
    auto const best = optimizer.best().value();
    std::printf("threads %d, chunk %d costs %.3f\n", best[threads], best[chunk],
                optimizer.best_value().value());
}
// prints:
// threads 32, chunk 24 costs 1.000
