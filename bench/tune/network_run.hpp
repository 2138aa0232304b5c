// bench/tune/network_run.hpp - a network from its first layer to the last one, by tuned code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/page_allocator.hpp"

namespace bench {

/// Each layer works on what the one before has computed; each call has parameters of its own, as in
/// a network that was trained. Its type is one of examples/networks.
template <class Network>
class network_run {
public:
    network_run()
        : image_(Network::input)
    {
        fill(image_, 1);
    }
    network_run(network_run const&) = delete;
    network_run& operator=(network_run const&) = delete;

    /// The code of a layer.
    template <class Layer, class Code>
    void add(std::shared_ptr<Code> code)
    {
        static_assert(std::is_same_v<Code, code_of<Layer>>);
        codes_[Layer::program.describe().name] = std::move(code);
    }

    /// @pre  each layer of the network has code
    void run()
    {
        at_ = 0;
        Network::run(*this, std::span<float const>(image_));
    }

    /// One call of a layer, for Network::run().
    /// @param before  what the layer before has computed; `other`: what others have
    template <class Layer>
    std::span<float const> operator()(Layer, std::span<float const> before, auto... other)
    {
        if (at_ == steps_.size()) steps_.push_back(made<Layer>());
        step& now = steps_[at_++];
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            (*static_cast<code_of<Layer>*>(now.code))(
                before, std::span<float const>(now.parameters[At])..., other..., now.result);
        }(std::make_index_sequence<std::size_t{Layer::parameters}>());
        return now.result;
    }

private:
    template <class Layer>
    using code_of =
        attune::tuned<typename decltype(Layer::program)::signature, attune::clang_compiler>;

    struct step {
        void* code = nullptr;
        std::vector<page_vector<float>> parameters{};
        page_vector<float> result{};
    };

    /// Numbers between -size and size.
    void fill(page_vector<float>& out, double size)
    {
        for (float& x : out) {
            state_ = state_ * 6364136223846793005u + 1442695040888963407u;
            x = static_cast<float>(size) * (static_cast<float>(state_ >> 40) * 0x1p-23f - 1);
        }
    }

    /// Parameters that keep numbers as large as they are, so that no product ends at infinity or
    /// among numbers that the processor takes long for.
    template <class Layer>
    [[nodiscard]] step made()
    {
        step out;
        attune::nest_description const nest = Layer::program.describe();
        out.code = codes_.at(nest.name).get();
        for (std::size_t at = 0; at < nest.arrays.size(); ++at) {
            attune::nest_array const& array = nest.arrays[at];
            std::size_t count = 1;
            for (attune::nest_extent const& extent : array.extents)
                count *= static_cast<std::size_t>(extent.constant);
            if (array.role == attune::nest_role::written) out.result = page_vector<float>(count);
            if (at == 0 || at > static_cast<std::size_t>(Layer::parameters)) continue;
            bool const is_matrix = array.extents.size() > 1; // summed over all but the last one
            auto const features = static_cast<double>(array.extents.back().constant);
            page_vector<float>& drawn = out.parameters.emplace_back(count);
            fill(drawn, is_matrix ? std::sqrt(6 * features / static_cast<double>(count)) : 0.05);
            if (array.name == "gain")
                for (float& x : drawn)
                    x += 1;
        }
        return out;
    }

    std::uint64_t state_ = 1;
    page_vector<float> image_;
    std::map<std::string, std::shared_ptr<void>> codes_; ///< by the name of the layer
    std::deque<step> steps_;                             ///< in the order of the calls
    std::size_t at_ = 0;
};

} // namespace bench
