// examples/networks/bert.hpp - the layers of BERT's encoder, and their order.
// SPDX-License-Identifier: MIT
// Source   Devlin et al. 2019, BERT-base: 12 blocks, 768 numbers a token, 12 heads
//
// Without embeddings, pooler and mask: all tokens of the sequence count.
#pragma once

#include "layers.hpp"

namespace networks {

template <int Tokens = 128, int Blocks = 12>
struct bert {
    static constexpr int input = Tokens * 768;

    using qkv = dense<"qkv", Tokens, 768, 3 * 768>; // queries, keys and values of 12 heads
    using score = scores<"score", Tokens, 12>;
    using attention = softmax<"attention", 12 * Tokens, Tokens>;
    using context = mixture<"context", Tokens, 12>;
    using output = dense_add<"output", Tokens, 768, 768>;
    using norm = layer_norm<"norm", Tokens, 768>;
    using widen = dense<"widen", Tokens, 768, 3072, after::gelu>;
    using narrow = dense_add<"narrow", Tokens, 3072, 768>;

    using layers = table<times<qkv, Blocks>, times<score, Blocks>, times<attention, Blocks>,
                         times<context, Blocks>, times<output, Blocks>, times<norm, 2 * Blocks>,
                         times<widen, Blocks>, times<narrow, Blocks>>;

    /// @param call  call(Layer{}, arrays...) runs a layer and returns its result
    static auto run(auto& call, auto x)
    {
        for (int block = 0; block < Blocks; ++block) {
            auto const a = call(qkv{}, x);
            auto const mixed = call(context{}, call(attention{}, call(score{}, a)), a);
            auto const y = call(norm{}, call(output{}, mixed, x));
            x = call(norm{}, call(narrow{}, call(widen{}, y), y));
        }
        return x;
    }
};

} // namespace networks
