// bench/tune/study.cpp - what a shared study of several processes costs, and when all know an outcome.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.study [--folder /tmp] [--processes 8] [--evaluations 800] [--milliseconds 20]
//          Forked processes take part in one new study in the folder; the objective sleeps, and the
//          search draws at random.
// Prints   study processes=, outcomes=, store_ms= median and store_max_ms= most between the end of
//          an evaluation and the begin of the next one in the same process (telling, searching,
//          claiming), seen_s= median and seen_max_s= most between the first process that knows an
//          outcome and the last one
// Exit     2 when an argument is wrong
#include <attune/tune/study.hpp>

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 255));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 255));
constexpr auto space = attune::space(x, y);

struct arguments {
    std::string folder = std::filesystem::temp_directory_path().string();
    std::uint32_t processes = 8;
    std::uint32_t evaluations = 800;
    std::uint32_t milliseconds = 20;
};

/// Numbers of all processes: of each, when it knew the outcome of each evaluation in the order of
/// the study, and its gaps between evaluations; 0: none.
class shared_numbers {
public:
    shared_numbers(std::size_t processes, std::size_t evaluations)
        : columns_(evaluations)
        , bytes_(2 * processes * evaluations * sizeof(double))
    {
        void* const at =
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::runtime_error("no memory for the processes");
        at_ = static_cast<double*>(at);
    }
    ~shared_numbers() { ::munmap(at_, bytes_); }
    shared_numbers(shared_numbers const&) = delete;
    shared_numbers& operator=(shared_numbers const&) = delete;
    [[nodiscard]] double& known_s(std::size_t process, std::size_t number) const
    {
        return at_[2 * process * columns_ + number];
    }
    [[nodiscard]] double& gap_s(std::size_t process, std::size_t number) const
    {
        return at_[(2 * process + 1) * columns_ + number];
    }

private:
    std::size_t columns_;
    std::size_t bytes_;
    double* at_ = nullptr;
};

void take_part(arguments const& given, attune::study const& here, shared_numbers const& numbers,
               std::size_t process)
{
    attune::study_options options;
    options.limits = {.evaluations = given.evaluations};
    options.minimize.search = attune::search_with<attune::random_searcher>();
    options.minimize.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated && p.evaluation <= given.evaluations)
            numbers.known_s(process, p.evaluation - 1) = attune::detail::steady_seconds();
    };
    double ended_s = 0;
    std::size_t own = 0;
    auto const objective = [&](auto const& c) {
        double const begun_s = attune::detail::steady_seconds();
        if (ended_s > 0 && own < given.evaluations)
            numbers.gap_s(process, own++) = begun_s - ended_s;
        std::this_thread::sleep_for(std::chrono::milliseconds(given.milliseconds));
        ended_s = attune::detail::steady_seconds();
        double const dx = c[x] - 100;
        double const dy = c[y] - 200;
        return dx * dx + dy * dy;
    };
    static_cast<void>(attune::minimize_over(here, space, objective, options));
}

void measure(arguments const& given)
{
    attune::study const here{given.folder, "bench_study_" + std::to_string(::getpid())};
    shared_numbers const numbers(given.processes, given.evaluations);
    for (std::size_t process = 0; process < given.processes; ++process) {
        ::pid_t const child = ::fork();
        if (child < 0) throw std::runtime_error("no process can be made");
        if (child > 0) continue;
        int code = 1;
        try {
            take_part(given, here, numbers, process);
            code = 0;
        } catch (std::exception const& thrown) {
            std::fprintf(stderr, "%s\n", thrown.what());
        }
        ::_exit(code);
    }
    bool all_worked = true;
    for (int status = 0; ::wait(&status) > 0;)
        all_worked = all_worked && status == 0;
    std::filesystem::remove(std::filesystem::path(here.folder) / (here.name + ".study"));
    if (!all_worked) throw std::runtime_error("a process failed");

    std::vector<double> gaps, seen;
    for (std::size_t number = 0; number < given.evaluations; ++number) {
        double first = numbers.known_s(0, number), last = first;
        for (std::size_t process = 0; process < given.processes; ++process) {
            first = std::min(first, numbers.known_s(process, number));
            last = std::max(last, numbers.known_s(process, number));
            if (double const gap = numbers.gap_s(process, number); gap > 0) gaps.push_back(gap);
        }
        seen.push_back(last - first);
    }
    if (gaps.empty()) gaps.push_back(0);
    std::printf("study processes=%u outcomes=%u store_ms=%.3f store_max_ms=%.3f seen_s=%.4f "
                "seen_max_s=%.4f\n",
                given.processes, given.evaluations, 1e3 * bench::median(gaps),
                1e3 * *std::ranges::max_element(gaps), bench::median(seen),
                *std::ranges::max_element(seen));
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--folder", &given.folder},
                               {"--processes", &given.processes, 1},
                               {"--evaluations", &given.evaluations, 1},
                               {"--milliseconds", &given.milliseconds, 0}});
        measure(given);
        return 0;
    });
}
