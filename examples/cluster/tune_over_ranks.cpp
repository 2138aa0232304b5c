// tune_over_ranks - one kernel tuned by all ranks of an MPI job: rank 0 searches, the others
// measure. Shows tune_over(), and who did what. You need MPI: link attune::mpi, and start it by
// `mpirun -n 4 --bind-to core tune_over_ranks` or `srun tune_over_ranks`, on nodes of one kind.
// Alone it is tuned.tune().
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/tune_over.hpp>

#include <cstdio>
#include <mpi.h>
#include <span>
#include <vector>

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 32));
inline constexpr auto ahead = attune::ordinal<"AHEAD">(attune::values(0, 8, 64));
inline constexpr auto space = attune::space(lanes, ahead).where(ahead == 0 || ahead >= lanes);

static constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cstddef>
#include <span>
void sum(std::span<double const> x, std::span<double> out)
{
    constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
    constexpr int ahead = ATTUNE_TUNABLE(AHEAD, 0);
    double part[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes) {
        if (ahead > 0) __builtin_prefetch(x.data() + i + ahead);
        for (int j = 0; j < lanes; ++j) part[j] += x[i + j];
    }
    for (; i < x.size(); ++i) part[0] += x[i];
    out[0] = 0;
    for (double const p : part) out[0] += p;
}
)";

int main(int count, char** words)
{
    int threads = 0;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &threads);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    // The same on all ranks; the store that counts is rank 0's.
    attune::kernel<void(std::span<double const>, std::span<double>)> kernel{
        "sum", attune::source_text(text, "sum.kernel.cpp"), space};
    attune::tuning_options options;
    options.limits = {.evaluations = 20, .seconds = 60};
    options.progress = attune::silent_progress();
    attune::tuned sum{kernel, attune::clang_compiler{}, options};

    std::vector<double> x(1 << 16, 0.5), out(1); // each rank has its own
    auto const tuned = attune::tune_over(MPI_COMM_WORLD, sum, x, out);
    if (rank == 0) {
        std::printf("%s\n", tuned.report.summary().c_str());
        for (attune::worker_use const& one : tuned.workers)
            std::printf("%s: %u evaluations\n", one.name.c_str(), one.evaluations);
    }
    sum(x, out); // each rank calls what was found
    std::printf("%g by %s\n", out[0], sum.explain(x, out).configuration.c_str());
    MPI_Finalize();
}
// prints:
// #x faster than the default: *; LANES=*; # evaluations in #*
// or: keeps the default LANES=1 AHEAD=0: nothing was proven faster*; # evaluations in #*
// 32768 by LANES=# AHEAD=#
