// examples/networks/run.hpp - a network is tuned as a whole, run layer by layer, and compared.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/together.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "layers.hpp"
#include "request.hpp"
#include "steps.hpp"

namespace networks {

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
        for (step<> const& one : steps_)
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

    /// The largest difference of all layers to the plain nests.
    [[nodiscard]] double worst() const
    {
        double out = 0;
        for (std::size_t at = 0; at < steps_.size(); ++at)
            out = std::max(out, difference(steps_[at].result, plain_[at]));
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
        step<>& now = steps_[at_++];
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
    std::deque<step<>> steps_;              ///< spans of their results live on
    std::vector<std::vector<float>> plain_; ///< results
    std::vector<attune::tuning_share> shares_;
    std::tuple<tuned_layer<typename Times::layer>...> parts_;
    std::size_t at_ = 0;
    bool is_plain_ = true;
};

/// Milliseconds of one run.
struct latency {
    double median = 0; ///< over the repeats, of the mean of their runs
    double least = 0;
    double most = 0;
};

/// @pre  repeats and runs are at least 1
inline latency latency_ms(auto& of, std::size_t repeats, std::size_t runs)
{
    using clock = std::chrono::steady_clock;
    std::vector<double> all;
    of.run();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
        auto const begin = clock::now();
        for (std::size_t run = 0; run < runs; ++run)
            of.run();
        std::chrono::duration<double, std::milli> const took = clock::now() - begin;
        all.push_back(took.count() / static_cast<double>(runs));
    }
    std::sort(all.begin(), all.end());
    return {(all[(repeats - 1) / 2] + all[repeats / 2]) / 2, all.front(), all.back()};
}

/// Tunes, runs, compares and prints lines.
/// @return  what main() returns: 1 where a result is wrong
template <class Network>
int show(char const* name, request const& asked)
{
    double macs = 0;
    int calls = 0;
    Network::layers::for_each([&]<class Layer>(Layer, int count) {
        macs += count * Layer::macs;
        calls += count;
    });
    std::printf("%s: %d calls of %zu layers, %.3f G multiplications\n", name, calls,
                Network::layers::size, macs * 1e-9);
    network<Network> all(1);
    std::string const report = all.tune(asked.budget).summary();
    std::printf("%s\n", report.substr(report.rfind("together: ")).c_str());
    latency const ms = latency_ms(all, asked.repeats, asked.runs);
    std::printf("latency %.3f ms (%.3f to %.3f), median of %zu x %zu runs: %.1f GFLOP/s\n",
                ms.median, ms.least, ms.most, asked.repeats, asked.runs, 2e-6 * macs / ms.median);
    double const worst = all.worst();
    std::printf("%s: all results within %.1e of the plain nests'\n",
                worst < 1e-3 ? "right" : "wrong", worst);
    return worst < 1e-3 ? 0 : 1;
}

} // namespace networks
