// bench/tune/network_run.hpp - a network from its first layer to the last one, by tuned code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "../../examples/networks/layers.hpp"
#include "../../examples/networks/steps.hpp"
#include "../support/page_allocator.hpp"

namespace bench {

template <class Layer>
using layer_code =
    attune::tuned<typename decltype(Layer::program)::signature, attune::clang_compiler>;

/// The code of all layers, by one way to tune.
template <class Table>
class network_codes;
template <class... Times>
class network_codes<networks::table<Times...>> {
public:
    template <class Layer>
    [[nodiscard]] std::shared_ptr<layer_code<Layer>>& of()
    {
        return std::get<one<Layer>>(all_).code;
    }

private:
    template <class Layer>
    struct one {
        std::shared_ptr<layer_code<Layer>> code{};
    };
    std::tuple<one<typename Times::layer>...> all_{};
};

/// Each layer works on what the one before has computed; each call has parameters of its own, as in
/// a network that was trained. A network is one of examples/networks; its first run is that of the
/// plain nests.
template <class Network>
class network_run {
public:
    using codes = network_codes<typename Network::layers>;

    network_run()
        : image_(networks::some<page_vector<float>>(Network::input, 1, 1))
    {
        run(nullptr);
        for (step const& one : steps_)
            plain_.push_back(one.result);
    }
    network_run(network_run const&) = delete;
    network_run& operator=(network_run const&) = delete;

    /// @param by  has code for each layer; null: the plain nests
    void run(codes* by)
    {
        at_ = 0;
        by_ = by;
        Network::run(*this, std::span<float const>(image_));
    }

    /// The largest difference of all results of the last run to those of the plain nests.
    [[nodiscard]] double worst() const
    {
        double out = 0;
        for (std::size_t at = 0; at < steps_.size(); ++at)
            out = std::max(out, networks::difference(steps_[at].result, plain_[at]));
        return out;
    }

    /// One call of a layer, for Network::run().
    /// @param before  what the layer before has computed; `other`: what others have
    template <class Layer>
    std::span<float const> operator()(Layer, std::span<float const> before, auto... other)
    {
        if (at_ == steps_.size())
            steps_.push_back(networks::make_step<page_vector<float>>(
                Layer::program.describe(), Layer::parameters, 1 + steps_.size()));
        step& now = steps_[at_++];
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            auto const call = [&](auto&& code) {
                code(before, std::span<float const>(now.parameters[At])..., other...,
                     std::span<float>(now.result));
            };
            if (by_ == nullptr)
                call(Layer::program);
            else
                call(*by_->template of<Layer>());
        }(std::make_index_sequence<std::size_t{Layer::parameters}>());
        return now.result;
    }

private:
    using step = networks::step<page_vector<float>>;

    page_vector<float> image_;
    std::deque<step> steps_;                  ///< in the order of the calls
    std::vector<page_vector<float>> plain_{}; ///< results
    codes* by_ = nullptr;
    std::size_t at_ = 0;
};

} // namespace bench
