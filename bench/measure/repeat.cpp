// bench.measure.repeat : does tuning once more find as good a variant?
// SPDX-License-Identifier: MIT
//
//   bench/bench.measure.repeat [--runs 20] [--evaluations 60] [--kernels a,b]
//   bench/bench.measure.repeat --disturbed | --alone [--runs 10] [--evaluations 50]
//
// Fresh tunings of one kernel, each with another seed; a variant is compiled once for all of them.
// Then all distinct winners are timed in turns: that is their true time. Two lines
// per run, one at once, one in the end (evaluated_best tells whether its search came by the best
// winner of all), and in the last one the share of runs whose winner is within 2 % of that.
//
// What is asked about is measuring, not searching: the kernel is one whose best configuration a
// search finds each time when it is told true times (bench.measure.noise: exact_share). In the
// space of kmeans, say, the best one stands alone, and half of the searches miss it even so.
//
// --disturbed does the same with three kernels, beside a process that loads one core in bursts of
// 0.1 to 0.9 seconds; it ends before the winners are timed. A run is good where its winner is
// within 5 % of the best winner of all, told where it is not but its report says that the machine
// was disturbed. The last line counts both, and `said`: the runs whose report says so, good or not.
// --alone is that without the process: what a machine at rest is told to be.
#include <attune/compile/clang.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/random.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/pipeline/core_pin.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/kernels.hpp"

namespace {

/// The Clang compiler, which compiles every variant once. Copies share what they know.
class remembering_compiler {
public:
    attune::compile_result compile(attune::kernel_source const& source,
                                   attune::compile_request const& v)
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
    static std::string name_of(attune::compile_request const& v)
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
    std::uint32_t runs = 0;        ///< 0: 20, or 10 in the disturbed kind
    std::uint32_t evaluations = 0; ///< 0: 60, or 50
    std::string kernels{};         ///< empty: one, or three
    bool disturbed = false;
    bool alone = false;
    double near = 0.02; ///< a winner is good that is slower than the best one by no more
};

/// A process that keeps one core busy in bursts, until the end of this object. To be made before
/// any thread is.
class bursts {
public:
    bursts()
        : child_(::fork())
    {
        if (child_ == 0) burn();
        if (child_ < 0) throw std::runtime_error("no child process could be started");
    }
    ~bursts()
    {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    bursts(bursts const&) = delete;
    bursts& operator=(bursts const&) = delete;

private:
    [[noreturn]] static void burn()
    {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(attune::detail::allowed_processors().front()), &one);
        ::sched_setaffinity(0, sizeof one, &one);
        attune::random_engine engine(1);
        std::vector<double> memory(std::size_t{1} << 21, 1.0); // 16 MiB
        for (;;) {
            auto const tenths = [&] { return 0.1 + 0.8 * attune::uniform_unit(engine); };
            double const until_s = attune::detail::steady_seconds() + tenths();
            while (attune::detail::steady_seconds() < until_s)
                for (double& value : memory)
                    value = 0.5 * value + 1;
            ::usleep(static_cast<useconds_t>(1e6 * tenths()));
        }
    }

    pid_t child_;
};

struct tally {
    std::uint32_t runs = 0;
    std::uint32_t good = 0;
    std::uint32_t told = 0; ///< not good, but said to be disturbed
    std::uint32_t said = 0; ///< said to be disturbed
};

template <class Kernel>
void run(arguments const& asked, tally& all)
{
    std::optional<bursts> others;
    if (asked.disturbed) others.emplace();
    Kernel problem;
    remembering_compiler const compiler;
    std::vector<attune::tuning_report> reports;
    std::vector<std::set<std::string>> evaluated(asked.runs);
    for (std::uint32_t i = 0; i < asked.runs; ++i) {
        attune::tuned tuned{Kernel::kernel(),
                            compiler,
                            {.limits = {.evaluations = asked.evaluations},
                             .search = {.seed = i + 1},
                             .progress = [&seen = evaluated[i]](attune::progress const& p) {
                                 if (p.event == attune::progress_event::evaluated)
                                     seen.insert(p.text);
                             }}};
        problem.call(tuned);
        reports.push_back(tuned.report());
        attune::tuning_report const& r = reports.back();
        std::printf("repeat run=%u speedup=%.2f ties=%zu drift=%.3f resolution=%.4f "
                    "slow_share=%.2f slowdown=%.2f waited=%.2f unsure=%.3f seconds=%.1f "
                    "configuration=\"%s\"\n",
                    i + 1, r.speedup, r.ties.size(), r.noise.drift, r.noise.resolution,
                    r.noise.slow_share, r.noise.slowdown, r.noise.waited, r.noise.unsure,
                    r.elapsed_s, r.configuration.c_str());
        std::fflush(stdout);
    }
    others.reset();

    std::vector<std::string> winners;
    for (attune::tuning_report const& r : reports)
        if (std::find(winners.begin(), winners.end(), r.configuration) == winners.end())
            winners.push_back(r.configuration);
    std::vector<std::function<void()>> calls;
    for (std::string const& winner : winners)
        calls.emplace_back([&problem, code = compiler.code_of(winner)] {
            problem.call(*code.as<typename Kernel::signature>());
        });
    attune::round_times const truth = attune::time_in_turns(
        {}, calls, {.precision = 0.003, .clear_by = 0.05, .max_rounds = 400, .max_s = 30});
    std::size_t const best = truth.fastest();

    tally here;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        auto const at = std::find(winners.begin(), winners.end(), reports[i].configuration);
        double const loss =
            truth.ratio(best, static_cast<std::size_t>(at - winners.begin())).value - 1;
        bool const is_good = loss <= asked.near;
        bool const is_said = reports[i].noise.is_disturbed;
        here.good += is_good ? 1 : 0;
        here.told += !is_good && is_said ? 1 : 0;
        here.said += is_said ? 1 : 0;
        std::printf("truth run=%zu loss=%.4f said=%d evaluated_best=%d\n", i + 1, loss,
                    is_said ? 1 : 0, evaluated[i].count(winners[best]) > 0 ? 1 : 0);
    }
    std::printf("total kernel=%s runs=%u share=%.2f within_%.0f_percent=%u told=%u said=%u "
                "winners=%zu compiled=%zu\n",
                Kernel::name, asked.runs, static_cast<double>(here.good) / asked.runs,
                100 * asked.near, here.good, here.told, here.said, winners.size(),
                compiler.compiled());
    std::fflush(stdout);
    all.runs += asked.runs;
    all.good += here.good;
    all.told += here.told;
    all.said += here.said;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--runs", &asked.runs, 1},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--kernels", &asked.kernels},
                               {"--disturbed", &asked.disturbed},
                               {"--alone", &asked.alone}});
        bool const is_short = asked.disturbed || asked.alone;
        if (is_short) asked.near = 0.05;
        if (asked.runs == 0) asked.runs = is_short ? 10 : 20;
        if (asked.evaluations == 0) asked.evaluations = is_short ? 50 : 60;
        if (asked.kernels.empty())
            asked.kernels = is_short ? "batched_gemm,stencil2d,ttv" : "batched_gemm";
        tally all;
        bench::for_kernels_of(asked.kernels, [&]<class Kernel> { run<Kernel>(asked, all); });
        if (is_short)
            std::printf("total good=%u told=%u of=%u said=%u\n", all.good, all.told, all.runs,
                        all.said);
        return 0;
    });
}
