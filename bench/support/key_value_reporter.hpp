// bench/support/key_value_reporter.hpp - Google Benchmark's results as a name and key=value fields.
// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace bench {

/// Seconds of one iteration by "function/argument": medians over the repetitions. Wall time where
/// the function asks for it, else processor time.
using medians_by_name = std::map<std::string, double>;

/// One line per function, with its median, in nanoseconds.
class key_value_reporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(Context const&) override { return true; }

    void ReportRuns(std::vector<Run> const& runs) override
    {
        for (Run const& run : runs) {
            bool const is_median = run.run_type == Run::RT_Aggregate
                                       ? run.aggregate_name == "median"
                                       : run.repetitions == 1; // of one there is no aggregate
            if (!is_median) continue;
            std::string const& clock = run.run_name.time_type;
            bool const is_wall = clock.ends_with("real_time") || clock.ends_with("manual_time");
            std::string name = run.run_name.function_name;
            if (!run.run_name.args.empty()) name += '/' + run.run_name.args;
            double const in_a_second = benchmark::GetTimeUnitMultiplier(run.time_unit);
            double const seconds =
                (is_wall ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime()) / in_a_second;
            std::printf("%s %s_ns=%.2f", name.c_str(), is_wall ? "wall" : "cpu", 1e9 * seconds);
            for (auto const& [field, counter] : run.counters)
                std::printf(" %s=%.4g", field.c_str(), counter.value);
            std::printf("\n");
            medians[name] = seconds;
        }
        std::fflush(stdout);
    }

    medians_by_name medians;
};

/// read_arguments() of the words that are not flags of Google Benchmark. Each function runs several
/// times, in random interleaving, unless a flag says otherwise.
/// @param often        how often
/// @param often_named  an argument that sets it, too; or empty
inline void read_flags(int count, char** words, std::vector<argument> known, int often = 11,
                       std::string const& often_named = {})
{
    std::string often_flag = "--benchmark_repetitions=" + std::to_string(often);
    std::string order_flag = "--benchmark_enable_random_interleaving=true";
    std::string time_flag = "--benchmark_min_time=0.05";
    std::vector<char*> all{words[0], often_flag.data(), order_flag.data(), time_flag.data()};
    all.insert(all.end(), words + 1, words + count);
    int left = static_cast<int>(all.size());
    benchmark::Initialize(&left, all.data());
    int wanted = 0;
    if (!often_named.empty()) known.push_back({often_named, &wanted, 1});
    read_arguments(left, all.data(), known);
    if (wanted == 0) return;
    often_flag = "--benchmark_repetitions=" + std::to_string(wanted);
    all = {words[0], often_flag.data()};
    left = 2;
    benchmark::Initialize(&left, all.data());
}

/// Registers a function: each iteration is one call(state).
template <class Call>
auto* add(std::string const& name, Call call)
{
    return benchmark::RegisterBenchmark(name.c_str(), [call](benchmark::State& state) {
        for (auto _ : state)
            call(state);
    });
}

/// Runs what is registered.
/// @return  empty where a flag chose among them: a last line would be of a part
inline medians_by_name run()
{
    key_value_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    if (!benchmark::GetBenchmarkFilter().empty()) return {};
    return reporter.medians;
}

} // namespace bench
