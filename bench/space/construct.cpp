// bench/space/construct.cpp - how long spaces take to build, and what they weigh.
// SPDX-License-Identifier: MIT
//
// Run      bench.space.construct --spaces FILE [--repeat K]
//          FILE: a JSON list of spaces, see attune/space/files/read_json.hpp; K: builds of each,
//          default 5
// Prints   a line per space: combinations, valid configurations, trees, their nodes and bytes,
//          median milliseconds to build from the description in memory (reading the file is not in
//          it), megabytes in use at most while it is built, median microseconds per uniform sample,
//          per configuration of a number and per number of a configuration, and median milliseconds
//          of a flat loop nest that writes every valid configuration, where handwritten.hpp has
//          one; then the sum of the build times. After that the same of hard_spaces.hpp, with what
//          happened: `exact`, or `estimated` when the trees would have passed the default limits;
//          valid is then the estimate and its standard error.
// Note     processor time of one thread. `bytes` is 24 per edge (value, child, leaves before it)
//          and 16 per node, from the counts that trees offer; capacity not used is not in it.
// Exit     1 when a count is not the one that the file records, or a space cannot be built; 2 when
//          the file or an argument is wrong
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "handwritten_conv3d.hpp"
#include "hard_spaces.hpp"
#include "peak_memory.hpp"

namespace {

[[nodiscard]] std::string combinations(attune::description const& space)
{
    boost::multiprecision::cpp_int count = 1;
    for (attune::parameter_description const& p : space.parameters)
        if (p.kind != attune::parameter_kind::real) count *= p.value_count();
    return count.str();
}

/// Median seconds of a call, from batches long enough for the clock.
/// @param call  gets the number of the call and gives a number that depends on the work
template <class Call>
[[nodiscard]] double seconds_per_call(int batch, int repeats, Call const& call)
{
    std::vector<double> seconds;
    std::uint64_t seen = 0;
    for (int r = 0; r <= repeats; ++r) {
        double const begin = bench::thread_seconds();
        for (int i = 0; i < batch; ++i)
            seen += call(static_cast<std::size_t>(i));
        double const elapsed = bench::thread_seconds() - begin;
        if (r > 0) seconds.push_back(elapsed / batch);
    }
    return seen == ~std::uint64_t{0} ? 0
                                     : bench::median(seconds); // seen: so that nothing is left out
}

[[nodiscard]] double seconds_per_sample(attune::chain_of_trees const& chain, int repeats)
{
    attune::random_engine engine(1);
    return seconds_per_call(chain.is_exact() ? 2000 : 50, repeats, [&](std::size_t) {
        return std::uint64_t{chain.sample(engine).back().index};
    });
}

/// " ith_us=... index_of_us=..."
[[nodiscard]] std::string numbering(attune::chain_of_trees const& chain, int repeats)
{
    constexpr int batch = 2000;
    attune::random_engine engine(2);
    std::vector<attune::point> points;
    std::vector<attune::space_index> numbers;
    for (int i = 0; i < batch; ++i) {
        points.push_back(chain.sample(engine));
        numbers.push_back(*chain.index_of(points.back()));
    }
    double const ith_s = seconds_per_call(batch, repeats, [&](std::size_t i) {
        return std::uint64_t{chain.at(numbers[i]).back().index};
    });
    double const index_of_s = seconds_per_call(batch, repeats, [&](std::size_t i) {
        return static_cast<std::uint64_t>(chain.index_of(points[i])->leaf.front());
    });
    char text[64];
    std::snprintf(text, sizeof text, " ith_us=%.4f index_of_us=%.4f", 1e6 * ith_s,
                  1e6 * index_of_s);
    return text;
}

/// The exact number of valid configurations, or the estimate and its error.
[[nodiscard]] std::string count_of(attune::chain_of_trees const& chain)
{
    if (chain.is_exact()) return attune::exact_size(chain).str();
    attune::size_estimate const about = chain.estimated_size();
    char text[64];
    std::snprintf(text, sizeof text, "%.3g+-%.1f%%", std::exp2(about.log2),
                  100 * about.relative_error);
    return text;
}

/// Median milliseconds of the nest as text, or "na".
[[nodiscard]] std::string handwritten(std::string const& name, attune::description const& space,
                                      std::string const& valid, int repeats)
{
    bench::nest const nest = bench::nest_for(name);
    if (nest == nullptr) return "na";
    std::vector<double> seconds;
    for (int r = 0; r <= repeats; ++r) {
        bench::tables tables(space);
        double const begin = bench::thread_seconds();
        std::size_t const count = nest(tables);
        double const elapsed = bench::thread_seconds() - begin;
        // A file may give this name to another space.
        if (!tables.complete() || std::to_string(count) != valid) return "na";
        if (r > 0) seconds.push_back(elapsed);
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", 1e3 * bench::median(seconds));
    return text;
}

/// Prints the line of one space.  @return whether it was built and its counts are as recorded
/// @param is_hard  say what happened
[[nodiscard]] bool measure(attune::named_space const& read, int repeats, bool is_hard,
                           double& total_s)
{
    attune::description const space = attune::bind_inputs(read.space);
    std::vector<double> seconds;
    std::optional<attune::chain_of_trees> chain;
    std::size_t peak_bytes = 0;
    for (int r = 0; r < repeats; ++r) {
        chain.reset();
        bench::peak_memory const memory;
        double const begin = bench::thread_seconds();
        chain.emplace(space);
        seconds.push_back(bench::thread_seconds() - begin);
        peak_bytes = memory.bytes();
    }
    std::size_t nodes = 0;
    std::size_t edges = 0;
    for (std::size_t i = 0; i < chain->tree_count(); ++i) {
        nodes += chain->tree_at(i).node_count();
        edges += chain->tree_at(i).edge_count();
    }
    total_s += bench::median(seconds);
    std::string const cartesian = combinations(space);
    std::string const valid = count_of(*chain);
    std::printf("%s%s cartesian=%s valid=%s trees=%zu nodes=%zu bytes=%zu build_ms=%.4f "
                "peak_mb=%.3f sample_us=%.4f%s handwritten_ms=%s\n",
                read.name.c_str(),
                !is_hard            ? ""
                : chain->is_exact() ? " exact"
                                    : " estimated",
                cartesian.c_str(), valid.c_str(), chain->tree_count(), nodes,
                24 * edges + 16 * nodes, 1e3 * bench::median(seconds),
                1e-6 * static_cast<double>(peak_bytes), 1e6 * seconds_per_sample(*chain, repeats),
                chain->is_exact() ? numbering(*chain, repeats).c_str() : "",
                handwritten(read.name, space, valid, repeats).c_str());
    std::fflush(stdout);
    bool right = true;
    auto const check = [&](char const* what, std::string const& found,
                           std::string const& recorded) {
        if (recorded.empty() || recorded == found) return;
        std::fprintf(stderr, "%s: %s is %s, the file records %s\n", read.name.c_str(), what,
                     found.c_str(), recorded.c_str());
        right = false;
    };
    check("cartesian", cartesian, read.cartesian);
    if (chain->is_exact()) check("valid", valid, read.valid);
    return right;
}

/// Prints the lines of several spaces.  @return whether all are as recorded
[[nodiscard]] bool measure_all(std::vector<attune::named_space> const& spaces, int repeats,
                               bool is_hard, double& total_s)
{
    bool right = true;
    for (attune::named_space const& space : spaces) {
        try {
            right = measure(space, repeats, is_hard, total_s) && right;
        } catch (attune::error const& problem) {
            std::fprintf(stderr, "%s: %s\n", space.name.c_str(), problem.what());
            right = false;
        }
    }
    return right;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::string file;
        int repeats = 5;
        bench::read_arguments(argc, argv, {{"--spaces", &file}, {"--repeat", &repeats, 1}});
        if (file.empty()) throw std::runtime_error("--spaces FILE is needed");
        double total_s = 0;
        bool const right = measure_all(attune::read_spaces_file(file), repeats, false, total_s);
        std::printf("total build_ms=%.4f\n", 1e3 * total_s);
        double hard_s = 0;
        bool const built = measure_all(attune::read_spaces_json(bench::hard_spaces),
                                       std::min(repeats, 3), true, hard_s);
        return right && built ? 0 : 1;
    });
}
