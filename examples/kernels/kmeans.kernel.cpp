// The nearest of k centroids for every point, both in d dimensions, row-major.
#include <attune/tunable.hpp>

#include <algorithm>
#include <limits>
#include <span>

constexpr int points_at_once = ATTUNE_TUNABLE(POINTS, 1);
constexpr int centroids_at_once = ATTUNE_TUNABLE(CENTROIDS, 1);
constexpr int dimensions_at_once = ATTUNE_TUNABLE(DIMENSIONS, 1); // partial sums per distance
constexpr bool transposed = ATTUNE_TUNABLE(TRANSPOSED, false); // centroids, dimension by dimension
constexpr int most = 4096;                                     // floats of transposed centroids

template <int Points>
static void assign(float const* x, float const* centroid, float const* across, int* label, int d,
                   int k)
{
    float best[Points];
    std::fill(best, best + Points, std::numeric_limits<float>::infinity());
    for (int c0 = 0; c0 < k; c0 += centroids_at_once) {
        int const count = std::min(centroids_at_once, k - c0);
        float distance[Points][centroids_at_once][dimensions_at_once] = {};
        for (int j0 = 0; j0 < d; j0 += dimensions_at_once)
            for (int p = 0; p < Points; ++p)
                for (int c = 0; c < centroids_at_once; ++c)
                    for (int j = 0; j < dimensions_at_once; ++j) {
                        if (j0 + j >= d || c >= count) continue;
                        float const at = transposed ? across[(j0 + j) * k + c0 + c]
                                                    : centroid[(c0 + c) * d + j0 + j];
                        float const off = x[p * d + j0 + j] - at;
                        distance[p][c][j] += off * off;
                    }
        for (int p = 0; p < Points; ++p)
            for (int c = 0; c < count; ++c) {
                float sum = 0;
                for (int j = 0; j < dimensions_at_once; ++j)
                    sum += distance[p][c][j];
                if (sum < best[p]) {
                    best[p] = sum;
                    label[p] = c0 + c;
                }
            }
    }
}

void kmeans(std::span<float const> x, std::span<float const> centroid, std::span<int> label, int d,
            int k)
{
    float across[most];
    if (transposed)
        for (int c = 0; c < k; ++c)
            for (int j = 0; j < d; ++j)
                across[j * k + c] = centroid[c * d + j];
    int const n = static_cast<int>(label.size());
    int i = 0;
    for (; i + points_at_once <= n; i += points_at_once)
        assign<points_at_once>(&x[i * d], centroid.data(), across, &label[i], d, k);
    for (; i < n; ++i)
        assign<1>(&x[i * d], centroid.data(), across, &label[i], d, k);
}
