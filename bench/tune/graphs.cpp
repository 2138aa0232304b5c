// bench.tune.graphs : random graphs of statements, tuned, beside their plain nest compiled by clang++ -Ofast.
// SPDX-License-Identifier: MIT
//
//   bench/bench.tune.graphs [--graphs N] [--timed N] [--evaluations N] [--seconds S] [--seed S]
//
// `graphs` programs of one to five statements, with odd and small extents, are computed in three
// configurations each and compared with their statements. `timed` larger ones are tuned; then the
// winner and the plain nest, one function of clang++ -Ofast -march=native, run in turns. A line for
// each: vs_plain is the time of the plain nest over the winner's; low is the lower end of its 95 %
// interval over rounds, high the upper one. Last line: the geometric mean of vs_plain, the worst,
// and the number of graphs with a wrong result. worst_vs_plain takes the interval's upper end,
// where that lies below 1: a graph is slower only beyond the noise. Graphs whose plain nest takes
// less than 5 us are not timed: attune tunes no call of less than a microsecond.
#define DOCTEST_CONFIG_DISABLE
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/core/random.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../tests/support/nest_runner.hpp"
#include "../../tests/support/random_graph.hpp"
#include "../support/arguments.hpp"
#include "../support/pin.hpp"
#include "contest.hpp"
#include "program_tuning.hpp"

namespace {

struct arguments {
    std::uint32_t graphs = 2000;
    std::uint32_t timed = 200;
    std::uint32_t evaluations = 20;
    std::uint32_t seconds = 6;
    std::uint32_t seed = 0;
};

/// Computes graphs in three configurations each.
/// @return  the number of graphs with a wrong result
std::size_t wrong_graphs(arguments const& asked)
{
    std::size_t wrong = 0;
    constexpr std::uint32_t at_once = 40;
    for (std::uint32_t from = 0; from < asked.graphs; from += at_once) {
        std::vector<support::nest_batch> each;
        support::nest_batch all;
        for (std::uint32_t s = from; s < std::min(from + at_once, asked.graphs); ++s) {
            std::uint64_t const seed = asked.seed + s;
            support::random_nest const drawn =
                support::graph_generator(seed, 1, 33, seed % 3 == 0).make();
            attune::derived_space const derived(drawn.nest, support::small_processor());
            attune::chain_of_trees const space(derived.describe());
            attune::random_engine draw(seed);
            support::nest_batch& own = each.emplace_back();
            for (int c = 0; c < 3; ++c) {
                attune::loop_program const program = derived.schedule(space.sample(draw)).program;
                std::string const label = "// seed " + std::to_string(seed) + '\n';
                all.add(program, drawn.nest, drawn.inputs, label);
                own.add(program, drawn.nest, drawn.inputs, label);
            }
        }
        if (all.run().empty()) continue;
        for (std::size_t g = 0; g < each.size(); ++g) {
            std::string const said = each[g].run();
            if (said.empty()) continue;
            ++wrong;
            std::printf("wrong seed=%zu %s\n", asked.seed + from + g, said.substr(0, 300).c_str());
        }
    }
    return wrong;
}

using graph_signature = void(std::span<float const>, std::span<float>);

/// A graph whose arguments lie in two arrays: what it reads, and what it writes.
class timed_graph {
public:
    explicit timed_graph(attune::nest_description nest)
        : nest_(std::move(nest))
    {
        for (attune::nest_array& array : nest_.arrays) {
            array.has_row_stride = false;
            if (array.role == attune::nest_role::temporary) continue;
            std::size_t count = 1;
            for (attune::nest_extent const& extent : array.extents)
                count *= static_cast<std::size_t>(extent.constant);
            bool const is_read = array.role == attune::nest_role::read;
            std::size_t& size = is_read ? in_ : out_;
            places_.push_back({is_read, size, count});
            size += (count + 15) / 16 * 16; // a cache line each
        }
    }
    [[nodiscard]] std::size_t in() const noexcept { return in_; }
    [[nodiscard]] std::size_t out() const noexcept { return out_; }

    [[nodiscard]] attune::kernel<graph_signature> kernel() const
    {
        attune::detail::program_text text;
        text.nest = nest_;
        text.signature.function = nest_.name;
        for (std::size_t a = 0, p = 0; a < nest_.arrays.size(); ++a) {
            if (nest_.arrays[a].role == attune::nest_role::temporary) continue;
            text.arguments.push_back(a);
            text.signature.arguments.push_back(places_[p++].is_read ? "std::span<float const>"
                                                                    : "std::span<float>");
        }
        attune::detail::program_kernel made = attune::detail::kernel_of(text, {});
        made.source.generator = attune::detail::with_appended(made.source.generator, entry());
        attune::kernel<graph_signature> out{"all", std::move(made.source), made.space};
        out.any_alignment();
        out.tolerate<1>({.relative = 1e-3});
        return out;
    }

    /// The plain nest as a function of the same arguments, by clang++ -Ofast.
    [[nodiscard]] void (*plain(std::string const& clang,
                               attune::detail::temporary_folder const& folder) const)(float const*,
                                                                                      float*)
    {
        static int number = 0;
        std::string text = attune::write_program(attune::plain_program(nest_));
        text += "extern \"C\" void plain(float const* in, float* out) { " + nest_.name + '(';
        for (std::size_t p = 0; p < places_.size(); ++p)
            text += (p == 0 ? "" : ", ") + pointer(places_[p]);
        text += "); }\n";
        std::string const name = "plain" + std::to_string(number++);
        std::string const source = folder.write(name + ".cpp", text);
        std::string const object = folder.path() + '/' + name + ".so";
        auto const done =
            attune::detail::run_process({clang, "-std=c++17", "-Ofast", "-march=native", "-shared",
                                         "-fPIC", "-w", source, "-o", object},
                                        120);
        void* const library =
            done.succeeded() ? ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (library == nullptr) throw std::runtime_error("the plain nest: " + done.output);
        return reinterpret_cast<void (*)(float const*, float*)>(::dlsym(library, "plain"));
    }

private:
    struct place {
        bool is_read;
        std::size_t first;
        std::size_t count;
    };
    [[nodiscard]] static std::string pointer(place const& of)
    {
        return (of.is_read ? "in + " : "out + ") + std::to_string(of.first);
    }
    [[nodiscard]] std::string entry() const
    {
        std::string out = "void all(attune_span<float const> in_, attune_span<float> out_)\n{\n"
                          "    float const* const in = in_.data();\n"
                          "    float* const out = out_.data();\n    " +
                          nest_.name + '(';
        for (std::size_t p = 0; p < places_.size(); ++p)
            out += std::string(p == 0 ? "" : ", ") +
                   (places_[p].is_read ? "attune_span<float const>{" : "attune_span<float>{") +
                   pointer(places_[p]) + ", " + std::to_string(places_[p].count) + '}';
        return out + ");\n}\n";
    }

    attune::nest_description nest_;
    std::vector<place> places_;
    std::size_t in_ = 0;
    std::size_t out_ = 0;
};

/// The ratio of the medians of rounds, with the interval of the median of paired ratios.
struct compared {
    double ratio = 1;
    double low = 1;
    double high = 1;
    double ours_s = 0;
    double plain_s = 0;
};

compared compare(std::vector<bench::contestant> const& both)
{
    constexpr std::size_t rounds = 31;
    auto const seconds = bench::contest_rounds(both, rounds, bench::calls_in(0.002, both));
    std::vector<double> ratios;
    for (std::size_t r = 0; r < rounds; ++r)
        ratios.push_back(seconds[1][r] / seconds[0][r]);
    std::sort(ratios.begin(), ratios.end());
    // Ranks of the 95 % interval of the median of 31.
    return {ratios[rounds / 2], ratios[9], ratios[21], bench::median(seconds[0]),
            bench::median(seconds[1])};
}

int run_all(arguments const& asked)
{
    bench::pin_to_one_core();
    std::size_t wrong = wrong_graphs(asked);
    std::string const clang = support::nest_batch::compiler();
    attune::detail::temporary_folder const folder;
    double logs = 0;
    double worst = 1e9;
    std::uint32_t timed = 0;
    for (std::uint64_t seed = asked.seed + 1'000'000; timed < asked.timed; ++seed) {
        attune::nest_description const nest =
            support::graph_generator(seed, 13, 200, false).make().nest;
        if (nest.arrays.front().element != attune::element_type::f32 || !nest.inputs.empty())
            continue;
        timed_graph const graph(nest);
        std::vector<float> in(graph.in());
        std::uint64_t state = seed;
        for (float& x : in) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x = static_cast<float>(state >> 40) * 0x1p-24f - 0.5f;
        }
        std::vector<float> out(graph.out());
        std::vector<float> plain_out(graph.out());
        auto const plain = graph.plain(clang, folder);
        if (bench::here("plain", [&] { plain(in.data(), plain_out.data()); }).seconds(50) < 5e-6)
            continue;
        auto const kernel = graph.kernel();
        attune::tuning_options options;
        options.limits.evaluations = asked.evaluations;
        options.limits.seconds = asked.seconds;
        options.search.seed = seed;
        options.progress = attune::silent_progress();
        attune::tuned code{kernel, bench::fresh_compiler(), options};
        code(in, out);
        plain(in.data(), plain_out.data());
        double largest = 1e-3;
        double difference = 0;
        for (std::size_t e = 0; e < out.size(); ++e) {
            largest = std::max(largest, std::fabs(static_cast<double>(plain_out[e])));
            double const here =
                std::fabs(static_cast<double>(out[e]) - static_cast<double>(plain_out[e]));
            difference = here <= difference ? difference : here; // also NaN
        }
        bool const is_wrong = !(difference <= 1e-3 * largest);
        wrong += is_wrong ? 1U : 0U;
        compared const now =
            compare({bench::here("winner", [&] { code(in, out); }),
                     bench::here("plain", [&] { plain(in.data(), plain_out.data()); })});
        ++timed;
        logs += std::log(now.ratio);
        worst =
            std::min(worst, now.high < 1 ? now.high : std::max(now.ratio, std::min(now.high, 1.0)));
        std::printf("graph seed=%llu statements=%zu ms=%.4f plain_ms=%.4f vs_plain=%.3f low=%.3f "
                    "high=%.3f wrong=%d %s\n",
                    static_cast<unsigned long long>(seed), nest.statements.size(), now.ours_s * 1e3,
                    now.plain_s * 1e3, now.ratio, now.low, now.high, is_wrong ? 1 : 0,
                    code.report().configuration.c_str());
        std::fflush(stdout);
    }
    std::printf("total graphs=%u timed=%u vs_plain=%.3f worst_vs_plain=%.3f wrong=%zu\n",
                asked.graphs, timed, timed > 0 ? std::exp(logs / timed) : 1.0,
                timed > 0 ? worst : 1.0, wrong);
    return wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--graphs", &asked.graphs},
                               {"--timed", &asked.timed},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--seconds", &asked.seconds, 1},
                               {"--seed", &asked.seed}});
        return run_all(asked);
    });
}
