// examples/networks/mobilenet.hpp - the layers of MobileNet, and their order.
// SPDX-License-Identifier: MIT
// Source   Howard et al. 2017, table 1, width 1: 569 million multiplications at 224x224x3
#pragma once

#include "layers.hpp"

namespace networks {

/// @tparam Height  of the square image, a multiple of 32
template <int Height = 224>
struct mobilenet {
    static constexpr int input = Height * Height * 3;

    using stem = convolution<"stem", Height, 3, 32, 3, 2, after::relu6>;
    template <attune::fixed_string Name, int Part, int Channels, int Stride>
    using depth = depthwise<Name, Height / Part, Channels, Stride>;
    template <attune::fixed_string Name, int Part, int Channels, int Features>
    using point = pointwise<Name, Height / Part, Channels, Features, 1, after::relu6>;
    using depth1 = depth<"depth1", 2, 32, 1>;
    using point1 = point<"point1", 2, 32, 64>;
    using depth2 = depth<"depth2", 2, 64, 2>;
    using point2 = point<"point2", 4, 64, 128>;
    using depth3 = depth<"depth3", 4, 128, 1>;
    using point3 = point<"point3", 4, 128, 128>;
    using depth4 = depth<"depth4", 4, 128, 2>;
    using point4 = point<"point4", 8, 128, 256>;
    using depth5 = depth<"depth5", 8, 256, 1>;
    using point5 = point<"point5", 8, 256, 256>;
    using depth6 = depth<"depth6", 8, 256, 2>;
    using point6 = point<"point6", 16, 256, 512>;
    using depth7 = depth<"depth7", 16, 512, 1>;
    using point7 = point<"point7", 16, 512, 512>;
    using depth8 = depth<"depth8", 16, 512, 2>;
    using point8 = point<"point8", 32, 512, 1024>;
    using depth9 = depth<"depth9", 32, 1024, 1>;
    using point9 = point<"point9", 32, 1024, 1024>;
    using pool = average_pool<"pool", Height / 32, 1024>;
    using classes = dense<"classes", 1, 1024, 1000>;
    using shares = softmax<"shares", 1, 1000>;

    using layers = table<times<stem>, times<depth1>, times<point1>, times<depth2>, times<point2>,
                         times<depth3>, times<point3>, times<depth4>, times<point4>, times<depth5>,
                         times<point5>, times<depth6>, times<point6>, times<depth7, 5>,
                         times<point7, 5>, times<depth8>, times<point8>, times<depth9>,
                         times<point9>, times<pool>, times<classes>, times<shares>>;

    /// @param call  call(Layer{}, arrays...) runs a layer and returns its result
    static auto run(auto& call, auto x)
    {
        auto const block = [&](auto depth, auto point) { x = call(point, call(depth, x)); };
        x = call(stem{}, x);
        block(depth1{}, point1{});
        block(depth2{}, point2{});
        block(depth3{}, point3{});
        block(depth4{}, point4{});
        block(depth5{}, point5{});
        block(depth6{}, point6{});
        for (int again = 0; again < 5; ++again)
            block(depth7{}, point7{});
        block(depth8{}, point8{});
        block(depth9{}, point9{});
        return call(shares{}, call(classes{}, call(pool{}, x)));
    }
};

} // namespace networks
