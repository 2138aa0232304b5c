// tests/space/models.cpp : bounds on what networks need, as spaces: counted exactly, explained, sampled
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/model/roofline.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/explanation.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../declare/every_point.hpp"
#include "../support/networks.hpp"

namespace model = attune::model;
using attune::chain_of_trees;
using attune::description;
using attune_tests::quantity;
using attune_tests::tensor;

namespace {

// Klein and Hutter 2019, Table 1.
constexpr auto units_1 = attune::ordinal<"UNITS_1">(attune::powers_of_two(16, 512));
constexpr auto units_2 = attune::ordinal<"UNITS_2">(attune::powers_of_two(16, 512));
constexpr auto activation_1 = attune::categorical<"ACTIVATION_1">("tanh", "relu");
constexpr auto activation_2 = attune::categorical<"ACTIVATION_2">("tanh", "relu");
constexpr auto batch_size = attune::ordinal<"BATCH_SIZE">(attune::powers_of_two(8, 64));
constexpr auto dropout_1 = attune::ordinal<"DROPOUT_1">(attune::values(0.0, 0.3, 0.6));
constexpr auto dropout_2 = attune::ordinal<"DROPOUT_2">(attune::values(0.0, 0.3, 0.6));
constexpr auto rate = attune::ordinal<"RATE">(attune::values(5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1));
constexpr auto schedule = attune::categorical<"SCHEDULE">("cosine", "const");
constexpr auto grid = attune::space(units_1, units_2, activation_1, activation_2, batch_size,
                                    dropout_1, dropout_2, rate, schedule);

/// Number of settings of `space` where all constraints hold, one by one.
std::uint64_t count_one_by_one(description const& space)
{
    attune::detail::evaluator const read(space);
    std::uint64_t count = 0;
    for (attune::point const& at : attune_tests::every_point(space)) {
        bool all = true;
        for (attune::constraint_description const& c : space.constraints)
            all = all && read.holds(c, at);
        count += all ? 1 : 0;
    }
    return count;
}

/// The number of valid configurations, 0 for an empty space.
std::uint64_t count_by_trees(description const& space)
{
    try {
        return static_cast<std::uint64_t>(chain_of_trees(space).size().value());
    } catch (attune::error const& problem) {
        CHECK(std::string(problem.what()).find("the space is empty") != std::string::npos);
        return 0;
    }
}

} // namespace

TEST_CASE("the network of HPOBench: 62,208 configurations, and the shares that weights leave")
{
    model::network const net = attune_tests::hpobench(batch_size, units_1, units_2);
    CHECK(chain_of_trees(net.space(grid)).size() == 62'208);
    struct bound {
        std::int64_t kib;
        std::uint64_t part, of;
    };
    for (bound const& b : {bound{8, 1, 6}, bound{16, 5, 18}, bound{40, 19, 36}, bound{80, 25, 36},
                           bound{100, 26, 36}, bound{160, 30, 36}, bound{400, 33, 36}}) {
        CAPTURE(b.kib);
        chain_of_trees const valid(net.space(grid, {net.weight_bytes() <= b.kib * 1024}));
        CHECK(valid.size() == 62'208 * b.part / b.of);
    }
}

TEST_CASE("an explanation says what the configuration needs and what is allowed")
{
    model::network const net = attune_tests::hpobench(batch_size, units_1, units_2);
    description const space =
        net.space(grid, {net.weight_bytes() <= 8192, net.flops() >= 20 * net.weights()});
    chain_of_trees const valid(space);
    attune::point p(space.parameters.size());
    p[0].index = 5; // 512
    p[1].index = 1; // 32
    std::int64_t const weights = (9 + 1) * 512 + (512 + 1) * 32 + (32 + 1);
    auto const reasons = attune::explain(space, p);
    REQUIRE(reasons.size() == 2);
    CHECK(reasons[0].text == "weight bytes of hpobench <= 8192");
    CHECK(reasons[0].because ==
          "weight bytes of hpobench = " + std::to_string(4 * weights) + " <= 8192 is false");
    CHECK(reasons[1].text == "FLOPs of hpobench >= 20 * weights of hpobench");
    CHECK_FALSE(valid.contains(p));
    CHECK(valid.violations(p).size() == 2);
}

TEST_CASE("150 random networks under random bounds have the configurations of brute force")
{
    constexpr auto batch = attune::integer<"BATCH">(1, 4);
    constexpr auto kernel = attune::ordinal<"KERNEL">(attune::values(1, 3, 5));
    constexpr auto filters = attune::ordinal<"FILTERS">(attune::values(2, 4, 6));
    constexpr auto stride = attune::integer<"STRIDE">(1, 2);
    constexpr auto layers = attune::integer<"LAYERS">(0, 2);
    constexpr auto cell = attune::categorical<"CELL">("conv", "pool", "lstm");
    constexpr auto padded = attune::boolean<"PADDED">();
    constexpr auto bytes = attune::ordinal<"BYTES">(attune::values(1, 2, 4));
    constexpr auto all = attune::space(batch, kernel, filters, stride, layers, cell, padded, bytes);
    attune::random_engine engine(22);
    std::uint64_t some = 0;
    std::uint64_t none = 0;
    for (int i = 0; i < 150; ++i) {
        model::network net("random", bytes);
        tensor x = net.input({batch, 4, 6, 6});
        quantity const pad = select(quantity(padded), (quantity(kernel) - 1) / 2, 0);
        auto const conv = [&](tensor const& t) {
            return model::relu(model::conv2d(
                t, {.filters = filters, .kernel = kernel, .stride = stride, .pad = pad}));
        };
        for (int layer = 0; layer < 2; ++layer)
            switch (engine() % 5) {
            case 0:
                x = conv(x);
                break;
            case 1:
                x = model::repeat(x, layers, 2, [&](tensor const& t) {
                    return model::batch_norm(model::conv2d(
                        t, {.filters = 4, .kernel = kernel, .pad = model::padding::same_extent()}));
                });
                break;
            case 2:
                x = model::choose(x, cell == "conv", conv, [&](tensor const& t) {
                    return model::choose(
                        t, cell == "pool", [](tensor const& u) { return model::max_pool2d(u, {}); },
                        [](tensor const& u) { return model::sigmoid(u); });
                });
                break;
            case 3: {
                tensor const side = model::conv2d(x, {.filters = filters, .kernel = 1});
                x = engine() % 2 == 0 ? model::concat({x, side}) : model::add(side, x);
                break;
            }
            default:
                x = model::only_if(x, padded, [&](tensor const& t) {
                    return model::depthwise_conv2d(
                        t, {.kernel = kernel, .pad = model::padding::same_extent()});
                });
            }
        model::dense(model::flatten(x), 3);
        auto const between = [&](quantity const& cost, std::int64_t most) {
            std::int64_t const bound = static_cast<std::int64_t>(engine() % 1000) * most / 1000;
            return engine() % 2 == 0 ? cost <= bound : cost >= bound;
        };
        std::vector<quantity> limits;
        switch (engine() % 4) {
        case 0:
            limits = {between(net.weight_bytes(), 6000)};
            break;
        case 1:
            limits = {between(net.flops(), 60000), between(net.memory_bytes(), 9000)};
            break;
        case 2:
            limits = {between(net.activation_bytes(), 8000),
                      net.flops() >= static_cast<std::int64_t>(engine() % 8) * net.bytes_moved()};
            break;
        default:
            limits = {model::time_on(net, {"d", 3, 2})
                          .at_most(1e-9 * static_cast<double>(engine() % 40000)),
                      between(net.held_bytes(), 20000)};
        }
        description const space = net.space(all, limits);
        CAPTURE(i);
        std::uint64_t const expected = count_one_by_one(space);
        CHECK(count_by_trees(space) == expected);
        (expected > 0 ? some : none) += 1;
    }
    CHECK(some > 75);
}

TEST_CASE("shapes that do not fit leave the space; the sentence says where, when all of them do")
{
    constexpr auto kernel = attune::integer<"KERNEL">(1, 9);
    model::network net("n");
    model::conv2d(net.input({1, 1, 5, 5}), {.filters = 1, .kernel = kernel});
    CHECK(chain_of_trees(net.space(attune::space(kernel))).size() == 5);
    constexpr auto large = attune::integer<"LARGE">(7, 9);
    model::network none("none");
    model::conv2d(none.input({1, 1, 5, 5}), {.filters = 1, .kernel = large});
    try {
        chain_of_trees const empty(none.space(attune::space(large)));
        FAIL("no kernel fits");
    } catch (attune::error const& problem) {
        CHECK(problem.next() == "layer conv2d 0 of none: a window of LARGE does not fit an extent "
                                "of 5 padded by 0");
    }
}

TEST_CASE("a sum over the thirteen kernels and two widths of VGG-16 is counted exactly")
{
    std::vector<quantity> kernels;
    constexpr auto a = attune::array_of<13>(attune::ordinal<"KERNEL">(attune::values(1, 3, 5, 7)));
    constexpr auto first = attune::ordinal<"FIRST">(attune::values(512, 1024, 2048, 4096));
    constexpr auto second = attune::ordinal<"SECOND">(attune::values(512, 1024, 2048, 4096));
    constexpr auto batch = attune::integer<"BATCH">(1, 256);
    for (std::size_t i = 0; i < 13; ++i)
        kernels.emplace_back(a[i]);
    model::network const net = attune_tests::vgg16(
        {.batch = batch, .kernels = kernels, .first_units = first, .second_units = second});
    auto const typed = attune::space(batch, a, first, second);
    auto const size = [&](std::int64_t bound) {
        return count_by_trees(net.space(typed, {net.weights() <= bound}));
    };
    // The sum by dynamic programming over the multiset of sums, one parameter after another.
    std::map<std::int64_t, std::uint64_t> sums{{0, 1}};
    auto const spread = [&](std::vector<std::int64_t> const& values) {
        std::map<std::int64_t, std::uint64_t> next;
        for (auto const& [sum, count] : sums)
            for (std::int64_t const v : values)
                next[sum + v] += count;
        sums = std::move(next);
    };
    constexpr std::array<std::int64_t, 14> channels{3,   64,  64,  128, 128, 256, 256,
                                                    256, 512, 512, 512, 512, 512, 512};
    for (std::size_t i = 0; i < 13; ++i) {
        std::int64_t const pair = channels[i] * channels[i + 1];
        spread({pair + channels[i + 1], 9 * pair + channels[i + 1], 25 * pair + channels[i + 1],
                49 * pair + channels[i + 1]});
    }
    std::vector<std::int64_t> heads;
    for (std::int64_t const f : {512, 1024, 2048, 4096})
        for (std::int64_t const s : {512, 1024, 2048, 4096})
            heads.push_back(25088 * f + f + f * s + s + 1000 * s + 1000);
    spread(heads);
    for (std::int64_t const bound :
         {30'000'000, 60'000'000, 100'000'000, 138'357'544, 190'000'000}) {
        std::uint64_t expected = 0;
        for (auto const& [sum, count] : sums)
            if (sum <= bound) expected += 256 * count;
        CAPTURE(bound);
        CHECK(size(bound) == expected);
    }
}
