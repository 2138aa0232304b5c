// tests/bench/networks.cpp : mirrors examples/networks/*.hpp, the layer tables that bench.tune.networks tunes
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../examples/networks/bert.hpp"
#include "../../examples/networks/mobilenet.hpp"
#include "../../examples/networks/request.hpp"
#include "../../examples/networks/resnet50.hpp"
#include "../../examples/networks/steps.hpp"

namespace {

std::int64_t elements(attune::nest_array const& of)
{
    std::int64_t out = 1;
    for (attune::nest_extent const& extent : of.extents)
        out *= extent.constant;
    return out;
}

/// The sizes of arrays that are arguments, in their order.
std::vector<std::int64_t> sizes_of(attune::nest_description const& layer)
{
    std::vector<std::int64_t> out;
    for (attune::nest_array const& array : layer.arrays)
        if (array.role != attune::nest_role::temporary) out.push_back(elements(array));
    return out;
}

/// Steps of the loops of all sums.
double steps_of_sums(attune::nest_description const& layer)
{
    double out = 0;
    for (attune::nest_statement const& one : layer.statements) {
        if (one.combine != attune::reduction::sum) continue;
        double steps = 1;
        for (std::uint32_t const axis : one.axes)
            steps *= static_cast<double>(layer.axes[axis].extent.constant);
        out += steps;
    }
    return out;
}

struct totals {
    double macs = 0;
    std::int64_t parameters = 0;
    std::map<std::string, int> calls{};
};

/// Of a table; by the layers' programs, not by what the layers say of themselves.
template <class Network>
totals by_table()
{
    totals out;
    Network::layers::for_each([&]<class Layer>(Layer, int count) {
        attune::nest_description const layer = Layer::program.describe();
        if (Layer::macs > 0) {
            CHECK(Layer::macs == steps_of_sums(layer));
            out.macs += count * steps_of_sums(layer);
        }
        std::vector<std::int64_t> const sizes = sizes_of(layer);
        for (std::size_t at = 1; at <= std::size_t{Layer::parameters}; ++at)
            out.parameters += count * sizes[at];
        out.calls[layer.name] += count;
    });
    CHECK(out.calls.size() == Network::layers::size); // each has a name of its own
    return out;
}

/// Stands for a run: arrays are their sizes.
struct size_run {
    std::map<std::string, int> calls{};

    template <class Layer>
    std::int64_t operator()(Layer, auto... in)
    {
        attune::nest_description const layer = Layer::program.describe();
        std::vector<std::int64_t> const sizes = sizes_of(layer);
        std::vector<std::int64_t> const given{in...};
        REQUIRE(sizes.size() == given.size() + Layer::parameters + 1);
        CHECK(given.front() == sizes.front());
        for (std::size_t at = 1; at < given.size(); ++at)
            CHECK(given[at] == sizes[at + Layer::parameters]);
        ++calls[layer.name];
        return sizes.back();
    }
};

/// The order fits the table.
/// @return  elements of the network's result
template <class Network>
std::int64_t run(totals const& table)
{
    size_run call;
    std::int64_t const out = Network::run(call, std::int64_t{Network::input});
    CHECK(call.calls == table.calls);
    return out;
}

using numbers = std::vector<float>;

/// The arrays of a layer after its plain nest ran on random ones; the last is the result.
template <class Layer>
std::vector<numbers> evaluated()
{
    std::vector<numbers> arrays;
    for (std::int64_t const size : sizes_of(Layer::program.describe()))
        arrays.push_back(
            networks::some(static_cast<std::size_t>(size), 1, std::uint64_t{arrays.size()} + 1));
    for (float& x : arrays.front())
        x = std::fabs(x); // as behind a relu: the largest of some and of zeros is one of them
    [&]<class... Args>(std::type_identity<void(Args...)>) {
        [&]<std::size_t... At>(std::index_sequence<At...>) {
            Layer::program(Args(arrays[At])...);
        }(std::index_sequence_for<Args...>{});
    }(std::type_identity<typename decltype(Layer::program)::signature>{});
    return arrays;
}

// The same by loops, in double precision, from the textbooks' definitions.

struct window {
    int height;
    int channels;
    int size;
    int stride;
    int pad;
    [[nodiscard]] int out() const { return (height + 2 * pad - size) / stride + 1; }
};

/// visit(row, column, pixel of the window, index of its first channel) for each pixel of the image
/// under each window.
void for_each_pixel(window const& of, auto&& visit)
{
    for (int row = 0; row < of.out(); ++row)
        for (int column = 0; column < of.out(); ++column)
            for (int r = 0; r < of.size; ++r)
                for (int s = 0; s < of.size; ++s) {
                    int const y = row * of.stride + r - of.pad;
                    int const x = column * of.stride + s - of.pad;
                    if (y < 0 || y >= of.height || x < 0 || x >= of.height) continue;
                    visit(row * of.out() + column, r * of.size + s,
                          (y * of.height + x) * of.channels);
                }
}

numbers rounded(std::vector<double> const& of) { return {of.begin(), of.end()}; }

double at(numbers const& of, int place)
{
    return static_cast<double>(of[static_cast<std::size_t>(place)]);
}

/// @param last  last(sum with bias, place in the result)
numbers convolved(window const& of, int features, std::vector<numbers> const& arrays, auto&& last)
{
    std::vector<double> y(static_cast<std::size_t>(of.out() * of.out() * features));
    auto const sum = [&](int where, int f) -> double& {
        return y[static_cast<std::size_t>(where * features + f)];
    };
    for_each_pixel(of, [&](int where, int tap, int first) {
        for (int f = 0; f < features; ++f)
            for (int c = 0; c < of.channels; ++c)
                sum(where, f) += at(arrays[0], first + c) *
                                 at(arrays[1], (tap * of.channels + c) * features + f);
    });
    for (int where = 0; where < of.out() * of.out(); ++where)
        for (int f = 0; f < features; ++f)
            sum(where, f) = last(sum(where, f) + at(arrays[2], f), where * features + f);
    return rounded(y);
}

constexpr double tolerance = 1e-5;

double relu(double v, int = 0) { return std::max(v, 0.0); }
double relu6(double v, int = 0) { return std::min(relu(v), 6.0); }

} // namespace

TEST_CASE("MobileNet has the multiplications and parameters that its paper and Keras name")
{
    totals const of = by_table<networks::mobilenet<>>();
    CHECK(std::round(of.macs * 1e-6) == 569);
    // 4231976 that are trained; the scale of each of 10944 normalised channels is in the weights.
    CHECK(of.parameters == 4231976 - 10944);
    CHECK(run<networks::mobilenet<>>(of) == 1000);
    CHECK(run<networks::mobilenet<32>>(of) == 1000);
}

TEST_CASE("ResNet-50 has the multiplications and parameters that torchvision names")
{
    totals const of = by_table<networks::resnet50<>>();
    CHECK(std::round(of.macs * 1e-7) == 409);
    CHECK(of.parameters == 25557032 - 26560);
    CHECK(run<networks::resnet50<>>(of) == 1000);
    CHECK(run<networks::resnet50<32>>(of) == 1000);
}

TEST_CASE("the encoder of BERT-base has 11.2 billion multiplications for 128 tokens")
{
    totals const of = by_table<networks::bert<>>();
    CHECK(std::round(of.macs * 1e-8) == 112);
    CHECK(of.parameters == 85054464);
    CHECK(run<networks::bert<>>(of) == 128 * 768);
    CHECK(run<networks::bert<16, 2>>(by_table<networks::bert<16, 2>>()) == 16 * 768);
}

TEST_CASE("MobileNet has the multiplications that its paper names for smaller images, table 7")
{
    CHECK(std::round(by_table<networks::mobilenet<192>>().macs * 1e-6) == 418);
    CHECK(std::round(by_table<networks::mobilenet<128>>().macs * 1e-6) == 186);
}

TEST_CASE("convolutions have their strides and zeros around the image")
{
    using namespace networks;
    auto const stem = evaluated<convolution<"stem", 12, 3, 4, 7, 2, after::relu>>();
    CHECK(difference(stem.back(), convolved({12, 3, 7, 2, 3}, 4, stem, relu)) < tolerance);
    auto const taps = evaluated<convolution<"taps", 6, 5, 4, 3, 1, after::relu6>>();
    CHECK(difference(taps.back(), convolved({6, 5, 3, 1, 1}, 4, taps, relu6)) < tolerance);
    auto const halve = evaluated<convolution<"halve", 6, 5, 4, 3, 2, after::relu>>();
    CHECK(difference(halve.back(), convolved({6, 5, 3, 2, 1}, 4, halve, relu)) < tolerance);
    auto const shortcut = evaluated<pointwise<"shortcut", 6, 5, 4, 2, after::nothing>>();
    auto const nothing = [](double v, int) { return v; };
    CHECK(difference(shortcut.back(), convolved({6, 5, 1, 2, 0}, 4, shortcut, nothing)) <
          tolerance);
    auto const widen = evaluated<pointwise_add<"widen", 4, 5, 6>>();
    auto const add = [&](double v, int place) { return relu(v + at(widen[3], place)); };
    CHECK(difference(widen.back(), convolved({4, 5, 1, 1, 0}, 6, widen, add)) < tolerance);
}

TEST_CASE("a depthwise convolution and a pool see each channel by itself")
{
    auto const depth = evaluated<networks::depthwise<"depth", 6, 5, 2>>();
    auto const pool = evaluated<networks::max_pool<"pool", 6, 5>>();
    window const of{6, 5, 3, 2, 1};
    std::vector<double> sums(depth.back().size());
    std::vector<double> largest(pool.back().size(), -std::numeric_limits<double>::infinity());
    for (std::size_t place = 0; place < sums.size(); ++place)
        sums[place] = at(depth[2], static_cast<int>(place) % 5);
    for_each_pixel(of, [&](int where, int tap, int first) {
        for (int c = 0; c < 5; ++c) {
            auto const place = static_cast<std::size_t>(where * 5 + c);
            sums[place] += at(depth[0], first + c) * at(depth[1], tap * 5 + c);
            largest[place] = std::max(largest[place], at(pool[0], first + c));
        }
    });
    for (double& sum : sums)
        sum = relu6(sum);
    CHECK(networks::difference(depth.back(), rounded(sums)) < tolerance);
    CHECK(networks::difference(pool.back(), rounded(largest)) == 0);
    auto const mean = evaluated<networks::average_pool<"mean", 6, 5>>();
    std::vector<double> means(5);
    for (int place = 0; place < 6 * 6 * 5; ++place)
        means[static_cast<std::size_t>(place % 5)] += at(mean[0], place) / 36;
    CHECK(networks::difference(mean.back(), rounded(means)) < tolerance);
}

TEST_CASE("dense layers are products with bias, and gelu is the exact one")
{
    auto const widen = evaluated<networks::dense<"widen", 3, 5, 4, networks::after::gelu>>();
    auto const gelu = [](double v, int) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; };
    numbers want;
    for (std::size_t row = 0; row < 3; ++row) { // each is an image of one pixel
        numbers const x(widen[0].begin() + std::ptrdiff_t(5 * row),
                        widen[0].begin() + std::ptrdiff_t(5 * row + 5));
        numbers const y = convolved({1, 5, 1, 1, 0}, 4, {x, widen[1], widen[2]}, gelu);
        want.insert(want.end(), y.begin(), y.end());
    }
    CHECK(networks::difference(widen.back(), want) < tolerance);
    auto const narrow = evaluated<networks::dense_add<"narrow", 1, 5, 4>>();
    auto const add = [&](double v, int place) { return v + at(narrow[3], place); };
    CHECK(networks::difference(narrow.back(), convolved({1, 5, 1, 1, 0}, 4, narrow, add)) <
          tolerance);
}

TEST_CASE("scores, softmax and mixture are the attention of each head")
{
    constexpr int tokens = 5;
    constexpr int heads = 2;
    auto const score = evaluated<networks::scores<"score", tokens, heads>>();
    numbers power(score.back().size());
    networks::softmax<"attention", heads * tokens, tokens>::program(score.back(), power);
    numbers mixed(tokens * heads * 64);
    networks::mixture<"context", tokens, heads>::program(power, score[0], mixed);
    // Of queries, keys and values (0, 1, 2): number k of a token in a head.
    auto const of = [&](int token, int which, int head, int k) {
        return at(score[0], ((token * 3 + which) * heads + head) * 64 + k);
    };
    std::vector<double> want(mixed.size());
    for (int head = 0; head < heads; ++head)
        for (int i = 0; i < tokens; ++i) {
            std::vector<double> share(tokens);
            double total = 0;
            for (int j = 0; j < tokens; ++j) {
                double product = 0;
                for (int k = 0; k < 64; ++k)
                    product += of(i, 0, head, k) * of(j, 1, head, k);
                total += share[static_cast<std::size_t>(j)] = std::exp(product / 8);
            }
            for (int j = 0; j < tokens; ++j)
                for (int k = 0; k < 64; ++k)
                    want[static_cast<std::size_t>((i * heads + head) * 64 + k)] +=
                        share[static_cast<std::size_t>(j)] / total * of(j, 2, head, k);
        }
    CHECK(networks::difference(mixed, rounded(want)) < tolerance);
}

TEST_CASE("a normalised row has mean 0 and variance 1 before gain and bias")
{
    auto const norm = evaluated<networks::layer_norm<"norm", 3, 8>>();
    std::vector<double> want;
    for (int row = 0; row < 3; ++row) {
        double mean = 0;
        double variance = 0;
        for (int j = 0; j < 8; ++j)
            mean += at(norm[0], 8 * row + j) / 8;
        for (int j = 0; j < 8; ++j)
            variance += std::pow(at(norm[0], 8 * row + j) - mean, 2) / 8;
        for (int j = 0; j < 8; ++j)
            want.push_back((at(norm[0], 8 * row + j) - mean) / std::sqrt(variance) *
                               at(norm[1], j) +
                           at(norm[2], j));
    }
    CHECK(networks::difference(norm.back(), rounded(want)) < tolerance);
}

TEST_CASE("a difference is relative to the largest number, and infinite where there is none")
{
    using networks::difference;
    numbers const should{1, -4, 0};
    CHECK(difference(numbers{1, -4, 0}, should) == 0);
    CHECK(difference(numbers{1, -4, 1}, should) == .25);
    CHECK(difference(numbers{1, 4, 0}, should) == 2);
    float const none = std::numeric_limits<float>::quiet_NaN();
    float const huge = std::numeric_limits<float>::infinity();
    CHECK(std::isinf(difference(numbers{1, none, 0}, should)));
    CHECK(std::isinf(difference(numbers{1, -4, huge}, should)));
    CHECK(std::isinf(difference(numbers{huge}, numbers{huge})));
    CHECK(std::isinf(difference(numbers{1}, numbers{0})));
}

TEST_CASE("parameters of a step keep numbers as large as they are, and differ from step to step")
{
    attune::nest_description const layer = networks::dense<"d", 4, 600, 50>::program.describe();
    networks::step<> const one = networks::make_step(layer, 2, 1);
    REQUIRE(one.parameters.size() == 2);
    REQUIRE(one.parameters[0].size() == 600 * 50);
    CHECK(one.parameters[1].size() == 50);
    CHECK(one.result.size() == 4 * 50);
    double squares = 0; // 2 per sum, of which a relu keeps 1: He et al. 2015
    for (float const x : one.parameters[0])
        squares += static_cast<double>(x) * static_cast<double>(x);
    CHECK(squares / 50 == doctest::Approx(2).epsilon(.02));
    CHECK(networks::make_step(layer, 2, 1).parameters == one.parameters);
    CHECK(networks::make_step(layer, 2, 2).parameters != one.parameters);
}

TEST_CASE("a command line changes budget and timing, whatever the order of its words")
{
    using networks::read_request;
    networks::request const small{.budget = {.evaluations = 44, .seconds = 5}};
    networks::request const none = read_request({}, small);
    CHECK(!none.is_full);
    CHECK(none.budget == small.budget);
    networks::request const timing = read_request({"--repeats", "10", "--runs", "1000"}, small);
    CHECK(timing.repeats == 10);
    CHECK(timing.runs == 1000);
    CHECK(timing.budget == small.budget);
    networks::request const full = read_request({"--evaluations", "90", "--full"}, small);
    CHECK(full.is_full);
    CHECK(full.budget.evaluations == 90);
    CHECK(full.budget.seconds == 600);
    CHECK(read_request({"--seconds", "7"}, small).budget.seconds == 7);
    std::vector<std::vector<std::string_view>> const wrong{{"full"},
                                                           {"--run", "3"},
                                                           {"--runs"},
                                                           {"--runs", "0"},
                                                           {"--runs", "-1"},
                                                           {"--runs", "3x"},
                                                           {"--runs", "99999999999"},
                                                           {"--runs", "--full"}};
    for (std::vector<std::string_view> const& words : wrong)
        CHECK_THROWS_AS((void)read_request(words, small), std::invalid_argument);
}
