// Says which configuration it is.
#include <attune/tunable.hpp>

#include <span>

static void fill(std::span<float> x, int n)
{
    for (int i = 0; i < n; ++i)
        x[static_cast<unsigned>(i)] = ATTUNE_TUNABLE(TILE, 4);
}
