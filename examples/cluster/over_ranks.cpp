// over_ranks - one search on all ranks of an MPI job: rank 0 searches, the others evaluate.
// Shows minimize_over(), a limit of one evaluation, and who did what. You need MPI: link
// attune::mpi, and start it by `mpirun -n 4 over_ranks` or `srun over_ranks`. Alone it is
// minimize().
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/tune/minimize_over.hpp>

#include <chrono>
#include <cstdio>
#include <mpi.h>
#include <thread>

inline constexpr auto blocks = attune::ordinal<"BLOCKS">(attune::range(1, 16)).with_default(1);
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::range(1, 8)).with_default(1);
inline constexpr auto space = attune::space(blocks, depth).where(blocks * depth <= 32);

// Stands for an application that runs for minutes on the rank's own node.
template <class Config>
static attune::outcome run_application(Config const& c)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (c[depth] == 7) return attune::failure{attune::failure_stage::crash, "out of memory"};
    double const idle = c[blocks] - 6;
    double const copies = c[depth] - 4;
    return attune::measurement::exact(60 + idle * idle + 2 * copies * copies);
}

int main(int count, char** words)
{
    int threads = 0;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &threads);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    attune::minimize_over_options options;
    options.limits = {.evaluations = 200, .seconds = 600};
    options.minimize.progress = attune::silent_progress();
    options.most_seconds = 60; // a rank that takes longer does not hold the others
    auto const found = attune::minimize_over(
        MPI_COMM_WORLD, space, [](auto const& c) { return run_application(c); }, options);

    // All ranks have the result.
    if (rank == 0 && found.best) {
        std::printf("%g s with %d blocks, depth %d\n", found.value, (*found.best)[blocks],
                    (*found.best)[depth]);
        std::printf("%u evaluations, %u failed, ended by: %s\n", found.evaluations,
                    attune::total(found.failures), found.ended.c_str());
        for (attune::worker_use const& one : found.workers)
            std::printf("%s: %u evaluations%s\n", one.name.c_str(), one.evaluations,
                        one.is_left ? ", left" : "");
    }
    MPI_Finalize();
}
// prints:
// 60 s with 6 blocks, depth 4
// 69 evaluations, 4 failed, ended by: space
// rank # on *: # evaluations
// ...
