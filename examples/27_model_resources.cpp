// 27 - model resources: weights, memory and time of a network as constraints, before any training.
// Shows layers over parameters, exact counts under bounds, reasons, samples. Needs no compiler.
#include <attune/declare/model/convolution.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/roofline.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/explanation.hpp>

#include <cstdio>

namespace model = attune::model;

constexpr auto batch = attune::integer<"BATCH">(1, 256);
constexpr auto kernel = attune::ordinal<"KERNEL">(attune::values(3, 5, 7));
constexpr auto filters = attune::ordinal<"FILTERS">(attune::powers_of_two(16, 256));
constexpr auto blocks = attune::integer<"BLOCKS">(1, 4);
constexpr auto cell = attune::categorical<"CELL">("plain", "depthwise");
constexpr auto units = attune::ordinal<"UNITS">(attune::powers_of_two(64, 4096));

// An operator of your own is one line.
static model::tensor swish(model::tensor const& x)
{
    return model::apply("swish", {x}, {.shape = x.shape(), .operations = 5 * x.elements()});
}

static model::network small_net()
{
    model::network net("small net");
    auto const same = model::padding::same_extent();
    model::tensor x = net.input({batch, 3, 32, 32});
    x = swish(model::conv2d(x, {.filters = filters, .kernel = kernel, .pad = same}));
    x = model::repeat(x, blocks, 4, [&](model::tensor const& t) {
        model::tensor const y = model::choose(
            t, cell == "plain",
            [&](model::tensor const& u) {
                return model::conv2d(u, {.filters = filters, .kernel = kernel, .pad = same});
            },
            [&](model::tensor const& u) {
                model::tensor const v = model::depthwise_conv2d(u, {.kernel = kernel, .pad = same});
                return model::conv2d(v, {.filters = filters, .kernel = 1});
            });
        return model::add(swish(model::batch_norm(y)), t);
    });
    x = model::flatten(model::max_pool2d(x, {.window = 4, .stride = 4}));
    model::dense(swish(model::dense(x, units)), 10);
    return net;
}

int main()
{
    model::network const net = small_net();
    auto const all = attune::space(batch, kernel, filters, blocks, cell, units);
    auto const time =
        model::time_on(net, {.name = "P40", .gflops_per_s = 11760, .gbytes_per_s = 346});
    attune::chain_of_trees const any(net.space(all));
    attune::chain_of_trees const fits(
        net.space(all, {net.weight_bytes() <= 4'000'000, net.memory_bytes() <= 64 << 20,
                        time.at_most(0.002), net.flops() >= 8 * net.bytes_moved()}));
    std::printf("%.0f of %.0f configurations fit\n", static_cast<double>(*fits.size()),
                static_cast<double>(*any.size()));
    attune::random_engine engine(1);
    attune::point chosen = any.sample(engine); // uniform among all: it may need too much
    while (fits.contains(chosen))
        chosen = any.sample(engine);
    for (auto const& reason : attune::explain(fits.describe(), chosen))
        std::printf("%s\n", reason.because.c_str());
    std::printf("%s\n", fits.contains(fits.sample(engine)) ? "a sample fits" : "never");
}
// prints:
// 12980 of 215040 configurations fit
// weight bytes of small net = 42899240 <= 4000000 is false
// memory bytes of small net = 533632808 <= 67108864 is false
// time of small net on P40 in 4.92e-16 s = 557783440890816 <= 4068960000000 is false
// a sample fits
