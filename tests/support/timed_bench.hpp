// tests/support/timed_bench.hpp - a bench without clocks: every entry takes the time that a test says.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/bench.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune_test {

/// Nothing runs. What tests of decisions need: the same times on any machine, however busy it is.
struct time_script {
    std::map<void const*, double> seconds{}; ///< of one run, by entry
    double others = 0;   ///< seconds of entries that are not listed; 0: there are none
    double slowness = 1; ///< of the machine: a test may change it between two evaluations
    mutable std::size_t probes = 0; ///< samples of code of known time so far
};

class timed_bench : public attune::bench {
public:
    explicit timed_bench(time_script const& script)
        : script_(script)
    {
    }

    [[nodiscard]] attune::first_run_result establish(attune::callable const& trusted,
                                                     double limit_s) override
    {
        return first_run(trusted, limit_s);
    }
    [[nodiscard]] attune::first_run_result first_run(attune::callable const& tried, double) override
    {
        return seconds_of(tried);
    }
    [[nodiscard]] attune::outcome time(attune::callable const& tried, double, double,
                                       attune::timing_record& record) override
    {
        record = {.times = std::vector<double>(8, seconds_of(tried)), .clock = "script"};
        return attune::detail::estimate_of(record);
    }
    [[nodiscard]] std::variant<attune::round_times, std::size_t>
    compare(std::span<attune::callable const> tried, double) override
    {
        attune::round_times out{tried.size()};
        for (std::size_t i = 0; i < tried.size(); ++i)
            for (int round = 0; round < 40; ++round)
                out.add(i, seconds_of(tried[i]));
        return out;
    }
    [[nodiscard]] std::vector<attune::time_sample> sample(attune::callable const& known,
                                                          attune::timing_record const&,
                                                          std::size_t count, double) override
    {
        script_.probes += count;
        return std::vector<attune::time_sample>(count, {seconds_of(known), false});
    }
    [[nodiscard]] std::string protection() const override { return "nothing runs: scripted"; }

protected:
    [[nodiscard]] virtual double seconds_of(attune::callable const& code) const
    {
        auto const listed = script_.seconds.find(code.address);
        bool const is_other = listed == script_.seconds.end() && script_.others > 0;
        return (is_other ? script_.others : script_.seconds.at(code.address)) * script_.slowness;
    }

private:
    time_script const& script_;
};

/// For tuning_measuring::make_bench. @param script  outlives the benches
inline auto timed_by(time_script const& script)
{
    return [&script](attune::tuning_problem const&, attune::tuning_options const&) {
        return std::unique_ptr<attune::bench>(std::make_unique<timed_bench>(script));
    };
}

} // namespace attune_test
