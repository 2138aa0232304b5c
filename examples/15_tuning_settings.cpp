// 15 - tuning settings: the limits of a tuning, its search, and its log.
// Shows limits, another search, a log that is replayed, and silence.
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/tune/replay.hpp>

#include <cstdio>
#include <span>
#include <vector>

inline constexpr auto block = attune::ordinal<"BLOCK">(attune::powers_of_two(1, 64));
inline constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O2", "-funroll-loops");
inline constexpr auto space = attune::space(block, flags);

static constexpr char const* shift_text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
constexpr int BLOCK = ATTUNE_TUNABLE(BLOCK, 1);
void shift(std::span<float> x, float by)
{
    std::size_t i = 0;
    for (; i + BLOCK <= x.size(); i += BLOCK)
        for (int j = 0; j < BLOCK; ++j) x[i + j] += by;
    for (; i < x.size(); ++i) x[i] += by;
}
)";

int main()
{
    attune::set_default_sink(attune::silent_progress()); // for the whole program

    attune::tuning_options options;
    options.limits.evaluations = 12; // of one tuning; 0: none at all
    options.limits.seconds = 20.0;
    options.limits.patience = 10;             // so many in a row without a better one
    options.limits.total = {.seconds = 60.0}; // of all sizes of one `tuned`
    options.search.strategy = attune::search_with<attune::annealing>();
    options.search.seed = 7;
    options.measuring.cache = attune::cache_state::cold; // a timed call finds its data in memory
    options.event_log = "shift.log";                     // to resume from, and to replay

    attune::kernel<void(std::span<float>, float)> kernel{
        "shift", attune::source_text(shift_text, "shift.kernel.cpp"), space};
    attune::tuned shift{kernel, attune::clang_compiler{}, attune::memory_store{}, options};
    std::vector<float> x(1 << 16, 1.0f);
    shift(x, 2.0f);
    std::printf("x = %g, at most 12 evaluations: %s\n", static_cast<double>(x[0]),
                shift.report().evaluations <= 12 ? "yes" : "no");
    attune::known_choice const known = shift.explain(x, 2.0f);
    std::printf("known: %s\n", describe(known.how).data());

    // Repeats the calls of ask and tell; no kernel runs.
    auto const again = attune::replay("shift.log", attune::build(space), options.search.strategy);
    std::printf("replayed: %s\n",
                again.evaluations.size() == shift.report().evaluations ? "all of them" : "not all");

    // Any function can be minimised; a failure is an outcome, too.
    auto const best = attune::minimize(
        space, [](auto const& c) { return c[block] == 8 ? 1.0 : 2.0; }, {.evaluations = 21});
    std::printf("BLOCK = %d\n", (*best.best)[block]);
}
// prints:
// x = 3, at most 12 evaluations: yes
// known: exact
// replayed: all of them
// BLOCK = 8
