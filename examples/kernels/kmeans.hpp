// examples/kernels/kmeans.hpp - the assignment step of k-means clustering.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/dense.hpp"

namespace kernels {

struct kmeans {
    static constexpr char const* name = "kmeans";

    static constexpr auto points = attune::ordinal<"POINTS">(attune::values(1, 2, 4, 8));
    static constexpr auto centroids =
        attune::ordinal<"CENTROIDS">(attune::values(1, 2, 4, 8, 16, 32));
    static constexpr auto dimensions =
        attune::ordinal<"DIMENSIONS">(attune::values(1, 2, 4, 8, 16));
    static constexpr auto transposed = attune::boolean<"TRANSPOSED">();
    static constexpr auto space = attune::space(points, centroids, dimensions, transposed)
                                      .where(points * centroids * dimensions <= 512);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<int>, int,
                           int);

    int n = 20000;
    int d = 16;
    int k = 32;
    std::vector<float> x = random_numbers(area(n, d), 1);
    std::vector<float> centroid = random_numbers(area(k, d), 2);
    std::vector<int> label = std::vector<int>(static_cast<std::size_t>(n));
    mutable std::vector<float> distances{};

    /// A difference, a product and a sum for each dimension of each point and centroid. The sums of
    /// a block of POINTS x CENTROIDS distances, each in DIMENSIONS parts, are independent. POINTS
    /// points load each centroid, and CENTROIDS centroids each point, in vectors of what lies side
    /// by side: dimensions, or centroids where these are TRANSPOSED.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& x,
                                    auto const& centroid, auto const& label, auto, double k) {
        int const side_by_side =
            at[transposed] ? std::max(at[centroids], at[dimensions]) : at[dimensions];
        double const each = 1.0 / at[points] + 1.0 / at[centroids];
        return attune::work{.flops = 3.0 * count_of(x) * k,
                            .bytes = bytes_of(x, centroid, label),
                            .threads = 1,
                            .sums = count_of(x) * k,
                            .sum_bytes = vector_of(at[points] * at[centroids] * at[dimensions]),
                            .loads = 4 * count_of(x) * k * each,
                            .load_bytes = vector_of(side_by_side)};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, attune::source_file("kmeans.kernel.cpp"), space}
            .work(cost);
    }
    void call(auto&& run) { run(x, centroid, label, d, k); }
    /// The distance of every point to the centroid it was given to: a tie may go either way.
    [[nodiscard]] std::span<float const> result() const
    {
        distances.clear();
        for (int i = 0; i < n; ++i)
            distances.push_back(
                static_cast<float>(distance(i, label[static_cast<std::size_t>(i)])));
        return distances;
    }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out;
        for (int i = 0; i < n; ++i) {
            double best = std::numeric_limits<double>::infinity();
            for (int c = 0; c < k; ++c)
                best = std::min(best, distance(i, c));
            out.push_back(best);
        }
        return out;
    }
    [[nodiscard]] double distance(int point, int c) const
    {
        double sum = 0;
        for (int j = 0; j < d; ++j) {
            double const off =
                static_cast<double>(x[area(point, d) + static_cast<std::size_t>(j)]) -
                static_cast<double>(centroid[area(c, d) + static_cast<std::size_t>(j)]);
            sum += off * off;
        }
        return sum;
    }
    /// Points are the rows and centroids, side by side, the columns of a product's block (Low et
    /// al. 2016 Sec. 3).
    [[nodiscard]] static std::optional<config> expert() { return config{4, 8, 1, true}; }
};

} // namespace kernels
