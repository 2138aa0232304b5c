// bench/space/construct.cpp - how long spaces take to build, and what they weigh.
// SPDX-License-Identifier: MIT
//
// Run      bench.space.construct --spaces FILE [--repeat K]
//          FILE: a JSON list of spaces, see attune/space/files/read_json.hpp; K: builds of each,
//          default
//          5
// Prints   a line per space: combinations, valid configurations, trees, their nodes and bytes,
//          median milliseconds to build from the description in memory (reading the file is not in
//          it), median microseconds per uniform sample, and median milliseconds of a flat loop nest
//          that writes every valid configuration, where handwritten.hpp has one; at the end the
//          sum.
// Note     processor time of one thread. `bytes` is 24 per edge (value, child, leaves before it)
//          and 16 per node, from the counts that trees offer; capacity not used is not in it.
// Exit     1 when a count is not the one that the file records, or a space cannot be built
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/exact_size.hpp>
#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../support/interleaved.hpp"
#include "handwritten_conv3d.hpp"

namespace {

[[nodiscard]] double median(std::vector<double> seconds)
{
    std::sort(seconds.begin(), seconds.end());
    std::size_t const middle = seconds.size() / 2;
    return seconds.size() % 2 != 0 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

[[nodiscard]] std::string combinations(attune::description const& space)
{
    boost::multiprecision::cpp_int count = 1;
    for (attune::parameter_description const& p : space.parameters)
        if (p.kind != attune::parameter_kind::real) count *= p.value_count();
    return count.str();
}

/// Median seconds of a sample, from batches long enough for the clock.
[[nodiscard]] double seconds_per_sample(attune::chain_of_trees const& chain, int repeats)
{
    constexpr int batch = 2000;
    attune::random_engine engine(1);
    std::vector<double> seconds;
    std::uint64_t seen = 0;
    for (int r = 0; r <= repeats; ++r) {
        double const begin = bench::thread_seconds();
        for (int i = 0; i < batch; ++i)
            seen += chain.sample(engine).back().index;
        double const elapsed = bench::thread_seconds() - begin;
        if (r > 0) seconds.push_back(elapsed / batch);
    }
    return seen == ~std::uint64_t{0} ? 0 : median(seconds); // seen: so that nothing is left out
}

/// Median milliseconds of the nest as text, or "na".
[[nodiscard]] std::string handwritten(std::string const& name,
                                      attune::description const& space,
                                      std::string const& valid,
                                      int repeats)
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
    std::snprintf(text, sizeof text, "%.4f", 1e3 * median(seconds));
    return text;
}

/// Prints the line of one space.  @return whether it was built and its counts are as recorded
[[nodiscard]] bool measure(attune::named_space const& read, int repeats, double& total_s)
{
    attune::description const space = attune::bind_inputs(read.space);
    std::vector<double> seconds;
    std::optional<attune::chain_of_trees> chain;
    for (int r = 0; r < repeats; ++r) {
        chain.reset();
        double const begin = bench::thread_seconds();
        chain.emplace(space);
        seconds.push_back(bench::thread_seconds() - begin);
    }
    std::size_t nodes = 0;
    std::size_t edges = 0;
    for (std::size_t i = 0; i < chain->tree_count(); ++i) {
        nodes += chain->tree_at(i).node_count();
        edges += chain->tree_at(i).edge_count();
    }
    total_s += median(seconds);
    std::string const cartesian = combinations(space);
    std::string const valid = attune::exact_size(*chain).str();
    std::printf("%s cartesian=%s valid=%s trees=%zu nodes=%zu bytes=%zu build_ms=%.4f "
                "sample_us=%.4f handwritten_ms=%s\n",
                read.name.c_str(),
                cartesian.c_str(),
                valid.c_str(),
                chain->tree_count(),
                nodes,
                24 * edges + 16 * nodes,
                1e3 * median(seconds),
                1e6 * seconds_per_sample(*chain, repeats),
                handwritten(read.name, space, valid, repeats).c_str());
    std::fflush(stdout);
    bool right = true;
    auto const check =
        [&](char const* what, std::string const& found, std::string const& recorded) {
            if (recorded.empty() || recorded == found) return;
            std::fprintf(stderr,
                         "%s: %s is %s, the file records %s\n",
                         read.name.c_str(),
                         what,
                         found.c_str(),
                         recorded.c_str());
            right = false;
        };
    check("cartesian", cartesian, read.cartesian);
    check("valid", valid, read.valid);
    return right;
}

} // namespace

int main(int argc, char** argv)
{
    std::string file;
    int repeats = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::string_view(argv[i]) == "--spaces") file = argv[i + 1];
        if (std::string_view(argv[i]) == "--repeat") repeats = std::atoi(argv[i + 1]);
    }
    if (file.empty() || repeats < 1) {
        std::fprintf(stderr, "usage: %s --spaces FILE [--repeat K]\n", argv[0]);
        return 2;
    }
    bool right = true;
    double total_s = 0;
    try {
        for (attune::named_space const& space : attune::read_spaces_file(file)) {
            try {
                right = measure(space, repeats, total_s) && right;
            } catch (attune::error const& problem) {
                std::fprintf(stderr, "%s: %s\n", space.name.c_str(), problem.what());
                right = false;
            }
        }
    } catch (attune::error const& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    std::printf("total build_ms=%.4f\n", 1e3 * total_s);
    return right ? 0 : 1;
}
