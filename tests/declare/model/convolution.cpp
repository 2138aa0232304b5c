// tests/declare/model/convolution.cpp - shapes and costs against windows that are counted one by one.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/convolution.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>

#include "../../support/quantity_value.hpp"

namespace model = attune::model;

namespace {

using whole = std::int64_t;

constexpr auto k = attune::integer<"K">(1, 9);

struct axis_options {
    whole extent, kernel, stride, pad, dilation;
};

axis_options draw_axis(attune::random_engine& engine)
{
    auto const from = [&](whole low, whole high) {
        return low + static_cast<whole>(engine() % static_cast<std::uint64_t>(high - low + 1));
    };
    return {from(1, 14), from(1, 4), from(1, 3), from(0, 2), from(1, 3)};
}

/// Starts of windows that lie inside the padded axis, one by one.
/// @param ceil  rows that none covers get a last window, if it starts in the input or the left
///              padding (PyTorch), or, with `in_padding`, anywhere (ONNX before set 12)
whole count_windows(axis_options const& o, bool ceil = false, bool in_padding = false)
{
    whole const end = o.extent + 2 * o.pad;
    whole const reach = o.dilation * (o.kernel - 1) + 1;
    if (reach > end) return 0;
    whole count = 0;
    whole covered = 0; // rows before here lie in a window
    for (whole start = 0;; start += o.stride) {
        bool const is_full = start + reach <= end;
        bool const is_inside = in_padding || start < o.extent + o.pad;
        bool const counts = is_full || (ceil && covered < end && is_inside);
        if (!counts) return count;
        ++count;
        covered = start + reach;
    }
}

} // namespace

TEST_CASE("conv2d makes as many elements as windows fit, with a multiply-add for each weight read")
{
    attune::random_engine engine(1);
    int fitting = 0;
    for (int i = 0; i < 500; ++i) {
        axis_options const h = draw_axis(engine);
        axis_options const w = draw_axis(engine);
        whole const groups = 1 + static_cast<whole>(engine() % 3);
        whole const in = groups * (1 + static_cast<whole>(engine() % 3));
        whole const out = groups * (1 + static_cast<whole>(engine() % 3));
        model::network net("n", 1);
        auto const make = [&] {
            return model::conv2d(net.input({2, in, h.extent, w.extent}),
                                 {.filters = out,
                                  .kernel = {h.kernel, w.kernel},
                                  .stride = {h.stride, w.stride},
                                  .pad = model::per_axis{h.pad, w.pad},
                                  .dilation = {h.dilation, w.dilation},
                                  .groups = groups});
        };
        whole const rows = count_windows(h);
        whole const columns = count_windows(w);
        if (rows * columns == 0) {
            CHECK_THROWS_AS(static_cast<void>(make()), attune::error);
            continue;
        }
        ++fitting;
        model::tensor const y = make();
        CHECK(y.extent(2).constant() == rows);
        CHECK(y.extent(3).constant() == columns);
        whole products = 0;
        whole weights = 0;
        for (whole f = 0; f < out; ++f) {
            for (whole c = 0; c < in; ++c) // of its own group
                if (c / (in / groups) == f / (out / groups)) weights += h.kernel * w.kernel;
            ++weights; // bias
        }
        for (whole n = 0; n < 2; ++n)
            products += rows * columns * (weights - out);
        CHECK(net.weights().constant() == weights);
        CHECK(net.multiply_adds().constant() == products);
        CHECK(net.flops().constant() == 2 * products);
        CHECK(net.bytes_moved().constant() ==
              2 * in * h.extent * w.extent + weights + 2 * out * rows * columns);
    }
    CHECK(fitting > 200);
}

TEST_CASE("conv1d and conv3d are the same on other axes")
{
    model::network net("n");
    model::tensor const line = model::conv1d(net.input({1, 4, 100}), {.filters = 8, .kernel = 5});
    CHECK(line.extent(2).constant() == 96);
    CHECK(net.weights().constant() == 4 * 5 * 8 + 8);
    model::network box("n");
    model::tensor const y = model::conv3d(box.input({1, 2, 8, 9, 10}),
                                          {.filters = 3, .kernel = {1, 2, 3}, .stride = {2, 1, 3}});
    CHECK(y.extent(2).constant() == 4);
    CHECK(y.extent(3).constant() == 8);
    CHECK(y.extent(4).constant() == 3);
    CHECK(box.weights().constant() == 2 * 6 * 3 + 3);
    CHECK(box.multiply_adds().constant() == 2 * 6 * 3 * (4 * 8 * 3));
}

TEST_CASE("the same padding keeps ceil(extent / stride), whatever the kernel")
{
    model::network net("n");
    model::tensor const x = net.input({1, 1, 11, 12});
    model::tensor const y = model::conv2d(
        x, {.filters = 1, .kernel = k, .stride = 2, .pad = model::padding::same_extent()});
    CHECK(y.extent(2).constant() == 6);
    CHECK(y.extent(3).constant() == 6);
    CHECK(attune_tests::value_of(net.multiply_adds(), {{"K", 5}}) == 36 * 25);
}

TEST_CASE("a kernel that is a parameter has the extents that constants have")
{
    model::network net("n");
    model::tensor const y = model::max_pool2d(
        model::conv2d(net.input({1, 1, 9, 10}), {.filters = 1, .kernel = k, .stride = 2}),
        {.window = 2, .stride = 1});
    for (whole kernel = 1; kernel <= 7; ++kernel) {
        CAPTURE(kernel);
        whole const rows = count_windows({9, kernel, 2, 0, 1});
        whole const columns = count_windows({10, kernel, 2, 0, 1});
        CHECK(attune_tests::value_of(y.extent(2), {{"K", kernel}}) == rows - 1);
        CHECK(attune_tests::value_of(y.extent(3), {{"K", kernel}}) == columns - 1);
    }
}

TEST_CASE("a depthwise convolution is one with as many groups as channels")
{
    model::network net("n");
    model::network grouped("g");
    model::convolution const options{.filters = 2, .kernel = 3, .stride = 2, .pad = 1};
    model::convolution as_groups = options;
    as_groups.filters = 12;
    as_groups.groups = 6;
    model::tensor const y = model::depthwise_conv2d(net.input({3, 6, 9, 9}), options);
    model::tensor const z = model::conv2d(grouped.input({3, 6, 9, 9}), as_groups);
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(y.extent(i).constant() == z.extent(i).constant());
    CHECK(net.weights().constant() == grouped.weights().constant());
    CHECK(net.multiply_adds().constant() == grouped.multiply_adds().constant());
}

TEST_CASE("a transposed convolution reaches as far as its last element")
{
    attune::random_engine engine(2);
    for (int i = 0; i < 300; ++i) {
        axis_options const h = draw_axis(engine);
        // Element e of the input writes elements e * stride + t * dilation, t below the kernel.
        whole last = 0;
        whole written = 0;
        for (whole e = 0; e < h.extent; ++e)
            for (whole t = 0; t < h.kernel; ++t) {
                last = std::max(last, e * h.stride + t * h.dilation);
                ++written;
            }
        whole const rows = last + 1 - 2 * h.pad;
        model::network net("n");
        auto const make = [&] {
            return model::transposed_conv1d(net.input({1, 2, h.extent}), {.filters = 3,
                                                                          .kernel = h.kernel,
                                                                          .stride = h.stride,
                                                                          .pad = h.pad,
                                                                          .dilation = h.dilation});
        };
        if (rows <= 0) {
            CHECK_THROWS_AS(static_cast<void>(make()), attune::error);
            continue;
        }
        CHECK(make().extent(2).constant() == rows);
        CHECK(net.weights().constant() == 2 * h.kernel * 3 + 3);
        CHECK(net.multiply_adds().constant() == 2 * written * 3);
    }
}

TEST_CASE("pools take full windows, or a last one that is not")
{
    attune::random_engine engine(3);
    for (int i = 0; i < 300; ++i) {
        axis_options h = draw_axis(engine);
        h.dilation = 1;
        h.pad = std::min(h.pad, h.kernel / 2); // PyTorch pads by half a window at most
        bool const ceil = engine() % 2 == 0;
        bool const in_padding = engine() % 2 == 0;
        if (count_windows(h) == 0) continue;
        model::network net("n");
        model::tensor const y =
            model::average_pool1d(net.input({1, 2, h.extent}), {.window = h.kernel,
                                                                .stride = h.stride,
                                                                .pad = h.pad,
                                                                .ceil = ceil,
                                                                .ceil_in_padding = in_padding});
        whole const count = count_windows(h, ceil, in_padding);
        CHECK(y.extent(2).constant() == count);
        CHECK(net.weights().constant() == 0);
        CHECK(net.flops().constant() == 2 * count * h.kernel);
    }
    model::network net("n");
    CHECK(model::global_average_pool(net.input({2, 5, 7, 7})).elements().constant() == 10);
    CHECK(net.flops().constant() == 2 * 5 * 49);
}

TEST_CASE("sizes of a window are 1 or more, and it fits the padded input")
{
    auto const refused = [](auto const& layer, std::int64_t extent = 6) {
        model::network net("n");
        model::tensor const x = net.input({1, 2, extent});
        CHECK_THROWS_AS(static_cast<void>(layer(x)), attune::error);
    };
    for (whole const bad : {0, -1}) {
        refused([&](auto const& x) { return model::conv1d(x, {.filters = bad}); });
        refused([&](auto const& x) { return model::conv1d(x, {.kernel = bad}); });
        refused([&](auto const& x) { return model::conv1d(x, {.stride = bad}); });
        refused([&](auto const& x) { return model::conv1d(x, {.dilation = bad}); });
        refused([&](auto const& x) { return model::conv1d(x, {.groups = bad}); });
        refused([&](auto const& x) { return model::transposed_conv1d(x, {.kernel = bad}); });
        refused([&](auto const& x) { return model::max_pool1d(x, {.window = bad}); });
        refused([&](auto const& x) { return model::max_pool1d(x, {.stride = bad}); });
    }
    refused([](auto const& x) { return model::conv1d(x, {.kernel = 1, .pad = -1}); });
    refused([](auto const& x) { return model::max_pool1d(x, {.window = 1, .pad = -1}); });
    refused([](auto const& x) {
        return model::transposed_conv1d(x, {.stride = 2, .output_padding = 2});
    });
    for (bool const ceil : {false, true}) {
        refused([&](auto const& x) { return model::max_pool1d(x, {.window = 7, .ceil = ceil}); });
        refused([&](auto const& x) {
            return model::max_pool1d(x, {.window = 9, .pad = 1, .ceil = ceil});
        });
    }
    refused([](auto const& x) { return model::conv1d(x, {.kernel = 9, .pad = 1}); });
}

TEST_CASE("a parameter as a size of a window is valid from 1 on, and as far as it fits")
{
    constexpr auto size = attune::integer<"SIZE">(0, 9);
    model::network net("n");
    model::max_pool1d(net.input({1, 2, 6}), {.window = size, .stride = 1});
    for (std::int64_t at = 0; at <= 9; ++at) {
        bool holds = true;
        for (auto const& r : net.graph().requirements)
            holds = holds && attune_tests::value_of(r.holds, {{"SIZE", at}}) == 1;
        CHECK(holds == (at >= 1 && at <= 6));
    }
}

TEST_CASE("zeros before and behind an axis are those of an input that has them as elements")
{
    attune::random_engine engine(7);
    for (int i = 0; i < 300; ++i) {
        axis_options h = draw_axis(engine);
        auto const before = static_cast<std::int64_t>(engine() % 4);
        auto const behind = static_cast<std::int64_t>(engine() % 4);
        model::padding pad = before;
        pad.behind = behind;
        h.pad = 0;
        std::int64_t const extent = h.extent;
        h.extent += before + behind;
        if (count_windows(h) == 0) continue;
        model::network net("n");
        model::tensor const x = net.input({1, 2, extent});
        model::convolution const o{.filters = 3,
                                   .kernel = h.kernel,
                                   .stride = h.stride,
                                   .pad = pad,
                                   .dilation = h.dilation};
        CHECK(model::conv1d(x, o).extent(2).constant() == count_windows(h));
        // The rows that a transposed convolution cuts, each side by its own number.
        model::tensor const all = model::transposed_conv1d(x, {.kernel = 9});
        model::transposed_convolution const cut{.kernel = 9, .pad = before, .pad_behind = behind};
        CHECK(*model::transposed_conv1d(x, cut).extent(2).constant() ==
              *all.extent(2).constant() - before - behind);
    }
    // A last window may start in the elements, not in the zeros behind: 6 of 2 in steps of 3.
    for (std::int64_t const behind : {0, 1}) {
        model::network net("n");
        model::padding pad = 1;
        pad.behind = behind;
        model::tensor const y = model::max_pool1d(
            net.input({1, 1, 5}), {.window = 2, .stride = 3, .pad = pad, .ceil = true});
        CHECK(y.extent(2).constant() == 2); // at 0 and 3; 6 is behind the last element
    }
    model::network net("n");
    model::tensor const x = net.input({1, 2, 6});
    model::padding pad = 0;
    pad.behind = -1;
    CHECK_THROWS_AS(model::conv1d(x, {.pad = pad}), attune::error);
    pad.behind = model::per_axis{1, 2};
    CHECK_THROWS_AS(model::conv1d(x, {.pad = pad}), attune::error);
}

TEST_CASE("a convolution in steps of 1 that pads what its kernel takes keeps the extent's formula")
{
    constexpr auto size = attune::integer<"SIZE">(1, 9);
    model::network net("n");
    model::tensor const x = net.input({1, 2, size});
    CHECK(model::conv1d(x, {.kernel = 3, .pad = 1}).extent(2).is_same(size));
}
