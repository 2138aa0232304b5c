// attune/declare/model/sequence.ipp - shapes and costs of recurrent layers and attention.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/sequence.hpp>

#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline void require_sequence(model::tensor const& x, std::string const& kind)
{
    if (x.rank() != 3)
        throw error(kind + " takes 3 axes, not " + std::to_string(x.rank()),
                    layer_place(x.graph(), kind),
                    "reshape its input to samples x steps x features");
}

[[nodiscard]] inline model::tensor recur(std::string const& kind, std::int64_t gates,
                                         model::tensor const& x, model::recurrent const& o)
{
    require_sequence(x, kind);
    model::require(x, kind, o.layers >= 1, "it has " + o.layers.name() + " layers");
    std::int64_t const directions = o.bidirectional ? 2 : 1;
    model::quantity const steps = x.extent(0) * x.extent(1);
    model::quantity const made = directions * o.units;
    model::quantity const of_gates = made * gates; // gates of all directions
    model::quantity const further = o.layers - 1;
    model::quantity const products =
        of_gates * (x.extent(2) + o.units) + further * of_gates * (made + o.units);
    std::vector<model::quantity> shape{x.extent(0)};
    if (o.returns_sequence) shape.push_back(x.extent(1));
    shape.push_back(made);
    return model::apply(kind, {x},
                        {.shape = std::move(shape),
                         .weights = products + o.layers * of_gates * o.biases,
                         .multiply_adds = steps * products,
                         .operations = steps * o.layers * made * (gates + 5)});
}

} // namespace detail

namespace model {

ATTUNE_INLINE tensor lstm(tensor const& x, recurrent const& options)
{
    return detail::recur("lstm", 4, x, options);
}

ATTUNE_INLINE tensor gru(tensor const& x, recurrent const& options)
{
    return detail::recur("gru", 3, x, options);
}

ATTUNE_INLINE tensor attention(tensor const& x, attention_options const& options)
{
    return attention(x, x, options);
}

ATTUNE_INLINE tensor attention(tensor const& x, tensor const& memory,
                               attention_options const& options)
{
    detail::require_sequence(x, "attention");
    detail::require_sequence(memory, "attention");
    if (!x.extent(0).is_same(memory.extent(0)))
        require(x, "attention", x.extent(0) == memory.extent(0),
                "its inputs have " + x.extent(0).name() + " and " + memory.extent(0).name() +
                    " samples");
    quantity const features = x.extent(2);
    quantity const source = memory.extent(2);
    if (!options.head_size)
        require(x, "attention", features % options.heads == 0,
                options.heads.name() + " heads do not divide " + features.name() + " features");
    quantity const inner =
        options.head_size ? options.heads * *options.head_size : features; // of all heads
    quantity const rows = x.extent(0) * x.extent(1);
    quantity const columns = x.extent(0) * memory.extent(1);
    quantity const pairs = rows * memory.extent(1);
    quantity const kernels = 2 * features * inner + 2 * source * inner;
    quantity const projected = inner * (rows + 2 * columns); // queries, keys and values
    quantity const scores = options.heads * pairs;
    std::vector<tensor> inputs{x};
    if (&memory.graph() != &x.graph() || memory.number() != x.number()) inputs.push_back(memory);
    return apply("attention", inputs,
                 {.shape = x.shape(),
                  .weights = options.bias ? kernels + 3 * inner + features : kernels,
                  .multiply_adds = 2 * rows * features * inner + 2 * columns * source * inner +
                                   2 * pairs * inner,
                  .operations = 5 * scores,
                  .scratch = options.keeps_scores ? projected + scores : projected});
}

} // namespace model

} // namespace attune::inline ATTUNE_ABI
