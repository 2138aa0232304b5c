// tests/declare/model/sequence.cpp - recurrent layers and attention against their parts.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/sequence.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/parameters.hpp>

#include <cstdint>
#include <doctest/doctest.h>

#include "../../support/quantity_value.hpp"

namespace model = attune::model;

TEST_CASE("an LSTM is four dense layers of input and state, at each step")
{
    model::network net("n");
    model::tensor const y = model::lstm(net.input({2, 7, 5}), {.units = 3});
    CHECK(y.elements().constant() == 2 * 7 * 3);
    model::network parts("p");
    for (int gate = 0; gate < 4; ++gate)
        model::dense(parts.input({2, 7, 5 + 3}), 3);
    CHECK(net.weights().constant() == parts.weights().constant());
    CHECK(net.multiply_adds().constant() == parts.multiply_adds().constant());
}

TEST_CASE("layers and directions of recurrent layers are what PyTorch stores")
{
    // torch.nn.LSTM(10, 20, 2): (4*20*10 + 4*20*20 + 2*80) + (4*20*20 + 4*20*20 + 2*80)
    model::network lstm("n");
    model::lstm(lstm.input({1, 1, 10}), {.units = 20, .layers = 2, .biases = 2});
    CHECK(lstm.weights().constant() == 5920);
    // torch.nn.GRU(10, 20, 2, bidirectional=True): 2*(3*20*(10+20)+120) + 2*(3*20*(40+20)+120)
    model::network gru("n");
    model::tensor const y = model::gru(
        gru.input({1, 4, 10}),
        {.units = 20, .layers = 2, .bidirectional = true, .biases = 2, .returns_sequence = false});
    CHECK(gru.weights().constant() == 2 * (60 * 30 + 120) + 2 * (60 * 60 + 120));
    CHECK(y.rank() == 2);
    CHECK(y.extent(1).constant() == 40);
}

TEST_CASE("a number of layers may be a parameter")
{
    constexpr auto layers = attune::integer<"LAYERS">(1, 4);
    model::network net("n");
    model::lstm(net.input({1, 6, 8}), {.units = 8, .layers = layers});
    for (std::int64_t n = 1; n <= 4; ++n)
        CHECK(attune_tests::value_of(net.weights(), {{"LAYERS", n}}) == n * 4 * (8 * 16 + 8));
}

TEST_CASE("attention is its projections and two products")
{
    model::network net("n");
    model::attention(net.input({2, 5, 12}), {.heads = 3});
    model::network parts("p");
    model::tensor const x = parts.input({2, 5, 12});
    auto const heads = [](model::tensor const& t) {
        return model::transpose(model::reshape(t, {2, 5, 3, 4}), {0, 2, 1, 3});
    };
    model::tensor const queries = heads(model::dense(x, 12));
    model::tensor const keys = model::transpose(heads(model::dense(x, 12)), {0, 1, 3, 2});
    model::tensor const values = heads(model::dense(x, 12));
    model::tensor const mixed = model::matmul(model::softmax(model::matmul(queries, keys)), values);
    model::dense(model::reshape(model::transpose(mixed, {0, 2, 1, 3}), {2, 5, 12}), 12);
    CHECK(net.weights().constant() == parts.weights().constant());
    CHECK(net.multiply_adds().constant() == parts.multiply_adds().constant());
}

TEST_CASE("attention over another sequence reads its features")
{
    model::network net("n", 1);
    model::attention(net.input({2, 5, 12}), net.input({2, 9, 7}),
                     {.heads = 3, .head_size = 8, .bias = false});
    CHECK(net.weights().constant() == 2 * 12 * 24 + 2 * 7 * 24);
    CHECK(net.multiply_adds().constant() ==
          2 * 5 * 12 * 24 * 2 + 2 * 9 * 7 * 24 * 2 + 2 * (2 * 5 * 9 * 24));
    // Both inputs, queries, keys and values, and the scores.
    CHECK(net.activation_bytes().constant() ==
          2 * 5 * 12 + 2 * 9 * 7 + 24 * (2 * 5 + 2 * 2 * 9) + 3 * 2 * 5 * 9);
}

TEST_CASE("attention over a tensor of another network is refused")
{
    model::network net("n");
    model::network other("other");
    CHECK_THROWS_AS(
        static_cast<void>(model::attention(net.input({1, 4, 6}), other.input({1, 4, 6}), {})),
        attune::error);
}
