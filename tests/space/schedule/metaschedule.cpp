// tests/space/schedule/metaschedule.cpp - the designs and counts are those of MetaSchedule's traces.
// SPDX-License-Identifier: MIT
#include <attune/space/schedule/metaschedule.hpp>

#include <attune/space/chain_of_trees.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>

#include "../../support/nest_examples.hpp"

namespace {

double size_of(attune::description const& space)
{
    return static_cast<double>(*attune::chain_of_trees(space).size());
}

/// The values of one parameter in the space of all.
std::uint64_t values_of(std::int64_t extent, std::uint32_t parts)
{
    attune::space_builder space;
    space.tile("T", extent, parts);
    space.where(space.node(attune::op::less_equal, space.factor("T", parts - 1), space.number(64)));
    return static_cast<std::uint64_t>(*attune::chain_of_trees(space.made()).size());
}

struct counted {
    std::size_t designs;
    double all; ///< configurations of all designs together
};
counted count(attune::nest_description const& nest)
{
    attune::processor_shape one;
    one.cores = 1;
    auto const designs = attune::metaschedule_designs(nest, one);
    counted out{designs.size(), 0};
    for (auto const& design : designs)
        out.all += size_of(design.space);
    return out;
}

} // namespace

TEST_CASE("tiles have as many values as the pictures of the traces show")
{
    CHECK(values_of(64, 4) == 84);
    CHECK(values_of(512, 5) == 700);
}

TEST_CASE("products and convolutions have three designs each, of the sizes that MetaSchedule has")
{
    // log10 of all configurations, compute locations left out (8 each in what was recorded)
    struct recorded {
        attune::nest_description nest;
        double log10_size;
    };
    for (recorded const& of : {
             recorded{support::matmul(512, 512, 512), 6.6},
             recorded{support::matmul(1024, 1024, 1024), 6.8},
             recorded{support::dense_gelu(128, 3072, 768), 7.2},
             recorded{support::batched_int8(12, 128, 128, 64), 7.7},
             recorded{support::convolution(56, 64, 64, 3, 1, 1), 9.2 - std::log10(8)},
             recorded{support::convolution(28, 128, 128, 3, 1, 1), 8.7 - std::log10(8)},
             recorded{support::convolution(14, 256, 1024, 1, 1, 0), 6.8},
             recorded{support::convolution(224, 3, 64, 7, 2, 3), 9.1 - std::log10(8)},
             recorded{support::depthwise(112, 32), 8.6 - std::log10(8)},
         }) {
        counted const got = count(of.nest);
        CHECK(got.designs == 3);
        CHECK(std::fabs(std::log10(got.all) - of.log10_size) < 0.0501);
    }
    // Exactly: 512 into 4 with at most 64 innermost twice, 512 into 2, four unroll limits.
    CHECK(count(support::matmul(512, 512, 512)).all == 3.0 * 210 * 210 * 7 * 4);
    CHECK(count(support::convolution(56, 64, 64, 3, 1, 1)).all ==
          3.0 * 80 * 80 * 84 * 2 * 2 * 7 * 4);
}

TEST_CASE("each long reduction without reuse has three designs")
{
    CHECK(count(support::softmax(1536, 128)).designs == 9);
    attune::processor_shape many;
    many.cores = 64; // 128 steps are no more than 16 for each
    CHECK(attune::metaschedule_designs(support::softmax(1536, 128), many).size() == 1);
}
