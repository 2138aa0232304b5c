// tests/declare/model/layers.cpp - shapes and costs of layers without a window, by hand.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/layers.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../../support/quantity_value.hpp"

namespace model = attune::model;

TEST_CASE("dense acts on the last axis; a tied one stores its bias alone")
{
    model::network net("n", 1);
    model::tensor const y = model::dense(net.input({2, 3, 5}), 7);
    CHECK(y.extent(1).constant() == 3);
    CHECK(y.extent(2).constant() == 7);
    CHECK(net.weights().constant() == 5 * 7 + 7);
    CHECK(net.multiply_adds().constant() == 2 * 3 * 5 * 7);
    CHECK(net.bytes_moved().constant() == 30 + 42 + 42);
    model::network tied("t", 1);
    model::dense(tied.input({2, 3, 5}), 7, {.is_tied = true});
    CHECK(tied.weights().constant() == 7);
    CHECK(tied.bytes_moved().constant() == 30 + 42 + 42); // it still reads the kernel
}

TEST_CASE("an embedding stores its table and reads a row per index")
{
    model::network net("n", 1);
    CHECK(model::embedding(net.input({2, 6}), 1000, 16).elements().constant() == 2 * 6 * 16);
    CHECK(net.weights().constant() == 16'000);
    CHECK(net.flops().constant() == 0);
    CHECK(net.bytes_moved().constant() == 12 + 192 + 192);
}

TEST_CASE("matmul multiplies each row by each column")
{
    model::network net("n");
    CHECK(model::matmul(net.input({4, 2, 3}), net.input({4, 3, 5})).extent(2).constant() == 5);
    CHECK(net.multiply_adds().constant() == 4 * 2 * 3 * 5);
    CHECK_THROWS_AS(model::matmul(net.input({4, 2, 3}), net.input({4, 2, 5})), attune::error);
}

TEST_CASE("norms have weights per channel or per feature")
{
    model::network net("n");
    model::batch_norm(net.input({2, 6, 4, 4}));
    CHECK(net.weights().constant() == 12);
    CHECK(net.stored_numbers().constant() == 24);
    CHECK(net.flops().constant() == 2 * 2 * 6 * 16);
    model::network sequence("s");
    model::layer_norm(sequence.input({2, 6, 8}));
    CHECK(sequence.weights().constant() == 16);
}

TEST_CASE("shapes: flatten, reshape, transpose, upsample, concat")
{
    model::network net("n", 1);
    model::tensor const x = net.input({2, 3, 4, 5});
    CHECK(model::flatten(x).extent(1).constant() == 60);
    CHECK(model::reshape(x, {2, 12, 5}).extent(1).constant() == 12);
    CHECK(model::transpose(x, {0, 2, 3, 1}).extent(3).constant() == 3);
    CHECK(model::upsample(x, 2).elements().constant() == 4 * 120);
    CHECK(model::concat({x, x, net.input({2, 1, 4, 5})}).extent(1).constant() == 7);
    CHECK(model::concat({x, x}, 3).extent(3).constant() == 10);
    CHECK(net.weights().constant() == 0);
    CHECK(net.flops().constant() == 0);
    CHECK_THROWS_AS(model::transpose(x, {0, 1, 1, 2}), attune::error);
    CHECK_THROWS_AS(model::concat({x, net.input({2, 3, 4, 6})}), attune::error);
    CHECK_THROWS_AS(model::concat({}), attune::error);
}

TEST_CASE("a view moves no bytes and takes none")
{
    model::network net("n", 1);
    model::tensor const y = model::flatten(model::dense(net.input({2, 3, 4}), 4));
    model::dense(y, 1);
    CHECK(net.activation_bytes().constant() == 48);
    CHECK(net.bytes_moved().constant() == (24 + 20 + 24) + (24 + 13 + 2));
}

TEST_CASE("element by element, extents of 1 are repeated")
{
    model::network net("n");
    model::tensor const x = net.input({2, 3, 4});
    CHECK(model::add(x, net.input({1, 3, 4})).elements().constant() == 24);
    CHECK_THROWS_AS(model::add(net.input({1, 3, 4}), x), attune::error);
    CHECK_THROWS_AS(model::add(x, net.input({2, 3})), attune::error);
}

TEST_CASE("extents that differ for some configurations are a requirement of the network")
{
    constexpr auto units = attune::integer<"UNITS">(1, 9);
    model::network net("n");
    model::tensor const x = net.input({1, 4});
    model::add(model::dense(x, units), x); // valid where UNITS is 4
    auto const& needs = net.graph().requirements;
    auto const holds = [&](std::int64_t at) {
        for (auto const& r : needs)
            if (attune_tests::value_of(r.holds, {{"UNITS", at}}) == 0) return false;
        return true;
    };
    for (std::int64_t at = 1; at <= 9; ++at)
        CHECK(holds(at) == (at == 4));
}

TEST_CASE("matmul and broadcast_shape repeat extents of 1 as NumPy does")
{
    model::network net("n");
    model::tensor const x = net.input({4, 2, 3});
    auto const shape = [&](std::vector<model::quantity> const& a,
                           std::vector<model::quantity> const& b) {
        std::vector<std::int64_t> out;
        for (model::quantity const& extent : model::broadcast_shape(x, "add", {a, b}))
            out.push_back(*extent.constant());
        return out;
    };
    CHECK(shape({4, 2, 3}, {3}) == std::vector<std::int64_t>{4, 2, 3});
    CHECK(shape({2, 1}, {4, 1, 3}) == std::vector<std::int64_t>{4, 2, 3});
    CHECK(shape({}, {5}) == std::vector<std::int64_t>{5});
    CHECK(shape({}, {}).empty());
    CHECK_THROWS_AS(shape({2, 3}, {2, 4}), attune::error);
    CHECK(model::matmul(x, net.input({3, 5})).elements().constant() == 4 * 2 * 5);
    CHECK(model::matmul(net.input({7, 1, 2, 3}), net.input({4, 3, 5})).elements().constant() ==
          7 * 4 * 2 * 5);
    CHECK(model::matmul(x, net.input({3})).shape().size() == 2); // a column
    CHECK(model::matmul(net.input({2}), net.input({4, 2, 3})).elements().constant() == 4 * 3);
    CHECK_THROWS_AS(model::matmul(x, net.input({})), attune::error);
}

TEST_CASE("two extents that parameters decide fit where they are equal or one is 1")
{
    constexpr auto rows = attune::integer<"ROWS">(1, 3);
    constexpr auto columns = attune::integer<"COLUMNS">(1, 3);
    model::network net("n");
    auto const made = model::broadcast_shape(net.input({rows}), "add", {{rows}, {columns}});
    auto const& needs = net.graph().requirements;
    for (std::int64_t i = 1; i <= 3; ++i)
        for (std::int64_t j = 1; j <= 3; ++j) {
            attune_tests::parameter_values const at{{"ROWS", i}, {"COLUMNS", j}};
            bool holds = true;
            for (auto const& r : needs)
                holds = holds && attune_tests::value_of(r.holds, at) == 1;
            CHECK(holds == (i == j || i == 1 || j == 1));
            if (holds) CHECK(attune_tests::value_of(made[0], at) == std::max(i, j));
        }
}

TEST_CASE("a slice moves what it writes, twice")
{
    model::network net("n", 1);
    model::slice(net.input({1, 10, 10}), {1, 2, 10});
    CHECK(net.bytes_moved().constant() == 20 + 20);
    CHECK(net.flops().constant() == 0);
    CHECK(net.activation_bytes().constant() == 100 + 20);
}

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
    CHECK_THROWS_AS((void)model::attention(net.input({1, 4, 6}), other.input({1, 4, 6}), {}),
                    attune::error);
}
