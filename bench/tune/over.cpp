// bench/tune/over.cpp - how many more evaluations a second the ranks of an MPI job have than one.
// SPDX-License-Identifier: MIT
//
// Run      mpirun -n 4 bench.tune.over [--evaluations 400] [--milliseconds 50] [--rounds 3]
//          The objective sleeps. In each round rank 0 searches alone first, with its share of the
//          evaluations, while the others sleep; then all together by minimize_over(), once with all
//          ranks evaluating and once without rank 0.
// Prints   a line a round and way: ranks=, workers= that evaluate, evaluations_per_s=, one_per_s=
// of
//          rank 0 alone, vs_one= their ratio; the last lines are total with the medians of vs_one
// Exit     2 when an argument is wrong
#include <attune/declare/parameters.hpp>
#include <attune/tune/minimize_over.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mpi.h>
#include <thread>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 255));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 255));
constexpr auto space = attune::space(x, y);

struct arguments {
    std::uint32_t evaluations = 400;
    std::uint32_t milliseconds = 50;
    std::uint32_t rounds = 3;
};

/// MPI_Barrier(), but who waits sleeps: most MPIs spin, on processors that others need.
void wait_for_all()
{
    MPI_Request open = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &open);
    for (int is_done = 0; is_done == 0;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        MPI_Test(&open, &is_done, MPI_STATUS_IGNORE);
    }
}

/// Evaluations a second of one search.
double rate(MPI_Comm on, std::uint32_t evaluations, std::uint32_t milliseconds, bool first_too)
{
    attune::minimize_over_options options;
    options.limits = {.evaluations = evaluations};
    options.minimize.progress = attune::silent_progress();
    options.first_rank_evaluates = first_too;
    auto const objective = [&](auto const& c) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        double const dx = c[x] - 100;
        double const dy = c[y] - 200;
        return dx * dx + dy * dy;
    };
    double const begun = MPI_Wtime();
    auto const found = attune::minimize_over(on, space, objective, options);
    return found.evaluations / (MPI_Wtime() - begun);
}

void compare(arguments const& given)
{
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::array<std::vector<double>, 2> ratios;
    auto const count = static_cast<std::uint32_t>(ranks);
    for (std::uint32_t round = 0; round < given.rounds; ++round) {
        std::uint32_t const share = std::max(1U, given.evaluations / count);
        wait_for_all();
        double const one = rank == 0 ? rate(MPI_COMM_SELF, share, given.milliseconds, false) : 1;
        for (bool const first_too : {true, false}) {
            wait_for_all();
            double const all =
                rate(MPI_COMM_WORLD, given.evaluations, given.milliseconds, first_too);
            ratios[first_too ? 0 : 1].push_back(all / one);
            if (rank != 0) continue;
            std::printf("over ranks=%u workers=%u evaluations_per_s=%.2f one_per_s=%.2f "
                        "vs_one=%.3f\n",
                        count, first_too || count == 1 ? count : count - 1, all, one, all / one);
            std::fflush(stdout);
        }
    }
    if (rank != 0) return;
    std::printf("total ranks=%u workers=%u vs_one=%.3f\n", count, count, bench::median(ratios[0]));
    if (count > 1)
        std::printf("total ranks=%u workers=%u vs_one=%.3f\n", count, count - 1,
                    bench::median(ratios[1]));
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--evaluations", &given.evaluations, 1},
                               {"--milliseconds", &given.milliseconds, 0},
                               {"--rounds", &given.rounds, 1}});
        int threads = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
        compare(given);
        MPI_Finalize();
        return 0;
    });
}
