// bench.measure.repeat : does tuning once more find as good a variant?
// SPDX-License-Identifier: MIT
//
//   bench/bench.measure.repeat [--runs 20] [--evaluations 60] [--kernels a,b]
//
// Fresh tunings of one kernel, each with another seed; a variant is compiled once for all of them.
// Then all distinct winners are timed in turns: that is their true time. Two lines
// per run, one at once, one in the end (evaluated_best tells whether its search came by the best
// winner of all), and in the last one the share of runs whose winner is within 2 % of that.
//
// What is asked about is measuring, not searching: the kernel is one whose best configuration a
// search finds each time when it is told true times (bench.measure.noise: exact_share). In the
// space of kmeans, say, the best one stands alone, and half of the searches miss it even so.
#include <attune/compile/clang.hpp>
#include <attune/measure/round_robin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/kernels.hpp"

namespace {

/// The Clang compiler, which compiles every variant once. Copies share what they know.
class remembering_compiler {
public:
    attune::compile_result compile(attune::kernel_source const& source, attune::variant const& v)
    {
        std::string const name = name_of(v);
        {
            std::scoped_lock const one(known_->lock);
            if (auto const at = known_->codes.find(name); at != known_->codes.end())
                return at->second;
        }
        attune::compile_result fresh = compiler_.compile(source, v);
        std::scoped_lock const one(known_->lock);
        return known_->codes.emplace(name, std::move(fresh)).first->second;
    }
    std::string identity() const { return compiler_.identity(); }

    /// The code of a configuration that was compiled before, in the words of a report.
    attune::callable code_of(std::string const& configuration) const
    {
        return std::get<attune::callable>(known_->codes.at(configuration));
    }
    std::size_t compiled() const { return known_->codes.size(); }

private:
    static std::string name_of(attune::variant const& v)
    {
        std::string out;
        for (attune::macro_definition const& m : v.macros)
            out += (out.empty() ? "" : " ") + m.name + '=' + m.value;
        return out;
    }

    struct memory {
        std::map<std::string, attune::compile_result> codes{};
        std::mutex lock{};
    };
    attune::clang_compiler compiler_{};
    std::shared_ptr<memory> known_ = std::make_shared<memory>();
};

struct arguments {
    std::uint32_t runs = 20;
    std::uint32_t evaluations = 60;
    std::string kernels = "batched_gemm";
};

template <class Kernel>
void run(arguments const& asked)
{
    Kernel problem;
    remembering_compiler const compiler;
    std::vector<attune::tuning_report> reports;
    std::vector<std::set<std::string>> evaluated(asked.runs);
    for (std::uint32_t i = 0; i < asked.runs; ++i) {
        attune::tuned tuned{Kernel::kernel(),
                            compiler,
                            attune::memory_store{},
                            {.limits = attune::budget::of_evaluations(asked.evaluations),
                             .seed = i + 1,
                             .progress = [&seen = evaluated[i]](attune::progress const& p) {
                                 if (p.event == attune::progress_event::evaluated)
                                     seen.insert(p.text);
                             }}};
        problem.call(tuned);
        reports.push_back(tuned.report());
        attune::tuning_report const& r = reports.back();
        std::printf("repeat run=%u speedup=%.2f ties=%zu drift=%.3f resolution=%.4f seconds=%.1f "
                    "configuration=\"%s\"\n",
                    i + 1,
                    r.speedup,
                    r.ties.size(),
                    r.noise.drift,
                    r.noise.resolution,
                    r.elapsed_s,
                    r.configuration.c_str());
        std::fflush(stdout);
    }

    std::vector<std::string> winners;
    for (attune::tuning_report const& r : reports)
        if (std::find(winners.begin(), winners.end(), r.configuration) == winners.end())
            winners.push_back(r.configuration);
    std::vector<std::function<void()>> calls;
    for (std::string const& winner : winners)
        calls.emplace_back([&problem, code = compiler.code_of(winner)] {
            problem.call(*code.as<typename Kernel::signature>());
        });
    attune::round_times const truth = attune::round_robin(
        {}, calls, {.precision = 0.003, .clear_by = 0.05, .max_rounds = 400, .max_s = 30});
    std::size_t const best = truth.fastest();

    std::uint32_t good = 0;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        auto const at = std::find(winners.begin(), winners.end(), reports[i].configuration);
        double const loss =
            truth.ratio(best, static_cast<std::size_t>(at - winners.begin())).value - 1;
        good += loss <= 0.02 ? 1 : 0;
        std::printf("truth run=%zu loss=%.4f evaluated_best=%d\n",
                    i + 1,
                    loss,
                    evaluated[i].count(winners[best]) > 0 ? 1 : 0);
    }
    std::printf("total kernel=%s runs=%u share=%.2f within_2_percent=%u winners=%zu compiled=%zu\n",
                Kernel::name,
                asked.runs,
                static_cast<double>(good) / asked.runs,
                good,
                winners.size(),
                compiler.compiled());
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc,
                              argv,
                              {{"--runs", &asked.runs, 1},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--kernels", &asked.kernels}});
        bench::for_kernels_of(asked.kernels, [&]<class Kernel> { run<Kernel>(asked); });
        return 0;
    });
}
