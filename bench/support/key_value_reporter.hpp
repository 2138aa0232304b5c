// bench/support/key_value_reporter.hpp - Google Benchmark's results as a name and key=value fields.
// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

/// One line per benchmark: its median over the repetitions, in nanoseconds of processor time.
class key_value_reporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(Context const&) override { return true; }

    void ReportRuns(std::vector<Run> const& runs) override
    {
        for (Run const& run : runs) {
            if (run.run_type != Run::RT_Aggregate || run.aggregate_name != "median") continue;
            std::printf("%s cpu_ns=%.2f", run.run_name.function_name.c_str(),
                        run.GetAdjustedCPUTime());
            for (auto const& [name, counter] : run.counters)
                std::printf(" %s=%.4g", name.c_str(), counter.value);
            std::printf("\n");
        }
        std::fflush(stdout);
    }
};

/// Runs what is registered, each eleven times in random interleaving.
/// @return  for main(): 2 when an argument is not known
inline int run(int argc, char** argv)
{
    std::vector<std::string> given(argv, argv + argc);
    given.insert(given.begin() + 1,
                 {"--benchmark_repetitions=11", "--benchmark_enable_random_interleaving=true",
                  "--benchmark_min_time=0.05"});
    std::vector<char*> arguments;
    for (std::string& argument : given)
        arguments.push_back(argument.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
    key_value_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
}

} // namespace bench
