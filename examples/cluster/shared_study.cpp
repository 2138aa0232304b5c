// shared_study - one search in any number of processes that share a folder, without MPI.
// Shows a study, a lease, and who did what. Start it as often as you like, on all machines that see
// the folder: `shared_study /scratch/me`. A process may be killed; one that starts later, or again,
// goes on with what is known. slurm_array.sh starts twenty. Alone it is minimize(). A second word,
// milliseconds, is how long one evaluation takes.
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/tune/study.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

inline constexpr auto blocks = attune::ordinal<"BLOCKS">(attune::range(1, 16)).with_default(1);
inline constexpr auto depth = attune::ordinal<"DEPTH">(attune::range(1, 8)).with_default(1);
inline constexpr auto space = attune::space(blocks, depth).where(blocks * depth <= 32);

// Stands for an application that runs for minutes on this machine.
template <class Config>
static attune::outcome run_application(Config const& c, int milliseconds)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    if (c[depth] == 7) return attune::failure{attune::failure_stage::crash, "out of memory"};
    double const idle = c[blocks] - 6;
    double const copies = c[depth] - 4;
    return attune::measurement::exact(60 + idle * idle + 2 * copies * copies);
}

int main(int count, char** words)
{
    // Without a folder: an own one, anew.
    bool const is_alone = count < 2;
    std::string const folder = is_alone ? "shared_study_alone" : words[1];
    int const milliseconds = count > 2 ? std::atoi(words[2]) : 5;
    if (is_alone) std::filesystem::remove_all(folder);

    attune::study_options options;
    options.limits = {.evaluations = 200, .seconds = 600}; // of the study; of this process
    options.minimize.name = "application";                 // the same in all processes
    options.minimize.progress = attune::silent_progress();
    options.most_seconds = 60; // a run that takes longer is a failure
    options.lease_s = 30;      // a process that is silent for so long is lost
    auto const found = attune::minimize_over(
        attune::study{folder, "application"}, space,
        [milliseconds](auto const& c) { return run_application(c, milliseconds); }, options);

    // All processes have the result.
    if (!found.best) return 1;
    std::printf("%g s with %d blocks, depth %d\n", found.value, (*found.best)[blocks],
                (*found.best)[depth]);
    std::printf("%u evaluations, %u failed, ended by: %s\n", found.evaluations,
                attune::total(found.failures), found.ended.c_str());
    for (attune::worker_use const& one : found.workers)
        std::printf("%s: %u evaluations\n", one.name.c_str(), one.evaluations);
}
// prints:
// 60 s with 6 blocks, depth 4
// 69 evaluations, 4 failed, ended by: space
// *: # evaluations
// ...
