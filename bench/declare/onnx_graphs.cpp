// bench/declare/onnx_graphs.cpp - twenty ONNX graphs beside a second count and a real forward pass.
// SPDX-License-Identifier: MIT
//
// Run      bench.declare.onnx_graphs [--python python3] [--folder .]
//          --python: with onnx and onnxruntime, as the head of onnx_graphs.py says
//          --folder: where the graphs are written, one at a time, 0.6 GB at most
// Prints   A line per graph:
//          weights=, flops=  of the graph as read_onnx() reads it
//          vs_weights=, vs_flops=  those over the ones of onnx_count.py, which has the shapes that
//                   onnx infers
//          activation_mb=  network::activation_bytes() in MiB: the numbers that are held at the
//                   moment when they are most, inputs and outputs of the network to the end, as
//                   the caller of onnxruntime has them
//          peak_mb=  what a forward pass of onnxruntime allocates at most: see onnx_graphs.py
//          vs_peak=  activation_mb over peak_mb: a lower bound is at most 1
//          `total`: how many graphs have equal weights and equal flops; the largest vs_peak of all,
//          the smallest of those with at least 64 MiB of activations, large= of them
// Exit     1 when a count is another one, or vs_peak is above 1 or, of a large graph, below 0.9
// Note     minutes; the figures do not depend on time. onnxruntime 1.17.3 writes the results of
//          Add, Mul, Div, Sqrt and Erf, of a norm behind a transposed convolution and of an output
//          to memory of their own, where the bound overwrites an input: networks whose peak lies
//          there have a vs_peak below 0.9. The batches are such that they are none of the large.
#include <attune/declare/model/onnx/read_onnx.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "../support/arguments.hpp"
#include "../support/scratch_folder.hpp"

namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double large_mib = 64;

struct request {
    std::string python = "python3";
    std::string folder = ".";
};

/// What onnx_graphs.py says of a graph.
struct measured_graph {
    std::string name;
    std::int64_t weights = 0;
    std::int64_t flops = 0;
    std::int64_t peak_bytes = 0;
};

/// `word` as one word of a shell.
std::string quoted(std::string const& word)
{
    std::string out = "'";
    for (char const c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + '\'';
}

/// Calls `use` for each graph that the script writes to `folder`.
template <class Use>
void each_graph(std::string const& python, std::string const& folder, Use const& use)
{
    std::string const line = quoted(python) + ' ' + quoted(ATTUNE_BENCH_SCRIPTS "/onnx_graphs.py") +
                             ' ' + quoted(folder) + ' ' + quoted(ATTUNE_BENCH_COUNTED_ALLOCATIONS);
    std::FILE* const pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error(python + " does not start");
    std::array<char, 256> text{};
    while (std::fgets(text.data(), static_cast<int>(text.size()), pipe) != nullptr) {
        std::istringstream fields(text.data());
        measured_graph graph;
        if (fields >> graph.name >> graph.weights >> graph.flops >> graph.peak_bytes) use(graph);
    }
    if (::pclose(pipe) != 0)
        throw std::runtime_error(python + " failed; the head of onnx_graphs.py says what it needs");
}

std::int64_t number_of(attune::model::quantity const& q)
{
    if (!q.constant()) throw std::runtime_error(q.name() + " is no number");
    return *q.constant();
}

double ratio(std::int64_t a, std::int64_t b)
{
    return static_cast<double>(a) / static_cast<double>(b);
}

struct totals {
    std::size_t graphs = 0;
    std::size_t equal_weights = 0;
    std::size_t equal_flops = 0;
    std::size_t large = 0;
    double worst_above = 0;
    double worst_of_large = 1;
};

void compare(measured_graph const& graph, std::string const& path, totals& all)
{
    attune::onnx_network const read = attune::read_onnx_file(path);
    attune::model::network net = read.net;
    std::int64_t const weights = number_of(net.weights());
    std::int64_t const flops = number_of(net.flops());
    for (auto const& [name, x] : read.tensors)
        if (net.graph().tensors[x.number()].maker == attune::no_index) net.output(x);
    std::int64_t const bytes = number_of(net.activation_bytes());
    double const activation_mib = static_cast<double>(bytes) / mib;
    double const part = ratio(bytes, graph.peak_bytes);
    std::printf("graph %s weights=%lld vs_weights=%.9g flops=%lld vs_flops=%.9g "
                "activation_mb=%.2f peak_mb=%.2f vs_peak=%.4f\n",
                graph.name.c_str(), static_cast<long long>(weights), ratio(weights, graph.weights),
                static_cast<long long>(flops), ratio(flops, graph.flops), activation_mib,
                static_cast<double>(graph.peak_bytes) / mib, part);
    std::fflush(stdout);
    ++all.graphs;
    all.equal_weights += weights == graph.weights ? 1 : 0;
    all.equal_flops += flops == graph.flops ? 1 : 0;
    all.worst_above = std::max(all.worst_above, part);
    if (activation_mib < large_mib) return;
    ++all.large;
    all.worst_of_large = std::min(all.worst_of_large, part);
}

int run(request const& asked)
{
    bench::scratch_folder const folder(asked.folder);
    totals all;
    each_graph(asked.python, folder.path(), [&](measured_graph const& graph) {
        std::string const path = folder.path() + '/' + graph.name + ".onnx";
        compare(graph, path, all);
        std::filesystem::remove(path);
    });
    std::printf("total graphs=%zu equal_weights=%zu equal_flops=%zu worst_above=%.4f large=%zu "
                "worst_of_large=%.4f\n",
                all.graphs, all.equal_weights, all.equal_flops, all.worst_above, all.large,
                all.worst_of_large);
    bool const is_right = all.equal_weights == all.graphs && all.equal_flops == all.graphs &&
                          all.worst_above <= 1 && all.worst_of_large >= 0.9;
    return is_right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of("bench.declare.onnx_graphs", [&] {
        request asked;
        bench::read_arguments(argc, argv,
                              {{"--python", &asked.python}, {"--folder", &asked.folder}});
        return run(asked);
    });
}
