// bench/search/small_layers.hpp - the layers that are recorded: one takes minutes.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "../support/names.hpp"
#include "../tune/program_layers.hpp"

namespace bench {

/// visit.operator()<Layer>() for each of those wanted; empty: for all.
/// Errors   std::runtime_error: there is no such layer
void for_each_small_layer(std::string const& wanted, auto&& visit)
{
    using namespace layers;
    using matmul_256 = matmul<"matmul_256", 256>;
    std::vector<std::string> names;
    auto const each = [&](auto&& use) {
        [&]<class... Layer>() {
            (use.template operator()<Layer>(), ...);
        }.template operator()<matmul_256, matmul_512, batched_matmul, conv_1x1, conv_28,
                              conv_bias_relu, depthwise, ffn_gelu>();
    };
    each([&]<class Layer>() { names.emplace_back(Layer::name); });
    require_known("--layers", wanted, names);
    each([&]<class Layer>() {
        if (is_in(wanted, Layer::name)) visit.template operator()<Layer>();
    });
}

} // namespace bench
