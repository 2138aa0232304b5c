// bench.field.live : a kernel whose variants are compiled and timed for a tuner in another process.
// SPDX-License-Identifier: MIT
//
//   bench/bench.field.live --kernel NAME [--evaluations N] [--seconds S] [--seed S] [--own]
//
// bench/field/field.py starts it, once a run. First it describes the space: a line `parameter NAME
// number|text VALUE...` each, `constraint TEXT` for each that has a text, and `valid I...` for each
// configuration (indices of values). Then come `default MS` and `ready`. After that it answers each
// line of stdin, the indices of a configuration, by `value MS` or `value failed`. It compiles and
// times the configuration as attune does. The end of stdin, or N evaluations beside the default,
// ends the tuning. With --own, attune's search takes the place of stdin, and a line `best MS S`
// follows each evaluation: the best time so far, and the seconds since `ready`. The last line is
// `final winner_ms= vs_expert= evaluations= pruned=`: the winner after attune's final, and the time
// of the expert's configuration over the winner's (interleaved; na: none is known).
#include <attune/compile/clang.hpp>
#include <attune/space/files/write_json.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/expert.hpp"
#include "../support/kernels.hpp"

namespace {

struct arguments {
    std::string kernel{};
    std::uint32_t evaluations = 1000;
    std::uint32_t seconds = 3600;
    std::uint64_t seed = 0;
    bool own = false; ///< attune's search instead of stdin
};

[[nodiscard]] double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// A value as one word.
std::string word_of(attune::parameter_description const& parameter, std::uint32_t index)
{
    std::string text = attune::text_of(parameter, {index, 0});
    std::erase(text, ' ');
    return text.empty() ? "\"\"" : text;
}

void describe(attune::chain_of_trees const& space)
{
    attune::description const& d = space.describe();
    for (attune::parameter_description const& p : d.parameters) {
        bool const is_number = !p.integers.empty() && p.labels.empty() && p.parts == 0;
        std::printf("parameter %s %s", p.name.c_str(), is_number ? "number" : "text");
        for (std::uint32_t i = 0; i < p.value_count(); ++i)
            std::printf(" %s", word_of(p, i).c_str());
        std::printf("\n");
    }
    for (attune::constraint_description const& c : d.constraints) {
        try {
            std::printf("constraint %s\n", attune::constraint_source(d, c).c_str());
        } catch (attune::error const&) { // a lambda: the valid configurations say the same
        }
    }
    std::uint64_t const count = static_cast<std::uint64_t>(space.size().value());
    for (std::uint64_t i = 0; i < count; ++i) {
        std::printf("valid");
        for (attune::coordinate const& c : space.at(i))
            std::printf(" %u", c.index);
        std::printf("\n");
    }
}

/// A searcher that proposes what stdin requests.
class of_stdin {
public:
    of_stdin(attune::chain_of_trees space, std::uint64_t)
        : space_(std::move(space))
    {
    }
    std::vector<attune::point> ask(std::size_t)
    {
        std::string line;
        if (!std::getline(std::cin, line)) return {};
        std::istringstream words(line);
        attune::point at;
        for (std::uint32_t index = 0; words >> index;)
            at.push_back({index, 0});
        if (at.size() != space_.describe().parameters.size() || !space_.contains(at)) {
            std::fprintf(stderr, "bench.field.live: '%s' is no configuration of the space\n",
                         line.c_str());
            return {};
        }
        asked_ = at;
        return {std::move(at)};
    }
    void tell(attune::point const& at, attune::outcome const& result)
    {
        if (at != asked_) return; // the default
        asked_.clear();
        auto const* const m = std::get_if<attune::measurement>(&result);
        if (m != nullptr)
            std::printf("value %.9g\n", m->value * 1e3);
        else
            std::printf("value failed\n");
        std::fflush(stdout);
    }
    void tell_bound(attune::point const& at, double value)
    {
        tell(at, attune::outcome(attune::measurement{.value = value}));
    }

private:
    attune::chain_of_trees space_;
    attune::point asked_{};
};

template <class Kernel>
void run(arguments const& asked)
{
    Kernel problem;
    attune::clang_compiler const compiler;
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    describe(attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {}));
    double begin_s = 0;
    std::uint32_t pruned = 0;
    attune::tuning_options options{
        .limits = {.evaluations = asked.evaluations + 1,
                   .seconds = static_cast<double>(asked.seconds)},
        .search = {.seed = asked.seed},
        .progress = [&](attune::progress const& p) {
            pruned = p.pruned;
            if (p.event != attune::progress_event::evaluated) return;
            if (begin_s == 0) {
                std::printf("default %.9g\nready\n", p.default_value * 1e3);
                begin_s = now_s();
            } else if (asked.own) {
                std::printf("best %.9g %.6f\n", p.best_value * 1e3, now_s() - begin_s);
            }
            std::fflush(stdout);
        }};
    if (!asked.own) {
        options.search.strategy = attune::search_with<of_stdin>();
        options.compile_ahead = 0; // each outcome is known before the next request
    }
    attune::tuned tuned{Kernel::kernel(), compiler, options};
    problem.call(tuned);
    attune::tuning_report const report = tuned.report();
    auto const beside = bench::beside_expert(problem, compiler, tuned);
    std::printf("final winner_ms=%.6g vs_expert=", report.best.value * 1e3);
    if (beside)
        std::printf("%.3f", beside->ratio);
    else
        std::printf("na");
    std::printf(" evaluations=%u pruned=%u\n", report.evaluations, pruned);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--kernel", &asked.kernel},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--seconds", &asked.seconds, 1},
                               {"--seed", &asked.seed},
                               {"--own", &asked.own}});
        if (asked.kernel.empty()) throw std::runtime_error("--kernel NAME is missing");
        bench::for_kernels_of(asked.kernel, [&]<class Kernel> { run<Kernel>(asked); });
        return 0;
    });
}
