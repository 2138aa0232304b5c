// tests/core/launch.cpp : mirrors include/attune/core/launch.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/core/launch.hpp>

#include <doctest/doctest.h>
#include <limits>

using attune::launch_geometry;
using attune::text_of;

TEST_CASE("a geometry that nobody has set is one block of one thread")
{
    launch_geometry const one;
    CHECK(one.blocks() == 1);
    CHECK(one.threads_per_block() == 1);
    CHECK_FALSE(one.has_clusters());
    CHECK(text_of(one) == "grid 1x1x1, block 1x1x1");
}

TEST_CASE("blocks and threads are products of their extents, also beyond 32 bits")
{
    launch_geometry const g{{2147483647, 65535, 2}, {8, 4, 2}, {2, 1, 1}, 4096, true};
    CHECK(g.blocks() == 2147483647LL * 65535 * 2);
    CHECK(g.threads_per_block() == 64);
    CHECK(g.has_clusters());
    CHECK(text_of(g) == "grid 2147483647x65535x2, block 8x4x2, cluster 2x1x1, 4096 bytes shared, "
                        "cooperative");
}

TEST_CASE("geometries are equal when every number is")
{
    launch_geometry const g{{4, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, false};
    for (int changed = 0; changed < 5; ++changed) {
        launch_geometry other = g;
        CHECK(other == g);
        if (changed == 0) other.grid[2] = 2;
        if (changed == 1) other.block[1] = 2;
        if (changed == 2) other.cluster[0] = 2;
        if (changed == 3) other.shared_bytes = 1;
        if (changed == 4) other.is_cooperative = true;
        CHECK(other != g);
    }
}

TEST_CASE("a product past the largest number is that number")
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(launch_geometry{{most, 2, 1}, {1, most, 3}, {1, 1, 1}, 0, false}.blocks() == most);
    CHECK(launch_geometry{{1, 1, 1}, {1, most, 3}, {1, 1, 1}, 0, false}.threads_per_block() ==
          most);
}
