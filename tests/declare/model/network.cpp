// tests/declare/model/network.cpp - costs of published networks, memory by hand, choices and refusals.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/network.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/parameters.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../support/networks.hpp"
#include "../../support/quantity_value.hpp"

namespace model = attune::model;
using attune_tests::quantity;
using attune_tests::tensor;

namespace {

/// The value of a quantity over one parameter "N" at `n`.
std::int64_t value_at(quantity const& formula, std::int64_t n)
{
    return attune_tests::value_of(formula, {{"N", n}});
}

} // namespace

TEST_CASE("weights are those that papers and frameworks print")
{
    CHECK(attune_tests::vgg16({}).weights().constant() == 138'357'544);
    CHECK(attune_tests::resnet50(1).weights().constant() == 25'557'032); // torchvision
    // Keras: 4,231,976 trainable, 21,888 moving means and variances.
    CHECK(attune_tests::mobilenet(1).weights().constant() == 4'231'976);
    CHECK(attune_tests::mobilenet(1).stored_numbers().constant() == 4'253'864);
    CHECK(attune_tests::bert_base(1, 128).weights().constant() == 109'482'240);
    CHECK(attune_tests::gpt2_small(1, 128).weights().constant() == 124'439'808);
    CHECK(attune_tests::unet(1, 64, 1).weights().constant() == 31'030'593);
    CHECK(attune_tests::unet(1, 64, 2).weights().constant() == 31'030'658);
}

TEST_CASE("multiply-adds are those that papers and frameworks print")
{
    CHECK(attune_tests::vgg16({}).multiply_adds().constant() == 15'470'264'320);
    CHECK(attune_tests::resnet50(1).multiply_adds().constant() == 4'089'184'256);
    CHECK(attune_tests::mobilenet(1).multiply_adds().constant() == 568'740'352);
    // Of one layer at T tokens: 4 projections and 2 dense layers of 768 x 768 x (4 + 8), and twice
    // T x T x 768; of BERT then its pooler, of GPT-2 its output over the vocabulary.
    std::int64_t const t = 128;
    std::int64_t const layers = 12 * (t * 768 * 768 * 12 + 2 * t * t * 768);
    CHECK(attune_tests::bert_base(1, t).multiply_adds().constant() == layers + 768 * 768);
    CHECK(attune_tests::gpt2_small(1, t).multiply_adds().constant() == layers + t * 768 * 50257);
    // 20 words in and out: two LSTMs of 4 x 256 x 512, and 256 x 10,000.
    CHECK(attune_tests::seq2seq({}).multiply_adds().constant() ==
          20 * (2 * 4 * 256 * 512 + 256 * 10'000));
}

TEST_CASE("weights of an LSTM with each layer's formula by hand")
{
    // Two embeddings, two LSTMs of 4 gates with one bias each, dense.
    CHECK(attune_tests::seq2seq({}).weights().constant() ==
          2 * 10'000 * 256 + 2 * 4 * (256 * 512 + 256) + 256 * 10'000 + 10'000);
}

TEST_CASE("costs are linear in the batch, weights do not depend on it")
{
    auto const batch = attune::integer<"N">(1, 64);
    for (model::network const& net :
         {attune_tests::vgg16({.batch = batch}), attune_tests::resnet50(batch),
          attune_tests::mobilenet(batch), attune_tests::unet(batch, 64, 1)}) {
        CAPTURE(net.name());
        CHECK(net.weights().constant());
        CHECK(value_at(net.flops(), 7) == 7 * value_at(net.flops(), 1));
        CHECK(value_at(net.activation_bytes(), 7) == 7 * value_at(net.activation_bytes(), 1));
        CHECK(value_at(net.memory_bytes(), 5) ==
              *net.weight_bytes().constant() + value_at(net.activation_bytes(), 5));
    }
}

TEST_CASE("a tensor lives from its layer to its last use")
{
    model::network net("chain", 2);
    tensor const x = net.input({1, 10});
    tensor const y = model::dense(x, 100); // x and y: 110
    tensor const z = model::dense(y, 20);  // y and z: 120
    model::dense(z, 50);                   // z and the output: 70
    CHECK(net.activation_bytes().constant() == 2 * 120);
    CHECK(net.held_bytes().constant() == 2 * (10 + 100 + 20 + 50) + *net.weight_bytes().constant());

    model::network skip("skip", 1);
    tensor const a = skip.input({1, 10});
    tensor const b = model::dense(a, 100);
    tensor const c = model::dense(b, 100); // b and c; b is read again
    tensor const d = model::dense(c, 100); // b, c and d: 300
    model::add(d, b);                      // in the place of d
    CHECK(skip.activation_bytes().constant() == 300);
}

TEST_CASE("a layer overwrites its input only where nothing reads that later")
{
    auto const peak = [](bool is_read_later) {
        model::network net("overwrite", 1);
        tensor const y = model::dense(net.input({1, 10}), 100);
        tensor const z = model::relu(y);
        static_cast<void>(is_read_later ? model::multiply(z, y) : model::dense(z, 1));
        return *net.activation_bytes().constant();
    };
    CHECK(peak(false) == 110); // input and y
    CHECK(peak(true) == 200);  // y and z
    model::network given("given", 1);
    model::relu(given.input({1, 10})); // what is given stays
    CHECK(given.activation_bytes().constant() == 20);
}

TEST_CASE("a network of random layers holds what it holds when it is played layer by layer")
{
    struct played {
        std::int64_t elements = 0;
        int uses = 0; // what is still to come
        bool is_given = false;
    };
    attune::random_engine engine(17);
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    for (int round = 0; round < 400; ++round) {
        struct layer {
            std::vector<std::size_t> inputs;
            bool overwrites = false;
            bool is_view = false;
            std::int64_t scratch = 0;
        };
        model::network net("random", 1);
        std::vector<tensor> tensors{net.input({1 + std::int64_t(below(9))})};
        if (below(2) == 0) tensors.push_back(net.input({1 + std::int64_t(below(9))}));
        std::size_t const given = tensors.size();
        std::vector<layer> layers(below(14));
        for (layer& l : layers) {
            l.inputs = {tensors.size() - 1 - below(std::min<std::size_t>(tensors.size(), 3)),
                        below(tensors.size())};
            l.is_view = below(5) == 0;
            l.overwrites = !l.is_view && below(2) == 0;
            l.scratch = l.is_view || below(4) != 0 ? 0 : std::int64_t(below(20));
            tensor const& first = tensors[l.inputs[0]];
            bool const keeps = l.is_view || below(2) == 0;
            tensors.push_back(
                model::apply("layer", {first, tensors[l.inputs[1]]},
                             {.shape = {keeps ? first.elements() : 1 + std::int64_t(below(9))},
                              .scratch = l.scratch,
                              .may_overwrite = l.overwrites,
                              .is_view = l.is_view}));
        }
        std::vector<std::size_t> outputs;
        for (std::size_t n = below(3); n > 0; --n)
            outputs.push_back(below(tensors.size()));
        for (std::size_t const o : outputs)
            net.output(tensors[o]);

        // Each tensor stands in a buffer; a buffer is freed behind the last layer that reads it.
        std::vector<std::size_t> buffer_of(tensors.size());
        std::vector<char> is_read(tensors.size(), 0);
        for (std::size_t i = 0; i < tensors.size(); ++i)
            buffer_of[i] = i;
        std::vector<played> buffers(tensors.size());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (layers[i].is_view) buffer_of[given + i] = buffer_of[layers[i].inputs[0]];
            for (std::size_t const in : layers[i].inputs)
                is_read[in] = 1;
        }
        auto const use = [&](std::size_t t, int by) { buffers[buffer_of[t]].uses += by; };
        for (layer const& l : layers)
            for (std::size_t const in : l.inputs)
                use(in, 1);
        for (std::size_t t = 0; t < tensors.size(); ++t) // outputs are never freed
            if (outputs.empty() ? is_read[t] == 0
                                : std::count(outputs.begin(), outputs.end(), t) > 0)
                use(t, 1000);
        std::int64_t held = 0;
        std::int64_t most = 0;
        std::int64_t all_given = 0;
        for (std::size_t i = 0; i < given; ++i) {
            buffers[i] = {*tensors[i].elements().constant(), buffers[i].uses, true};
            all_given += buffers[i].elements;
            held += buffers[i].elements; // also what nothing reads, while the first layer runs
        }
        bool is_first = true;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            layer const& l = layers[i];
            std::size_t const made = given + i;
            auto const free_unused = [&](std::size_t b) {
                if (buffers[b].uses == 0) held -= std::exchange(buffers[b].elements, 0);
            };
            if (l.is_view) { // it reads nothing when it runs: the buffer lives as its views do
                for (std::size_t const in : l.inputs)
                    use(in, -1);
            } else {
                std::int64_t const elements = *tensors[made].elements().constant();
                std::size_t taken = made;
                for (std::size_t const in : l.inputs) {
                    std::size_t const b = buffer_of[in];
                    int const own = (buffer_of[l.inputs[0]] == b ? 1 : 0) +
                                    (buffer_of[l.inputs[1]] == b ? 1 : 0);
                    if (taken == made && l.overwrites && !buffers[b].is_given &&
                        buffers[b].uses == own && buffers[b].elements == elements)
                        taken = b;
                }
                most = std::max(most, held + l.scratch);
                if (taken == made) {
                    buffers[made].elements = elements;
                    held += elements;
                } else {
                    for (std::size_t t = made; t < tensors.size(); ++t)
                        if (buffer_of[t] == made) buffer_of[t] = taken;
                    buffers[taken].uses += std::exchange(buffers[made].uses, 0);
                }
                most = std::max(most, held);
                for (std::size_t const in : l.inputs)
                    use(in, -1);
                free_unused(buffer_of[made]);
                is_first = false;
            }
            for (std::size_t b = 0; b < buffers.size(); ++b)
                if (b < given ? !is_first : b <= made) free_unused(b);
        }
        CAPTURE(round);
        CHECK(net.activation_bytes().constant() == (is_first ? all_given : most));
    }
}

TEST_CASE("a chain of 30,000 layers holds two of its tensors")
{
    // With a time that grows as the square of the layers, this test runs for a minute and more.
    model::network copied("copied", 1);
    model::network viewed("viewed", 1);
    tensor x = copied.input({3, 4});
    tensor y = viewed.input({3, 4});
    for (int i = 0; i < 30'000; ++i) {
        x = model::transpose(x, {1, 0});
        y = model::reshape(y, {y.extent(1), y.extent(0)});
    }
    CHECK(copied.activation_bytes().constant() == 24);
    model::dense(y, 5);
    CHECK(viewed.activation_bytes().constant() == 12 + 15);
}

TEST_CASE("what a layer holds before its output exists counts")
{
    model::network net("scratch", 1);
    tensor const x = net.input({1, 8});
    model::apply("own", {x}, {.shape = {1, 2}, .scratch = 100});
    CHECK(net.activation_bytes().constant() == 108);
}

TEST_CASE("layers that a choice leaves out cost nothing")
{
    auto const n = attune::integer<"N">(0, 3);
    model::network net("choice", 1);
    tensor x = net.input({1, 10});
    x = model::repeat(x, n, 3, [](tensor const& t) { return model::dense(t, 10); });
    model::dense(x, 1);
    for (std::int64_t layers = 0; layers <= 3; ++layers) {
        CAPTURE(layers);
        CHECK(value_at(net.weights(), layers) == 110 * layers + 11);
        CHECK(value_at(net.multiply_adds(), layers) == 100 * layers + 10);
        CHECK(value_at(net.activation_bytes(), layers) == (layers == 0 ? 11 : 20));
    }
    CHECK(x.extent(1).constant() == 10);
}

TEST_CASE("a view of a choice holds nothing, and any input that dies may be overwritten")
{
    model::network viewed("viewed", 1);
    tensor x = viewed.input({1, 10});
    auto const n = attune::integer<"N">(0, 1);
    x = model::only_if(x, n > 0, [](tensor const& t) { return model::dense(t, 100); });
    model::dense(model::flatten(x), 1);
    CHECK(value_at(viewed.activation_bytes(), 0) == 11);
    CHECK(value_at(viewed.activation_bytes(), 1) == 110);

    model::network added("added", 1);
    tensor const given = added.input({1, 10});
    model::add(given, model::dense(given, 10));
    CHECK(added.activation_bytes().constant() == 20);
}

TEST_CASE("the formula of a depth grows with its square, and its bound is a constraint")
{
    auto const deep = [](std::int64_t most) {
        model::network net("deep", 1);
        auto const n = attune::integer<"N">(0, 30);
        model::repeat(net.input({1, 10}), n, most, [](tensor const& t) {
            return model::add(t, model::dense(model::dense(t, 40), 10));
        });
        CHECK(net.graph().requirements.size() == 1);
        return net.activation_bytes();
    };
    auto const bytes = deep(24);
    for (std::int64_t n = 0; n <= 24; ++n)
        CHECK(value_at(bytes, n) == (n == 0 ? 10 : 60));
    CHECK(bytes.text().size() < 24 * 24 * 400);
}

TEST_CASE("branches may differ in shape, and in what they hold")
{
    auto const n = attune::integer<"N">(1, 2);
    model::network net("branches", 1);
    tensor const x = model::choose(
        net.input({1, 10}), n == 1, [](tensor const& t) { return model::dense(t, 100); },
        [](tensor const& t) { return model::dense(t, 40); });
    model::dense(x, 7);
    CHECK(value_at(net.weights(), 1) == 10 * 100 + 100 + 100 * 7 + 7);
    CHECK(value_at(net.weights(), 2) == 10 * 40 + 40 + 40 * 7 + 7);
    CHECK(value_at(net.activation_bytes(), 1) == 110);
    CHECK(value_at(net.activation_bytes(), 2) == 50);
}

TEST_CASE("a shape that cannot be is one sentence, and says where")
{
    model::network net("small");
    tensor const x = net.input({1, 6, 5, 5});
    auto const sentence = [](auto const& make) -> std::string {
        try {
            make();
        } catch (attune::error const& problem) {
            return problem.what_alone() + " | " + problem.where();
        }
        return "accepted";
    };
    CHECK(sentence([&] { model::conv2d(x, {.filters = 8, .kernel = 7}); }) ==
          "a window of 7 does not fit an extent of 5 padded by 0 | layer conv2d 0 of small");
    CHECK(sentence([&] { model::conv2d(x, {.filters = 8, .groups = 4}); }) ==
          "4 groups do not divide 6 channels | layer conv2d 0 of small");
    CHECK(sentence([&] { model::conv1d(x, {.filters = 8}); }) ==
          "conv1d takes 3 axes, not 4 | layer conv1d 0 of small");
    CHECK(sentence([&] { model::add(x, net.input({1, 6, 5, 4})); }) ==
          "its inputs have 5 and 4 on axis 3 | layer add 0 of small");
    CHECK(sentence([&] { model::reshape(x, {1, 7}); }) ==
          "a shape of 7 elements cannot hold 150 | layer reshape 0 of small");
    CHECK(sentence([&] { model::attention(model::reshape(x, {1, 25, 6}), {.heads = 4}); }) ==
          "4 heads do not divide 6 features | layer attention 1 of small");
    CHECK(sentence([&] { model::apply("nothing", {}, {}); }) == "a layer needs an input | nothing");
    model::network other("other");
    CHECK(sentence([&] { model::add(x, other.input({1, 6, 5, 5})); }) ==
          "the inputs of a layer belong to two networks | layer add 1 of small and other");
}

TEST_CASE("a space refuses parameters that it lacks, and negative ones")
{
    constexpr auto n = attune::integer<"N">(1, 8);
    constexpr auto below = attune::integer<"BELOW">(-1, 8);
    model::network net("net");
    model::dense(net.input({n, 4}), 2);
    CHECK_THROWS_AS((void)net.space(attune::space(below), {net.flops() <= 100}), attune::error);
    model::network odd("odd");
    model::dense(odd.input({1, 4}), below);
    CHECK_THROWS_AS((void)odd.space(attune::space(below), {odd.flops() <= 100}), attune::error);
    CHECK_THROWS_AS((void)net.space(attune::space(n), {net.flops()}),
                    attune::error); // no truth
}

TEST_CASE("layers are there once where a number as their condition is not 0")
{
    constexpr auto n = attune::integer<"N">(0, 3);
    model::network net("net");
    model::only_if(net.input({1, 10}), n, [](tensor const& t) { return model::dense(t, 11); });
    for (std::int64_t const at : {0, 1, 2, 3})
        CHECK(value_at(net.weights(), at) == (at == 0 ? 0 : 10 * 11 + 11));
}

TEST_CASE("a cost without a value where its layers are absent is 0 there")
{
    constexpr auto n = attune::integer<"N">(0, 3);
    model::network net("net");
    tensor const x = net.input({1, 6});
    model::only_if(x, n >= 1, [&](tensor const& t) { return model::dense(t, 6 / quantity(n)); });
    for (std::int64_t const at : {0, 1, 2, 3}) {
        std::int64_t const units = at == 0 ? 0 : 6 / at;
        CHECK(value_at(net.weights(), at) == 7 * units);
        CHECK(value_at(net.flops(), at) == 12 * units);
        CHECK(value_at(net.held_bytes(), at) == 4 * (7 * units + units + 6));
    }
}

TEST_CASE("a fault of ranks or axes is an error under a choice too")
{
    constexpr auto on = attune::boolean<"ON">();
    model::network net("net");
    tensor const x = net.input({2, 3});
    auto const refused = [&](tensor const& from, auto const& layers) {
        CHECK_THROWS_AS((void)model::only_if(from, on, layers), attune::error);
    };
    refused(x, [](tensor const& t) { return model::concat({t, t}, 64); });
    refused(x, [](tensor const& t) { return model::transpose(t, {0, 5}); });
    refused(x,
            [](tensor const& t) { return model::flatten(model::add(t, model::reshape(t, {6}))); });
    refused(x, [](tensor const& t) { return model::reshape(t, {1, 2, 3}); }); // unequal ranks
    refused(net.input({3}), [](tensor const& t) { return model::matmul(t, t); });
    tensor const none = net.input({});
    CHECK_THROWS_AS((void)model::flatten(none), attune::error);
    CHECK_THROWS_AS((void)model::layer_norm(none), attune::error);
    model::network other("other");
    tensor const far = other.input({2, 3});
    refused(x, [&](tensor const&) { return far; });
}

TEST_CASE("named outputs are held to the end, and nothing else that no layer reads")
{
    auto const peak = [](bool names_first, bool names_last) {
        model::network net("outputs", 1);
        tensor const x = net.input({1, 10});
        tensor const first = model::dense(x, 1000); // read by nothing
        tensor const last = model::dense(model::dense(model::dense(x, 50), 200), 40);
        if (names_first) net.output(first);
        if (names_last) net.output(last);
        return *net.activation_bytes().constant();
    };
    CHECK(peak(false, false) == 1000 + 50 + 200);
    CHECK(peak(true, true) == 1000 + 50 + 200);
    CHECK(peak(true, false) == 1000 + 50 + 200);
    CHECK(peak(false, true) == 10 + 1000); // while the first layer runs
    model::network net("n");
    model::network other("m");
    tensor const x = other.input({1, 1});
    CHECK_THROWS_AS(net.output(x), attune::error);
}
