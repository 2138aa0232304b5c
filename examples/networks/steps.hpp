// examples/networks/steps.hpp - the arrays of one call of a layer, and how far a result is off.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_description.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace networks {

/// Numbers between -size and size, the same for equal seeds.
template <class Array = std::vector<float>>
Array some(std::size_t count, float size, std::uint64_t seed)
{
    Array out(count);
    for (float& x : out) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x = size * (static_cast<float>(seed >> 40) * 0x1p-23f - 1);
    }
    return out;
}

/// One call of a layer: each has parameters of its own.
template <class Array = std::vector<float>>
struct step {
    std::vector<Array> parameters{};
    Array result{};
};

/// Parameters that keep numbers as large as they are, so that no product ends at infinity or among
/// numbers that the processor takes long for, drawn anew; and room for the result.
/// @param parameters  how many arrays of `layer` behind its first one
template <class Array = std::vector<float>>
step<Array> make_step(attune::nest_description const& layer, int parameters, std::uint64_t seed)
{
    step<Array> out;
    for (std::size_t at = 0; at < layer.arrays.size(); ++at) {
        attune::nest_array const& array = layer.arrays[at];
        std::size_t count = 1;
        for (attune::nest_extent const& extent : array.extents)
            count *= static_cast<std::size_t>(extent.constant);
        if (array.role == attune::nest_role::written) out.result = Array(count);
        if (at == 0 || at > static_cast<std::size_t>(parameters)) continue;
        bool const is_matrix = array.extents.size() > 1; // summed over all but the last dimension
        auto const features = static_cast<double>(array.extents.back().constant);
        double const size = is_matrix ? std::sqrt(6 * features / static_cast<double>(count)) : 0.05;
        out.parameters.push_back(some<Array>(count, static_cast<float>(size), seed * 977 + at));
        if (array.name == "gain")
            for (float& x : out.parameters.back())
                x += 1;
    }
    return out;
}

/// The largest difference of two results, over the largest number of `should`; infinity where one
/// of them is no number.
/// @pre  they are equally long
inline double difference(std::span<float const> is, std::span<float const> should)
{
    double largest = 0;
    double out = 0;
    for (std::size_t at = 0; at < should.size(); ++at) {
        double const want = static_cast<double>(should[at]);
        double const apart = std::fabs(static_cast<double>(is[at]) - want);
        if (!std::isfinite(apart)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, std::fabs(want));
        out = std::max(out, apart);
    }
    return out > 0 ? out / largest : 0;
}

} // namespace networks
