// examples/networks/run.hpp - a network is tuned as a whole, run layer by layer, and compared.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/program/nest.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "layers.hpp"

namespace networks {

/// Numbers between -size and size, the same for equal seeds.
inline std::vector<float> some(std::size_t count, float size, std::uint64_t seed)
{
    std::vector<float> out(count);
    for (float& x : out) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x = size * (static_cast<float>(seed >> 40) * 0x1p-23f - 1);
    }
    return out;
}

/// One call of a layer: each has parameters of its own.
struct step {
    std::vector<std::vector<float>> parameters;
    std::vector<float> result;
};

/// Parameters that keep numbers as large as they are, drawn anew, and room for the result.
/// @param parameters  how many arrays of `layer` behind its first one
inline step make_step(attune::nest_description const& layer, int parameters, std::uint64_t seed)
{
    step out;
    for (std::size_t at = 0; at < layer.arrays.size(); ++at) {
        attune::nest_array const& array = layer.arrays[at];
        std::size_t count = 1;
        for (attune::nest_extent const& extent : array.extents)
            count *= static_cast<std::size_t>(extent.constant);
        if (array.role == attune::nest_role::written) out.result.resize(count);
        if (at == 0 || at > static_cast<std::size_t>(parameters)) continue;
        bool const is_matrix = array.extents.size() > 1; // summed over all but the last dimension
        auto const features = static_cast<double>(array.extents.back().constant);
        double const size = is_matrix ? std::sqrt(6 * features / static_cast<double>(count)) : 0.05;
        out.parameters.push_back(some(count, static_cast<float>(size), seed * 977 + at));
        if (array.name == "gain")
            for (float& x : out.parameters.back())
                x += 1;
    }
    return out;
}

/// A network with random parameters. The first run is that of the plain nests.
template <class Network, class Table = typename Network::layers>
class network;
template <class Network, class... Times>
class network<Network, table<Times...>> {
public:
    explicit network(std::uint64_t seed)
        : image_(some(Network::input, 1, seed))
        , seed_(seed)
    {
        Network::run(*this, std::span<float const>(image_));
        table<Times...>::for_each([&]<class Layer>(Layer, int count) {
            if (part<Layer>().calls != count)
                throw std::logic_error("a layer is called more or less often than its table says");
        });
        for (step const& one : steps_)
            plain_.push_back(one.result);
        is_plain_ = false;
    }
    network(network const&) = delete;
    network& operator=(network const&) = delete;

    attune::together_report tune(attune::search_limits const& budget)
    {
        return attune::tune_together(budget, shares_);
    }

    void run()
    {
        at_ = 0;
        Network::run(*this, std::span<float const>(image_));
    }

    /// Of all layers, the largest difference to the plain nests, over the layer's largest number;
    /// infinity where one of them is no number.
    [[nodiscard]] double worst() const
    {
        double out = 0;
        for (std::size_t at = 0; at < steps_.size(); ++at) {
            double largest = 0;
            double difference = 0;
            for (std::size_t x = 0; x < plain_[at].size(); ++x) {
                double const want = static_cast<double>(plain_[at][x]);
                double const apart = std::fabs(static_cast<double>(steps_[at].result[x]) - want);
                largest = std::max(largest, std::fabs(want));
                if (std::isnan(apart)) return std::numeric_limits<double>::infinity();
                difference = std::max(difference, apart);
            }
            if (difference > 0) out = std::max(out, difference / largest);
        }
        return out;
    }

    /// One call of a layer, for Network::run().
    /// @param before  what the layer before has computed; `other`: what others have
    template <class Layer>
    std::span<float const> operator()(Layer, std::span<float const> before, auto... other)
    {
        if (is_plain_)
            steps_.push_back(
                make_step(Layer::program.describe(), Layer::parameters, seed_ + steps_.size()));
        step& now = steps_[at_++];
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            auto const with = [&](auto&& function) {
                return function(before, now.parameters[At]..., other..., now.result);
            };
            tuned_layer<Layer>& mine = part<Layer>();
            if (!is_plain_) return with(mine.fast);
            with(Layer::program);
            if (mine.calls++ > 0) return;
            constexpr int count = table<Times...>::template count_of<Layer>;
            shares_.push_back(with([&](auto&&... arguments) {
                return attune::share(mine.fast, arguments...).calls(count);
            }));
        }(std::make_index_sequence<std::size_t{Layer::parameters}>());
        return now.result;
    }

private:
    template <class Layer>
    struct tuned_layer {
        using signature = typename decltype(Layer::program)::signature;
        attune::tuned<signature, attune::clang_compiler> fast{
            Layer::program.kernel(),
            attune::clang_compiler{},
            {.on_miss = attune::miss_policy::lookup_only}}; // the budget is that of all
        int calls = 0;                                      ///< in one run
    };
    template <class Layer>
    [[nodiscard]] tuned_layer<Layer>& part()
    {
        return std::get<tuned_layer<Layer>>(parts_);
    }

    std::vector<float> image_;
    std::uint64_t seed_;
    std::deque<step> steps_;                ///< spans of their results live on
    std::vector<std::vector<float>> plain_; ///< results
    std::vector<attune::tuning_share> shares_;
    std::tuple<tuned_layer<typename Times::layer>...> parts_;
    std::size_t at_ = 0;
    bool is_plain_ = true;
};

/// Median milliseconds of one run, over rounds of several runs each.
inline double latency_ms(auto& of, int rounds, int calls)
{
    using clock = std::chrono::steady_clock;
    std::vector<double> all;
    of.run();
    for (int round = 0; round < rounds; ++round) {
        auto const begin = clock::now();
        for (int call = 0; call < calls; ++call)
            of.run();
        std::chrono::duration<double, std::milli> const took = clock::now() - begin;
        all.push_back(took.count() / calls);
    }
    std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
    return all[static_cast<std::size_t>(rounds) / 2];
}

/// Tunes, runs, compares and prints lines.
/// @return  what main() returns: 1 where a result is wrong
template <class Network>
int show(char const* name, attune::search_limits const& budget)
{
    double macs = 0;
    int calls = 0;
    Network::layers::for_each([&]<class Layer>(Layer, int count) {
        macs += count * Layer::macs;
        calls += count;
    });
    std::printf("%s: %d calls of %zu layers, %.3f G multiplications\n",
                name,
                calls,
                Network::layers::size,
                macs * 1e-9);
    network<Network> all(1);
    std::string const report = all.tune(budget).summary();
    std::printf("%s\n", report.substr(report.rfind("together: ")).c_str());
    double const ms = latency_ms(all, 5, 2);
    std::printf(
        "latency %.3f ms, median of 5 rounds of 2 runs: %.1f GFLOP/s\n", ms, 2e-6 * macs / ms);
    double const worst = all.worst();
    std::printf("%s: all results within %.1e of the plain nests'\n",
                worst < 1e-3 ? "right" : "wrong",
                worst);
    return worst < 1e-3 ? 0 : 1;
}

/// Of an example's words: "full" [evaluations [seconds]].
struct words {
    words(int count, char** text)
        : is_full(count > 1 && std::string_view(text[1]) == "full")
    {
        if (count > 2) evaluations = std::strtoull(text[2], nullptr, 10);
        if (count > 3) seconds = std::strtod(text[3], nullptr);
    }
    bool is_full;
    std::uint64_t evaluations = 600;
    double seconds = 600;
};

} // namespace networks
