// tests/bench/networks.cpp : mirrors examples/networks/*.hpp, the layer tables that bench.tune.networks tunes
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "../../examples/networks/bert.hpp"
#include "../../examples/networks/mobilenet.hpp"
#include "../../examples/networks/resnet50.hpp"

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
