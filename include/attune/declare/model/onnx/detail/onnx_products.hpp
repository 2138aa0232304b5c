// attune/declare/model/onnx/detail/onnx_products.hpp - matrix products, norms and recurrent layers.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>
#include <attune/declare/model/sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Whether input `i` is stored, as weights are.
[[nodiscard]] inline bool is_stored(onnx_layer const& at, std::size_t i)
{
    return at.has(i) && !at.flows(i);
}

inline void read_matmul(onnx_layer& at)
{
    if (is_stored(at, 1) && at.rank(1) == 2 && at.rank(0) >= 2) {
        model::tensor const x = at.tensor(0);
        model::quantity const units = at.replaced("units").value_or(at.shape(1)[1]);
        onnx_value const weights = at.operand(1, {x.shape().back(), units});
        at.set(0, at.finish(model::dense(x, units, {.bias = false}), {weights}));
        return;
    }
    std::vector<model::tensor> const x = at.tensors();
    product_shape made = shape_of_product(x.front(), at.shape(0), at.shape(1));
    model::quantity const products = product_of(made.shape) * made.inner;
    model::tensor const y =
        x.size() == 2 && at.input_count() == 2
            ? model::matmul(x[0], x[1])
            : model::apply("matmul", x, {.shape = made.shape, .multiply_adds = products});
    at.set(0, at.finish(y, at.constants()));
}

/// Input 2 of Gemm, whose extents are those of the product, or 1 where they are repeated.
[[nodiscard]] inline onnx_value added_operand(onnx_layer const& at, quantities const& product)
{
    quantities expected = at.shape(2);
    if (expected.size() > product.size())
        at.refuse("its input 2 has " + std::to_string(expected.size()) + " axes, not 2 at most",
                  "export the model again");
    for (std::size_t i = 0; i < expected.size(); ++i) {
        model::quantity& own = expected[i];
        model::quantity const& made = product[product.size() - expected.size() + i];
        if (own.constant() == 1) continue;
        if (own.constant() || own.is_same(made))
            own = made;
        else
            at.require(own == made || own == 1, "its input 2 has the extent " + own.name() +
                                                    ", where the layer has " + made.name());
    }
    return at.operand(2, expected);
}

inline void read_gemm(onnx_layer& at)
{
    for (std::size_t i = 0; i < 2; ++i)
        if (at.rank(i) != 2)
            at.refuse("its input " + std::to_string(i) + " has " + std::to_string(at.rank(i)) +
                          " axes, not 2",
                      "export the model again");
    bool const is_a_turned = at.integer("transA", 0) != 0;
    bool const is_b_turned = at.integer("transB", 0) != 0;
    model::quantity const units = at.replaced("units").value_or(at.shape(1)[is_b_turned ? 0 : 1]);
    model::quantity const rows = at.shape(0)[is_a_turned ? 1 : 0];
    model::quantity const inner = at.shape(0)[is_a_turned ? 0 : 1];
    quantities const factor = is_b_turned ? quantities{units, inner} : quantities{inner, units};
    std::vector<onnx_value> operands{at.operand(1, factor)};
    if (at.has(2)) operands.push_back(added_operand(at, {rows, units}));
    std::vector<model::tensor> const x = at.tensors();
    if (at.flows(0) && !is_a_turned && is_stored(at, 1)) {
        at.set(0, at.finish(model::dense(at.tensor(0), units, {.bias = at.has(2)}), operands));
        return;
    }
    if (is_stored(at, 0)) operands.push_back(at.input(0));
    at.set(0,
           at.finish(model::apply("gemm", x,
                                  {.shape = {rows, units}, .multiply_adds = rows * inner * units}),
                     operands));
}

inline void read_batch_norm(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    model::tensor const y = model::batch_norm(x);
    std::vector<onnx_value> operands;
    for (std::size_t i = 1; i < 5; ++i)
        operands.push_back(at.operand(i, {x.extent(1)}));
    at.set(0, at.finish(y, operands, 2));
}

inline void read_instance_norm(onnx_layer& at)
{
    if (at.rank(0) < 3)
        at.refuse("its input has " + std::to_string(at.rank(0)) + " axes, not 3 or more",
                  "export the model again");
    model::tensor const x = at.tensor(0);
    model::tensor const y = model::layer_norm(x);
    at.set(0, at.finish(y, {at.operand(1, {x.extent(1)}), at.operand(2, {x.extent(1)})}));
}

inline void read_layer_norm(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::size_t const axis = at.axis(at.integer("axis", -1), x.rank());
    model::tensor const y = model::layer_norm(x);
    quantities const of(x.shape().begin() + static_cast<std::ptrdiff_t>(axis), x.shape().end());
    std::vector<onnx_value> operands{at.operand(1, of)};
    if (at.has(2)) operands.push_back(at.operand(2, of));
    at.set(0, at.finish(y, operands));
    for (std::size_t i = 1; i < 3; ++i) { // mean and deviation
        if (!at.wants(i)) continue;
        quantities shape = x.shape();
        for (std::size_t a = axis; a < shape.size(); ++a)
            shape[a] = 1;
        at.set(i,
               model::apply("moments", {y}, {.shape = shape, .inputs_read = model::quantity(0)}));
    }
}

/// LSTM and GRU: X is T x N x F, or N x T x F where layout is 1. Y is T x D x N x units.
inline void read_recurrent(onnx_layer& at)
{
    bool const is_lstm = at.node().op == "LSTM";
    std::int64_t const gates = is_lstm ? 4 : 3;
    for (std::size_t i = 0; i < 3; ++i)
        if (at.rank(i) != 3)
            at.refuse("its input " + std::to_string(i) + " has " + std::to_string(at.rank(i)) +
                          " axes, not 3",
                      "export the model again");
    bool const is_by_sample = at.integer("layout", 0) != 0;
    model::tensor const given = at.tensor(0);
    model::quantity const steps = given.extent(is_by_sample ? 1 : 0);
    model::quantity const samples = given.extent(is_by_sample ? 0 : 1);
    model::quantity const features = given.extent(2);
    model::quantity const units =
        at.replaced("hidden_size")
            .value_or(at.find("hidden_size") != nullptr ? at.integer("hidden_size", 0)
                                                        : at.shape(2).back());
    bool const is_both = at.text("direction", "forward") == "bidirectional";
    std::int64_t const directions = is_both ? 2 : 1;
    std::vector<onnx_value> operands{at.operand(1, {directions, gates * units, features}),
                                     at.operand(2, {directions, gates * units, units})};
    if (at.has(3)) operands.push_back(at.operand(3, {directions, 2 * gates * units}));
    quantities const state = is_by_sample ? quantities{samples, directions, units}
                                          : quantities{directions, samples, units};
    for (std::size_t i = 5; i < (is_lstm ? 7U : 6U); ++i)
        if (at.has(i)) operands.push_back(at.operand(i, state));
    bool const has_peepholes = is_lstm && at.has(7);
    if (has_peepholes) operands.push_back(at.operand(7, {directions, 3 * units}));

    model::recurrent const o{.units = units,
                             .bidirectional = is_both,
                             .biases = at.has(3) ? 2 : 0,
                             .returns_sequence = at.wants(0)};
    model::tensor const x =
        is_by_sample ? given : model::reshape(given, {samples, steps, features});
    model::tensor const made = is_lstm ? model::lstm(x, o) : model::gru(x, o);
    at.finish(made, operands);
    if (has_peepholes)
        made.graph().steps.back().cost.multiply_adds += 3 * samples * steps * directions * units;
    quantities sequence{steps, directions, samples, units};
    if (is_by_sample) sequence = {samples, steps, directions, units};
    model::tensor const y = model::reshape(made, o.returns_sequence ? sequence : state);
    if (o.returns_sequence) at.set(0, y);
    for (std::size_t i = 1; i < (is_lstm ? 3U : 2U); ++i) {
        if (!at.wants(i)) continue;
        at.set(i, i == 1 && !o.returns_sequence ? y : model::slice(y, state));
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
