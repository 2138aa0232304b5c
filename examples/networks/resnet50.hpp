// examples/networks/resnet50.hpp - the layers of ResNet-50, and their order.
// SPDX-License-Identifier: MIT
// Source   He et al. 2016, table 1; steps of two in the 3x3 layers as in most implementations since
//          (4.09 billion multiplications at 224x224x3; 3.86 where the 1x1 layers have them)
#pragma once

#include "layers.hpp"

namespace networks {

/// @tparam Height  of the square image, a multiple of 32
template <int Height = 224>
struct resnet50 {
    static constexpr int input = Height * Height * 3;

    template <attune::fixed_string Name, int Part, int Channels, int Features, int Stride = 1>
    using narrow = pointwise<Name, Height / Part, Channels, Features, Stride, after::relu>;
    template <attune::fixed_string Name, int Part, int Channels, int Stride = 1>
    using taps = convolution<Name, Height / Part, Channels, Channels, 3, Stride, after::relu>;
    template <attune::fixed_string Name, int Part, int Channels, int Features>
    using widen = pointwise_add<Name, Height / Part, Channels, Features>;
    template <attune::fixed_string Name, int Part, int Channels, int Features, int Stride>
    using shortcut = pointwise<Name, Height / Part, Channels, Features, Stride, after::nothing>;

    using stem = convolution<"stem", Height, 3, 64, 7, 2, after::relu>;
    using pool = max_pool<"pool", Height / 2, 64>;
    // The first block of a stage has other shapes than the rest.
    using shortcut1 = shortcut<"shortcut1", 4, 64, 256, 1>;
    using first1 = narrow<"first1", 4, 64, 64>;
    using narrow1 = narrow<"narrow1", 4, 256, 64>;
    using taps1 = taps<"taps1", 4, 64>;
    using widen1 = widen<"widen1", 4, 64, 256>;
    using shortcut2 = shortcut<"shortcut2", 4, 256, 512, 2>;
    using first2 = narrow<"first2", 4, 256, 128>;
    using narrow2 = narrow<"narrow2", 8, 512, 128>;
    using halve2 = taps<"halve2", 4, 128, 2>;
    using taps2 = taps<"taps2", 8, 128>;
    using widen2 = widen<"widen2", 8, 128, 512>;
    using shortcut3 = shortcut<"shortcut3", 8, 512, 1024, 2>;
    using first3 = narrow<"first3", 8, 512, 256>;
    using narrow3 = narrow<"narrow3", 16, 1024, 256>;
    using halve3 = taps<"halve3", 8, 256, 2>;
    using taps3 = taps<"taps3", 16, 256>;
    using widen3 = widen<"widen3", 16, 256, 1024>;
    using shortcut4 = shortcut<"shortcut4", 16, 1024, 2048, 2>;
    using first4 = narrow<"first4", 16, 1024, 512>;
    using narrow4 = narrow<"narrow4", 32, 2048, 512>;
    using halve4 = taps<"halve4", 16, 512, 2>;
    using taps4 = taps<"taps4", 32, 512>;
    using widen4 = widen<"widen4", 32, 512, 2048>;
    using mean = average_pool<"mean", Height / 32, 2048>;
    using classes = dense<"classes", 1, 2048, 1000>;
    using shares = softmax<"shares", 1, 1000>;

    using layers =
        table<times<stem>, times<pool>, times<shortcut1>, times<first1>, times<narrow1, 2>,
              times<taps1, 3>, times<widen1, 3>, times<shortcut2>, times<first2>, times<narrow2, 3>,
              times<halve2>, times<taps2, 3>, times<widen2, 4>, times<shortcut3>, times<first3>,
              times<narrow3, 5>, times<halve3>, times<taps3, 5>, times<widen3, 6>, times<shortcut4>,
              times<first4>, times<narrow4, 2>, times<halve4>, times<taps4, 2>, times<widen4, 3>,
              times<mean>, times<classes>, times<shares>>;

    /// @param call  call(Layer{}, arrays...) runs a layer and returns its result
    static auto run(auto& call, auto x)
    {
        auto const block = [&](auto narrow, auto taps, auto widen, auto skipped) {
            x = call(widen, call(taps, call(narrow, x)), skipped);
        };
        auto const stage = [&](int blocks, auto shortcut, auto first, auto first_taps, auto narrow,
                               auto taps, auto widen) {
            block(first, first_taps, widen, call(shortcut, x));
            for (int again = 1; again < blocks; ++again)
                block(narrow, taps, widen, x);
        };
        x = call(pool{}, call(stem{}, x));
        stage(3, shortcut1{}, first1{}, taps1{}, narrow1{}, taps1{}, widen1{});
        stage(4, shortcut2{}, first2{}, halve2{}, narrow2{}, taps2{}, widen2{});
        stage(6, shortcut3{}, first3{}, halve3{}, narrow3{}, taps3{}, widen3{});
        stage(3, shortcut4{}, first4{}, halve4{}, narrow4{}, taps4{}, widen4{});
        return call(shares{}, call(classes{}, call(mean{}, x)));
    }
};

} // namespace networks
